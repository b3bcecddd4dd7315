"""Another recipe, and other limits, for an agent that goes on with what it has learned."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.adoption import check_adoptable
from mobandits.agent.bound_policy import BoundPolicy
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.first_prices import begin_with, prices_by
from mobandits.agent.guard import Guard
from mobandits.agent.inputs import UNCHANGED, as_seconds, check_counts, check_is_recipe
from mobandits.agent.objectives import as_objectives
from mobandits.agent.parameters import (
    CHANGEABLE,
    as_described,
    as_recorded,
    new_parts,
    parameters_in,
    parameters_of,
)
from mobandits.agent.relearning import relearned
from mobandits.agent.replayed_events import set_clock
from mobandits.agent.repricing import log_at_hand
from mobandits.agent.resize_state import arrays, copy_of_state
from mobandits.contracts.composition import composite, context_maps
from mobandits.contracts.protocols import Policy, Recipe
from mobandits.contracts.states import accounts_of, declares
from mobandits.contracts.terms import cost_factors, has_prices
from mobandits.logs.events import Correct, Description, Retune
from mobandits.logs.objectives import Names, Objectives
from mobandits.orders.by_number import by_number
from mobandits.support.checks import choice, number
from mobandits.support.naming import quoted, wrong_value

PROPENSITIES = ("exact", "sampled", "none")


def retune(
    core: AgentCore,
    recipe: Recipe | None,
    pending: int | None,
    max_age: Any,
    propensity: Any,
    objectives: Any = None,
    again: Description | None = None,
) -> None:
    """Go on with other parameters; see `Agent.retune`.

    With `again`, what an event of the log says came of it, in place of what would come now.
    """
    with core.lock, Change(core) as change:
        limit = core.pending.limit if pending is None else pending
        age = core.pending.max_age if max_age is UNCHANGED else max_age
        new = core.recipe if recipe is None else recipe
        check_is_recipe(new)
        goal = core.objectives if objectives is None else as_objectives(objectives)
        names = tuple(each.name for each in goal)
        _check_places(core, names, recipe)
        new = by_number(new, names)
        law = _kept_propensity(core, new) if propensity is None else propensity
        check_counts(pending=(limit, 1))
        if age is not None:
            number("max_age", age, above=0.0)
        choice("propensity", law, PROPENSITIES)

        bound = None
        if new != core.recipe or law != core.propensity or goal != core.objectives:
            bound = rebound(core, new, law, goal)

        prices = None
        if again is not None:
            prices = again.get("prices")
        elif bound is not None and goal == core.objectives and has_prices(new):
            prices = prices_by(core, bound, log_at_hand(core))
        values = (new, limit, age, law, goal)
        parameters = dict(zip(CHANGEABLE, values, strict=True))
        event = Retune(before={}, after={})
        if change.writer is not None:
            event.before = as_recorded(parameters_of(core))
            event.after = as_recorded(parameters)
            if prices is not None:
                event.after["prices"] = prices

        changed = as_described(parameters) | _dropped(core, names)
        change.write(event, changed)

        if bound is not None:
            begin_with(bound, prices)
        _apply(core, new, law, bound)
        if goal != core.objectives:
            _take_objectives(core, goal)
        was_timed = core.is_timed
        core.pending.set_limits(int(limit), age)
        core.set_timed()
        if core.is_timed and not was_timed:
            # Nobody asked for the time when these decisions were made: they count from now on.
            core.now = max(core.now, as_seconds(core.clock()))
            core.pending.set_times(core.now)


def retune_again(core: AgentCore, event: Retune) -> None:
    """Replay a change of parameters, at its time."""
    set_clock(core, event)
    parameters = parameters_in(event.after, core)
    retune(core, again=event.after, **{name: parameters[name] for name in CHANGEABLE})


def core_at_start(core: AgentCore, arms: Names, event: Retune | None) -> AgentCore:
    """The core of an agent that has decided nothing, and had the same parameters in the beginning.

    Args:
        core: of the agent as it is.
        arms: those that it began with.
        event: its first change of parameters; None: there was none.
    """
    parameters = parameters_of(core) if event is None else parameters_in(event.before, core)
    return AgentCore(**parameters, **new_parts(core, arms))


def _kept_propensity(core: AgentCore, recipe: Recipe) -> str:
    """The mode of propensities as it is, or the best one that another recipe has in its place."""
    if core.propensity != "exact" or recipe == core.recipe:
        return core.propensity

    bound = BoundPolicy(core.in_own_terms(recipe), core.bound.shape, core.seed, "none")
    return bound.best_propensity()


def _check_places(core: AgentCore, names: Names, recipe: Recipe | None) -> None:
    """Refuse that numbers of objectives, in a recipe or an order, come to mean others."""
    before = core.objective_names
    if names[: len(before)] == before:
        return
    if recipe is None:
        rule = "recipe must be given where objectives go or change places"
        raise ValueError(f"{rule}, got objectives {quoted(names)} for {quoted(before)}")
    if core.bound.order is not None:
        raise wrong_value(
            "preference must be None where objectives go or change places", core.bound.order
        )


def _dropped(core: AgentCore, names: Names) -> Description:
    """What a store says of the objectives that there ever were and are not among these."""
    writer = core.writer
    if names == core.objective_names or writer is None:
        return {}

    before = (writer.store.description or {}).get("dropped", [])
    dropped = [name for name in [*before, *core.objective_names] if name not in names]

    return {"dropped": dropped}


def _take_objectives(core: AgentCore, objectives: Objectives) -> None:
    """Take rewards in other objectives from now on."""
    known = core.reward_places
    places = [known.get(each.name) for each in objectives]
    core.set_objectives(objectives)
    core.pending.set_objectives(objectives, places)
    core.set_budgets([account.budget for account in core.ledger.accounts])
    if core.writer is not None:
        core.writer.objective_names = core.objective_names


def rebound(
    core: AgentCore,
    recipe: Recipe,
    propensity: Any,
    objectives: Objectives,
    corrections: Sequence[Correct] = (),
) -> BoundPolicy:
    """A recipe with what it would have learned of these objectives, with some rewards corrected."""
    old = core.bound
    name = type(recipe).__name__
    own_recipe = core.in_own_terms(recipe, objectives)
    shape = old.shape.replaced(objectives=len(objectives))
    terms = core.own_terms(objectives)
    bound = BoundPolicy(own_recipe, shape, core.seed, propensity, terms)
    bound.rng = old.rng
    bound.propensity_rng = old.propensity_rng
    if old.order is not None:
        bound.check_order(old.order)
        bound.set_order(old.order)
    if old.stage == 0:
        return bound

    call = "correct" if corrections else "retune"
    full_call = call if corrections else f"retune to {name}"
    first = next(iter(own_recipe.stages(shape)))
    if old.left is not None or first.rounds is not None:
        raise ValueError(f"{call} needs recipes that play without stages, got {name}")

    state = None
    if objectives == core.objectives and not corrections:
        state = _taken_over(old.recipe_policy, old.state(), first.policy)
    if state is None:
        state = relearned(core, recipe, objectives, corrections, full_call)
    else:
        _take_over_factors(core, own_recipe, first.policy, state)

    if corrections:
        # Prices and spending of the policy go on.
        for account, before in zip(accounts_of(state), accounts_of(old.state()), strict=True):
            account[...] = before

    bound.restore(1, None, lambda _: state)
    # Decisions that wait have notes of the old recipe, which mean nothing to another one.
    if recipe != core.recipe:
        check_adoptable(recipe, bound, call)

    return bound


def _take_over_factors(core: AgentCore, recipe: Recipe, policy: Policy, state: Any) -> None:
    """Write the announced factors of costs into a state with the statistics of another one.

    Raises:
        ValueError: where costs have changed of which the new recipe would not know.
    """
    before = core.bound.cost_factors()
    if before is None:
        return

    after = cost_factors(recipe, policy, state)
    for j, objective in enumerate(before.objectives):
        if after is not None and objective in after.objectives:
            after.factor[:, after.objectives.index(objective)] = before.factor[:, j]
        elif not np.all(before.factor[:, j] == 1.0):
            name = quoted(core.objective_names[objective])
            raise ValueError(
                f"retune needs a recipe with a budget of {name}, whose costs were changed by "
                f"`reprice` and learned as they were before, got {type(recipe).__name__}"
            )


class _Kept(NamedTuple):
    """Statistics of a policy: an estimator, its first state and the one it is in."""

    estimator: Any
    first: Any
    state: Any


def _taken_over(old: Policy, state: Any, new: Policy) -> Any | None:
    """The state of a new policy with the statistics of an old one; None where they do not fit."""
    if _agree(old, new):
        return copy_of_state(state)
    if context_maps(old) != context_maps(new):
        return None

    first = new.init()
    before = _kept(old, state)
    after = _kept(new, first)
    if before is None or after is None:
        return None
    if before.estimator != after.estimator:
        before = _inner_statistics(before)

    agrees = before.estimator == after.estimator and _same_state(before.first, after.first)
    if not agrees:
        return None

    statistics = copy_of_state(before.state)
    if _begins_anew(new):
        return first._replace(model=statistics)
    return statistics


def _kept(policy: Policy, state: Any) -> _Kept | None:
    """The statistics of a policy; None where its state has more than they."""
    inner = composite(policy)
    if inner is None:
        return None

    estimator = inner.estimator
    # Of an estimator that keeps numbers beside another one's; else a wrapper does.
    if getattr(estimator, "BEGINS_ANEW", False):
        estimator = estimator.model

    first = policy.init()
    if _begins_anew(policy):
        # A wrapper around it may have a state of its own, which then agrees with no estimator's.
        first = getattr(first, "model", first)
        state = getattr(state, "model", state)
    if not _same_classes(first, estimator.init()):
        return None

    return _Kept(estimator, first, state)


def _inner_statistics(kept: _Kept) -> _Kept:
    """Inner estimator of one with sums of its own, such as a scaled regression; else the same."""
    estimator = getattr(kept.estimator, "model", None)
    if estimator is None or not hasattr(kept.state, "model"):
        return kept

    return _Kept(estimator, kept.first.model, kept.state.model)


def _begins_anew(policy: Policy) -> bool:
    """Whether a policy keeps numbers beside what is learned, which belong to it alone.

    An estimator or a wrapper that does declares `BEGINS_ANEW = True`, and has the state of the
    estimator inside of it in a field `model`, which an estimator has as well.
    """
    return composite(policy) is not None and declares(policy, "BEGINS_ANEW")


def _agree(old: Policy, new: Policy) -> bool:
    """Whether two policies learn the same: then statistics of one are those of the other."""
    if old == new:
        return True

    # Explorers and orders read statistics only: what is learned depends on the estimator.
    mine = composite(old)
    theirs = composite(new)
    if mine is None or theirs is None or mine.estimator != theirs.estimator:
        return False

    # Equal regressions of as many features learn something else from other features.
    if context_maps(old) != context_maps(new):
        return False

    # Wrappers keep numbers of their own in the state; and a penalty shows in the first Gram matrix.
    return _same_state(old.init(), new.init())


def _same_state(one: Any, other: Any) -> bool:
    if not _same_classes(one, other):
        return False

    pairs = zip(arrays(one), arrays(other), strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in pairs)


def _same_classes(one: Any, other: Any) -> bool:
    if type(one) is not type(other):
        return False
    if not isinstance(one, tuple):
        return True
    return len(one) == len(other) and all(map(_same_classes, one, other))


def _apply(core: AgentCore, recipe: Recipe, propensity: Any, bound: BoundPolicy | None) -> None:
    is_other = recipe != core.recipe
    core.recipe = recipe
    core.propensity = propensity
    if bound is None:
        return

    was_size = core.bound.note_size
    core.bound = bound
    if not is_other and bound.note_size == was_size:
        return

    core.guard = Guard(recipe)
    nothing = (0.0,) * bound.note_size
    for decision_id, kept in core.pending.open.items():
        # The new recipe notes nothing, and would take the old one's notes for its own.
        core.pending.open[decision_id] = kept._replace(note=nothing)
