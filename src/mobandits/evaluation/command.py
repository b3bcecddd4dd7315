"""The commands `mobandits evaluate` and `mobandits tune`: from a log and some names to an answer."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mobandits.contracts.protocols import Recipe
from mobandits.errors import LogWarning
from mobandits.evaluation.budget_tuned import BudgetTuned
from mobandits.evaluation.command_arguments import (
    COLUMN,
    CommandLog,
    estimator_named,
    is_plain,
    named_specs,
    numbers_named,
    target_named,
)
from mobandits.evaluation.comparison import PROPENSITIES, compare
from mobandits.evaluation.deploying import deployed
from mobandits.evaluation.estimated_propensities import ESTIMATED
from mobandits.evaluation.evaluation_folder import (
    STORE,
    check_evaluation_folder,
    gain_summaries,
    log_summary,
    look_summaries,
    write_evaluation,
)
from mobandits.evaluation.monitor import looks_on
from mobandits.evaluation.sensitivity_table import sensitivity_summaries
from mobandits.evaluation.targets import Target
from mobandits.evaluation.tuned import Tuned
from mobandits.evaluation.tuning import tune
from mobandits.figures.contents import (
    FeatureGainSummary,
    LookSummary,
    decision_of,
    robustness_of,
)
from mobandits.logs import Feedback
from mobandits.logs.streams import ParquetTable, Stream, beginning_of
from mobandits.support.checks import choice, number
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted
from mobandits.support.progress import ProgressCallback

PIECES = "got one that is read in pieces; --chunk 0 reads it whole"


@dataclass(frozen=True)
class AnyTime:
    """The options of decisions that are valid at any time.

    Args:
        margin: {objective: the loss that does not matter}.
        largest_weight: see `Monitor`.
    """

    margin: Mapping[str, float]
    largest_weight: float | None


def evaluate_file(
    given: CommandLog,
    out: Path,
    specs: Mapping[str, str],
    recipe: Callable[[str], Recipe],
    *,
    estimators: Sequence[str] = ("ips", "snips", "dr"),
    level: float = 0.95,
    folds: int = 5,
    clip: float | None = None,
    seed: int = 0,
    deploy: str | None = None,
    any_time: AnyTime | None = None,
    propensities: Literal["logged", "estimated"] = "logged",
    feature_gains: Callable[[Feedback | Stream], Mapping[str, Sequence[Any]]] | None = None,
    hold: Callable[[Path], AbstractContextManager[Any]] = nullcontext,
    say: Callable[[str], None] | None = None,
    progress: ProgressCallback | None = None,
) -> Path:
    """Evaluate policies on a log, and write a folder about it.

    What cannot work is refused before anything is computed.

    Args:
        given: the log.
        out: the folder: a new one, an empty one, or that of an evaluation that was interrupted.
        specs: {name: policy}, see `named_specs` and `target_named`.
        recipe: from a name to a recipe.
        estimators: names.
        level: of joint regions.
        folds: as in `compare`.
        clip: the largest weight, for estimators that clip, and the threshold of switch-dr; None for
            their defaults.
        seed: of everything.
        deploy: the name of a policy, a recipe, of which an agent is made that has learned the whole
            log; its own log is the store agent.db in the folder.
        any_time: of decisions between every policy and the logging policy; None: nobody asks.
        propensities: as in `compare`.
        feature_gains: {map: its `mobandits.features.Gain` in each objective} over linear rewards on
            the log; a function, because the room of maps imports this one. None: nobody asks.
        hold: makes the folder, and keeps others from writing into it.
        say: takes a line per decision at any time, and one per policy and objective on how wrong
            estimated propensities may be; None says nothing.
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
    _check_propensities(propensities, given, any_time)
    if given.lacks_propensities and propensities != ESTIMATED:
        _refuse_weights(chosen_estimators, list(specs.values()))
    if deploy is not None:
        check_deployment(deploy, specs, out / STORE)

    log, targets = log_and_targets(given, specs, recipe)
    source = str(given.place)
    compared = _one_per_choice(log, source)
    first = beginning_of(log)
    if deploy is not None:
        # Of one round and without a store: what no agent can be of is refused before the rest.
        deployed(targets[deploy], first[:1], None, None, {})

    gains: list[FeatureGainSummary] = []
    if feature_gains is not None:
        gains = gain_summaries(feature_gains(compared))

    options: dict[str, Any] = {"level": level, "folds": folds, "clip": clip, "seed": seed}
    if propensities == ESTIMATED:
        options["propensities"] = ESTIMATED

    looks: list[LookSummary] = []
    if any_time is not None:
        looks = _looks(compared, targets, any_time, level, seed)

    _say(say, [decision_of(look) for look in looks])
    with hold(out):
        comparison = compare(
            compared,
            targets,
            chosen_estimators,
            folds=folds,
            seed=seed,
            propensities=propensities,
            progress=progress,
        )
        sensitivity = sensitivity_summaries(comparison, level)
        _say(say, [robustness_of(row) for row in sensitivity])
        about = log_summary(comparison, first, source)
        answers: dict[str, Sequence[Any]] = {
            "feature_gains": gains,
            "looks": looks,
            "sensitivity": sensitivity,
        }
        page = write_evaluation(out, comparison, about, options, answers)
        if deploy is not None:
            # Of all ranks: each teaches, whatever the evaluation can use.
            made = deployed(targets[deploy], log, out / STORE, None, {})
            made.close()

    return page


def _one_per_choice(log: Feedback | Stream, source: str) -> Feedback | Stream:
    """The rounds that chose an arm, without further ranks and kept arms, of which warnings tell."""
    compared = log.first_ranks()
    if not isinstance(log, Feedback) or not isinstance(compared, Feedback):
        first = beginning_of(log)
        if first.sessions is not None:
            raise ValueError(f"LOG must be in memory where sessions keep arms, {PIECES}")
        if first.ranks is not None:
            text = f"{source}: rounds of further ranks are left out"
            warnings.warn(text, LogWarning, stacklevel=3)

        return compared

    rounds = len(compared)
    others = len(log) - rounds
    if others:
        text = f"{source}: {others} of {len(log)} rounds are of further ranks, and were left out"
        warnings.warn(text, LogWarning, stacklevel=3)

    per_choice = compared.per_session()
    kept = rounds - len(per_choice)
    if kept:
        text = f"{source}: in {kept} of {rounds} rounds a session kept its arm"
        warnings.warn(f"{text}; a session's rewards are their means", LogWarning, stacklevel=3)

    return per_choice


def _looks(
    log: Feedback | Stream, targets: Mapping[str, Target], asked: AnyTime, level: float, seed: int
) -> list[LookSummary]:
    """The decisions at any time."""
    if not isinstance(log, Feedback):
        raise ValueError(f"--any-time must have the log in memory, {PIECES}")

    found = looks_on(
        log,
        targets,
        margin=asked.margin,
        largest_weight=asked.largest_weight,
        level=level,
        seed=seed,
    )
    return look_summaries(found, log.objectives)


def _say(say: Callable[[str], None] | None, lines: Sequence[str]) -> None:
    """Hand lines to whoever listens."""
    if say is not None:
        for line in lines:
            say(line)


def _check_propensities(propensities: str, given: CommandLog, any_time: AnyTime | None) -> None:
    """Refuse estimated propensities beside logged ones, and where they do not suffice."""
    choice("--propensities", propensities, PROPENSITIES)
    if propensities != ESTIMATED:
        return
    if "propensity" in given.meanings:
        raise ValueError("--propensities estimated must go without --column propensity=, got both")
    if any_time is not None:
        rule = "--any-time must have logged propensities"
        raise ValueError(f"{rule}, got --propensities estimated")


def tune_file(
    given: CommandLog,
    policies: Sequence[str],
    recipe: Callable[[str], Recipe],
    *,
    budgets: Sequence[str] = (),
    within: float | None = None,
    weights: Sequence[str] = (),
    **options: Any,
) -> Tuned | BudgetTuned:
    """Choose a policy on a log, or find one for a budget.

    Args:
        given: the log.
        policies: names, see `named_specs`, of which the first is the one to beat; with a budget,
            the recipe that learns, or none.
        recipe: from a name to a recipe.
        budgets: OBJECTIVE=NUMBER each.
        within: as in `tune`.
        weights: OBJECTIVE=NUMBER each.
        options: further parameters of `tune`.

    Raises:
        ValueError: naming what is wrong with the file, a name or an option.
    """
    if given.lacks_propensities:
        rule = "--column propensity=NAME must be given for tune"
        raise ValueError(f"{rule}, got none; evaluate --estimator dm needs none")

    options["weights"] = numbers_named("--weight", weights)
    if not budgets and within is None:
        log, candidates = log_and_targets(given, named_specs(policies), recipe)
        if isinstance(log, ParquetTable):
            raise ValueError("--column arm=NAME must be given for tune, got none")

        return tune(candidates, log, **options)

    if len(policies) > 1:
        rule = "--policy must be at most one with a budget, which is the learner"
        raise ValueError(f"{rule}, got {len(policies)}")

    if given.chunk:
        rule = "--chunk must be 0 or left out with a budget, whose steps need the whole log"
        raise ValueError(f"{rule}, got {given.chunk}")

    options["budget"] = numbers_named("--budget", budgets)
    options["learner"] = recipe(policies[0]) if policies else None
    return tune(given.read(), within=within, **options)


def log_and_targets(
    given: CommandLog, specs: Mapping[str, str], recipe: Callable[[str], Recipe]
) -> tuple[Feedback | Stream, dict[str, Target]]:
    """The log, and {name: target}; what names can be wrong in is refused before it is read.

    Args:
        given: the log.
        specs: {name: policy}.
        recipe: from a name to a recipe.
    """
    given.meanings  # noqa: B018 - a mistake in them need not wait until the log is read
    for spec in specs.values():
        if not is_plain(spec):
            recipe(spec)  # nor one in a recipe

    columns = [spec.removeprefix(COLUMN) for spec in specs.values() if spec.startswith(COLUMN)]
    log = given.opened(columns)
    first = beginning_of(log)

    return log, {name: target_named(spec, first, recipe) for name, spec in specs.items()}


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


def _refuse_weights(estimators: Sequence[Any], specs: Sequence[str]) -> None:
    """Refuse estimators that need propensities, of a table that has none."""
    weighted = [estimator.name for estimator in estimators if estimator.needs_propensities]
    # The logging policy's own weights are 1, whatever the propensities.
    only_logging = all(spec == "logging" for spec in specs)
    if weighted and not only_logging:
        rule = f"--column propensity=NAME must be given for {', '.join(weighted)}"
        advice = "--propensities estimated fits them, --estimator dm and replay need none"
        raise ValueError(f"{rule}, got none; {advice}")
