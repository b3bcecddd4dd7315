"""Texts as LaTeX."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.support.latex import SPECIAL, escaped


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("a_b", r"a\_b"),
        ("50 % & more #1", r"50 \% \& more \#1"),
        ("{x}^2 ~ $3", r"\{x\}\textasciicircum{}2 \textasciitilde{} \$3"),
        (r"C:\dir", r"C:\textbackslash{}dir"),
        (
            "Turğay, Öner, Hüyük",
            r"Turu\{g}ay".replace("u\\{g}", r"\u{g}") + r", \"{O}ner, H\"{u}y\"{u}k",
        ),
        ("−0.5 ± 2", r"$-$0.5 $\pm$ 2"),
        ("Σ α_1", r"$\Sigma$ $\alpha$\_1"),
        ("a--b---c", r"a-{}-b-{}-{}-c"),
        ("two\nlines", "two lines"),
        ("漢", "[U+6F22]"),
        ("\x00x", "x"),
    ],
)
def test_texts_are_escaped(text, source):
    assert escaped(text) == source


@given(st.text(max_size=40))
def test_nothing_but_ascii_is_left_and_braces_are_paired(text):
    source = escaped(text)
    assert source.isascii()
    for pair in (r"\{", r"\}"):
        source = source.replace(r"\textbackslash{}", "").replace(pair, "")
    assert source.count("{") == source.count("}")


@given(st.text(alphabet=st.characters(codec="ascii", categories=["L", "N", "P", "S"]), max_size=30))
def test_special_characters_never_stand_alone(text):
    source = escaped(text)
    for command in SPECIAL.values():
        source = source.replace(command, "")
    assert not set(source.replace("{}", "")) & set("#$%&_^~\\")
