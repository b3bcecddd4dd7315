"""What every data set says about itself and offers: a description, and `load`, which gives its table."""

import itertools
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["integer", "number", "text", "time", "numbers"]


class Column(NamedTuple):
    """A column of a table; tables of a user's own are checked against it.

    Attributes:
        name: as in the file and in the table.
        kind: "integer", "number", "text", "time" (UTC), or "numbers" for a list of them in every
            row.
        meaning: what it holds.
        unit: of the numbers; "" where they have none.
        values: the texts or numbers that are allowed; () allows all.
        least: the smallest number that is allowed; None: no bound.
    """

    name: str
    kind: Kind
    meaning: str
    unit: str = ""
    values: tuple[str | int, ...] = ()
    least: float | None = None


class Objective(NamedTuple):
    """Something that a decision brings, as recorded.

    Attributes:
        name: the objective.
        meaning: what is counted.
        unit: of the numbers; "" where they have none.
        minimise: whether less is better. Rewards, which are all maximised, then hold it negated or
            turned round.
    """

    name: str
    meaning: str
    unit: str = ""
    minimise: bool = False


@dataclass(frozen=True)
class About:
    """The description of a data set; `print` shows all of it.

    Args:
        name: the name in `mobandits.datasets`.
        title: one line.
        rows: how many there are, or a sentence where that depends on the file.
        columns: of the table that `load` gives, in its order.
        arms: what could be chosen.
        objectives: what a choice brings.
        propensities: what is known of the probabilities with which arms were chosen.
        licence: of the data, not of this package.
        source: whose data, and in which version.
        obtain: how to get the file, in one line.
        derived: what is not in the source but computed from it, or left out.

    Example:
        >>> from mobandits.datasets import yeast
        >>> print(str(yeast.about).partition("columns")[0])
        yeast: Which of 14 functional classes do 2,417 yeast genes belong to?
          rows          2,417
          arms          the 14 classes
          objectives    relevant: 1 where the gene belongs to the class that was chosen; more is better
                        rarity: 1 - the class's share of all genes, where it is relevant, else 0; more is better
          propensities  none needed: every choice's outcome is known
          licence       BSD-3-Clause, the distribution's; the data are published for research by their authors
          source        river 0.26.1, river/datasets/yeast.csv.gz; A. Elisseeff, J. Weston, NIPS 2001, as in MULAN
          obtain        pip download --no-deps river==0.26.1, then path=<the wheel>; or pip install river==0.26.1
          derived       nothing in the table; the two objectives are computed by environments.Multilabel
        <BLANKLINE>
    """

    name: str
    title: str
    rows: int | str
    columns: tuple[Column, ...]
    arms: str
    objectives: tuple[Objective, ...]
    propensities: str
    licence: str
    source: str
    obtain: str
    derived: str

    def __str__(self) -> str:
        rows = f"{self.rows:,}" if isinstance(self.rows, int) else self.rows
        goals = [
            f"{_measured(*goal[:3])}; {'less' if goal.minimise else 'more'} is better"
            for goal in self.objectives
        ]
        said = {
            "rows": [rows],
            "arms": [self.arms],
            "objectives": goals,
            "propensities": [self.propensities],
        }
        said |= {
            "licence": [self.licence],
            "source": [self.source],
            "obtain": [self.obtain],
            "derived": [self.derived],
        }
        lines = [f"{self.name}: {self.title}"]
        for word, values in said.items():
            lines += [f"  {word if i == 0 else '':14}{value}" for i, value in enumerate(values)]
        lines.append("  columns")
        for (kind, meaning, unit), alike in itertools.groupby(
            self.columns, lambda column: column[1:4]
        ):
            names = [column.name for column in alike]
            name = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
            lines.append(f"    {kind:8} {_measured(name, meaning, unit)}")
        return "\n".join(lines)


def _measured(name: str, meaning: str, unit: str) -> str:
    return f"{name}: {meaning}{f', in {unit}' if unit else ''}"


class DataSet(ABC):
    """A data set: `about` describes it, `load` gives its table; calling it is the same as `load`.

    Those that log decisions of one policy also offer `feedback`, the form that off-policy
    evaluation takes; those that may be larger than memory offer `scan`, a lazy table. Nothing is
    downloaded, ever.

    Attributes:
        about: the description.
    """

    about: ClassVar[About]

    @abstractmethod
    def load(self, *args: Any, **options: Any) -> "pl.DataFrame":
        """The whole table, with the columns of `about`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The table, as `load` gives it."""
        return self.load(*args, **options)

    def __repr__(self) -> str:
        return f"<data set {self.about.name}: {self.about.title} print(.about) says more>"
