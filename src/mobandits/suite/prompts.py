"""Prompts of MOB-LLM: features, and the quality and cost of every model's answer."""

import functools
import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Rng
from mobandits.datasets.routing_csv import NumberedTable, read_routing_csv
from mobandits.datasets.routing_files import judges_of_file, read_routing_file
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST, PROMPTS, prompt_contexts
from mobandits.features.feature_map import FeatureMap
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective, signs_of
from mobandits.numerics.hindsight import HindsightCurve, hindsight_curve
from mobandits.support.naming import wrong_value

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent

TEXT_FEATURES = 32  # of a prompt's text, as `LlmRouting` has them
FEWEST = 40  # prompts per model: a model has about 20 answers in a log
COST = Objective("cost", minimise=True)


@dataclass(frozen=True, eq=False)
class Prompts:
    """A table whose first rows are logged, and whose other rows are played.

    Attributes:
        models: names of the arms.
        features: what contexts are made of, in words.
        contexts: (prompts, features).
        quality: (prompts, models) the mean over judges.
        cost: (prompts, models).
        logged: the number of rows that logs are made of.
        digest: of the file; empty for the built-in table.
    """

    models: tuple[str, ...]
    features: str
    contexts: Array
    quality: Array
    cost: Array
    logged: int
    digest: str = ""

    @property
    def played(self) -> int:
        """The number of rows that are played."""
        return len(self.cost) - self.logged

    @property
    def objectives(self) -> tuple[Objective, Objective]:
        """Quality and cost."""
        return graded("quality", self.quality), COST

    @functools.cached_property
    def answers(self) -> Array:
        """(prompts, models, 2) quality and cost."""
        return np.stack([self.quality, self.cost], axis=2)

    @functools.cached_property
    def hindsight(self) -> HindsightCurve:
        """The best quality per cost on the rows that are played, where every answer is known."""
        return hindsight_curve(self.quality[self.logged :], self.cost[self.logged :])

    @functools.cached_property
    def mixture(self) -> HindsightCurve:
        """The same for one mixture of models for all rows."""
        quality, cost = self.means
        return hindsight_curve(quality[None], cost[None])

    @functools.cached_property
    def means(self) -> tuple[Array, Array]:
        """(models,) mean quality and mean cost on the rows that are played."""
        rows = slice(self.logged, None)
        return self.quality[rows].mean(axis=0), self.cost[rows].mean(axis=0)

    @functools.cached_property
    def clusters(self) -> FeatureMap:
        """100 clusters of the logged contexts."""
        # Only here: what fits maps imports much.
        from mobandits.features import fit  # noqa: PLC0415

        # The centres rest on contexts alone, so that one log will do for all.
        log = self.log(np.random.default_rng(0))
        return fit(log, "clusters", folds=2).map

    def log(self, rng: Rng) -> Feedback:
        """A log of the first rows; see `uniformly_logged`."""
        rows = slice(self.logged)
        return uniformly_logged(
            self.contexts[rows], self.answers[rows], self.models, self.objectives, rng
        )


def graded(judge: str, grades: Array) -> Objective:
    """The objective of a judge, with a range that holds [0, 1] and all of its grades."""
    low = min(0.0, float(grades.min()))
    high = max(1.0, float(grades.max()))
    return Objective(judge, low=low, high=high)


def uniformly_logged(
    contexts: Array,
    answers: Array,
    models: tuple[str, ...],
    objectives: Sequence[Objective],
    rng: Rng,
) -> Feedback:
    """A log with one answer per prompt, of a model that is drawn uniformly.

    Args:
        contexts: (prompts, features).
        answers: (prompts, models, objectives) in the objectives' own directions.
        models: names.
        objectives: of the answers.
        rng: draws a model per prompt.
    """
    count = len(models)
    prompts = len(answers)
    arms = rng.integers(count, size=prompts)
    rewards = answers[np.arange(prompts), arms] * signs_of(objectives)
    propensities = np.full(prompts, 1.0 / count)

    return Feedback(contexts, arms, rewards, propensities, models, objectives)


def routed(
    agent: "Agent[Any]",
    contexts: Array,
    answers: Array,
    order: IntArray,
    models: Sequence[str],
    eligible: Sequence[Hashable] | None = None,
) -> IntArray:
    """(rounds,) the positions of the models that an agent plays; it learns every answer.

    Args:
        agent: with all or some of the models as arms.
        contexts: (prompts, features).
        answers: (prompts, models, objectives) in the objectives' own directions.
        order: (rounds,) prompts, as they come.
        models: names.
        eligible: the models that may answer; None: all of the agent's.
    """
    position: dict[Hashable, int] = {model: i for i, model in enumerate(models)}
    arms = np.empty(len(order), np.int64)
    for i, prompt in enumerate(order.tolist()):
        decision = agent.decide(contexts[prompt], eligible)
        arm = position[decision.arm]
        agent.learn(decision.id, answers[prompt, arm].tolist())
        arms[i] = arm

    return arms


def built_in_prompts() -> Prompts:
    """The prompts of `LlmRouting`: the first published file is logged, the second one played.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
    """
    problem = LlmRouting(TEXT_FEATURES).problem(PROMPTS, np.random.default_rng(0))
    return Prompts(
        models=LlmRouting.models,
        features=f"{TEXT_FEATURES} features of the text (TF-IDF, SVD) and a constant",
        contexts=problem.contexts[:, 0],
        quality=problem.rewards[:, :, 0],
        cost=problem.dollars,
        logged=FIRST,
    )


def prompts_of_file(path: str | Path) -> Prompts:
    """The prompts of a user's table, whose first half, rounded up, is logged.

    Contexts have 32 features of the text, where there is one; the numeric columns of a CSV file,
    standardised by the logged rows and divided by the root of their number; and a constant.

    Args:
        path: of a CSV file, as `read_routing_csv` takes it, where it ends with ".csv"; else of lines
            of JSON, as `read_routing_file` takes them, whose judges begin with "reward".

    Raises:
        ValueError: in one line that names the file.
        MissingExtraError: where texts need the extra `data`.
    """
    file = Path(path)
    if file.suffix.lower() == ".csv":
        read = read_routing_csv(file)
    else:
        lines = read_routing_file(file, judges_of_file(file))
        read = NumberedTable(lines, (), np.empty((len(lines.prompts), 0)))

    table = read.table
    models = table.models
    if len(models) < 2:
        raise ValueError(f"{path} must have answers of two models, got {models[0]} alone")

    count = len(table.prompts)
    least = FEWEST * len(models)
    if count < least:
        raise ValueError(
            f"{path} must have at least {least} prompts, {FEWEST} per model, got {count}"
        )

    logged = (count + 1) // 2
    try:
        features, contexts = contexts_of(read, logged)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error

    means = table.dollars[logged:].mean(axis=0)
    if means.min() == means.max():
        raise wrong_value(f"{path} must have models of different cost", means.min())

    return Prompts(
        models=models,
        features=features,
        contexts=contexts,
        quality=table.grades.mean(axis=2),
        cost=table.dollars,
        logged=logged,
        digest=hashlib.sha256(file.read_bytes()).hexdigest(),
    )


def contexts_of(read: NumberedTable, logged: int) -> tuple[str, Array]:
    """What is known of each prompt, in words and as (prompts, features).

    Args:
        read: the table.
        logged: the number of rows that features are fitted on.

    Raises:
        ValueError: where texts have no different words.
        MissingExtraError: where texts need the extra `data`.
    """
    texts = read.table.prompts
    words = []
    if any(texts):
        words.append(f"{TEXT_FEATURES} features of the text (TF-IDF, SVD)")
        contexts = prompt_contexts(texts, logged, TEXT_FEATURES)
    else:
        contexts = np.full((len(texts), 1), np.sqrt(0.5))

    if read.names:
        words.append(f"the columns {', '.join(read.names)}")
        mean = read.numbers[:logged].mean(axis=0)
        deviation = read.numbers[:logged].std(axis=0)
        unit = np.where(deviation > 0.0, deviation, 1.0) * np.sqrt(len(read.names))
        contexts = np.hstack([contexts, (read.numbers - mean) / unit])

    words.append("a constant")

    return " and ".join(words), contexts
