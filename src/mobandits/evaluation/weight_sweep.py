"""A front of policies from one log: what was learned once, under many weights of the objectives."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Array, Order, Recipe
from mobandits.evaluation.comparison import (
    Comparison,
    check_comparison,
    html_of_values,
    tell,
)
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.front import front, plot_front
from mobandits.evaluation.reward_model import Model
from mobandits.evaluation.training import DRAWS, check_recipe
from mobandits.logs import Feedback
from mobandits.orders import Chebyshev, Weighted
from mobandits.support.checks import integer
from mobandits.support.naming import quantity, wrong_value
from mobandits.support.notebooks import block
from mobandits.support.progress import Progress, check_progress, shown_progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Weights = int | Mapping[str, Sequence[float]] | Sequence[Sequence[float]]


@dataclass(frozen=True, eq=False, repr=False)
class WeightSweep:
    """The policies of `sweep_weights`, and their values.

    Attributes:
        recipe: what learned.
        orders: {name: order}; an agent with the recipe plays a policy of the sweep where its
            `preference` is this order.
        comparison: the estimates, as of `compare`, on the rounds that were valued.
    """

    recipe: Recipe
    orders: Mapping[str, Order]
    comparison: Comparison

    def __repr__(self) -> str:
        first = next(iter(self.comparison.estimates.values()))
        counts = [
            quantity(len(self.orders), "policy", "policies"),
            quantity(len(self.comparison.objectives), "objective"),
            quantity(first.rounds, "valued round"),
        ]
        return f"WeightSweep({', '.join(counts)})"

    def _repr_html_(self) -> str:
        """The table, without the shares, which cost many passes over the rounds."""
        level = self._level_of_each(0.95)
        return block(repr(self), html_of_values(self.comparison, ["weights"], level, "policy"))

    def table(self, level: float = 0.95, *, samples: int = 200, seed: int = 0) -> pl.DataFrame:
        """The front of the policies, as `front` has it, with intervals for all of them at once.

        Args:
            level: with this probability all intervals of the table are right, and with this
                probability no policy of the true front has a name in `dominated_by`.
            samples: number of resampled logs, for `front_share`.
            seed: of the resampling.

        Returns:
            A row per policy and objective: `policy` (the weights), `objective`, `value`, `low`,
            `high`, `on_front`, `front_share`, `dominated_by`.
        """
        membership = front(self.comparison, level=level, samples=samples, seed=seed)
        # Whoever looks for a good policy in the table looks at all of them.
        level_of_each = self._level_of_each(level)
        wider = self.comparison.table(level_of_each).select("policy", "objective", "low", "high")
        columns = membership.columns
        without_ends = membership.drop("low", "high")
        both = without_ends.join(wider, on=["policy", "objective"], maintain_order="left")

        return both.select(columns)

    def plot(self, level: float = 0.95) -> "Figure":
        """The figure of the front, with the joint region of every policy by itself."""
        return plot_front(self.comparison, level=level)

    def _level_of_each(self, level: float) -> float:
        return 1.0 - (1.0 - level) / len(self.orders)


def sweep_weights(
    log: Feedback,
    recipe: Recipe,
    weights: Weights = 10,
    *,
    reference: Sequence[float] | None = None,
    blocks: int = 5,
    model: Model = None,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = "auto",
) -> WeightSweep:
    """A front of policies from one log: a recipe that learns once, and a policy per weight vector.

    What a policy learns from a log does not depend on its order. So the recipe learns as in `tune`
    (from all rounds before a block, for each block but the first), and each weight vector is one
    more order of the same beliefs: `Weighted(w)`, or `Chebyshev(w, reference)`, which can also
    reach the hollows of the front. All policies are valued on the same rounds, by doubly robust
    estimates. With `Pessimistic(...)` a policy needs from the log only what its best arms need.

    Args:
        log: the logged decisions, with propensities, in the order of time.
        recipe: such as ``Pessimistic(MolUcb(scale="data"))``; its own order is not used.
        weights: an integer n stands for all vectors of multiples of 1 / n that sum to 1, each
            weight divided by the standard deviation of its objective's rewards as they are learned
            (`Feedback.learned_rewards`), so that units do not matter. Or a list of vectors, or
            {name: vector}, which are used as they are.
        reference: (objectives,) the reference point of `Chebyshev`; None for `Weighted`.
        blocks: see `tune`.
        model: see `tune`.
        draws: see `Trained`.
        seed: see `tune`.
        progress: as in `compare`, in policies.

    Raises:
        ValueError: naming parameter, rule and value; where the recipe's policy has no order that
            could be exchanged.

    Example:
        >>> from mobandits.policies import MolUcb, Pessimistic
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 3, 600)
        >>> means = np.array([[1.0, 0.0], [0.7, 0.7], [0.0, 1.0]])
        >>> rewards = means[arms] + 0.3 * rng.normal(size=(600, 2))
        >>> log = Feedback(np.ones((600, 1)), arms, rewards, [1 / 3] * 600, "abc", ("q", "c"))
        >>> sweep = sweep_weights(log, Pessimistic(MolUcb(scale="data")), weights=2)
        >>> list(sweep.orders)
        ['0, 1', '0.5, 0.5', '1, 0']
        >>> table = sweep.table().filter(pl.col("objective") == "q")
        >>> table["value"].round(1).to_list()[1:], table["on_front"].to_list()
        ([0.7, 1.0], [True, True, True])
    """
    check_progress(progress)
    # By its own name: a recipe that cannot work on the log is refused before anything is learned.
    check_comparison(log, {"recipe": recipe}, {DoublyRobust.name: DoublyRobust()})
    check_recipe("recipe", recipe)
    integer("draws", draws, at_least=1)
    orders = _orders(weights, reference, log)
    forward = ForwardLog(log, blocks, model, seed)
    estimates = {}
    with shown_progress(progress, "sweep_weights", "policies") as report:
        tell(report, 0, len(orders))
        learned = forward.learned(recipe)
        # Nor may the order be of something else than rewards.
        inner = composite(learned[0].policy)
        if inner is None or getattr(inner.explorer, "ONE_COLUMN", False):
            rule = "recipe must play by an estimator, an explorer and an order of all objectives"
            raise wrong_value(rule, recipe)

        for done, (name, order) in enumerate(orders.items(), 1):
            ordered = []
            for each in learned:
                policy = exchanged(each.policy, order=order)
                ordered.append(each._replace(policy=policy))

            probabilities = forward.probabilities(ordered, draws)
            estimates[name, DoublyRobust.name] = forward.estimate(name, probabilities)
            tell(report, done, len(orders))

    return WeightSweep(recipe, orders, Comparison(log.objectives, estimates))


def lattice(objectives: int, steps: int) -> Array:
    """(vectors, objectives) all vectors of multiples of 1 / steps that sum to 1, in order.

    Reference:
        Das and Dennis, Normal-boundary intersection, SIAM J. Optimization 8, 1998.

    Example:
        >>> lattice(2, 2).tolist(), len(lattice(3, 10))
        ([[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]], 66)
    """
    vectors = []
    # Steps and bars between objectives in a row: where the bars stand says how many steps each has.
    places = steps + objectives - 1
    for bars in itertools.combinations(range(places), objectives - 1):
        edges = np.array([-1, *bars, places])
        counts = np.diff(edges) - 1
        vectors.append(counts / steps)

    return np.array(vectors)


def _orders(weights: Any, reference: Any, log: Feedback) -> dict[str, Order]:
    """{name: order} of a sweep."""
    objectives = len(log.objective_names)
    vectors: dict[str, Any]
    if isinstance(weights, Mapping):
        vectors = dict(weights)
    elif isinstance(weights, int | np.integer):
        integer("weights", weights, at_least=1)
        units = _units(log.learned_rewards)
        vectors = {_name(vector): vector / units for vector in lattice(objectives, int(weights))}
    elif isinstance(weights, Sequence | np.ndarray) and not isinstance(weights, str):
        vectors = {_name(vector): vector for vector in weights}
    else:
        rule = "weights must be an integer, a list of vectors or a dictionary of them"
        raise wrong_value(rule, weights)

    if not vectors:
        raise ValueError("weights must be at least one vector, got none")

    orders = {}
    for name, vector in vectors.items():
        order: Any = Weighted(vector) if reference is None else Chebyshev(vector, reference)
        order.check(objectives)
        orders[name] = order

    return orders


def _units(rewards: Array) -> Array:
    """(objectives,) the standard deviations of what was observed; 1 where nothing varies."""
    units = np.ones(rewards.shape[1])
    for objective, column in enumerate(rewards.T):
        was_observed = ~np.isnan(column)
        if not was_observed.any():
            continue

        deviation = column[was_observed].std()
        if deviation > 0.0:
            units[objective] = deviation

    return units


def _name(vector: Any) -> str:
    return ", ".join(f"{weight:g}" for weight in np.ravel(vector))
