"""An application's terms: the names, directions and units in which it speaks of a problem.

A policy knows objectives and arms by number, and more is always better. A recipe with limits on
rewards, or with a certain arm in it, is written in the application's own terms: "cost", in dollars,
less is better. An agent gives its recipe its `ApplicationTerms` before it binds it. In a simulation there are
none: objectives and arms are numbers there, and rewards are what the environment pays.
"""

import copy
import dataclasses
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple


class ApplicationTerms(NamedTuple):
    """The terms of an application.

    Attributes:
        objectives: the names of the objectives.
        lines: (offset, factor) of each: the policy learns (reward - offset) factor.
        minimised: of each, whether less is better.
        arms: {name: slot}.
        ranges: (low, high) of each in its own unit, infinite where it has none; empty: of none.
    """

    objectives: tuple[Hashable, ...]
    lines: tuple[tuple[float, float], ...]
    minimised: tuple[bool, ...]
    arms: Mapping[Hashable, int]
    ranges: tuple[tuple[float, float], ...] = ()


def in_terms(recipe: Any, terms: ApplicationTerms | None) -> Any:
    """A recipe or an order with the terms of an application, and so all recipes and orders inside.

    A recipe that needs them has a field `terms` that its constructor does not take. An order that
    compares rewards in their own units offers `in_units(terms)`: what compares learned rewards
    likewise. It may be called again, with other terms.

    Args:
        recipe: any; one that needs no terms is returned as it is.
        terms: of the application; None: rewards are learned as they are.
    """
    in_units = getattr(recipe, "in_units", None)
    if callable(in_units):
        return in_units(terms)
    if not dataclasses.is_dataclass(recipe):
        return recipe

    changes = {}
    for field in dataclasses.fields(recipe):
        value = getattr(recipe, field.name)
        if hasattr(value, "bind") or hasattr(value, "front"):
            inner = in_terms(value, terms)
            if inner is not value:
                changes[field.name] = inner

    needs_terms = any(
        field.name == "terms" and not field.init for field in dataclasses.fields(recipe)
    )
    if not changes and not needs_terms:
        return recipe

    # Recipes are frozen; the copy is not seen by anybody before it has its terms.
    with_terms = copy.copy(recipe)
    if needs_terms:
        changes["terms"] = terms
    for name, value in changes.items():
        object.__setattr__(with_terms, name, value)

    return with_terms


def with_preference(recipe: Any, order: Any) -> Any:
    """A recipe that compares arms by an order, where neither it nor a recipe inside of it says one.

    A recipe says its order in a field `order`, which is None where it leaves that to others.

    Args:
        recipe: any; one that says its order, or has none, is returned as it is.
        order: the preference of an application; None: the recipe's own.

    Raises:
        ValueError: where the recipe cannot play by that order.
    """
    if order is None or not dataclasses.is_dataclass(recipe):
        return recipe

    changes = {}
    for field in dataclasses.fields(recipe):
        value = getattr(recipe, field.name)
        if field.name == "order" and field.init and value is None:
            changes["order"] = order
        elif hasattr(value, "bind"):
            inner = with_preference(value, order)
            if inner is not value:
                changes[field.name] = inner

    return dataclasses.replace(recipe, **changes) if changes else recipe  # type: ignore[type-var]


def recipes_in(recipe: Any) -> Iterator[Any]:
    """A recipe and all recipes inside of it, the outer one first.

    Example:
        >>> from mobandits.policies import MolUcb, WithFloor
        >>> [type(each).__name__ for each in recipes_in(WithFloor(MolUcb()))]
        ['WithFloor', 'MolUcb']
    """
    yield recipe
    if not dataclasses.is_dataclass(recipe):
        return

    for field in dataclasses.fields(recipe):
        value = getattr(recipe, field.name)
        if hasattr(value, "bind"):
            yield from recipes_in(value)


def has_prices(recipe: Any) -> bool:
    """Whether a recipe, or one inside of it, begins with prices that a log tells."""
    return any(callable(getattr(each, "first_prices", None)) for each in recipes_in(recipe))


def first_prices(recipe: Any, policy: Any, rounds: Any, state: Any | None = None) -> Any | None:
    """The prices of costs with which a policy begins, by a log; None where it has none.

    A recipe whose policy has prices offers `first_prices(policy, rounds, state)`: a NamedTuple of
    arrays, whose names are those of accounts in the policy's state (`contracts.states.Field`).

    Args:
        recipe: of the policy; one inside of it may be the one with prices.
        policy: with the order that is played.
        rounds: `contracts.protocols.LoggedRounds`.
        state: of the policy, where it has begun; None: it has not.
    """
    for each in recipes_in(recipe):
        if callable(getattr(each, "first_prices", None)):
            return each.first_prices(policy, rounds, state)

    return None


MOST_FACTOR = 1e9  # by which all announcements together may change what an arm costs


class CostFactors(NamedTuple):
    """The factors by which announcements have changed what arms cost.

    Attributes:
        objectives: the objective of each budget.
        factor: (arms, budgets) of every slot, 1 where nothing was announced; a part of the state.
        cheapest: (budgets,) the mean cost of a log's cheapest arm, likewise; 0: not known.
    """

    objectives: tuple[int, ...]
    factor: Any
    cheapest: Any


def cost_factors(recipe: Any, policy: Any, state: Any) -> CostFactors | None:
    """The announced factors that a policy multiplies costs by; None where it knows of none.

    A recipe whose policy does offers `cost_factors(policy, state)`.

    Args:
        recipe: of the policy; one inside of it may be the one with prices.
        policy: in this state.
        state: whose factors may be written.
    """
    for each in recipes_in(recipe):
        if callable(getattr(each, "cost_factors", None)):
            factors: CostFactors = each.cost_factors(policy, state)
            return factors

    return None


def arms_named(recipe: Any) -> Iterator[Hashable]:
    """The arms that a recipe, or one inside of it, names: they cannot leave.

    A recipe that names arms lists the fields in `ARM_FIELDS`, and those of pairs of an arm and a
    number in `ARM_SHARES_FIELDS`.
    """
    for each in recipes_in(recipe):
        for name in getattr(each, "ARM_FIELDS", ()):
            arm = getattr(each, name)
            if arm is not None:
                yield arm

        for name in getattr(each, "ARM_SHARES_FIELDS", ()):
            for arm, _ in getattr(each, name) or ():
                yield arm


def constants_in_reward_units(recipe: Any) -> Iterator[str]:
    """The constants of a recipe, and of recipes inside of it, that are in units of the rewards.

    A recipe that has some lists the fields in `REWARD_UNIT_FIELDS`; a text in one is no constant.

    Example:
        >>> from mobandits.policies import MolUcb, WithFloor
        >>> list(constants_in_reward_units(WithFloor(MolUcb(scale=0.3))))
        ['MolUcb.scale = 0.3']
        >>> list(constants_in_reward_units(MolUcb()))
        []
    """
    for each in recipes_in(recipe):
        for name in getattr(each, "REWARD_UNIT_FIELDS", ()):
            value = getattr(each, name)
            if not isinstance(value, str):
                yield f"{type(each).__name__}.{name} = {value:g}"
