"""MathML of a formula in plain text, which browsers set without any script."""

from html import escape

from mobandits_papers.formulas.notation import (
    FUNCTIONS,
    Fenced,
    Fraction,
    Leaf,
    Node,
    Root,
    Row,
    Scripts,
)
from mobandits_papers.formulas.reader import read

SLASH = '<mo lspace="0" rspace="0">/</mo>'
SPACE = '<mspace width="0.17em"/>'


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
        name, argument = node.parts
        # Brackets stand at once after the name.
        space = "" if isinstance(argument, Fenced) else SPACE
        return f"{SPACE}{_element(name, display)}{space}{_element(argument, display)}"

    return _written(node, display)


def _element(node: Node, display: bool) -> str:
    """Exactly one element."""
    if isinstance(node, Leaf):
        return f"<{node.kind}>{escape(node.text)}</{node.kind}>"
    if isinstance(node, Row):
        return f"<mrow>{_written(node, display)}</mrow>"
    if isinstance(node, Fenced):
        inside = _written(node.inside, display)
        # Larger variants of brackets come with space inside: only tall contents need them.
        stretchy = "" if _is_tall(node.inside, display) else ' stretchy="false"'
        opening = f'<mo form="prefix"{stretchy}>{node.opening}</mo>'
        closing = f'<mo form="postfix"{stretchy}>{node.closing}</mo>'
        return f"<mrow>{opening}{inside}{closing}</mrow>"
    if isinstance(node, Root):
        return f"<msqrt>{_written(node.inside, display)}</msqrt>"
    if isinstance(node, Fraction):
        return _fraction(node, display)

    return _scripts(node)


def _is_tall(node: Node, display: bool) -> bool:
    """Whether brackets around it must be larger than letters."""
    if isinstance(node, Row):
        return any(_is_tall(part, display) for part in node.parts)
    if isinstance(node, Fenced):
        return _is_tall(node.inside, display)

    return isinstance(node, Root) or (isinstance(node, Fraction) and display)


def _fraction(node: Fraction, display: bool) -> str:
    # In a line of text, one part above the other would be too small, or push the lines apart.
    if not display:
        over = _written(node.over, display)
        return f"<mrow>{over}{SLASH}{_element(node.under, display)}</mrow>"

    # The bar groups what brackets would.
    over = _element(_without_brackets(node.over), display)
    under = _element(_without_brackets(node.under), display)

    return f"<mfrac>{over}{under}</mfrac>"


def _without_brackets(node: Node) -> Node:
    return node.inside if isinstance(node, Fenced) and node.opening == "(" else node


def _scripts(node: Scripts) -> str:
    base = _element(node.base, False)
    below = _element_or_nothing(node.below)
    above = _element_or_nothing(node.above)
    if below and above:
        return f"<msubsup>{base}{below}{above}</msubsup>"
    if below:
        return f"<msub>{base}{below}</msub>"

    return f"<msup>{base}{above}</msup>"


def _element_or_nothing(node: Node | None) -> str:
    return "" if node is None else _element(node, False)
