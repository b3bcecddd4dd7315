"""The parts of a formula in plain text, and the notation that it is written in.

`reader` reads a formula into these classes, and `mathml` writes MathML of them. They know
the notation of this library's docstrings, and nothing more:

    a b, a * b        products; a . b of vectors
    a / b             a fraction, of the product before it over the one factor after it
    x_a, x_{t,a}      below; V^-1, T^(1/3), d^{2/3} above: brackets around them are not shown
    sqrt(x), ceil(x)  a root, and brackets that round
    |x|, ||x||        an absolute value and a norm
    alpha, Delta      Greek letters; other words are names
    <=, >=, +-, ->    signs
"""

import re
from dataclasses import dataclass
from html.entities import name2codepoint

TOKENS = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
    r"|[A-Za-z]+\d*"
    r"|\.\.\.|<=|>=|!=|->|\+-|\|\|"
    r"|[-+*/=<>~.,;:|'^_(){}\[\]]"
)
GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi
    omega Gamma Delta Theta Lambda Sigma Phi Psi Omega
"""
GREEK = {name: chr(name2codepoint[name]) for name in GREEK_NAMES.split()}
SIGNS = {
    "<=": "≤",
    ">=": "≥",
    "!=": "≠",
    "->": "→",
    "+-": "±",
    "-": "−",
    "*": "·",
    ".": "·",
    "...": "…",
}
BETWEEN = frozenset(("+", "-", "=", "<", ">", "<=", ">=", "!=", "->", "+-", "~", ",", ";", ":"))
BARS = {"|": "|", "||": "‖"}
SUM = "∑"
ROUNDING = {"ceil": ("⌈", "⌉"), "floor": ("⌊", "⌋")}
CLOSING = {"(": ")", "[": "])", "{": "}"}  # a half-open interval ends with another bracket
LOGARITHMS = frozenset(("ln", "log", "exp"))  # whose argument needs no brackets: ln T
RELATIONS = frozenset(("=", "<", ">", "≤", "≥", "≠", "~", "→"))
FUNCTIONS = frozenset(("ln", "log", "exp", "max", "min", "det", "cos", "sin", "trace"))


class FormulaError(ValueError):
    """A text that is no formula."""


@dataclass(frozen=True)
class Leaf:
    """A number (mn), a name (mi) or a sign (mo)."""

    kind: str
    text: str


@dataclass(frozen=True)
class Row:
    """Parts beside each other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True)
class Fenced:
    """Something in brackets."""

    opening: str
    inside: "Node"
    closing: str


@dataclass(frozen=True)
class Scripts:
    """Something with a part below, a part above, or both."""

    base: "Node"
    below: "Node | None"
    above: "Node | None"


@dataclass(frozen=True)
class Fraction:
    """One part over another."""

    over: "Node"
    under: "Node"


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: "Node"


Node = Leaf | Row | Fenced | Scripts | Fraction | Root
