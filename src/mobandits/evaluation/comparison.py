"""Many targets on one log."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.evaluation.case import (
    EvaluationCase,
    ValueEstimator,
    refuse_dependent,
    require_propensities,
)
from mobandits.evaluation.diagnostics import diagnose
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.estimated_propensities import (
    ESTIMATED,
    check_estimable,
    with_estimated_propensities,
)
from mobandits.evaluation.folds import folds_of
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.own_values import own_rows, values_in_text
from mobandits.evaluation.reliability import estimate_case
from mobandits.evaluation.replay import Replay
from mobandits.evaluation.reward_model import Model, RidgePerArm, predictions_of
from mobandits.evaluation.snips import Snips
from mobandits.evaluation.streamed import stream_estimates
from mobandits.evaluation.switch_dr import SwitchDr
from mobandits.evaluation.targets import (
    LoggingPolicy,
    Target,
    check_target,
    learner_of,
    naming_target,
    probabilities_of,
)
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.streams import Stream
from mobandits.support.checks import choice
from mobandits.support.naming import quantity, quoted, short_repr, shortened, wrong_value
from mobandits.support.nearest import as_object
from mobandits.support.notebooks import MOST_ROWS, block, html_table
from mobandits.support.progress import Progress, ProgressCallback, check_progress, shown_progress

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent

BUILT_IN: tuple[type[Any], ...] = (Ips, Snips, DoublyRobust, SwitchDr, DirectMethod, Replay)
ESTIMATORS: dict[str, type[Any]] = {kind.name: kind for kind in BUILT_IN}
PROPENSITIES = ("logged", ESTIMATED)
TABLE: dict[str, Any] = {
    "policy": pl.String,
    "estimator": pl.String,
    "objective": pl.String,
    "value": pl.Float64,
    "standard_error": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The values of several targets on the same rounds.

    Attributes:
        objectives: of the log; tables and texts say values in their own directions and units.
        estimates: {(target, estimator): estimate}, in the order asked for; in them more is better,
            as in `Feedback.rewards`.
        compared: {name: target}, what was compared; kept for `agent`, as is the next.
        log: the rounds; None where they are not known.
    """

    objectives: Sequence[Objective]
    estimates: Mapping[tuple[str, str], Estimate]
    compared: Mapping[str, Target] = field(default_factory=dict)
    log: Feedback | Stream | None = None

    def __repr__(self) -> str:
        counts = [
            quantity(len(self.targets), "target"),
            quantity(len(self.estimators), "estimator"),
            quantity(len(self.objectives), "objective"),
        ]
        # All estimates are of the same log; without any, nothing is known of it.
        first = next(iter(self.estimates.values()), None)
        if first is not None:
            counts.append(quantity(first.rounds, "round"))
        if self.is_estimated:
            counts.append("estimated propensities")

        return f"Comparison({', '.join(counts)})"

    def _repr_html_(self) -> str:
        """A row per target and estimator: its values with their 95 % box, and its warnings."""
        return block(repr(self), html_of_values(self, ["target", "estimator"], 0.95, "estimate"))

    @property
    def targets(self) -> list[str]:
        """Names of the targets."""
        names = [target for target, _ in self.estimates]
        return list(dict.fromkeys(names))

    @property
    def estimators(self) -> list[str]:
        """Names of the estimators."""
        names = [estimator for _, estimator in self.estimates]
        return list(dict.fromkeys(names))

    def __getitem__(self, key: tuple[str, str]) -> Estimate:
        try:
            return self.estimates[key]
        except KeyError:
            targets = shortened(", ".join(self.targets))
            estimators = shortened(", ".join(self.estimators))
            wanted = f"a target of {targets}, and an estimator of {estimators}"
            # Not from the KeyError below it, which says nothing more.
            raise KeyError(f"the key must be {wanted}, got {quoted(key)}") from None

    def agent(
        self,
        name: str,
        log: Any = None,
        *,
        objectives: Sequence[Any] | None = None,
        **options: Any,
    ) -> "Agent":
        """An agent with the recipe of a target, which has learned the whole log.

        It is ``Agent(recipe, arms=..., features=..., objectives=..., propensity=..., log=log,
        **options)`` of the compared log's arms, encoder or features, objectives and propensities,
        after ``learn_log`` of that log, bit for bit. A recipe that says no order plays by the
        log's preference.
        The values here are of policies that learned from all folds but one; the agent has learned
        from all rounds, and goes on learning.

        Args:
            name: of the target, a recipe or `Trained`.
            log: of the agent, as `Agent` takes it: a store that is new, or has no events.
            objectives: as `Agent` takes them, where they are to be others than those of the log.
            options: further parameters of `Agent`, such as `seed`, and others in place of the log's.

        Raises:
            ValueError: where the target is no recipe, where its recipe can only learn from its own
                decisions, or where the store has events.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> arms = [0, 1] * 10
            >>> rewards = [[0.5], [1.0]] * 10
            >>> log = Feedback(np.ones((20, 1)), arms, rewards, [0.5] * 20, "ab", ["click"])
            >>> found = compare(log, {"learned": MolUcb(scale=0.3)}, "ips")
            >>> found.agent("learned", propensity="exact")
            Agent(MolUcb(scale=0.3), 2 arms, 1 feature, 1 objective, 20 learned, 0 waiting)
        """
        # A comparison that is only looked at loads no agent.
        from mobandits.evaluation.deploying import deployed  # noqa: PLC0415

        if name not in self.compared:
            known = shortened(", ".join(map(str, self.compared))) or "none"
            raise wrong_value(f"name must be a target of {known}", name)

        with naming_target(name):
            return deployed(self.compared[name], self.log, log, objectives, options)

    def table(self, level: float = 0.95) -> pl.DataFrame:
        """A row per target, estimator and objective.

        Args:
            level: of the joint box of every estimate.

        Returns:
            `policy`, `estimator`, `objective` str, `value`, `standard_error`, `low`, `high` float,
            in the objective's own direction and unit; `low` and `high` are the ends of
            `Estimate.box`, right for all objectives of a row's estimate at once. Where propensities
            were estimated, a column `propensities` says so.
        """
        rows = []
        for key, estimate in self.estimates.items():
            values = own_rows(estimate, self.objectives, level)
            errors = estimate.standard_error.tolist()
            for (objective, value, *ends), error in zip(values, errors, strict=True):
                rows.append((*key, objective, value, error, *ends))

        table = pl.DataFrame(rows, TABLE, orient="row")
        if self.is_estimated:
            return table.with_columns(propensities=pl.lit(ESTIMATED))

        return table

    @property
    def is_estimated(self) -> bool:
        """Whether propensities were estimated."""
        return any(each.sensitivity is not None for each in self.estimates.values())


def html_of_values(comparison: Comparison, keys: Sequence[str], level: float, noun: str) -> str:
    """An HTML table with a row per estimate: its key, the number of its warnings, its values.

    Args:
        comparison: of the estimates.
        keys: headers of the columns that name an estimate.
        level: of the joint box of every estimate.
        noun: what a row is.
    """
    objectives = comparison.objectives
    header = [*keys, "warnings", *(each.title for each in objectives)]
    rows = []
    for key, estimate in itertools.islice(comparison.estimates.items(), MOST_ROWS):
        values = values_in_text(estimate, objectives, level)
        rows.append((*key[: len(keys)], len(estimate.warnings), *values))

    return html_table(header, rows, total=len(comparison.estimates), noun=noun)


def evaluate(
    log: Feedback | Stream,
    target: Target,
    estimator: ValueEstimator | str = "dr",
    *,
    model: Model = None,
    folds: int = 5,
    seed: int = 0,
    logging: Array | None = None,
    propensities: Literal["logged", "estimated"] = "logged",
) -> Estimate:
    """The value of a target, from a log of other decisions.

    `compare` does so for several targets, and makes agents of those that are recipes.

    Args:
        log: the logged decisions.
        target: what is evaluated, see `compare`.
        estimator: see `compare`.
        model: see `compare`.
        folds: see `compare`.
        seed: see `compare`.
        logging: see `compare`.
        propensities: see `compare`.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> from mobandits.evaluation import ConstantTarget
        >>> rng = np.random.default_rng(0)
        >>> rewards = rng.random((1000, 2))
        >>> arms = rng.integers(0, 2, 1000)
        >>> log = Feedback(np.ones((1000, 1)), arms, rewards, [0.5] * 1000, "ab", ("q", "c"))
        >>> estimate = evaluate(log, ConstantTarget("a"), "snips")
        >>> estimate.value.round(2).tolist(), bool(estimate.ellipsoid(0.95).contains([0.5, 0.5]))
        ([0.51, 0.48], True)
    """
    targets = {"target": target}
    comparison = compare(
        log,
        targets,
        [estimator],
        model=model,
        folds=folds,
        seed=seed,
        logging=logging,
        propensities=propensities,
        progress=False,  # of one target, a bar has nothing to tell
    )
    (estimate,) = comparison.estimates.values()

    return estimate


def compare(
    log: Feedback | Stream,
    targets: Mapping[str, Target],
    estimators: Sequence[ValueEstimator | str] | ValueEstimator | str = ("ips", "snips", "dr"),
    *,
    model: Model = None,
    folds: int = 5,
    seed: int = 0,
    logging: Array | None = None,
    propensities: Literal["logged", "estimated"] = "logged",
    progress: Progress = "auto",
) -> Comparison:
    """The values of several targets on the same rounds.

    A reward that was not observed (NaN) leaves its round out for that objective and that objective
    only. That is right where being missing depends on neither arm nor reward; a warning says where
    it visibly depends on the arm.

    Memory: the log, one array of rounds x arms per target at a time (400 MB for a million rounds
    and 50 arms, as much again for a moment while it is checked), and per estimate two arrays of
    rounds x objectives.

    Args:
        log: the logged decisions; of one in which several arms were chosen for a context
            (`Agent.decide` with `top`), write `log.first_ranks()`; of one in which sessions kept arms,
            `log.per_session()`. One that does not fit in memory is a `mobandits.logs.stream` or
            `ParquetTable`, which is read twice, and before that for a reward model and for recipes:
            what is evaluated must then be a sum over rounds.
        targets: {name: target}: probabilities (rounds, arms); a callable that takes the log and
            returns them; `Uniform()`, `ConstantTarget(arm)`, `LoggingPolicy()`; a recipe, or
            `Trained(recipe)`; an agent as it is now, `Frozen(agent)`.
        estimators: some of `ESTIMATORS` by name, or objects such as ``Ips(clip=20)``; or one of
            them.
        model: of the rewards, for estimators that need one: a `RidgePerArm`, which is the default,
            fitted on the other folds; or predictions of your own, (rounds, arms, objectives).
        folds: number of parts of the log, for recipes and the model; both leave the same part out.
        seed: of the folds and of what recipes draw.
        logging: (rounds, arms) the logging policy's probabilities of all arms, if they are known:
            for the diagnostics of overlap alone.
        propensities: "estimated" fits them to the contexts of the other folds, for a log without
            any; `sensitivity_table` has the values where they are wrong.
        progress: "auto" shows a bar on stderr, where that is a terminal, or below a notebook's
            cell, once the call has taken a second; False shows none. A function is called with the
            number of targets done, and of all.

    Raises:
        ValueError: naming parameter, rule and value.
    """
    check_progress(progress)
    by_label = _labelled(estimators)
    choice("propensities", propensities, PROPENSITIES)
    estimates_propensities = propensities == ESTIMATED
    if isinstance(log, Stream):
        if estimates_propensities or logging is not None:
            given = "propensities='estimated'" if estimates_propensities else "logging"
            raise ValueError(f"log must be in memory for {given}, got a stream")

        check_targets(targets)
        with shown_progress(progress, "compare", "targets") as report:
            tell(report, 0, len(targets))
            objectives, found = stream_estimates(
                log,
                targets,
                by_label,
                lambda rounds, kind: folds_of(rounds, folds, seed, kind),
                model=model,
                seed=seed,
            )
            tell(report, len(targets), len(targets))

        return Comparison(objectives, found, dict(targets), log)

    # With estimated propensities any estimator has weights: what needs them is not refused.
    check_comparison(log, targets, {} if estimates_propensities else by_label)
    if estimates_propensities:
        check_estimable(log)

    needs_model = any(each.needs_model for each in by_label.values())
    fits_model = needs_model and (model is None or isinstance(model, RidgePerArm))
    fits_recipe = any(learner_of(target) is not None for target in targets.values())
    # Where nothing is fitted, a log may be shorter than the number of folds.
    if fits_model or fits_recipe or estimates_propensities:
        fold_of_round = folds_of(len(log), folds, seed)
    else:
        fold_of_round = np.zeros(len(log), np.int64)

    with shown_progress(progress, "compare", "targets") as report:
        tell(report, 0, len(targets))
        weighed = with_estimated_propensities(log, fold_of_round) if estimates_propensities else log
        predictions = None
        if needs_model:
            predictions = predictions_of(model, log, fold_of_round)

        logging_probabilities = None
        if logging is not None:
            logging_probabilities = probabilities_of(logging, log, fold_of_round)

        estimates: dict[tuple[str, str], Estimate] = {}
        # Target by target, since the probabilities of one take as much memory as the log.
        for done, (name, target) in enumerate(targets.items(), 1):
            with naming_target(name):
                probabilities = probabilities_of(target, log, fold_of_round, seed)
                case = EvaluationCase(weighed, probabilities, predictions)

            diagnostics = diagnose(case, logging_probabilities)
            for label, each in by_label.items():
                estimates[name, label] = estimate_case(name, case, each, diagnostics)

            tell(report, done, len(targets))

    return Comparison(log.objectives, estimates, dict(targets), log)


def tell(report: ProgressCallback | None, done: int, targets: int) -> None:
    """Report progress, where somebody asked for it."""
    if report is not None:
        report(done, targets)


def check_comparison(
    log: Feedback, targets: Mapping[str, Target], estimators: Mapping[str, ValueEstimator]
) -> None:
    """Refuse now what would be refused after other targets were evaluated.

    Raises:
        ValueError: naming parameter, rule and value.
    """
    if not isinstance(log, Feedback):
        advice = ""
        if isinstance(log, str | Path):
            advice = f"; write mobandits.logs.read({quoted(log)})"

        raise ValueError(f"log must be a Feedback, got {quoted(log)}{advice}")

    check_targets(targets)
    if not len(log):
        raise ValueError("log must have at least one round, got none")

    refuse_dependent(log)
    for name, target in targets.items():
        with naming_target(name):
            check_target(target, log)

    # An estimator of a user's own need not declare it: it is refused where it asks for weights.
    weighted = any(getattr(each, "needs_propensities", False) for each in estimators.values())
    only_logging = all(isinstance(target, LoggingPolicy) for target in targets.values())
    if weighted and not only_logging:
        require_propensities(log)


def check_targets(targets: Mapping[str, Target]) -> None:
    """Refuse what is no dictionary of targets."""
    if not isinstance(targets, Mapping):
        raise wrong_value("targets must be a dictionary {name: target}", targets)
    if not targets:
        raise ValueError("targets must name at least one target, got none")


def _labelled(
    estimators: Sequence[ValueEstimator | str] | ValueEstimator | str,
) -> dict[str, ValueEstimator]:
    """{label: estimator}: its name, or all of its parameters where a name is there twice."""
    is_single = isinstance(estimators, str) or hasattr(estimators, "terms")
    several: Any = [estimators] if is_single else estimators
    resolved = [_resolved(each) for each in several]
    names = [each.name for each in resolved]
    labels = []
    for name, each in zip(names, resolved, strict=True):
        # Such as Ips(clip=10) and Ips(clip=20).
        is_unique = names.count(name) == 1
        labels.append(name if is_unique else short_repr(each))

    by_label = dict(zip(labels, resolved, strict=True))
    if not labels or len(by_label) < len(labels):
        got = shortened(", ".join(labels)) or "none"
        raise ValueError(f"estimators must be some, each once, got {got}")

    return by_label


def _resolved(estimator: ValueEstimator | str) -> ValueEstimator:
    """An estimator from its name, or itself."""
    if isinstance(estimator, str):
        choice("estimator", estimator, ESTIMATORS)
        by_name: ValueEstimator = ESTIMATORS[estimator]()
        return by_name
    # A class has the method, too: Ips in place of Ips().
    if not hasattr(estimator, "terms") or isinstance(estimator, type):
        got = f"{quoted(estimator)}{as_object(estimator)}"
        raise ValueError(f"estimator must be a name or an estimator such as Ips(), got {got}")

    return estimator
