"""What to say where an optional part of the package is not installed."""


class MissingExtraError(ImportError):
    """An optional extra is not installed; the message is one line that says how to install it."""


def missing_extra(user: str, extra: str) -> MissingExtraError:
    """The error to raise, from the ImportError that was met.

    Args:
        user: what needs the extra, as its caller knows it.
        extra: the name of the extra in this package's metadata.

    Example:
        >>> missing_extra("LlmRouting", "data")
        MissingExtraError("LlmRouting needs the extra `data`: pip install 'mobandits[data]'")
    """
    return MissingExtraError(f"{user} needs the extra `{extra}`: pip install 'mobandits[{extra}]'")
