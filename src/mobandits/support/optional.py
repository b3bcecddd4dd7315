"""The error where an optional part of the package is not installed."""

from mobandits.errors import MissingExtraError

# {extra: the distributions that it needs}: no index has them, so pip is told where they are.
_CLIENT = "packages/mobandits-client"
_SERVICE = f"{_CLIENT} packages/mobandits-service"
BESIDE = {
    "client": _CLIENT,
    "litellm": _CLIENT,
    "papers": "packages/mobandits-papers",
    "postgres": _SERVICE,
    "service": _SERVICE,
}


def how_to_install(extra: str) -> str:
    """The command that installs an extra.

    Args:
        extra: its name in this package's metadata.

    Example:
        >>> how_to_install("data")
        "pip install 'mobandits[data]'"
    """
    # As the package is called, from wherever it was installed: a wheel, a folder or an index.
    named = f"'mobandits[{extra}]'"
    if extra in BESIDE:
        return f"in a clone of the repository, pip install {named} {BESIDE[extra]}"

    return f"pip install {named}"


def missing_extra(user: str, extra: str) -> MissingExtraError:
    """The error to raise, from the ImportError that was met.

    Args:
        user: what needs the extra, as its caller knows it.
        extra: its name in this package's metadata.

    Example:
        >>> raise missing_extra("LlmRouting", "data")
        Traceback (most recent call last):
        mobandits.errors.MissingExtraError: LlmRouting needs the extra `data`: \
pip install 'mobandits[data]'
    """
    remedy = how_to_install(extra)
    return MissingExtraError(f"{user} needs the extra `{extra}`: {remedy}")
