"""Compilation: the only room that knows Numba."""


class BackendError(ValueError):
    """The way of compiling that ``MOBANDITS_COMPILING`` asks for does not exist, or not with this Numba.

    It stands here because `backend`, which raises it, is then not importable.
    """
