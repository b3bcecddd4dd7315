"""MOC-MAB: the event on which its cells are right, and the regret in both objectives.

The statement of Theorem 2 prints the exponent 3 alpha / (3 alpha + d) in one term of the dominant
regret; the proof gives d / (3 alpha + d), which is used here. The theorems hold for the unscaled
uncertainty only.

Reference:
    mocmab2018, section V. Assumption: means are Hoelder continuous in the context,
    |mu(x) - mu(x')| <= L ||x - x'||^alpha on [0, 1]^d, and the noise is 1-sub-Gaussian.
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array

ROUNDING = 1e-9  # 1e5^(1/5) is 10.000000000000002 in floats, and its ceiling would be 11


class Setting(NamedTuple):
    """A problem and the parameters that MOC-MAB is run with.

    Attributes:
        rounds: T.
        arms: K.
        features: d.
        parts: m, into how many intervals each coordinate is cut.
        lipschitz: L.
        exponent: alpha in (0, 1].
        beta: the algorithm's beta > 0.
    """

    rounds: int
    arms: int
    features: int
    parts: int
    lipschitz: float = 1.0
    exponent: float = 1.0
    beta: float = 1.0

    @property
    def cells(self) -> int:
        """The number of cells m^d."""
        cells: int = self.parts**self.features
        return cells

    @property
    def margin(self) -> float:
        """The margin v = L d^(alpha / 2) m^-alpha, by how much a mean may change within a cell."""
        # (sqrt(d) / m)^alpha, a power of the cell's diameter: equations (16) and (17).
        diagonal: float = self.features ** (self.exponent / 2.0)
        side: float = self.parts**-self.exponent
        return self.lipschitz * (diagonal * side)

    @property
    def confidence_constant(self) -> float:
        """A = 1 + 2 ln(4 K m^d T^(3/2))."""
        # delta = 1 / (4 K m^d T) per arm, cell, objective and side of the sandwich (Appendix A);
        # the other sqrt(T) is the (1 + N)^(1/2) of the concentration inequality.
        rounds_power = self.rounds**1.5
        events = 4.0 * self.arms * self.cells * rounds_power
        logarithm = math.log(events)
        return 1.0 + 2.0 * logarithm


def default_parts(rounds: int, features: int, exponent: float = 1.0) -> int:
    """The number of parts m = ceil(T^(1 / (3 alpha + d))).

    Args:
        rounds: T.
        features: d; one more where rewards are periodic.
        exponent: alpha.

    Reference:
        mocmab2018, Theorem 2 and Corollary 1.

    Example:
        >>> default_parts(100_000, 2), default_parts(1_000_000, 2)
        (10, 16)
    """
    power = 1.0 / (3.0 * exponent + features)
    parts = math.pow(rounds, power)
    return math.ceil(parts - ROUNDING)


def uncertainty(plays: ArrayLike, setting: Setting) -> Array:
    """The uncertainty u = sqrt(2 A / N), infinite before the first play.

    Args:
        plays: N, of an arm in a cell.
        setting: what is played.

    Reference:
        mocmab2018, section IV.

    Example:
        >>> setting = Setting(rounds=100_000, arms=4, features=2, parts=10)
        >>> uncertainty([0, 100], setting).round(4).tolist()
        [inf, 1.0029]
    """
    counts = np.asarray(plays, np.float64)
    # An arm without plays divides by zero on purpose: its uncertainty is infinite.
    with np.errstate(divide="ignore"):
        squared = 2.0 * setting.confidence_constant / counts
        return np.asarray(np.sqrt(squared))


def holds(means: Array, estimates: Array, width: ArrayLike, setting: Setting) -> bool:
    """The event in one round: |estimate - mu(x_t)| <= u + v for every arm and objective.

    The estimates are those of the cell of x_t. The event is to hold in all rounds together, with
    probability at least 1 - 1 / T.

    Args:
        means: (arms, objectives) at the context.
        estimates: (arms, objectives) of the cell.
        width: (arms,) u.
        setting: what is played.

    Reference:
        mocmab2018, Lemma 1 and equation (8).

    Example:
        >>> setting = Setting(rounds=100_000, arms=1, features=2, parts=10)
        >>> holds(np.array([[0.5, 0.5]]), np.array([[0.5, 0.9]]), [0.3], setting)
        True
    """
    slack = np.asarray(width) + setting.margin  # u + v, of every arm
    error = np.asarray(means) - np.asarray(estimates)
    # An arm has one width for all of its objectives: they are observed together.
    inside = np.abs(error) <= slack[:, None]

    return bool(inside.all())


def dominant_gap_bound(width: ArrayLike, setting: Setting) -> Array:
    """The bound on a round's regret in the dominant objective, on the event: 2 u + 2 (beta + 2) v.

    Args:
        width: u of the arm that was played.
        setting: what is played.

    Reference:
        mocmab2018, Lemma 2.

    Example:
        >>> float(dominant_gap_bound(0.5, Setting(100_000, arms=4, features=1, parts=10)))
        1.6
    """
    interval = 2.0 * np.asarray(width)  # U - L of the arm that was played
    # (9) to (12): the algorithm gives up 2 (beta + 1) v, and the cell both v of the event.
    tolerance = 2.0 * (setting.beta + 2.0) * setting.margin
    return np.asarray(interval + tolerance)


def other_gap_bound(width: ArrayLike, setting: Setting) -> Array:
    """The same for the other objective: 2 u + 2 v.

    It holds in rounds in which the leader of the dominant objective has u <= beta v.

    Reference:
        mocmab2018, Lemma 3.

    Example:
        >>> float(other_gap_bound(0.5, Setting(100_000, arms=4, features=1, parts=10)))
        1.2
    """
    interval = 2.0 * np.asarray(width)  # U - L of the arm that was played
    # (13) and (14): the optimal arm is a candidate, so only the event's two v remain.
    tolerance = 2.0 * setting.margin
    return np.asarray(interval + tolerance)


def uncertain_rounds_bound(setting: Setting) -> float:
    """The largest number of rounds of a cell in which the dominant objective's leader is uncertain.

    The leader is uncertain where u > beta v. This happens at most K (2 A / (beta v)^2 + 1) times.

    Reference:
        mocmab2018, Lemma 4.

    Example:
        >>> round(uncertain_rounds_bound(Setting(100_000, arms=4, features=2, parts=10)))
        20122
    """
    threshold = setting.beta * setting.margin
    # The plays N below which u = sqrt(2 A / N) exceeds beta v; an uncertain leader is played.
    plays = 2.0 * setting.confidence_constant / threshold**2
    return setting.arms * (plays + 1.0)


def cell_regret_bounds(
    visits: ArrayLike, setting: Setting, largest: tuple[float, float] = (1.0, 1.0)
) -> tuple[Array, Array]:
    """The regret in the dominant and in the other objective within one cell, on the event.

    After N contexts in the cell, with B = 2 sqrt(2 A)::

        K C1 + 2 B sqrt(K N) + 2 (beta + 2) v N
        K C2 (1 + 2 A / (beta v)^2) + 2 B sqrt(K N) + 2 v N

    Theorem 1 is their sum over the cells.

    Args:
        visits: N, how many contexts were in the cell.
        setting: what is played.
        largest: C1, C2, the largest differences between an optimal arm and any arm.

    Returns:
        Two arrays of the shape of `visits`, in units of reward.

    Reference:
        mocmab2018, Lemmas 5 and 6.

    Example:
        >>> setting = Setting(rounds=100_000, arms=4, features=2, parts=10)
        >>> [float(bound.round()) for bound in cell_regret_bounds(1000, setting)]
        [3390.0, 22942.0]
    """
    largest_dominant, largest_other = largest
    count = np.asarray(visits, np.float64)
    # (21): in uncertain rounds the other objective is not looked at, and nothing is known of it.
    uncertain_plays = largest_other * uncertain_rounds_bound(setting)
    return _both_regrets(count, setting, setting.arms, largest_dominant, uncertain_plays)


def regret_bounds(
    t: ArrayLike, setting: Setting, largest: tuple[float, float] = (1.0, 1.0)
) -> tuple[Array, Array]:
    """The regret in the dominant and in the other objective after t rounds, on the event.

    They hold for all t <= T together. With B = 2 sqrt(2 A)::

        m^d K C1 + 2 B sqrt(K m^d t) + 2 (beta + 2) v t
        m^d K C2 (1 + 2 A / (beta v)^2) + 2 B sqrt(K m^d t) + 2 v t

    The first also bounds the Pareto regret.

    Args:
        t: rounds played.
        setting: what is played.
        largest: C1, C2, the largest differences between an optimal arm and any arm.

    Reference:
        mocmab2018, Theorems 1 and 3.

    Example:
        >>> setting = Setting(rounds=100_000, arms=4, features=2, parts=10)
        >>> [float(bound.round(-2)) for bound in regret_bounds(100_000, setting)]
        [339000.0, 2294200.0]
    """
    largest_dominant, largest_other = largest
    rounds = np.asarray(t, np.float64)
    # The sum over the cells is largest where all have the same number of visits: Cauchy-Schwarz.
    estimates = setting.cells * setting.arms  # m^d K, one per arm and cell
    threshold = setting.beta * setting.margin
    uncertain_rounds = 1.0 + 2.0 * setting.confidence_constant / threshold**2  # of each, Lemma 4
    uncertain_plays = estimates * largest_other * uncertain_rounds
    return _both_regrets(rounds, setting, estimates, largest_dominant, uncertain_plays)


def _both_regrets(
    rounds: Array,
    setting: Setting,
    estimates: int,
    largest_dominant: float,
    uncertain_plays: float,
) -> tuple[Array, Array]:
    """The regret in both objectives where some estimates share some rounds.

    Args:
        rounds: (any), in a cell or in all of them.
        setting: what is played.
        estimates: how many there are, one per arm in a cell or in every cell.
        largest_dominant: C1.
        uncertain_plays: what the other objective loses in uncertain rounds.
    """
    B = 2.0 * math.sqrt(2.0 * setting.confidence_constant)
    # (20) and (23): the sum of the intervals' widths of all plays.
    widths = 2.0 * B * np.sqrt(estimates * rounds)

    first_plays = estimates * largest_dominant  # before its first play, an arm has no interval
    dominant_tolerance = 2.0 * (setting.beta + 2.0) * setting.margin * rounds
    dominant = first_plays + widths + dominant_tolerance

    other_tolerance = 2.0 * setting.margin * rounds
    other = uncertain_plays + widths + other_tolerance

    return np.asarray(dominant), np.asarray(other)


def expected_regret_bounds(
    setting: Setting, largest: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """The expected regret in both objectives at the horizon, for m = `default_parts`.

    With n = 3 alpha + d, B = 2 sqrt(2 A) and M = 2^(d/2 + 1) B sqrt(K) T^((1.5 alpha + d)/n)::

        C1 + 2^d K C1 T^(d/n) + 2 (beta + 2) L d^(alpha/2) T^((2 alpha + d)/n) + M
        C2 + 2^d K C2 T^(d/n) + M
           + (2 L d^(alpha/2) + C2 K 2^(1 + 2 alpha + d) A / (beta^2 L^2 d^alpha))
           * T^((2 alpha + d)/n)

    The first also bounds the expected Pareto regret.

    Args:
        setting: what is played.
        largest: C1, C2.

    Reference:
        mocmab2018, Theorems 2 and 3.

    Example:
        >>> bounds = expected_regret_bounds(Setting(rounds=100_000, arms=4, features=2, parts=10))
        >>> [round(bound, -4) for bound in bounds]
        [590000.0, 32730000.0]
    """
    largest_dominant, largest_other = largest
    T = setting.rounds
    K = setting.arms
    d = setting.features
    alpha = setting.exponent
    L = setting.lipschitz
    beta = setting.beta
    n = 3.0 * alpha + d
    A = setting.confidence_constant

    # The ceiling at most doubles m, hence m^d <= 2^d T^(d / n): here the powers of 2 come from.
    estimates = 2.0**d * K * T ** (d / n)
    B_sqrt_K = 2.0 * math.sqrt(2.0 * A * K)
    widths = 2.0 ** (d / 2 + 1) * B_sqrt_K * T ** ((1.5 * alpha + d) / n)
    main_power = T ** ((2.0 * alpha + d) / n)
    variation = L * d ** (alpha / 2)  # v m^alpha

    # By (7), the 1 beside `estimates` pays for runs in which the event fails.
    dominant_tolerance = 2.0 * (beta + 2.0) * variation * main_power
    dominant = largest_dominant * (1.0 + estimates) + dominant_tolerance + widths

    power_of_two = 2.0 ** (1.0 + 2.0 * alpha + d)
    uncertain = largest_other * K * power_of_two * A / (beta**2 * L**2 * d**alpha)  # Lemma 4
    main_term = (2.0 * variation + uncertain) * main_power
    other = largest_other * (1.0 + estimates) + main_term + widths

    return dominant, other


def computations(
    rounds: ArrayLike,
    features: int,
    arms: int,
    per_coordinate: float = 1.0,
    per_arm: float = 1.0,
) -> Array:
    """The cost of T rounds, O(d T) + O(K T): c T d + k T K, whatever the number of cells.

    A round finds the cell of its context, which takes a step per coordinate, and then the leader of
    the dominant objective, the candidates and the best of them, which take steps per arm.

    Args:
        rounds: T.
        features: d.
        arms: K.
        per_coordinate: c, the cost of a coordinate, such as in seconds; 1 counts steps.
        per_arm: k, the cost of an arm.

    Returns:
        An array of the shape of `rounds`, in the unit of c and k.

    Reference:
        mocmab2018, Remark 2.

    Example:
        >>> float(computations(100_000, features=2, arms=4))
        600000.0
    """
    finding_the_cell = per_coordinate * features
    choosing_the_arm = per_arm * arms
    round_cost = finding_the_cell + choosing_the_arm
    count = np.asarray(rounds, np.float64)

    return np.asarray(round_cost * count)


def memory(setting: Setting, objectives: int = 2) -> int:
    """The number of values that are kept, (1 + D) m^d K.

    These are a counter and D sample means per cell and arm.

    Args:
        setting: what is played.
        objectives: D.

    Reference:
        mocmab2018, section IV and Remark 2, which says O(m^d K).

    Example:
        >>> memory(Setting(rounds=100_000, arms=4, features=2, parts=10))
        1200
    """
    estimates = setting.cells * setting.arms
    return (1 + objectives) * estimates


def rate(features: int, exponent: float = 1.0) -> float:
    """The power of T in both objectives' regrets, (2 alpha + d) / (3 alpha + d).

    Where rewards are periodic, d + 1 takes the place of d.

    Reference:
        mocmab2018, Theorem 2 and Corollary 1.

    Example:
        >>> rate(2), rate(2 + 1)
        (0.8, 0.8333333333333334)
    """
    numerator = 2.0 * exponent + features
    denominator = 3.0 * exponent + features
    return numerator / denominator


def pareto_rate(features: int, exponent: float = 1.0) -> float:
    """The power of T in the Pareto regret for m = ceil(T^(1 / (2 alpha + d))).

    It is (alpha + d) / (2 alpha + d). The regret in the other objective then grows linearly.

    Reference:
        mocmab2018, the remark after Theorem 3.

    Example:
        >>> pareto_rate(2)
        0.75
    """
    numerator = exponent + features
    denominator = 2.0 * exponent + features
    return numerator / denominator
