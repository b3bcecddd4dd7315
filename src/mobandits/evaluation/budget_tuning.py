"""From a log and a budget to a policy: `mob.tune` with `budget` or `within`."""

import dataclasses
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.contracts.terms import with_preference
from mobandits.evaluation.budget_tuned import (
    ARM,
    LEARNED,
    LEVEL,
    MIXTURE,
    BudgetTuned,
    named_shares,
)
from mobandits.evaluation.comparison import check_comparison, tell
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.equal_spend import (
    EqualSpend,
    Terms,
    best_mixture,
    gain_at_equal_spend,
    mixed_probabilities,
)
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.gains import checked_weights, weights_of_values
from mobandits.evaluation.own_values import own_values
from mobandits.evaluation.reward_model import Model
from mobandits.evaluation.spend_curve import SpendCurve, spend_curve
from mobandits.evaluation.targets import ConstantTarget, naming_target
from mobandits.features import Fourier, median_distance
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.orders import Weighted
from mobandits.policies import DriftAlarm, Features, MolEpsGreedy, Paced, Rollout
from mobandits.support.checks import choice, number
from mobandits.support.naming import quoted, wrong_value
from mobandits.support.progress import Progress, check_progress, shown_progress

# The log has tried every arm: what is deployed need not explore, but should notice a change.
PENALTY = 10.0
LEARNER = DriftAlarm(MolEpsGreedy(epsilon=0.0, penalty=PENALTY, intercept=30.0))
WAVES = 50  # more of them are worth little more, and take longer
LEAST_GAIN = 0.02  # of the variance; seen on the problems of benchmarks/bench_budgets.py
FEWEST_ROUNDS = 100  # of a log that could show such a gain
BUDGET_LEVEL = 0.8
ROUNDING = 1e-6
ENDLESS = 10**9  # rounds
PLENTY = 1000.0  # times the largest cost


class BudgetQuestion(NamedTuple):
    """What a caller asks for; see `tune`."""

    budget: Mapping[Any, float] | None
    within: float | None
    learner: Recipe | None
    horizon: int | None
    fallback: str | None
    weights: Any
    level: float
    blocks: int
    model: Model
    seed: int

    @property
    def words(self) -> str:
        """The options that numbers depend on, beside budget and log."""
        parts = [f"level {self.level:g}", f"{self.blocks} blocks", f"seed {self.seed}"]
        if self.horizon is not None:
            parts.append(f"horizon {self.horizon}")
        if self.fallback is not None:
            parts.append(f"fallback {self.fallback}")

        return ", ".join(parts)

    def check(self) -> None:
        """Check all that can be checked without a log.

        Raises:
            ValueError: naming parameter, rule and value.
        """
        number("level", self.level, at_least=0.5, below=1.0)
        if self.fallback is not None:
            choice("fallback", self.fallback, [MIXTURE])
        if self.within is not None:
            number("within", self.within, at_least=0.0)
        if (self.budget is None) == (self.within is None):
            rule = "tune must have either budget or within"
            raise ValueError(f"{rule}, got {'neither' if self.budget is None else 'both'}")

        if self.learner is not None and not isinstance(self.learner, Recipe):
            rule = f"learner must be a recipe such as {LEARNER}"
            raise wrong_value(rule, self.learner)


def learner_for(log: Feedback, seed: int) -> Recipe:
    """What learns where nothing else is said: a line in the context, or waves that bend it.

    There are waves where they are sure to explain 2 % more of an objective's variance than a line
    does, on held-out rounds: see `features.fit`. A line that goes on learning where an arm is played
    does harm elsewhere if rewards are far from linear.

    Args:
        log: whose median distance between contexts is the waves' length.
        seed: of the held-out rounds.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(400, 1))
        >>> arms, shares = np.zeros(400, int), np.ones(400)
        >>> learner_for(Feedback(x, arms, np.abs(x), shares, ["a"], ["q"]), seed=0).map
        Fourier(count=50, length=0.944, seed=0)
        >>> learner_for(Feedback(x, arms, 3.0 * x, shares, ["a"], ["q"]), seed=0) == LEARNER
        True
    """
    # What fits maps to a log rests on this room.
    from mobandits.features.fitting import fit  # noqa: PLC0415

    features = log.contexts.shape[-1]
    if features == 0 or len(log) < FEWEST_ROUNDS:
        return LEARNER

    rows = log.contexts.reshape(-1, features)
    try:
        distance = median_distance(rows)
    except ValueError:
        # Most contexts are equal.
        return LEARNER

    # Three digits: nobody could say more of it, and files are read.
    length = float(f"{distance:.3g}")
    waves = Fourier(WAVES, length)
    fitted = fit(log, waves, penalty=PENALTY, seed=seed)
    if all(gain.low < LEAST_GAIN for gain in fitted.gains):
        return LEARNER

    return Features(waves, LEARNER)


def tune_budget(log: Feedback, asked: BudgetQuestion, progress: Progress) -> BudgetTuned:
    """A policy that keeps a budget, and how much better it is than any mixture of arms.

    The policy is ``Paced(learner, budget, horizon=horizon)``. It is valued as in `tune`: on each
    block of the log but the first, after it learned all blocks before it. So are all arms, on the
    same rounds. The gain over the best mixture of arms that spends no more than the policy is
    `gain_at_equal_spend`, with an interval whose ends are each right with probability `level`.

    With `within`, the budget is looked for first, as `SpendCurve.least_spend` has it.

    Args:
        log: as of `tune`.
        asked: what is asked for.
        progress: as of `tune`.

    Raises:
        ValueError: naming parameter, rule and value.
    """
    check_progress(progress)
    asked.check()
    base = LEARNER if asked.learner is None else asked.learner
    check_comparison(log, {LEARNED: base}, {DoublyRobust.name: DoublyRobust()})
    if asked.learner is None:
        base = learner_for(log, asked.seed)

    allowed = None if asked.budget is None else _checked_budget(asked.budget, log.objectives)
    learner, terms = _problem(log, allowed, base, asked.weights)
    forward = ForwardLog(log, asked.blocks, asked.model, asked.seed)
    # Every arm, the curve and the policy.
    steps = len(log.arm_names) + 2
    with shown_progress(progress, "tune", "steps") as report:
        tell(report, 0, steps)
        arms = {}
        for done, arm in enumerate(log.arm_names, 1):
            name = f"{ARM}{arm}"
            arms[name] = forward.estimate(name, forward.probabilities_of(ConstantTarget(arm)))
            tell(report, done, steps)

        if allowed is not None:
            _refuse_too_little(allowed, arms, log)

        curve = _curve(learner, terms, log, asked)
        tell(report, steps - 1, steps)
        if allowed is None:
            allowed = _found_budget(terms, log, curve, asked)

        recipe = Paced(learner, allowed, horizon=asked.horizon)
        # Without an end of its own, the policy must not take that of the log for one.
        valued = dataclasses.replace(recipe, horizon=asked.horizon or ENDLESS)
        with naming_target(LEARNED):
            learned = forward.estimate(LEARNED, forward.probabilities_of(valued))

        tell(report, steps, steps)

    return _judged(terms, forward, recipe, learned, arms, curve, asked)


def _judged(
    terms: Terms,
    forward: ForwardLog,
    recipe: Paced,
    learned: Estimate,
    arms: Mapping[str, Estimate],
    curve: SpendCurve | None,
    asked: BudgetQuestion,
) -> BudgetTuned:
    """What the estimates say."""
    log = forward.log
    budget = dict(recipe.budgets)
    limits = np.array([budget[log.objective_names[cost]] for cost in terms.costs])
    of_arms = list(arms.values())
    equal = gain_at_equal_spend(forward, learned, of_arms, terms, asked.level)
    within_budget = best_mixture(of_arms, terms, limits)
    probabilities = mixed_probabilities(forward.valued, within_budget.weights)
    mixture = forward.estimate(MIXTURE, probabilities)
    estimates = {LEARNED: learned, MIXTURE: mixture, **arms}
    fits = {name: _fits(terms.spend(each), limits) for name, each in estimates.items()}
    # What was valued stands at its first price; when it plays, the price holds the budget.
    fits[LEARNED] = True
    shares = named_shares(log, within_budget.weights)
    tuned = BudgetTuned(
        recipe=recipe,
        plays=LEARNED,
        budget=budget,
        estimates=estimates,
        fits=fits,
        mixture=shares,
        compared=named_shares(log, equal.shares),
        gain=equal.gain,
        level=asked.level,
        doubts=_doubts(learned, equal, log),
        within=asked.within,
        knee=None if curve is None else curve.knee(LEVEL, seed=asked.seed),
        options=asked.words,
        log=log,
    )
    if asked.fallback is None or tuned.sure:
        return tuned

    guarded = Rollout(recipe, mixture=shares, share=0.0)

    return dataclasses.replace(tuned, recipe=guarded, plays=MIXTURE)


def _doubts(learned: Estimate, equal: EqualSpend, log: Feedback) -> tuple[str, ...]:
    """Why the gain may not be trusted."""
    doubts = [*learned.warnings]
    doubts += [f"of the mixture: {warning}" for warning in equal.mixture.warnings]
    # Of a price list there is no other number that the log might have missed.
    listed = [f"few events: in {name}," for name in _listed_prices(log)]
    doubts = [doubt for doubt in doubts if not any(text in doubt for text in listed)]

    return (*doubts, *equal.gain.doubts)


def _listed_prices(log: Feedback) -> list[Hashable]:
    """The minimised objectives of which every arm has one number, in all of its rounds."""
    listed = []
    for place, each in enumerate(log.objectives):
        paid = log.rewards[:, place]
        numbers = [np.unique(paid[log.arms == arm]) for arm in np.unique(log.arms)]
        if each.minimise and all(len(number) == 1 for number in numbers):
            listed.append(each.name)

    return listed


def _fits(spend: Array, limits: Array) -> bool:
    # A mixture that spends the whole budget may be above it by the solver's rounding.
    return bool((spend <= limits * (1.0 + ROUNDING)).all())


def _checked_budget(
    budget: Mapping[Any, float], objectives: Sequence[Objective]
) -> dict[Hashable, float]:
    """{objective: cost per round}, of objectives that are minimised."""
    if not isinstance(budget, Mapping) or not budget:
        rule = "budget must be a dictionary such as {'cost': 0.2}"
        raise wrong_value(rule, budget)

    # By their texts: a command line has no other names.
    by_text = {str(each.name): each for each in objectives}
    allowed: dict[Hashable, float] = {}
    for name, limit in budget.items():
        choice("budget: an objective", str(name), by_text)
        cost = by_text[str(name)]
        if not cost.minimise:
            rule = "budget must be of objectives with minimise=True, which are costs"
            raise wrong_value(rule, name)

        number(f"budget of {quoted(cost.name)}", limit, above=0.0)
        allowed[cost.name] = float(limit)

    return allowed


def _problem(
    log: Feedback, allowed: Mapping[Hashable, float] | None, base: Recipe, weights: Any
) -> tuple[Recipe, Terms]:
    """The learner, with the order of quality; quality and costs in terms of `Feedback.rewards`."""
    names = log.objective_names
    given = None if weights is None else checked_weights(weights, names)
    costs = _costs(log.objectives, allowed, given)
    others = [place for place in range(len(names)) if place not in costs]
    if given is None:
        if len(others) != 1:
            rule = "weights must be given unless one objective has no budget"
            raise ValueError(f"{rule}, got {len(others)} that have none")
        given = np.zeros(len(names))
        given[others] = 1.0

    if given[costs].any():
        named = {str(names[place]): float(given[place]) for place in costs}
        raise wrong_value("weights must be 0 of objectives with a budget", named)

    counted = np.flatnonzero(given).tolist()
    quality = given
    if len(counted) > 1:
        quality = weights_of_values(given, log.objectives)

    order = Weighted({names[place]: float(given[place]) for place in counted})
    learner = with_preference(base, order)

    return learner, Terms(quality, np.array(costs, np.int64))


def _costs(
    objectives: Sequence[Objective],
    allowed: Mapping[Hashable, float] | None,
    weights: Array | None,
) -> list[int]:
    """The positions of the objectives that are paid."""
    if allowed is not None:
        return [place for place, each in enumerate(objectives) if each.name in allowed]

    costs = []
    for place, each in enumerate(objectives):
        has_weight = weights is not None and weights[place] > 0.0
        if each.minimise and not has_weight:
            costs.append(place)

    if len(costs) != 1:
        names = [str(objectives[place].name) for place in costs]
        rule = "within must go with one objective that is minimised, and has no weight"
        raise wrong_value(rule, names)

    return costs


def _refuse_too_little(
    allowed: Mapping[Hashable, float], arms: Mapping[str, Estimate], log: Feedback
) -> None:
    """Refuse a budget that is surely below what every arm costs."""
    for place, each in enumerate(log.objectives):
        if each.name not in allowed:
            continue

        means = {}
        ends = []
        for arm, (name, estimate) in enumerate(arms.items()):
            own, low, _ = own_values(estimate, log.objectives, LEVEL)
            means[name] = float(own[place])
            ends.append(float(low[place]))
            paid = -log.rewards[log.arms == arm, place]
            was_observed = ~np.isnan(paid)
            if was_observed.any():
                # A price that never varies is known better than any estimate of it.
                ends.append(float(paid[was_observed].mean()) * (1.0 - ROUNDING))

        if allowed[each.name] < min(ends):
            cheapest = min(means, key=means.__getitem__)
            rule = f"budget of {quoted(each.name)} must be at least what the cheapest arm costs"
            costs = f"{each.say(means[cheapest])} ({cheapest})"
            raise ValueError(f"{rule}, {costs}, got {allowed[each.name]:g}")


def _curve(
    learner: Recipe, terms: Terms, log: Feedback, asked: BudgetQuestion
) -> SpendCurve | None:
    """Quality against spending; None with several costs."""
    if len(terms.costs) > 1:
        return None

    cost = int(terms.costs[0])
    name = log.objective_names[cost]
    most = float(np.nanmax(np.abs(log.rewards[:, cost]), initial=0.0))
    # Every price is tried, so the first one does not matter; and no arm may be too dear for what is
    # left.
    ample = {name: PLENTY * (most or 1.0)}
    priced = Paced(learner, ample, horizon=ENDLESS, start={name: 1.0})
    with naming_target(LEARNED):
        return spend_curve(priced, log, terms.weights, cost, model=asked.model, seed=asked.seed)


def _found_budget(
    terms: Terms, log: Feedback, curve: SpendCurve | None, asked: BudgetQuestion
) -> dict[Hashable, float]:
    """The budget at which quality is close to the best."""
    assert curve is not None  # noqa: S101 - there is one cost
    assert asked.within is not None  # noqa: S101 - there is no budget
    found = curve.least_spend(asked.within, asked.level)
    cost = log.objectives[int(terms.costs[0])]
    if not found > 0.0:
        rule = f"within needs a cost that is paid: {quoted(cost.name)} must be above 0"
        raise ValueError(f"{rule}, got {found:g} per decision")

    # Three digits: nobody could say more of it.
    return {cost.name: float(f"{found:.3g}")}
