"""A simulation, checked and described, before it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Compiled
from mobandits.compiling.first_round import rehearse as rehearse_round
from mobandits.compiling.first_round import rehearse_order
from mobandits.compiling.tracebacks import foreign
from mobandits.contracts.assumptions import first_violation
from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Block, Environment, Metric, Problem, Recipe, Shape
from mobandits.metrics import DEFAULT, resolve
from mobandits.simulation.blocks import BLOCK, horizon_limit, trial_blocks
from mobandits.simulation.players import METHODS, player
from mobandits.simulation.preference_sweep import PreferenceSweep
from mobandits.simulation.record import recorded_rounds
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.surface_trial import is_continuum, rehearse_on_surface
from mobandits.simulation.trial import Setup, trial_problem, truth_of
from mobandits.support.checks import integer
from mobandits.support.naming import quoted, short_repr
from mobandits.support.nearest import as_object

Policies = (
    Recipe
    | PreferenceSweep
    | Mapping[str, Recipe | PreferenceSweep]
    | Sequence[Recipe | PreferenceSweep]
)


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
        raise ValueError(f"compiled must be True, False or 'auto', got {quoted(compiled)}")
    if isinstance(environment, type) or not callable(getattr(environment, "problem", None)):
        wanted = "an environment such as Linear()"
        raise ValueError(
            f"environment must be {wanted}, got {quoted(environment)}{as_object(environment)}"
        )
    if " at 0x" in repr(environment):
        raise ValueError(
            f"environments must print as what they are (a dataclass does), got {quoted(environment)}"
        )
    points = recorded_rounds(record, rounds)
    _check_limit(rounds, getattr(environment, "max_rounds", None), environment)
    setup = Setup(
        experiment,
        environment,
        recipes_by_row(policies),
        int(rounds),
        int(seed),
        (),
        points,
        compiled,
    )
    problem: Any = trial_problem(setup, 0)
    _check_limit(rounds, horizon_limit(environment, problem), environment)
    offered = problem.quantities(0, 1) if hasattr(problem, "quantities") else ()
    setup = setup._replace(metrics=resolve(metrics, offered))
    (rehearse_on_surface if is_continuum(problem) else rehearse_setup)(setup, problem)
    return Plan(setup, int(trials))


def recipes_by_row(policies: Policies) -> dict[str, Recipe | PreferenceSweep]:
    """{row: recipe} from one recipe, a list, or such a dict; without a name, a recipe's text is its row's name.

    Raises:
        ValueError: where something is not a recipe, or two rows have one name.
    """
    with_names = isinstance(policies, Mapping)
    if not isinstance(policies, Mapping):
        single = isinstance(policies, str) or not isinstance(policies, Sequence)
        several: Any = [policies] if single else policies
        named = [
            (short_repr(one.recipe if isinstance(one, PreferenceSweep) else one), one)
            for one in several
        ]
    else:
        named = list(policies.items())
    rows: list[str] = []
    for row, recipe in named:
        learner = recipe.recipe if isinstance(recipe, PreferenceSweep) else recipe
        if isinstance(learner, type) or not hasattr(learner, "bind"):
            where = f" for {quoted(row)}" if with_names else ""
            raise ValueError(
                f"policies must be recipes such as MolTs(scale=0.3), got {quoted(learner)}{where}{as_object(learner)}"
            )
        if " at 0x" in repr(learner):
            raise ValueError(
                f"recipes must print as what they are (a dataclass does), got {quoted(learner)} for {quoted(row)}"
            )
        rows += [row, *(recipe.orders if isinstance(recipe, PreferenceSweep) else ())]
    if repeated := [row for row in rows if rows.count(row) > 1]:
        raise ValueError(
            f"policies must have distinct names, got {quoted(repeated[0])} {rows.count(repeated[0])} times"
        )
    if not rows:
        raise ValueError("policies must name at least one recipe, got none")
    return dict(named)


def rehearse_setup(setup: Setup, problem: Problem) -> None:
    """Bind every recipe, and measure two rounds in which nobody learns: whatever does not fit is refused now.

    Raises:
        ValueError: naming the row or the metric.
    """
    shape = problem.shape
    limit = horizon_limit(setup.environment, problem)
    _, block = next(
        trial_blocks(problem, min(2, setup.rounds), limit, stream(setup.seed, 0, ROUNDS))
    )
    law = any(metric.needs_fronts for metric in setup.metrics)
    for row, recipe in setup.policies.items():
        _rehearse_foreign(recipe, shape, block, law=law)
        player(row, recipe, shape, setup.seed, 0, setup.compiled)
    truth = truth_of(problem, 0, block)
    rounds = len(block.rewards)
    for metric in setup.metrics:
        order = getattr(metric, "order", None)
        if check := getattr(order, "check", None):
            _named(metric, check, shape.objectives)
        if order is not None:
            rehearse_order(order, block.means[0])
        values = _named(
            metric,
            metric.per_round,
            truth,
            np.zeros(rounds, np.int64),
            np.ones((rounds, shape.arms), np.bool_),
        )
        if values.shape != (rounds, metric.components(shape)):
            expected = (rounds, metric.components(shape))
            raise ValueError(
                f"metric {metric.name}: per_round must return shape (rounds, components) = {expected}, "
                f"got {values.shape}"
            )


def _rehearse_foreign(
    recipe: Recipe | PreferenceSweep, shape: Shape, block: Block, *, law: bool
) -> None:
    """Play the first round in Python, where a policy or an order is from outside of this library."""
    one = recipe.recipe if isinstance(recipe, PreferenceSweep) else recipe
    orders = list(recipe.orders.values()) if isinstance(recipe, PreferenceSweep) else []
    if not foreign([one, orders]):
        return
    try:
        policy = next(iter(one.stages(shape))).policy
    except ValueError:
        return  # which is told with the row's name
    refused = [each for each in one.assumptions() if each.refuse]
    fits = all(first_violation(each, block.contexts, block.rewards) is None for each in refused)
    whole_rewards = one.accepts_partial or not np.isnan(block.rewards[0]).any()
    if fits and whole_rewards and all(callable(getattr(policy, name, None)) for name in METHODS):
        rehearse_round(policy, block.contexts[0], np.arange(shape.arms), block.rewards[0], law=law)
    for order in orders:
        rehearse_order(order, block.means[0])


def _named(metric: Metric, ask: Any, *about: Any) -> Any:
    try:
        return ask(*about)
    except ValueError as error:
        raise ValueError(f"metric {metric.name}: {error}") from error


def _check_limit(
    rounds: int, limit: int | None, environment: Environment | SurfaceEnvironment
) -> None:
    if limit is not None and rounds > limit:
        raise ValueError(
            f"rounds must be at most {limit} in {quoted(environment)}, got {quoted(rounds)}"
        )
