"""The commands `mobandits evaluate` and `mobandits tune`: from a log and some names to an answer."""

import dataclasses
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from mobandits.contracts.protocols import Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.encoding.short_specs import has_kinds, kinds_of_text
from mobandits.errors import LogWarning
from mobandits.evaluation.budget_tuned import BudgetTuned
from mobandits.evaluation.comparison import ESTIMATORS, PROPENSITIES, compare
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
from mobandits.evaluation.targets import ConstantTarget, LoggingPolicy, Target, Uniform
from mobandits.evaluation.tuned import Tuned
from mobandits.evaluation.tuning import tune
from mobandits.figures.contents import (
    FeatureGainSummary,
    LookSummary,
    decision_of,
    robustness_of,
)
from mobandits.logs import Feedback, read
from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.gateways import FORMATS
from mobandits.logs.objectives import Objective
from mobandits.logs.store.connection import is_store
from mobandits.support.checks import choice, number
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import quoted, shortened
from mobandits.support.progress import ProgressCallback

PLAIN: dict[str, type[Any]] = {"uniform": Uniform, "logging": LoggingPolicy}
ARM = "arm:"  # what the name of a constant target begins with
# Meanings of the columns of a .csv file.
SINGLE_COLUMNS = ("arm", "propensity", "time")
LISTS_OF_COLUMNS = ("rewards", "context", "minimise")


@dataclass(frozen=True)
class CommandLog:
    """A log as a command line names it.

    Args:
        file: any that `mobandits.logs.read` reads.
        columns: see `columns_named`; only a .csv file needs them, and cannot do without.
        objectives: of a log that does not describe its own, such as a .csv file.
        agent: whose decisions, of a store with several agents.
        format: of a gateway's log, see `mobandits.logs.gateways.FORMATS`; None: of another.
        ratings: of a gateway's log, a file of scores by request.
    """

    file: str | Place
    columns: Sequence[str] = ()
    objectives: Sequence[Objective] = ()
    agent: str | None = None
    format: str | None = None
    ratings: Path | None = None

    @cached_property
    def place(self) -> Place:
        """The file or the database."""
        return place_of(self.file)

    @cached_property
    def is_table(self) -> bool:
        """Whether it is a .csv file of decisions: stores are known by their content."""
        if self.format is not None:
            return False

        place = self.place
        return isinstance(place, Path) and place.suffix == ".csv" and not is_store(place)

    @cached_property
    def meanings(self) -> dict[str, Any]:
        """What `read` is told of it.

        Raises:
            ValueError: where the log needs others.
        """
        meanings: dict[str, Any] = columns_named(self.columns)
        if self.format is not None:
            return self._meanings_of_gateway(meanings)
        if self.ratings is not None:
            raise ValueError(f"--ratings must go with --format, got {self.ratings}")
        if self.is_table and not {"arm", "rewards"} <= set(meanings):
            example = "--column arm=item --column rewards=click"
            rule = f"--column must name arm and rewards for a .csv file, such as {example}"
            got = shortened(", ".join(meanings)) or "none"
            raise ValueError(f"{rule}, got {got}")

        if meanings and not self.is_table:
            advice = "a table of your own is read as .csv"
            raise ValueError(f"--column must go with a .csv file, got {self.place}: {advice}")
        if self.agent is not None:
            if not (isinstance(self.place, Address) or is_store(self.place)):
                raise ValueError(f"--agent must go with a store, got {self.place}")
            meanings["agent"] = self.agent

        return meanings

    def _meanings_of_gateway(self, meanings: dict[str, Any]) -> dict[str, Any]:
        """What `read` is told of a gateway's log, whose columns mean something by themselves."""
        choice("--format", self.format, FORMATS)
        if self.agent is not None:
            raise ValueError(f"--agent must go with a store, got {self.place}")

        return {**meanings, "format": self.format, "ratings": self.ratings}

    @property
    def lacks_propensities(self) -> bool:
        """Whether the log is of a kind that has propensities in a column, and none is named."""
        has_columns = self.is_table or self.format is not None
        return has_columns and "propensity" not in self.meanings

    def read(self) -> Feedback:
        """The log; its columns may need an encoder that is fitted to them.

        Raises:
            ValueError: naming what is wrong with the file or an option.
        """
        options = dict(self.meanings)
        context = options.get("context")
        # A gateway's log fits its own encoder, since its columns are those of no table on disk.
        if isinstance(context, str) and self.format is None:
            options["context"] = Encoder.fit(self.place, context)
        if self.objectives:
            options["objectives"] = self.objectives

        log: Feedback = read(self.place, **options)
        names = [str(name) for name in log.objective_names]
        for each in self.objectives:
            choice("--objective", each.name, names)

        return log


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
    feature_gains: Callable[[Feedback], Mapping[str, Sequence[Any]]] | None = None,
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
    compared = _first_ranks(log, source)
    if deploy is not None:
        # Of one round and without a store: what no agent can be of is refused before the rest.
        deployed(targets[deploy], log[:1], None, None, {})

    gains: list[FeatureGainSummary] = []
    if feature_gains is not None:
        gains = gain_summaries(feature_gains(compared))

    options: dict[str, Any] = {"level": level, "folds": folds, "clip": clip, "seed": seed}
    if propensities == ESTIMATED:
        options["propensities"] = ESTIMATED

    looks = _decisions(any_time, compared, targets, options)
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
        about = log_summary(compared, source)
        page = write_evaluation(out, comparison, about, options, gains, looks, sensitivity)
        if deploy is not None:
            # Of all ranks: each teaches, whatever the evaluation can use.
            made = deployed(targets[deploy], log, out / STORE, None, {})
            made.close()

    return page


def _say(say: Callable[[str], None] | None, lines: Sequence[str]) -> None:
    """Hand lines to whoever listens."""
    if say is not None:
        for line in lines:
            say(line)


def _decisions(
    any_time: AnyTime | None,
    log: Feedback,
    targets: Mapping[str, Target],
    options: Mapping[str, Any],
) -> list[LookSummary]:
    """Decisions at any time; none where nobody asks."""
    if any_time is None:
        return []

    looks = looks_on(
        log,
        targets,
        margin=any_time.margin,
        largest_weight=any_time.largest_weight,
        level=options["level"],
        seed=options["seed"],
    )
    return look_summaries(looks, log.objectives)


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
        return tune(candidates, log, **options)

    if len(policies) > 1:
        rule = "--policy must be at most one with a budget, which is the learner"
        raise ValueError(f"{rule}, got {len(policies)}")

    options["budget"] = numbers_named("--budget", budgets)
    options["learner"] = recipe(policies[0]) if policies else None
    return tune(given.read(), within=within, **options)


def log_and_targets(
    given: CommandLog, specs: Mapping[str, str], recipe: Callable[[str], Recipe]
) -> tuple[Feedback, dict[str, Target]]:
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

    log = given.read()

    return log, {name: target_named(spec, log, recipe) for name, spec in specs.items()}


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


def _refuse_weights(estimators: Sequence[Any], specs: Sequence[str]) -> None:
    """Refuse estimators that need propensities, of a table that has none."""
    weighted = [estimator.name for estimator in estimators if estimator.needs_propensities]
    # The logging policy's own weights are 1, whatever the propensities.
    only_logging = all(spec == "logging" for spec in specs)
    if weighted and not only_logging:
        rule = f"--column propensity=NAME must be given for {', '.join(weighted)}"
        advice = "--propensities estimated fits them, --estimator dm and replay need none"
        raise ValueError(f"{rule}, got none; {advice}")


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
