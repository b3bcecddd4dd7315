"""What `mobandits evaluate` does: from a log and some names to tables, figures and a page."""

import dataclasses
import importlib.metadata
import itertools
import json
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.evaluation.comparison import ESTIMATORS, Comparison, compare
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.front import front, outlines, shown_estimator
from mobandits.evaluation.targets import ConstantTarget, LoggingPolicy, Target, Uniform
from mobandits.logs import Feedback, read
from mobandits.logs.store.connection import is_store
from mobandits.support.checks import choice, number
from mobandits.support.files import replacing
from mobandits.support.found import found_at
from mobandits.support.naming import quoted, short_repr, shortened

Progress = Callable[[int, int], None]
FORMAT = 1
SUMMARY = "evaluation.json"
PLAIN: dict[str, type[Any]] = {"uniform": Uniform, "logging": LoggingPolicy}
# columns of a .csv file
ONE = ("arm", "propensity", "time")
SEVERAL = ("rewards", "context", "minimise")


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
    hold: Callable[[Path], AbstractContextManager[Any]] = nullcontext,
    progress: Progress | None = None,
) -> Path:
    """Evaluate policies on a log, and write a folder about it; what cannot work is refused before anything is computed.

    Args:
        file: whatever `mobandits.logs.read` reads.
        out: the folder: a new one, an empty one, or that of an earlier evaluation.
        policies: names, see `target_named`; or NAME=SPEC, see `split_name`.
        recipe: from a name to a recipe.
        columns: see `columns_named`.
        estimators: names.
        level: of joint regions.
        folds: as in `compare`.
        clip: the largest weight, for estimators that clip, and the threshold of switch-dr; None for their defaults.
        seed: of everything.
        hold: makes the folder, and keeps others from writing into it.
        progress: as in `compare`.

    Returns:
        The page, report.html. Beside it are values.csv, evaluation.json, and figures as SVG and PNG.

    Raises:
        ValueError: naming what is wrong with the file, the folder, a name or an option.
    """
    check_evaluation_folder(out)
    number("--level", level, above=0.0, below=1.0)
    asked = [estimator_named(name, clip) for name in estimators]
    meaning = _checked_columns(Path(file), columns)
    specs = named_specs(policies)
    if _is_table(Path(file)) and "propensity" not in meaning:
        _refuse_weights(asked, list(specs.values()))
    for spec in specs.values():
        if not _is_plain(spec):
            recipe(spec)  # a mistake in it need not wait until the log is read
    log: Feedback = read(file, **meaning)
    targets = {name: target_named(spec, log, recipe) for name, spec in specs.items()}
    with hold(out):
        found = compare(log, targets, asked, folds=folds, seed=seed, progress=progress)
        options = {"level": level, "folds": folds, "clip": clip, "seed": seed}
        return write_evaluation(out, found, targets, about(log, str(file)), options)


def check_evaluation_folder(out: Path) -> None:
    """Refuse a folder that holds something else: what is in it is not ours to overwrite.

    Raises:
        ValueError: naming what was found.

    Example:
        >>> check_evaluation_folder(Path("/dev/null"))
        Traceback (most recent call last):
        ValueError: --out must be a new folder, an empty one or that of an earlier evaluation, \
which has evaluation.json; found an empty file at /dev/null
    """
    if not out.exists():
        return
    if out.is_dir() and ((out / SUMMARY).exists() or not any(out.iterdir())):
        return
    wanted = f"a new folder, an empty one or that of an earlier evaluation, which has {SUMMARY}"
    raise ValueError(f"--out must be {wanted}; found {found_at(out)} at {out}")


def _checked_columns(file: Path, pairs: Sequence[str]) -> dict[str, str | list[str]]:
    meaning = columns_named(pairs)
    if _is_table(file) and not {"arm", "rewards"} <= set(meaning):
        raise ValueError(
            "--column must name arm and rewards for a .csv file, such as --column arm=item --column rewards=click, "
            f"got {shortened(', '.join(meaning)) or 'none'}"
        )
    if meaning and not _is_table(file):
        raise ValueError(
            f"--column must go with a .csv file, got {file}: a table of your own is read as .csv"
        )
    return meaning


def _is_table(file: Path) -> bool:
    """Whether a log is a .csv file: stores are known by their content, whatever their names are."""
    return file.suffix == ".csv" and not is_store(file)


def _refuse_weights(estimators: Sequence[Any], policies: Sequence[str]) -> None:
    """Refuse estimators that need propensities, of a table that has none."""
    names = [one.name for one in estimators if one.needs_propensities]
    if names and any(policy != "logging" for policy in policies):
        rule = "--column propensity=NAME must be given"
        raise ValueError(
            f"{rule} for {', '.join(names)}, got none; --estimator dm and replay need none"
        )


def write_evaluation(
    out: Path,
    found: Comparison,
    targets: Mapping[str, Target],
    log: Mapping[str, Any],
    options: Mapping[str, Any],
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

    level = options["level"]
    seed = options["seed"]
    said = {
        "format": FORMAT,
        "log": log,
        "options": options,
        "estimators": {
            name: short_repr(one.estimator) for (_, name), one in found.estimates.items()
        },
        "shown": shown_estimator(found, None),
        "policies": {name: _of_policy(found, name, target) for name, target in targets.items()},
        "dominance": _pairs(found, level),
        "versions": {"mobandits": importlib.metadata.version("mobandits")},
    }
    out.mkdir(parents=True, exist_ok=True)
    said = _plain(said)
    # First, because it marks the folder as that of an evaluation: after a kill the same command may run again.
    with replacing(out / SUMMARY) as file:
        file.write((json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode())
    values = found.table(level)
    table = front(found, level=level, seed=seed)
    values.write_csv(out / "values.csv")
    borders = outlines(found, level=level) if len(found.objectives) == 2 else None
    (out / "report.html").write_text(
        evaluation_page(out, values, table, borders, said), encoding="utf-8"
    )
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
            raise ValueError(f"--column must be meaning=column, got {quoted(pair)}")
        found[key] = names if key in ONE else names.split(",")
    return found


def split_name(policy: str) -> tuple[str, str]:
    """The name of a policy in tables and figures, and what it is; without a name, its text is the name.

    Example:
        >>> split_name("wide=mol-ucb:scale=3.0"), split_name("mol-ucb:scale=3.0"), split_name("arm:a=b")
        (('wide', 'mol-ucb:scale=3.0'), ('mol-ucb:scale=3.0', 'mol-ucb:scale=3.0'), ('arm:a=b', 'arm:a=b'))
    """
    name, equals, spec = policy.partition("=")
    named = equals and ":" not in name  # after a colon come parameters, or the name of an arm
    return (name.strip(), spec.strip()) if named else (policy, policy)


def named_specs(policies: Sequence[str]) -> dict[str, str]:
    """{name: what it is} of the policies on a command line.

    Raises:
        ValueError: where a name is empty, or comes twice for different policies.

    Example:
        >>> named_specs(["all=uniform", "arm:b"])
        {'all': 'uniform', 'arm:b': 'arm:b'}
    """
    specs: dict[str, str] = {}
    for policy in policies:
        name, spec = split_name(policy)
        if not name or not spec:
            raise ValueError(f"--policy must be SPEC or NAME=SPEC, got {quoted(policy)}")
        if specs.get(name, spec) != spec:
            raise ValueError(f"--policy must have distinct names, got {quoted(name)} twice")
        specs[name] = spec
    return specs


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
        ConstantTarget(arm=7)
    """
    if name in PLAIN:
        return PLAIN[name]()
    if not name.startswith("arm:"):
        return recipe(name)
    arms = {str(arm): arm for arm in log.arm_names}
    choice("--policy: an arm", name.removeprefix("arm:"), arms)
    return ConstantTarget(arms[name.removeprefix("arm:")])


def _is_plain(name: str) -> bool:
    """Whether a name stands for a target that learns nothing, and so is no recipe."""
    return name in PLAIN or name.startswith("arm:")


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
        "target": short_repr(target),
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
    rows = []
    shown = shown_estimator(found, None)
    for first, second in itertools.combinations(found.targets, 2):
        verdict = dominance(found[first, shown], found[second, shown], level=level)
        content = {
            key: value.tolist() if hasattr(value, "tolist") else value
            for key, value in vars(verdict).items()
        }
        rows.append({"first": first, "second": second, **content})
    return rows


def _plain(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
