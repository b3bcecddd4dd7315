"""Compilation: the only room that knows Numba."""


class BackendError(ValueError):
    """``MOBANDITS_COMPILING`` asks for something that does not exist, or not with this Numba.

    It stands here because `backend`, which raises it, is then not importable.
    """
