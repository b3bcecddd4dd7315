"""Announced prices: what an arm costs changes by a factor, and nothing need be learned anew.

The policy multiplies what it predicts by the factor, and divides what it learns by it. Where a log
is at hand, the price of a unit of cost with which a budget is kept is looked up on it once more, at
the costs of now.
"""

from collections.abc import Hashable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.first_prices import begin_with, last_rounds, prices_by
from mobandits.agent.log_learning import CHUNK
from mobandits.contracts.protocols import Mask
from mobandits.contracts.terms import MOST_FACTOR, CostFactors, cost_factors
from mobandits.logs.events import Add, Reprice
from mobandits.logs.feedback import Feedback
from mobandits.support.checks import number
from mobandits.support.naming import quoted
from mobandits.support.nearest import refusal
from mobandits.support.numbering import is_of_worker

EVERY_CHANGE = 2**31


class _Cost(NamedTuple):
    """A cost of an arm.

    Attributes:
        objective: its name.
        factors: the announced ones of all arms and costs.
        slot: of the arm among them.
        column: of the objective among them.
    """

    objective: Hashable
    factors: CostFactors
    slot: int
    column: int

    @property
    def factor(self) -> float:
        """The cost of now over that of the beginning."""
        return float(self.factors.factor[self.slot, self.column])


class AnnouncedFactor(NamedTuple):
    """What all announcements together say of an arm's cost.

    Attributes:
        arm: the arm.
        objective: the cost.
        factor: the cost of now over that of the beginning.
    """

    arm: Hashable
    objective: Hashable
    factor: float


def reprice(core: AgentCore, arm: Hashable, factor: float, objective: Hashable | None) -> None:
    """Change what an arm costs; see `Agent.reprice`."""
    with core.lock:
        number("factor", factor, above=0.0)
        cost = _checked(core, arm, factor, objective)

    # Outside of the lock: others decide meanwhile, at the price until now.
    log = log_at_hand(core)
    if log is not None:
        log = _at_another_cost(log, arm, cost, factor, np.ones(len(log), bool))

    prices = prices_by(core, core.bound, log, has_begun=True)
    with core.lock, Change(core) as change:
        # Once more: the arm may have left since, or its price have changed.
        _checked(core, arm, factor, cost)
        if core.bound.stage == 0:
            return  # nothing is predicted: all that comes is at the new price

        event = Reprice(
            arm=arm,
            objective=cost,
            factor=float(factor),
            next=core.pending.next_id,
            prices=prices,
        )
        change.write(event)
        if core.writer is None:
            core.log_at_hand = log

        _apply(core, arm, cost, float(factor))
        begin_with(core.bound, prices)


def announced_factors(core: AgentCore) -> list[AnnouncedFactor]:
    """What all announcements together say of the costs of the arms that there are.

    Raises:
        ValueError: where the recipe has no prices of costs.
    """
    with core.lock:
        factors = _factors_of(core)
        announced = []
        for arm in core.arms.names:
            row = factors.factor[core.arms.slot(arm)]
            for j, place in enumerate(factors.objectives):
                name = core.objective_names[place]
                announced.append(AnnouncedFactor(arm, name, float(row[j])))

    return announced


def announced_factor(core: AgentCore, arm: Hashable, objective: Hashable | None) -> float:
    """What all announcements together say of one cost of an arm.

    Args:
        core: of the agent.
        arm: one that there is.
        objective: the cost; None: the one that has a budget.

    Raises:
        ValueError: where there is no such arm or cost, or the recipe has no prices of costs.
    """
    with core.lock:
        return _cost_of(core, arm, objective).factor


def _checked(core: AgentCore, arm: Hashable, factor: float, objective: Hashable | None) -> Hashable:
    """The name of the cost of a change that fits.

    Raises:
        ValueError: where there is no such arm or cost, or all its changes together are too much.
    """
    cost = _cost_of(core, arm, objective)
    together = cost.factor * factor
    if not 1.0 / MOST_FACTOR <= together <= MOST_FACTOR:
        rule = f"factor must leave all changes of an arm within {1.0 / MOST_FACTOR:g} and "
        rule += f"{MOST_FACTOR:g}"
        raise ValueError(f"{rule}, got {quoted(factor)}, with which they are {together:g}")

    return cost.objective


def reprice_again(core: AgentCore, event: Reprice) -> None:
    """Replay a change of what an arm costs, with the prices that were found then.

    Raises:
        ValueError: where the recipe has no such cost.
    """
    core.advance_clock()
    _apply(core, event.arm, event.objective, event.factor)
    begin_with(core.bound, event.prices)


def log_at_hand(core: AgentCore) -> Feedback | None:
    """The last rounds that the agent can still read, at the costs of now.

    They are those of its store, or of what it learned.
    """
    # As in `learn_log`: most agents read no log.
    from mobandits.logs.reading import scan  # noqa: PLC0415

    writer = core.writer
    if writer is None:
        log: Feedback | None = core.log_at_hand
        return log

    store = writer.store
    store.flush()
    rounds = None
    for chunk in scan(store.path, chunk=CHUNK, agent=store.agent):
        rounds = last_rounds(rounds, chunk, core.features)

    if rounds is None:
        return None

    present_names: dict[Hashable, Hashable] = {}
    for event in store.last_changes(["reprice", "add"], limit=EVERY_CHANGE):
        arm = present_names.get(event.arm, event.arm)
        # An arm that has left since is in no choice any more.
        if isinstance(event, Reprice) and arm in rounds.arm_names:
            before = _made_before(rounds, event)
            rounds = _at_another_cost(rounds, arm, event.objective, event.factor, before)
        elif isinstance(event, Add) and event.renames:
            present_names[event.was] = present_names.pop(event.arm, event.arm)

    return rounds


def _at_another_cost(
    log: Feedback, arm: Hashable, objective: Hashable, factor: float, which: Mask
) -> Feedback:
    """A log as if an arm had cost `factor` times as much in some of its rounds."""
    if arm not in log.arm_names:
        return log

    column = log.objective_names.index(objective)
    is_changed = which & (log.arms == log.arm_names.index(arm))
    rewards = log.rewards.copy()
    rewards[is_changed, column] *= factor

    return replace(log, rewards=rewards)


def _made_before(log: Feedback, event: Reprice) -> Mask:
    """(rounds,) which rounds of a store were decided before a change of costs."""
    assert log.ids is not None  # noqa: S101 - rounds of stores have numbers
    before: Mask = log.ids < event.next
    if log.times is None:
        return before

    # Numbers of workers do not count through those of the agent.
    of_worker = np.array([is_of_worker(each) for each in log.ids.tolist()], bool)
    before[of_worker] = log.times[of_worker] < event.time

    return before


def _apply(core: AgentCore, arm: Hashable, objective: Hashable, factor: float) -> None:
    """Change the factor of an arm, and keep the old one for decisions that wait for a bill."""
    cost = _cost_of(core, arm, objective)
    factors = cost.factors
    place = factors.objectives[cost.column]
    birth = core.arms.slots[cost.slot]
    former = core.pending.former
    for decision_id, pending in core.pending.open.items():
        if pending.arm == cost.slot and pending.birth == birth:
            # A second change leaves what the first one found.
            former.setdefault(decision_id, {}).setdefault(place, cost.factor)

    factors.factor[cost.slot, cost.column] *= factor
    # Another arm may be the cheapest by now: what is predicted stands for it, until a log says more.
    factors.cheapest[cost.column] = 0.0


def _factors_of(core: AgentCore) -> CostFactors:
    """The announced factors of an agent's policy.

    Raises:
        ValueError: where it knows of none.
    """
    bound = core.bound
    policy = bound.any_policy()
    state = bound.state() if bound.stage > 0 else policy.init()
    factors = cost_factors(bound.recipe, policy, state)
    if factors is None:
        name = type(core.recipe).__name__
        raise ValueError(f"reprice needs a recipe with prices of costs, such as Paced, got {name}")

    return factors


def _cost_of(core: AgentCore, arm: Hashable, objective: Hashable | None) -> _Cost:
    """A cost of an arm; without an objective, the one that has a budget.

    Raises:
        ValueError: where there is no such arm or cost, or the recipe has no prices of costs.
    """
    slot = core.arms.slot(arm)
    factors = _factors_of(core)
    names = [core.objective_names[place] for place in factors.objectives]
    if objective is None and len(names) == 1:
        objective = names[0]
    if objective not in names:
        rule = f"be a cost with a budget: {', '.join(map(quoted, names))}"
        raise ValueError(refusal("objective", rule, objective, names))

    return _Cost(objective, factors, slot, names.index(objective))
