"""Promote, stop or wait: targets against the logging policy, whenever one looks.

Symbols: w the importance weight of a round, r a reward as a share of its declared range with 1 the
best, v_l what the target gains over the logging policy in objective l, e_l the loss that does not
matter, L the number of objectives, P that of targets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.special import logsumexp

from mobandits.contracts.protocols import Array, Recipe
from mobandits.evaluation.case import EvaluationCase, refuse_dependent
from mobandits.evaluation.diagnostics import plays_of
from mobandits.evaluation.folds import doubling_blocks
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.own_values import own_ends
from mobandits.evaluation.regions import Box
from mobandits.evaluation.reliability import cautions_of_missing, missing_plays
from mobandits.evaluation.targets import LoggingPolicy, Target, probabilities_of
from mobandits.evaluation.training import Trained
from mobandits.logs import Feedback
from mobandits.logs.objectives import (
    Objective,
    as_objective,
    learned_rewards,
    refuse_contradiction,
    signs_of,
)
from mobandits.statistics.betting_sequence import BetCapital, SequenceSums, lower_ends
from mobandits.support.checks import number
from mobandits.support.naming import quantity, quoted, shortened, wrong_value
from mobandits.support.nearest import refusal

Decision = Literal["promote", "stop", "wait"]
BETTER = "better"
HARMLESS = "harmless"
WORSE = "worse"
SLACK = 1e-9  # of a range: rewards at its ends are rounded


@dataclass(frozen=True, eq=False)
class Look:
    """What is known of a target by now.

    Attributes:
        decision: "promote", "stop" or "wait"; once it is not "wait", it stays.
        reason: in a sentence.
        gain: (objectives,) estimates of the target's mean less the logging policy's, in the
            objectives' own directions and units; NaN where nothing was observed.
        low: (objectives,) lower ends, all of them and the upper ones right at all rounds at once.
        high: (objectives,) upper ends.
        rounds: that were folded.
        effective_rounds: (sum w)^2 / sum w^2, so many rounds of the target's own would tell as much.
        decided_after: rounds after which the decision was made; None: it is "wait".
        dominated_by: the other targets that are shown to be better in every objective; those that
            nothing dominates hold the front of all targets, at all rounds at once.
    """

    decision: Decision
    reason: str
    gain: Array
    low: Array
    high: Array
    rounds: int
    effective_rounds: float
    decided_after: int | None
    dominated_by: tuple[str, ...] = ()


@dataclass(eq=False)
class _Watched:
    """A target, with the sums of its gains and of its losses.

    Attributes:
        target: as given.
        gains: of X = (b + D) / (2 b), whose mean is (b + v) / (2 b).
        losses: of X with D of 1 - r in place of r, whose mean is (b - v) / (2 b).
        capital: {claim: of bets on it}.
        shown_after: {claim: rounds after which it was shown}.
        weight: sum w.
        square: sum w^2.
    """

    target: Target
    gains: SequenceSums
    losses: SequenceSums
    capital: dict[str, BetCapital]
    shown_after: dict[str, int] = field(default_factory=dict)
    weight: float = 0.0
    square: float = 0.0

    def decided(self) -> tuple[Decision, int | None]:
        """The decision that was made first, and the rounds after which it was."""
        shown = self.shown_after
        decisions: list[tuple[int, Decision]] = []
        if BETTER in shown and HARMLESS in shown:
            decisions.append((max(shown[BETTER], shown[HARMLESS]), "promote"))
        if WORSE in shown:
            decisions.append((shown[WORSE], "stop"))
        if not decisions:
            return "wait", None

        after, decision = min(decisions)

        return decision, after


class Monitor:
    """A decision about every target against the logging policy, valid at every look.

    Rounds are folded as they come: one by one, every day, or a whole log at once. The logging policy
    may learn meanwhile, weights need no bound, and one may look after every round: with probability
    at most 1 - level, any decision is ever wrong. With evidence M_l, the capital of `BetCapital`,

    - **promote** says that the target is better in some objective, and worse by more than e_l in
      none: the mean over l of M_l for v_l > 0, and the least M_l for v_l > -e_l, have each reached
      2 P / (1 - level) at some round. Where every e_l is 0, it is better in every objective.
    - **stop** says that it is worse by more than e_l in some objective: the mean over l of the
      evidence for v_l < -e_l has reached 2 P / (1 - level).
    - **wait** says neither.

    Evidence is of D_l = (w - 1) (r_l - c_l), whose mean is v_l whatever c_l is before the round.
    Without a largest weight, c is 0, and D at least -b with b = 1. With one, W, c is the mean of
    earlier rewards, and b the larger of 1 and W - 1: that takes out most of the noise, so that gains
    are found in fewer rounds, in a tenth of them where rewards vary little.

    Intervals are those of a box, each end at the risk (1 - level) / (2 L P): all are right at all
    rounds with probability `level`. So is the front of all targets, which those hold that no other's
    intervals are above in every objective.

    Weights must be right: propensities as logged. A missing reward leaves its round out for that
    objective, which must depend neither on the arm nor on the reward: see `warnings`. Fold a round
    when its rewards are there, in the order of decisions where they come late. Of a log in which
    sessions kept arms, fold `log.per_session()`.

    Args:
        targets: {name: target}: a callable that takes a log and returns probabilities (rounds,
            arms), or `Uniform()`, `ConstantTarget(arm)`. A recipe would learn from the rounds that
            it is judged by: `looks_on` has those.
        objectives: each an `Objective` with a range, low and high.
        margin: {objective: e_l}, in its own unit, 0 where it is left out.
        largest_weight: W, where none can be larger: 1 over the least propensity that the logging
            policy may have, such as arms / epsilon of a floor. It must not be read off the log.
        level: of all decisions of all targets together, and of all intervals together.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        Karampatziakis, Mineiro and Ramdas, "Off-policy confidence sequences", ICML 2021;
        Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits", 2022.
        Means of evidence: Vovk and Wang, "E-values", Annals of Statistics 49, 2021. Decisions about
        vectors are ours.

    Example:
        >>> from mobandits.evaluation import ConstantTarget
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 2, 2000)
        >>> clicks = rng.random(2000) < 0.2 + 0.4 * arms
        >>> click = Objective("click", low=0.0, high=1.0)
        >>> log = Feedback(np.ones((2000, 1)), arms, clicks[:, None], [0.5] * 2000, "ab", [click])
        >>> monitor = Monitor({"always b": ConstantTarget("b")}, [click])
        >>> monitor.fold(log[:500])
        >>> monitor["always b"].decision, monitor["always b"].decided_after
        ('promote', 27)
        >>> monitor.fold(log[500:])
        >>> look = monitor["always b"]
        >>> look.low.round(2).tolist(), look.high.round(2).tolist()
        ([0.17], [0.24])
    """

    def __init__(
        self,
        targets: Mapping[str, Target],
        objectives: Sequence[Objective],
        *,
        margin: Mapping[Any, float] | None = None,
        largest_weight: float | None = None,
        level: float = 0.95,
    ) -> None:
        number("level", level, above=0.0, below=1.0)
        if largest_weight is not None:
            number("largest_weight", largest_weight, at_least=1.0)
        if not targets:
            raise ValueError("targets must name at least one, got none")
        for name, target in targets.items():
            if isinstance(target, Recipe | Trained):
                rule = "must not learn from the rounds that judge it"
                raise wrong_value(f"targets[{quoted(name)}] {rule}", target)

        self.objectives = tuple(as_objective(each) for each in objectives)
        self.rounds = 0
        self._spans = bounded_spans(self.objectives)
        self._margins = _margins(self.objectives, margin or {}) / self._spans
        self._shares = SequenceSums(len(self.objectives))
        # {arm: its plays, and those without a reward in each objective}
        self._plays: dict[Any, Array] = {}
        self._largest = largest_weight
        self._bound = 1.0 if largest_weight is None else max(1.0, largest_weight - 1.0)
        self._risk = (1.0 - level) / (2.0 * len(targets))
        self._watched = {name: self._watch(target) for name, target in targets.items()}

    def _watch(self, target: Target) -> _Watched:
        objectives = len(self.objectives)
        least = np.full(objectives, self._bound)
        capital = {
            BETTER: BetCapital(least),
            HARMLESS: BetCapital(least),
            WORSE: BetCapital(least + self._margins),
        }

        return _Watched(target, SequenceSums(objectives), SequenceSums(objectives), capital)

    def __repr__(self) -> str:
        decisions = {name: self[name].decision for name in self._watched}
        return f"Monitor({quantity(self.rounds, 'round')}, {decisions})"

    def fold(self, log: Feedback) -> None:
        """Add rounds that come after those that were folded.

        Args:
            log: with propensities, and rewards within the declared ranges.

        Raises:
            ValueError: where it does not fit; nothing is folded then.
        """
        names = [each.name for each in self.objectives]
        if list(log.objective_names) != names:
            got = quoted(list(log.objective_names))
            raise ValueError(f"log must have the objectives {quoted(names)}, got {got}")

        for mine, theirs in zip(self.objectives, log.objectives, strict=True):
            refuse_contradiction(mine, theirs)

        refuse_dependent(log)
        if not len(log):
            return

        shares = _shares(self.objectives, log)
        weights = {}
        for name, watched in self._watched.items():
            no_folds = np.zeros(len(log), np.int64)
            case = EvaluationCase(log, probabilities_of(watched.target, log, no_folds))
            weights[name] = case.weights
            self._check_weights(name, case.weights)

        guess = self._shares.fold(shares)
        for name, watched in self._watched.items():
            self._fold_one(watched, weights[name], shares, guess)

        self._count_plays(log)
        self.rounds += len(log)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why decisions may not be trusted: rewards that are missing by the arm, or everywhere."""
        if not self._plays:
            return ()

        names = [each.name for each in self.objectives]
        plays, *missing = np.column_stack(list(self._plays.values()))

        return tuple(cautions_of_missing(names, np.array(missing), plays))

    def _count_plays(self, log: Feedback) -> None:
        plays = plays_of(log)
        counts = np.vstack([plays, missing_plays(log)])
        for place in np.flatnonzero(plays):
            arm = log.arm_names[place]
            before = self._plays.get(arm, 0.0)
            self._plays[arm] = before + counts[:, place]

    def __getitem__(self, name: str) -> Look:
        """What is known of a target by now.

        Raises:
            KeyError: where there is no such target.
        """
        if name not in self._watched:
            raise KeyError(f"the key must be one of {shortened(', '.join(self._watched))}")

        watched = self._watched[name]
        low, high = self._ends(watched)
        with np.errstate(invalid="ignore"):
            gain = self._difference(watched.gains.total / watched.gains.count)

        own_low, own_high = own_ends(Box(low, high), self.objectives)
        decision, after = watched.decided()
        effective = watched.weight**2 / watched.square if watched.square > 0.0 else 0.0
        reason = self._reason(watched, decision, effective)
        # All intervals are right at once, so that what follows from them is, too.
        lows = {other: self._ends(each)[0] for other, each in self._watched.items()}
        dominating = tuple(
            other for other, its in lows.items() if other != name and (its > high).all()
        )

        return Look(
            decision,
            reason,
            gain * signs_of(self.objectives) * self._spans,
            own_low * self._spans,
            own_high * self._spans,
            self.rounds,
            effective,
            after,
            dominating,
        )

    def _ends(self, watched: _Watched) -> tuple[Array, Array]:
        """(objectives,) the ends of intervals of gains, in shares of ranges, more is better."""
        end_risk = self._risk / len(self.objectives)
        low = self._difference(lower_ends(watched.gains, end_risk))
        high = -self._difference(lower_ends(watched.losses, end_risk))

        # Differences of shares are within -1 and 1, whatever the bound of weights.
        return np.maximum(low, -1.0), np.minimum(high, 1.0)

    def _difference(self, mean: Array) -> Array:
        """(objectives,) v of the mean of X."""
        return self._bound * (2.0 * mean - 1.0)

    def _check_weights(self, name: str, weights: Array) -> None:
        if self._largest is not None and weights.max() > self._largest * (1.0 + SLACK):
            rule = f"largest_weight must be at least every weight of {quoted(name)}"
            raise ValueError(f"{rule}, got {self._largest:g} with a weight of {weights.max():g}")

    def _fold_one(self, watched: _Watched, weights: Array, shares: Array, guess: Array) -> None:
        excess = (weights - 1.0)[:, None]
        known_share: Array | float = 0.0
        known_rest: Array | float = 0.0
        if self._largest is not None:
            known_share = guess
            known_rest = 1.0 - guess

        gained = excess * (shares - known_share)
        lost = excess * (1.0 - shares - known_rest)
        span = 2.0 * self._bound
        watched.gains.fold((self._bound + gained) / span)
        watched.losses.fold((self._bound + lost) / span)
        watched.weight += float(weights.sum())
        watched.square += float((weights * weights).sum())
        capital = watched.capital
        evidence = {
            BETTER: _log_mean(capital[BETTER].fold(gained)),
            HARMLESS: capital[HARMLESS].fold(gained + self._margins).min(axis=1),
            WORSE: _log_mean(capital[WORSE].fold(lost - self._margins)),
        }
        threshold = -np.log(self._risk)
        for claim, logarithms in evidence.items():
            reached = np.flatnonzero(logarithms >= threshold)
            if claim not in watched.shown_after and len(reached):
                watched.shown_after[claim] = self.rounds + int(reached[0]) + 1

    def _reason(self, watched: _Watched, decision: Decision, effective: float) -> str:
        allowed = " by more than its margin" if self._margins.any() else ""
        claims = {
            BETTER: "better in at least one objective",
            HARMLESS: f"worse in none{allowed}",
            WORSE: f"worse in at least one objective{allowed}",
        }
        if decision == "stop":
            return f"It is {claims[WORSE]}."
        if decision == "promote":
            both = f"{claims[BETTER]}, and {claims[HARMLESS]}"
            return f"It is {both if allowed else 'better in every objective'}."

        missing = [claims[each] for each in (BETTER, HARMLESS) if each not in watched.shown_after]
        told = f"{effective:,.0f} effective of {quantity(self.rounds, 'round')}"

        return f"Not shown yet: {' and '.join(missing)} ({told})."


def bounded_spans(objectives: Sequence[Objective]) -> Array:
    """(objectives,) the widths of declared ranges, which intervals at any time need.

    Raises:
        ValueError: where one has none.

    Example:
        >>> bounded_spans([Objective("quality", low=0.0, high=2.0)]).tolist()
        [2.0]
    """
    for each in objectives:
        if not np.isfinite(each.range).all():
            rule = f"objectives must have ranges, since intervals at any time need bounds; {each.name!r}"
            raise ValueError(f"{rule} has low={each.low} and high={each.high}")

    ranges = np.array([each.range for each in objectives])
    spans: Array = ranges[:, 1] - ranges[:, 0]

    return spans


def _margins(objectives: Sequence[Objective], margin: Mapping[Any, float]) -> Array:
    """(objectives,) the losses that do not matter, in their own units."""
    names = [each.name for each in objectives]
    for name, value in margin.items():
        if name not in names:
            raise ValueError(
                refusal("margin", f"name objectives of {shortened(str(names))}", name, names)
            )

        number(f"margin[{quoted(name)}]", value, at_least=0.0)

    return np.array([float(margin.get(name, 0.0)) for name in names])


def _shares(objectives: Sequence[Objective], log: Feedback) -> Array:
    """(rounds, objectives) rewards as shares of their ranges, 1 the best; NaN stays.

    Raises:
        ValueError: naming the first reward outside of its range.
    """
    shares = learned_rewards(objectives, log.own_rewards)
    outside = np.argwhere((shares < -SLACK) | (shares > 1.0 + SLACK))
    if len(outside):
        t, l = outside[0].tolist()
        objective = objectives[l]
        rule = f"rewards of {quoted(objective.name)} must be within {list(objective.range)}"
        raise ValueError(f"{rule}, got {log.own_rewards[t, l]:g} in round {t}")

    return np.clip(shares, 0.0, 1.0)


def _log_mean(logarithms: Array) -> Array:
    """(rounds,) the logarithms of means over objectives."""
    sums: Array = logsumexp(logarithms, axis=1)
    means: Array = sums - np.log(logarithms.shape[1])

    return means


def looks_on(
    log: Feedback,
    targets: Mapping[str, Target],
    *,
    margin: Mapping[Any, float] | None = None,
    largest_weight: float | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Look]:
    """What a log says of targets against its logging policy, valid however often it is asked.

    A recipe is judged by rounds that come after those that it has learned: it learns anew after 64,
    128, 256, ... rounds, and earlier rounds are always judged by what was known before them. The
    first 64 judge nothing.

    Args:
        log: the logged decisions, in the order of time; of objectives with ranges.
        targets: {name: target}, as `compare` takes them.
        margin: see `Monitor`.
        largest_weight: see `Monitor`.
        level: see `Monitor`.
        seed: of what recipes draw.

    Returns:
        {name: what is known of it}, without the logging policy itself.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> rng = np.random.default_rng(0)
        >>> arms = rng.integers(0, 2, 1000)
        >>> clicks = rng.random(1000) < 0.2 + 0.6 * arms
        >>> click = Objective("click", low=0.0, high=1.0)
        >>> log = Feedback(np.ones((1000, 1)), arms, clicks[:, None], [0.5] * 1000, "ab", [click])
        >>> looks_on(log, {"learned": MolUcb(scale=0.1)})["learned"].decision
        'promote'
    """
    forward = ForwardLog(log, doubling_blocks(len(log)), None, seed)
    others = {name: each for name, each in targets.items() if not isinstance(each, LoggingPolicy)}
    tables = {name: forward.probabilities_of(target) for name, target in others.items()}
    monitor = Monitor(
        tables, log.objectives, margin=margin, largest_weight=largest_weight, level=level
    )
    monitor.fold(forward.valued)

    return {name: monitor[name] for name in tables}
