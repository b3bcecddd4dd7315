"""The first k arms of a policy, in order, and the probability of that order.

The first arm is drawn by the policy among all eligible arms; each further one by the same policy,
in the same state, among the arms that are left. Of a policy that plays a front, the arms so come
from the front, then from the front of what is left, and so on: peeling fronts.

A rank is a decision of its own, as `decide` makes it for the arms that are left: with an id under
which rewards, activation and abandonment are reported, a note, and the conditional probability of
its arm. So no policy, file or log needs to know of rankings, and what is learned is exactly what
as many calls of `decide` teach. By the chain rule the probability of the order is

    p(a_1, ..., a_k) = p(a_1) p(a_2 | left of a_1) ... p(a_k | left of a_1, ..., a_{k-1}),

which is exact where each factor is: where beliefs are drawn, none of them is known.
"""

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

from mobandits.agent.core import AgentCore, Made
from mobandits.agent.decision import Decision, Offer
from mobandits.agent.inputs import check_counts
from mobandits.agent.keyed import made_before
from mobandits.agent.keys import CallOptions, as_given, call_options
from mobandits.agent.pending import INACTIVE


def decide_ranking(
    core: AgentCore,
    context: Any,
    eligible: Iterable[Hashable] | None,
    top: Any,
    key: str | None,
    active: bool,
) -> Decision[Any]:
    """The decision of the first rank, with those of the further ranks; see `Agent.decide`."""
    check_counts(top=(top, 1))
    with core.lock:
        _check_known(core)
        arms = as_given(eligible)
        context = core.contexts.encoded(context)
        options = call_options(key, active, context, ("top", int(top), arms))
        if key is not None:
            earlier = made_before(core, options, context, arms)
            if earlier is not None:
                core.contexts.forget_unseen()
                return earlier

        ranking = _decide_new(core, context, arms, int(top), options)
        if key is not None and core.writer is None:
            core.keys.remember(options, ranking)

        return ranking


def _check_known(core: AgentCore) -> None:
    """Refuse sampled propensities: a ranking needs exact ones."""
    if core.propensity == "sampled":
        name = type(core.recipe).__name__
        raise ValueError(
            f"top needs propensity='exact' or 'none', got 'sampled' with {name}: a product of "
            "sampled probabilities is not that of the order"
        )


def _decide_new(
    core: AgentCore,
    context: Any,
    eligible: Iterable[Hashable] | None,
    count: int,
    options: CallOptions,
) -> Decision:
    """A decision for every rank, all of them or, where a step fails, none."""
    writer = core.writer
    bound = core.bound
    streams = None if writer is None else bound.streams()
    position = bound.position() if bound.stage == 0 else None
    try:
        offer = core.contexts.offer(context, eligible)
        if core.pending.ledger is not None:
            offer = core.within_budgets(offer, count)

        _check_count(count, offer)
        if position is not None:
            core.begin_stage([offer[2]])

        _check_without_stages(core)
        now = core.advance_clock()
        made = _make_ranks(core, offer, now, count)
        # A warning may be an error, so that nothing may have been kept before.
        for _, pending, norm in made:
            core.guard.check_features(pending.x, norm)

        decisions = [decision for decision, _, _ in made]
        if writer is not None:
            writer.write_ranking(decisions, now, options)
    except BaseException:
        core.go_back(position, streams)
        raise

    for _, pending, _ in made:
        kept = pending if options.active else pending.active_since(INACTIVE)
        core.pending.add(kept)

    core.contexts.count_unseen()
    if writer is not None:
        writer.done(core)

    first, *further = decisions

    return first.replaced(further=tuple(further))


def _check_count(count: int, offer: Offer) -> None:
    arms = len(offer[0])
    if count > arms:
        raise ValueError(f"top must be at most the number of eligible arms, {arms}, got {count}")


def _check_without_stages(core: AgentCore) -> None:
    # A stage could end between two ranks, and the next one plays another policy from scratch.
    if core.bound.left is not None:
        name = type(core.recipe).__name__
        raise ValueError(f"top needs a recipe that plays without stages, got {name}")


def _make_ranks(core: AgentCore, offer: Offer, now: float, count: int) -> list[Made]:
    """Decisions of all ranks; nothing is kept yet."""
    first = core.pending.next_id
    made = []
    for rank in range(count):
        made.append(core.make(offer, now, first + rank))
        decision, _, _ = made[-1]
        offer = _without(offer, decision.arm)

    return made


def _without(offer: Offer, arm: Hashable) -> Offer:
    """An offer of the arms that are left."""
    names, slots, rows = offer
    place = names.index(arm)
    left = names[:place] + names[place + 1 :]
    has_row_per_arm = len(rows) > 1
    # Every decision holds rows of its own, into which applications may write.
    rows_left = np.delete(rows, place, axis=0) if has_row_per_arm else rows.copy()

    return left, np.delete(slots, place), rows_left
