"""Numbers and lists as sentences say them."""

from collections.abc import Sequence

PARTS = {
    "bin_ratio": "bin",
    "front_plays": "arm",
    "level_regret": "level",
    "mean": "objective",
    "objective_regret": "objective",
    "plays": "arm",
    "reward": "objective",
}
EXACT = 1e-9  # an interval as narrow as this is rounding: sums taken in another order


def component_name(metric: str) -> str:
    """What the components of a metric are.

    Example:
        >>> component_name("reward"), component_name("chain_regret")
        ('objective', 'digit')
    """
    return PARTS.get(metric, "digit" if metric.startswith("chain_regret") else "component")


def format_number(value: float, digits: int) -> str:
    """A number with a true minus sign, and no negative zero.

    Example:
        >>> format_number(-0.014, 3), format_number(-0.0001, 3)
        ('−0.014', '0.000')
    """
    said = f"{value:.{digits}f}"
    return said.lstrip("-") if float(said) == 0.0 else said.replace("-", "−")


def quantity(number: int, one: str, several: str = "") -> str:
    """A number of things.

    Example:
        >>> quantity(1, "policy", "policies"), quantity(2, "policy", "policies"), quantity(1000, "round")
        ('1 policy', '2 policies', '1,000 rounds')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"


def money(dollars: float) -> str:
    """Dollars, with three decimals below one.

    Example:
        >>> money(0.0289), money(15.0967)
        ('$0.029', '$15.10')
    """
    return f"${dollars:.2f}" if dollars >= 1.0 else f"${dollars:.3f}"


def interval(low: float, high: float, digits: int) -> str:
    """A 95 % interval.

    Example:
        >>> interval(0.0102, 0.0171, 3)
        '95 % interval 0.010 to 0.017'
    """
    return f"95 % interval {format_number(low, digits)} to {format_number(high, digits)}"


def plus_minus(mean: float | None, low: float, high: float, digits: int) -> str:
    """A mean with half its 95 % interval, or alone where the interval has no width; a dash where there is none.

    Example:
        >>> plus_minus(0.5, 0.4, 0.6, 2), plus_minus(-1.0, -1.0, -1.0, 1)
        ('0.50 ± 0.10', '−1.0')
    """
    if mean is None:
        return "–"
    half = (high - low) / 2.0
    if half > EXACT * max(abs(mean), 1.0):
        return f"{format_number(mean, digits)} ± {half:.{digits}f}"
    return format_number(mean, digits)


def join_words(items: Sequence[str]) -> str:
    """Names in a sentence.

    Example:
        >>> join_words(["a"]), join_words(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} and {items[-1]}"
