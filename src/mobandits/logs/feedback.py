"""Logged decisions in memory: context, arm, propensity, vector reward."""

import hashlib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.contracts.terms import ApplicationTerms
from mobandits.encoding.encoder import Encoder
from mobandits.errors import LogError
from mobandits.logs.objectives import (
    Names,
    Objectives,
    as_objective,
    learned_rewards,
    means_by_group,
    signs_of,
    terms_of,
)
from mobandits.support.checks import as_float_array
from mobandits.support.naming import quantity, quoted, shortened
from mobandits.support.nearest import did_you_mean
from mobandits.support.notebooks import block, html_table, shown_places

DESCRIPTION = ("arm_names", "objectives", "encoder", "preference", "propensity_mode")
OPTIONAL = ("eligible", "ids", "times", "ranks", "sessions")
COLUMNS = ("contexts", "arms", "rewards", "propensities", *OPTIONAL)


@dataclass(frozen=True, eq=False, repr=False)
class Feedback:
    """Decisions of a logging policy, one row each, checked once.

    Rewards are all maximised: where an objective is minimised, its column holds the negated value.
    `own_rewards` are as they were observed.

    Args:
        contexts: (rounds, features) where the arms share a context, (rounds, arms, features) where
            every arm has a row.
        arms: (rounds,) the arms that were played: integers are positions in `arm_names`, from 0;
            anything else is a name of `arm_names`. Kept as positions.
        rewards: (rounds, objectives), NaN where not observed.
        propensities: (rounds,) the logging policy's probability of the arm that was played, in
            (0, 1]; NaN where it was not logged.
        arm_names: a name per arm, all different.
        objectives: a name or an `Objective` per objective, all different; a name alone is of one
            that is maximised. Kept as a tuple of `Objective`s.
        eligible: (rounds, arms) the arms that could have been played; None where it was always all
            of them.
        ids: (rounds,) numbers of the decisions; None where they have none.
        times: (rounds,) of the decisions, in seconds since 1970, NaN where not logged; None where
            none was.
        ranks: (rounds,) how many arms had been chosen before for the same context, of decisions
            between the arms that were left; None where all decisions were of one arm.
        encoder: that made the contexts of named columns; None: they are numbers.
        preference: the order by which arms were compared when the log ended, where it was another
            than that of the logging recipe; recipes that say no order are evaluated by it.
        propensity_mode: how propensities were found, as `Agent` takes it; None: not known.
        sessions: (rounds,) the id of the decision that chose the arm, where a session has kept it
            since, else the round's own; None where no session kept an arm.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> rewards = [[0.5, 1.0], [0.25, np.nan]]
        >>> log = Feedback([[1.0], [1.0]], [0, 1], rewards, [0.5, 0.5], ["a", "b"], ["q", "c"])
        >>> len(log), log[:1].arms.tolist()
        (2, [0])
        >>> log
        Feedback(2 rounds, 2 arms, 1 feature, 2 objectives)
        >>> by_name = Feedback(log.contexts, ["b", "a"], rewards, [0.5, 0.5], ["a", "b"], "qc")
        >>> by_name.arms.tolist()
        [1, 0]
    """

    contexts: Array
    arms: IntArray
    rewards: Array
    propensities: Array
    arm_names: tuple[Hashable, ...]
    objectives: Sequence[Any]
    eligible: Mask | None = None
    ids: IntArray | None = None
    times: Array | None = None
    ranks: IntArray | None = None
    encoder: Encoder | None = None
    preference: Any = None
    propensity_mode: str | None = None
    sessions: IntArray | None = None

    if TYPE_CHECKING:  # the fields are as they are kept; lists and names of arms become arrays

        def __init__(
            self,
            contexts: ArrayLike,
            arms: ArrayLike | Sequence[Hashable],
            rewards: ArrayLike,
            propensities: ArrayLike,
            arm_names: Sequence[Hashable],
            objectives: Sequence[Any],
            eligible: ArrayLike | None = None,
            ids: ArrayLike | None = None,
            times: ArrayLike | None = None,
            ranks: ArrayLike | None = None,
            encoder: Encoder | None = None,
            preference: Any = None,
            propensity_mode: str | None = None,
            sessions: ArrayLike | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        arm_names = _names("arm_names", self.arm_names)
        objectives = _objectives(self.objectives)
        # Rewards say how many rounds there are: all other columns are checked against them.
        rewards = _rewards(self.rewards, len(objectives))
        rounds = len(rewards)
        arms = len(arm_names)
        values: dict[str, Any] = {
            "contexts": _contexts(self.contexts, rounds, arms),
            "arms": _positions(self.arms, arm_names, rounds),
            "rewards": rewards,
            "propensities": _propensities(self.propensities, rounds),
            "arm_names": arm_names,
            "objectives": objectives,
        }
        if self.eligible is not None:
            values["eligible"] = _mask(self.eligible, values["arms"], arms)
        if self.ids is not None:
            values["ids"] = _integers("ids", self.ids, rounds, "an integer per round")
        if self.times is not None:
            values["times"] = _times(self.times, rounds)
        if self.ranks is not None:
            rule = "an integer of at least 0 per round"
            ranks = _integers("ranks", self.ranks, rounds, rule, least=0)
            values["ranks"] = ranks.astype(np.int64)
        if self.sessions is not None:
            _refuse(self.ids is None, "ids", "there, since sessions have some of them", None)
            rule = "an id per round"
            values["sessions"] = _integers("sessions", self.sessions, rounds, rule)

        if self.encoder is not None:
            features = values["contexts"].shape[-1]
            rule = f"of {len(self.encoder)} features, as the encoder makes them"
            _refuse(features != len(self.encoder), "contexts", rule, features)

        for name, value in values.items():
            object.__setattr__(self, name, value)  # the dataclass is frozen

    def __repr__(self) -> str:
        """Its sizes: nothing that would cost a pass over the rounds."""
        features = quantity(self.contexts.shape[-1], "feature")
        if self.contexts.ndim == 3:
            features += " per arm"

        counts = [
            quantity(len(self), "round"),
            quantity(len(self.arm_names), "arm"),
            features,
            quantity(len(self.objectives), "objective"),
        ]
        return f"Feedback({', '.join(counts)})"

    @property
    def objective_names(self) -> tuple[Hashable, ...]:
        """The names of the objectives."""
        return tuple(each.name for each in self.objectives)

    @property
    def minimised(self) -> tuple[Hashable, ...]:
        """The names of the objectives of which less is better."""
        return tuple(each.name for each in self.objectives if each.minimise)

    @property
    def own_rewards(self) -> Array:
        """(rounds, objectives) rewards in the objectives' own directions and units."""
        own: Array = self.rewards * signs_of(self.objectives)
        return own

    @property
    def learned_rewards(self) -> Array:
        """(rounds, objectives) what a policy learns: more is better, and ranges become [0, 1].

        Example:
            >>> from mobandits.logs.objectives import Objective
            >>> cost = Objective("cost", minimise=True, low=0.0, high=0.5)
            >>> log = Feedback([[1.0]], [0], [[-0.125]], [1.0], ["a"], [cost])
            >>> log.own_rewards.tolist(), log.learned_rewards.tolist()
            ([[0.125]], [[0.75]])
        """
        return learned_rewards(self.objectives, self.own_rewards)

    @property
    def terms(self) -> ApplicationTerms:
        """The terms in which recipes with limits or arms of their own speak of the log."""
        slots = {name: position for position, name in enumerate(self.arm_names)}
        return terms_of(self.objectives, slots)

    def _repr_html_(self) -> str:
        """The first and the last rounds: what was played, with which probability, for what."""
        header = ["round", "arm", "propensity", *self.objective_names]
        rows = []
        for place in shown_places(len(self)):
            arm = self.arm_names[self.arms[place]]
            rewards = self.rewards[place].tolist()
            rows.append((place, arm, float(self.propensities[place]), *rewards))

        rounds = html_table(header, rows, total=len(self), noun="round")
        return block(repr(self), rounds)

    def __len__(self) -> int:
        return len(self.arms)

    def __getitem__(self, rounds: slice | Sequence[int] | IntArray | Mask) -> "Feedback":
        """Some of the rounds."""
        selected = {name: values[rounds] for name, values in self.columns().items()}
        return replace(self, **selected)

    def first_ranks(self) -> "Feedback":
        """The rounds in which an arm was chosen among all eligible ones: one per context.

        Further ranks of `Agent.decide(top=k)` are no rounds of their own: they share a context, and
        their eligible arms depend on what was chosen before.

        Example:
            >>> columns = ([[1.0], [1.0]], [0, 1], [[0.5], [0.2]], [0.5, 1.0], ["a", "b"], ["q"])
            >>> len(Feedback(*columns, ranks=[0, 1]).first_ranks())
            1
        """
        if self.ranks is None:
            return self
        return replace(self[self.ranks == 0], ranks=None)

    def per_session(self) -> "Feedback":
        """The rounds in which an arm was chosen, with means of rewards while sessions kept it.

        Rounds in which a session kept its arm tell nothing of other policies. An objective's mean is
        over those in which it was observed. Rounds whose choice is not in the log are left out.

        Example:
            >>> columns = ([[1.0]] * 3, [0, 0, 1], [[0.5], [0.2], [1.0]], [0.5, 1.0, 0.5], "ab", "q")
            >>> log = Feedback(*columns, ids=[0, 1, 2], sessions=[0, 0, 2]).per_session()
            >>> log.arms.tolist(), log.rewards.tolist()
            ([0, 1], [[0.35], [1.0]])
        """
        if self.sessions is None:
            return self

        _, groups = np.unique(self.sessions, return_inverse=True)
        means = means_by_group(self.rewards, groups)
        chosen = np.flatnonzero(self.sessions == self.ids)

        return replace(self[chosen], rewards=means[groups[chosen]], sessions=None)

    @property
    def digest(self) -> str:
        """SHA-256 of the rounds and what describes them, in hex: equal logs have equal ones.

        Example:
            >>> log = Feedback([[1.0]], [0], [[0.5]], [1.0], ["a"], ["q"])
            >>> len(log.digest), log.digest == replace(log, arm_names=["b"]).digest
            (64, False)
        """
        found = hashlib.sha256(repr((self.arm_names, self.objectives)).encode())
        for name, values in self.columns().items():
            found.update(f"{name} {values.dtype.str} {values.shape}".encode())
            found.update(np.ascontiguousarray(values).tobytes())

        return found.hexdigest()

    def columns(self) -> dict[str, Any]:
        """The arrays with an entry per round, by name, without those that are None."""
        columns = {}
        for name in COLUMNS:
            values = getattr(self, name)
            if values is not None:
                columns[name] = values

        return columns


def together(chunks: Sequence[Feedback]) -> Feedback:
    """The rounds of several logs of the same description, one after the other.

    Raises:
        ValueError: where there are none, or where they do not fit together.

    Example:
        >>> log = Feedback([[1.0], [1.0]], [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> together([log[:1], log[1:]]).arms.tolist()
        [0, 1]
    """
    if not chunks:
        raise ValueError("chunks must be at least one log, got none")

    first = chunks[0]
    tables = [chunk.columns() for chunk in chunks]
    for chunk, table in zip(chunks, tables, strict=True):
        for name in DESCRIPTION:
            value = getattr(chunk, name)
            # By their texts: orders hold arrays, which have no equality of one answer.
            differs = repr(value) != repr(getattr(first, name))
            _refuse(differs, name, "the same in all chunks", value)

        differs = table.keys() != tables[0].keys()
        rule = "in all chunks or in none"
        _refuse(differs, ", ".join(OPTIONAL), rule, [*table])

    columns: dict[str, Any] = {}
    for name in tables[0]:
        parts = [table[name] for table in tables]
        columns[name] = np.concatenate(parts)

    return replace(first, **columns)


def whole(chunks: Iterable[Feedback], path: object, unit: str = "decision") -> Feedback:
    """All chunks of a file as one log.

    Args:
        chunks: of the file.
        path: what errors call it.
        unit: one of what it holds.

    Raises:
        LogError: where there is none.
    """
    listed = list(chunks)
    if not listed:
        raise LogError(f"{path} must have at least one {unit}, got none")

    return together(listed)


def _names(name: str, value: Any) -> Names:
    rule = "different names, in a list"
    _refuse(not isinstance(value, Iterable), name, rule, quoted(value))
    names = tuple(value)
    seen: set[Hashable] = set()
    try:
        for each in names:
            if each in seen:
                raise _wrong(name, rule, f"{quoted(each)} twice")

            seen.add(each)
    except TypeError as error:  # a name that cannot be a key
        got = f"{quoted(value)}: {error}"
        raise ValueError(f"Feedback.{name} must be {rule}, got {got}") from error

    return names


def _objectives(value: Any) -> Objectives:
    rule = "different names or Objectives, in a list"
    _refuse(not isinstance(value, Iterable), "objectives", rule, quoted(value))
    objectives = tuple(map(as_objective, value))
    _names("objectives", [each.name for each in objectives])
    return objectives


def _numbers(name: str, value: Any, rule: str) -> Array:
    # NumPy makes NaN of None, which would pass for rewards that were not observed.
    _refuse(value is None, name, rule, "None")
    return as_float_array(f"Feedback.{name}", value, rule)


def _rewards(value: Any, objectives: int) -> Array:
    rule = f"numbers of shape (rounds, {objectives}), a column per objective"
    rewards = _numbers("rewards", value, rule)
    fits = rewards.ndim == 2 and rewards.shape[1] == objectives
    _refuse(not fits, "rewards", rule, _shape(rewards))
    _refuse_infinite("rewards", rewards)

    return rewards


def _contexts(value: Any, rounds: int, arms: int) -> Array:
    rule = "numbers of shape (rounds, features) or (rounds, arms, features)"
    contexts = _numbers("contexts", value, rule)
    shape = _shape(contexts)
    is_table = contexts.ndim in (2, 3)
    _refuse(not is_table, "contexts", rule, shape)
    other_length = len(contexts) != rounds
    _refuse(other_length, "contexts", f"{rounds} rows, as rewards are", shape)
    by_arm = contexts.ndim == 3
    other_arms = by_arm and contexts.shape[1] != arms
    _refuse(other_arms, "contexts", f"{arms} arms in every round", shape)
    finite = bool(np.isfinite(contexts).all())
    _refuse(not finite, "contexts", "finite", "a number that is not")

    return contexts


def _propensities(value: Any, rounds: int) -> Array:
    rule = f"one per round, of which there are {rounds}, and NaN where it was not logged"
    propensities = _numbers("propensities", value, rule)
    _refuse(propensities.shape != (rounds,), "propensities", rule, _shape(propensities))
    wrong = (propensities <= 0.0) | (propensities > 1.0)  # NaN is neither
    if wrong.any():
        first = int(wrong.argmax())
        raise _wrong("propensities", "in (0, 1]", f"{propensities[first]} in round {first}")

    return propensities


def _positions(value: Any, names: Names, rounds: int) -> IntArray:
    """The positions in `names` of arms that are given by position or by name, (rounds,)."""
    rule = "a position in arm_names or a name of it per round"
    try:
        array = np.asarray(value)
    except ValueError:  # names that are sequences of different lengths
        array = np.empty(len(value), object)

    _refuse(array.ndim == 0, "arms", rule, quoted(value))
    other_length = len(array) != rounds
    _refuse(other_length, "arms", f"one per round, of which there are {rounds}", f"{len(array)}")
    if array.ndim == 1 and array.dtype.kind in "iu":
        return _checked_positions(array, names)

    # Names are taken from the value itself: an array of numbers and names holds text only.
    arms = value.tolist() if isinstance(value, np.ndarray) else list(value)
    position_of = {name: i for i, name in enumerate(names)}
    positions = np.empty(rounds, np.int64)
    for i, arm in enumerate(arms):
        # True is equal to 1, and would be taken for an arm of that name.
        is_name = isinstance(arm, Hashable) and not isinstance(arm, bool)
        if not is_name or arm not in position_of:
            advice = did_you_mean(arm, names)
            raise _wrong("arms", rule, f"{quoted(arm)} in round {i}{advice}")

        positions[i] = position_of[arm]

    return positions


def _checked_positions(positions: IntArray, names: Names) -> IntArray:
    wrong = (positions < 0) | (positions >= len(names))
    if wrong.any():
        first = positions[wrong][0].item()
        advice = ""
        if first in names:
            # An integer is never taken for a name: it would be another arm's position.
            advice = "; for names write [arm_names.index(name) for name in arms]"

        rule = f"from 0 to {len(names) - 1}, positions in arm_names"
        raise _wrong("arms", rule, f"{first} in round {int(wrong.argmax())}{advice}")

    return positions.astype(np.int64)


def _mask(value: Any, arms: IntArray, count: int) -> Mask:
    """The arms that could have been played, (rounds, arms): those that were must be among them."""
    rule = f"True or False for each of {count} arms in each of {len(arms)} rounds"
    try:
        allowed = np.asarray(value)
    except ValueError as error:
        got = "rows of different lengths"
        raise ValueError(f"Feedback.eligible must be {rule}, got {got}") from error

    _refuse(allowed.shape != (len(arms), count), "eligible", rule, _shape(allowed))
    # Files and tables have 0 and 1 for False and True.
    is_mask = allowed.dtype.kind == "b" or np.isin(allowed, (0, 1)).all()
    _refuse(not is_mask, "eligible", rule, f"numbers or names of type {allowed.dtype}")
    mask = allowed.astype(bool)
    played = mask[np.arange(len(arms)), arms]
    _refuse(not played.all(), "eligible", "true of every arm that was played", "others")

    return mask


def _integers(name: str, value: Any, rounds: int, rule: str, least: int | None = None) -> IntArray:
    numbers = np.asarray(value)
    fits = numbers.dtype.kind in "iu" and numbers.shape == (rounds,)
    if fits and least is not None:
        fits = bool((numbers >= least).all())
    _refuse(not fits, name, rule, f"{_shape(numbers)} of {numbers.dtype}")

    return numbers


def _times(value: Any, rounds: int) -> Array:
    rule = "one per round, in seconds since 1970"
    times = _numbers("times", value, rule)
    _refuse(times.shape != (rounds,), "times", rule, _shape(times))
    _refuse_infinite("times", times)

    return times


def _refuse_infinite(name: str, numbers: Array) -> None:
    has_infinite = bool(np.isinf(numbers).any())
    _refuse(has_infinite, name, "finite or NaN", "an infinite one")


def _shape(array: Any) -> str:
    return f"shape {array.shape}"


def _refuse(wrong: bool, name: str, rule: str, value: Any) -> None:
    if wrong:
        raise _wrong(name, rule, value)


def _wrong(name: str, rule: str, value: Any) -> ValueError:
    got = shortened(str(value))
    return ValueError(f"Feedback.{name} must be {rule}, got {got}")
