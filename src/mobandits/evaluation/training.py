"""A recipe as a target: trained on some folds of a log, frozen, and asked on the others."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.compiling.first_round import rehearse
from mobandits.contracts.assumptions import InputWarning, complaint, outside
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    IntArray,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.evaluation.loops import believe, learn
from mobandits.logs import Feedback
from mobandits.support.checks import integer
from mobandits.support.naming import quoted
from mobandits.support.nearest import as_object

DRAWS = 100


@dataclass(frozen=True)
class Trained:
    """A recipe, trained on all folds of the log but one, frozen, and asked on that one.

    The policy learns from every round of its training folds, in the log's order, whoever played it. Two exceptions: a
    recipe that needs whole rewards learns from rounds with whole rewards; and a recipe that must be told a note of its
    own draw learns from the rounds in which it draws the arm that was played.

    Args:
        recipe: one of `mobandits.policies`.
        draws: how often beliefs are drawn where they are random, as in Thompson sampling; its probabilities are the
            mean over these draws. Beliefs that are not random are asked once, exactly.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> Trained(MolUcb(scale=1.0)).draws
        100
    """

    recipe: Recipe
    draws: int = DRAWS

    def __post_init__(self) -> None:
        if not isinstance(self.recipe, Recipe):
            found = f"{quoted(self.recipe)}{as_object(self.recipe)}"
            raise ValueError(f"Trained.recipe must be a recipe such as MolUcb(), got {found}")
        integer("Trained.draws", self.draws, at_least=1)

    def probabilities(self, log: Feedback, folds: IntArray, seed: int) -> Array:
        """(rounds, arms) of the policies that were trained without the round's fold.

        Args:
            log: the logged decisions.
            folds: (rounds,) the fold of each.
            seed: of the policies' streams.

        Raises:
            ValueError: where the recipe cannot work on such a log.
        """
        check_assumptions(self.recipe, log)
        law = np.zeros((len(log), len(log.arm_names)))
        for fold in range(int(folds.max()) + 1):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(fold,)))
            policy, state = trained(self.recipe, log, np.flatnonzero(folds != fold), rng)
            ask(policy, state, log, np.flatnonzero(folds == fold), self.draws, rng, law)
        return law


def trained(recipe: Recipe, log: Feedback, rounds: IntArray, rng: Rng) -> tuple[Policy, Any]:
    """The policy and its state after learning from some rounds of a log.

    Example:
        >>> from mobandits.policies import Ucb1
        >>> log = Feedback(np.ones((2, 0)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ("a", "b"), ("quality",))
        >>> trained(Ucb1(), log, np.array([0, 1]), np.random.default_rng(0))[1].seen.ravel().tolist()
        [1.0, 1.0]
    """
    if not recipe.accepts_partial:
        rounds = rounds[~np.isnan(log.rewards[rounds]).any(1)]
    given = (contexts_of(log), log.arms, log.rewards, eligible_of(log))
    stages = recipe.stages(shape_of(log, max(len(rounds), 1)))
    first = 0
    while True:
        policy, length = next(stages)
        part = rounds[first:] if length is None else rounds[first : first + length]
        rehearse_on(policy, log)
        loop = loop_for(learn, policy)
        learned = np.zeros(1, np.int64)
        state = loop(policy, policy.init(), part, *given, False, note_of(policy), rng, learned)
        if learned[0] < 0:
            learned[0] = 0
            state = loop(policy, policy.init(), part, *given, True, note_of(policy), rng, learned)
        first += len(part)
        if first >= len(rounds):
            return policy, state


def rehearse_on(policy: Policy, log: Feedback) -> None:
    """Play a round in Python, where the policy is from outside of this library."""
    arms = np.arange(len(log.arm_names))
    rewards = np.ones((len(arms), len(log.objective_names)))  # only those of logged arms are known
    law = callable(getattr(policy, "probabilities", None))  # who only learns need not have any
    rehearse(policy, contexts_of(log)[0], arms, rewards, law=law, made_up=True)


def ask(
    policy: Policy, state: Any, log: Feedback, rounds: IntArray, draws: int, rng: Rng, law: Array
) -> None:
    """Write what a frozen policy would play into the rows `rounds` of `law`, (all rounds, arms).

    Beliefs that draw nothing from `rng` are not random, and asked once.
    """
    given = (rounds, contexts_of(log), eligible_of(log), rng, law)
    loop = loop_for(believe, policy)
    before = rng.bit_generator.state
    loop(policy, state, *given)
    if rng.bit_generator.state != before:
        for _ in range(draws - 1):
            loop(policy, state, *given)
        law[rounds] /= draws


def shape_of(log: Feedback, rounds: int) -> Shape:
    """What a recipe may know of a log of which it will see so many rounds.

    Example:
        >>> log = Feedback(np.ones((2, 3)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ("a", "b"), ("quality",))
        >>> shape_of(log, 2)
        Shape(arms=2, features=3, objectives=1, rounds=2, shared=True, fixed_arms=None)
    """
    rows = log.contexts
    shared = rows.ndim == 2
    features = rows.shape[-1]
    fixed = None if shared or not len(rows) or not (rows == rows[0]).all() else rows[0].copy()
    return Shape(
        len(log.arm_names),
        features,
        len(log.objective_names),
        rounds,
        shared and features > 0,
        fixed,
    )


def contexts_of(log: Feedback) -> Array:
    """(rounds, arms or 1, features)."""
    if log.contexts.ndim == 3:
        return log.contexts
    return log.contexts[:, None]


def eligible_of(log: Feedback) -> Mask:
    """(rounds or 1, arms); one row where all rounds have all arms."""
    if log.eligible is None:
        return np.ones((1, len(log.arm_names)), bool)
    return log.eligible


def check_recipe(recipe: Recipe, log: Feedback) -> None:
    """Refuse a recipe that cannot work on a log, before it learns anything.

    Raises:
        ValueError: naming what the recipe needs or assumes.
    """
    refuse_data(recipe, log)
    next(recipe.stages(shape_of(log, max(len(log), 1))))


def check_assumptions(recipe: Recipe, log: Feedback) -> None:
    """Refuse a log that a recipe makes no sense on, and warn of one that voids its guarantees.

    Raises:
        ValueError: naming what the recipe assumes, and a number that breaks it.
    """
    refuse_data(recipe, log)
    for assumption, _ in broken(recipe, log):
        warnings.warn(complaint(assumption), InputWarning, stacklevel=2)


def refuse_data(recipe: Recipe, log: Feedback) -> None:
    """Refuse a log that a recipe makes no sense on.

    Raises:
        ValueError: naming what the recipe assumes, and a number that breaks it.
    """
    for assumption, bad in broken(recipe, log):
        if assumption.refuse:
            raise ValueError(f"{complaint(assumption)}, got {bad:g}")


def broken(recipe: Recipe, log: Feedback) -> Iterator[tuple[Assumption, float]]:
    """What a recipe assumes and a log does not keep, each with a number that breaks it."""
    rewards = log.rewards[~np.isnan(log.rewards)]
    for assumption in recipe.assumptions():
        bad = outside(assumption, log.contexts, rewards)
        if bad is not None:
            yield assumption, bad
