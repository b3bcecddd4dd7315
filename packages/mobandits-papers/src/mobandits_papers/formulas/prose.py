"""Formulas in prose: found as docstrings and claims write them, and set as MathML.

The notation is plain text, so that it can be read where nothing is set: ``T^((1 + d_p) / (2 + d_p))``,
``sqrt(gamma_t) ||x_a||_{V^-1}``, ``2 ln(K / delta)``. Browsers set MathML without any script.
"""

import re
from collections.abc import Sequence

from markupsafe import Markup, escape

from mobandits_papers.formulas.mathml import mathml
from mobandits_papers.formulas.notation import GREEK, TOKENS, FormulaError, Leaf, Node, Row
from mobandits_papers.formulas.reader import read

LONGEST = 200  # tokens of a formula in prose
# What makes a formula of letters and numbers, which prose has too.
STRONG = frozenset(("^", "_", "<=", ">=", "||", "sqrt", "+-"))
OPERATORS = frozenset(("=", "+", "~", "->"))
FUNCTIONS = frozenset(
    ("ln", "log", "exp", "sqrt", "ceil", "floor", "max", "min", "sum", "det", "cos", "sin")
)
UPRIGHT = frozenset(("PR", "EPR", "Reg", "Lip", "estimate"))  # quantities of the papers
LONGEST_SUBSCRIPT = 3  # letters: longer ones are names in programs, such as n_jobs
ARTICLES = frozenset(("a", "A", "I"))
# Words with a hyphen or an apostrophe, names with a dot or several digits, and what follows "=" at
# once are no formulas: MOL-UCB, paper's, mob.front, x86_64, scale=0.3.
WORD = re.compile(
    r"[A-Za-z]\w*(?:[-.][A-Za-z]\w*)+|\w+'[st]\b|[A-Za-z]+\d\d\w*|\w+(?:-\w+)+|\w+=\w*|\w*=\w+"
)
BLANKS = re.compile(r"[ \n]+")


def with_formulas(text: str) -> Markup:
    """A text for a page, whose formulas are MathML; everything else is escaped.

    Args:
        text: plain; what is not surely a formula stays as it is.

    Example:
        >>> print(with_formulas("at most 2 T = L"))
        at most <math><mn>2</mn><mi>T</mi><mo>=</mo><mi>L</mi></math>
        >>> print(with_formulas("a & b"))
        a &amp; b
    """
    made = []
    end = 0
    for start, stop in spans(text):
        made.append(_prose(text[end:start]))
        made.append(Markup(mathml(text[start:stop])))  # noqa: S704 - of tokens that are escaped
        end = stop

    made.append(_prose(text[end:]))

    return Markup("").join(made)


def _prose(text: str) -> Markup:
    """Text beside formulas, whose signs look as theirs do."""
    return escape(text.replace(" <= ", " ≤ ").replace(" >= ", " ≥ "))


def formulas_alone(lines: Sequence[str]) -> list[str]:
    """The formulas that some lines consist of; none where one of them is something else.

    A line that is indented more than the first one goes on with the formula before it.

    Example:
        >>> formulas_alone(["2 T^2", "  + K."]), formulas_alone(["It is T^2."])
        (['2 T^2 + K'], [])
    """
    written = [line for line in lines if line.strip()]
    depth = min((len(line) - len(line.lstrip()) for line in written), default=0)
    joined: list[str] = []
    for line in written:
        goes_on = len(line) - len(line.lstrip()) > depth
        if joined and goes_on:
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line.strip())

    formulas = [formula.removesuffix(".") for formula in joined]
    are_formulas = all(spans(formula) == [(0, len(formula))] for formula in formulas)

    return formulas if are_formulas else []


def spans(text: str) -> list[tuple[int, int]]:
    """Where the formulas of a text begin and end.

    Example:
        >>> text = "The bound is d sqrt(T), for delta = 1 / T."
        >>> [text[start:stop] for start, stop in spans(text)]
        ['d sqrt(T)', 'delta = 1 / T']
    """
    found = []
    for run in _runs(text):
        found += _formulas_of(text, run)

    return found


def _runs(text: str) -> list[list[tuple[int, int]]]:
    """The places of tokens that a formula may have, in runs that no word of prose divides."""
    runs: list[list[tuple[int, int]]] = [[]]
    at = 0
    while at < len(text):
        blank = BLANKS.match(text, at)
        word = WORD.match(text, at)
        token = TOKENS.match(text, at)
        if blank is not None:
            at = blank.end()
        elif word is None and token is not None and _may_stand(text, token):
            runs[-1].append(token.span())
            at = token.end()
        else:
            runs.append([])
            unknown = word or re.compile(r"\w+|.", re.DOTALL).match(text, at)
            assert unknown is not None  # noqa: S101 - any character matches
            at = unknown.end()

    return [run for run in runs if run]


def _may_stand(text: str, token: re.Match[str]) -> bool:
    """Whether a token may be a part of a formula in prose."""
    name = token.group()
    if not name[0].isalpha():
        return True
    if len(name) == 1 or name in GREEK or name in FUNCTIONS or name in UPRIGHT:
        return True

    # A word with one letter below it, such as mean_a, is no name of a program.
    if re.match(r"_[A-Za-z](?!\w)", text[token.end() :]):
        return True

    is_numbered = len(name.rstrip("0123456789")) == 1
    is_subscript = text[token.start() - 1 : token.start()] in ("_", "{")
    return is_numbered or (is_subscript and len(name) <= LONGEST_SUBSCRIPT)


def _formulas_of(text: str, run: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The formulas of a run: the longest one from each place on that can be read."""
    found = []
    first = 0
    while first < len(run):
        last = _last_of_formula(text, run, first)
        if last is None:
            first += 1
        else:
            found.append((run[first][0], run[last][1]))
            first = last + 1

    return found


def _last_of_formula(text: str, run: list[tuple[int, int]], first: int) -> int | None:
    words = [text[start:stop] for start, stop in run[first : first + LONGEST]]
    # "a T^2" is an article and a formula.
    if words[0] in ARTICLES and len(words) > 1 and text[run[first][1]] == " ":
        follows = words[1]
        if follows[0].isalnum() or follows == "(":
            return None

    for count in range(len(words), 0, -1):
        if not _is_strong(words[:count]):
            return None

        last = first + count - 1
        try:
            node = read(text[run[first][0] : run[last][1]])
        except FormulaError:
            continue

        if not _is_list(node):
            return last

    return None


def _is_list(node: Node) -> bool:
    """Whether a formula has a comma of prose in it, which stands in no brackets."""
    parts = node.parts if isinstance(node, Row) else ()
    return any(isinstance(part, Leaf) and part.text in ",;:" for part in parts)


def _is_strong(words: list[str]) -> bool:
    """Whether some words are surely no prose."""
    has_letters = any(word[0].isalpha() for word in words)
    has_operator = has_letters and any(word in OPERATORS for word in words[1:-1])
    return has_operator or any(word in STRONG or word in GREEK for word in words)
