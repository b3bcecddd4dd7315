"""Description of the problem that a log's decisions were made in."""

from typing import Any, NamedTuple

from mobandits.contracts.protocols import Array
from mobandits.encoding.encoder import Encoder
from mobandits.errors import LogError
from mobandits.logs.events import Description
from mobandits.logs.names import checked_name
from mobandits.logs.objectives import Objective, Objectives, signs_of
from mobandits.logs.parts_as_data import described, made
from mobandits.support.naming import quoted, shortened, wrong_value


class LogDescription(NamedTuple):
    """The description of a problem, which travels with every log of it.

    Stores, Parquet files and dsjson files hold it as plain data. In memory `Feedback` has its
    parts, beside the arms.

    Attributes:
        objectives: with direction, unit, range and default.
        encoder: that made the contexts of named columns; None: they are numbers.
        preference: the order that had replaced that of the recipe when the log ended; None: the
            recipe's own.
        propensity_mode: how propensities were found, as `Agent` takes it; None: not known.
        dropped: the names of objectives that there were before, whose rewards are passed over.
    """

    objectives: Objectives
    encoder: Encoder | None = None
    preference: Any = None
    propensity_mode: str | None = None
    dropped: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[Any, ...]:
        """The names of the objectives."""
        return tuple(each.name for each in self.objectives)

    @property
    def signs(self) -> Array:
        """(objectives,) 1 where more is better, and -1 where less is."""
        return signs_of(self.objectives)

    @property
    def data(self) -> Description:
        """All of it as plain data; see `of`."""
        fields = objectives_as_data(self.objectives)
        if self.encoder is not None:
            fields["encoder"] = self.encoder.data
        if self.preference is not None:
            fields["preference"] = described(self.preference, "preference")
        if self.propensity_mode is not None:
            fields["propensity"] = self.propensity_mode

        return fields

    @classmethod
    def of(cls, data: Description, source: object) -> "LogDescription":
        """The description that a log holds as plain data.

        An objective may be its name alone; all else but the objectives may be missing.

        Args:
            data: of the log; other keys are passed over.
            source: what errors call the log.

        Raises:
            LogError: naming the log, where it names no objectives, or describes something that is
                not there.

        Example:
            >>> cost = Objective("cost", minimise=True, unit="USD", low=0.0, high=0.5)
            >>> description = LogDescription((Objective("quality"), cost))
            >>> LogDescription.of(description.data, "router.db") == description
            True
        """
        objectives = objectives_of_data(data, source)
        try:
            encoder = None if data.get("encoder") is None else Encoder.from_data(data["encoder"])
            preference = preference_of_data(data.get("preference"))
        except ValueError as error:
            raise LogError(f"{source} is not described as it should be: {error}") from error

        dropped = tuple(data.get("dropped", ()))

        return cls(objectives, encoder, preference, data.get("propensity"), dropped)


def preference_of_data(data: Any) -> Any:
    """The order that a log or an event describes; None where it describes none.

    Raises:
        ValueError: where it is no order of this library.
    """
    return None if data is None else made(data, "preference")


def objectives_as_data(objectives: Objectives) -> Description:
    """Objectives as plain data; see `objectives_of_data`."""
    return {
        "objectives": [_objective_as_data(each) for each in objectives],
        "defaults": [[each.default, each.after] for each in objectives],
        "ranges": [[each.low, each.high] for each in objectives],
    }


def _objective_as_data(objective: Objective) -> dict[str, Any]:
    fields = {
        "name": objective.name,
        "minimise": objective.minimise,
        "unit": objective.unit,
    }
    # Only where it is said, so that logs of before are of the same agent.
    if objective.outside != "warn":
        fields["outside"] = objective.outside

    return fields


def objectives_of_data(data: Description, source: object) -> Objectives:
    """The objectives that a log describes.

    Raises:
        LogError: naming the log and the rule.
    """
    described_objectives = data.get("objectives")
    if not isinstance(described_objectives, list | tuple) or not described_objectives:
        raise wrong_value(
            f"{source} must name its objectives in its description", described_objectives, LogError
        )

    nothing = [[None, None]] * len(described_objectives)
    ranges = data.get("ranges") or nothing
    defaults = data.get("defaults") or nothing
    objectives = []
    try:
        rows = zip(described_objectives, ranges, defaults, strict=True)
        for own, (low, high), (default, after) in rows:
            # A name alone is an objective that is maximised.
            fields = own if isinstance(own, dict) else {"name": own}
            objective = Objective(**fields, low=low, high=high, default=default, after=after)
            checked_name(objective.name, f"{source}: objective")
            objectives.append(objective)
    except LogError:
        raise
    except (TypeError, ValueError) as error:
        reason = shortened(str(error))
        rule = f"{source} must have objectives with a name, and minimise true or false"
        raise LogError(f"{rule}, got {quoted(described_objectives)}: {reason}") from error

    names = [each.name for each in objectives]
    if len(set(names)) < len(names):
        raise wrong_value(f"{source} must have objectives of different names", names, LogError)

    return tuple(objectives)
