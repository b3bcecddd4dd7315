"""The decisions of a window, their rewards, and what became of each of them."""

from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.logs.store.outcomes import DecisionOutcomes, joined_outcomes, outcomes_between
from mobandits.logs.store.windows import Window
from mobandits.monitoring.history import History

# What became of a decision, by the time of the last event in the store.
COMPLETE, WAITING, INACTIVE, ABANDONED, DROPPED = range(5)


class WindowData(NamedTuple):
    """A window of n decisions with L objectives: some 50 + 24 L bytes for each decision.

    Attributes:
        outcomes: the decisions and their rewards, as they are in the store.
        choices: (n,) how many arms could be played.
        rewards: (n, L) what counts in means: rewards, defaults that are due, else NaN. Of an
            objective with a default, decisions that are too young for it have NaN, also where a
            reward has come: rewards that come early are no fair sample.
        by_default: (n, L) whether it is a default.
        ages: (n, L) seconds from the decision to the reward, NaN where that is not known.
        status: (n,) what became of each, such as `COMPLETE`.
    """

    outcomes: DecisionOutcomes
    choices: IntArray
    rewards: Array
    by_default: Mask
    ages: Array
    status: IntArray


def window_data(history: History, window: Window) -> WindowData:
    """All that is known of a window's decisions.

    Raises:
        LogError: where the store is damaged.
    """
    places = {objective.name: i for i, objective in enumerate(history.objectives)}
    blocks = outcomes_between(history.log, places, window.after, window.last)
    found = joined_outcomes(list(blocks))
    present = history.arms.present(found.seqs)
    choices = np.where(found.eligible > 0, found.eligible, present)
    ages = found.reward_times - found.times[:, None]
    rewards, by_default = _with_defaults(history, found)
    known = np.where(by_default, rewards, found.rewards)
    is_complete: Mask = np.asarray(np.isfinite(known).all(axis=1))

    return WindowData(
        outcomes=found,
        choices=choices,
        rewards=rewards,
        by_default=by_default,
        ages=ages,
        status=_status(history, found, is_complete),
    )


def _with_defaults(history: History, found: DecisionOutcomes) -> tuple[Array, Mask]:
    """Rewards with the defaults that are due, and which these are."""
    rewards = found.rewards.copy()
    by_default = np.zeros(rewards.shape, bool)
    active_since = _active_since(history, found)
    # A decision that was abandoned or dropped learns no default after that.
    over = np.minimum(history.abandoned.of(found.ids), found.times + history.max_age)
    for l, objective in enumerate(history.objectives):
        # They are given together.
        if objective.default is None or objective.after is None:
            continue

        due = active_since + objective.after
        is_missing = np.isnan(rewards[:, l])
        by_default[:, l] = is_missing & (due <= history.now) & (due <= over)
        rewards[by_default[:, l], l] = objective.default
        is_young = due > history.now
        rewards[is_young, l] = np.nan

    return rewards, by_default


def _active_since(history: History, found: DecisionOutcomes) -> Array:
    """(decisions,) when each took effect, infinite where it has not."""
    first_reward = np.fmin.reduce(found.reward_times, axis=1, initial=np.inf)
    # Who rewards a decision has seen that it took effect.
    activated = np.minimum(history.activated.of(found.ids), first_reward)
    return np.where(found.active, found.times, activated)


def _status(history: History, found: DecisionOutcomes, is_complete: Mask) -> IntArray:
    """(decisions,) what became of each; what comes first in this order counts."""
    is_abandoned = np.isfinite(history.abandoned.of(found.ids))
    is_too_old = found.times + history.max_age < history.now
    is_inactive = np.isinf(_active_since(history, found))
    conditions = [is_complete, is_abandoned, is_too_old, is_inactive]
    status: IntArray = np.select(
        conditions, [COMPLETE, ABANDONED, DROPPED, INACTIVE], default=WAITING
    )

    return status
