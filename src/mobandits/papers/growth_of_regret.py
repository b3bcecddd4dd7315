"""How fast a regret grows: the exponent of T, read from runs, beside the power of a theorem."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import component_name
from mobandits.papers.claims import Claim, Outcome, Part, resample

AFTER_A_PILOT = (
    "How much is allowed for logarithms was set when the exponents of a pilot were known."
)
ALLOWED = 0.1  # added to a theorem's power for its logarithms, which a fit takes for growth


def exponent(rounds: Array, means: Array) -> Array:
    """The slope of the logarithm of means over that of the rounds, by least squares.

    Args:
        rounds: (points,) ascending; all the same: there is no slope, and it is NaN.
        means: (points, n) above 0; where one is not, the slope is not finite.

    Returns:
        (n,).

    Example:
        >>> rounds = np.array([10.0, 100.0, 1000.0])
        >>> exponent(rounds, np.stack([rounds**0.5, 3.0 * rounds], axis=1)).round(6).tolist()
        [0.5, 1.0]
    """
    logarithms = np.log(rounds)
    x = logarithms - logarithms.mean()
    # A regret of 0 has no logarithm, and a single round no slope: both are looked at by the caller.
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.log(means)
        slopes = x @ y / (x @ x)

    return np.asarray(slopes)


# Rounds (points,), and regrets there (trials, points).
Read = Callable[[Outcome], tuple[Array, Array]]


def within_run(run: str, row: str, metric: str) -> Read:
    """The recorded rounds of the last nine tenths of a run, and the regrets there."""

    def read(outcome: Outcome) -> tuple[Array, Array]:
        points, values = outcome.curves(run, row, metric)
        # The first rounds explore, at a rate of their own.
        is_late = points >= points[-1] / 10.0
        rounds = np.asarray(points[is_late], np.float64)

        return rounds, values[:, is_late]

    return read


def over_runs(rows: Mapping[str, str], metric: str, component: int = 0) -> Read:
    """The horizons of several runs, {run: row}, and the regrets at their ends."""

    def read(outcome: Outcome) -> tuple[Array, Array]:
        # Policies that know their horizon are played anew for each: no single run shows their rate.
        horizons = []
        regrets = []
        for run, row in rows.items():
            points, values = outcome.curves(run, row, metric, component)
            horizons.append(float(points[-1]))
            regrets.append(values[:, -1])

        return np.array(horizons), np.stack(regrets, axis=1)

    return read


def grows_with(name: str, read: Read, most: float | None) -> Callable[[Outcome], Part]:
    """A function that reads the exponent of a regret, from the means over trials.

    Args:
        name: of the number.
        read: rounds and regrets.
        most: what the interval must be below; None: no rule decides.
    """

    def one(outcome: Outcome) -> Part:
        rounds, regrets = read(outcome)
        value, interval = resample(regrets, lambda means: exponent(rounds, means))
        holds = None
        if most is not None and interval is not None:
            holds = interval[1] < most

        return Part(name, value, interval, holds, len(regrets))

    return one


def rate_claim(
    id: str,  # noqa: A002 - as in Claim
    claim: str,
    power: float,
    growth: str,
    exponents: Sequence[Callable[[Outcome], Part]],
    *,
    judged: bool = True,
    differs: str = "",
) -> Claim:
    """A claim of ours on exponents, beside the power of a theorem.

    Args:
        id: of the claim.
        claim: a sentence.
        power: of T in the theorem.
        growth: the power of T, as the paper writes it.
        exponents: that are read.
        judged: whether a rule decides.
        differs: as in `Claim`.
    """
    # A theorem bounds the exponent from above: nothing is asked of how small it is.
    highest = power + ALLOWED
    rule = "none: reported"
    note = ""
    if judged:
        rule = (
            f"each: the 95 % bootstrap interval is below {highest:.3g}: "
            "the power, and a tenth for its logarithms"
        )
        note = AFTER_A_PILOT

    return Claim(
        id,
        claim,
        f"not in the paper; its bound grows with {growth}, up to logarithms",
        rule,
        lambda outcome: [one(outcome) for one in exponents],
        differs,
        note,
        kind="ours",
    )


def numbered_component(metric: str, component: int) -> str:
    """What a component is called.

    Example:
        >>> numbered_component("level_regret", 0)
        'level 1'
    """
    return f"{component_name(metric)} {component + 1}"
