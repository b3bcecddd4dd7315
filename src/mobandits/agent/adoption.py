"""A decision that somebody else made, which the agent learns from."""

import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.counterfactual import counterfactual_of
from mobandits.agent.decision import Adoption, Decision
from mobandits.agent.inputs import reward_list
from mobandits.agent.keyed import made_before
from mobandits.agent.keys import call_options
from mobandits.contracts.notes import note_of, possible_notes
from mobandits.contracts.protocols import Policy, Recipe
from mobandits.logs.objectives import Names
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value


def adopt(
    core: AgentCore,
    context: Any,
    arm: Hashable,
    propensity: float | None,
    rewards: Any,
    key: str | None,
    *,
    compare: bool = False,
    own: bool = False,
) -> Decision[Any]:
    """A decision that somebody else made; see `Agent.adopt`.

    With `own`, one that the agent made itself and that is taken as it was: its costs count.
    """
    with core.lock:
        request = ("adopted", arm)
        context = core.contexts.encoded(context)
        options = call_options(key, True, context, request)
        new = _reward_or_none(core, rewards)
        earlier = made_before(core, options, context, None)
        if earlier is not None:
            core.contexts.forget_unseen()
            _learn_again(core, earlier, rewards)
            return earlier

        probability = None
        if propensity is not None:
            number("propensity", propensity, above=0.0, at_most=1.0)
            probability = float(propensity)

        with Change(core) as change:
            bound = core.bound
            names, slots, rows = core.contexts.offer(context, None)
            place = _place_of(core, arm, names)
            if bound.stage == 0:
                change.begin_stage([rows])

            check_adoptable(core.recipe, bound, "adopt")
            core.guard.check_context(rows)
            _check_rewards(core, new)
            pending = core.pending_of(rows, int(slots[place]), place, change.now)
            norm = math.sqrt(pending.x @ pending.x)
            core.guard.check_features(pending.x, norm)
            counterfactual = None
            if compare:
                # Before anything is learned, and after what time has brought.
                offer = (names, slots, rows)
                counterfactual = counterfactual_of(core, offer, names[place], change.now)

            decision = Decision(
                core.pending.next_id,
                names[place],
                probability,
                context=rows,
                eligible=names,
                counterfactual=counterfactual,
            )
            if change.writer is not None:
                adoption = Adoption(decision, new, key=key, request=options.request)
                change.writer.write_adoptions([adoption], change.now)

            change.is_written = True
            core.pending.add(pending, adopted=not own)
            core.contexts.count_unseen()
            if new is not None:
                core.teach(decision.id, pending, new, new, core.scales.inward(new))
            if core.writer is None:
                core.keys.remember(options, decision)

            return decision


def check_adoptable(recipe: Recipe, bound: BoundPolicy, call: str) -> None:
    """Refuse a recipe that can only learn from its own decisions.

    Args:
        recipe: of the policy.
        bound: the policy and its state.
        call: what errors say that needs it.

    Raises:
        ValueError: where its updates need the notes of a choice, or it plays in stages.
    """
    refuse_notes(recipe, bound.recipe_policy, bound.state(), bound.left, call)


def refuse_notes(recipe: Recipe, policy: Policy, state: Any, left: int | None, call: str) -> None:
    """Refuse a policy that can only learn from its own decisions.

    Args:
        recipe: of the policy.
        policy: that learns.
        state: of the policy.
        left: decisions that its stage has left; None: it has no end.
        call: what errors say that needs it.

    Raises:
        ValueError: as `check_adoptable`.
    """
    name = type(recipe).__name__
    if left is not None:
        raise ValueError(
            f"{call} needs a recipe that plays without an end, got {name}, which plays in stages"
        )

    note = note_of(policy)
    is_number = not isinstance(note, tuple)
    both = np.array([0.0, 1.0])
    # Where every number is possible, nobody knows what it means.
    if not is_number or possible_notes(policy, state, both).tolist() != [True, False]:
        raise ValueError(
            f"{call} needs a recipe that learns from context, arm and reward alone, got "
            f"{name}, which notes how it chose"
        )


def _learn_again(core: AgentCore, earlier: Decision, rewards: Any) -> None:
    """Learn what is new of the rewards of a call that is tried again."""
    pending = core.pending
    is_known = earlier.id in pending.open or earlier.id in pending.settled
    if rewards is not None and is_known:
        core.learn(earlier.id, rewards)


def _reward_or_none(core: AgentCore, rewards: Any) -> list[float] | None:
    """(objectives,) NaN where not observed; None where nothing is known."""
    if rewards is None:
        return None
    new = reward_list(rewards, core.reward_places)
    return None if all(map(math.isnan, new)) else new


def _check_rewards(core: AgentCore, new: list[float] | None) -> None:
    if new is not None:
        core.guard.check_rewards(core.scales.inward(new))
        core.ledger.check_bills(new)
        core.expectations.check(new)


def _place_of(core: AgentCore, arm: Hashable, names: Names) -> int:
    """Position of an arm among those that have a row in the context."""
    row = int(core.arms.rows([arm], "arm")[0])
    name = core.arms.names[row]
    if name not in names:
        raise wrong_value("context must have a row for the arm that was played", arm)
    return names.index(name)
