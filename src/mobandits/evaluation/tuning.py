"""Choose a recipe on a log: `mob.tune`."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.evaluation.budget_tuned import BudgetTuned
from mobandits.evaluation.budget_tuning import BUDGET_LEVEL, BudgetQuestion, tune_budget
from mobandits.evaluation.comparison import Comparison, check_comparison, tell
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.folds import blocks_of
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.gains import (
    CandidateGain,
    checked_weights,
    gain_over,
    weighted_value,
    weights_of_values,
)
from mobandits.evaluation.own_values import own_rows
from mobandits.evaluation.reward_model import Model
from mobandits.evaluation.streamed import stream_estimates
from mobandits.evaluation.targets import Target, naming_target
from mobandits.evaluation.training import Trained
from mobandits.evaluation.tuned import WEIGHTED_SUM, Candidate, Tuned
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.streams import LogStream, beginning_of
from mobandits.support.checks import as_float_array, choice, number
from mobandits.support.naming import quoted, short_repr, wrong_value
from mobandits.support.progress import Progress, ProgressCallback, check_progress, shown_progress

LEVEL = 0.95


@overload
def tune(
    recipes: Mapping[str, Target] | Sequence[Target],
    log: Feedback | LogStream,
    *,
    weights: Mapping[Any, float] | Sequence[float] | None = None,
    margin: float | Sequence[float] = 0.0,
    baseline: str | None = None,
    level: float | None = None,
    blocks: int = 5,
    model: Model = None,
    seed: int = 0,
    progress: Progress = "auto",
) -> Tuned: ...


@overload
def tune(
    recipes: Feedback,
    *,
    budget: Mapping[Any, float] | None = None,
    within: float | None = None,
    learner: Recipe | None = None,
    horizon: int | None = None,
    fallback: Literal["mixture"] | None = None,
    weights: Mapping[Any, float] | Sequence[float] | None = None,
    level: float | None = None,
    blocks: int = 5,
    model: Model = None,
    seed: int = 0,
    progress: Progress = "auto",
) -> BudgetTuned: ...


def tune(
    recipes: Any,
    log: Feedback | LogStream | None = None,
    *,
    budget: Mapping[Any, float] | None = None,
    within: float | None = None,
    learner: Recipe | None = None,
    horizon: int | None = None,
    fallback: Literal["mixture"] | None = None,
    weights: Mapping[Any, float] | Sequence[float] | None = None,
    margin: float | Sequence[float] = 0.0,
    baseline: str | None = None,
    level: float | None = None,
    blocks: int = 5,
    model: Model = None,
    seed: int = 0,
    progress: Progress = "auto",
) -> Tuned | BudgetTuned:
    """The recipe that a log shows to be better than the first, or the answer that nothing is.

    The log is cut into blocks in the order of its rounds. For every block but the first, each
    candidate learns from all rounds before the block, stops learning, and is valued on the block by
    a doubly robust estimate (`DoublyRobust`), whose reward model is fitted on the same earlier
    rounds. A candidate's value is the mean over these blocks: that of the recipe after it learned
    from the first 20 to 80 % of the log, with five blocks.

    With V_a the vector of values of candidate a, m the number of candidates besides the first, and
    w the weights, a is significantly better than the first where a one-sided test of its own shows

        w . V_a > w . V_first                                                   with weights w,
        V_a > V_first - margin in every objective, V_a > V_first in one         without,

    at 1 - (1 - level) / m (Bonferroni), from the differences of the same rounds; and where no rule
    of `Estimate.warnings` is broken by either estimate, and the difference has at least 10 degrees
    of freedom. The best is the one of these whose gain has the largest lower end, or without
    weights the least p-value. So a recipe that is no better than the first is called surely better
    with probability at most 1 - level, for many rounds, also where the logging policy learned while
    it logged. docs/how-to/choose-from-a-log.md has measured rates.

    Values on folds at random, as of `compare`, cannot promise that: a recipe that learned from all
    other folds shares their noise, which no standard error shows.

    **With a budget**, ``tune(log, budget={"cost": 0.2})``, the candidates are a policy that is
    learned by ``Paced(learner, budget)``, every arm, and the best mixture of arms. The answer is a
    policy to deploy, and its gain over the best mixture of arms that spends no more than it, with
    the lower end at `level`: see `BudgetTuned`. With ``tune(log, within=0.02)`` the budget is
    looked for: the least one at which the log shows, at `level`, that quality is at most 0.02 below
    the best that the learned policy reaches at any price.

    Args:
        recipes: {name: candidate}, or candidates that are named by their text. A candidate is a
            recipe, `Trained(recipe)`, or any other target of `compare`, such as `LoggingPolicy()`.
            The first is the one to beat. With a budget, the log stands here.
        log: the logged decisions, with propensities, in the order of time. Rounds that are sorted by
            something else are to be shuffled: ``log[rng.permutation(len(log))]``. One that does not
            fit in memory is a `mobandits.logs.stream`, without a budget.
        budget: {objective: cost per round that is allowed}, of objectives that are minimised, each
            at least what the cheapest arm costs.
        within: the loss of quality that is allowed, at least 0, in place of a budget; for logs with
            one objective that is minimised and has no weight.
        learner: of the learned policy; None:
            ``DriftAlarm(MolEpsGreedy(epsilon=0, penalty=10, intercept=30))``, and where the log is
            sure to be less linear than that, on ``Fourier(50)``: see
            `budget_tuning.learner_for`.
        horizon: the rounds that the budget is for; None: it has no end.
        fallback: "mixture": where the log shows no gain, play the best mixture within the budget,
            and go on learning; None: play what was learned.
        weights: of the objectives in the sum that decides, at least 0, one each or by name: the
            sum of rewards as policies learn them (`Feedback.learned_rewards`), so that weights
            compare ranges where there are such, as those of `Weighted` in an agent do. Not needed
            with one objective, or one without a budget. None with several: by the Pareto order.
        margin: the loss per objective that does not matter, at least 0; only without weights.
        baseline: the name of the candidate to beat, which is then listed first; None: the first.
        level: 1 - the probability of a wrong claim; None: 0.95, and 0.8 with a budget.
        blocks: their number, at least 2.
        model: of the rewards, see `compare`; predictions of your own must not have been fitted on
            the log.
        seed: of what recipes draw.
        progress: as in `compare`, in candidates.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        Values on what follows: Blum, Kalai and Langford, Beating the hold-out, COLT 1999
        (progressive validation). Tests: `Spread`. The Pareto rule: `dominance`.

    Example:
        >>> from mobandits.orders import Weighted
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> rng = np.random.default_rng(0)
        >>> contexts = np.column_stack([np.ones(1000), rng.normal(size=1000)])
        >>> arms = rng.integers(0, 2, 1000)
        >>> rewards = np.where(arms == 1, contexts[:, 1], 0.0) + rng.normal(size=1000)
        >>> log = Feedback(contexts, arms, rewards[:, None], [0.5] * 1000, "ab", ["q"])
        >>> learned = MolUcb(scale=0.1, order=Weighted([1.0]))
        >>> tuned = tune({"now": RandomChoice(), "learned": learned}, log)
        >>> tuned.sure, tuned.best == learned
        (True, True)

        >>> paid = [Objective("q"), Objective("cost", minimise=True, unit="USD")]
        >>> both = np.column_stack([rewards, -0.1 - arms])
        >>> log = Feedback(contexts, arms, both, [0.5] * 1000, "ab", paid)
        >>> print(tune(log, budget={"cost": 0.4}).answer)
        The learned policy gains 0.2984 over the best mixture that spends no more (a alone), at \
least 0.2633 (80 %).
    """
    if budget is not None or within is not None or isinstance(recipes, Feedback):
        if log is not None:
            raise wrong_value("recipes must be left out with a budget", recipes)
        if baseline is not None or np.any(margin):
            raise ValueError("baseline and margin must be left out with a budget")

        asked = BudgetQuestion(
            budget=budget,
            within=within,
            learner=learner,
            horizon=horizon,
            fallback=fallback,
            weights=weights,
            level=BUDGET_LEVEL if level is None else level,
            blocks=blocks,
            model=model,
            seed=seed,
        )
        return tune_budget(recipes, asked, progress)

    given = {"learner": learner, "horizon": horizon, "fallback": fallback}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"{name} must go with a budget, got {quoted(value)} without")

    check_progress(progress)
    candidates = _candidates(recipes, baseline)
    estimator = {DoublyRobust.name: DoublyRobust()}
    decisions: Any = log  # what is no log is refused
    if not isinstance(decisions, LogStream):
        check_comparison(decisions, candidates, estimator)

    claimed = LEVEL if level is None else level
    number("level", claimed, above=0.0, below=1.0)
    first = beginning_of(decisions)
    weight_vector = checked_weights(weights, first.objective_names)
    margins = _margins(margin, first.objective_names, weight_vector)
    with shown_progress(progress, "tune", "candidates") as report:
        tell(report, 0, len(candidates))
        if isinstance(decisions, LogStream):
            _, estimates = stream_estimates(
                decisions,
                candidates,
                estimator,
                lambda rounds, kind: blocks_of(rounds, blocks, kind),
                model=model,
                seed=seed,
                forward=True,
            )
            tell(report, len(candidates), len(candidates))
        else:
            estimates = _estimates(ForwardLog(decisions, blocks, model, seed), candidates, report)

    comparison = Comparison(first.objectives, estimates)
    judge = _Judge(comparison, weight_vector, margins, claimed)
    judged = {name: judge.candidate(name, target) for name, target in candidates.items()}
    best_name = judge.best(judged)

    return Tuned(
        candidates=judged,
        best_name=best_name,
        sure=judged[best_name].sure,
        weights=None if weight_vector is None else tuple(weight_vector.tolist()),
        margin=tuple(margins.tolist()),
        level=claimed,
        comparison=comparison,
    )


def _estimates(
    forward: ForwardLog, candidates: Mapping[str, Target], report: ProgressCallback | None
) -> dict[tuple[str, str], Estimate]:
    """{(candidate, estimator): estimate} on a log in memory."""
    estimates = {}
    # One by one, since the probabilities of one take as much memory as the log.
    for done, (name, target) in enumerate(candidates.items(), 1):
        with naming_target(name):
            probabilities = forward.probabilities_of(target)
            estimates[name, DoublyRobust.name] = forward.estimate(name, probabilities)

        tell(report, done, len(candidates))

    return estimates


class _Judge:
    """Compares candidates with the first one.

    Args:
        comparison: the estimates of all candidates, the first one first.
        weights: (objectives,) in the sum that decides; None for the Pareto order.
        margins: (objectives,) the losses that do not matter to the Pareto order.
        level: of all claims together.
    """

    def __init__(
        self, comparison: Comparison, weights: Array | None, margins: Array, level: float
    ) -> None:
        self._comparison = comparison
        self._weights = weights
        self._margins = margins
        self._level = level
        self._others = len(comparison.targets) - 1
        # Bonferroni: each of the other candidates may be wrong with an equal share.
        self._level_of_each = 1.0 - (1.0 - level) / self._others
        self._first = self._estimate(comparison.targets[0])
        self._objectives = comparison.objectives
        self._rows = _weights_of_rows(comparison.objectives, weights)

    def candidate(self, name: str, target: Target) -> Candidate:
        """What the log says of a candidate."""
        estimate = self._estimate(name)
        values = self._values(estimate)
        gains = {}
        for label, weights in self._rows.items():
            gains[label] = gain_over(estimate, self._first, weights, self._level_of_each)

        if estimate is self._first:
            return Candidate(target, values, gains, 1.0, estimate.warnings, sure=False)

        claim = self._claim(estimate, gains)
        of_first = [f"of the first: {warning}" for warning in self._first.warnings]
        doubts = (*estimate.warnings, *of_first, *claim.doubts)
        p_value = min(1.0, self._others * claim.p_value)
        is_sure = claim.is_shown and not doubts

        return Candidate(target, values, gains, p_value, doubts, is_sure)

    def best(self, judged: Mapping[str, Candidate]) -> str:
        """The name of the best candidate that is significantly better than the first, or the first's."""
        sure = [name for name, candidate in judged.items() if candidate.sure]
        if not sure:
            return self._comparison.targets[0]
        if self._weights is None:
            return min(sure, key=lambda name: judged[name].p_value)

        # What is gained for sure, and not what was estimated: of many estimates the largest is
        # often the one with most luck.
        return max(sure, key=lambda name: _deciding(judged[name].gains).low)

    def _estimate(self, name: str) -> Estimate:
        return self._comparison[name, DoublyRobust.name]

    def _claim(self, estimate: Estimate, gains: Mapping[str, CandidateGain]) -> "_Claim":
        """The test of whether a candidate is better than the first."""
        if self._weights is None:
            verdict = dominance(
                estimate, self._first, margin=self._margins, level=self._level_of_each
            )
            return _Claim(verdict.decision == "dominates", verdict.p_dominates, ())

        gain = _deciding(gains)
        return _Claim(gain.low > 0.0, gain.p_value, gain.doubts)

    def _values(self, estimate: Estimate) -> dict[str, CandidateGain]:
        """The value of each row, those of objectives in their own directions.

        Their ends are right for all objectives at once.
        """
        own_ends = {
            label: ends for label, *ends in own_rows(estimate, self._objectives, self._level)
        }
        values = {}
        for label, weights in self._rows.items():
            value = weighted_value(estimate, weights, (1.0 + self._level) / 2.0)
            if label in own_ends:
                own, low, high = own_ends[label]
                values[label] = value._replace(value=own, low=low, high=high)
            else:
                values[label] = value.moved(_offset(self._objectives, self._weights))

        return values


class _Claim(NamedTuple):
    """The claim that a candidate is better than the first.

    Attributes:
        is_shown: at the level of this claim.
        p_value: of this claim by itself.
        doubts: why the test may not be trusted.
    """

    is_shown: bool
    p_value: float
    doubts: tuple[str, ...]


def _deciding(gains: Mapping[str, CandidateGain]) -> CandidateGain:
    """The gain that decides, which is the first one."""
    return next(iter(gains.values()))


def _weights_of_rows(objectives: Sequence[Objective], weights: Array | None) -> dict[str, Array]:
    """The weights of each row of the table, the row that decides first."""
    names = [str(each.name) for each in objectives]
    rows: dict[str, Array] = {}
    if weights is not None and len(names) > 1:
        label = WEIGHTED_SUM
        # An objective of this name has a row of its own.
        while label in names:
            label = f"the {label}"

        rows[label] = weights_of_values(weights, objectives)

    return rows | dict(zip(names, np.eye(len(names)), strict=True))


def _offset(objectives: Sequence[Objective], weights: Any) -> float:
    """What the weighted sum of learned rewards has more than that of values of which more is better."""
    total = 0.0
    for objective, weight in zip(objectives, weights, strict=True):
        offset, factor = objective.line
        total -= float(weight) * offset * factor

    return total


def _candidates(
    recipes: Mapping[str, Target] | Sequence[Target], baseline: str | None
) -> dict[str, Target]:
    """{name: candidate}, the one to beat first."""
    if isinstance(recipes, Mapping):
        candidates = dict(recipes)
    else:
        if isinstance(recipes, str | Recipe | Trained) or not isinstance(recipes, Sequence):
            rule = "recipes must be a dictionary {name: recipe}, or a list of recipes"
            raise wrong_value(rule, recipes)

        candidates = {}
        for target in recipes:
            name = short_repr(target)
            if name in candidates:
                rule = "recipes must be different, or a dictionary of names"
                raise ValueError(f"{rule}, got {quoted(name)} twice")

            candidates[name] = target

    if len(candidates) < 2:
        rule = "recipes must be at least two, the first of which is to be beaten"
        raise ValueError(f"{rule}, got {len(candidates)}")
    if baseline is None:
        return candidates

    choice("baseline", baseline, candidates)
    first = {baseline: candidates.pop(baseline)}

    return first | candidates


def _margins(margin: Any, objectives: tuple[Any, ...], weights: Array | None) -> Array:
    """(objectives,) the losses that do not matter."""
    given = as_float_array("margin", margin)
    if given.shape not in ((), (1,), (len(objectives),)):
        rule = f"margin must be a number, or one for each of {len(objectives)} objectives"
        raise wrong_value(rule, given.tolist())

    margins = np.broadcast_to(given, (len(objectives),))
    if not (margins >= 0.0).all():
        raise wrong_value("margin must be at least 0", given.tolist())
    if weights is not None and margins.any():
        rule = "margin must be 0 where weights, or the only objective, decide"
        raise wrong_value(rule, given.tolist())

    return margins
