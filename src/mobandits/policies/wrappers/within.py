"""Within: any policy among the arms that keep limits on their rewards.

Symbols: u the worth of an arm in an objective, which is its reward in its own unit, negated where
less is better; m the margin of a limit that is relative to an arm b.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    Choice,
    IntArray,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.terms import ApplicationTerms
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundPolicy,
    AroundRecipe,
    arms_at,
    interval_explorer,
    least_places,
    position_of,
    rows_at,
)
from mobandits.policies.wrappers.own_terms import (
    check_in_range,
    line_fields,
    line_of,
    pairs_of,
    slot_of,
)
from mobandits.support.checks import choice, number
from mobandits.support.naming import quoted, wrong_value


class WithinBeliefs(NamedTuple):
    """The beliefs of a policy about the arms that keep the limits.

    Attributes:
        beliefs: intervals of all eligible arms, on which the limits were checked.
        mean: their means.
        kept: what the policy inside believes of the arms that are left.
        places: (arms that are left,) their positions among the eligible ones.
    """

    beliefs: Beliefs
    mean: Array
    kept: Any
    places: IntArray


@compiled
class WithinPolicy(NotesNothing, AroundPolicy):
    """A policy among the arms that keep limits: to it, the others are not eligible.

    With the worth u = offset + slope r of what is learned as r, an arm keeps a limit where its
    bound is at least the limit: the upper end of u, or the lower one with `certain`. Relative to an
    arm b, the limit is e - margin |e| with the other end e of b, and b keeps it always.

    Args:
        policy: the policy inside.
        explorer: of the intervals that are compared with the limits.
        objectives: (limits,) which objective each limit is on.
        offsets: (limits,) of the worth.
        slopes: (limits,) of the worth, positive.
        limits: (limits,) least worths; margins where they are relative.
        certain: whether arms must keep the limits for certain.
        reference: the arm b; -1 where the limits are not relative.
    """

    policy: Any
    explorer: Any
    objectives: Ints
    offsets: Floats
    slopes: Floats
    limits: Floats
    certain: bool
    reference: int

    PASSES_BELIEFS = True
    EASES_LIMITS = True  # where no arm keeps them

    def limit_of(self, j: int, bounds: Beliefs, reference: int) -> float:
        """The least worth that limit j asks for, given the intervals of all eligible arms.

        Args:
            j: which limit.
            bounds: the intervals.
            reference: the position of the arm that limits are relative to; -1: there is none.
        """
        limit: float = self.limits[j]
        if self.reference < 0:
            return limit
        # An arm that is not eligible has no interval to be compared with.
        if reference < 0:
            return -math.inf

        l = self.objectives[j]
        end = bounds.high[reference, l] if self.certain else bounds.low[reference, l]
        worth: float = self.offsets[j] + self.slopes[j] * end
        # Of an infinite end there is no share.
        if math.isinf(worth):
            return worth

        margin = limit * abs(worth)

        return worth - margin

    def excess(self, bounds: Beliefs, arms: IntArray) -> Array:
        """(arms,) by how much an arm breaks its worst limit, as a share of it; 0 where it keeps all.

        Shares, since limits in dollars and in grades cannot be compared otherwise.
        """
        count = len(arms)
        out = np.zeros(count)
        reference = position_of(self.reference, arms)
        for j in range(len(self.limits)):
            l = self.objectives[j]
            limit = self.limit_of(j, bounds, reference)
            size = abs(limit)
            unit = size if 0.0 < size < math.inf else 1.0
            for a in range(count):
                if a == reference:
                    continue

                end = bounds.low[a, l] if self.certain else bounds.high[a, l]
                worth = self.offsets[j] + self.slopes[j] * end
                # Not the difference of equal infinities, which would be NaN.
                if worth < limit:
                    shortfall = (limit - worth) / unit
                    out[a] = max(out[a], shortfall)

        return out

    def least_broken(self, bounds: Beliefs, arms: IntArray) -> IntArray:
        """The positions of the arms that keep all limits, or else of those that break them least."""
        return least_places(self.excess(bounds, arms))

    def beliefs(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> WithinBeliefs:
        """The inner policy's, of the arms that are left."""
        bounds = self.bounds(self.explorer, state, context, arms, rng)
        places = self.least_broken(bounds, arms)
        rows = rows_at(context, places)
        kept = self.policy.beliefs(state, rows, arms_at(arms, places), rng)

        return WithinBeliefs(bounds, bounds.mean, kept, places)

    def eases(self, state: Any, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether no arm keeps all limits, so that the least bad ones are left."""
        bounds = self.bounds(self.explorer, state, context, arms, rng)
        excess = self.excess(bounds, arms)
        for a in range(len(excess)):
            if excess[a] == 0.0:
                places = self.least_broken(bounds, arms)
                rows = rows_at(context, places)
                inner: bool = self.policy.eases(state, rows, arms_at(arms, places), rng)
                return inner

        return True

    def draw(self, beliefs: WithinBeliefs, rng: Rng) -> Choice:
        """The inner policy's choice."""
        choice = self.policy.draw(beliefs.kept, rng)
        # Nothing is best where beliefs are no numbers, which agents refuse.
        if choice.arm < 0:
            return Choice(choice.arm, 0.0)

        arm = int(beliefs.places[choice.arm])
        return Choice(arm, 0.0)

    def probabilities(self, beliefs: WithinBeliefs) -> Array:
        """The probability of each arm: the inner policy's, 0 for arms that are not left."""
        inner = self.policy.probabilities(beliefs.kept)
        probabilities = np.zeros(len(beliefs.mean))
        for i in range(len(inner)):
            probabilities[beliefs.places[i]] = inner[i]

        return probabilities


@dataclass(frozen=True)
class Within(AroundRecipe):
    """Any recipe among the arms whose rewards keep limits: to it, the others are not eligible.

    A limit is the largest mean of an objective that is minimised, such as dollars per decision, and
    the least mean of one that is maximised, in the objective's own unit. An arm's mean is known up
    to its interval, so there are two ways to keep a limit:

    - `keeps="possible"`: the better end of the interval keeps it. Arms are explored, and leave once
      their data say that they break the limit;
    - `keeps="certain"`: the worse end does. Nothing is explored that may break it, so that wide
      intervals leave no arm in the beginning.

    Where no arm keeps all limits, the least bad stays: the one that breaks its worst limit by the
    smallest share of that limit. An agent's decision then has `all_break` set. Among the arms that
    are left, order, draws and exact probabilities are those of the recipe; a floor belongs inside,
    `Within(WithFloor(...), ...)`, or it plays arms that break limits.

    With `relative_to` the numbers are margins: an arm must be at most that share worse than that
    arm, low(a) >= (1 - margin) high(b), and for costs high(a) <= (1 + margin) low(b). That arm is
    always left; where it is not eligible, nothing is compared.

    Args:
        recipe: such as `MolUcb(scale=0.3)`, or its class for its defaults; it needs estimates per
            arm and objective.
        limits: {objective: limit}, by name in an agent. In a simulation by number, and there all
            rewards are maximised: a limit of -0.001 keeps costs that are paid as negative rewards
            at 0.001.
        keeps: None is "possible", and "certain" with `relative_to`.
        relative_to: an arm, by name in an agent and by number in a simulation; margins are then at
            least 0.

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where the recipe has no estimates per
            arm and objective, or there is no such objective or arm.

    Reference:
        Ours.

    Example:
        >>> import numpy as np
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=2, features=1, objectives=2)
        >>> policy = Within(MolUcb(scale=0.1), {1: -0.5}).bind(shape)
        >>> rng, state, x = np.random.default_rng(0), policy.init(), np.array([1.0])
        >>> for _ in range(50):
        ...     state = policy.update(state, x, 0, 0.0, np.array([1.0, -0.6]), rng)
        >>> contexts = np.array([[1.0], [0.5]])
        >>> beliefs = policy.beliefs(state, contexts, np.arange(2), rng)
        >>> policy.probabilities(beliefs).tolist()  # -0.6 and -0.3
        [0.0, 1.0]
    """

    references = ("mobandits",)
    traits = AS_ITS_RECIPE._replace(plays="its recipe, among the arms within limits")
    ARM_FIELDS = ("relative_to",)

    recipe: Recipe
    limits: Mapping[Any, Any] | tuple[Any, ...]
    keeps: Literal["possible", "certain"] | None = None
    relative_to: Any = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe, and a dictionary a tuple of pairs."""
        self.take_recipe()
        limits = pairs_of(self.limits, "Within.limits")
        if self.keeps is not None:
            choice("Within.keeps", self.keeps, ("possible", "certain"))
        if self.relative_to is not None:
            for objective, margin in limits:
                where = f"Within.limits[{quoted(objective)}], a margin,"
                number(where, margin, at_least=0.0)

        object.__setattr__(self, "limits", limits)

    def around(self, policy: Any, shape: Shape) -> WithinPolicy:
        """The recipe's policy, within the limits."""
        explorer = interval_explorer(policy, "Within.recipe")
        is_relative = self.relative_to is not None
        lines = []
        limits = []
        for objective, value in self.limits:
            line = line_of(self.terms, objective, "Within.limits")
            if line.objective >= shape.objectives:
                raise wrong_value(
                    f"Within.limits must be on objectives below {shape.objectives}", objective
                )
            if not is_relative:
                check_in_range(self.terms, line.objective, value, "Within.limits")

            # What must not exceed a cost is the negative of what its worth must not fall below.
            turned = line.minimised and not is_relative
            limits.append(-value if turned else value)
            lines.append(line)

        reference = -1
        if is_relative:
            where = "Within.relative_to"
            reference = slot_of(self.terms, self.relative_to, shape.arms, where)

        keeps = self.keeps or ("certain" if is_relative else "possible")

        return WithinPolicy(
            policy,
            explorer,
            **line_fields(lines),
            limits=limits,
            certain=keeps == "certain",
            reference=reference,
        )
