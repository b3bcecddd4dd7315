"""The prices of costs at which a policy would spend its budgets, by a log.

Each round's spending is estimated by a model of other folds, doubly robustly: what is predicted of
the arms that would be played, and where one of them was played, what it cost beyond that. So wrong
predictions of costs do not matter where propensities are known.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.composition import composite
from mobandits.contracts.notes import Note, note_of
from mobandits.contracts.protocols import Array, IntArray, LoggedRounds, Mask, Policy, Rng
from mobandits.contracts.states import accounts_of
from mobandits.estimators.priced import CEILING, FLOOR, PricedState
from mobandits.policies.wrappers.around import arms_at, interval_explorer, rows_at

FOLDS = 5
FEWEST = 20  # rounds that say something
LARGE = 0.99  # the quantile of costs that is a large one
HALVINGS = 30
CYCLES = 4  # over several budgets, whose prices depend on each other


class FirstPrices(NamedTuple):
    """What a log says of the prices in the beginning.

    Attributes:
        price: (budgets,) of one unit of cost.
        large: (budgets,) a large cost.
        cheapest: (budgets,) the mean cost of the cheapest arm, at least 0.
    """

    price: Array
    large: Array
    cheapest: Array


class _Fold(NamedTuple):
    """A fold of a log, and the state of a policy that has learned the others."""

    state: Any
    rounds: IntArray


class _Costs(NamedTuple):
    """Costs of the rounds of a log.

    Attributes:
        predicted: (rounds, arms, budgets) by the folds' models.
        excess: (rounds, budgets) what was paid beyond that, over the propensity; 0 where it is not
            known.
    """

    predicted: Array
    excess: Array


def first_prices(
    policy: Policy, rounds: LoggedRounds, state: Any | None = None
) -> FirstPrices | None:
    """The prices at which what a paced policy would play spends its budgets.

    Args:
        policy: paced, with the order that it plays by.
        rounds: of a log.
        state: of the policy, where it has begun; None: it has not.

    Returns:
        None where the log has too few rounds. A price that was given is not looked for: it stays
        what it is by now.
    """
    estimator = composite(policy).estimator
    paid = _costs_of(estimator, rounds.rewards)
    is_known = ~np.isnan(paid.sum(axis=1))
    if is_known.sum() < FEWEST:
        return None

    known = _only(rounds, is_known)
    paid = paid[is_known]
    large = np.quantile(np.abs(paid), LARGE, axis=0)
    cheapest = _cheapest(known, paid)
    price = np.array(estimator.first)
    # What was given is not looked for, and what nothing was paid for has no price.
    is_sought = (price <= 0.0) & (large > 0.0)
    if is_sought.any():
        folds = _learned_folds(policy, known, large)
        costs = _predicted(policy, known, folds, paid)
        price = _bisected(policy, known, folds, costs, large, is_sought)
    if state is not None:
        price = np.where(is_sought, price, priced_state(state).price)

    return FirstPrices(price, large, cheapest)


def _cheapest(rounds: LoggedRounds, paid: Array) -> Array:
    """(budgets,) the mean cost of the cheapest arm, at least 0."""
    cheapest = np.full(paid.shape[1], np.inf)
    for arm in np.unique(rounds.played):
        mean = paid[rounds.played == arm].mean(axis=0)
        np.minimum(cheapest, mean, out=cheapest)

    cheapest[cheapest < 0.0] = 0.0

    return cheapest


def priced_state(state: Any) -> PricedState:
    """The state of the `Priced` estimator in that of a policy.

    Raises:
        LookupError: where there is none.
    """
    if isinstance(state, PricedState):
        return state

    for part in state:
        if isinstance(part, tuple):
            try:
                return priced_state(part)
            except LookupError:
                continue

    raise LookupError("state must be of a paced policy")


def _costs_of(estimator: Any, rewards: Array) -> Array:
    """(..., budgets) the costs of rewards (..., objectives)."""
    objectives = np.array(estimator.objectives)
    learned = rewards[..., objectives] * np.array(estimator.slopes)
    costs: Array = -(np.array(estimator.offsets) + learned)
    return costs


def _only(rounds: LoggedRounds, which: Mask) -> LoggedRounds:
    """Some rounds, without arms that were played in none of them: nothing is known of these."""
    played = rounds.played[which]
    was_played = np.zeros(len(rounds.slots), bool)
    was_played[played] = True

    return LoggedRounds(
        rounds.contexts[which],
        rounds.slots,
        rounds.eligible[which] & was_played,
        played,
        rounds.propensities[which],
        rounds.rewards[which],
    )


def _learned_folds(policy: Policy, rounds: LoggedRounds, large: Array) -> list[_Fold]:
    count = len(rounds.played)
    folds = np.arange(count) % FOLDS
    rows = np.where(rounds.contexts.shape[1] > 1, rounds.played, 0)
    x = np.ascontiguousarray(rounds.contexts[np.arange(count), rows])
    slots = rounds.slots[rounds.played]
    loop = loop_for(_learn, policy)
    learned = []
    for fold in range(FOLDS):
        others = np.flatnonzero(folds != fold)
        rng = np.random.default_rng(fold)
        state = loop(policy, policy.init(), others, x, slots, rounds.rewards, note_of(policy), rng)
        _open_accounts(policy, state, large)
        learned.append(_Fold(state, np.flatnonzero(folds == fold)))

    return learned


def _open_accounts(policy: Policy, state: Any, large: Array) -> None:
    """Let a state have spent nothing, of a budget whose end bars no arm."""
    for account, first in zip(accounts_of(state), accounts_of(policy.init()), strict=True):
        account[...] = first

    priced = priced_state(state)
    priced.large[:] = large
    # What is sought is the price of the long run: that of rounds for which enough is left.
    priced.settled[:] = composite(policy).estimator.horizon


def _learn(
    policy: Any,
    state: Any,
    rounds: IntArray,
    x: Array,
    slots: IntArray,
    rewards: Array,
    note: Note,
    rng: Rng,
) -> Any:
    """The state after some rounds of a log."""
    for i in range(len(rounds)):
        t = rounds[i]
        state = policy.update(state, x[t], slots[t], note, rewards[t], rng)

    return state


def _predicted(policy: Policy, rounds: LoggedRounds, folds: list[_Fold], paid: Array) -> _Costs:
    estimator = composite(policy).estimator
    count = len(rounds.played)
    means = np.zeros((count, len(rounds.slots), rounds.rewards.shape[1]))
    explorer = interval_explorer(policy, "Paced.recipe")
    loop = loop_for(_estimate, policy, explorer)
    rng = np.random.default_rng(0)
    for fold in folds:
        loop(
            policy,
            explorer,
            fold.state,
            fold.rounds,
            rounds.contexts,
            rounds.slots,
            rounds.eligible,
            rng,
            means,
        )

    predicted = np.maximum(0.0, _costs_of(estimator, means))
    of_played = predicted[np.arange(count), rounds.played]
    is_known = ~np.isnan(rounds.propensities)
    propensities = np.where(is_known, rounds.propensities, 1.0)
    weights = np.where(is_known, 1.0 / propensities, 0.0)
    excess = (paid - of_played) * weights[:, None]

    return _Costs(predicted, excess)


def _estimate(
    policy: Any,
    explorer: Any,
    state: Any,
    rounds: IntArray,
    contexts: Array,
    slots: IntArray,
    eligible: Mask,
    rng: Rng,
    means: Array,
) -> None:
    """Fill rows of `means`, (all rounds, arms, objectives), by what a state believes."""
    for i in range(len(rounds)):
        t = rounds[i]
        places = np.flatnonzero(eligible[t])
        context = rows_at(contexts[t], places)
        arms = arms_at(slots, places)
        believed = policy.bounds(explorer, state, context, arms, rng)
        for a in range(len(places)):
            for l in range(means.shape[2]):
                means[t, places[a], l] = believed.mean[a, l]


def _bisected(
    policy: Policy,
    rounds: LoggedRounds,
    folds: list[_Fold],
    costs: _Costs,
    large: Array,
    is_sought: Mask,
) -> Array:
    """(budgets,) the prices; those that are sought are the least that keep their budgets."""
    estimator = composite(policy).estimator
    allowed = np.array(estimator.allowed)
    unit = np.where(large > 0.0, large, 1.0)
    price = np.where(is_sought, FLOOR / unit, estimator.first)
    sought = np.flatnonzero(is_sought).tolist()
    cycles = 1 if len(sought) == 1 else CYCLES
    for _ in range(cycles):
        for j in sought:
            price[j] = CEILING / unit[j]
            least = _spent(policy, rounds, folds, costs, price)[j]
            # Below the cheapest arms, nothing is saved beyond them.
            target = max(allowed[j], least)
            low = math.log(FLOOR / unit[j])
            high = math.log(price[j])
            for _ in range(HALVINGS):
                middle = (low + high) / 2.0
                price[j] = math.exp(middle)
                if _spent(policy, rounds, folds, costs, price)[j] > target:
                    low = middle
                else:
                    high = middle

            price[j] = math.exp(high)

    return price


def _spent(
    policy: Policy, rounds: LoggedRounds, folds: list[_Fold], costs: _Costs, price: Array
) -> Array:
    """(budgets,) the estimate of what is spent per round at these prices."""
    total = np.zeros(len(price))
    loop = loop_for(_add_spending, policy)
    # The same draws at every price, where beliefs are drawn.
    rng = np.random.default_rng(0)
    for fold in folds:
        priced_state(fold.state).price[:] = price
        loop(
            policy,
            fold.state,
            fold.rounds,
            rounds.contexts,
            rounds.slots,
            rounds.eligible,
            rounds.played,
            costs.predicted,
            costs.excess,
            rng,
            total,
        )

    return total / len(rounds.played)


def _add_spending(
    policy: Any,
    state: Any,
    rounds: IntArray,
    contexts: Array,
    slots: IntArray,
    eligible: Mask,
    played: IntArray,
    predicted: Array,
    excess: Array,
    rng: Rng,
    total: Array,
) -> None:
    """Add to `total`, (budgets,), the estimates of what a state would spend in some rounds."""
    budgets = len(total)
    for i in range(len(rounds)):
        t = rounds[i]
        places = np.flatnonzero(eligible[t])
        context = rows_at(contexts[t], places)
        arms = arms_at(slots, places)
        beliefs = policy.beliefs(state, context, arms, rng)
        law = policy.probabilities(beliefs)
        for a in range(len(places)):
            place = places[a]
            was_played = place == played[t]
            for j in range(budgets):
                total[j] += law[a] * predicted[t, place, j]
                if was_played:
                    total[j] += law[a] * excess[t, j]
