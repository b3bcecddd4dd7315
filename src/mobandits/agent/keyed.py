"""Decisions with a key of a client: a call that is tried again is answered as it was."""

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Decision
from mobandits.agent.inputs import Eligible
from mobandits.agent.keys import CallOptions, another_context, as_given, call_options
from mobandits.contracts.protocols import Array


def decide_once(
    core: AgentCore,
    context: Any,
    eligible: Eligible,
    key: str | None,
    active: bool,
    session: str | None = None,
) -> Decision[Any]:
    """A decision with options, made now or, with a client's key, before; see `Agent.decide`."""
    with core.lock:
        arms = None if eligible is None else as_given(eligible)
        # First, since a request is known by its numbers.
        if core.encoder is not None:
            context = core.contexts.encoded(context)
        if key is not None and not isinstance(context, Mapping):
            context = core.contexts.numbers("context", context)
        options = call_options(key, active, context, arms, session)
        if session is not None:
            core.sessions.check(session)
        earlier = made_before(core, options, context, arms)
        if earlier is not None:
            core.contexts.forget_unseen()
            return earlier

        decision = core.decide(context, arms, options)
        if core.writer is None:
            core.keys.remember(options, decision)

        return decision


def made_before(
    core: AgentCore, options: CallOptions, context: Any, eligible: Eligible
) -> Decision | None:
    """The decision of an earlier call with the same key; None where there is none, or no key.

    Raises:
        ValueError: where that call had another context.
    """
    if options.key is None:
        return None

    lookup = core.keys.find if core.writer is None else core.writer.keyed
    found = lookup(options.key)
    if found is None:
        return None

    request, decision = found
    if request != options.request:
        raise another_context(options.key, decision.id)

    rows = None
    # Where arms came or went, the context may have no meaning among those of today.
    with contextlib.suppress(ValueError):
        names, _, offered = core.contexts.offer(context, eligible)
        if names == decision.eligible:
            rows = offered

    further = []
    for later in decision.further:
        context_of_later = _rows_among(decision, later, rows)
        further.append(answered(later, context_of_later))

    return answered(decision, rows).replaced(further=tuple(further))


def answered(decision: Decision, rows: Array | None) -> Decision:
    """An earlier decision as the answer to a call that was tried again."""
    return decision.replaced(context=rows, scores=None, replayed=True)


def _rows_among(first: Decision, later: Decision, rows: Array | None) -> Array | None:
    """The rows of the arms that were left for a later rank; where arms share one, that row."""
    if rows is None:
        return None

    is_shared = len(rows) < len(first.eligible)
    if is_shared:
        return rows.copy()

    is_left = np.array([name in later.eligible for name in first.eligible])
    rows_left: Array = rows[is_left]

    return rows_left
