"""Transfer of what one agent has learned to another one that goes on in its place.

A file of `Agent.save` has more than what was learned: decisions that wait, and how many there were.
These belong to the log of the agent that made them. So what is taken over is what the policy knows,
the preference, and the streams that are drawn from; decisions that wait go on waiting, and numbers
of decisions go on counting.
"""

import base64
from typing import Any

import numpy as np

from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.loading import core_of_bytes
from mobandits.agent.restoring import possible
from mobandits.agent.saving import copied_state, encoded_state, foreign_recipe
from mobandits.logs.events import State
from mobandits.support.naming import quoted, short_repr


def take_over(core: AgentCore, data: bytes) -> None:
    """Go on from what another agent of the same kind has learned.

    From now on the agent decides as that one would. A log records the state itself, so that it
    leads there again.

    Args:
        core: of the agent.
        data: the content of a file of `Agent.save`, of that agent or of an earlier state of this
            one.

    Raises:
        StateError: where the data are no agent.
        ValueError: where its recipe, objectives, features or arms are others; where a recipe plays
            in stages; where a decision waits that could not be learned from any more. Nothing has
            changed then.
    """
    other, _ = core_of_bytes(data, foreign_recipe(core), core.clock)
    _check_same_kind(core, other)
    if other.bound.order is not None:
        # Outside of the lock: others decide meanwhile, by the order before.
        core.bound.prepare_for(other.bound.order)

    _go_on_from(core, other)


def take_over_again(core: AgentCore, event: State) -> None:
    """Replay that a state was taken over.

    Raises:
        ValueError: where the event does not hold it.
    """
    data = base64.b64decode(event.state, validate=True)
    other, _ = core_of_bytes(data, foreign_recipe(core), core.clock)
    _go_on_from(core, other)


def _go_on_from(core: AgentCore, other: AgentCore) -> None:
    with core.lock, Change(core) as change:
        # Once more: an arm may have come or gone since.
        _check_same_kind(core, other)
        state = _state_to_take(core, other)
        _check_waiting(core, state)
        text = ""
        if change.writer is not None:
            # Without its decisions, which are of another log.
            other.pending.open.clear()
            other.pending.settled.clear()
            kept = encoded_state(copied_state(other))
            text = base64.b64encode(kept).decode()

        change.write(State(state=text))
        _apply(core, other, state)


def _check_same_kind(core: AgentCore, other: AgentCore) -> None:
    """Refuse an agent whose state means something else."""
    mine = _kind_of(core)
    theirs = _kind_of(other)
    for name, value in mine.items():
        if theirs[name] != value:
            got = quoted(short_repr(theirs[name]))
            raise ValueError(f"state must be of an agent with the same {name}, got {got}")

    first = next(iter(core.bound.recipe.stages(core.bound.shape)))
    if first.rounds is not None or core.bound.stage > 1 or other.bound.stage > 1:
        recipe = type(core.recipe).__name__
        raise ValueError(f"state must be of a recipe that plays without stages, got {recipe}")


def _kind_of(core: AgentCore) -> dict[str, Any]:
    """Facts that must be the same, by their names in messages."""
    names = sorted(core.arms.names, key=repr)
    # An arm that came after another one left sits in its place, and so does what is known of it.
    slots = [core.arms.slot(name) for name in names]
    return {
        "recipe": core.recipe,
        "objectives": core.objectives,
        "features": core.declared_features,
        "arms": names,
        "places of arms": (slots, len(core.arms.slots)),
    }


def _state_to_take(core: AgentCore, other: AgentCore) -> Any:
    """The state of the other agent; None where neither has begun.

    Raises:
        ValueError: where the contexts of the two are of different shapes.
    """
    mine = core.contexts.shared
    theirs = other.contexts.shared
    if other.bound.stage == 0:
        # It knows nothing yet: this agent begins anew, with contexts as they were.
        return core.bound.recipe_policy.init() if core.bound.stage > 0 else None
    if mine is not None and mine != theirs:
        wanted = "one row for all arms" if mine else "a row per arm"
        raise ValueError(f"state must be of an agent whose contexts have {wanted}, got another one")

    return other.bound.state()


def _check_waiting(core: AgentCore, state: Any) -> None:
    """Refuse a state from which decisions that wait cannot have been made."""
    bound = core.bound
    waiting = [each.note for each in core.pending.open.values() if each.stage == bound.stage]
    if not waiting:
        return

    notes: Any = np.array(waiting, np.float64)
    is_possible = possible(bound.recipe_policy, state, notes)
    if not is_possible.all():
        count = int((~is_possible).sum())
        rule = "decisions that wait must fit the state: reward or abandon them first"
        raise ValueError(f"{rule}, got {count} that do not")


def _apply(core: AgentCore, other: AgentCore, state: Any) -> None:
    bound = core.bound
    bound.rng.bit_generator.state = other.bound.rng.bit_generator.state
    bound.propensity_rng.bit_generator.state = other.bound.propensity_rng.bit_generator.state
    bound.set_order(other.bound.order)
    core.lessons = other.lessons
    if state is None:
        return

    if core.contexts.shared is None:
        shared = bool(other.contexts.shared)
        core.contexts.set_layout(shared=shared)
        bound.shape = bound.shape.replaced(shared=shared)
    bound.restore(1, None, lambda _: state)
