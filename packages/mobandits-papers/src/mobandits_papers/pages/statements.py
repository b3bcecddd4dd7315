"""What the theorems of a paper say, in words and formulas: the docstrings of its theory."""

import importlib
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mobandits_papers.formulas.mathml import mathml
from mobandits_papers.formulas.prose import formulas_alone, with_formulas


@dataclass(frozen=True)
class Statement:
    """A bound or an event of a paper.

    Args:
        source: theorem or lemma.
        sentence: what it is, with formulas.
        formulas: those that stand by themselves.
    """

    source: Markup
    sentence: Markup
    formulas: Sequence[Markup]


def statements(paper: str) -> list[Statement]:
    """The bounds and events of a paper that have formulas, in the order of its theory.

    None of a paper that this version does not know.

    Args:
        paper: its key.

    Example:
        >>> statements("moslb2024")[-1].source
        Markup('moslb2024, proof of Theorem 2')
    """
    try:
        theory = importlib.import_module(f"mobandits_papers.{paper}.theory")
    except ModuleNotFoundError:  # checks that another version of this library wrote
        return []

    found = []
    for name, member in vars(theory).items():
        is_own = inspect.isfunction(member) and member.__module__ == theory.__name__
        if is_own and not name.startswith("_"):
            statement = statement_of(member)
            if statement is not None:
                found.append(statement)

    return found


def statement_of(function: Callable[..., Any]) -> Statement | None:
    """What the docstring of a function says; None where it has no formula, or no source."""
    text = inspect.getdoc(function) or ""
    source = re.search(r"^Reference:\n    (.+?)[.;]?$", text, re.MULTILINE)
    before_arguments, _, _ = text.partition("\nArgs:")
    prose, _, _ = before_arguments.partition("\nReference:")
    first, *others = prose.strip().split("\n\n")
    words = first.split()
    sentence = _with_code(" ".join(words))
    alone: list[str] = []
    for paragraph in others:
        alone += formulas_alone(paragraph.splitlines())

    formulas = [Markup(mathml(formula, display=True)) for formula in alone]  # noqa: S704 - ours
    has_formula = bool(formulas) or "<math>" in sentence
    if source is None or not has_formula:
        return None

    return Statement(with_formulas(source[1]), sentence, formulas)


def _with_code(sentence: str) -> Markup:
    """A sentence of a docstring: names between backticks are code, and hold no formulas."""
    made = Markup()
    for position, part in enumerate(sentence.split("`")):
        is_code = position % 2 == 1
        made += Markup("<code>{}</code>").format(part) if is_code else with_formulas(part)

    return made
