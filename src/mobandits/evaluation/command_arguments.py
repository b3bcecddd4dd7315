"""Arguments of `mobandits evaluate` and `mobandits tune`, from text to what they name."""

import dataclasses
import itertools
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mobandits.contracts.protocols import Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.encoding.short_specs import has_kinds, kinds_of_text
from mobandits.errors import LogWarning
from mobandits.evaluation.comparison import ESTIMATORS
from mobandits.evaluation.frozen import Frozen
from mobandits.evaluation.targets import (
    ConstantTarget,
    LoggingPolicy,
    StoredProbabilities,
    Target,
    Uniform,
)
from mobandits.logs import Feedback, read
from mobandits.logs.address import Address, Place, place_of
from mobandits.logs.gateways import FORMATS
from mobandits.logs.objectives import Objective, objectives_of_columns
from mobandits.logs.store.connection import is_store
from mobandits.logs.streams import (
    CHUNK,
    ROW_GROUP,
    ParquetTable,
    Stream,
    parquet_columns,
    stream,
)
from mobandits.support.checks import choice
from mobandits.support.forks import memory, processors
from mobandits.support.naming import quoted, shortened, wrong_value

PLAIN: dict[str, type[Any]] = {"uniform": Uniform, "logging": LoggingPolicy}
ARM = "arm:"  # what the name of a constant target begins with
AGENT = "agent:"  # likewise, of the policy of an agent in a file
COLUMN = "column:"  # likewise, of probabilities in a column of the log
SHARE = 0.25  # of the machine's memory: what is larger is read in pieces
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
        chunk: rounds at a time; 0: the whole log; None: that, unless its file is large.
    """

    file: str | Place
    columns: Sequence[str] = ()
    objectives: Sequence[Objective] = ()
    agent: str | None = None
    format: str | None = None
    ratings: Path | None = None
    chunk: int | None = None

    @cached_property
    def place(self) -> Place:
        """The file or the database."""
        return place_of(self.file)

    @cached_property
    def is_table(self) -> bool:
        """Whether it is a table of decisions: stores are known by their content."""
        place = self.place
        if self.format is not None or isinstance(place, Address) or is_store(place):
            return False

        return place.suffix == ".csv" or self.is_parquet

    @property
    def is_parquet(self) -> bool:
        """Whether it is a table in a Parquet file, or in several of a folder: exports need no names."""
        place = self.place
        if not self.columns or isinstance(place, Address):
            return False

        return place.suffix == ".parquet" or place.is_dir()

    @property
    def lacks_arms(self) -> bool:
        """Whether it is a Parquet table of which nothing but probabilities is known."""
        return self.is_parquet and "arm" not in self.meanings

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
        got = shortened(", ".join(meanings)) or "none"
        if self.is_parquet and "arm" not in meanings:
            if {"rewards", "propensity"} > set(meanings) or set(meanings) & {"context", "time"}:
                rule = "--column must name arm, or nothing but rewards, propensity and minimise"
                raise ValueError(f"{rule}, got {got}")
        elif self.is_table and not {"arm", "rewards"} <= set(meanings):
            example = "--column arm=item --column rewards=click"
            rule = f"--column must name arm and rewards of a table, such as {example}"
            raise ValueError(f"{rule}, got {got}")

        if meanings and not self.is_table:
            advice = "a table of your own is read as .csv or .parquet"
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
        """The log in memory.

        Raises:
            ValueError: as `opened`.
        """
        log: Feedback = read(self.place, **self._options())
        self._check_objectives(log)

        return log

    def opened(self, stored: Sequence[str] = ()) -> Feedback | Stream:
        """The log, in pieces where they are asked for, or the whole might not fit in memory.

        Args:
            stored: columns of other policies' probabilities.

        Raises:
            ValueError: naming what is wrong with the file or an option.
        """
        if self.lacks_arms:
            options = dict(self.meanings)
            propensity = options.pop("propensity")
            objectives = objectives_of_columns(**options, known=self.objectives)
            rows = self.chunk or ROW_GROUP
            return ParquetTable(
                str(self.place), list(objectives), propensity, stored, rows, threads=processors()
            )
        if stored:
            rule = "--policy column:NAME must go with a Parquet table whose arm is not named"
            raise ValueError(f"{rule}, got {self.place}")
        if not self.is_in_pieces:
            return self.read()
        if self.chunk is None:
            text = f"{self.place} is read in pieces, since it may not fit in memory"
            warnings.warn(f"{text}; --chunk 0 reads it whole", LogWarning, stacklevel=2)

        pieces = stream(self.place, chunk=self.chunk or CHUNK, **self._options())
        for first in itertools.islice(pieces, 1):
            self._check_objectives(first)

        return pieces

    @property
    def is_in_pieces(self) -> bool:
        """Whether the log is read in pieces."""
        place = self.place
        if self.chunk is not None or isinstance(place, Address):
            return bool(self.chunk)

        # The name of a file is no pattern, whatever brackets it has.
        files: Iterable[Path] = [place]
        if not place.is_file():
            files = place.rglob("*") if place.is_dir() else place.parent.glob(place.name)

        size = sum(file.stat().st_size for file in files if file.is_file())

        return size > SHARE * memory()

    def _options(self) -> dict[str, Any]:
        """What `read` is told; columns may need an encoder that is fitted to them."""
        options = dict(self.meanings)
        context = options.get("context")
        # A gateway's log fits its own encoder, since its columns are those of no table on disk.
        if isinstance(context, str) and self.format is None:
            table: Any = self.place
            if self.is_parquet:
                table = parquet_columns(str(table), list(kinds_of_text(context))).collect()
            options["context"] = Encoder.fit(table, context)
        if self.objectives:
            options["objectives"] = self.objectives

        return options

    def _check_objectives(self, log: Feedback) -> None:
        names = [str(name) for name in log.objective_names]
        for each in self.objectives:
            choice("--objective", each.name, names)


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
            raise wrong_value("--column must be meaning=column", pair)

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
            raise wrong_value("--policy must be SPEC or NAME=SPEC", policy)
        # The same policy twice is no harm, and is evaluated once.
        if specs.get(name, spec) != spec:
            raise ValueError(f"--policy must have distinct names, got {quoted(name)} twice")

        specs[name] = spec

    return specs


def target_named(name: str, log: Feedback, recipe: Callable[[str], Recipe]) -> Target:
    """A target from its name on the command line.

    Args:
        name: uniform, logging, arm: and the name of an arm, agent: and a file, column: and the name
            of a column, or the name of a recipe.
        log: whose arms they are, or a piece of it.
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
    if name.startswith(COLUMN):
        return StoredProbabilities(name.removeprefix(COLUMN))
    if name.startswith(AGENT):
        from mobandits.agent.agent import Agent  # noqa: PLC0415 - who evaluates none loads none

        return Frozen(Agent.load(name.removeprefix(AGENT)))
    if not name.startswith(ARM):
        return recipe(name)

    text = name.removeprefix(ARM)
    # Names of arms may be numbers, and a command line has text only.
    arm_of_text = {str(arm): arm for arm in log.arm_names}
    choice("--policy: an arm", text, arm_of_text)

    return ConstantTarget(arm_of_text[text])


def is_plain(name: str) -> bool:
    """Whether a name stands for a target that learns nothing, and so is no recipe."""
    return name in PLAIN or name.startswith((ARM, AGENT, COLUMN))


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
            raise wrong_value(rule, pair) from None

    return numbers or None
