"""Maps fitted to a log, with what they gain over linear rewards on held-out rounds."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.features.bins import Bins
from mobandits.features.boosting import boosted_leaves
from mobandits.features.clusters import Clusters
from mobandits.features.crosses import Crosses
from mobandits.features.distances import median_distance
from mobandits.features.examples import as_one_arm, examples_of, has_constant
from mobandits.features.feature_map import FeatureMap
from mobandits.features.fourier import Fourier
from mobandits.features.gains import Gain, held_out_gains
from mobandits.features.networks import trained_layers
from mobandits.logs import Feedback
from mobandits.support.checks import choice, integer, number
from mobandits.support.naming import quantity, wrong_value

Kind = Literal["fourier", "crosses", "bins", "clusters", "net", "trees"]
KINDS: tuple[str, ...] = get_args(Kind)


@dataclass(frozen=True)
class FittedMap:
    """A map fitted to a log, and its gains; `print` shows both.

    Attributes:
        map: the map, fitted on all rounds: give it to `Features(map, recipe)`.
        gains: per objective what it gained over linear rewards, on rounds held out.
        rounds: of the log.
        folds: that the gains rest on.
    """

    map: FeatureMap
    gains: tuple[Gain, ...]
    rounds: int
    folds: int

    @property
    def is_sure(self) -> bool:
        """Whether it is significantly better than linear in some objective."""
        return any(gain.is_sure for gain in self.gains)

    def __str__(self) -> str:
        """The map, a line per objective, and the conclusion."""
        rounds = quantity(self.rounds, "round")
        how = f"{self.folds} folds, 95 % intervals"
        lines = [
            f"{self.map}, fitted on {rounds}",
            f"gain over linear on held-out rounds, in shares of the variance ({how}):",
        ]
        lines += [f"  {gain}" for gain in self.gains]
        lines.append(self._conclusion())

        return "\n".join(lines)

    def _conclusion(self) -> str:
        sure = [str(gain.objective) for gain in self.gains if gain.is_sure]
        if not sure:
            return "Linear is fine: this map is not significantly better in any objective."
        if len(sure) == len(self.gains):
            return "The map is better in every objective."

        return f"The map is better in {', '.join(sure)}; elsewhere linear is fine."


def fit(
    log: Feedback,
    kind: Kind | FeatureMap,
    *,
    count: int = 100,
    degree: int = 2,
    bins: int = 8,
    hidden: tuple[int, ...] = (32,),
    trees: int = 4,
    depth: int = 2,
    folds: int = 5,
    penalty: float = 1.0,
    seed: int = 0,
) -> FittedMap:
    """A map fitted to a log, with its gain over linear rewards on held-out rounds.

    ========== =======================================================================
    kind       what is fitted
    ========== =======================================================================
    "fourier"  `Fourier(count)`: the length is the median distance between contexts
    "crosses"  `Crosses(degree)`: nothing, except whether a constant is missing
    "bins"     `Bins`: the edges of each feature are quantiles of its values
    "clusters" `Clusters(count)`: the centres are those of k-means on the contexts
    "net"      `Layers`: the hidden layers of a network for all objectives at once
    "trees"    `Leaves`: boosted trees per objective, and per arm where arms share contexts
    a map      nothing but the length of a `Fourier` without one: its gain is measured
    ========== =======================================================================

    The gain compares the ridge regressions of linear policies, on contexts with a constant and on
    phi with a constant: one per arm where arms share the context, else one for all arms. Every
    round is predicted by regressions, and a map, that were fitted on other folds. The interval is
    Student's for the mean paired difference of squared errors; it takes the regressions as they
    are, and does not say how they vary between logs. Where it holds 0 or lies below, linear is
    fine. More explained variance does not always mean better decisions: a simulation, or
    `mob.evaluation.compare` on the log, tells that.

    Args:
        log: decisions, of any policy that played every arm sometimes.
        kind: what to fit, or a map.
        count: of Fourier features, or of clusters.
        degree: of products.
        bins: per feature; features with fewer values stay as they are.
        hidden: units of the network's hidden layers.
        trees: per objective, and arm where arms share contexts.
        depth: of trees.
        folds: that the gain rests on, at least 2.
        penalty: of the ridge regressions that are compared, above 0.
        seed: of folds, frequencies, first weights.

    Raises:
        MissingExtraError: for "net" and "trees", where scikit-learn is not installed.
        ValueError: naming parameter, rule and value.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.random((400, 1))
        >>> log = Feedback(x, np.zeros(400, int), np.cos(9.0 * x), np.ones(400), ["a"], ["q"])
        >>> fitted = fit(log, "bins")
        >>> fitted.is_sure, len(fitted.map.edges[0])
        (True, 7)
    """
    if not isinstance(log, Feedback):
        raise wrong_value("log must be a Feedback", log)
    if log.contexts.shape[-1] == 0:
        raise ValueError("log must have contexts of at least 1 feature, got 0")

    for name, value in {"count": count, "degree": degree, "trees": trees, "depth": depth}.items():
        integer(name, value, at_least=1)

    integer("bins", bins, at_least=2)
    integer("folds", folds, at_least=2)
    integer("seed", seed, at_least=0)
    number("penalty", penalty, above=0.0)
    units = _checked_hidden(hidden)
    fitters: dict[str, Callable[[Feedback], FeatureMap]] = {
        "fourier": lambda part: Fourier(count, median_distance(part.contexts), seed),
        # A constant that contexts have already would come twice.
        "crosses": lambda part: Crosses(degree, constant=not has_constant(part.contexts)),
        "bins": lambda part: _bins(part.contexts, bins),
        "clusters": lambda part: _clusters(part.contexts, count, seed),
        "net": lambda part: trained_layers(examples_of(part), units, seed),
        "trees": lambda part: boosted_leaves(examples_of(part), trees, depth, seed),
    }

    def fitted_on(rounds: Feedback) -> FeatureMap:
        if isinstance(kind, Fourier) and kind.length is None:
            return replace(kind, length=median_distance(rounds.contexts))
        if isinstance(kind, FeatureMap):
            return kind
        return fitters[kind](rounds)

    if not isinstance(kind, FeatureMap):
        choice("kind", kind, KINDS)

    # What is fitted and compared are the regressions that policies learn.
    seen = as_one_arm(log)
    feature_map = fitted_on(seen)
    gains = held_out_gains(seen, fitted_on, folds, penalty, seed)

    return FittedMap(feature_map, gains, len(log), folds)


def _checked_hidden(hidden: tuple[int, ...]) -> tuple[int, ...]:
    is_sequence = isinstance(hidden, tuple | list)
    if not is_sequence or len(hidden) == 0:
        raise wrong_value("hidden must be the units of every hidden layer, such as (32,)", hidden)

    for units in hidden:
        integer("hidden", units, at_least=1)

    return tuple(hidden)


def _bins(contexts: Array, bins: int) -> Bins:
    """Edges at quantiles, so that every bin holds about as many rounds."""
    shares = np.arange(1, bins) / bins
    edges: list[list[float]] = []
    for column in contexts.T:
        values = np.unique(column)
        if len(values) < bins:
            edges.append([])
            continue

        quantiles = np.unique(np.quantile(column, shares))
        # An edge at the least value would leave the bin below it empty.
        above = quantiles[quantiles > values[0]]
        edges.append(above.tolist())

    return Bins(edges)


def _clusters(contexts: Array, most: int, seed: int) -> Clusters:
    # Only here: it takes a twentieth of a second to load.
    from scipy.cluster.vq import kmeans2  # noqa: PLC0415

    different = len(np.unique(contexts, axis=0))
    count = min(most, different)
    with warnings.catch_warnings():
        # Of a cluster without rows, whose centre does no harm.
        warnings.simplefilter("ignore")
        centres, _ = kmeans2(contexts, count, minit="++", rng=seed)

    return Clusters(np.unique(centres, axis=0))
