"""Identification: a policy plays until the Pareto front is certain, or a log says what it can."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.compiling.at_once import as_compiled, at_once
from mobandits.contracts.assumptions import UNIT_REWARDS, first_violation
from mobandits.contracts.protocols import Array, Assumption, Environment, IntArray, Recipe
from mobandits.estimators import MeanState, SampleMean
from mobandits.identification.certificate import Certificate, certify
from mobandits.identification.log_certificate import certificate_of_log
from mobandits.logs import Feedback
from mobandits.numerics.masks import count
from mobandits.numerics.pareto_bounds import ParetoBounds, check_risk, pareto_bounds
from mobandits.simulation.blocks import horizon_limit, merged_blocks
from mobandits.simulation.learner import Learner
from mobandits.simulation.plan import prepare
from mobandits.simulation.players import learner_for
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.trial import Setup, trial_problem
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value

ROW = "identify"  # what messages call the policy


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
    every K rounds, for K arms. `Ape` needs few rounds; `Elimination` and `RandomChoice` are
    baselines, `Ege` and `TopTwoParetoTs` make the best of a given number of rounds.

    Args:
        policy: a recipe; None for a log. Its parameters delta, epsilon and sigma, where it has
            them, are set to those given here.
        source: an environment to play in; or a log, where the certificate is that of its end.
        delta: the probability of a mistake, at most.
        epsilon: see `Certificate`; in the unit of the rewards, of a log in shares of the
            objectives' ranges. With 0 there is no end where two arms of the front tie.
        sigma: the rewards of an environment are sub-Gaussian with this scale; None: 1/2, and they
            must lie in [0, 1]. Of a log, {objective: scale in its unit}; other objectives must lie
            in their range, or in [0, 1] where they have none.
        at_most: stop once so many arms are inside; of an environment.
        rounds: the longest horizon.
        seed: as in `simulate`.
        trial: as in `simulate`.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> import mobandits as mob
        >>> arms = mob.environments.MultiArmed([[0.9, 0.1], [0.1, 0.9], [0.0, 0.0]])
        >>> found = identify(mob.policies.RandomChoice(), arms, delta=0.05, epsilon=0.2)
        >>> found.inside
        (0, 1)
    """
    if isinstance(source, Feedback):
        if policy is not None:
            raise wrong_value("policy must be None for a log", policy)
        if isinstance(sigma, int | float):
            raise ValueError(f"sigma must be {{objective: scale}} for a log, got {sigma}")
        return certificate_of_log(source, delta, epsilon, sigma or {})

    scale: Any = 0.5 if sigma is None else sigma
    check_risk("", delta, epsilon, scale)
    if at_most is not None:
        integer("at_most", at_most, at_least=1)

    risk = {"delta": delta, "epsilon": epsilon, "sigma": scale}
    recipe = _with_risk(policy, risk)
    plan = prepare({ROW: recipe}, source, rounds=rounds, seed=seed, metrics=["reward"])
    assumed = None if sigma is not None else UNIT_REWARDS
    learner, state = _played(plan.setup, recipe, trial, risk, at_most, assumed)

    means = state.total / np.maximum(state.seen, 1.0)
    with as_compiled():
        found = certify(state.seen, means, **risk)
        answer = getattr(learner.policy, "answer", None)
        # Policies for a given number of rounds have an answer of their own.
        if answer is not None and not found.is_complete:
            guess = np.flatnonzero(answer(learner.state)).tolist()
            found = dataclasses.replace(found, front=tuple(guess))

    return found


def _with_risk(policy: Recipe | None, risk: Mapping[str, float]) -> Recipe:
    """The recipe with those parameters of the certificate that it has, too."""
    if not isinstance(policy, Recipe):
        raise wrong_value(
            "policy must be a recipe, such as Ape(), where the source is no log", policy
        )

    own = {field.name for field in dataclasses.fields(policy)}
    shared = {name: risk[name] for name in own & risk.keys()}
    return dataclasses.replace(policy, **shared)


def _played(
    setup: Setup,
    recipe: Recipe,
    trial: int,
    risk: Mapping[str, float],
    at_most: int | None,
    assumed: Assumption | None,
) -> tuple[Learner, MeanState]:
    """What played, and what was seen until the search was over."""
    problem: Any = trial_problem(setup, trial)
    shape = problem.shape
    learner = learner_for(ROW, recipe, shape, setup.seed, trial, setup.compiled)
    bounds = pareto_bounds(shape.arms, shape.objectives, **risk)
    means = SampleMean(shape.arms, shape.objectives)
    state = means.init()
    search = at_once(is_over, means, bounds)
    arms = np.arange(shape.arms)
    enough = at_most or 1 + len(arms)
    limit = horizon_limit(setup.environment, problem)
    rng = stream(setup.seed, trial, ROUNDS)
    for first, block in merged_blocks(problem, setup.rounds, limit, rng):
        chosen = np.empty(len(block.rewards), np.int64)
        learner.play(block, arms, chosen, None)
        if assumed is not None:
            rounds = np.arange(len(chosen))
            played = block.rewards[rounds, chosen]
            outside = first_violation(assumed, block.contexts, played)
            if outside is not None:
                rule = "sigma must be given for rewards outside [0, 1]"
                raise ValueError(f"{rule}, got {outside:g}")

        # What was played after the last look is of no concern: the policy could not know.
        if search(means, bounds, state, block.rewards, chosen, first, enough):
            break

    return learner, state


def is_over(
    means: SampleMean,
    bounds: ParetoBounds,
    state: MeanState,
    rewards: Array,
    chosen: IntArray,
    before: int,
    at_most: int,
) -> bool:
    """Whether a search ends in a block; `state` learns the rounds up to there.

    Args:
        means: what learns.
        bounds: what decides.
        state: of `means`.
        rewards: (rounds, arms, objectives).
        chosen: (rounds,) arms.
        before: rounds of earlier blocks.
        at_most: so many arms inside are enough.
    """
    count_of_arms = rewards.shape[1]
    arms = np.arange(count_of_arms)
    no_context = np.empty((1, 0))
    for t in range(len(chosen)):
        arm = chosen[t]
        means.update(state, no_context[0], arm, rewards[t, arm])
        rounds = before + t + 1
        if rounds % count_of_arms:
            continue

        mean = means.mean(state, no_context, arms)
        comparison = bounds.compare(mean, state.seen)
        inside = count(bounds.inside(comparison))
        outside = count(bounds.outside(comparison))
        if inside + outside == count_of_arms or inside >= at_most:
            return True

    return False
