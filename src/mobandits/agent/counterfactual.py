"""Counterfactuals: the arm that an agent would have played in place of somebody else's decision."""

from collections.abc import Hashable

import numpy as np

from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Counterfactual, Offer
from mobandits.errors import BudgetError


def counterfactual_of(
    core: AgentCore, offer: Offer, arm: Hashable, now: float
) -> Counterfactual | None:
    """Counterfactual of a decision; None where the agent is asked for no propensities.

    Neither the agent nor a stream of it changes.

    Args:
        core: of the agent, which has begun.
        offer: the arms that could be played, and the context.
        arm: that was played.
        now: the time.
    """
    if core.propensity == "none":
        return None
    try:
        names, slots, rows = core.within_budgets(offer, now)
    except BudgetError:
        # It would not have decided.
        return None

    draws = core.samples if core.propensity == "sampled" else 1
    # Another one for every decision, and the same for the same one.
    rng = np.random.default_rng([core.seed, 3, core.pending.next_id])
    probabilities = core.bound.probabilities(rows, slots, rng, draws)
    likeliest = int(np.argmax(probabilities))
    propensity = 0.0
    if arm in names:
        propensity = float(probabilities[names.index(arm)])

    return Counterfactual(names[likeliest], propensity)
