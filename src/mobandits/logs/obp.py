"""Decisions as the Open Bandit Pipeline's `bandit_feedback`, a dictionary of arrays, and back."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.logs.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import did_you_mean

KEYS = (
    "n_rounds",
    "n_actions",
    "action",
    "position",
    "reward",
    "pscore",
    "context",
    "action_context",
)


def to_dict(log: Feedback, objective: Hashable | None = None) -> dict[str, Any]:
    """Decisions as `bandit_feedback`.

    Open Bandit Pipeline reads the keys n_rounds, n_actions, action, position (None), reward, pscore, context and
    action_context (the identity: arms have no features that stay). Rows that arms have of their own become one row
    per decision, arm by arm. Further keys hold what has no place there, so that `from_dict` gives the same log back:
    arm_names, objective_names, eligible, ids, times, and context_shape.

    Args:
        log: the decisions.
        objective: whose reward is wanted, (rounds,), as Open Bandit Pipeline takes it; None wants all of them,
            (rounds, objectives).

    Raises:
        LogError: where the objective is unknown or was not always observed, or where propensities are lacking in part.

    Example:
        >>> log = Feedback([[1.0], [2.0]], [0, 1], [[0.5, 1.0], [0.25, 0.0]], [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> given = to_dict(log, "c")
        >>> given["reward"], given["pscore"], given["n_actions"]
        (array([1., 0.]), array([0.5, 0.5]), 2)
    """
    reward, names = (
        (log.rewards, log.objective_names) if objective is None else _column(log, objective)
    )
    lacking = np.isnan(log.propensities)
    if lacking.any() and not lacking.all():
        raise LogError(
            f"propensities must be known in all rounds or in none, got none in {int(lacking.sum())}"
        )
    more = {"eligible": log.eligible, "ids": log.ids, "times": log.times}
    return {
        "n_rounds": len(log),
        "n_actions": len(log.arm_names),
        "action": log.arms,
        "position": None,
        "reward": reward,
        "pscore": None if lacking.all() else log.propensities,
        "context": log.contexts.reshape(len(log), int(np.prod(log.contexts.shape[1:]))),
        "action_context": np.eye(len(log.arm_names)),
        "arm_names": log.arm_names,
        "objective_names": names,
        "context_shape": log.contexts.shape[1:],
        **{name: value for name, value in more.items() if value is not None},
    }


def _column(log: Feedback, objective: Hashable) -> tuple[Array, tuple[Hashable, ...]]:
    if objective not in log.objective_names:
        known = shortened(", ".join(map(str, log.objective_names)))
        near = did_you_mean(objective, log.objective_names)
        raise LogError(f"objective must be one of {known}, got {quoted(objective)}{near}")
    reward = log.rewards[:, log.objective_names.index(objective)]
    if (lacking := int(np.isnan(reward).sum())) > 0:
        raise LogError(
            f"reward of {quoted(objective)} must be observed in all rounds: choose those; got none in {lacking}"
        )
    return reward, (objective,)


def from_dict(
    feedback: Mapping[str, Any],
    *,
    arm_names: Sequence[Hashable] | None = None,
    objective_names: Sequence[Hashable] | None = None,
) -> Feedback:
    """`bandit_feedback` as decisions; `position` and `action_context` are passed over.

    Args:
        feedback: with action, reward, pscore, context, n_actions; reward is (rounds,) or (rounds, objectives).
        arm_names: None takes the dictionary's, or 0, 1, ...
        objective_names: None takes the dictionary's, or "reward", or 0, 1, ...

    Raises:
        LogError: naming what is missing or wrong; where positions differ, as a decision then has several slots.

    Example:
        >>> given = {"n_actions": 2, "action": [0], "reward": [1.0], "pscore": [0.5], "context": [[1.0]]}
        >>> from_dict(given).rewards
        array([[1.]])
    """
    for key in ("n_actions", "action", "reward", "context"):
        if feedback.get(key) is None:
            raise LogError(
                f"feedback must have {key}, got {shortened(', '.join(map(str, feedback)))}"
            )
    if (position := feedback.get("position")) is not None and len(np.unique(position)) > 1:
        raise LogError("feedback must have one position: choose the rounds of one of them")
    try:
        return _feedback(feedback, arm_names, objective_names)
    except (TypeError, ValueError) as error:
        raise LogError(f"feedback does not fit together: {error}") from error


def _feedback(
    given: Mapping[str, Any],
    arm_names: Sequence[Hashable] | None,
    objective_names: Sequence[Hashable] | None,
) -> Feedback:
    reward = as_float_array("reward", given["reward"])
    context = as_float_array("context", given["context"])
    rewards = reward[:, None] if reward.ndim == 1 else reward
    n = len(rewards)
    count = rewards.shape[1]
    plain: Sequence[Hashable] = ["reward"] if reward.ndim == 1 else range(count)
    pscore = given.get("pscore")
    return Feedback(
        contexts=context.reshape(n, *given.get("context_shape", context.shape[1:])),
        arms=np.asarray(given["action"]),
        rewards=rewards,
        propensities=np.full(n, np.nan) if pscore is None else pscore,
        arm_names=_first(arm_names, given.get("arm_names"), range(given["n_actions"])),
        objective_names=_first(objective_names, given.get("objective_names"), plain),
        eligible=given.get("eligible"),
        ids=given.get("ids"),
        times=given.get("times"),
    )


def _first(*names: Sequence[Hashable] | None) -> tuple[Hashable, ...]:
    """The first that there are."""
    return tuple(next(one for one in names if one is not None))
