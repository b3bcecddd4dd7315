"""Orders under test: what front, draw and gap promise, on instances with ties, intervals and arms never played."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import is_compiled, loop_for
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask, Order, Rng
from mobandits.numerics.rounded import rescaled
from mobandits.support.naming import quoted
from mobandits.testing.arena import copied, digest, same, stream
from mobandits.testing.case import Check, RehearsedCase, interpreted_equals_compiled, named, require

SIZES = (1, 2, 6)  # arms of the instances
INSTANCES = 12  # of each kind and size
DRAWS = 600
SIGMAS = 5.0
ROUNDING = 1e-9


class Instance(NamedTuple):
    """Beliefs to order; `exact` where they are means without doubt."""

    beliefs: Beliefs
    exact: bool


class Subject(NamedTuple):
    """An order, and what it is asked about."""

    order: Order
    objectives: int
    seed: int

    @property
    def instances(self) -> Iterator[Instance]:
        """The instances, made anew each time: an order may have written into them."""
        return instances(self.objectives, self.seed)

    @property
    def exact(self) -> Iterator[Beliefs]:
        """Those without doubt."""
        return (one.beliefs for one in self.instances if one.exact)

    def stream(self, *key: int) -> Rng:
        """A random stream."""
        return stream(self.seed, *key)


def instances(objectives: int, seed: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Instance]:
    """Random means; means on a coarse grid, with many ties; intervals on it; intervals of which some are infinite."""
    rng = stream(seed, 1)
    for size in [(arms, objectives) for arms in sizes for _ in range(INSTANCES)]:
        means = rng.random(size)
        grid = rng.integers(4, size=size) / 4.0
        half = rng.choice([0.0, 0.125, 0.5, 1.0], size)
        unplayed = (rng.random((size[0], 1)) < 0.4) | (rng.random(size) < 0.1)
        wide = np.where(unplayed, np.inf, half)
        yield Instance(Beliefs(means, means, means), exact=True)
        yield Instance(Beliefs(grid, grid, grid), exact=True)
        yield Instance(Beliefs(grid, grid - half, grid + half), exact=False)
        yield Instance(
            Beliefs(np.where(unplayed, 0.0, grid), grid - wide, grid + wide), exact=False
        )


def front_never_empty(s: Subject) -> None:
    """(arms,) of truth values, one of them true."""
    for beliefs, _ in s.instances:
        front = s.order.front(beliefs)
        require(
            front.shape == (len(beliefs.mean),) and front.dtype == np.bool_,
            f"front must be (arms,) of bool, got {quoted(front)} of {text(beliefs)}",
        )
        require(front.any(), f"the front of {text(beliefs)} is empty")


def front_is_undominated(s: Subject) -> None:
    """No arm of the front of exact means is Pareto dominated."""
    for beliefs in s.exact:
        front = s.order.front(beliefs)
        means = beliefs.mean
        beaten = ((means[:, None] >= means).all(2) & (means[:, None] > means).any(2)).any(0)
        require(
            not (front & beaten).any(),
            f"the front {front.tolist()} of {means.tolist()} holds a dominated arm",
        )


def relabelling_moves_front_and_gaps(s: Subject) -> None:
    """The arms in another order have the same front and the same gaps."""
    rng = s.stream(2)
    for beliefs, exact in s.instances:
        moved = rng.permutation(len(beliefs.mean))
        other = Beliefs(*(part[moved] for part in beliefs))
        front = s.order.front(beliefs)
        moved_front = s.order.front(other)
        require(
            (front[moved] == moved_front).all(),
            f"front {front.tolist()} of {text(beliefs)}; in the order {moved.tolist()} it is {moved_front.tolist()}",
        )
        if exact:
            close = np.allclose(
                s.order.gaps(beliefs.mean)[moved], s.order.gaps(other.mean), rtol=0, atol=ROUNDING
            )
            require(close, f"the gaps of {text(beliefs)} depend on the arms' order")


def scaling_keeps_front(s: Subject) -> None:
    """Four times the beliefs have the same front and four times the gaps, under `order.scaled(4.0)` where it exists."""
    # a power of two: exact
    order = rescaled(s.order, 4.0)
    factor = 4.0
    for beliefs, exact in s.instances:
        other = Beliefs(*(part * factor for part in beliefs))
        front = s.order.front(beliefs)
        scaled_front = order.front(other)
        require(
            (front == scaled_front).all(),
            f"front {front.tolist()} of {text(beliefs)}; four times as large it is {scaled_front.tolist()}",
        )
        if exact:
            gaps = s.order.gaps(beliefs.mean)
            scaled_gaps = order.gaps(other.mean)
            require(
                np.allclose(gaps * factor, scaled_gaps, rtol=0, atol=ROUNDING),
                f"gaps {gaps.tolist()} of {text(beliefs)} do not scale with it",
            )


def draws_are_uniform_on_the_front(s: Subject) -> None:
    """Arms of the front are drawn equally often, others never."""
    for i, (beliefs, _) in enumerate(s.instances):
        front = s.order.front(beliefs)
        rng = s.stream(3, i)
        size = int(front.sum())
        draws = DRAWS if size > 1 and i % 3 == 0 else 10
        counts = np.bincount(
            [s.order.draw(beliefs, rng) for _ in range(draws)], minlength=len(front)
        )
        slack = SIGMAS * np.sqrt(draws * (1.0 - 1.0 / size) / size) + SIGMAS * (size > 1)
        fits = (np.abs(counts - front * draws / size) <= slack * front).all()
        require(
            fits,
            f"{draws} draws chose the arms {counts.tolist()} times, the front is {front.tolist()} of {text(beliefs)}",
        )


def gaps_are_zero_on_the_front(s: Subject) -> None:
    """Gaps of exact means are finite, at least zero, and zero for the arms of their front."""
    for beliefs in s.exact:
        front = s.order.front(beliefs)
        gaps = s.order.gaps(beliefs.mean)
        require(
            np.isfinite(gaps).all() and (gaps >= 0.0).all(),
            f"gaps must be finite and at least 0, got {gaps.tolist()} for {beliefs.mean.tolist()}",
        )
        require(
            (gaps[front] <= ROUNDING).all(),
            f"gaps {gaps.tolist()} are not 0 on the front {front.tolist()} of {beliefs.mean.tolist()}",
        )


def worse_arms_pay(s: Subject) -> None:
    """An arm that is worse than all others in every objective is not on the front, and its first digit is positive."""
    for beliefs in s.exact:
        means = np.vstack([beliefs.mean, beliefs.mean.min(0) - 1.0])
        front = s.order.front(Beliefs(means, means, means))
        gap = s.order.gap(means, len(means) - 1)
        require(
            not front[-1] and gap[0] > 0.0,
            f"the last arm of {means.tolist()} has gap {gap.tolist()}, the front is {front.tolist()}",
        )


def gaps_hold_every_gap(s: Subject) -> None:
    """`gaps` has a row per arm, which is its `gap`."""
    for beliefs in s.exact:
        each = np.array([s.order.gap(beliefs.mean, a) for a in range(len(beliefs.mean))])
        together = s.order.gaps(beliefs.mean)
        agree = each.shape == together.shape and np.allclose(each, together, rtol=0, atol=ROUNDING)
        require(
            agree,
            f"`gap` gives {each.tolist()}, `gaps` gives {together.tolist()} for {beliefs.mean.tolist()}",
        )


def inputs_are_left_alone(s: Subject) -> None:
    """Nothing changes the beliefs or means that it is given."""
    rng = s.stream(4)
    asked: dict[str, Callable[[Beliefs], Any]] = {
        "front": s.order.front,
        "draw": lambda b: s.order.draw(b, rng),
        "gap": lambda b: s.order.gap(b.mean, 0),
        "gaps": lambda b: s.order.gaps(b.mean),
    }
    for beliefs, exact in s.instances:
        for name, ask in asked.items():
            given = copied(beliefs)
            if exact or name in ("front", "draw"):
                ask(given)
            require(same(given, beliefs), f"`{name}` changed {text(beliefs)} into {text(given)}")


def text(beliefs: Beliefs) -> str:
    """Beliefs for a message."""
    exact = all(part is beliefs.mean or np.array_equal(part, beliefs.mean) for part in beliefs)
    if exact:
        return str(beliefs.mean.tolist())
    return f"[{beliefs.low.tolist()}, {beliefs.high.tolist()}]"


def judge(
    order: Order, means: Array, lows: Array, highs: Array, rng: Rng, fronts: Mask, arms: IntArray
) -> Array:
    """Fronts, draws and gaps of many beliefs (instances, arms, objectives), in a loop that can be compiled."""
    out = np.empty((len(means), means.shape[1], order.gaps(means[0]).shape[1]))
    for i in range(len(means)):
        beliefs = Beliefs(means[i], lows[i], highs[i])
        front = order.front(beliefs)
        gaps = order.gaps(means[i])
        arms[i] = order.draw(beliefs, rng)
        gap = order.gap(means[i], arms[i])
        for a in range(len(front)):
            fronts[i, a] = front[a]
        for digit in range(out.shape[2]):
            for a in range(len(front)):
                out[i, a, digit] = gaps[a, digit]
            out[i, arms[i], digit] = gap[digit]  # the same number, by the other method
    return out


@dataclass(frozen=True)
class OrderCase(RehearsedCase):
    """An order to check.

    Args:
        order: the order, of a class that can be imported.
        objectives: number of objectives of the instances.
        seed: of everything.
        without: names of checks that do not apply, such as "front-is-undominated" for an order that
            ignores an objective.

    Example:
        >>> from mobandits.orders import Weighted
        >>> OrderCase(Weighted([1.0, 2.0]), objectives=2).check("gaps-are-zero-on-the-front")
    """

    order: Any
    objectives: int = 3
    seed: int = 0
    without: tuple[str, ...] = ()

    behaviour: ClassVar[dict[str, Check]] = named(
        front_never_empty,
        front_is_undominated,
        relabelling_moves_front_and_gaps,
        scaling_keeps_front,
        draws_are_uniform_on_the_front,
        gaps_are_zero_on_the_front,
        worse_arms_pay,
        gaps_hold_every_gap,
        inputs_are_left_alone,
    )
    available: ClassVar[dict[str, Check]] = behaviour | named(interpreted_equals_compiled)

    def __str__(self) -> str:
        """The order and the seed."""
        return f"{self.order}, {self.objectives} objectives, seed {self.seed}"

    @property
    def stays_here(self) -> bool:
        """Whether there is nothing to compile, so that this process will do."""
        return INTERPRETED or not is_compiled(self.order)

    def subject(self) -> Subject:
        """The order with its instances."""
        return Subject(self.order, self.objectives, self.seed)

    def trace(self, *, compiled: bool) -> dict[str, Any]:
        """Draws, fronts and gaps of the instances with the most arms."""
        loop = loop_for(judge, self.order, compiled=compiled)
        asked = [one.beliefs for one in instances(self.objectives, self.seed, SIZES[-1:])]
        means, lows, highs = (np.array([beliefs[part] for beliefs in asked]) for part in range(3))
        fronts = np.zeros(means.shape[:2], np.bool_)
        arms = np.empty(len(means), np.int64)
        gaps = loop(self.order, means, lows, highs, stream(self.seed, 5), fronts, arms)
        return {"arms": arms.tolist()} | {
            f"{name} of instance {i}": digest(array[i])
            for i in range(len(asked))
            for name, array in (("front", fronts), ("gaps", gaps))
        }


def check_order(
    order: Order, objectives: int = 3, *, seed: int = 0, without: tuple[str, ...] = ()
) -> None:
    """Run every check of orders; arguments as in `OrderCase`.

    Raises:
        AssertionError: saying check, order, seed and what was found.
        ValueError: where the order cannot be rebuilt in another process.

    Example:
        >>> from mobandits.orders import Weighted
        >>> check_order(Weighted([1.0, 2.0]), objectives=2)
    """
    case = OrderCase(order, objectives, seed, without)
    for name in case.checks:
        case.check(name)
