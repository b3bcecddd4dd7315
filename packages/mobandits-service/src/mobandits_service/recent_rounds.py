"""Recorded decisions of an agent, as questions that can be asked again, and as a log."""

import math
from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.contracts.protocols import Array, IntArray
from mobandits.logs import Feedback
from mobandits.logs.objectives import signs_of
from mobandits.logs.store.lookup import RecentDecisions, RecordedDecision


class RecentRound(NamedTuple):
    """A recorded decision, as a question that can be asked again.

    Attributes:
        names: of the eligible arms that are still there.
        slots: of these arms.
        rows: (eligible arms or 1, features).
        recorded: the decision.
        arm: that was played.
    """

    names: tuple[Hashable, ...]
    slots: IntArray
    rows: Array
    recorded: RecordedDecision
    arm: Hashable


def recent_rounds(
    core: AgentCore, decisions: RecentDecisions, arm_names: list[Hashable]
) -> list[RecentRound]:
    """The decisions that can be asked again, the oldest first.

    Args:
        core: of the agent, or a copy.
        decisions: of its store.
        arm_names: all that there ever were, by number: as decisions name them.
    """
    rounds = []
    for recorded in reversed(decisions.decisions):
        event = recorded.event
        # Further ranks share the context of the first one, and kept arms had no alternative.
        if event.rank or event.kept is not None:
            continue
        if core.contexts.has_row_per_arm and recorded.seq < decisions.arms_changed:
            continue

        asked = asked_again(core, recorded, arm_names)
        if asked is not None:
            rounds.append(asked)

    return rounds


def asked_again(
    core: AgentCore, recorded: RecordedDecision, arm_names: list[Hashable]
) -> RecentRound | None:
    """A decision among those of its arms that are still there; None where there are none.

    Arguments as of `recent_rounds`.
    """
    event = recorded.event
    present = core.arms.names
    names = present
    if event.eligible is not None:
        then = [arm_names[number] for number in event.eligible]
        names = tuple(name for name in then if name in present)
    if not names:
        return None

    places = core.arms.rows(names)
    rows = event.context
    if rows is None:  # of no features
        count = len(present) if core.contexts.has_row_per_arm else 1
        rows = np.empty((count, core.features))
    if core.contexts.has_row_per_arm:
        # The store has a row for every arm, also for those that were not eligible.
        if len(rows) != len(present):
            return None
        rows = rows[places]

    slots = core.arms.everyone[places]
    # A copy, which can be written as contexts of calls can: kernels are compiled for each kind.
    own_rows = np.array(rows, np.float64)

    return RecentRound(names, slots, own_rows, recorded, arm_names[event.arm])


def weighable(rounds: list[RecentRound]) -> IntArray:
    """Which rounds other policies can be valued from: those with a propensity, of present arms."""
    usable = []
    for t, each in enumerate(rounds):
        is_known = each.recorded.event.propensity is not None
        if is_known and each.arm in each.names:
            usable.append(t)

    return np.array(usable, np.int64)


def as_feedback(core: AgentCore, chosen: list[RecentRound]) -> Feedback:
    """Rounds that are `weighable`, as a log of the agent's present arms."""
    arms = len(core.arms.names)
    per_arm = core.contexts.has_row_per_arm
    shape = (len(chosen), arms, core.features) if per_arm else (len(chosen), core.features)
    contexts = np.zeros(shape)
    eligible = np.zeros((len(chosen), arms), bool)
    for t, each in enumerate(chosen):
        own = core.arms.rows(each.names)
        eligible[t, own] = True
        if per_arm:
            contexts[t, own] = each.rows
        else:
            contexts[t] = each.rows[0]

    names: Any = core.objective_names
    rewards = np.array(
        [[each.recorded.rewards.get(name, math.nan) for name in names] for each in chosen]
    )
    place_of = {name: place for place, name in enumerate(core.arms.names)}

    return Feedback(
        contexts=contexts,
        arms=np.array([place_of[each.arm] for each in chosen]),
        rewards=rewards * signs_of(core.objectives),  # there, more is better
        propensities=np.array([each.recorded.event.propensity for each in chosen]),
        arm_names=core.arms.names,
        objectives=core.objectives,
        eligible=eligible,
    )
