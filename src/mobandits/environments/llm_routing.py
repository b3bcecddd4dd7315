"""Routing prompts to language models, on real data: quality against cost."""

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.llm_routing import MODELS, SPLITS, llm_routing
from mobandits.environments.tables import read_only
from mobandits.environments.text_features import text_features
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value

if TYPE_CHECKING:
    import polars as pl

ROWS = [rows for rows, _ in SPLITS.values()]  # of the data set's files
PROMPTS = sum(ROWS)
FIRST = ROWS[0]  # rows of the file that everything is fitted on; the other one stays unseen
OBJECTIVES = 2

_ONCE = threading.Lock()


@dataclass(frozen=True)
class LlmRouting:
    """Routing of prompts to one of three language models: quality against money not spent.

    A trial is one random order of all 3,609 prompts. Objective 0 is the graded quality of the
    answer, in [0, 1]. Objective 1 is the cost on a logarithmic scale, turned round so that more is
    better: 1 - (log10 c - low) / (high - low), where c is the cost in dollars and low, high are the
    smallest and largest log10 c of the first file. So 1 is the cheapest answer of that file
    (0.0000039 dollars) and 0 the dearest (0.16). It is clipped to [0, 1], which moves one answer of
    the second file, by 0.0024. Dollars are never computed back from it: `costs` and `quantities`
    have them as recorded.

    The context is one row for all models, known when the prompt arrives: the `text_features` of its
    text, of norm 1 and fitted on the first file only, and a constant 1, together divided by the
    square root of 2, so that every row has norm 1. With ``text_features=0`` it is the constant 1
    alone.

    Args:
        text_features: number of features of the prompt's text, 0 to 1000; 0 answers the question
            whether context helps.

    Attributes:
        models: the names of the arms, cheapest first.
        max_rounds: the number of prompts, which is the longest horizon.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        The data: `mobandits.datasets.llm_routing`. It needs the extra `data`, and so do the text
        features.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> problem = LlmRouting(text_features=0).problem(3609, rng)
        >>> block = problem.block(0, 100, rng)
        >>> block.contexts.shape, block.rewards.shape
        ((100, 1, 1), (100, 3, 2))
        >>> problem.quantities(0, 100)["dollars"].shape
        (100, 3)
    """

    references = ("paretobandit2026",)

    text_features: int = 32

    models = MODELS
    max_rounds = PROMPTS

    def __post_init__(self) -> None:
        integer("LlmRouting.text_features", self.text_features, at_least=0, at_most=1000)

    @property
    def costs(self) -> Array:
        """(prompts, models) the recorded cost of every answer in US dollars; read-only.

        Rows are in the data set's order.
        """
        with _ONCE:
            return _outcomes().dollars

    def problem(self, rounds: int, rng: Rng) -> "RoutingProblem":
        """One random order of the prompts, of which the first `rounds` are played.

        Raises:
            MissingExtraError: where the extra `data` is not installed.
            ValueError: where `rounds` exceeds the number of prompts, or a data file is damaged.
        """
        integer("rounds", rounds, at_least=1)
        if rounds > PROMPTS:
            raise wrong_value(
                f"rounds must be at most {PROMPTS} in LlmRouting, which plays every prompt once",
                rounds,
            )

        with _ONCE:  # threads that start together would otherwise each fit the features
            contexts = _contexts(self.text_features)
            outcomes = _outcomes()

        features = contexts.shape[2]
        shape = Shape(
            arms=len(MODELS),
            features=features,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        order = rng.permutation(PROMPTS)

        return RoutingProblem(
            shape=shape,
            order=order,
            contexts=contexts,
            rewards=outcomes.rewards,
            dollars=outcomes.dollars,
        )


class RoutingProblem(NamedTuple):
    """One trial: round t shows prompt `order[t]`.

    The tables are in the data set's order, and all trials share them.

    Attributes:
        shape: three arms, one context for all of them, two objectives.
        order: (prompts,) a permutation.
        contexts: (prompts, 1, features).
        rewards: (prompts, models, 2) quality and scaled cost.
        dollars: (prompts, models) cost.
    """

    shape: Shape
    order: IntArray
    contexts: Array
    rewards: Array
    dollars: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`; the recorded rewards are also the means.

        Draws nothing: other block borders are the same rounds.
        """
        prompts = self.prompts(first, rounds)
        contexts = self.contexts[prompts]
        rewards = self.rewards[prompts]

        return Block(
            contexts=contexts,
            means=rewards,
            rewards=rewards,
        )

    def quantities(self, first: int, rounds: int) -> dict[str, Array]:
        """{"dollars": (rounds, models)}: the recorded costs, which are not rewards."""
        prompts = self.prompts(first, rounds)
        return {"dollars": self.dollars[prompts]}

    def prompts(self, first: int, rounds: int) -> IntArray:
        """(rounds,) rows of the data set that these rounds show.

        Raises:
            ValueError: where the rounds go past the last prompt.
        """
        last = first + rounds
        # A slice past the end would be shorter without a word.
        if not 0 <= first <= last <= len(self.order):
            raise ValueError(
                f"rounds {first} to {last} must lie within the {len(self.order)} prompts of "
                "LlmRouting"
            )

        return self.order[first:last]


class Outcomes(NamedTuple):
    """The outcome of every choice, in the data set's order.

    Attributes:
        rewards: (prompts, models, 2) quality and scaled cost.
        dollars: (prompts, models) cost.
    """

    rewards: Array
    dollars: Array


# Cached: all trials of a process share what takes seconds to read and to fit.
@functools.cache
def _frame() -> "pl.DataFrame":
    return llm_routing()


@functools.cache
def _outcomes() -> Outcomes:
    frame = _frame()
    quality = frame.select(f"quality_{model}" for model in MODELS).to_numpy()
    dollars = frame.select(f"cost_{model}" for model in MODELS).to_numpy()
    thrift = scaled_cost(dollars, FIRST)
    rewards = np.stack([quality, thrift], axis=2)

    return Outcomes(read_only(rewards), read_only(dollars))


@functools.cache
def _contexts(count: int) -> Array:
    if count == 0:
        return read_only(np.ones((PROMPTS, 1, 1)))

    texts = _frame()["prompt"].to_list()
    contexts = prompt_contexts(texts, FIRST, count)

    return read_only(contexts[:, None])


def prompt_contexts(texts: Sequence[str], fitted_on: int, count: int) -> Array:
    """(prompts, count + 1) the features of texts and a constant, divided by the square root of 2.

    Args:
        texts: of the prompts.
        fitted_on: the features are fitted on the first so many, which are more than `count`.
        count: of the features of a text, at least 1.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
        ValueError: where prompts have no different words.
    """
    try:
        # Of prompts without a difference, the decomposition divides by 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            rows = text_features(texts[:fitted_on], texts, count)
    except (ValueError, RuntimeError) as error:
        # Such as prompts without a word, which the decomposition cannot begin with.
        raise ValueError(f"prompts must have different words: {error}") from error

    # Divided by its length, a text without a word has features that are no numbers.
    if not np.isfinite(rows).all():
        raise ValueError("prompts must have different words, got others")

    constant = np.ones((len(texts), 1))

    # A row of norm 1 and a constant 1 have norm sqrt(2); linear policies assume at most 1.
    contexts: Array = np.hstack([rows, constant]) / np.sqrt(2.0)

    return contexts


def scaled_cost(dollars: Array, fitted_on: int) -> Array:
    """Costs on a logarithmic scale from 1, the cheapest, to 0, the dearest, clipped.

    Cheapest and dearest are those of the first `fitted_on` rows.

    Example:
        >>> scaled_cost(np.array([[1.0, 10.0], [100.0, 1.0], [1000.0, 10.0]]), 2).tolist()
        [[1.0, 0.5], [0.0, 1.0], [0.0, 0.5]]
    """
    # Prices span four powers of ten: on a linear scale all but the dearest answers would be alike.
    logs = np.log10(dollars)
    low = logs[:fitted_on].min()
    high = logs[:fitted_on].max()
    scaled = (high - logs) / (high - low)
    within: Array = np.clip(scaled, 0.0, 1.0)

    return within
