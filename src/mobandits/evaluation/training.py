"""A recipe as a target: trained on some folds of a log, frozen, and evaluated on the others."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import loop_for
from mobandits.compiling.first_round import rehearse
from mobandits.contracts.assumptions import enforce
from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import (
    Array,
    IntArray,
    LoggedRounds,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import accounts_of, write_accounts
from mobandits.contracts.terms import first_prices, in_terms, with_preference
from mobandits.evaluation.loops import add_probabilities_of, learn_logged
from mobandits.logs import Feedback
from mobandits.orders.by_number import by_number
from mobandits.support.checks import integer
from mobandits.support.naming import quoted
from mobandits.support.nearest import as_object

DRAWS = 100


@dataclass(frozen=True)
class Trained:
    """A recipe, trained on all folds of the log but one, frozen, and evaluated on that one.

    The policy learns from every round of its training folds, in the log's order, no matter which
    policy played it. Two exceptions: a recipe that needs whole rewards learns from rounds with
    whole rewards; and a recipe whose update needs the note of its own draw learns from the rounds
    in which it draws the arm that was played.

    Args:
        recipe: one of `mobandits.policies`.
        draws: how often beliefs are drawn where they are random, as in Thompson sampling; its
            probabilities are the mean over these draws. Beliefs that are not random are asked once,
            exactly.

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
        check_recipe("Trained.recipe", self.recipe)
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
        probabilities = np.zeros((len(log), len(log.arm_names)))
        for policy, state, rounds, rng, _ in learned_parts(self.recipe, log, folds, seed):
            add_frozen_probabilities(policy, state, log, rounds, self.draws, rng, probabilities)

        return probabilities


class Learned(NamedTuple):
    """A policy that has learned some parts of a log, to be valued on another part.

    Attributes:
        policy: frozen.
        state: what it learned.
        rounds: those of the part on which it is valued.
        rng: the stream with which it learned.
        seed: of draws on its part that have a stream apart.
    """

    policy: Policy
    state: Any
    rounds: IntArray
    rng: Rng
    seed: np.random.SeedSequence


def learned_parts(
    recipe: Recipe,
    log: Feedback,
    parts: IntArray,
    seed: int,
    *,
    forward: bool = False,
    apart: bool = False,
) -> Iterator[Learned]:
    """The recipe's policy of every part of a log, which has learned the other parts.

    Args:
        recipe: what learns.
        log: the logged decisions.
        parts: (rounds,) the part of each.
        seed: of the policies' streams.
        forward: only earlier parts teach; there is no policy of the first part.
        apart: draws on the part have a stream apart, whatever was drawn before.

    Raises:
        ValueError: where the recipe cannot work on such a log.
    """
    for part in range(int(forward), int(parts.max()) + 1):
        # A stream per part: the number of parts leaves those before as they are.
        place = (part, 0) if apart else (part,)
        of_learning = np.random.SeedSequence(seed, spawn_key=place)
        of_draws = np.random.SeedSequence(seed, spawn_key=(part, 1))
        rng = np.random.default_rng(of_learning)
        teaches = parts < part if forward else parts != part
        teaching = np.flatnonzero(teaches)
        policy, state = trained(recipe, log, teaching, rng)
        rounds = np.flatnonzero(parts == part)
        yield Learned(policy, state, rounds, rng, of_draws)


def check_recipe(parameter: str, recipe: Any) -> None:
    """Refuse what is no recipe."""
    if not isinstance(recipe, Recipe):
        got = f"{quoted(recipe)}{as_object(recipe)}"
        raise ValueError(f"{parameter} must be a recipe such as MolUcb(), got {got}")


def recipe_on(recipe: Recipe, log: Feedback) -> Recipe:
    """The recipe as an agent of the log would play it: in its terms, and by its preference.

    Raises:
        ValueError: where the recipe says no order, and cannot play by the log's preference.
    """
    ordered = with_preference(recipe, log.preference)
    numbered = by_number(ordered, log.objective_names)
    played: Recipe = in_terms(numbered, log.terms)
    return played


def trained(recipe: Recipe, log: Feedback, rounds: IntArray, rng: Rng) -> tuple[Policy, Any]:
    """The policy and its state after learning from some rounds of a log.

    Example:
        >>> from mobandits.policies import Ucb1
        >>> log = Feedback(np.ones((2, 0)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> policy, state = trained(Ucb1(), log, np.array([0, 1]), np.random.default_rng(0))
        >>> state.seen.ravel().tolist()
        [1.0, 1.0]
    """
    recipe = recipe_on(recipe, log)
    if not recipe.accepts_partial:
        incomplete = np.isnan(log.rewards[rounds]).any(1)
        rounds = rounds[~incomplete]

    # Without any rounds, too, the policy is asked: with what it believes at first.
    shape = log_shape(log, max(len(rounds), 1))
    stages = recipe.stages(shape)
    first = 0
    while True:
        policy, length = next(stages)
        last = len(rounds) if length is None else first + length
        stage_rounds = rounds[first:last]
        rehearse_on(policy, log)
        learning = Learning(policy, rng)
        learning.learn(log, stage_rounds)
        if learning.needs_matching:
            learning.begin(matching=True)
            learning.learn(log, stage_rounds)

        state = learning.state
        _open_accounts(recipe, policy, state, log, stage_rounds)
        first += len(stage_rounds)
        if first >= len(rounds):
            return policy, state


class Learning:
    """A policy that learns from scratch, from rounds of one log or of one after the other.

    Args:
        policy: of a recipe.
        rng: of the policy.
    """

    def __init__(self, policy: Policy, rng: Rng) -> None:
        self.policy = policy
        self.rng = rng
        self.begin(matching=False)

    def begin(self, *, matching: bool) -> None:
        """Begin from scratch.

        Args:
            matching: learn only from rounds in which the policy draws the arm that was played.
        """
        self.matching = matching
        self.state = self.policy.init()
        self.rounds = 0
        self.learned = np.zeros(1, np.int64)

    @property
    def needs_matching(self) -> bool:
        """Whether draws carry notes: then only rounds in which it draws the logged arm teach."""
        return bool(self.learned[0] < 0)

    def learn(self, log: Feedback, rounds: IntArray) -> None:
        """Learn from some rounds of a log; nothing where it must begin again."""
        if self.needs_matching:
            return

        loop = loop_for(learn_logged, self.policy)
        self.state = loop(
            self.policy,
            self.state,
            rounds,
            self.rounds,
            contexts_of(log),
            log.arms,
            log.learned_rewards,
            eligible_of(log),
            self.matching,
            note_of(self.policy),
            self.rng,
            self.learned,
        )
        self.rounds += len(rounds)


def _open_accounts(
    recipe: Recipe, policy: Policy, state: Any, log: Feedback, rounds: IntArray
) -> None:
    """Let a policy that has learned from a log begin as an agent would that has learned it.

    What a log teaches uses up neither horizon nor budget, and tells the prices of costs.
    """
    if not reset_accounts(policy, state):
        return

    known = LoggedRounds(
        contexts_of(log)[rounds],
        np.arange(len(log.arm_names)),
        np.broadcast_to(eligible_of(log), (len(log), len(log.arm_names)))[rounds],
        log.arms[rounds],
        log.propensities[rounds],
        log.learned_rewards[rounds],
    )
    prices = first_prices(recipe, policy, known)
    if prices is not None:
        write_accounts(state, prices._asdict())


def reset_accounts(policy: Policy, state: Any) -> bool:
    """Let the accounts of a state be those of one that has decided nothing; whether it has any."""
    accounts = accounts_of(state)
    if not accounts:
        return False

    for account, first in zip(accounts, accounts_of(policy.init()), strict=True):
        account[...] = first

    return True


def rehearse_on(policy: Policy, log: Feedback) -> None:
    """Play a round in Python, where the policy is from outside of this library."""
    arms = np.arange(len(log.arm_names))
    # Made up, since only those of logged arms are known.
    rewards = np.ones((len(arms), len(log.objective_names)))
    # A policy that is replayed need not have probabilities.
    has_probabilities = callable(getattr(policy, "probabilities", None))
    context = contexts_of(log)[0]
    rehearse(policy, context, arms, rewards, law=has_probabilities, made_up=True)


def add_frozen_probabilities(
    policy: Policy,
    state: Any,
    log: Feedback,
    rounds: IntArray,
    draws: int,
    rng: Rng,
    probabilities: Array,
) -> None:
    """Add a frozen policy's probabilities to the rows `rounds` of a table.

    The table is `probabilities`, (all rounds, arms).
    """
    contexts = contexts_of(log)
    add_laws(policy, state, rounds, contexts, eligible_of(log), draws, rng, probabilities)


def add_laws(
    policy: Policy,
    state: Any,
    rounds: IntArray,
    contexts: Array,
    eligible: Mask,
    draws: int,
    rng: Rng,
    table: Array,
) -> None:
    """As `add_frozen_probabilities`, of contexts and arms in the numbers of the policy.

    Beliefs that draw nothing from `rng` are not random, and asked once.
    """
    arguments = (rounds, contexts, eligible, rng, table)
    loop = loop_for(add_probabilities_of, policy)
    stream_before = rng.bit_generator.state
    loop(policy, state, *arguments)
    # Seen and not declared, so that it holds for policies of users as well.
    random_beliefs = rng.bit_generator.state != stream_before
    if random_beliefs:
        for _ in range(draws - 1):
            loop(policy, state, *arguments)

        table[rounds] /= draws


def log_shape(log: Feedback, rounds: int) -> Shape:
    """The shape of a log, of which a recipe will see so many rounds.

    Example:
        >>> log = Feedback(np.ones((2, 3)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> log_shape(log, 2)
        Shape(arms=2, features=3, objectives=1, rounds=2, shared=True, fixed_arms=None)
    """
    contexts = log.contexts
    shared = contexts.ndim == 2
    features = contexts.shape[-1]
    fixed_arms = None
    if not shared and len(contexts):
        is_fixed = bool((contexts == contexts[0]).all())
        if is_fixed:
            fixed_arms = contexts[0].copy()

    return Shape(
        arms=len(log.arm_names),
        features=features,
        objectives=len(log.objective_names),
        rounds=rounds,
        shared=shared and features > 0,
        fixed_arms=fixed_arms,
    )


def contexts_of(log: Feedback) -> Array:
    """The contexts with an axis of arms, (rounds, arms or 1, features)."""
    if log.contexts.ndim == 3:
        return log.contexts
    return log.contexts[:, None]


def eligible_of(log: Feedback) -> Mask:
    """The eligible arms, (rounds or 1, arms): one row where all rounds have all arms."""
    if log.eligible is None:
        return np.ones((1, len(log.arm_names)), bool)
    return log.eligible


def check_recipe_on(recipe: Recipe, log: Feedback) -> None:
    """Refuse a recipe that cannot work on a log, before it learns anything.

    Raises:
        ValueError: naming what the recipe needs or assumes.
    """
    _enforce_on(log, recipe, refuse=True)
    shape = log_shape(log, max(len(log), 1))
    next(
        recipe_on(recipe, log).stages(shape)
    )  # binds the first policy, which raises where it cannot


def check_assumptions(recipe: Recipe, log: Feedback) -> None:
    """Refuse a log that a recipe makes no sense on, and warn of one that voids its guarantees.

    Raises:
        ValueError: naming what the recipe assumes, and a number that breaks it.
    """
    _enforce_on(log, recipe, refuse=True)
    _enforce_on(log, recipe, refuse=False)


def _enforce_on(log: Feedback, recipe: Recipe, *, refuse: bool) -> None:
    """Enforce the assumptions that refuse a log, or those that warn of it."""
    rewards = log.learned_rewards
    was_observed = ~np.isnan(rewards)
    for assumption in recipe.assumptions():
        if assumption.refuse == refuse:
            enforce(assumption, log.contexts, rewards[was_observed], stacklevel=3)
