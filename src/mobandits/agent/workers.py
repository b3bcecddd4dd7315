"""Copies of an agent that decide in its place, and the agent that learns for all of them.

Beliefs and draws leave a policy's state alone, so that deciding can be copied, and learning cannot.
A worker decides with a copy, from a stream of its own. The agent takes the decision in as it was
made, and learns its rewards.
"""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.adoption import refuse_notes
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.inputs import Eligible
from mobandits.agent.keys import CallOptions
from mobandits.agent.loading import core_of_bytes
from mobandits.agent.pending import INACTIVE, Pending
from mobandits.agent.saving import StateCopy, copied_state
from mobandits.errors import LogError
from mobandits.support.naming import quoted

# Parts of the seeds of a worker's streams; an agent itself has no part, or 1, and 3 in counterfactuals.
DECISIONS = 4
PROPENSITIES = 5


class Source(NamedTuple):
    """The state that a worker decided from.

    Attributes:
        epoch: of the learner that published it.
        position: the last event of the agent's log that it knows.
    """

    epoch: int
    position: int


class DecisionOfWorker(NamedTuple):
    """A decision that a worker made, as the agent takes it in.

    Attributes:
        decision: its id is the worker's; its context has a row for each eligible arm, or one.
        options: of the call.
        source: the state that it was made from.
    """

    decision: Decision
    options: CallOptions
    source: Source


def check_copyable(core: AgentCore) -> None:
    """Refuse an agent that copies cannot decide for.

    Args:
        core: of an agent that has decided nothing.

    Raises:
        ValueError: where it has budgets or sessions, plays in stages, or learns from its own decisions
            alone.
    """
    if core.sessions.seconds is not None:
        rule = "sticky must be None where workers decide, which do not know each other's sessions"
        raise ValueError(f"{rule}, got {core.sessions.seconds:g}")
    if core.ledger.accounts:
        budget = core.ledger.accounts[0].budget
        rule = "budgets must be none where workers decide, which reserve nothing from each other"
        raise ValueError(f"{rule}, got one of {quoted(budget.objective)}")

    recipe = core.bound.recipe
    for shared in (True, False):
        shape = core.bound.shape.replaced(shared=shared)
        try:
            stage = next(iter(recipe.stages(shape)))
        except ValueError:
            continue  # it is for the other layout of contexts
        refuse_notes(core.recipe, stage.policy, stage.policy.init(), stage.rounds, "--workers")


# --- the worker


def copy_for_workers(core: AgentCore) -> StateCopy:
    """Copy of an agent for workers: its state without the decisions that wait.

    The caller holds the agent's lock.
    """
    copied = copied_state(core)
    return copied._replace(numbers=[], waiting=[], settled_numbers=[], settled=[])


def core_of_worker(state: bytes, incarnation: int, before: AgentCore | None) -> AgentCore:
    """The core of a copy that decides.

    Args:
        state: of the agent, as `copy_for_workers` copied it.
        incarnation: of the worker.
        before: the copy that it takes the place of, whose streams go on; None: it is the first one
            of this incarnation.

    Raises:
        StateError: where the state is none.
    """
    core, _ = core_of_bytes(state, None, lambda: 0.0)
    bound = core.bound
    first = np.random.default_rng([core.seed, DECISIONS, incarnation])
    second = np.random.default_rng([core.seed, PROPENSITIES, incarnation])
    if before is not None:
        first = before.bound.rng
        second = before.bound.propensity_rng

    bound.rng.bit_generator.state = first.bit_generator.state
    bound.propensity_rng.bit_generator.state = second.bit_generator.state

    return core


def decide_apart(core: AgentCore, context: Any, eligible: Eligible) -> Decision:
    """A decision of a copy: nothing waits for it there, and nothing is learned.

    Args:
        core: of the copy.
        context: as of `Agent.decide`.
        eligible: likewise.

    Raises:
        ValueError: as `Agent.decide`.
    """
    # Nothing is written, so that the copy stays as it is: only its streams go on.
    with core.lock, Change(core, core.now) as change:
        offer = core.contexts.offer(context, eligible)
        # The number is not known before it is written down.
        decision, pending, norm = core.make(offer, change.now, -1)
        core.guard.check_features(pending.x, norm)

        return decision


# --- the agent that learns


def take_in(core: AgentCore, made: Sequence[DecisionOfWorker]) -> list[str | None]:
    """Keep decisions of workers, as they were made, among those that wait for rewards.

    Args:
        core: of the agent, which learns from context, arm and reward alone.
        made: the decisions.

    Returns:
        for each decision, why the agent cannot have made it, which has changed nothing then; None:
        it is kept.

    Raises:
        LogError: where the log takes no events.
    """
    # What is due at a decision's time comes between it and the next one.
    size = 1 if core.pending.is_timed else max(1, len(made))
    reasons: list[str | None] = []
    with core.lock:
        for start in range(0, len(made), size):
            some = made[start : start + size]
            reasons += _take_in_together(core, some)

    return reasons


def _take_in_together(core: AgentCore, made: Sequence[DecisionOfWorker]) -> list[str | None]:
    """Keep decisions of one moment; see `take_in`."""
    reasons: list[str | None] = []
    kept = []
    contexts: list[Any] = [each.decision.context for each in made]
    numbers = np.concatenate([rows.ravel() for rows in contexts])
    # Of all at once, since each look costs as much as for a thousand numbers.
    are_allowed = core.guard.allows(numbers)
    with Change(core) as change:
        for each in made:
            try:
                pending = _pending_of(change, each, is_allowed=are_allowed)
            except LogError:
                raise
            except ValueError as error:
                reasons.append(str(error))
            else:
                reasons.append(None)
                kept.append((each, pending))

        if not kept:
            return reasons
        if change.writer is not None:
            decisions = [each for each, _ in kept]
            change.writer.write_decisions_of_workers(decisions, change.now)

        change.is_written = True
        for each, pending in kept:
            core.pending.add(pending, each.decision.id)

    return reasons


def _pending_of(change: Change, made: DecisionOfWorker, *, is_allowed: bool) -> Pending:
    """What is kept of a decision of a worker; nothing is drawn.

    Args:
        change: the call.
        made: the decision.
        is_allowed: whether its context is known to have allowed coordinates.

    Raises:
        ValueError: where the agent cannot have made it.
    """
    core = change.core
    if core.bound.stage == 0:
        raise ValueError("a worker must not decide before the agent knows its contexts")
    key = made.options.key
    # A decision of others that came to the agent itself may have the key meanwhile.
    if key is not None and change.writer is not None and change.writer.keyed(key) is not None:
        raise ValueError(f"key {quoted(key)} is that of another decision")

    decision = made.decision
    rows: Any = decision.context
    eligible = decision.eligible
    slots = core.arms.everyone
    if eligible != core.arms.names:
        slots = slots[core.arms.rows(eligible)]

    shape = (1 if core.contexts.shared else len(eligible), core.features)
    if core.features and rows.shape != shape:
        raise ValueError(f"context must have shape {shape}, got {rows.shape}")
    if not is_allowed:
        core.guard.check_context(rows)

    place = eligible.index(decision.arm)
    slot = int(slots[place])
    pending: Pending = core.pending_of(rows, slot, place, change.now)

    return pending if made.options.active else pending._replace(since=INACTIVE)


def keep_of_worker(
    core: AgentCore, made: DecisionOfWorker, context: Any, eligible: Sequence[Hashable] | None
) -> Decision:
    """The decision of a worker as it was kept.

    Args:
        core: of the agent.
        made: the decision, without a context.
        context: as an application would give it.
        eligible: the arms that could be played; None: all.

    Raises:
        ValueError: where the agent cannot have made it; nothing has changed then.
    """
    names, _, rows = core.contexts.offer(context, eligible)
    decision = made.decision.replaced(context=rows, eligible=names)
    [reason] = take_in(core, [made._replace(decision=decision)])
    if reason is not None:
        raise ValueError(reason)

    return decision
