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

from collections.abc import Hashable
from typing import Any

import numpy as np

from mobandits.agent.batches import keep_all
from mobandits.agent.change import Draw
from mobandits.agent.core import AgentCore, Made
from mobandits.agent.decision import Decision, Offer, narrowed
from mobandits.agent.inputs import Eligible, check_counts
from mobandits.agent.keyed import made_before
from mobandits.agent.keys import CallOptions, as_given, call_options
from mobandits.support.naming import wrong_value


def decide_ranking(
    core: AgentCore,
    context: Any,
    eligible: Eligible,
    top: Any,
    key: str | None,
    active: bool,
    session: str | None = None,
) -> Decision[Any]:
    """The decision of the first rank, with those of the further ranks; see `Agent.decide`."""
    if session is not None:
        raise wrong_value("session must be None with top", session)
    check_counts(top=(top, 1))
    count = int(top)
    name = type(core.recipe).__name__
    with core.lock:
        if core.propensity == "sampled":
            raise ValueError(
                f"top needs propensity='exact' or 'none', got 'sampled' with {name}: a product of "
                "sampled probabilities is not that of the order"
            )

        arms = as_given(eligible)
        context = core.contexts.encoded(context)
        options = call_options(key, active, context, ("top", count, arms))
        earlier = made_before(core, options, context, arms)
        if earlier is not None:
            core.contexts.forget_unseen()
            return earlier

        with Draw(core) as change:
            offer = core.contexts.offer(context, arms)
            offer = core.within_budgets(offer, change.now, count)
            eligible_count = len(offer[0])
            if count > eligible_count:
                rule = f"top must be at most the number of eligible arms, {eligible_count}"
                raise ValueError(f"{rule}, got {count}")
            if core.bound.stage == 0:
                change.begin_stage([offer[2]])

            # A stage could end between two ranks, and the next one plays another policy from scratch.
            if core.bound.left is not None:
                raise ValueError(f"top needs a recipe that plays without stages, got {name}")

            made = _make_ranks(core, offer, change.now, count)
            # Further ranks have no key of their own.
            of_further = CallOptions(active=options.active)
            options_of_calls = [options, *[of_further] * (count - 1)]
            (ranking,) = keep_all(change, made, options_of_calls, are_ranks=True)

            return ranking


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
    names = offer[0]
    everyone = np.arange(len(names))
    return narrowed(offer, np.delete(everyone, names.index(arm)))
