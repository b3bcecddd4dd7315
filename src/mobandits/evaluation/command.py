"""What `mobandits evaluate` does: from a log and some names to tables, figures and a page."""

import dataclasses
import importlib.metadata
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.evaluation.comparison import ESTIMATORS, Comparison, compare
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.front import chosen, front, outlines
from mobandits.evaluation.targets import Always, Logging, Target, Uniform
from mobandits.logs import Feedback, read
from mobandits.support.checks import choice, number
from mobandits.support.naming import concise

Progress = Callable[[int, int], None]
FORMAT = 1
ONE, SEVERAL = ("arm", "propensity", "time"), ("rewards", "context", "minimise")  # columns of a .csv file


def evaluate_file(
    file: str | Path,
    out: Path,
    policies: Sequence[str],
    recipe: Callable[[str], Recipe],
    *,
    columns: Sequence[str] = (),
    estimators: Sequence[str] = ("ips", "snips", "dr"),
    level: float = 0.95,
    folds: int = 5,
    clip: float | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Path:
    """Evaluate policies on a log, and write a folder about it.

    Args:
        file: whatever `mobandits.logs.read` reads.
        out: the folder.
        policies: names, see `target_named`.
        recipe: from a name to a recipe.
        columns: see `columns_named`.
        estimators: names.
        level: of joint regions.
        folds: as in `compare`.
        clip: the largest weight, for estimators that clip, and the threshold of switch-dr; None for their defaults.
        seed: of everything.
        progress: as in `compare`.

    Returns:
        The page, report.html. Beside it are values.csv, evaluation.json, and figures as SVG and PNG.

    Raises:
        ValueError: naming what is wrong with the file, a name or an option.
    """
    number("--level", level, above=0.0, below=1.0)
    asked = [estimator_named(name, clip) for name in estimators]
    meaning = columns_named(columns)
    if Path(file).suffix == ".csv" and not {"arm", "rewards"} <= set(meaning):
        raise ValueError(f"--column must name arm and rewards for a .csv file, got {', '.join(meaning) or 'none'}")
    log: Feedback = read(file, **meaning)
    targets = {name: target_named(name, log, recipe) for name in policies}
    found = compare(log, targets, asked, folds=folds, seed=seed, progress=progress)
    options = {"level": level, "folds": folds, "clip": clip, "seed": seed}
    return write_evaluation(out, found, targets, about(log, str(file)), options)


def write_evaluation(
    out: Path, found: Comparison, targets: Mapping[str, Target], log: Mapping[str, Any], options: Mapping[str, Any]
) -> Path:
    """Write values.csv, evaluation.json, the figures and report.html; returns the last.

    Args:
        out: the folder, which is made where it does not exist.
        found: what to write.
        targets: what was compared, by name.
        log: from `about`.
        options: `level` float, `seed` int, and whatever else is to be told.
    """
    from mobandits.figures.evaluation_page import evaluation_page  # noqa: PLC0415 - the library for drawing

    level, seed = options["level"], options["seed"]
    said = {
        "format": FORMAT,
        "log": log,
        "options": options,
        "estimators": {name: concise(one.estimator) for (_, name), one in found.estimates.items()},
        "shown": chosen(found, None),
        "policies": {name: _of_policy(found, name, target) for name, target in targets.items()},
        "dominance": _pairs(found, level),
        "versions": {"mobandits": importlib.metadata.version("mobandits")},
    }
    out.mkdir(parents=True, exist_ok=True)
    values, table = found.table(level), front(found, level=level, seed=seed)
    values.write_csv(out / "values.csv")
    said = _plain(said)
    (out / "evaluation.json").write_text(json.dumps(said, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    borders = outlines(found, level=level) if len(found.objectives) == 2 else None
    (out / "report.html").write_text(evaluation_page(out, values, table, borders, said), encoding="utf-8")
    return out / "report.html"


def columns_named(pairs: Sequence[str]) -> dict[str, str | list[str]]:
    """What the columns of a .csv file mean, as `mobandits.logs.read` takes it.

    Args:
        pairs: meaning=column, or meaning=column,column for those of which there are several.

    Raises:
        ValueError: where there is no such meaning.

    Example:
        >>> columns_named(["arm=item", "rewards=click,revenue"])
        {'arm': 'item', 'rewards': ['click', 'revenue']}
    """
    found: dict[str, str | list[str]] = {}
    for pair in pairs:
        key, _, names = pair.partition("=")
        choice("--column: a meaning", key, (*ONE, *SEVERAL))
        if not names:
            raise ValueError(f"--column must be meaning=column, got {pair!r}")
        found[key] = names if key in ONE else names.split(",")
    return found


def target_named(name: str, log: Feedback, recipe: Callable[[str], Recipe]) -> Target:
    """A target from its name on the command line.

    Args:
        name: uniform, logging, arm: and the name of an arm, or the name of a recipe.
        log: whose arms they are.
        recipe: from a name to a recipe.

    Raises:
        ValueError: where there is no such arm.

    Example:
        >>> import numpy as np
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], (7, "b"), ("quality",))
        >>> target_named("arm:7", log, lambda name: Recipe())
        Always(arm=7)
    """
    if not name.startswith("arm:"):
        return {"uniform": Uniform, "logging": Logging}[name]() if name in {"uniform", "logging"} else recipe(name)
    arms = {str(arm): arm for arm in log.arm_names}
    choice("--policy: an arm", name.removeprefix("arm:"), arms)
    return Always(arms[name.removeprefix("arm:")])


def estimator_named(name: str, clip: float | None) -> Any:
    """An estimator from its name on the command line; `clip` is the threshold of switch-dr.

    Raises:
        ValueError: where there is no such estimator, or `clip` is not above 0.

    Example:
        >>> estimator_named("ips", 20.0), estimator_named("dm", 20.0)
        (Ips(clip=20.0), DirectMethod())
    """
    choice("--estimator", name, ESTIMATORS)
    parameters = {field.name for field in dataclasses.fields(ESTIMATORS[name])}
    bounds = {key: clip for key in ("clip", "threshold") if key in parameters and clip is not None}
    return ESTIMATORS[name](**bounds)


def about(log: Feedback, source: str) -> dict[str, Any]:
    """What a page says of a log.

    Args:
        log: the logged decisions.
        source: where they come from.
    """
    return {
        "source": source,
        "rounds": len(log),
        "arms": [str(arm) for arm in log.arm_names],
        "objectives": [str(name) for name in log.objective_names],
        "missing": [float(share) for share in (log.rewards != log.rewards).mean(0)],  # NaN only
    }


def _of_policy(found: Comparison, name: str, target: Target) -> dict[str, Any]:
    estimates = {estimator: found[name, estimator] for estimator in found.estimators}
    return {
        "target": concise(target),
        "diagnostics": dataclasses.asdict(next(iter(estimates.values())).diagnostics),
        "estimates": {
            estimator: {
                "value": one.value.tolist(),
                "covariance": one.covariance.tolist(),
                "bias_bound": one.bias_bound.tolist(),
                "warnings": list(one.warnings),
            }
            for estimator, one in estimates.items()
        },
    }


def _pairs(found: Comparison, level: float) -> list[dict[str, Any]]:
    """Every pair of policies once, by the estimator that is shown."""
    rows, shown = [], chosen(found, None)
    for first, second in itertools.combinations(found.targets, 2):
        verdict = dominance(found[first, shown], found[second, shown], level=level)
        content = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in vars(verdict).items()}
        rows.append({"first": first, "second": second, **content})
    return rows


def _plain(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
