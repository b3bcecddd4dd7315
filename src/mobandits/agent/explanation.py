"""Explanations of decisions: the estimates of every arm, as a table and as a sentence."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.agent import compiled_calls
from mobandits.agent.bound_policy import FAILURES, BoundPolicy
from mobandits.agent.contributions import Contribution, because, contributions_of
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.parts import (
    comparing,
    innermost_beliefs,
    unused_links,
    with_plain_explorer,
)
from mobandits.contracts.composition import forced_probabilities
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.contracts.states import declares
from mobandits.logs.objectives import Names
from mobandits.orders.order import in_words
from mobandits.support.naming import conjunction, wrong_value

if TYPE_CHECKING:
    import polars as pl

MOST_NAMED = 6  # arms in a sentence


@dataclass(frozen=True)
class Explanation:
    """An agent's present estimates of the arms of a decision.

    Attributes:
        decision: which.
        estimates: (eligible arms, objectives) mean rewards in the objectives' own directions and
            units, also where the policy compares the linear predictors of generalized linear
            models.
        low: the lower ends of the intervals.
        high: their upper ends.
        dominated_by: per eligible arm, the arms whose estimates are at least as good in all and
            better in one.
        front: the eligible arms that the policy would play now; without those that are played
            whatever is known, as by `WithFloor`.
        sentence: the same in words.
        objectives: the objectives.
        contributions: how the columns of the context move the estimates, where the agent has an
            encoder.
    """

    decision: Decision
    estimates: Array
    low: Array
    high: Array
    dominated_by: tuple[Names, ...]
    front: Names
    sentence: str
    objectives: tuple[Any, ...]
    contributions: tuple[Contribution, ...] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table`, each with its columns by name."""
        rows: list[dict[str, Any]] = []
        for a, arm in enumerate(self.decision.eligible):
            of_arm = {
                "arm": str(arm),
                "played": arm == self.decision.arm,
                "on_front": arm in self.front,
                "dominated_by": ", ".join(map(str, self.dominated_by[a])),
            }
            for l, objective in enumerate(self.objectives):
                of_objective = {
                    "objective": str(objective.name),
                    "estimate": float(self.estimates[a, l]),
                    "low": float(self.low[a, l]),
                    "high": float(self.high[a, l]),
                    "unit": objective.unit,
                }
                rows.append(of_arm | of_objective)

        return rows

    @property
    def table(self) -> "pl.DataFrame":
        """A row per eligible arm and objective.

        Columns: arm, played, on_front, dominated_by, objective, estimate, low, high, unit.
        """
        import polars as pl  # noqa: PLC0415 - agents run without it

        return pl.DataFrame(self.rows)

    def __str__(self) -> str:
        return self.sentence


def explain(core: AgentCore, decision: Decision) -> Explanation:
    """An agent's estimates of the arms of a decision; see `Agent.explain`."""
    with core.lock:
        slots, rng, beliefs = _believed(core, decision)
        context: Any = decision.context
        probabilities = core.bound.probabilities(context, slots, rng)
        estimates, low, high = _in_units(core, beliefs)
        dominated_by = _dominating(beliefs.mean, decision.eligible)
        forced = forced_probabilities(core.bound.policy, slots)
        # Arms that are played whatever is known are not on the front for that.
        on_front = probabilities > forced
        if declares(core.bound.policy, "PLAYS_ALL"):
            on_front = probabilities == probabilities.max()

        front = tuple(decision.eligible[i] for i in np.flatnonzero(on_front).tolist())
        place = decision.eligible.index(decision.arm)
        sentence = _sentence(core, decision, place, estimates, dominated_by, front, forced)
        sentence += _chance_in_words(decision.eligible, forced)
        contributions = _contributions(core, decision, place, slots)
        reason = because(contributions, place, core.objectives)
        if reason is not None:
            sentence += f" Its estimates differ from those of the other arms most {reason}."

        return Explanation(
            decision=decision,
            estimates=estimates,
            low=low,
            high=high,
            dominated_by=dominated_by,
            front=front,
            sentence=sentence,
            objectives=core.objectives,
            contributions=contributions,
        )


def estimates_of(core: AgentCore, decision: Decision) -> Beliefs:
    """An agent's present estimates of the arms of a decision, as in its `Explanation`.

    Args:
        core: of the agent.
        decision: which.

    Returns:
        mean, low, high: (eligible arms, objectives) in the objectives' own directions and units.

    Raises:
        ValueError: where the policy has no estimates per arm and objective.
    """
    with core.lock:
        _, _, beliefs = _believed(core, decision)
        return _in_units(core, beliefs)


def _in_units(core: AgentCore, beliefs: Beliefs) -> Beliefs:
    """Estimates and ends of intervals in the objectives' own directions and units."""
    to_units = core.scales.outward
    # Where less is better, the lower end of what is learned is the upper end of the reward.
    low, high = np.sort([to_units(beliefs.low), to_units(beliefs.high)], axis=0)
    return Beliefs(to_units(beliefs.mean), low, high)


def _contributions(
    core: AgentCore, decision: Decision, place: int, slots: IntArray
) -> tuple[Contribution, ...]:
    """Contributions of the context's columns; none where it has no columns."""
    if core.encoder is None:
        return ()

    def estimates_at(context: Array) -> Array:
        rng = np.random.default_rng([core.seed, 2])
        beliefs = _plain_beliefs(core.bound, context, slots, rng)
        return core.scales.outward(beliefs.mean)

    context: Any = decision.context

    return contributions_of(core.encoder, context, place, estimates_at)


def _believed(core: AgentCore, decision: Decision) -> tuple[IntArray, Rng, Beliefs]:
    """The slots of a decision's arms, a random stream, and the plain beliefs in these arms."""
    if not isinstance(decision, Decision) or decision.context is None:
        raise wrong_value("decision must be one that decide returned", decision)
    if comparing(core.bound.policy) is None:
        recipe = type(core.recipe).__name__
        raise ValueError(f"{recipe} has no estimates per arm and objective to explain it by")

    for name in decision.eligible:
        if name not in core.arms.names:  # the policy may know another arm in its slot
            raise wrong_value("decision must be between arms that are still there", name)

    slots = np.array([core.arms.slot(name) for name in decision.eligible], np.int64)
    # A stream of its own: to explain must not change what is decided next.
    rng = np.random.default_rng([core.seed, 2])
    return slots, rng, _plain_beliefs(core.bound, decision.context, slots, rng)


def _plain_beliefs(bound: BoundPolicy, context: Any, slots: IntArray, rng: Rng) -> Beliefs:
    """Estimated mean rewards, and the intervals that the policy's beliefs rest on."""
    plain = with_plain_explorer(bound.policy)
    call = bound.session.call
    try:
        beliefs = call(compiled_calls.beliefs_in_state, plain, context, slots, rng)
    except FAILURES as failure:
        bound.refuse_arithmetic(failure)

    inner = innermost_beliefs(beliefs)
    links = unused_links(comparing(bound.policy))
    if links is None:
        return inner

    # Copies, since the mean and the ends of intervals may be one array.
    linked = Beliefs(inner.mean.copy(), inner.low.copy(), inner.high.copy())
    for values in linked:
        call(compiled_calls.apply_links, links, values)

    return linked


def _dominating(mean: Array, names: Names) -> tuple[Names, ...]:
    """Per arm the names of those that dominate it."""
    dominating = []
    for row in mean:  # one at a time, so that many arms take no square of memory
        is_as_good = (mean >= row).all(axis=1)
        is_better = (mean > row).any(axis=1)
        dominates = is_as_good & is_better
        places = np.flatnonzero(dominates)
        by = [names[place] for place in places.tolist()]
        dominating.append(tuple(by))

    return tuple(dominating)


def _sentence(
    core: AgentCore,
    decision: Decision,
    place: int,
    estimates: Array,
    dominated_by: Sequence[Names],
    front: Names,
    forced: Array,
) -> str:
    # Of the arm that was played, in its place; the table has the others.
    sentence = f"{_how_it_was_played(core, decision)} It is now estimated at "
    sentence += _rewards_in_words(core, estimates[place])
    if dominated_by[place]:
        sentence += f", and dominated by {_names_in_words(dominated_by[place])}"
    else:
        sentence += "; no arm is estimated to dominate it"

    pairs = zip(decision.eligible, dominated_by, strict=True)
    beaten = [name for name, by in pairs if decision.arm in by]
    if beaten:
        sentence += f", and it dominates {_names_in_words(beaten)}"

    was_forced = bool(forced[place] > 0.0)
    return f"{sentence}. {_front_in_words(core, decision, front, was_forced=was_forced)}"


def _how_it_was_played(core: AgentCore, decision: Decision) -> str:
    chance = ""
    if decision.propensity is not None:
        chance = f" with probability {decision.propensity:.3g}"

    eligible = len(decision.eligible)
    arms = len(core.arms.names)

    sentence = f"{decision.arm} was played{chance}, one of {eligible} eligible arms of {arms}."
    if decision.all_break:
        sentence += " Every one of them broke a limit: the least bad was left."
    if decision.kept is not None:
        sentence += f" Its session has kept it since decision {decision.kept}."

    return sentence


def _rewards_in_words(core: AgentCore, rewards: Array) -> str:
    pairs = zip(core.objectives, rewards.tolist(), strict=True)
    return ", ".join(f"{objective.name} {objective.say(value)}" for objective, value in pairs)


def _front_in_words(core: AgentCore, decision: Decision, front: Names, *, was_forced: bool) -> str:
    played = decision.arm
    preference = core.bound.preference()
    titles = [str(objective.name) for objective in core.objectives]
    order = in_words(preference, titles)
    uncertain = "Given the remaining uncertainty,"
    others = [name for name in front if name != played]
    if played in front and not others:
        return f"{uncertain} it is the only arm that may be best ({order})."

    # A state that holds no numbers has no front.
    company = _names_in_words(others) if others else "no arm"
    if played not in front:
        # An arm that is played whatever is known need never have been there.
        gone = "not" if was_forced else "no longer"
        return f"{uncertain} it is {gone} on the front, but {company} ({order})."

    return f"{uncertain} it may be best, as may {company} ({order})."


def _chance_in_words(names: Names, forced: Array) -> str:
    """Probability, in words, with which an arm is played whatever is known; empty where it is 0."""
    share = float(forced.sum())
    if share == 0.0:
        return ""

    places = np.flatnonzero(forced > 0.0).tolist()
    arms = "any arm"
    if len(places) < len(names):
        arms = _names_in_words([names[place] for place in places])

    return f" With probability {share:.3g}, {arms} is played whatever is known."


def _names_in_words(names: Sequence[Hashable]) -> str:
    texts = [str(name) for name in names]
    count = len(texts)
    if count > MOST_NAMED:
        # One fewer, since "1 more" would take as much room as the name.
        shown = texts[: MOST_NAMED - 1]
        left = count - len(shown)
        texts = [*shown, f"{left} more"]

    return conjunction(texts)
