"""Experiments that are in the file of their paper: titles, paragraphs, simulations, plots, claims.

`texts/<paper>.toml` has a table per experiment, and tables that several experiments share. A
simulation there is as in `written_runs`, and `each` repeats it, or a claim, with other words. A
claim that names rows is a comparison, with the arguments of `claims.ordering` (`low` and `high`),
`claims.level` (`rows`), `claims.percentage` (`of`), `claims.in_order` (`order`), `claims.listed`
(`numbers`) or `growth_of_regret.growing` (`power`); the numbers of any other come from a function.
A text may hold a word of a table `words`, or one that it is given, between braces.
"""

import functools
import tomllib
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mobandits_papers.claims import (
    Claim,
    Revise,
    in_order,
    level,
    listed,
    ordering,
    percentage,
)
from mobandits_papers.experiment import Computed, Experiment, More, Plot, Run
from mobandits_papers.growth_of_regret import growing
from mobandits_papers.numbers import (
    Parts,
    Reading,
    first_half,
    growth,
    late_mean,
    percent_unpaid,
    whole_mean,
)
from mobandits_papers.written_runs import run_of

TEXTS = Path(__file__).parent / "texts"
READINGS: Mapping[str, Reading] = {
    each.__name__: each for each in (first_half, growth, late_mean, percent_unpaid, whole_mean)
}
# What a claim names that is a comparison, and what makes it.
COMPARISONS: Mapping[str, Callable[..., Claim]] = {
    "low": ordering,
    "rows": level,
    "of": percentage,
    "power": growing,
    "order": in_order,
    "numbers": listed,
}
NONE: Mapping[str, Any] = MappingProxyType({})


@functools.cache
def texts_of(paper: str) -> dict[str, Any]:
    """The file of a paper."""
    file = TEXTS / f"{paper}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def described(
    id: str,  # noqa: A002 - as in Experiment
    runs: Sequence[Run | Computed | More] = (),
    parts: Mapping[str, Parts] = NONE,
    *,
    revise: Mapping[str, Revise] = NONE,
    sections: Sequence[str] = (),
    **words: Any,
) -> Experiment:
    """An experiment with the words of its paper's file.

    Args:
        id: of the experiment.
        runs: after those of the file.
        parts: {claim: its numbers}, of claims that are no comparison.
        revise: {claim: what else the results say of it}, as in `Claim`.
        sections: the tables of the file, whose paragraphs, plots and claims follow each other; one
            of them has the title. None: the end of the ID.
        words: what texts hold between braces; a text that is nothing else may become a list.
    """
    tables = tables_of(id, sections, words)
    content = ChainMap(*tables)
    plots = [Plot(**{"metric": entry["name"], **entry}) for entry in joined(tables, "plots")]
    return Experiment(
        id,
        content["title"],
        content["source"],
        joined(tables, "about"),
        [*simulations_of(tables), *runs],
        plots,
        described_claims(id, tables, parts, revise),
    )


def described_claims(
    experiment: str,
    tables: Sequence[Mapping[str, Any]],
    parts: Mapping[str, Parts] = NONE,
    revise: Mapping[str, Revise] = NONE,
) -> list[Claim]:
    """The claims that tables of a file describe.

    Args:
        experiment: its ID.
        tables: from `tables_of`.
        parts: as in `described`.
        revise: as in `described`.
    """
    entries = entries_of(tables, "claims")
    return [claim_of(experiment, entry, parts, revise) for entry in entries]


def simulations_of(tables: Sequence[Mapping[str, Any]]) -> list[Run | Computed]:
    """The simulations that tables of a file describe, and parts that it names between them."""
    entries = entries_of(tables, "runs")
    return [entry if isinstance(entry, Computed) else run_of(entry) for entry in entries]


def entries_of(tables: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    """What tables list under a key; a table with `each` is repeated with other words.

    Example:
        >>> entries_of([{"runs": [{"name": "d = {d}", "each": [{"d": 5}, {"d": 10}]}]}], "runs")
        [{'name': 'd = 5'}, {'name': 'd = 10'}]
    """
    entries: list[Any] = []
    for entry in joined(tables, key):
        if isinstance(entry, dict):
            one = dict(entry)
            repeated = one.pop("each", [NONE])
            entries += [filled(one, words) for words in repeated]
        else:
            entries.append(entry)

    return entries


def tables_of(
    id: str,  # noqa: A002 - as in Experiment
    sections: Sequence[str],
    words: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """Tables of the file of an experiment's paper, with their words filled in."""
    paper, _, name = id.partition("/")
    texts = texts_of(paper)
    tables = [texts[section] for section in sections or [name]]
    # Words come before those that they may name: sections', the call's, the paper's.
    words_of_sections = [table.get("words", {}) for table in tables]
    own = {**ChainMap(*words_of_sections), **words}
    words_of_papers = texts_of("shared")["words"]
    words_of_paper = texts.get("words", {})
    known = {**own, **words_of_papers, **words_of_paper, **own}

    return [filled(table, known) for table in tables]


def joined(tables: Sequence[Mapping[str, Any]], key: str) -> list[Any]:
    """What tables list under a key, one after the other.

    Example:
        >>> joined([{"about": ["a"]}, {}, {"about": ["b"]}], "about")
        ['a', 'b']
    """
    return [each for table in tables for each in table.get(key, ())]


def filled(content: Any, words: Mapping[str, Any]) -> Any:
    """A part of a file with words in place of their names between braces.

    Example:
        >>> filled({"a": ["{all}", "{one} more"]}, {"one": "just one", "all": ["x", "y"]})
        {'a': [['x', 'y'], 'just one more']}
    """
    if isinstance(content, dict):
        return {filled(key, words): filled(value, words) for key, value in content.items()}
    if isinstance(content, list):
        return [filled(each, words) for each in content]
    if not isinstance(content, str):
        return content

    for name, word in words.items():
        if content == f"{{{name}}}":
            return filled(word, words)
        if isinstance(word, str | int | float):
            content = content.replace(f"{{{name}}}", str(word))

    return content


def claim_of(
    experiment: str,
    entry: Mapping[str, Any],
    parts: Mapping[str, Parts],
    revise: Mapping[str, Revise],
) -> Claim:
    """A claim of a file.

    Args:
        experiment: its ID.
        entry: of the file.
        parts: as in `described`.
        revise: as in `described`.
    """
    what = entry["id"]
    arguments = dict(entry)
    arguments["id"] = f"{experiment}/{what}"
    if "reading" in entry:
        arguments["reading"] = READINGS[entry["reading"]]
    if entry.get("components") == "all":
        arguments["components"] = None

    for key, make in COMPARISONS.items():
        if key in entry:
            return make(**arguments)

    arguments.setdefault("target", "")
    return Claim(**arguments, parts=parts[what], revise=revise.get(what))
