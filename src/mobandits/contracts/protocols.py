"""The contracts of recipes, policies, orders, environments and metrics, without any code.

A recipe is what people write; `bind` resolves it for a problem's `Shape` into a policy, which is
what loops run. States are NamedTuples of arrays. docs/architecture.md tells why.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]
Mask = NDArray[np.bool_]
Rng = np.random.Generator


class Shape(NamedTuple):
    """The shape of a problem: what a recipe may know before the first round.

    Attributes:
        arms: number of arms K.
        features: length d of a context row; 0 where there is no context.
        objectives: number of rewards L per play; all are maximised.
        rounds: the horizon T, or None where it is unknown.
        shared: True where all arms see one context, False where every arm has a row of its own.
        fixed_arms: (arms, features) where the arms' features never change, else None.
    """

    arms: int
    features: int
    objectives: int
    rounds: int | None = None
    shared: bool = False
    fixed_arms: Array | None = None

    def replaced(self, **changes: Any) -> "Shape":
        """The same shape with other values of some attributes.

        Example:
            >>> Shape(arms=4, features=2, objectives=2).replaced(rounds=100).rounds
            100
        """
        return self._replace(**changes)


class Beliefs(NamedTuple):
    """The beliefs that an order decides on, each (arms, objectives).

    Intervals may be infinite.
    """

    mean: Array
    low: Array
    high: Array


class Choice(NamedTuple):
    """A decision: the position of the arm among the eligible ones, and a note for `update`.

    The note is a number, or the policy's own NamedTuple of numbers and notes: see
    `contracts.notes`.
    """

    arm: int
    note: Any


class Evidence(NamedTuple):
    """How much an estimator has seen, (slots, grams).

    An axis of length 1 is shared by all arms, or by all objectives.

    Attributes:
        seen: number of rewards seen.
        volume: log det V - log det V_1 of the ridge family, else 0.
    """

    seen: Array
    volume: Array


class Block(NamedTuple):
    """Some consecutive rounds of a problem.

    Attributes:
        contexts: (rounds, arms, features); first axis 1 where nothing changes over rounds, second
            axis 1 where arms share the context; (1, 1, 0) without context.
        means: (rounds or 1, arms, objectives), the true means: for metrics only.
        rewards: (rounds, arms, objectives), what each arm would have paid.
        decimals: where the means are rounded to that many decimals, so that gaps are computed on
            integers and ties are exact; else None.
    """

    contexts: Array
    means: Array
    rewards: Array
    decimals: int | None = None


class LoggedRounds(NamedTuple):
    """Some rounds of a log, in the numbers of a policy.

    Attributes:
        contexts: (rounds, arms or 1, features).
        slots: (arms,) the ids of the arms.
        eligible: (rounds, arms) those that could be played.
        played: (rounds,) the position of the arm that was.
        propensities: (rounds,) its probability, NaN where it was not logged.
        rewards: (rounds, objectives) as they are learned, NaN where not observed.
    """

    contexts: Array
    slots: IntArray
    eligible: Mask
    played: IntArray
    propensities: Array
    rewards: Array


class Policy(Protocol):
    """An algorithm bound to a problem, which loops run.

    `context` is (arms or 1, features), `arms` the ids of the eligible arms, `x` the row of the arm
    that was played.
    """

    def init(self) -> Any:
        """The state before the first round: a NamedTuple of arrays."""

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
        """The beliefs that `draw` takes; leaves `state` untouched. Opaque to the loop."""

    def draw(self, beliefs: Any, rng: Rng) -> Choice:
        """One arm, drawn by the policy's rule; leaves `beliefs` untouched."""

    def probabilities(self, beliefs: Any) -> Array:
        """(arms,) the exact distribution of `draw`, given the beliefs; 0 off the front."""

    def update(self, state: Any, x: Array, arm: int, note: Any, reward: Array, rng: Rng) -> Any:
        """The state after a reward, (objectives,), NaN where not observed; consumes `state`."""


class Estimator(Protocol):
    """The part that learns: means and their uncertainty, per arm and objective."""

    def init(self) -> Any:
        """The state before the first reward."""

    def mean(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, objectives) estimated means."""

    def width(self, state: Any, context: Array, arms: IntArray) -> Array:
        """(arms, grams) unscaled widths, grams 1 or objectives; infinite where nothing is known."""

    def evidence(self, state: Any, context: Array, arms: IntArray) -> Evidence:
        """The counts that radii need."""

    def update(self, state: Any, x: Array, arm: int, reward: Array) -> Any:
        """The state after a reward with NaN where it was not observed."""


class Explorer(Protocol):
    """The part that explores: intervals or samples around the means."""

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The beliefs that an order decides on."""


class Order(Protocol):
    """The part that says which arms are best.

    It drives learning (`front`, `draw`, on intervals) and scores it (`gap`, on true means).
    """

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that nothing beats; never empty."""

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front."""

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the regret of one arm under this order, given the true means."""

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the regret of every arm."""


class Problem(Protocol):
    """One trial's instance of an environment.

    A problem may also offer `quantities(first, rounds)`, a dict of named numbers (rounds, arms)
    that are not rewards, such as money spent: a metric of that name sums those of the chosen arms.
    """

    @property
    def shape(self) -> Shape:
        """Its shape, as recipes know it."""

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` (0-based) to `first + rounds`, drawn at once.

        Blocks are asked for in order and at full length, so that a shorter run is a prefix of a
        longer one: the last may reach past the horizon, but never past `max_rounds`.
        """


class Environment(Protocol):
    """A family of problems; a frozen dataclass with keyword parameters.

    `max_rounds`, an attribute of those that end, is the longest horizon.
    """

    def problem(self, rounds: int, rng: Rng) -> Problem:
        """Draw one trial's instance for a horizon of `rounds`."""


class GroundTruth(Protocol):
    """The true side of a block, for metrics.

    Answers are computed once, for all policies that played it.
    """

    @property
    def block(self) -> Block:
        """The block itself."""

    def gaps(self, order: Order, chosen: IntArray, digits: int) -> Array:
        """The regret of the arms `chosen` (rounds,) under an order, (rounds, digits of its gap)."""

    def front(self, order: Order) -> Mask:
        """(rounds or 1, arms) the arms that are best under an order, given the true means."""

    def quantity(self, name: str) -> Array:
        """(rounds, arms) one of the problem's `quantities`."""


class Accumulator(Protocol):
    """The value of a metric after some rounds, where it is neither a sum nor a mean over them.

    One that also offers `add_block(values, ends)` is given whole blocks, and returns its value after
    the first `ends[0]` rounds of the block, after the first `ends[1]`, and so on.
    """

    def add(self, values: Array) -> None:
        """The next rows of `Metric.per_round`, (rounds, components)."""

    def value(self) -> Array:
        """The numbers to record now; not necessarily as many."""


class Metric(Protocol):
    """A number, or several, per round.

    A metric with an `order` has it checked against the number of objectives before the first round.
    One that offers `accumulator(shape)` is recorded through the `Accumulator` that it returns, and
    not as a sum or a mean.

    A class of your own may describe its values by attributes, which every run stores: `better`
    ("smaller" or "larger"), `least` and `most` (bounds), `unit`, and `meaning` (a clause).
    """

    @property
    def name(self) -> str:
        """The name in tables."""

    @property
    def cumulative(self) -> bool:
        """Whether the table holds sums since the first round; else means since the last record."""

    @property
    def needs_fronts(self) -> bool:
        """Whether `per_round` looks at `fronts`."""

    def components(self, shape: Shape) -> int:
        """How many numbers there are per round."""

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, components), of the arms `chosen` (rounds,) from `fronts` (rounds, arms).

        NaN where there is nothing to record.
        """


class Assumption(NamedTuple):
    """A range that a recipe's guarantees, or its arithmetic, rest on.

    Attributes:
        about: what must lie in the range: every coordinate of the contexts, the rewards, or the
            contexts' norms.
        low: the range's lower end.
        high: its upper end.
        refuse: True where the recipe makes no sense outside, False where it may be played with a
            warning.
        because: the reason, for messages.
        of: the recipe's class, for messages.
    """

    about: Literal["contexts", "rewards", "norms"]
    low: float
    high: float
    refuse: bool
    because: str
    of: str = ""


class Stage(NamedTuple):
    """A policy and the number of rounds of its stage; None for all that are left."""

    policy: Policy
    rounds: int | None


class Traits(NamedTuple):
    """The row of a recipe on the page that helps to choose.

    Tests hold most of it against the code.

    Attributes:
        context: "none", "linear", "cells" or "zooming": how contexts become rewards.
        beliefs: "definite", or "drawn" where they are random and probabilities of arms are
            estimated.
        plays: which arms, given the beliefs.
        log: what the propensities of its decisions are, which a log needs to value other policies:
            "exact", all positive; "exact, with zeros" for arms that the policy would not play;
            "1 in most rounds"; "sampled", where they are estimated.
        horizon: "yes" where the number of rounds is needed, or the parameter that stands for it.
        part: whether it learns from a reward in part.
    """

    context: str
    beliefs: str
    plays: str
    log: str
    horizon: str = "no"
    part: str = "yes"


@dataclass(frozen=True)
class Recipe:
    """Base of all recipes: frozen parameters as in the paper, which `bind` resolves.

    None is the paper's default.

    A recipe prints as what it is, compares by value, and names its rows in every table.
    """

    accepts_partial: ClassVar[bool] = True
    references: ClassVar[tuple[str, ...]] = ()  # keys of `mobandits.references`, to cite
    traits: ClassVar[Traits | None] = None  # for the page that helps to choose
    assumed: ClassVar[tuple[Assumption, ...]] = ()  # unless its parameter `check` is False
    continuum: ClassVar[bool] = (
        False  # whether `bind` takes the `SurfaceShape` of a continuum of arms as well
    )

    def bind(self, shape: Shape) -> Policy:
        """The policy for a problem of this shape.

        Raises:
            ValueError: naming parameter, rule and value, where the recipe cannot work on this
                shape.
        """
        raise NotImplementedError(f"{type(self).__name__} must define bind(shape), and does not")

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The policies to play one after the other, each from scratch; one, if not redefined."""
        yield Stage(self.bind(shape), None)

    def assumptions(self) -> tuple[Assumption, ...]:
        """The ranges of contexts and rewards that it assumes.

        Checked where they come in, refused or warned about.
        """
        if not getattr(self, "check", True):
            return ()

        name = type(self).__name__
        named = [assumption._replace(of=name) for assumption in self.assumed]
        return tuple(named)
