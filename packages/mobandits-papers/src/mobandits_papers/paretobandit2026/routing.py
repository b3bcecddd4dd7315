"""Prompts that a router is deployed on, and how they are played.

The first file of prompts is the log: a model was drawn for every prompt, all with the same
probability, and the grades and the price of that one answer were seen. The second file comes after
it, and nothing is chosen on it. All is said by public calls with default arguments.
"""

import functools
import hashlib
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent import Agent, Objective
from mobandits.contracts.protocols import Array, IntArray, Order, Recipe, Rng
from mobandits.datasets.routing_files import GRADE, RoutingTable, read_routing_file
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST, PROMPTS, prompt_contexts
from mobandits.logs import Feedback
from mobandits.orders import Weighted
from mobandits.orders.by_number import by_number
from mobandits.orders.validity import check_objectives, require_order
from mobandits.policies import DriftAlarm, MolEpsGreedy, Paced
from mobandits.suite.prompts import graded, routed, uniformly_logged
from mobandits.support.naming import quoted

QUALITY = Objective("quality", low=0.0, high=1.0)
# Without a range: prices span four powers of ten, and a range of the dearest would drown the rest.
COST = Objective("cost", minimise=True, unit="USD")
QUALITY_ALONE = Weighted((1.0, 0.0))
# The log has tried every model on hundreds of prompts: the deployed policy need not explore.
STEADY = MolEpsGreedy(epsilon=0.0, penalty=10.0, intercept=30.0)
LEARNER = DriftAlarm(STEADY)
THOUSAND = 1000.0

FEWEST_PROMPTS = 60  # of each file, so that there is something to learn and to cut into phases
FEATURES = 32  # of a text, as `LlmRouting` has them


class Prompts(NamedTuple):
    """A file of prompts, with the outcome of every answer.

    Attributes:
        contexts: (prompts, features).
        grades: (prompts, models, judges).
        dollars: (prompts, models).
    """

    contexts: Array
    grades: Array
    dollars: Array

    @property
    def quality(self) -> Array:
        """(prompts, models) the mean grade of every answer."""
        mean: Array = self.grades.mean(axis=2)
        return mean

    @property
    def answers(self) -> Array:
        """(prompts, models, objectives) the grades and the cost of every answer."""
        cost = self.dollars[:, :, None]
        return np.concatenate([self.grades, cost], axis=2)

    def between(self, first: int, last: int | None) -> "Prompts":
        """The prompts from the first to before the last; None: to the end."""
        columns = [column[first:last] for column in self]
        return Prompts(*columns)


class Routing(NamedTuple):
    """The problem of a router, and the two files that it meets.

    Attributes:
        models: the names of the arms, cheapest first.
        objectives: a grade per judge, then the cost.
        preference: by which answers are compared.
        first: the file that is learned.
        second: the file that comes then.
    """

    models: tuple[str, ...]
    objectives: tuple[Objective, ...]
    preference: Order
    first: Prompts
    second: Prompts


class Outcomes(NamedTuple):
    """What was played, in the order of the rounds.

    Attributes:
        arms: (rounds,) the positions of the models.
        quality: (rounds,) of the answers.
        dollars: (rounds,) likewise.
    """

    arms: IntArray
    quality: Array
    dollars: Array


@functools.cache
def published_routing() -> Routing:
    """The two published files, as `LlmRouting` has them.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
    """
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(0))
    contexts = problem.contexts[:, 0]
    both = Prompts(contexts, problem.rewards[:, :, :1], problem.dollars)

    return Routing(
        models=LlmRouting.models,
        objectives=(QUALITY, COST),
        preference=QUALITY_ALONE,
        first=both.between(0, FIRST),
        second=both.between(FIRST, None),
    )


class RoutingFiles(NamedTuple):
    """Two files in the form of the published ones, and what is good about an answer.

    Attributes:
        first: the path of the file that is learned.
        second: of the one that comes then.
        judges: the columns that grade an answer.
        quality: "mean" of the judges' grades, or an order over the judges and then the cost.
    """

    first: str | Path
    second: str | Path
    judges: tuple[str, ...] = (GRADE,)
    quality: str | Order = "mean"

    def digests(self) -> list[str]:
        """The SHA-256 of both files."""
        return [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in self[:2]]


def routing_of_files(files: RoutingFiles) -> Routing:
    """The problem of two files, with any number of models from two on.

    Features are those of `LlmRouting`, fitted on the first file. Models are ordered by their mean
    cost there. Grades are learned on [0, 1], or between the least and the largest where one lies
    outside.

    Raises:
        ValueError: in one line, where a file does not fit.
        MissingExtraError: where the extra `data` is not installed.
    """
    first = _checked_table(files.first, files.judges)
    second = _checked_table(files.second, files.judges)
    try:
        second = second.of_models(first.models)
    except ValueError as error:
        raise ValueError(f"{files.second}: {error}, as {files.first} has them") from error

    by_cost = np.argsort(first.dollars.mean(axis=0), kind="stable")
    models = [first.models[place] for place in by_cost]
    first = first.of_models(models)
    second = second.of_models(models)
    texts = [*first.prompts, *second.prompts]
    try:
        contexts = prompt_contexts(texts, len(first.prompts), FEATURES)
    except ValueError as error:
        raise ValueError(f"{files.first}: {error}") from error

    return _routing_of_tables(files, tuple(models), first, second, contexts)


def _routing_of_tables(
    files: RoutingFiles,
    models: tuple[str, ...],
    first: RoutingTable,
    second: RoutingTable,
    contexts: Array,
) -> Routing:
    grades = np.concatenate([first.grades, second.grades])
    dollars = np.concatenate([first.dollars, second.dollars])
    judges = files.judges
    preference: Any = files.quality
    if isinstance(preference, str):
        if preference != "mean":
            raise ValueError(f"quality must be 'mean' or an order, got {quoted(preference)}")

        # A mean of grades is a grade: what it loses is nothing, and one regression is enough.
        grades = grades.mean(axis=2, keepdims=True)
        judges = judges if len(judges) == 1 else ("quality",)
        preference = QUALITY_ALONE
    else:
        require_order("quality", preference)

    names = (*judges, str(COST.name))
    preference = by_number(preference, names)
    check_objectives(preference, len(names))
    objectives = [graded(judge, grades[:, :, place]) for place, judge in enumerate(judges)]
    both = Prompts(contexts, grades, dollars)
    count = len(first.prompts)

    return Routing(
        models=models,
        objectives=(*objectives, COST),
        preference=preference,
        first=both.between(0, count),
        second=both.between(count, None),
    )


def _checked_table(path: str | Path, judges: Sequence[str]) -> RoutingTable:
    table = read_routing_file(path, judges)
    if len(table.prompts) < FEWEST_PROMPTS:
        raise ValueError(
            f"{path} must have at least {FEWEST_PROMPTS} prompts, got {len(table.prompts)}"
        )
    if len(table.models) < 2:
        raise ValueError(f"{path} must have answers of two models, got {table.models[0]} alone")
    if not table.dollars.any():
        raise ValueError(f"{path} must have answers that cost something, got none")

    return table


def uniform_log(routing: Routing, rng: Rng, models: Sequence[int] | None = None) -> Feedback:
    """A log of decisions that a uniform policy made on the first file.

    Args:
        routing: the problem.
        rng: draws a model per prompt.
        models: the positions of those that are drawn; None: all.
    """
    drawn = list(range(len(routing.models))) if models is None else list(models)
    prompts = routing.first
    names = tuple(routing.models[arm] for arm in drawn)
    answers = prompts.answers[:, drawn]

    return uniformly_logged(prompts.contexts, answers, names, routing.objectives, rng)


def router(
    routing: Routing,
    log: Feedback,
    budget: float,
    *,
    recipe: Recipe = LEARNER,
    horizon: int | None = None,
) -> Agent[Any]:
    """An agent that has learned a log, and looked up its price of a dollar there.

    Args:
        routing: the problem.
        log: of some of its models.
        budget: US dollars per prompt.
        recipe: which `Paced` gives the budget.
        horizon: the prompts that the budget is for; None: it has no end.
    """
    paced = Paced(recipe, {COST.name: budget}, horizon=horizon)
    features = log.contexts.shape[1]
    agent = Agent(paced, arms=log.arm_names, features=features, objectives=routing.objectives)
    agent.preference = routing.preference
    agent.learn_log(log)

    return agent


def play(
    agent: Agent[Any],
    routing: Routing,
    prompts: Prompts,
    order: IntArray,
    eligible: Sequence[Hashable] | None = None,
) -> Outcomes:
    """Have a router decide prompts, one after the other, and learn every answer.

    Args:
        agent: from `router`.
        routing: the problem.
        prompts: with what answers are worth and cost now.
        order: (rounds,) in which they come.
        eligible: the models that may answer; None: all of the agent's.
    """
    arms = routed(agent, prompts.contexts, prompts.answers, order, routing.models, eligible)
    quality = prompts.quality[order, arms]
    dollars = prompts.dollars[order, arms]

    return Outcomes(arms, quality, dollars)
