"""Identification: a policy plays until the Pareto front is certain, or a log says what it can."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.compiling.at_once import as_compiled, at_once
from mobandits.contracts.protocols import Array, Block, Environment, IntArray, Recipe
from mobandits.estimators import MeanState, SampleMean
from mobandits.identification.certificate import Certificate, certify
from mobandits.logs import Feedback
from mobandits.numerics.masks import count
from mobandits.numerics.pareto_bounds import (
    ParetoBounds,
    check_risk,
    pareto_bounds,
)
from mobandits.simulation.blocks import horizon_limit, merged_blocks
from mobandits.simulation.plan import prepare
from mobandits.simulation.players import learner_for
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.trial import trial_problem
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted

UNIT = 0.5  # sigma of rewards in [0, 1]


def identify(
    policy: Recipe | None,
    source: Environment | Feedback,
    delta: float,
    epsilon: float = 0.0,
    *,
    sigma: float | Mapping[Any, float] | None = None,
    at_most: int | None = None,
    rounds: int = 1_000_000,
    seed: int = 0,
    trial: int = 0,
) -> Certificate:
    """Find the Pareto front of the arms, with a guarantee.

    Any policy may play: the certificate depends on counts and means alone. It is looked at after
    every K rounds, for K arms. `Ape` needs the fewest; `Elimination` and `RandomChoice` are
    baselines, `Ege` and `TopTwoParetoTs` make the best of a given number of rounds.

    Args:
        policy: a recipe; None for a log. Its parameters delta, epsilon and sigma, where it has
            them, are set to those given here.
        source: an environment to play in; or a log, where the certificate is that of its end.
        delta: the probability of a mistake, at most.
        epsilon: see `Certificate`; in the unit of the rewards, of a log in shares of the
            objectives' ranges. With 0 there is no end where two arms of the front tie.
        sigma: the rewards of an environment are sub-Gaussian with this scale; None: 1/2, and they
            must lie in [0, 1]. Of a log, {objective: scale in its unit}; others must lie in their
            range, or in [0, 1] where they have none.
        at_most: stop once so many arms are inside.
        rounds: the longest horizon.
        seed: as in `simulate`.
        trial: as in `simulate`.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> import mobandits as mob
        >>> arms = mob.environments.MultiArmed([[0.9, 0.1], [0.2, 0.8], [0.1, 0.1]])
        >>> found = identify(mob.policies.Ape(), arms, delta=0.05)
        >>> found.inside, found.outside
        ((0, 1), (2,))
    """
    if isinstance(source, Feedback):
        scales = {} if sigma is None else sigma
        if policy is not None:
            raise ValueError(f"policy must be None for a log, got {quoted(policy)}")
        if not isinstance(scales, Mapping):
            raise ValueError(f"sigma must be {{objective: scale}} for a log, got {quoted(sigma)}")
        return _of_log(source, delta, epsilon, scales)

    if policy is None:
        raise ValueError("policy must be a recipe, such as Ape(), where the source is no log")
    scale: Any = UNIT if sigma is None else sigma
    check_risk("", delta, epsilon, scale)
    if at_most is not None:
        integer("at_most", at_most, at_least=1)

    given = {"delta": delta, "epsilon": epsilon, "sigma": scale}
    own = {field.name for field in dataclasses.fields(policy)}
    recipe = dataclasses.replace(policy, **{name: given[name] for name in given.keys() & own})
    plan = prepare({"policy": recipe}, source, rounds=rounds, seed=seed, metrics=["reward"])
    problem: Any = trial_problem(plan.setup, trial)
    arms, _, objectives = problem.shape[:3]
    learner = learner_for("policy", recipe, problem.shape, seed, trial, "auto")
    means = SampleMean(arms, objectives)
    bounds = pareto_bounds(arms, objectives, delta, epsilon, scale)
    look = at_once(first_certain, means, bounds)
    state = means.init()
    slots = np.arange(arms)
    played = 0
    limit = horizon_limit(source, problem)
    for _, block in merged_blocks(problem, rounds, limit, stream(seed, trial, ROUNDS)):
        chosen = np.empty(len(block.rewards), np.int64)
        learner.play(block, slots, chosen, None)
        if sigma is None:
            _check_unit(block, chosen)

        last = look(means, bounds, state, block.rewards, chosen, played, at_most or arms + 1)
        played += abs(last)
        if last > 0:
            break

    with as_compiled():
        mean = means.mean(state, np.empty((1, 0)), slots)
        found = certify(state.seen, mean, delta=delta, epsilon=epsilon, sigma=scale)
        found = dataclasses.replace(found, rounds=played)
        answer = getattr(learner.policy, "answer", None)
        if answer is None or found.is_complete:
            return found

        front = np.flatnonzero(answer(learner.state))
        return dataclasses.replace(found, front=tuple(front.tolist()))


def first_certain(
    means: SampleMean,
    bounds: ParetoBounds,
    state: MeanState,
    rewards: Array,
    chosen: IntArray,
    before: int,
    at_most: int,
) -> int:
    """The round of a block after which the search is over, from 1; minus all of them if none is.

    `state` learns what was played up to there.

    Args:
        means: what learns.
        bounds: what decides.
        state: of `means`.
        rewards: (rounds, arms, objectives).
        chosen: (rounds,) arms.
        before: rounds played in earlier blocks.
        at_most: so many arms inside are enough.
    """
    arms = rewards.shape[1]
    slots = np.arange(arms)
    nothing = np.empty((1, 0))
    for t in range(len(chosen)):
        arm = chosen[t]
        means.update(state, nothing[0], arm, rewards[t, arm])
        if (before + t + 1) % arms == 0:
            mean = means.mean(state, nothing, slots)
            comparison = bounds.compare(mean, state.seen)
            inside = count(bounds.inside(comparison))
            outside = count(bounds.outside(comparison))
            if inside + outside == arms or inside >= at_most:
                return t + 1

    return -len(chosen)


def _check_unit(block: Block, chosen: IntArray) -> None:
    """Refuse rewards outside [0, 1] that were played."""
    rewards = block.rewards[np.arange(len(chosen)), chosen]
    outside = rewards[(rewards < 0.0) | (rewards > 1.0)]
    if outside.size:
        raise ValueError(f"sigma must be given for rewards outside [0, 1], got {outside[0]:g}")


def _of_log(log: Feedback, delta: float, epsilon: float, sigma: Mapping[Any, float]) -> Certificate:
    """The certificate of a log, whose objectives are compared in units of their ranges."""
    unknown = sigma.keys() - set(log.objective_names)
    if unknown:
        listed = ", ".join(map(str, log.objective_names))
        raise ValueError(f"sigma must name objectives, {listed}, got {quoted(*unknown)}")

    arms = len(log.arm_names)
    seen = np.empty((arms, len(log.objectives)))
    mean = np.empty(seen.shape)
    for l, objective in enumerate(log.objectives):
        own = log.own_rewards[:, l]
        if objective.name in sigma:
            number(f"sigma of {objective.name}", sigma[objective.name], above=0.0)
            width = sigma[objective.name] / UNIT
        else:
            has_range = objective.low is not None and objective.high is not None
            low, high = objective.range if has_range else (0.0, 1.0)
            outside = own[(own < low) | (own > high)]
            if outside.size:
                raise ValueError(
                    f"{objective.name} must lie in [{low:g}, {high:g}] or have another range or "
                    f"a sigma, got {outside[0]:g}"
                )
            width = high - low

        observed = ~np.isnan(own)
        where = log.arms[observed]
        total = np.bincount(where, log.rewards[observed, l], arms)
        seen[:, l] = np.bincount(where, minlength=arms)
        mean[:, l] = total / np.maximum(seen[:, l], 1.0) / width

    found = certify(seen, mean, delta=delta, epsilon=epsilon, names=log.arm_names)

    return dataclasses.replace(found, rounds=len(log))
