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
from mobandits.metrics import default_metrics, resolve
from mobandits.metrics.traits import DESCRIPTIONS, descriptions
from mobandits.simulation.blocks import BLOCK, horizon_limit, trial_blocks
from mobandits.simulation.players import METHODS, player
from mobandits.simulation.preference_sweep import PreferenceSweep, recipe_and_orders
from mobandits.simulation.record import recorded_rounds
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.surface_trial import is_continuum, rehearse_on_surface
from mobandits.simulation.trial import Setup, trial_problem, truth_of
from mobandits.support.checks import horizon, integer
from mobandits.support.naming import quoted, short_repr, wrong_value
from mobandits.support.nearest import as_object

RecipeOrSweep = Recipe | PreferenceSweep
Policies = RecipeOrSweep | Mapping[str, RecipeOrSweep] | Sequence[RecipeOrSweep]


@dataclass(frozen=True)
class Plan:
    """A simulation that was checked; `prepare` makes one.

    Attributes:
        setup: what every trial needs to know.
        trials: how many there are.
    """

    setup: Setup
    trials: int

    def specification(self) -> dict[str, Any]:
        """Everything that decides the table, as JSON can hold it."""
        setup = self.setup
        content: dict[str, Any] = {
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
        # The library's own metrics need no description: it is the same in every run.
        described = descriptions(setup.metrics)
        if described:
            content[DESCRIPTIONS] = described

        return content


def prepare(
    policies: Policies,
    environment: Environment | SurfaceEnvironment,
    *,
    rounds: int,
    trials: int = 10,
    seed: int = 0,
    metrics: Sequence[str | Metric] | None = None,
    record: int | Sequence[int] = 200,
    compiled: Compiled = "auto",
    experiment: str = "simulation",
) -> Plan:
    """A simulation, checked down to the first rounds of its first trial.

    The arguments are those of `simulate`.

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
        raise wrong_value("compiled must be True, False or 'auto'", compiled)

    require_environment("environment", environment)
    # Its text is in every manifest, where an address would be another one in every process.
    if " at 0x" in repr(environment):
        raise wrong_value(
            "environments must print as what they are (a dataclass does)", environment
        )

    points = recorded_rounds(record, rounds)
    # Before the problem is drawn: data that end may not have so many rounds to draw.
    horizon(rounds, getattr(environment, "max_rounds", None), environment)
    rows = recipes_by_row(policies)
    arguments: dict[str, Any] = {
        "experiment": experiment,
        "environment": environment,
        "policies": rows,
        "rounds": int(rounds),
        "seed": int(seed),
        "points": points,
        "compiled": compiled,
    }
    # Twice: a problem may have metrics of its own, and only a setup has a problem.
    problem: Any = trial_problem(Setup(**arguments, metrics=()), 0)
    horizon(rounds, horizon_limit(environment, problem), environment)
    quantities = problem.quantities(0, 1) if hasattr(problem, "quantities") else ()
    if is_continuum(problem):
        if metrics is None:
            metrics = default_metrics(continuum=True, changing=True)
        setup = Setup(**arguments, metrics=resolve(metrics, quantities))
        rehearse_on_surface(setup, problem)
    else:
        block = first_rounds(environment, problem, rounds, seed)
        if metrics is None:
            changing = len(block.means) > 1
            metrics = default_metrics(continuum=False, changing=changing)
        setup = Setup(**arguments, metrics=resolve(metrics, quantities))
        rehearse_setup(setup, problem, block)

    return Plan(setup, int(trials))


def first_rounds(
    environment: Environment | SurfaceEnvironment, problem: Problem, rounds: int, seed: int
) -> Block:
    """The first two rounds of the first trial, or the only one."""
    limit = horizon_limit(environment, problem)
    rng = stream(seed, 0, ROUNDS)
    _, block = next(trial_blocks(problem, min(2, rounds), limit, rng))

    return block


def require_environment(name: str, environment: Any) -> None:
    """Refuse what is no environment.

    Raises:
        ValueError: naming the parameter, the rule and the value.
    """
    # A class has the method too: `Linear` in place of `Linear()`.
    if isinstance(environment, type) or not callable(getattr(environment, "problem", None)):
        raise ValueError(
            f"{name} must be an environment such as Linear(), "
            f"got {quoted(environment)}{as_object(environment)}"
        )


def recipes_by_row(policies: Policies) -> dict[str, RecipeOrSweep]:
    """{row: recipe} from one recipe, a list, or such a dict.

    Without a name, a recipe's text is its row's name.

    Raises:
        ValueError: where something is not a recipe, or two rows have one name.
    """
    with_names = isinstance(policies, Mapping)
    named: list[tuple[str, Any]] = []
    if isinstance(policies, Mapping):
        named = list(policies.items())
    else:
        is_list = isinstance(policies, Sequence) and not isinstance(policies, str)
        unnamed: Any = policies if is_list else [policies]
        for policy in unnamed:
            recipe, _ = recipe_and_orders(policy)
            named.append((short_repr(recipe), policy))

    rows: list[str] = []
    for row, policy in named:
        recipe, orders = recipe_and_orders(policy)
        _check_recipe(recipe, row, with_names=with_names)
        rows += [row, *orders]

    repeated = [row for row in rows if rows.count(row) > 1]
    if repeated:
        row = repeated[0]
        raise ValueError(
            f"policies must have distinct names, got {quoted(row)} {rows.count(row)} times"
        )

    if not rows:
        raise ValueError("policies must name at least one recipe, got none")

    return dict(named)


def _check_recipe(recipe: Any, row: str, *, with_names: bool) -> None:
    if isinstance(recipe, type) or not hasattr(recipe, "bind"):
        where = f" for {quoted(row)}" if with_names else ""
        raise ValueError(
            "policies must be recipes such as MolTs(scale=0.3), "
            f"got {quoted(recipe)}{where}{as_object(recipe)}"
        )

    # Its text is a part of the key of its random stream.
    if " at 0x" in repr(recipe):
        raise ValueError(
            "recipes must print as what they are (a dataclass does), "
            f"got {quoted(recipe)} for {quoted(row)}"
        )


def rehearse_setup(setup: Setup, problem: Problem, block: Block) -> None:
    """Bind every recipe, and measure two rounds in which nothing is learned.

    So whatever does not fit is refused before the first trial.

    Args:
        setup: what is to be played.
        problem: of the first trial.
        block: its first rounds.

    Raises:
        ValueError: naming the row or the metric.
    """
    shape = problem.shape
    with_fronts = any(metric.needs_fronts for metric in setup.metrics)
    for row, recipe in setup.policies.items():
        _rehearse_foreign(recipe, shape, block, with_fronts=with_fronts)
        player(row, recipe, shape, setup.seed, 0, setup.compiled)

    truth = truth_of(problem, 0, block)
    rounds = len(block.rewards)
    chosen = np.zeros(rounds, np.int64)
    fronts = np.ones((rounds, shape.arms), np.bool_)
    for metric in setup.metrics:
        order = getattr(metric, "order", None)
        check = getattr(order, "check", None)
        if check:
            _naming(metric, check, shape.objectives)
        if order is not None:
            rehearse_order(order, block.means[0])

        values = _naming(metric, metric.per_round, truth, chosen, fronts)
        expected = (rounds, metric.components(shape))
        if values.shape != expected:
            raise ValueError(
                f"metric {metric.name}: per_round must return shape "
                f"(rounds, components) = {expected}, got {values.shape}"
            )


def _rehearse_foreign(
    policy: RecipeOrSweep, shape: Shape, block: Block, *, with_fronts: bool
) -> None:
    """Play the first round in Python, where a policy or an order is another author's."""
    recipe, orders = recipe_and_orders(policy)
    if not foreign([recipe, list(orders.values())]):
        return

    try:
        bound = next(iter(recipe.stages(shape))).policy
    except ValueError:
        return  # `player` raises it again, with the row's name

    if _can_be_rehearsed(recipe, bound, block):
        arms = np.arange(shape.arms)
        rehearse_round(bound, block.contexts[0], arms, block.rewards[0], law=with_fronts)

    for order in orders.values():
        rehearse_order(order, block.means[0])


def _can_be_rehearsed(recipe: Recipe, policy: Any, block: Block) -> bool:
    """Whether a policy has all methods, and the data are such that its recipe will play them.

    Elsewhere the errors of a round in Python would hide the one that says what is wrong.
    """
    for assumption in recipe.assumptions():
        if assumption.refuse:
            violation = first_violation(assumption, block.contexts, block.rewards)
            if violation is not None:
                return False

    if not recipe.accepts_partial and np.isnan(block.rewards[0]).any():
        return False

    return all(callable(getattr(policy, name, None)) for name in METHODS)


def _naming(metric: Metric, function: Any, *arguments: Any) -> Any:
    """What a function returns; an error that it raises names the metric."""
    try:
        return function(*arguments)
    except ValueError as error:
        raise ValueError(f"metric {metric.name}: {error}") from error
