"""The command `mobandits evaluate`: from a log and some names to tables, figures and a page."""

import dataclasses
import importlib.metadata
import itertools
import math
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from mobandits.contracts.protocols import Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.encoding.short_specs import has_kinds, kinds_of_text
from mobandits.errors import LogWarning
from mobandits.evaluation.comparison import ESTIMATORS, Comparison, compare
from mobandits.evaluation.deploying import deployed
from mobandits.evaluation.dominance import dominance
from mobandits.evaluation.evaluation_folder import FORMAT, SUMMARY, EvaluationTables, write_tables
from mobandits.evaluation.front import front, outlines, shown_estimator, titles_of
from mobandits.evaluation.targets import ConstantTarget, LoggingPolicy, Target, Uniform
from mobandits.figures.contents import EvaluationSummary, FeatureGainSummary, LogSummary
from mobandits.logs import Feedback, read
from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.objectives import Objective, signs_of
from mobandits.logs.store.connection import is_store
from mobandits.support.checks import choice, number
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, short_repr, shortened
from mobandits.support.progress import ProgressCallback

STORE = "agent.db"  # of an agent that is deployed
REPORT = "report.html"  # written last
PLAIN: dict[str, type[Any]] = {"uniform": Uniform, "logging": LoggingPolicy}
ARM = "arm:"  # what the name of a constant target begins with
# Meanings of the columns of a .csv file.
SINGLE_COLUMNS = ("arm", "propensity", "time")
LISTS_OF_COLUMNS = ("rewards", "context", "minimise")


class HeldOutGain(Protocol):
    """What a feature map gains in one objective, as `mobandits.features.Gain` says it."""

    @property
    def objective(self) -> Hashable:
        """Its name."""

    @property
    def linear(self) -> float:
        """The share of the variance that linear rewards explain on held-out rounds."""

    @property
    def mapped(self) -> float:
        """The share that they explain on the map's features."""

    @property
    def estimate(self) -> float:
        """The difference of both."""

    @property
    def low(self) -> float:
        """The lower end of its 95 % interval."""

    @property
    def high(self) -> float:
        """The upper end."""

    @property
    def rounds(self) -> int:
        """How many rewards were compared."""

    @property
    def is_sure(self) -> bool:
        """Whether the interval is above 0."""


# {map: its gain in each objective}, of a log; a function, because the room of maps imports this one.
GainsOfLog = Callable[[Feedback], Mapping[str, Sequence[HeldOutGain]]]


def evaluate_file(
    file: str | Place,
    out: Path,
    policies: Sequence[str],
    recipe: Callable[[str], Recipe],
    *,
    columns: Sequence[str] = (),
    objectives: Sequence[Objective] = (),
    agent: str | None = None,
    estimators: Sequence[str] = ("ips", "snips", "dr"),
    level: float = 0.95,
    folds: int = 5,
    clip: float | None = None,
    seed: int = 0,
    deploy: str | None = None,
    feature_gains: GainsOfLog | None = None,
    hold: Callable[[Path], AbstractContextManager[Any]] = nullcontext,
    progress: ProgressCallback | None = None,
) -> Path:
    """Evaluate policies on a log, and write a folder about it.

    What cannot work is refused before anything is computed.

    Args:
        file: any that `mobandits.logs.read` reads.
        out: the folder: a new one, an empty one, or that of an evaluation that was interrupted.
        policies: names, see `target_named`; or NAME=SPEC, see `split_name`.
        recipe: from a name to a recipe.
        columns: see `columns_named`.
        objectives: of a log that does not describe its own, such as a .csv file.
        agent: whose decisions, of a store with several agents.
        estimators: names.
        level: of joint regions.
        folds: as in `compare`.
        clip: the largest weight, for estimators that clip, and the threshold of switch-dr; None for
            their defaults.
        seed: of everything.
        deploy: the name of a policy, a recipe, of which an agent is made that has learned the whole
            log; its own log is the store agent.db in the folder.
        feature_gains: what maps gain over linear rewards on the log; None: nobody asks.
        hold: makes the folder, and keeps others from writing into it.
        progress: as in `compare`.

    Returns:
        The page, report.html. Beside it are evaluation.json, values.csv, front.csv, outlines.csv
        where there are two objectives, and figures as SVG and PNG.

    Raises:
        ValueError: naming what is wrong with the file, the folder, a name or an option.
    """
    check_evaluation_folder(out)
    number("--level", level, above=0.0, below=1.0)
    chosen_estimators = [estimator_named(name, clip) for name in estimators]
    place = place_of(file)
    meanings = meanings_of(place, columns, agent)
    specs = named_specs(policies)
    if _is_table(place) and "propensity" not in meanings:
        _refuse_weights(chosen_estimators, list(specs.values()))

    for spec in specs.values():
        if not is_plain(spec):
            recipe(spec)  # a mistake in it need not wait until the log is read

    if deploy is not None:
        check_deployment(deploy, specs, out / STORE)

    log = log_of(place, meanings, objectives)
    compared = _first_ranks(log, str(place))
    targets = {name: target_named(spec, log, recipe) for name, spec in specs.items()}
    if deploy is not None:
        # Of one round and without a store: what no agent can be of is refused before the rest.
        deployed(targets[deploy], log[:1], None, None, {})

    gains: list[FeatureGainSummary] = []
    if feature_gains is not None:
        gains = gain_summaries(feature_gains(compared))

    with hold(out):
        comparison = compare(
            compared, targets, chosen_estimators, folds=folds, seed=seed, progress=progress
        )
        options = {"level": level, "folds": folds, "clip": clip, "seed": seed}
        summary = log_summary(compared, str(place))
        page = write_evaluation(out, comparison, targets, summary, options, gains)
        if deploy is not None:
            # Of all ranks: each teaches, whatever the evaluation can use.
            made = deployed(targets[deploy], log, out / STORE, None, {})
            made.close()

    return page


def log_of(place: Place, meanings: dict[str, Any], objectives: Sequence[Objective]) -> Feedback:
    """The log of a command, whose columns may need an encoder that is fitted to them.

    Args:
        place: of the log.
        meanings: from `meanings_of`.
        objectives: what is said of its objectives.

    Raises:
        ValueError: naming what is wrong with the file or an option.
    """
    options = dict(meanings)
    context = options.get("context")
    if isinstance(context, str):
        options["context"] = Encoder.fit(place, context)
    if objectives:
        options["objectives"] = objectives

    log: Feedback = read(place, **options)
    names = [str(name) for name in log.objective_names]
    for each in objectives:
        choice("--objective", each.name, names)

    return log


def gain_summaries(gains: Mapping[str, Sequence[HeldOutGain]]) -> list[FeatureGainSummary]:
    """What evaluation.json says of feature maps: a row per map and objective.

    Args:
        gains: {map: its gain in each objective}.
    """
    rows: list[FeatureGainSummary] = []
    for name, own in gains.items():
        for gain in own:
            row: FeatureGainSummary = {
                "map": name,
                "objective": str(gain.objective),
                "linear": gain.linear,
                "mapped": gain.mapped,
                "estimate": gain.estimate,
                "low": gain.low,
                "high": gain.high,
                "rounds": gain.rounds,
                "sure": gain.is_sure,
            }
            rows.append(row)

    return rows


def check_deployment(name: str, specs: Mapping[str, str], store: Path) -> None:
    """Refuse to deploy what is no recipe, or into a store that is there.

    Args:
        name: of the policy.
        specs: {name: what it is}.
        store: of the agent.

    Raises:
        ValueError: naming what was found.

    Example:
        >>> check_deployment("all", {"all": "uniform"}, Path("agent.db"))
        Traceback (most recent call last):
        ValueError: --deploy must name a policy that learns, got 'all', which is uniform
    """
    choice("--deploy", name, specs)
    if is_plain(specs[name]):
        raise ValueError(
            f"--deploy must name a policy that learns, got {quoted(name)}, which is {specs[name]}"
        )
    if store.exists():
        raise ValueError(f"--deploy must make a new store, found {describe_path(store)} at {store}")


def _first_ranks(log: Feedback, source: str) -> Feedback:
    """The rounds that can be compared, with a warning where others were left out."""
    first = log.first_ranks()
    others = len(log) - len(first)
    if others:
        message = f"{source}: {others} of {len(log)} rounds are of further ranks, and were left out"
        warnings.warn(message, LogWarning, stacklevel=3)

    return first


def check_evaluation_folder(out: Path) -> None:
    """Refuse a folder that holds something else, which must not be overwritten.

    Raises:
        ValueError: naming what was found.

    Example:
        >>> check_evaluation_folder(Path("/dev/null"))
        Traceback (most recent call last):
        ValueError: --out must be a new folder, an empty one or that of an evaluation without its \
page; found an empty file at /dev/null
    """
    if not out.exists():
        return
    if out.is_dir():
        # What a kill left has no page yet: the same command may run again.
        is_unfinished = (out / SUMMARY).exists() and not (out / REPORT).exists()
        is_empty = not any(out.iterdir())
        # Never a new page beside the agent of an older evaluation.
        if is_empty or (is_unfinished and not (out / STORE).exists()):
            return

    wanted = "a new folder, an empty one or that of an evaluation without its page"
    raise ValueError(f"--out must be {wanted}; found {describe_path(out)} at {out}")


def meanings_of(place: Place, pairs: Sequence[str], agent: str | None) -> dict[str, Any]:
    """What `read` is told of a log.

    Args:
        place: of the log.
        pairs: the meanings of columns, which only a .csv file needs, and cannot do without.
        agent: whose decisions, which only a store with several agents needs.

    Raises:
        ValueError: where the log needs others.
    """
    meanings = columns_named(pairs)
    is_table = _is_table(place)
    if is_table and not {"arm", "rewards"} <= set(meanings):
        example = "--column arm=item --column rewards=click"
        rule = f"--column must name arm and rewards for a .csv file, such as {example}"
        got = shortened(", ".join(meanings)) or "none"
        raise ValueError(f"{rule}, got {got}")

    if meanings and not is_table:
        advice = "a table of your own is read as .csv"
        raise ValueError(f"--column must go with a .csv file, got {place}: {advice}")
    if agent is not None:
        if not (isinstance(place, Address) or is_store(place)):
            raise ValueError(f"--agent must go with a store, got {place}")
        meanings["agent"] = agent

    return meanings


def _is_table(place: Place) -> bool:
    """Whether a log is a .csv file: stores are known by their content, whatever their names are."""
    return isinstance(place, Path) and place.suffix == ".csv" and not is_store(place)


def _refuse_weights(estimators: Sequence[Any], specs: Sequence[str]) -> None:
    """Refuse estimators that need propensities, of a table that has none."""
    weighted = [estimator.name for estimator in estimators if estimator.needs_propensities]
    # The logging policy's own weights are 1, whatever the propensities.
    only_logging = all(spec == "logging" for spec in specs)
    if weighted and not only_logging:
        rule = f"--column propensity=NAME must be given for {', '.join(weighted)}"
        raise ValueError(f"{rule}, got none; --estimator dm and replay need none")


def write_evaluation(
    out: Path,
    comparison: Comparison,
    targets: Mapping[str, Target],
    log: LogSummary,
    options: Mapping[str, Any],
    feature_gains: Sequence[FeatureGainSummary] = (),
) -> Path:
    """Write evaluation.json, the tables, the figures and report.html; returns the last.

    Args:
        out: the folder, which is made where it does not exist.
        comparison: what to write.
        targets: what was compared, by name.
        log: from `log_summary`.
        options: `level` float, `seed` int, and whatever else belongs into evaluation.json.
        feature_gains: from `gain_summaries`.
    """
    # Not at the top: the library for drawing takes a second to load.
    from mobandits.figures.evaluation_page import evaluation_page  # noqa: PLC0415

    level = options["level"]
    seed = options["seed"]
    summary = _summary(comparison, targets, log, options, feature_gains)
    membership = front(comparison, level=level, seed=seed)
    borders = None
    if len(comparison.objectives) == 2:
        borders = outlines(comparison, level=level)

    tables = EvaluationTables(comparison.table(level), membership, borders, summary)
    out.mkdir(parents=True, exist_ok=True)
    write_tables(out, tables)
    page = evaluation_page(out, *tables)
    report = out / REPORT
    report.write_text(page, encoding="utf-8")

    return report


def _summary(
    comparison: Comparison,
    targets: Mapping[str, Target],
    log: LogSummary,
    options: Mapping[str, Any],
    feature_gains: Sequence[FeatureGainSummary],
) -> EvaluationSummary:
    """The content of evaluation.json, without numbers that JSON does not have."""
    estimators = {}
    for (_, name), estimate in comparison.estimates.items():
        estimators[name] = short_repr(estimate.estimator)

    policies = {}
    for name, target in targets.items():
        policies[name] = _policy_summary(comparison, name, target)

    summary: dict[str, Any] = {
        "format": FORMAT,
        "log": log,
        "options": options,
        "estimators": estimators,
        "shown": shown_estimator(comparison, None),
        "policies": policies,
        "dominance": _pairs(comparison, options["level"]),
        "versions": {"mobandits": importlib.metadata.version("mobandits")},
    }
    if feature_gains:
        summary["feature_gains"] = list(feature_gains)

    finite: EvaluationSummary = _finite(summary)

    return finite


def columns_named(pairs: Sequence[str]) -> dict[str, str | list[str]]:
    """What the columns of a .csv file mean, as `mobandits.logs.read` takes it.

    Args:
        pairs: meaning=column, or meaning=column,column for those of which there are several. A
            context of which a column has a kind, context=age,city:category, stays one text: all of
            its columns are for an encoder.

    Raises:
        ValueError: where there is no such meaning, or no such kind of column.

    Example:
        >>> columns_named(["arm=item", "rewards=click,revenue"])
        {'arm': 'item', 'rewards': ['click', 'revenue']}
    """
    meanings: dict[str, str | list[str]] = {}
    for pair in pairs:
        meaning, _, names = pair.partition("=")
        choice("--column: a meaning", meaning, (*SINGLE_COLUMNS, *LISTS_OF_COLUMNS))
        if not names:
            raise ValueError(f"--column must be meaning=column, got {quoted(pair)}")

        is_encoded = meaning == "context" and has_kinds(names)
        if is_encoded:
            kinds_of_text(names)  # a mistake in it need not wait until the file is read

        is_single = meaning in SINGLE_COLUMNS
        meanings[meaning] = names if is_single or is_encoded else names.split(",")

    return meanings


def split_name(policy: str) -> tuple[str, str]:
    """The name of a policy in tables and figures, and what it is.

    Without a name, its text is the name.

    Example:
        >>> split_name("wide=mol-ucb:scale=3.0"), split_name("mol-ucb:scale=3.0")
        (('wide', 'mol-ucb:scale=3.0'), ('mol-ucb:scale=3.0', 'mol-ucb:scale=3.0'))
        >>> split_name("arm:a=b")
        ('arm:a=b', 'arm:a=b')
    """
    name, equals, spec = policy.partition("=")
    # After a colon come parameters, or the name of an arm: an equals sign there gives no name.
    if equals and ":" not in name:
        return name.strip(), spec.strip()

    return policy, policy


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
        # The same policy twice is no harm, and is evaluated once.
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
    if not name.startswith(ARM):
        return recipe(name)

    text = name.removeprefix(ARM)
    # Names of arms may be numbers, and a command line has text only.
    arm_of_text = {str(arm): arm for arm in log.arm_names}
    choice("--policy: an arm", text, arm_of_text)

    return ConstantTarget(arm_of_text[text])


def is_plain(name: str) -> bool:
    """Whether a name stands for a target that learns nothing, and so is no recipe."""
    return name in PLAIN or name.startswith(ARM)


def estimator_named(name: str, clip: float | None) -> Any:
    """An estimator from its name on the command line; `clip` is the threshold of switch-dr.

    Raises:
        ValueError: where there is no such estimator, or `clip` is not above 0.

    Example:
        >>> estimator_named("ips", 20.0), estimator_named("dm", 20.0)
        (Ips(clip=20.0), DirectMethod())
    """
    choice("--estimator", name, ESTIMATORS)
    kind = ESTIMATORS[name]
    if clip is None:
        return kind()

    parameters = {field.name for field in dataclasses.fields(kind)}
    # Of these an estimator has one or, where it has no weights to be cut, none.
    bounds = {key: clip for key in ("clip", "threshold") if key in parameters}

    return kind(**bounds)


def log_summary(log: Feedback, source: str) -> LogSummary:
    """What a page says of a log.

    Args:
        log: the logged decisions.
        source: where they come from.
    """
    missing = np.isnan(log.rewards).mean(0)
    summary: LogSummary = {
        "source": source,
        "rounds": len(log),
        "arms": [str(arm) for arm in log.arm_names],
        "objectives": titles_of(log.objectives),
        "missing": missing.tolist(),
    }
    if log.encoder is not None:
        summary["encoder"] = str(log.encoder)

    return summary


def _policy_summary(comparison: Comparison, name: str, target: Target) -> dict[str, Any]:
    estimates = {}
    signs = signs_of(comparison.objectives)
    for label in comparison.estimators:
        estimate = comparison[name, label]
        value = estimate.value * signs
        covariance = estimate.covariance * np.outer(signs, signs)
        estimates[label] = {
            "value": value.tolist(),
            "covariance": covariance.tolist(),
            "bias_bound": estimate.bias_bound.tolist(),
            "warnings": list(estimate.warnings),
        }

    # They are of the weights, which all estimators share.
    diagnostics = comparison[name, comparison.estimators[0]].diagnostics

    return {
        "target": short_repr(target),
        "diagnostics": dataclasses.asdict(diagnostics),
        "estimates": estimates,
    }


def _pairs(comparison: Comparison, level: float) -> list[dict[str, Any]]:
    """Every pair of policies once, by the estimator that is shown."""
    pairs = []
    shown = shown_estimator(comparison, None)
    for first, second in itertools.combinations(comparison.targets, 2):
        verdict = dominance(comparison[first, shown], comparison[second, shown], level=level)
        pair: dict[str, Any] = {"first": first, "second": second}
        for key, value in vars(verdict).items():
            is_array = hasattr(value, "tolist")
            pair[key] = value.tolist() if is_array else value

        pairs.append(pair)

    return pairs


def _finite(value: Any) -> Any:
    """The same with null for numbers that JSON does not have."""
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None

    return value
