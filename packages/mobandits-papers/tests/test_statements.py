"""What the page of theorem checks says of theorems: the docstrings of the theory, with formulas."""

import pytest

from mobandits_papers.check_theorems import PAPERS
from mobandits_papers.pages.statements import statement_of, statements


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_every_paper_has_statements_with_formulas_and_sources(paper):
    found = statements(paper)
    assert len(found) >= 3
    for statement in found:
        assert statement.source
        assert statement.formulas or "<math>" in statement.sentence
        assert "`" not in statement.sentence


def test_other_versions_may_have_other_papers():
    assert statements("paper2018") == []


def documented(text):
    def function():
        """Nothing yet."""

    function.__doc__ = text
    return function


def test_a_docstring_becomes_a_statement():
    text = """The bound of `first_one`: T^2.

    In words.

    2 K T / epsilon.

    Args:
        t: T^3.

    Reference:
        paper2020, Lemma 1.
    """
    found = statement_of(documented(text))
    assert found.source == "paper2020, Lemma 1"
    assert found.sentence.startswith("The bound of <code>first_one</code>: <math>")
    assert len(found.formulas) == 1
    assert found.formulas[0].startswith('<math display="block"><mfrac>')


@pytest.mark.parametrize("text", ["T^2 without a source.", "Words.\n\nReference:\n    here.", ""])
def test_what_says_no_formula_of_a_source_is_left_out(text):
    assert statement_of(documented(text)) is None
