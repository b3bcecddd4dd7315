"""The names that a shell completes, found without loading what they stand for."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
KINDS = (
    "policies",
    "environments",
    "metrics",
    "orders",
    "features",
    "experiments",
    "datasets",
)

Complete = Callable[[str], list[str]]


def starting(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that begin as what was typed.

    Example:
        >>> starting(["mol-ucb", "mol-ts", "pcz"], "mol")
        ['mol-ts', 'mol-ucb']
    """
    return sorted(name for name in names if name.startswith(incomplete))


def one_of(*names: str) -> Complete:
    """A function that completes one of some names."""

    def complete(incomplete: str) -> list[str]:
        return starting(names, incomplete)

    return complete


def policies(incomplete: str) -> list[str]:
    """Names of policies."""
    return starting(_stub_names("policies"), incomplete)


def targets(incomplete: str) -> list[str]:
    """Names of policies, and of those that learn nothing."""
    return starting({*_stub_names("policies"), "uniform", "logging"}, incomplete)


def orders(incomplete: str) -> list[str]:
    """Names of orders."""
    return starting(_stub_names("orders"), incomplete)


def _stub_names(package: str) -> set[str]:
    """The names on the command line of what a package's stub lists."""
    # The package itself would load the compiler, which takes longer than a key press may.
    from mobandits.support.naming import kebab  # noqa: PLC0415

    text = (PACKAGE / package / "__init__.pyi").read_text(encoding="utf-8")
    classes = re.findall(r"import ([A-Z]\w*) as", text)
    # Classes beside the parts, which files do not name.
    others = {"falling", "gross-scalar"}
    return {kebab(name) for name in classes} - others
