"""A simulation, checked and described, before it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Compiled
from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Environment, Metric, Problem, Recipe
from mobandits.metrics import DEFAULT, resolve
from mobandits.simulation.blocks import BLOCK, blocks, longest
from mobandits.simulation.players import player
from mobandits.simulation.readings import Readings
from mobandits.simulation.record import grid
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.surface_trial import is_continuum, rehearse_on_surface
from mobandits.simulation.trial import Setup, problem_of, truth_of
from mobandits.support.checks import integer
from mobandits.support.naming import concise

Policies = Recipe | Readings | Mapping[str, Recipe | Readings] | Sequence[Recipe | Readings]


@dataclass(frozen=True)
class Plan:
    """What `simulate` will do; `prepare` makes one.

    Attributes:
        setup: what every trial needs to know.
        trials: how many there are.
    """

    setup: Setup
    trials: int

    def specification(self) -> dict[str, Any]:
        """Everything that decides the table, as JSON can hold it."""
        setup = self.setup
        return {
            "experiment": setup.experiment,
            "environment": repr(setup.environment),
            "policies": {row: repr(recipe) for row, recipe in setup.policies.items()},
            "rounds": setup.rounds,
            "trials": self.trials,
            "seed": setup.seed,
            "block": BLOCK,
            "metrics": {metric.name: repr(metric) for metric in setup.metrics},
            "record": list(setup.points),
        }


def prepare(
    policies: Policies,
    environment: Environment | SurfaceEnvironment,
    *,
    rounds: int,
    trials: int = 10,
    seed: int = 0,
    metrics: Sequence[str | Metric] = DEFAULT,
    record: int | Sequence[int] = 200,
    compiled: Compiled = "auto",
    experiment: str = "simulation",
) -> Plan:
    """Check a simulation down to the first rounds of its first trial; the arguments are those of `simulate`.

    Raises:
        ValueError: naming what does not fit.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import RandomChoice
        >>> prepare(RandomChoice(), Linear(), rounds=1000, trials=3).specification()["policies"]
        {'RandomChoice()': 'RandomChoice()'}
    """
    integer("rounds", rounds, at_least=1)
    integer("trials", trials, at_least=1)
    integer("seed", seed, at_least=0)
    if compiled is not True and compiled is not False and compiled != "auto":
        raise ValueError(f"compiled must be True, False or 'auto', got {compiled!r}")
    if isinstance(environment, type) or not callable(getattr(environment, "problem", None)):
        wanted = "an environment such as Linear()"
        raise ValueError(f"environment must be {wanted}, got {environment!r}")  # noqa: TRY004 - one kind of error
    if " at 0x" in repr(environment):
        raise ValueError(f"environments must print as what they are (a dataclass does), got {environment!r}")
    points = grid(record, rounds)
    _check_limit(rounds, getattr(environment, "max_rounds", None), environment)
    setup = Setup(experiment, environment, rows_of(policies), int(rounds), int(seed), (), points, compiled)
    problem: Any = problem_of(setup, 0)
    _check_limit(rounds, longest(environment, problem), environment)
    offered = problem.quantities(0, 1) if hasattr(problem, "quantities") else ()
    setup = setup._replace(metrics=resolve(metrics, offered))
    (rehearse_on_surface if is_continuum(problem) else rehearse)(setup, problem)
    return Plan(setup, int(trials))


def rows_of(policies: Policies) -> dict[str, Recipe | Readings]:
    """{row: recipe} from one recipe, a list, or such a dict; without a name, a recipe's text is its row's name.

    Raises:
        ValueError: where something is not a recipe, or two rows have one name.
    """
    if not isinstance(policies, Mapping):
        several = policies if isinstance(policies, Sequence) else [policies]
        named = [(concise(one.recipe if isinstance(one, Readings) else one), one) for one in several]
    else:
        named = list(policies.items())
    rows: list[str] = []
    for row, recipe in named:
        learner = recipe.recipe if isinstance(recipe, Readings) else recipe
        if isinstance(learner, type) or not hasattr(learner, "bind"):
            raise ValueError(f"policies must be recipes such as MolTs(scale=0.3), got {learner!r} for {row!r}")
        if " at 0x" in repr(learner):
            raise ValueError(f"recipes must print as what they are (a dataclass does), got {learner!r} for {row!r}")
        rows += [row, *(recipe.orders if isinstance(recipe, Readings) else ())]
    if repeated := [row for row in rows if rows.count(row) > 1]:
        raise ValueError(f"policies must have distinct names, got {repeated[0]!r} {rows.count(repeated[0])} times")
    if not rows:
        raise ValueError("policies must name at least one recipe, got none")
    return dict(named)


def rehearse(setup: Setup, problem: Problem) -> None:
    """Bind every recipe, and measure two rounds in which nobody learns: whatever does not fit is refused now.

    Raises:
        ValueError: naming the row or the metric.
    """
    shape = problem.shape
    for row, recipe in setup.policies.items():
        player(row, recipe, shape, setup.seed, 0, setup.compiled)
    limit = longest(setup.environment, problem)
    _, block = next(blocks(problem, min(2, setup.rounds), limit, stream(setup.seed, 0, ROUNDS)))
    truth, rounds = truth_of(problem, 0, block), len(block.rewards)
    for metric in setup.metrics:
        if check := getattr(getattr(metric, "order", None), "check", None):
            _named(metric, check, shape.objectives)
        values = _named(
            metric, metric.per_round, truth, np.zeros(rounds, np.int64), np.ones((rounds, shape.arms), np.bool_)
        )
        if values.shape != (rounds, metric.components(shape)):
            expected = (rounds, metric.components(shape))
            raise ValueError(
                f"metric {metric.name}: per_round must return shape (rounds, components) = {expected}, "
                f"got {values.shape}"
            )


def _named(metric: Metric, ask: Any, *about: Any) -> Any:
    try:
        return ask(*about)
    except ValueError as error:
        raise ValueError(f"metric {metric.name}: {error}") from error


def _check_limit(rounds: int, limit: int | None, environment: Environment | SurfaceEnvironment) -> None:
    if limit is not None and rounds > limit:
        raise ValueError(f"rounds must be at most {limit} in {environment!r}, got {rounds}")
