"""MathML of a formula in plain text.

Reading gives a tree of small classes, and writing gives MathML of it. Both know the notation of
this library's docstrings, and nothing more:

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
from html import escape

TOKENS = re.compile(
    r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"
    r"|[A-Za-z]+\d*"
    r"|\.\.\.|<=|>=|!=|->|\+-|\|\|"
    r"|[-+*/=<>~.,;:|'^_(){}\[\]]"
)
GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "zeta": "ζ",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "nu": "ν",
    "xi": "ξ",
    "pi": "π",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "chi": "χ",
    "psi": "ψ",
    "omega": "ω",
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
}
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
SPACE = '<mspace width="0.17em"/>'
ROUNDING = {"ceil": "⌈⌉", "floor": "⌊⌋"}
CLOSING = {"(": ")", "[": "])", "{": "}"}  # a half-open interval ends with another bracket
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


def mathml(text: str, *, display: bool = False) -> str:
    """The element `math` of a formula.

    Args:
        text: the formula.
        display: whether it stands by itself: fractions are set one part above the other.

    Raises:
        FormulaError: where the text is no formula.

    Example:
        >>> mathml("r^-2")
        '<math><msup><mi>r</mi><mrow><mo>−</mo><mn>2</mn></mrow></msup></math>'
        >>> mathml("a / 2", display=True)
        '<math display="block"><mfrac><mi>a</mi><mn>2</mn></mfrac></math>'
    """
    node = read(text)
    inside = _written(node, display)
    opening = '<math display="block">' if display else "<math>"

    return f"{opening}{inside}</math>"


def read(text: str) -> Node:
    """The tree of a formula.

    Raises:
        FormulaError: where the text is no formula.

    Example:
        >>> read("d_p")
        Scripts(base=Leaf(kind='mi', text='d'), below=Leaf(kind='mi', text='p'), above=None)
    """
    reader = _Reader(text)
    node = reader.row(closing="")
    if reader.left():
        raise FormulaError(f"formula must end before {reader.next()!r}")

    return node


class _Reader:
    """Reads one formula from left to right."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = []
        self._touches: list[bool] = []  # whether no blank stands before the token
        self._at = 0
        end = 0
        while end < len(text):
            blank = re.compile(r"\s*").match(text, end)
            start = end if blank is None else blank.end()
            if start == len(text):
                break

            match = TOKENS.match(text, start)
            if match is None:
                raise FormulaError(f"formula must have no {text[start]!r}")

            self._tokens.append(match.group())
            self._touches.append(start == end)
            end = match.end()

    def left(self) -> bool:
        """Whether tokens are left."""
        return self._at < len(self._tokens)

    def next(self) -> str:
        """The next token; empty at the end."""
        return self._tokens[self._at] if self.left() else ""

    def _take(self) -> str:
        token = self.next()
        self._at += 1
        return token

    def _follows(self, token: str) -> bool:
        """Whether a token comes next, at once."""
        return self.next() == token and self._touches[self._at]

    def row(self, closing: str) -> Node:
        """Products and the signs between them, up to a closing bracket."""
        parts: list[Node] = []
        is_open = True  # whether a product must follow
        while self.left() and not (closing and self.next() in closing and not is_open):
            sign = self.next()
            is_conditional = sign == "|" and closing in CLOSING.values()
            if sign in BETWEEN or (is_conditional and not is_open):
                if is_open and sign not in ("-", "+-"):
                    raise FormulaError(f"formula must have something before {sign!r}")

                parts.append(Leaf("mo", SIGNS.get(self._take(), sign)))
                is_open = True
            elif is_open:
                parts.append(self._product())
                is_open = False
            else:
                break

        if is_open:
            raise FormulaError("formula must not end here")

        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def _product(self) -> Node:
        factors = [self._factor()]
        while self.left():
            sign = self.next()
            if sign in ("*", "."):
                self._take()
                factors += [Leaf("mo", SIGNS[sign]), self._factor()]
            elif sign == "/":
                self._take()
                over = factors[0] if len(factors) == 1 else Row(tuple(factors))
                factors = [Fraction(over, self._factor())]
            elif sign == "...":
                factors.append(Leaf("mo", SIGNS[self._take()]))
            elif self._starts_factor(sign, factors[-1]):
                factors.append(self._factor())
            else:
                break

        return factors[0] if len(factors) == 1 else Row(tuple(factors))

    def _starts_factor(self, sign: str, before: Node) -> bool:
        """Whether a factor may begin with a token, after another factor."""
        # Numbers come first in products: "epsilon 0.05" is a name and its value, in prose.
        if sign[0].isdigit():
            return isinstance(before, Leaf) and before.text in (*FUNCTIONS, SUM)

        is_bar = sign in ("|", "||") and not self._touches[self._at]
        return sign[0].isalpha() or sign in CLOSING or is_bar

    def _factor(self) -> Node:
        """An atom, and what is below and above it."""
        base = self._atom()
        below: Node | None = None
        above: Node | None = None
        while True:
            if self._follows("_") and below is None:
                self._take()
                below = self._script(below=True)
            elif self._follows("^") and above is None:
                self._take()
                above = self._script(below=False)
            elif self._follows("'") and above is None:
                self._take()
                above = Leaf("mo", "′")
            elif self._follows("*") and above is None:  # the best, as in A*; products have blanks
                self._take()
                above = Leaf("mo", "*")
            else:
                break

        if below is None and above is None:
            return base
        return Scripts(base, below, above)

    def _script(self, *, below: bool) -> Node:
        token = self.next()
        if token in ("-", "+"):
            self._take()
            sign = Leaf("mo", SIGNS.get(token, token))
            # An exponent may be a sign alone, as in (x)^+.
            if not self.left() or not self._touches[self._at] or not self.next()[0].isalnum():
                return sign
            return Row((sign, self._factor()))
        if token in ("(", "{"):
            bracket = self._take()
            inside = self.row(CLOSING[bracket])
            self._close(CLOSING[bracket])
            # The l of theta^(l) is no exponent, and keeps its brackets.
            is_index = bracket == "(" and isinstance(inside, Leaf) and inside.kind == "mi"
            return Fenced("(", inside, ")") if is_index else inside

        # In x_a^2 the exponent is that of x; in r^-d_p the index is that of d.
        return self._atom() if below else self._factor()

    def _atom(self) -> Node:
        token = self._take()
        if not token:
            raise FormulaError("formula must not end here")
        if token[0].isdigit():
            return _number(token)
        if token[0].isalpha():
            return self._name(token)
        if token in CLOSING:
            inside = self.row(CLOSING[token])
            return Fenced(token, inside, self._close(CLOSING[token]))
        if token in BARS:
            inside = self.row(token)
            self._close(token)
            bar = BARS[token]
            return Fenced(bar, inside, bar)

        raise FormulaError(f"formula must have no {token!r} here")

    def _close(self, closing: str) -> str:
        token = self._take()
        if not token or token not in closing:
            raise FormulaError(f"formula must have {closing!r} in place of {token!r}")

        return token

    def _name(self, name: str) -> Node:
        if name in ("sqrt", *ROUNDING) and self._follows("("):
            self._take()
            inside = self.row(")")
            self._close(")")
            if name == "sqrt":
                return Root(inside)

            opening, closing = ROUNDING[name]
            return Fenced(opening, inside, closing)
        if name in ("sqrt", *ROUNDING):
            raise FormulaError(f"formula must have brackets after {name}")
        if name == "sum":
            return Leaf("mo", SUM)

        # C1 is a C with an index; other names with digits are names.
        if len(name) > 1 and name[1:].isdigit():
            return Scripts(Leaf("mi", name[0]), Leaf("mn", name[1:]), None)

        leaf = Leaf("mi", GREEK.get(name, name))
        if self._follows("(") or self._follows("["):
            argument = self._atom()
            return Row((leaf, argument))

        return leaf


def _number(token: str) -> Node:
    digits, _, power = token.partition("e")
    if not power:
        return Leaf("mn", digits)

    exponent = Leaf("mn", power.replace("-", "−").removeprefix("+"))
    tens = Scripts(Leaf("mn", "10"), None, exponent)

    return tens if digits == "1" else Row((Leaf("mn", digits), Leaf("mo", "·"), tens))


def _written(node: Node, display: bool) -> str:
    """The inside of `math`, or of another element that may hold several."""
    if isinstance(node, Row):
        return "".join(_with_space(part, display) for part in node.parts)
    return _element(node, display)


def _with_space(node: Node, display: bool) -> str:
    """A part of a row; the name of a function has a space around it, as `ln` in K ln T."""
    base = node.base if isinstance(node, Scripts) else node
    if isinstance(base, Leaf) and base.text in FUNCTIONS:
        return f"{SPACE}{_element(node, display)}{SPACE}"

    first = node.parts[0] if isinstance(node, Row) else None
    if isinstance(node, Row) and isinstance(first, Leaf) and first.text in FUNCTIONS:
        # Its argument in brackets stands at once after it.
        call = "".join(_element(part, display) for part in node.parts)
        return f"{SPACE}{call}"

    return _written(node, display)


def _element(node: Node, display: bool) -> str:
    """Exactly one element."""
    if isinstance(node, Leaf):
        return f"<{node.kind}>{escape(node.text)}</{node.kind}>"
    if isinstance(node, Row):
        return f"<mrow>{_written(node, display)}</mrow>"
    if isinstance(node, Fenced):
        inside = _written(node.inside, display)
        opening = f'<mo stretchy="true" form="prefix">{node.opening}</mo>'
        closing = f'<mo stretchy="true" form="postfix">{node.closing}</mo>'
        return f"<mrow>{opening}{inside}{closing}</mrow>"
    if isinstance(node, Root):
        return f"<msqrt>{_written(node.inside, display)}</msqrt>"
    if isinstance(node, Fraction):
        return _fraction(node, display)

    return _scripts(node)


def _fraction(node: Fraction, display: bool) -> str:
    # In a line of text, one part above the other would be too small, or push the lines apart.
    if not display:
        over = _written(node.over, display)
        return f"<mrow>{over}<mo>/</mo>{_element(node.under, display)}</mrow>"

    # The bar groups what brackets would.
    over = _element(_without_brackets(node.over), display)
    under = _element(_without_brackets(node.under), display)

    return f"<mfrac>{over}{under}</mfrac>"


def _without_brackets(node: Node) -> Node:
    return node.inside if isinstance(node, Fenced) and node.opening == "(" else node


def _scripts(node: Scripts) -> str:
    base = _element(node.base, False)
    below = "" if node.below is None else _element(node.below, False)
    above = "" if node.above is None else _element(node.above, False)
    if below and above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    return f"<msub>{base}{below}</msub>" if below else f"<msup>{base}{above}</msup>"
