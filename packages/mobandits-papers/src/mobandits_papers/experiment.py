"""What a figure or a claim of a paper is, as data: runs, plots, and statements to be judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import polars as pl

from mobandits.contracts.continuum import SurfaceEnvironment
from mobandits.contracts.protocols import Environment, Metric, Recipe
from mobandits.metrics import resolve
from mobandits.support.naming import short_repr
from mobandits_papers.claims import Claim
from mobandits_papers.contents import PlotKind, ScaleEntry
from mobandits_papers.outcome import Outcome


def name_of_metric(metric: str | Metric) -> str:
    """A metric as tables call it."""
    return metric if isinstance(metric, str) else metric.name


@dataclass(frozen=True)
class Tuned:
    """A row of a run whose constant is chosen on trials of another seed.

    All of the grid is played on the reported trials as well: the chosen constant is what the row
    shows, and the best of the reported trials, which is how papers choose, stands beside it.

    Args:
        grid: {name of the constant, such as "c = 0.1": the recipe with it}.
        metric: what is best on average over trials: at the last round, or over all of them where it
            is a mean.
        component: of the metric; None adds up all of them.
        highest: whether more is better.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> list(Tuned({f"c = {c}": MolUcb(scale=c) for c in (0.1, 1.0)}).grid)
        ['c = 0.1', 'c = 1.0']
    """

    grid: Mapping[str, Recipe]
    metric: str | Metric = "pareto_regret"
    component: int | None = 0
    highest: bool = False

    @classmethod
    def over(
        cls,
        constant: str,
        values: Sequence[float] | Mapping[str, float],
        recipe: Recipe,
        parameter: str = "scale",
        **chosen: Any,
    ) -> "Tuned":
        """A row with a constant to choose from some values.

        Args:
            constant: its name.
            values: of the constant, by their names where the numbers are not to be shown.
            recipe: which has it.
            parameter: of the recipe, the constant.
            chosen: by what; the other arguments.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> list(Tuned.over("c", (0.1, 1.0), MolUcb()).grid)
            ['c = 0.1', 'c = 1']
        """
        named = values
        if not isinstance(named, Mapping):
            named = {f"{value:g}": value for value in named}

        grid = {}
        for name, value in named.items():
            grid[f"{constant} = {name}"] = replace(recipe, **{parameter: value})

        return cls(grid, **chosen)

    @property
    def metric_name(self) -> str:
        """The metric as tables call it."""
        return name_of_metric(self.metric)

    def cumulative(self) -> bool:
        """Whether tables hold sums of the metric; otherwise means since the round before."""
        # A name alone does not say it; the metric that it stands for does.
        (metric,) = resolve([self.metric])
        return metric.cumulative


# One object, because parts that are no simulation read what they need of it.
class RunOptions(NamedTuple):
    """How a user wants an experiment; the fields are the arguments of `reproduce`.

    Attributes:
        rounds: None leaves the experiment's own number.
        trials: None leaves the experiment's own number.
        seed: of everything.
        workers: trials at the same time; None: one per processor.
        engine: "threads" or "ray".
        address: of a Ray cluster.
    """

    rounds: int | None = None
    trials: int | None = None
    seed: int = 0
    workers: int | None = None
    engine: str = "threads"
    address: str | None = None

    def rounds_or(self, own: int) -> int:
        """The rounds to play of a run with so many of its own."""
        return self.rounds or own

    def trials_or(self, own: int) -> int:
        """The trials to play of a run with so many of its own."""
        return self.trials or own


@dataclass(frozen=True)
class Run:
    """One simulation of an experiment: an environment, the rows that play in it, and how long.

    Args:
        name: what a panel of a figure is called, such as "d = 5".
        environment: what is played in; in one experiment, no two runs share both an environment and
            a row.
        rows: {row: recipe, or a constant to choose}.
        rounds: the paper's horizon.
        trials: the paper's repetitions.
        metrics: as in `simulate`.
        record: as in `simulate`.
        tuning_trials: trials of the tuning seed.
    """

    name: str
    environment: Environment | SurfaceEnvironment
    rows: Mapping[str, Recipe | Tuned]
    rounds: int
    trials: int
    metrics: Sequence[str | Metric]
    record: int = 100
    tuning_trials: int = 5
    measures_time: ClassVar[bool] = False

    def recipes(self) -> dict[str, Recipe]:
        """{row of the table: recipe}, in which every constant of a grid has a row of its own."""
        # Grids are played whole on the reported trials too: their best constant is the papers'
        # choice.
        recipes: dict[str, Recipe] = {}
        for row, recipe in self.rows.items():
            recipes |= spread(row, recipe) if isinstance(recipe, Tuned) else {row: recipe}
        return recipes

    def tuned(self) -> dict[str, Tuned]:
        """The rows with a constant to choose."""
        return {row: recipe for row, recipe in self.rows.items() if isinstance(recipe, Tuned)}

    def is_changed(self, name: str, asked: int) -> bool:
        """Whether it is played at another scale than its own; the arguments of `Computed`."""
        own: int = getattr(self, name)
        return asked != own

    @property
    def place(self) -> str:
        """The environment as tables call it."""
        return short_repr(self.environment)

    def own_scale(self) -> ScaleEntry:
        """The paper's numbers."""
        return {"run": self.name, "rounds": self.rounds, "trials": self.trials}

    def trials_to_tune(self, options: RunOptions) -> int:
        """How many trials constants are chosen on; 0 where there are none to choose."""
        if not self.tuned():
            return 0

        # Never more than the experiment has: a user who adds trials must not change the choice.
        own = self.tuning_trials
        return min(options.trials_or(own), own)

    def work(self, options: RunOptions) -> int:
        """The rounds of all trials, for progress."""
        trials = options.trials_or(self.trials) + self.trials_to_tune(options)
        return options.rounds_or(self.rounds) * trials


def spread(row: str, tuned: Tuned) -> dict[str, Recipe]:
    """{name of the row in the table: recipe} of a grid."""
    rows = {}
    for constant, recipe in tuned.grid.items():
        rows[f"{row}, {constant}"] = recipe
    return rows


Compute: TypeAlias = Callable[[int, RunOptions], pl.DataFrame]


@dataclass(frozen=True)
class Computed:
    """A part of an experiment that is no simulation: a function that makes rows of the table.

    Args:
        name: what a panel is called.
        compute: makes the rows of one trial (the columns of a table of results without
            `experiment`), from the trial's number and the user's options.
        trials: how many there are; a user may ask for fewer. A function that repeats something
            itself can read in the options how often.
        settings: everything else that decides the rows, for the manifest.
        measures_time: whether nothing else of ours may run meanwhile.
        scale: {"rounds" or "trials": the number of its own} of what it reads in the options; the
            size of a part without them is fixed.
        metrics: those of which a small scale may leave out every row, because all values are NaN.
    """

    name: str
    compute: Compute
    trials: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    measures_time: bool = False
    scale: Mapping[str, int] = field(default_factory=dict)
    metrics: Sequence[str | Metric] = ()

    @property
    def place(self) -> str:
        """The name of its rows, which have no environment."""
        return self.name

    def own_scale(self) -> ScaleEntry | None:
        """Its trials; none where it repeats inside, if at all."""
        if self.trials == 1:
            return None
        return {"run": self.name, "rounds": 0, "trials": self.trials}

    def work(self, options: RunOptions) -> int:
        """One: what it takes is not known."""
        return 1

    def is_changed(self, name: str, asked: int) -> bool:
        """Whether it is played at another scale than its own where this number is asked for.

        Args:
            name: "rounds" or "trials".
            asked: in place of its own number.
        """
        if name in self.scale:
            return asked != self.scale[name]
        # More trials than its own are never played.
        return name == "trials" and asked < self.trials


@dataclass(frozen=True)
class More:
    """A run again on as many more problems as are needed, with the constants chosen for it.

    Its first trials are those of the run, to the last bit; no constant is chosen on them.

    Args:
        run: which; it comes before this one in its experiment.
        looks: numbers of trials, ascending: after each it is asked whether they are enough. The
            last is the most that are played. A user who asks for a number of trials gets that one.
        enough: whether the trials so far decide everything, from what they gave and this name.
        metrics: as in `simulate`.
        record: as in `simulate`.
    """

    run: Run
    looks: Sequence[int]
    enough: Callable[[Outcome, str], bool]
    metrics: Sequence[str | Metric]
    record: int = 3
    measures_time: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The name of its rows."""
        return more_of(self.run.name)

    @property
    def place(self) -> str:
        """The name of its rows: the run that it repeats has the same environment."""
        return self.name

    def own_scale(self) -> None:
        """None: it has the scale of its run, and as many trials as it needs."""

    def is_changed(self, name: str, asked: int) -> bool:
        """Never: only its run has a scale to change."""
        return False

    def work(self, options: RunOptions) -> int:
        """At most so many rounds; if fewer trials are enough, the rest counts as done at once."""
        return options.rounds_or(self.run.rounds) * options.trials_or(self.looks[-1])


def more_of(run: str) -> str:
    """The name of a run on more problems.

    Example:
        >>> more_of("d = 5")
        'd = 5, more problems'
    """
    return f"{run}, more problems"


@dataclass(frozen=True)
class Plot:
    """One figure of an experiment's page.

    Args:
        name: of its files.
        metric: what is drawn.
        caption: plain text.
        kind: "curves" over rounds; "bars" of the values at the last round, a group per row;
            "points" of these values, components from left to right; "heat" maps of a table whose
            policies are columns and whose rounds are rows; "bounds": logarithmic, regret beside
            its bound.
        rows: which rows, in this order; none: all.
        runs: which runs, a panel each; none: all.
        parts: what the components are called, such as "dominant objective"; none: their numbers.
        vertical: what the vertical axis is called; empty: the metric.
        logarithmic: whether the axes of curves are; zero is left out then.
    """

    name: str
    metric: str
    caption: str
    kind: PlotKind = "curves"
    rows: Sequence[str] = ()
    runs: Sequence[str] = ()
    parts: Sequence[str] = ()
    vertical: str = ""
    logarithmic: bool = False


@dataclass(frozen=True)
class Experiment:
    """A figure, a table, a theory or a remark of a paper, ready to be reproduced.

    Args:
        id: "paper/name", as on the command line.
        title: a line on it.
        source: where the paper says it.
        about: paragraphs of plain text: what the paper shows, what it leaves open, what was chosen
            here.
        runs: simulations, simulations on more problems, and parts that are computed in another way.
        plots: what to draw.
        claims: what to judge.
    """

    id: str
    title: str
    source: str
    about: Sequence[str]
    runs: Sequence[Run | Computed | More]
    plots: Sequence[Plot]
    claims: Sequence[Claim]

    def measures_time(self) -> bool:
        """Whether nothing else of ours may run while it does."""
        return any(run.measures_time for run in self.runs)

    def places(self) -> dict[str, str]:
        """{run: its environment as the table calls it}."""
        return {run.name: run.place for run in self.runs}
