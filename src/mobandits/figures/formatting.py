"""Numbers and lists as text."""

import math
import re
from collections.abc import Iterable

from mobandits.metrics.traits import traits_of
from mobandits.support.naming import conjunction

SUPERLATIVE = {"smaller": "lowest", "larger": "highest"}
UNKNOWN = "–"  # in the place of a number
LONGEST = 80  # characters of a recipe or an environment in running text
INNERMOST = re.compile(r"\([^()]+\)")
EMPTIED = "(…)"  # a group that gave way
NESTED = re.compile(r"\((?:[^()]|\(…\))+\)")
EXACT = 1e-9  # an interval as narrow as this is rounding: sums taken in another order


def component_name(metric: str) -> str:
    """The word for a component of a metric.

    Example:
        >>> component_name("reward"), component_name("chain_regret")
        ('objective', 'digit')
    """
    return traits_of(metric).component


def best_value(metric: str) -> str | None:
    """The best value of a metric, "lowest" or "highest"; None: neither, or it is not known.

    Example:
        >>> best_value("chain_regret_authors"), best_value("reward"), best_value("plays")
        ('lowest', 'highest', None)
    """
    better = traits_of(metric).better
    return None if better is None else SUPERLATIVE[better]


def spoken(metric: str) -> str:
    """The name of a metric as people read it.

    Example:
        >>> spoken("effective_pareto_regret")
        'effective Pareto regret'
    """
    return metric.replace("_", " ").replace("pareto", "Pareto").replace("max min", "max-min")


def title_of(metric: str) -> str:
    """The name of a metric at the start of a sentence.

    Example:
        >>> title_of("pareto_regret")
        'Pareto regret'
    """
    name = spoken(metric)
    return name[0].upper() + name[1:]


def axis_title(metric: str) -> str:
    """The name of a metric on an axis, with its unit where it has one.

    Example:
        >>> axis_title("pareto_regret")
        'Pareto regret'
    """
    unit = traits_of(metric).unit
    name = spoken(metric)

    return f"{name} ({unit})" if unit else name


def format_number(value: float, digits: int) -> str:
    """A number with a true minus sign, and no negative zero.

    Example:
        >>> format_number(-0.014, 3), format_number(-0.0001, 3)
        ('−0.014', '0.000')
    """
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:  # after rounding, which keeps the sign
        return text.lstrip("-")
    return text.replace("-", "−")


def digits_after_point(largest: float, digits: int, most: int = 6) -> int:
    """The digits after the point that leave the largest number about `digits` in all.

    Args:
        largest: above 0.
        digits: wanted, those before the point included.
        most: how many there are at most.

    Example:
        >>> digits_after_point(123.4, 6), digits_after_point(1e9, 6)
        (3, 0)
    """
    exponent = math.floor(math.log10(largest))
    before_point = exponent + 1
    after_point = digits - before_point
    return min(max(after_point, 0), most)


def digits_of_errors(errors: Iterable[float | None]) -> int:
    """The digits after the point, 2 to 8, that show two of the smallest standard error.

    Example:
        >>> digits_of_errors([0.012, 0.3]), digits_of_errors([])
        (3, 3)
    """
    known = [error for error in errors if error and math.isfinite(error)]
    # A value that was never uncertain, such as a constant reward, gets three digits.
    smallest = min(known, default=0.01)
    return max(2, digits_after_point(smallest, 2, most=8))


def p_text(p_value: float) -> str:
    """A p-value as it is written.

    Example:
        >>> p_text(0.01953), p_text(1e-9)
        ('p = 0.02', 'p < 0.001')
    """
    if p_value < 0.001:
        return "p < 0.001"
    return f"p = {p_value:.2g}"


def plus_minus(mean: float | None, low: float, high: float, digits: int) -> str:
    """A mean with half its 95 % interval; a dash where there is no mean.

    A mean whose interval has no width stands alone.

    Example:
        >>> plus_minus(0.5, 0.4, 0.6, 2), plus_minus(-1.0, -1.0, -1.0, 1)
        ('0.50 ± 0.10', '−1.0')
    """
    if mean is None:
        return UNKNOWN

    number = format_number(mean, digits)
    half_width = (high - low) / 2.0
    if half_width > EXACT * max(abs(mean), 1.0):
        return f"{number} ± {half_width:.{digits}f}"

    return number


def with_ends(number: str, low: str, high: str) -> str:
    r"""A number with both ends of its interval.

    Example:
        >>> with_ends("0.10", "0.00", "0.40")
        '0.10 [0.00,\xa00.40]'
    """
    # A narrow screen may break the line before an interval, and not within.
    return f"{number} [{low},\N{NO-BREAK SPACE}{high}]"


join_words = conjunction


def folded(text: str, most: int = LONGEST) -> str:
    """A recipe or an environment in running text: parameters give way to "…", the innermost first.

    The whole text stands in the provenance of a page.

    Args:
        text: as it prints.
        most: so many characters stay as they are.

    Example:
        >>> folded("Features(map=Crosses(degree=2), recipe=MolUcb(scale=0.3))", 50)
        'Features(map=Crosses(degree=2), recipe=MolUcb(…))'
        >>> folded("a long name without any parameters", 10)
        'a long na…'
    """
    while len(text) > most:
        # Groups without groups inside, of which the longest gives way: it says the most, and of a
        # nested recipe the classes are what tells recipes apart.
        groups = _groups(INNERMOST, text) or _groups(NESTED, text)
        if not groups:
            return f"{text[: most - 1]}…"

        longest = max(groups, key=lambda found: len(found[0]))
        text = f"{text[: longest.start()]}{EMPTIED}{text[longest.end() :]}"

    return text


def _groups(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The groups in parentheses that have not given way yet."""
    return [found for found in pattern.finditer(text) if found[0] != EMPTIED]


def number_or_dash(value: float | None, digits: int) -> str:
    """A number, or a dash where it is not known.

    Example:
        >>> number_or_dash(0.5, 2), number_or_dash(None, 2)
        ('0.50', '–')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return format_number(value, digits)


def signed(value: float | None, digits: int = 3) -> str:
    """A gain with its sign; a dash where it is not known.

    Example:
        >>> signed(0.0251), signed(-0.1), signed(None)
        ('+0.025', '−0.100', '–')
    """
    number = number_or_dash(value, digits)
    is_above = value is not None and value > 0.0
    return f"+{number}" if is_above else number
