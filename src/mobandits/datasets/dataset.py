"""The base of data sets: a description, and `load`, which gives the table."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Sequence
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


class RecordedObjective(NamedTuple):
    """An outcome of decisions, as the data set records it.

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
        >>> print(str(yeast.about).partition("  licence")[0])
        yeast: Which of 14 functional classes do 2,417 yeast genes belong to?
          rows          2,417
          arms          the 14 classes
          objectives    relevant: 1 where the gene belongs to the class that was chosen; more is ...
                        rarity: 1 - the class's share of all genes, where it is relevant, ...
          propensities  none needed: every choice's outcome is known
        <BLANKLINE>
    """

    name: str
    title: str
    rows: int | str
    columns: tuple[Column, ...]
    arms: str
    objectives: tuple[RecordedObjective, ...]
    propensities: str
    licence: str
    source: str
    obtain: str
    derived: str

    def __str__(self) -> str:
        rows = f"{self.rows:,}" if isinstance(self.rows, int) else self.rows
        entries = {
            "rows": [rows],
            "arms": [self.arms],
            "objectives": [_objective_line(objective) for objective in self.objectives],
            "propensities": [self.propensities],
            "licence": [self.licence],
            "source": [self.source],
            "obtain": [self.obtain],
            "derived": [self.derived],
        }
        lines = [f"{self.name}: {self.title}"]
        for label, values in entries.items():
            first, *others = values
            lines.append(f"  {label:14}{first}")
            lines += [f"  {'':14}{other}" for other in others]

        lines.append("  columns")
        lines += _column_lines(self.columns)

        return "\n".join(lines)


def _objective_line(objective: RecordedObjective) -> str:
    quantity = _quantity(objective.name, objective.meaning, objective.unit)
    better = "less" if objective.minimise else "more"
    return f"{quantity}; {better} is better"


def _column_lines(columns: Sequence[Column]) -> list[str]:
    # Neighbours of the same kind, meaning and unit share a line: a hundred features are one line.
    lines = []
    groups = itertools.groupby(columns, _sort_of)
    for (kind, meaning, unit), group in groups:
        names = [column.name for column in group]
        name = names[0]
        if len(names) > 1:
            name = f"{name} to {names[-1]}"

        quantity = _quantity(name, meaning, unit)
        lines.append(f"    {kind:8} {quantity}")

    return lines


def _sort_of(column: Column) -> tuple[str, str, str]:
    """All of a column but its name."""
    return column.kind, column.meaning, column.unit


def _quantity(name: str, meaning: str, unit: str) -> str:
    quantity = f"{name}: {meaning}"
    if unit:
        quantity += f", in {unit}"
    return quantity


class DataSet(ABC):
    """A data set: `about` describes it, `load` gives its table; calling it is the same as `load`.

    Those that log decisions of one policy also offer `feedback`, the form that off-policy
    evaluation takes; those that may be larger than memory offer `scan`, a lazy table. Nothing is
    downloaded, ever.

    Attributes:
        about: the description.
        references: keys of `mobandits.references`, to cite.
    """

    about: ClassVar[About]
    references: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def load(self, *args: Any, **options: Any) -> "pl.DataFrame":
        """The whole table, with the columns of `about`."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """The table, as `load` gives it."""
        return self.load(*args, **options)

    def __repr__(self) -> str:
        return f"<data set {self.about.name}: {self.about.title} print(.about) says more>"
