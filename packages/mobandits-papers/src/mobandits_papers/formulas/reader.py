"""The tree of a formula in plain text, in the notation of `notation`."""

import re

from mobandits.support.naming import quoted
from mobandits_papers.formulas.notation import (
    BARS,
    BETWEEN,
    CLOSING,
    GREEK,
    LOGARITHMS,
    RELATIONS,
    ROUNDING,
    SIGNS,
    SUM,
    TOKENS,
    Fenced,
    FormulaError,
    Fraction,
    Leaf,
    Node,
    Root,
    Row,
    Scripts,
)


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
        raise FormulaError(f"formula must end before {quoted(reader.next())}")

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
                raise FormulaError(f"formula must have no {quoted(text[start])}")

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
                # A sign of one number stands at once before it.
                is_unary = sign in ("-", "+-") and self._touches[self._at + 1 : self._at + 2] == [
                    True
                ]
                if is_open and not is_unary:
                    raise FormulaError(f"formula must have something before {quoted(sign)}")

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
            # A dot at the end of a word is that of a sentence.
            if sign == "*" or (sign == "." and not self._touches[self._at]):
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
            following = self._tokens[self._at + 1 : self._at + 2]
            is_power = following == ["^"]
            is_summand = isinstance(before, Leaf) and before.text == SUM
            return is_power or is_summand

        is_bar = sign in ("|", "||") and not self._touches[self._at]
        # Brackets of other kinds are intervals, in prose.
        is_bracket = sign == "("
        return is_bracket or is_bar or sign[0].isalpha()

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
            self._at -= 1
            fenced = self._brackets()
            if fenced.opening == "(" and _is_relation(fenced.inside):
                raise FormulaError("formula must have no relation in brackets")

            return fenced
        if token in BARS:
            inside = self.row(token)
            self._close(token)
            bar = BARS[token]
            return Fenced(bar, inside, bar)

        raise FormulaError(f"formula must have no {quoted(token)} here")

    def _close(self, closing: str) -> str:
        token = self._take()
        if not token or token not in closing:
            raise FormulaError(f"formula must have {quoted(closing)} in place of {quoted(token)}")

        return token

    def _name(self, name: str) -> Node:
        if name in ("sqrt", *ROUNDING):
            return self._root_or_rounding(name)
        if name == "sum":
            return Leaf("mo", SUM)

        # C1 is a C with an index; other names with digits are names.
        if len(name) > 1 and name[1:].isdigit():
            return Scripts(Leaf("mi", name[0]), Leaf("mn", name[1:]), None)

        leaf = Leaf("mi", GREEK.get(name, name))
        if self._follows("(") or self._follows("["):
            return Row((leaf, self._brackets()))
        if name in LOGARITHMS and self.next()[:1].isalnum():
            return Row((leaf, self._factor()))

        return leaf

    def _root_or_rounding(self, name: str) -> Node:
        if not self._follows("("):
            raise FormulaError(f"formula must have brackets after {name}")

        argument = self._brackets()
        if name == "sqrt":
            return Root(argument.inside)

        opening, closing = ROUNDING[name]
        return Fenced(opening, argument.inside, closing)

    def _brackets(self) -> Fenced:
        opening = self._take()
        inside = self.row(CLOSING[opening])
        return Fenced(opening, inside, self._close(CLOSING[opening]))


def _is_relation(node: Node) -> bool:
    """Whether it says something of two sides, which in brackets is a remark, as in (d = 5)."""
    parts = node.parts if isinstance(node, Row) else ()
    return any(isinstance(part, Leaf) and part.text in RELATIONS for part in parts)


def _number(token: str) -> Node:
    digits, _, power = token.partition("e")
    if not power:
        return Leaf("mn", digits)

    exponent = Leaf("mn", power.replace("-", "−").removeprefix("+"))
    tens = Scripts(Leaf("mn", "10"), None, exponent)

    return tens if digits == "1" else Row((Leaf("mn", digits), Leaf("mo", "·"), tens))
