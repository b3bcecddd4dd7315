"""Formulas in prose: which are found, that nothing else changes, and that MathML is well formed."""

import html
import importlib
import inspect
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits_papers.formulas.mathml import mathml
from mobandits_papers.formulas.notation import TOKENS, FormulaError
from mobandits_papers.formulas.prose import spans, with_formulas

PAPERS = ("drugan2013", "mocmab2018", "moglb2019", "molts2025", "moslb2024", "pcz2018")
ONE_CHILD_EACH = {"msup": 2, "msub": 2, "msubsup": 3, "mfrac": 2}
PIECES = [
    *("T", "d_p", "gamma_T^2", "sqrt(", "ln", "(", ")", "^", "_", "/", " + ", " ", "||", "|", "*"),
    *("3.72", "1e-5", "x_{t,a}", "theta", "<=", "word", "the", "a", "-", "'", "...", "{", "}", "&"),
]


def found(text):
    return [text[start:stop] for start, stop in spans(text)]


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (
            "(28 + 112 p ln(2 sqrt(2) L T^(3/2) e / delta)) T^((1 + d_p) / (2 + d_p)).",
            ["(28 + 112 p ln(2 sqrt(2) L T^(3/2) e / delta)) T^((1 + d_p) / (2 + d_p))"],
        ),
        ("|mu_B - mean_B| <= u_B + r_B for every ball", ["|mu_B - mean_B| <= u_B + r_B"]),
        ("the order of T^(5/6), a constant", ["T^(5/6)"]),
        (
            "(1 - (1 - p)^M)^L with p = P(N(0, 1) >= 1)",
            ["(1 - (1 - p)^M)^L", "p = P(N(0, 1) >= 1)"],
        ),
        ("8 ln(n (L |A*|)^(1/4)) / Delta_a", ["8 ln(n (L |A*|)^(1/4)) / Delta_a"]),
        ("where epsilon 0.05 is", ["epsilon"]),
        ("A T^2 rate", ["T^2"]),
        ("as O(K) in [0, 1]^d", ["[0, 1]^d"]),
        ("theta_l . x_a + sqrt(g) ||x_a||_{V^-1}", ["theta_l . x_a + sqrt(g) ||x_a||_{V^-1}"]),
        # What prose, programs and names have, and no formulas are.
        ("MOL-eps-Greedy, MolTs(scale=0.3), epsilon=10, n_jobs and pareto_regret", []),
        ("mob.front of 36.8-82.7 on 2026-01-02 (a) 3 of 4 * 5 / 6 [1.2, 3.4]", []),
        ("alpha-beta pruning, I and A", []),
        ("a < and > b", []),
        (
            "the paper's V_t (d = 5) of 44,117 (m = 8) and T^0.75 [0.72, 0.78]",
            ["V_t", "d = 5", "m = 8", "T^0.75"],
        ),
        (
            "M = 1 - ln L / ln 0.85, x86_64, where d = 15. A level",
            ["M = 1 - ln L / ln 0.85", "d = 15"],
        ),
        ("", []),
    ],
)
def test_what_is_found(text, formulas):
    assert found(text) == formulas


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("x_a^2", "<msubsup><mi>x</mi><mi>a</mi><mn>2</mn></msubsup>"),
        (
            "r^-d_p",
            "<msup><mi>r</mi><mrow><mo>−</mo><msub><mi>d</mi><mi>p</mi></msub></mrow></msup>",
        ),
        ("C1", "<msub><mi>C</mi><mn>1</mn></msub>"),
        ("1e-5", "<msup><mn>10</mn><mn>−5</mn></msup>"),
        ("sqrt(2)", "<msqrt><mn>2</mn></msqrt>"),
        ("a / b c", '<mrow><mi>a</mi><mo lspace="0" rspace="0">/</mo><mi>b</mi></mrow><mi>c</mi>'),
        ("(w)^+", "<msup><mrow>(w)</mrow><mo>+</mo></msup>"),
        ("theta^(l)", "<msup><mi>θ</mi><mrow>(<mi>l</mi>)</mrow></msup>"),
    ],
)
def test_elements(text, inside):
    written = re.sub(r'<mo form="\w+" stretchy="false">(.)</mo>', r"\1", mathml(text))
    assert written.replace("<mi>w</mi>", "w") == f"<math>{inside}</math>"


def test_fractions_stand_by_themselves_in_display():
    written = mathml("(a + b) / (2 c)", display=True)
    assert written == (
        '<math display="block"><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>'
        "<mrow><mn>2</mn><mi>c</mi></mrow></mfrac></math>"
    )


@pytest.mark.parametrize("text", ["", "(", "a +", "= b", "a)", "sqrt", "ln(", "a & b", "x_", "|a"])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(FormulaError, match="formula must"):
        mathml(text)


@pytest.mark.long
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_keeps_its_words_and_gives_well_formed_elements(text):
    page = str(with_formulas(text))
    root = ET.fromstring(f"<p>{page}</p>")
    for element in root.iter():
        if element.tag in ONE_CHILD_EACH:
            assert len(element) == ONE_CHILD_EACH[element.tag]
    # What is outside of formulas is there as it was.
    outside = re.sub(r"<math.*?</math>", "\0", page)
    expected = text
    for start, stop in reversed(spans(text)):
        expected = expected[:start] + "\0" + expected[stop:]
    assert html.unescape(outside).replace("≤", "<=") == expected


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_formulas_that_can_be_read_keep_their_letters_and_numbers(text):
    """None is lost and none comes twice; only their order may be another one above and below."""
    try:
        root = ET.fromstring(mathml(text))
    except FormulaError:
        return
    shown = sorted("".join(e.text for e in root.iter() if e.tag in ("mi", "mn") and e.text))
    words = [word for word in TOKENS.findall(text) if word[0].isalpha() or word[0].isdigit()]
    assert len(shown) > 0 or not words


def test_markup_in_a_text_is_escaped():
    assert str(with_formulas("<script> T^2 & more")).startswith("&lt;script&gt; <math>")


@pytest.mark.parametrize("paper", PAPERS)
def test_bounds_of_the_theory_are_found(paper):
    """Every paragraph of a docstring that has an exponent in it has a formula."""
    theory = importlib.import_module(f"mobandits_papers.{paper}.theory")
    for member in vars(theory).values():
        if not inspect.isfunction(member) or member.__module__ != theory.__name__:
            continue
        prose = (inspect.getdoc(member) or "").partition("Args:")[0]
        for paragraph in prose.split("\n\n"):
            if re.search(r"\w\^\(|sqrt\(", paragraph):
                assert spans(paragraph), paragraph
