"""Decisions for many contexts, all in one moment."""

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mobandits.agent import compiled_calls
from mobandits.agent.bound_policy import FAILURES
from mobandits.agent.change import Change, Draw
from mobandits.agent.core import AgentCore, Made
from mobandits.agent.decision import Decision
from mobandits.agent.inputs import Eligible
from mobandits.agent.keyed import answered, made_before
from mobandits.agent.keys import ORDINARY, CallOptions, as_given, call_options
from mobandits.agent.pending import INACTIVE
from mobandits.contracts.protocols import Array, IntArray
from mobandits.logs.objectives import Names
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted


def decide_batch(
    core: AgentCore,
    contexts: Any,
    eligible: Eligible,
    options_of_calls: Sequence[CallOptions] | None = None,
) -> list[Decision[Any]]:
    """A new decision per context, all in one moment; see `Agent.decide_batch`.

    Args:
        core: of the agent.
        contexts: of the decisions.
        eligible: the arms that may be played, in all of them; None: all.
        options_of_calls: for each decision; None: the ordinary ones.
    """
    with core.lock, Draw(core) as change:
        offers = core.contexts.offers(contexts, eligible)
        count = len(offers[2])
        if count == 0:
            return []

        names, slots, tables = core.within_budgets(offers, change.now, count)
        if core.bound.left == 0 or core.bound.stage == 0:
            change.begin_stage(tables)
        elif core.bound.left is not None:
            # A stage may end on the way.
            change.remember()

        made = _make_many(core, names, slots, tables, change.now)
        return keep_all(change, made, options_of_calls or [ORDINARY] * count)


def keep_all(
    change: Change,
    made: Sequence[Made],
    options_of_calls: Sequence[CallOptions],
    *,
    are_ranks: bool = False,
) -> list[Decision]:
    """Write and keep decisions that were made in one moment, all of them or none.

    Args:
        change: the call that makes them.
        made: the decisions.
        options_of_calls: for each of them.
        are_ranks: whether they are for one context: then the first one has the others.
    """
    core = change.core
    # A warning may be an error, so that nothing may have been kept before.
    for _, pending, norm in made:
        core.guard.check_features(pending.x, norm)

    decisions = [decision for decision, _, _ in made]
    if change.writer is not None:
        change.writer.write_decisions(decisions, change.now, options_of_calls, are_ranks=are_ranks)

    change.is_written = True
    for (_, pending, _), options in zip(made, options_of_calls, strict=True):
        kept = pending if options.active else pending._replace(since=INACTIVE)
        core.pending.add(kept)

    if are_ranks:
        first, *further = decisions
        decisions = [first.replaced(further=tuple(further))]
    if change.writer is None:
        for options, decision in zip(options_of_calls, decisions, strict=False):
            core.keys.remember(options, decision)

    core.contexts.count_unseen()

    return decisions


def decide_batch_once(
    core: AgentCore,
    contexts: Any,
    eligible: Eligible,
    keys: Iterable[str | None],
) -> list[Decision[Any]]:
    """A decision per context: that of its key, made now or before; see `Agent.decide_batch`."""
    with core.lock:
        arms = as_given(eligible)
        contexts = core.contexts.encoded_many(contexts)
        # As the application gave them, and not as they are offered to the policy: a context from
        # before an arm came or went has its answer under its key, though it fits no more.
        tables: Any = None
        with contextlib.suppress(ValueError):
            tables = as_float_array("contexts", contexts)
        if tables is None or tables.ndim < 2:
            # Refused, or no context at all.
            decisions = decide_batch(core, contexts, arms)
            _checked_keys(keys, len(decisions))
            return decisions

        pairs = zip(_checked_keys(keys, len(tables)), tables, strict=True)
        options_of_calls = [call_options(key, True, context, arms) for key, context in pairs]

        first = _first_positions(options_of_calls)
        answers = {}
        new = []
        for position in dict.fromkeys(first):
            earlier = made_before(core, options_of_calls[position], tables[position], arms)
            if earlier is None:
                new.append(position)
            else:
                answers[position] = earlier

        # Nothing has happened so far: either all new decisions are made, or none.
        if new:
            new_options = [options_of_calls[position] for position in new]
            made = decide_batch(core, tables[new], arms, new_options)
            answers |= dict(zip(new, made, strict=True))
        else:
            core.contexts.forget_unseen()

        complete = []
        for position, source in enumerate(first):
            decision = answers[source]
            complete.append(decision if position == source else _again(decision))

        return complete


def _checked_keys(keys: Any, count: int) -> list[Any]:
    """A key, or None, per context; what it holds is checked later."""
    is_list = isinstance(keys, Iterable) and not isinstance(keys, str | bytes)
    listed = list(keys) if is_list else []
    if not is_list or len(listed) != count:
        got = f"{len(listed)} of them" if is_list else quoted(keys)
        raise ValueError(
            f"keys must be a list of a text or None per context, of which there are {count}, "
            f"got {got}"
        )

    return listed


def _first_positions(options_of_calls: Sequence[CallOptions]) -> list[int]:
    """Per call, the position of the first one with its key; without a key, its own.

    Raises:
        ValueError: where a key comes again with another context.
    """
    first_with_key: dict[str, int] = {}
    first = []
    for position, options in enumerate(options_of_calls):
        source = position
        if options.key is not None:
            source = first_with_key.setdefault(options.key, position)
        if options_of_calls[source].request != options.request:
            raise ValueError(
                f"keys must be different for different contexts, got {quoted(options.key)} twice"
            )

        first.append(source)

    return first


def _again(decision: Decision) -> Decision:
    """The decision of a key that comes again in a batch."""
    # An array of its own, as every answer has: applications may write into it.
    rows = None if decision.context is None else decision.context.copy()
    return answered(decision, rows)


def _make_many(
    core: AgentCore, names: Names, slots: IntArray, tables: Array, now: float
) -> list[Made]:
    """Decisions between the same arms, in the same state unless a stage ends on the way.

    See `AgentCore.make`.

    Args:
        core: of the agent.
        names: of the eligible arms.
        slots: theirs.
        tables: (decisions, eligible arms or 1, features); left alone.
        now: the time.
    """
    bound = core.bound
    # In one call only where no stage can end on the way, and only arms are asked for.
    if core.propensity == "none" and bound.left is None:
        return _make_at_once(core, names, slots, tables, now)

    first = core.pending.next_id
    made = []
    for position, rows in enumerate(tables.copy()):
        if bound.left == 0:
            bound.begin_stage()

        offer = (names, slots, rows)
        number = first + position
        made.append(core.make(offer, now, number))
        if bound.left is not None:
            bound.left -= 1

    return made


def _make_at_once(
    core: AgentCore, names: Names, slots: IntArray, tables: Array, now: float
) -> list[Made]:
    """As `_make_many`, in one compiled call, for agents of which only arms are asked."""
    bound = core.bound
    guard = core.guard
    chosen = np.zeros(len(tables), np.int64)
    norms_and_notes = np.empty((len(tables), 1 + bound.note_size))
    try:
        bound.session.call(
            compiled_calls.decide_many,
            tables,
            slots,
            guard.low,
            guard.high,
            chosen,
            norms_and_notes,
        )
    except FAILURES as failure:
        bound.refuse_arithmetic(failure)

    if (chosen < 0).any():
        guard.refuse(tables)

    made = []
    number = core.pending.next_id
    for rows, place, (norm, *note) in zip(
        tables.copy(),
        chosen.tolist(),
        norms_and_notes.tolist(),
        strict=True,
    ):
        slot = int(slots[place])
        pending = core.pending_of(rows, slot, place, now, tuple(note))
        decision = Decision(
            number,
            names[place],
            context=rows,
            eligible=names,
            all_break=bound.has_limits and bound.all_break(rows, slots),
        )
        made.append((decision, pending, norm))
        number += 1

    return made
