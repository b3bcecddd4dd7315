"""Replay of a recipe that learns on the way: the run that it would have had."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.protocols import Array, IntArray, Mask, Recipe, Rng
from mobandits.evaluation.case import EvaluationCase, refuse_dependent, require_propensities
from mobandits.evaluation.diagnostics import Diagnostics
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.loops import replay_logged
from mobandits.evaluation.reliability import UNEVEN_LOGGING, estimate_case, is_even
from mobandits.evaluation.replay import Replay
from mobandits.evaluation.training import (
    check_assumptions,
    check_recipe,
    contexts_of,
    eligible_of,
    log_shape,
    recipe_on,
    rehearse_on,
)
from mobandits.logs import Feedback
from mobandits.support.checks import integer
from mobandits.support.naming import short_repr


@dataclass(frozen=True, eq=False)
class ReplayedCase(EvaluationCase):
    """A log of which some rounds counted."""

    matched: Mask | None = None

    @cached_property
    def played(self) -> Array:
        """(rounds,) 1 where the round counted, else 0."""
        return np.asarray(self.matched, np.float64)


def replay(
    log: Feedback,
    recipe: Recipe,
    *,
    rejection: bool = True,
    rounds: int | None = None,
    seed: int = 0,
) -> Estimate:
    """The mean reward of a recipe that learns as it goes, by replay.

    The mean is over the rounds in which it draws the arm that was played. The policy starts from
    scratch and visits the log in order. Where it draws the arm that was played, the round counts
    and the policy learns its reward; all other rounds are as if they had never been. What counts is
    distributed like a run with as many rounds, provided that contexts and rewards are independent
    from round to round and that no arm was likelier than another. The second is brought about by
    rejection: with p_i the propensity of round i, the round is dropped beforehand with probability
    1 - min(p) / p_i. Every arm then remains with probability min(p), and so about min(p) x rounds
    of the log count, whatever the recipe.

    The regions are for the mean, over the rounds that counted, of the expected rewards of the
    policies that were played in them; another run of the same recipe goes through other policies.

    Args:
        log: the logged decisions, in order.
        recipe: what learns.
        rejection: False skips it, for logs without propensities: biased where these differ.
        rounds: the horizon that the recipe gets; None for the expected number of rounds that
            count.
        seed: of the rejection and of the policy's draws.

    Returns:
        The estimate; `estimate.terms.denominator` tells which rounds counted, and
        `diagnostics.effective_rounds` how many.

    Raises:
        ValueError: where propensities are needed and not known, or the recipe cannot work on such a
            log.

    Reference:
        Li, Chu, Langford and Wang, WSDM 2011, Algorithm 2 and Theorem 1; rejection for known
        propensities: Dudik, Erhan, Langford and Li, Sample-efficient nonstationary policy
        evaluation for contextual bandits, UAI 2012.

    Example:
        >>> from mobandits.policies import RandomChoice
        >>> rng = np.random.default_rng(0)
        >>> rewards = rng.random((1000, 2))
        >>> arms = rng.integers(0, 2, 1000)
        >>> log = Feedback(np.ones((1000, 1)), arms, rewards, [0.5] * 1000, "ab", ("q", "c"))
        >>> estimate = replay(log, RandomChoice())
        >>> round(estimate.diagnostics.matched, 1), estimate.value.round(1).tolist()
        (0.5, [0.5, 0.5])
    """
    check_recipe("recipe", recipe)
    integer("seed", seed, at_least=0)
    if not len(log):
        raise ValueError("log must have at least one round, got none")

    refuse_dependent(log)
    check_assumptions(recipe, log)
    rng = np.random.default_rng(seed)
    if rejection:
        kept, least_propensity = _after_rejection(log, rng)
    else:
        kept = np.arange(len(log))
        # As if all arms had been equally likely, which nothing can tell without propensities.
        least_propensity = 1.0 / len(log.arm_names)

    expected_matches = int(least_propensity * len(log))
    horizon = rounds or max(expected_matches, 1)
    matched = _play(log, recipe, kept, horizon, rng)
    case = ReplayedCase(log, None, None, matched)
    estimate = estimate_case(short_repr(recipe), case, Replay(), _diagnostics(matched))
    if not rejection and not is_even(log):
        return estimate.warned((*estimate.warnings, UNEVEN_LOGGING))

    return estimate


def _diagnostics(matched: Mask) -> Diagnostics:
    """The weights of the rounds that counted, which are all 1: those of a plain mean."""
    count = int(matched.sum())
    return Diagnostics(
        rounds=len(matched),
        effective_rounds=count,
        largest_weight=1.0,
        largest_share=1.0 / max(count, 1),
        mean_weight=np.nan,
        strayed=np.nan,
        matched=count / len(matched),
        uncovered_rounds=0.0,
        uncovered_mass=0.0,
    )


def _after_rejection(log: Feedback, rng: Rng) -> tuple[IntArray, float]:
    """The rounds left, as if all arms had been equally likely, and the least propensity."""
    require_propensities(log, "rejection", "rejection=False needs none")
    least = float(log.propensities.min())
    # Kept with probability least / p: then every arm remains with probability least.
    drawn = rng.random(len(log))
    kept = drawn * log.propensities < least

    return np.flatnonzero(kept), least


def _play(log: Feedback, recipe: Recipe, kept: IntArray, horizon: int, rng: Rng) -> Mask:
    """The rounds that counted, (rounds,), over all stages of a recipe."""
    logged = (contexts_of(log), log.arms, log.learned_rewards, eligible_of(log))
    recipe = recipe_on(recipe, log)
    partial = recipe.accepts_partial
    matched = np.zeros(len(log), bool)
    first = 0
    for policy, length in recipe.stages(log_shape(log, horizon)):
        visited = np.zeros(1, np.int64)
        # A stage ends when it has had its rounds that count, and the next one starts from scratch.
        limit = len(log) if length is None else length
        rehearse_on(policy, log)
        loop = loop_for(replay_logged, policy)
        state = policy.init()
        loop(policy, state, kept[first:], *logged, partial, limit, rng, matched, visited)
        first += int(visited[0])
        if first >= len(kept):
            break

    return matched
