"""References of a run as BibTeX, from the classes that its specification names."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from mobandits import datasets, environments, features, metrics, policies
from mobandits.contracts.protocols import Recipe
from mobandits.references.library import REFERENCES, SOFTWARE
from mobandits.references.reference import Reference
from mobandits.support.naming import kebab, quoted
from mobandits.support.nearest import did_you_mean

CALL = re.compile(r"\b([A-Z]\w*)\(")  # of a class, in the text of a recipe
# Keys of a specification whose texts are recipes, environments and metrics; experiments of papers
# have one such specification per run.
USED = ("policies", "environment", "metrics")
EXPERIMENT = "experiment"  # whose text begins with the key of its paper
# What the loop itself adds to recipes, in a room that imports this one.
OURS = {"PreferenceSweep": (SOFTWARE.key,)}


class Citation(NamedTuple):
    """A name and the references that it is cited as.

    Attributes:
        name: of a policy, an environment, a metric, a map or a data set.
        keys: of its references; () where none is known.
    """

    name: str
    keys: tuple[str, ...]


def classes() -> dict[str, Any]:
    """{name: class} of all that may be cited and is named in specifications.

    Example:
        >>> classes()["MolTs"].references
        ('molts2025',)
    """
    found: dict[str, Any] = {cls.__name__: cls for cls in metrics.registry().values()}
    for room in (environments, features, policies):
        for name in room.__all__:
            found[name] = getattr(room, name)

    # Recipes of other authors, as far as this process knows them.
    pending = [Recipe]
    while pending:
        for recipe in pending.pop().__subclasses__():
            found.setdefault(recipe.__name__, recipe)
            pending.append(recipe)

    return found


def data_sets() -> dict[str, Any]:
    """{name: data set} of those in `mobandits.datasets`.

    Example:
        >>> data_sets()["hillstrom"].references
        ('hillstrom2008',)
    """
    members = {name: getattr(datasets, name) for name in datasets.__all__}
    return {name: member for name, member in members.items() if hasattr(member, "about")}


def citations(specification: Mapping[str, Any]) -> list[Citation]:
    """Citations of a specification, in its order: each class once.

    Classes that are not cited for anything, such as orders, are left out; recipes and environments
    of which no reference is known are not.

    Args:
        specification: of a run, an experiment or several.

    Example:
        >>> citations({"policies": {"a": "Doubling(recipe=MolTs(scale=0.3))"}})
        [Citation(name='Doubling', keys=('mobandits',)), Citation(name='MolTs', keys=('molts2025',))]
    """
    known = classes()
    found: dict[str, Citation] = {}
    texts = list(_texts(specification))
    for key, text in texts:
        paper = text.partition("/")[0]
        if key == EXPERIMENT and paper in REFERENCES:
            found.setdefault(text, Citation(text, (paper,)))

    for key, text in texts:
        for i, match in enumerate(CALL.finditer(text) if key in USED else ()):
            name = match[1]
            keys = tuple(getattr(known.get(name), "references", OURS.get(name, ())))
            # Parts of a recipe without a reference are its parameters; metrics need none.
            if keys or (key != "metrics" and i == 0):
                found.setdefault(name, Citation(name, keys))

    return list(found.values())


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """All texts of a specification, each with its key, or with that of `USED` that it is below."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from _texts(item, key if key in USED else name)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, key)


def citations_of_names(names: Iterable[str]) -> list[Citation]:
    """Citations of policies, environments, metrics, maps and data sets.

    Args:
        names: as on the command line or in Python: "mol-ts", "MolTs", "hillstrom".

    Raises:
        ValueError: where a name is unknown, with the nearest one.

    Example:
        >>> citations_of_names(["mol-ts", "Linear"])[0]
        Citation(name='MolTs', keys=('molts2025',))
    """
    members = {**classes(), **data_sets()}
    by_kebab = {kebab(name): name for name in members}
    found = []
    for given in names:
        name = by_kebab.get(given, given)
        if name not in members:
            raise ValueError(_unknown(given, by_kebab))

        keys = tuple(getattr(members[name], "references", ()))
        found.append(Citation(name, keys))

    return found


def _unknown(given: str, names: Iterable[str]) -> str:
    """The message about an unknown name: the nearest one, and where all of them are listed."""
    question = did_you_mean(given, names)
    return f"name: {quoted(given)} is unknown{question}; see `mobandits list`"


def references_of(found: Iterable[Citation]) -> list[Reference]:
    """The references of citations, each once, and this library's first."""
    references = {SOFTWARE.key: SOFTWARE}
    for citation in found:
        for key in citation.keys:
            references.setdefault(key, REFERENCES[key])

    return list(references.values())


def bibtex(found: Iterable[Citation]) -> str:
    """A BibTeX file: which name is cited as what, in comments, and the entries.

    Example:
        >>> bibtex(citations_of_names(["mol-ts"])).splitlines()[:2]
        ['% MolTs: molts2025', '']
    """
    listed = list(found)
    lines = []
    for citation in listed:
        keys = ", ".join(citation.keys) or "no reference is known"
        lines.append(f"% {citation.name}: {keys}")

    entries = [reference.bibtex() for reference in references_of(listed)]

    return "\n".join([*lines, "", "\n\n".join(entries), ""])
