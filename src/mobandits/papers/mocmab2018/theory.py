"""MOC-MAB: the event on which its cells are right, and the regret in both objectives.

The statement of Theorem 2 prints the exponent 3 alpha / (3 alpha + d) in one term of the dominant regret; the proof
gives d / (3 alpha + d), which is used here. The theorems hold for the unscaled uncertainty only.

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
        """m^d."""
        cells: int = self.parts**self.features
        return cells

    @property
    def margin(self) -> float:
        """The margin v = L d^(alpha / 2) m^-alpha, how much a mean changes within a cell."""
        size: float = self.features ** (self.exponent / 2.0) * self.parts**-self.exponent
        return self.lipschitz * size

    @property
    def doubt(self) -> float:
        """A = 1 + 2 ln(4 K m^d T^(3/2))."""
        return 1.0 + 2.0 * math.log(4.0 * self.arms * self.cells * self.rounds**1.5)


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
    return math.ceil(math.pow(rounds, 1.0 / (3.0 * exponent + features)) - ROUNDING)


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
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(2.0 * setting.doubt / np.asarray(plays, np.float64)))


def holds(means: Array, estimates: Array, width: ArrayLike, setting: Setting) -> bool:
    """The event in one round: |estimate - mu(x_t)| <= u + v for every arm and objective, in the cell of x_t.

    It is to hold in all rounds together, with probability at least 1 - 1 / T.

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
    slack = np.asarray(width) + setting.margin
    return bool((np.abs(np.asarray(means) - np.asarray(estimates)) <= slack[:, None]).all())


def dominant_gap_bound(width: ArrayLike, setting: Setting) -> Array:
    """What a round's regret in the dominant objective cannot exceed on the event: 2 u + 2 (beta + 2) v.

    Args:
        width: u of the arm that was played.
        setting: what is played.

    Reference:
        mocmab2018, Lemma 2.

    Example:
        >>> float(dominant_gap_bound(0.5, Setting(100_000, arms=4, features=1, parts=10)))
        1.6
    """
    return np.asarray(2.0 * np.asarray(width) + 2.0 * (setting.beta + 2.0) * setting.margin)


def other_gap_bound(width: ArrayLike, setting: Setting) -> Array:
    """The same for the other objective: 2 u + 2 v, where the leader of the dominant one has u <= beta v.

    Reference:
        mocmab2018, Lemma 3.

    Example:
        >>> float(other_gap_bound(0.5, Setting(100_000, arms=4, features=1, parts=10)))
        1.2
    """
    return np.asarray(2.0 * np.asarray(width) + 2.0 * setting.margin)


def uncertain_rounds_bound(setting: Setting) -> float:
    """How often, in any one cell, the dominant objective's leader has u > beta v: K (2 A / (beta v)^2 + 1) at most.

    Reference:
        mocmab2018, Lemma 4.

    Example:
        >>> round(uncertain_rounds_bound(Setting(100_000, arms=4, features=2, parts=10)))
        20122
    """
    return setting.arms * (2.0 * setting.doubt / (setting.beta * setting.margin) ** 2 + 1.0)


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
    count = np.asarray(visits, np.float64)
    learning = 4.0 * math.sqrt(2.0 * setting.doubt) * np.sqrt(setting.arms * count)
    first = setting.arms * largest[0] + learning
    first = first + 2.0 * (setting.beta + 2.0) * setting.margin * count
    unsure = uncertain_rounds_bound(setting)
    second = largest[1] * unsure + learning + 2.0 * setting.margin * count
    return np.asarray(first), np.asarray(second)


def regret_bounds(
    t: ArrayLike, setting: Setting, largest: tuple[float, float] = (1.0, 1.0)
) -> tuple[Array, Array]:
    """The regret in the dominant and in the other objective after t rounds, for all t <= T on the event.

    With B = 2 sqrt(2 A)::

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
    rounds = np.asarray(t, np.float64)
    places = setting.cells * setting.arms
    learning = 4.0 * math.sqrt(2.0 * setting.doubt) * np.sqrt(places * rounds)
    first = places * largest[0] + learning + 2.0 * (setting.beta + 2.0) * setting.margin * rounds
    uncertain = 1.0 + 2.0 * setting.doubt / (setting.beta * setting.margin) ** 2
    return np.asarray(first), np.asarray(
        places * largest[1] * uncertain + learning + 2.0 * setting.margin * rounds
    )


def expected_regret_bounds(
    setting: Setting, largest: tuple[float, float] = (1.0, 1.0)
) -> tuple[float, float]:
    """The expected regret in both objectives at the horizon, for m = `default_parts`.

    With n = 3 alpha + d, B = 2 sqrt(2 A) and M = 2^(d/2 + 1) B sqrt(K) T^((1.5 alpha + d)/n)::

        C1 + 2^d K C1 T^(d/n) + 2 (beta + 2) L d^(alpha/2) T^((2 alpha + d)/n) + M
        C2 + 2^d K C2 T^(d/n) + M
           + (2 L d^(alpha/2) + C2 K 2^(1 + 2 alpha + d) A / (beta^2 L^2 d^alpha)) T^((2 alpha + d)/n)

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
    T = setting.rounds
    K = setting.arms
    d = setting.features
    a = setting.exponent
    L = setting.lipschitz
    n = 3.0 * a + d
    A = setting.doubt
    learning = 2.0 ** (d / 2 + 1) * 2.0 * math.sqrt(2.0 * A * K) * T ** ((1.5 * a + d) / n)
    places = 2.0**d * K * T ** (d / n)
    main = T ** ((2.0 * a + d) / n)
    size = L * d ** (a / 2)
    first = largest[0] * (1.0 + places) + 2.0 * (setting.beta + 2.0) * size * main + learning
    uncertain = largest[1] * K * 2.0 ** (1.0 + 2.0 * a + d) * A / (setting.beta**2 * L**2 * d**a)
    return first, largest[1] * (1.0 + places) + (2.0 * size + uncertain) * main + learning


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
    round_cost = per_coordinate * features + per_arm * arms
    return np.asarray(round_cost * np.asarray(rounds, np.float64))


def memory(setting: Setting, objectives: int = 2) -> int:
    """How many numbers are kept, (1 + D) m^d K: a counter and D sample means per cell and arm.

    Args:
        setting: what is played.
        objectives: D.

    Reference:
        mocmab2018, section IV and Remark 2, which says O(m^d K).

    Example:
        >>> memory(Setting(rounds=100_000, arms=4, features=2, parts=10))
        1200
    """
    return (1 + objectives) * setting.cells * setting.arms


def rate(features: int, exponent: float = 1.0) -> float:
    """(2 alpha + d) / (3 alpha + d), the power of T in both objectives; with d + 1 where rewards are periodic.

    Reference:
        mocmab2018, Theorem 2 and Corollary 1.

    Example:
        >>> rate(2), rate(2 + 1)
        (0.8, 0.8333333333333334)
    """
    return (2.0 * exponent + features) / (3.0 * exponent + features)


def pareto_rate(features: int, exponent: float = 1.0) -> float:
    """(alpha + d) / (2 alpha + d), the power of T in the Pareto regret for m = ceil(T^(1 / (2 alpha + d))).

    The regret in the other objective then grows linearly.

    Reference:
        mocmab2018, the remark after Theorem 3.

    Example:
        >>> pareto_rate(2)
        0.75
    """
    return (exponent + features) / (2.0 * exponent + features)
