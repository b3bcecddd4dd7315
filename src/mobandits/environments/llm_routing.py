"""Routing prompts to language models, on real data: quality against cost."""

import functools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.llm_routing import MODELS, SPLITS, llm_routing
from mobandits.environments.tables import read_only
from mobandits.environments.text_features import text_features
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    import polars as pl

PROMPTS = sum(rows for rows, _ in SPLITS.values())
FIRST = next(iter(SPLITS.values()))[0]  # rows of the file that everything is fitted on
_ONCE = threading.Lock()


@dataclass(frozen=True)
class LlmRouting:
    """Send each prompt to one of three language models; be paid in quality and in money not spent.

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

    text_features: int = 32

    models: ClassVar[tuple[str, ...]] = MODELS
    max_rounds: ClassVar[int] = PROMPTS

    def __post_init__(self) -> None:
        integer("LlmRouting.text_features", self.text_features, at_least=0)
        number("LlmRouting.text_features", self.text_features, at_most=1000)

    @property
    def costs(self) -> Array:
        """(prompts, models) the recorded cost of every answer in US dollars, in the data set's order; read-only."""
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
            raise ValueError(
                f"rounds must be at most {PROMPTS} in LlmRouting, which plays every prompt once, got {quoted(rounds)}"
            )
        with _ONCE:  # threads that start together would otherwise each fit the features
            contexts = _contexts(self.text_features)
            outcomes = _outcomes()
        shape = Shape(len(MODELS), contexts.shape[2], 2, rounds, shared=True)
        return RoutingProblem(
            shape, rng.permutation(PROMPTS), contexts, outcomes.rewards, outcomes.dollars
        )


class RoutingProblem(NamedTuple):
    """One trial: round t shows prompt `order[t]`. The tables are in the data set's order, and all trials share them.

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
        rewards = self.rewards[prompts]
        return Block(self.contexts[prompts], rewards, rewards)

    def quantities(self, first: int, rounds: int) -> dict[str, Array]:
        """Numbers of these rounds that are not rewards: {"dollars": (rounds, models)}, the recorded costs."""
        return {"dollars": self.dollars[self.prompts(first, rounds)]}

    def prompts(self, first: int, rounds: int) -> IntArray:
        """(rounds,) rows of the data set that these rounds show.

        Raises:
            ValueError: where the rounds go past the last prompt.
        """
        if not 0 <= first <= first + rounds <= len(self.order):
            raise ValueError(
                f"rounds {first} to {first + rounds} must lie within the {len(self.order)} prompts of LlmRouting"
            )
        return self.order[first : first + rounds]


class Outcomes(NamedTuple):
    """The realised table in the data set's order: `rewards` (prompts, models, 2) and `dollars` (prompts, models)."""

    rewards: Array
    dollars: Array


@functools.cache
def _frame() -> "pl.DataFrame":
    return llm_routing()


@functools.cache
def _outcomes() -> Outcomes:
    quality = _frame().select(f"quality_{model}" for model in MODELS).to_numpy()
    dollars = _frame().select(f"cost_{model}" for model in MODELS).to_numpy()
    return Outcomes(
        read_only(np.stack([quality, scaled_cost(dollars, FIRST)], axis=2)), read_only(dollars)
    )


@functools.cache
def _contexts(count: int) -> Array:
    if count == 0:
        return read_only(np.ones((PROMPTS, 1, 1)))
    texts = _frame()["prompt"].to_list()
    rows = text_features(texts[:FIRST], texts, count)
    return read_only(np.hstack([rows, np.ones((PROMPTS, 1))])[:, None] / np.sqrt(2.0))


def scaled_cost(dollars: Array, fitted_on: int) -> Array:
    """1 for the cheapest and 0 for the dearest answer of the first `fitted_on` rows, linear in the logarithm, clipped.

    Example:
        >>> scaled_cost(np.array([[1.0, 10.0], [100.0, 1.0], [1000.0, 10.0]]), 2).tolist()
        [[1.0, 0.5], [0.0, 1.0], [0.0, 0.5]]
    """
    logs = np.log10(dollars)
    low = logs[:fitted_on].min()
    high = logs[:fitted_on].max()
    scaled: Array = np.clip((high - logs) / (high - low), 0.0, 1.0)
    return scaled
