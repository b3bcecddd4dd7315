"""Decisions as the Open Bandit Pipeline's `bandit_feedback`, a dictionary of arrays, and back."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.logs.feedback import Feedback
from mobandits.logs.objectives import Names
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import refusal

FURTHER = ("eligible", "ids", "times", "encoder", "preference", "propensity_mode")
REQUIRED = ("n_actions", "action", "reward", "context")


def to_dict(log: Feedback, objective: Hashable | None = None) -> dict[str, Any]:
    """Decisions as `bandit_feedback`.

    Open Bandit Pipeline reads the keys n_rounds, n_actions, action, position (None), reward,
    pscore, context and action_context (the identity: arms have no features of their own that stay). Rows that
    arms have of their own become one row per decision, arm by arm. Further keys hold what has no
    place there, so that `from_dict` gives the same log back, of all objectives: arm_names, objectives, eligible, ids,
    times, context_shape, encoder, preference and propensity_mode.

    Args:
        log: the decisions.
        objective: whose reward is wanted, (rounds,), as Open Bandit Pipeline takes it; None wants
            all of them, (rounds, objectives).

    Raises:
        LogError: where the objective is unknown or was not always observed, or where propensities
            are lacking in part.

    Example:
        >>> rewards = [[0.5, 1.0], [0.25, 0.0]]
        >>> log = Feedback([[1.0], [2.0]], [0, 1], rewards, [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> feedback = to_dict(log, "c")
        >>> feedback["reward"], feedback["pscore"], feedback["n_actions"]
        (array([1., 0.]), array([0.5, 0.5]), 2)
    """
    if objective is None:
        reward = log.rewards
        objectives = log.objectives
    else:
        reward = _reward_column(log, objective)
        objectives = (log.objectives[log.objective_names.index(objective)],)

    rounds = len(log)
    arms = len(log.arm_names)
    context_shape = log.contexts.shape[1:]
    # The size in numbers, and not -1, which an empty log or one without features leaves open.
    numbers_per_round = int(np.prod(context_shape))
    feedback = {
        "n_rounds": rounds,
        "n_actions": arms,
        "action": log.arms,
        "position": None,
        "reward": reward,
        "pscore": _pscore(log.propensities),
        "context": log.contexts.reshape(rounds, numbers_per_round),
        "action_context": np.eye(arms),
        "arm_names": log.arm_names,
        "objectives": objectives,
        "context_shape": context_shape,
    }
    # Absent and not None, which other programs need not expect.
    for name in FURTHER:
        values = getattr(log, name)
        if values is not None:
            feedback[name] = values

    return feedback


def _pscore(propensities: Array) -> Array | None:
    """The propensities; None where none was logged."""
    lacking = np.isnan(propensities)
    if lacking.all():
        return None
    if lacking.any():
        count = int(lacking.sum())
        raise LogError(f"propensities must be known in all rounds or in none, got none in {count}")

    return propensities


def _reward_column(log: Feedback, objective: Hashable) -> Array:
    """The rewards of an objective that was always observed, (rounds,)."""
    if objective not in log.objective_names:
        known = shortened(", ".join(map(str, log.objective_names)))
        rule = f"be one of {known}"
        raise LogError(refusal("objective", rule, objective, log.objective_names))

    column = log.objective_names.index(objective)
    reward: Array = log.rewards[:, column]
    lacking = int(np.isnan(reward).sum())
    if lacking:
        rule = f"reward of {quoted(objective)} must be observed in all rounds: choose those"
        raise LogError(f"{rule}; got none in {lacking}")

    return reward


def from_dict(
    feedback: Mapping[str, Any],
    *,
    arm_names: Sequence[Hashable] | None = None,
    objectives: Sequence[Any] | None = None,
) -> Feedback:
    """`bandit_feedback` as decisions; `position` and `action_context` are passed over.

    Args:
        feedback: with action, reward, context, n_actions, and pscore where it is known; reward is
            (rounds,) or (rounds, objectives).
        arm_names: None takes the dictionary's, or 0, 1, ...
        objectives: names or `Objective`s; None takes the dictionary's, or "reward", or 0, 1, ...

    Raises:
        LogError: naming what is missing or wrong; where positions differ, as a decision then has
            several slots.

    Example:
        >>> feedback = {"n_actions": 2, "action": [0], "reward": [1.0], "pscore": [0.5]}
        >>> from_dict(feedback | {"context": [[1.0]]}).rewards
        array([[1.]])
    """
    for key in REQUIRED:
        if feedback.get(key) is None:
            keys = shortened(", ".join(map(str, feedback)))
            raise LogError(f"feedback must have {key}, got {keys}")

    position = feedback.get("position")
    if position is not None and len(np.unique(position)) > 1:
        raise LogError("feedback must have one position: choose the rounds of one of them")

    try:
        return _log(feedback, arm_names, objectives)
    except (TypeError, ValueError) as error:
        raise LogError(f"feedback does not fit together: {error}") from error


def _log(
    feedback: Mapping[str, Any],
    arm_names: Sequence[Hashable] | None,
    objectives: Sequence[Any] | None,
) -> Feedback:
    reward = as_float_array("reward", feedback["reward"])
    context = as_float_array("context", feedback["context"])
    rounds = len(reward)
    default_objectives: Sequence[Hashable]
    if reward.ndim == 1:
        # As Open Bandit Pipeline has it, which knows one objective.
        rewards = reward[:, None]
        default_objectives = ["reward"]
    else:
        rewards = reward
        default_objectives = range(rewards.shape[1])

    pscore = feedback.get("pscore")
    # Written by `to_dict`, where arms have rows of their own.
    context_shape = feedback.get("context_shape", context.shape[1:])
    default_arms = range(feedback["n_actions"])
    known_objectives = _first(objectives, feedback.get("objectives"), default_objectives)
    further = {name: feedback.get(name) for name in FURTHER}

    return Feedback(
        contexts=context.reshape(rounds, *context_shape),
        arms=np.asarray(feedback["action"]),
        rewards=rewards,
        propensities=np.full(rounds, np.nan) if pscore is None else pscore,
        arm_names=_first(arm_names, feedback.get("arm_names"), default_arms),
        objectives=known_objectives,
        **further,
    )


def _first(*choices: Sequence[Hashable] | None) -> Names:
    """The first names that are not None."""
    known = [names for names in choices if names is not None]
    return tuple(known[0])
