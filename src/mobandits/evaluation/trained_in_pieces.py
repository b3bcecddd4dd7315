"""Recipes as targets on a log in pieces: trained on some parts, as in memory, in one pass for all."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Mask, Policy, Recipe
from mobandits.contracts.terms import has_prices
from mobandits.evaluation.folds import PieceParts
from mobandits.evaluation.targets import naming_target
from mobandits.evaluation.training import (
    Learning,
    Trained,
    add_frozen_probabilities,
    check_assumptions,
    log_shape,
    recipe_on,
    rehearse_on,
    reset_accounts,
)
from mobandits.logs import Feedback
from mobandits.logs.streams import LogStream
from mobandits.support.naming import quoted


class Survey(NamedTuple):
    """Facts about a log in pieces that are needed before anything is fitted to it.

    Attributes:
        first: the first piece.
        sizes: the rounds of each piece.
        is_whole: (rounds,) whether no reward of a round is missing.
        has_fixed_arms: whether all rounds have the same contexts.
    """

    first: Feedback
    sizes: tuple[int, ...]
    is_whole: Mask
    has_fixed_arms: bool


def survey(stream: LogStream, learners: Mapping[str, Trained]) -> Survey:
    """The facts, from one pass in which recipes refuse what they make no sense on.

    Args:
        stream: the log, of at least one round.
        learners: {name: target that learns}.

    Raises:
        ValueError: naming the target, what it assumes, and a number that breaks it.
    """
    sizes = []
    wholes = []
    has_fixed_arms = True
    for number, chunk in enumerate(stream):
        if number == 0:
            first = chunk

        for name, each in learners.items():
            with naming_target(name):
                check_assumptions(each.recipe, chunk)

        sizes.append(len(chunk))
        wholes.append(~np.isnan(chunk.rewards).any(1))
        has_fixed_arms &= bool((chunk.contexts == first.contexts[0]).all())

    return Survey(first, tuple(sizes), np.concatenate(wholes), has_fixed_arms)


class TrainedInPieces:
    """The policies of a recipe, one per part of a log, each of which learns what teaches that part.

    They are those of `Trained`, or `ForwardLog`, in memory, to the last bit. Where beliefs are
    drawn, each piece has draws of its own, which are others than those in memory and average out.

    Args:
        target: the recipe.
        known: facts about the log.
        parts: of its rounds.
        seed: of the policies.

    Raises:
        ValueError: where the recipe cannot work on such a log, or not in pieces.
    """

    def __init__(self, target: Trained, known: Survey, parts: PieceParts, seed: int) -> None:
        self._target = target
        self.parts = parts
        self._seed = seed
        self.learnings = []
        recipe = recipe_on(target.recipe, known.first)
        needs_whole = not recipe.accepts_partial
        # A table of ones that takes no memory.
        every_round = np.broadcast_to(True, known.is_whole.shape)
        self._teaches = known.is_whole if needs_whole else every_round
        of_parts = parts.of_rounds[self._teaches]
        for part in range(parts.part_count):
            rounds = int(np.count_nonzero(parts.teach(part, of_parts)))
            policy = _only_policy(recipe, known, rounds)
            rehearse_on(policy, known.first)
            self.learnings.append(Learning(policy, self._rng(part)))

        self._waiting = list(enumerate(self.learnings))

    def _rng(self, part: int, number: int | None = None) -> np.random.Generator:
        """The stream that a part's policy learns with, or draws with in a piece, as in memory."""
        # A stream per part: the number of parts leaves those before as they are.
        place: tuple[int, ...] = (part, 0) if self.parts.forward else (part,)
        if number is not None:
            place = (part, 1, number)

        return np.random.default_rng(np.random.SeedSequence(self._seed, spawn_key=place))

    def learn(self, number: int, chunk: Feedback) -> None:
        """Learn a piece."""
        parts = self.parts.of(number)
        first, end = self.parts.ends[number : number + 2]
        can_teach = self._teaches[first:end]
        for part, learning in self._waiting:
            teaches = can_teach & self.parts.teach(part, parts)
            rounds = np.flatnonzero(teaches)
            learning.learn(chunk, rounds)

    def begin_again(self) -> bool:
        """Begin again where draws carry notes; whether there is such a policy."""
        self._waiting = [pair for pair in self._waiting if pair[1].needs_matching]
        for _, each in self._waiting:
            each.begin(matching=True)

        return bool(self._waiting)

    def law(self, chunk: Feedback, number: int) -> Array:
        """(rounds, arms) probabilities in a piece, the same ones whenever it is read."""
        parts = self.parts.of(number)
        table = np.zeros((len(chunk), len(chunk.arm_names)))
        draws = self._target.draws
        for part, each in enumerate(self.learnings):
            rounds = np.flatnonzero(parts == part)
            rng = self._rng(part, number)
            add_frozen_probabilities(each.policy, each.state, chunk, rounds, draws, rng, table)

        return table


def _only_policy(recipe: Recipe, known: Survey, rounds: int) -> Policy:
    """The policy that learns so many rounds, of a recipe that can learn them in pieces."""
    shape = log_shape(known.first, max(rounds, 1))
    if not known.has_fixed_arms:
        shape = shape.replaced(fixed_arms=None)

    policy, length = next(recipe.stages(shape))
    is_cut = length is not None and length < rounds
    if is_cut or has_prices(recipe):
        rule = "a recipe must be one policy without a budget for a stream"
        raise ValueError(f"{rule}, got {quoted(recipe)}; a log in memory can have it")

    return policy


def train(
    stream: LogStream,
    learners: Mapping[str, Trained],
    known: Survey,
    parts: PieceParts,
    seed: int,
) -> dict[str, TrainedInPieces]:
    """The targets that learn, after they have learned a log.

    Args:
        stream: the log.
        learners: {name: target that learns}.
        known: facts about the log.
        parts: of its rounds.
        seed: of the policies.

    Raises:
        ValueError: naming the target.
    """
    trained = {}
    for name, target in learners.items():
        with naming_target(name):
            trained[name] = TrainedInPieces(target, known, parts, seed)

    waiting = list(trained.values())
    while waiting:
        for number, chunk in enumerate(stream):
            for each in waiting:
                each.learn(number, chunk)

        # Those that met a note read the log once more; the others have learned it.
        waiting = [each for each in waiting if each.begin_again()]

    for taught in trained.values():
        for learning in taught.learnings:
            reset_accounts(learning.policy, learning.state)

    return trained
