"""The command `mobandits tune`: from a log and some names, or a budget, to an answer."""

from collections.abc import Callable, Sequence
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.evaluation.budget_tuned import BudgetTuned
from mobandits.evaluation.command import is_plain, log_of, meanings_of, named_specs, target_named
from mobandits.evaluation.tuned import Tuned
from mobandits.evaluation.tuning import tune
from mobandits.logs.address import Place, place_of
from mobandits.logs.objectives import Objective
from mobandits.support.naming import quoted
from mobandits.support.progress import ProgressCallback


def tune_file(
    file: str | Place,
    policies: Sequence[str],
    recipe: Callable[[str], Recipe],
    *,
    weights: Sequence[str] = (),
    columns: Sequence[str] = (),
    objectives: Sequence[Objective] = (),
    agent: str | None = None,
    margin: float = 0.0,
    level: float | None = None,
    blocks: int = 5,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> Tuned:
    """Choose a policy on a log.

    Args:
        file: any that `mobandits.logs.read` reads.
        policies: as in `evaluate_file`; the first is the one to beat.
        recipe: from a name to a recipe.
        weights: see `weights_named`.
        columns: as in `evaluate_file`.
        objectives: as in `evaluate_file`.
        agent: as in `evaluate_file`.
        margin: as in `tune`.
        level: as in `tune`.
        blocks: as in `tune`.
        seed: as in `tune`.
        progress: as in `tune`.

    Raises:
        ValueError: naming what is wrong with the file, a name or an option.
    """
    place = place_of(file)
    meanings: dict[str, Any] = meanings_of(place, columns, agent)
    specs = named_specs(policies)
    weight_of_objective = weights_named(weights)
    for spec in specs.values():
        if not is_plain(spec):
            recipe(spec)  # a mistake in it need not wait until the log is read

    log = log_of(place, meanings, objectives)
    candidates = {name: target_named(spec, log, recipe) for name, spec in specs.items()}

    return tune(
        candidates,
        log,
        weights=weight_of_objective,
        margin=margin,
        level=level,
        blocks=blocks,
        seed=seed,
        progress=progress or False,
    )


def tune_budget_file(
    file: str | Place,
    recipe: Callable[[str], Recipe],
    *,
    budgets: Sequence[str] = (),
    within: float | None = None,
    policies: Sequence[str] = (),
    horizon: int | None = None,
    fallback: Any = None,
    weights: Sequence[str] = (),
    columns: Sequence[str] = (),
    objectives: Sequence[Objective] = (),
    agent: str | None = None,
    level: float | None = None,
    blocks: int = 5,
    seed: int = 0,
    progress: ProgressCallback | None = None,
) -> BudgetTuned:
    """Find a policy for a budget on a log.

    Args:
        file: any that `mobandits.logs.read` reads.
        recipe: from a name to a recipe.
        budgets: OBJECTIVE=NUMBER each.
        within: as in `tune`.
        policies: the name of the learner, or none.
        horizon: as in `tune`.
        fallback: as in `tune`.
        weights: as in `tune_file`.
        columns: as in `evaluate_file`.
        objectives: as in `evaluate_file`.
        agent: as in `evaluate_file`.
        level: as in `tune`.
        blocks: as in `tune`.
        seed: as in `tune`.
        progress: as in `tune`.

    Raises:
        ValueError: naming what is wrong with the file, a name or an option.
    """
    place = place_of(file)
    meanings: dict[str, Any] = meanings_of(place, columns, agent)
    budget = numbers_named("--budget", budgets)
    weight_of_objective = weights_named(weights)
    if len(policies) > 1:
        rule = "--policy must be at most one with a budget, which is the learner"
        raise ValueError(f"{rule}, got {len(policies)}")

    learner = recipe(policies[0]) if policies else None
    log = log_of(place, meanings, objectives)

    return tune(
        log,
        budget=budget,
        within=within,
        learner=learner,
        horizon=horizon,
        fallback=fallback,
        weights=weight_of_objective,
        level=level,
        blocks=blocks,
        seed=seed,
        progress=progress or False,
    )


def weights_named(pairs: Sequence[str]) -> dict[str, float] | None:
    """{objective: weight} of a command line; None where none is given.

    Raises:
        ValueError: where a pair is not OBJECTIVE=NUMBER.

    Example:
        >>> weights_named(["quality=1", "cost=0.5"]), weights_named([])
        ({'quality': 1.0, 'cost': 0.5}, None)
    """
    return numbers_named("--weight", pairs)


def numbers_named(option: str, pairs: Sequence[str]) -> dict[str, float] | None:
    """{objective: number} of an option that is repeated; None where it is not given.

    Args:
        option: for messages.
        pairs: OBJECTIVE=NUMBER each.

    Raises:
        ValueError: where a pair is something else, or an objective comes twice.

    Example:
        >>> numbers_named("--budget", ["cost=0.2"])
        {'cost': 0.2}
    """
    numbers: dict[str, float] = {}
    for pair in pairs:
        # Names of objectives may hold an equals sign, numbers do not.
        name, _, number = pair.rpartition("=")
        if name in numbers:
            raise ValueError(f"{option} must name each objective once, got {quoted(name)} twice")
        try:
            numbers[name] = float(number)
        except ValueError:
            rule = f"{option} must be OBJECTIVE=NUMBER"
            raise ValueError(f"{rule}, got {quoted(pair)}") from None

    return numbers or None


def result_lines(tuned: Tuned) -> list[str]:
    """A line per candidate: its values and, but for the first, its gains; the answer last."""
    lines = []
    decides = tuned.decides
    for name, candidate in tuned.candidates.items():
        parts = [f"{tuned.title(label)} {value.text}" for label, value in candidate.values.items()]
        is_first = name == tuned.baseline
        if decides is not None and not is_first:
            parts.append(f"gain in {decides} {candidate.gains[decides].text}")
        if not is_first:
            parts.append(f"p = {candidate.p_value:.2g}")

        lines.append(f"{name}: {', '.join(parts)}")
        lines += [f"    {doubt}" for doubt in candidate.doubts]

    lines.append(tuned.answer)

    return lines
