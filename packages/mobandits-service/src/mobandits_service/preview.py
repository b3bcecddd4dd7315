"""What another preference would have done with recent contexts, before it is set.

The agent's present beliefs are asked twice: under the preference that it has, and under another
one. What either would have brought is told by these beliefs, and by the log where it allows: from
the rewards of the recorded decisions, weighted by their propensities. The agent, its random stream
and its log stay as they are.
"""

from typing import Any, NamedTuple

import numpy as np

from mobandits.agent import Decision
from mobandits.agent.core import AgentCore
from mobandits.agent.explanation import estimates_of
from mobandits.agent.saving import encoded_state
from mobandits.agent.workers import copy_for_workers, core_of_worker
from mobandits.contracts.protocols import Array
from mobandits.contracts.states import declares
from mobandits.logs.objectives import signs_of
from mobandits_client.messages import ArmShare, MeanReward, Preview, ValueEstimate
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preferences import fitting_order, present_preference
from mobandits_service.recent_rounds import RecentRound, as_feedback, recent_rounds, weighable

MOST_RECENT = 1000  # contexts
DRAWS = 25  # of beliefs per context, where they are random
FEWEST_ROUNDS = 20  # with propensities, for estimates from the log
ESTIMATORS = ("snips", "dr")
LEVEL = 0.95  # of the joint intervals


class Answers(NamedTuple):
    """What is played in each round under one preference.

    Attributes:
        preference: in words.
        probabilities: (rounds, arms).
    """

    preference: str
    probabilities: Array


def preview(hosted: HostedAgent, order: Any, recent: int = 200) -> Preview:
    """What another preference would have done with the last contexts, and what that brings.

    It may be called from any thread, while the agent decides. It takes as long as so many decisions
    take twice; an order that was never played is compiled first.

    Args:
        hosted: the agent, which does not change.
        order: its name, or a table of its name and parameters; None: the recipe's own.
        recent: how many of the last decisions are asked again.

    Raises:
        ValueError: where it is no order of the agent's objectives, or the agent has none.
        Problem: where the agent cannot be used now.
    """
    if not 1 <= recent <= MOST_RECENT:
        raise ValueError(f"recent must be 1 to {MOST_RECENT:,}, got {recent}")

    core = _believing_copy(hosted.agent.core)
    bound = core.bound
    other = fitting_order(core, order)
    decisions = hosted.recent(recent)
    rounds = recent_rounds(core, decisions, hosted.arm_names)
    estimates = [_estimates(core, each) for each in rounds]
    now = _answers(core, rounds)
    bound.set_order(other)
    then = _answers(core, rounds)
    values, warnings = _values(core, rounds, now, then)
    left_out = len(decisions.decisions) - len(rounds)
    if left_out:
        warnings.append(f"{left_out} decisions were left out: their arms are no longer the same")

    return Preview(
        preference_now=now.preference,
        preference_then=then.preference,
        contexts=len(rounds),
        moved=_moved(now, then),
        arms=_shares(core, now, then),
        objectives=_means(core, rounds, estimates, now, then),
        estimates=values,
        warnings=warnings,
    )


# --- the answers


def _believing_copy(core: AgentCore) -> AgentCore:
    """A copy of an agent as workers have it, which decides and learns nothing.

    Only arrays are copied while calls of the agent wait. Nothing that is asked of the copy changes
    the agent, its stream or its log.
    """
    with core.lock:
        copied = copy_for_workers(core)

    state = encoded_state(copied)

    return core_of_worker(state, incarnation=0, before=None)


def _answers(core: AgentCore, rounds: list[RecentRound]) -> Answers:
    """What the copy plays in each round, under the preference that it has."""
    bound = core.bound
    # A stream of its own, the same for both preferences: they differ by the preference alone.
    rng = np.random.default_rng([core.seed, 3])
    table = np.zeros((len(rounds), len(core.arms.names)))
    is_random = bool(rounds) and declares(bound.policy, "RANDOM_BELIEFS")
    draws = DRAWS if is_random else 1
    for t, each in enumerate(rounds):
        places = core.arms.rows(each.names)
        table[t, places] = bound.probabilities(each.rows, each.slots, rng, draws)

    return Answers(present_preference(core), table)


def _estimates(core: AgentCore, each: RecentRound) -> Array:
    """(arms, objectives) the mean rewards that the agent believes in; 0 of arms not eligible."""
    decision = Decision(0, each.names[0], context=each.rows, eligible=each.names)
    beliefs = estimates_of(core, decision)
    table = np.zeros((len(core.arms.names), len(core.objectives)))
    table[core.arms.rows(each.names)] = beliefs.mean

    return table


def _shares(core: AgentCore, now: Answers, then: Answers) -> list[ArmShare]:
    """Of each arm, how often it is played now, and then."""
    shares = []
    for place, name in enumerate(core.arms.names):
        before = _mean_or_none(now.probabilities[:, place])
        after = _mean_or_none(then.probabilities[:, place])
        shares.append(ArmShare(str(name), before, after))

    return shares


def _means(
    core: AgentCore,
    rounds: list[RecentRound],
    estimates: list[Array],
    now: Answers,
    then: Answers,
) -> list[MeanReward]:
    """Of each objective, the mean reward that the agent expects now, and then."""
    shape = (len(rounds), len(core.arms.names), len(core.objectives))
    believed = np.array(estimates).reshape(shape)
    before = np.einsum("ta,tal->tl", now.probabilities, believed)
    after = np.einsum("ta,tal->tl", then.probabilities, believed)
    means = []
    for place, objective in enumerate(core.objectives):
        mean_now = _mean_or_none(before[:, place])
        mean_then = _mean_or_none(after[:, place])
        name = str(objective.name)
        means.append(MeanReward(name, objective.unit, objective.minimise, mean_now, mean_then))

    return means


def _moved(now: Answers, then: Answers) -> float | None:
    """The mean probability with which a context gets another arm than now."""
    distances = np.abs(then.probabilities - now.probabilities).sum(1)
    return _mean_or_none(distances / 2.0)


def _mean_or_none(values: Array) -> float | None:
    return float(values.mean()) if len(values) else None


# --- by the log


def _values(
    core: AgentCore,
    rounds: list[RecentRound],
    now: Answers,
    then: Answers,
) -> tuple[list[ValueEstimate], list[str]]:
    """What both preferences are worth by the log, and why that may not be trusted."""
    places = weighable(rounds)
    if len(places) < FEWEST_ROUNDS:
        few = f"estimates from the log need {FEWEST_ROUNDS} decisions with propensities"
        return [], [f"{few}, got {len(places)}"]

    # Only here: a service that is never asked does not load it.
    from mobandits.evaluation import compare  # noqa: PLC0415
    from mobandits.evaluation.own_values import own_rows  # noqa: PLC0415

    log = as_feedback(core, [rounds[t] for t in places.tolist()])
    targets = {"now": now.probabilities[places], "then": then.probabilities[places]}
    comparison = compare(log, targets, ESTIMATORS, progress=False)
    signs = signs_of(core.objectives)
    values = []
    warnings: list[str] = []
    for name in ESTIMATORS:
        before = comparison["now", name].value * signs
        after = comparison["then", name]
        rows = own_rows(after, core.objectives, LEVEL)
        for value_now, (objective, *own) in zip(before.tolist(), rows, strict=True):
            values.append(ValueEstimate(name, objective, value_now, *own))

        warnings += [text for text in after.warnings if text not in warnings]

    return values, warnings
