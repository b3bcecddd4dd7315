"""The command `mobandits tune`: from a log and some names to an answer."""

from collections.abc import Callable, Sequence
from typing import Any

from mobandits.contracts.protocols import Recipe
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
    level: float = 0.95,
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


def weights_named(pairs: Sequence[str]) -> dict[str, float] | None:
    """{objective: weight} of a command line; None where none is given.

    Raises:
        ValueError: where a pair is not OBJECTIVE=NUMBER.

    Example:
        >>> weights_named(["quality=1", "cost=0.5"]), weights_named([])
        ({'quality': 1.0, 'cost': 0.5}, None)
    """
    weights = {}
    for pair in pairs:
        # Names of objectives may hold an equals sign, numbers do not.
        name, _, number = pair.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            rule = "--weight must be OBJECTIVE=NUMBER"
            raise ValueError(f"{rule}, got {quoted(pair)}") from None

    return weights or None


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
