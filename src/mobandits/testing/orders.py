"""Checks of orders: the promises of front, draw and gap, on instances of many kinds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.backend import INTERPRETED
from mobandits.compiling.compiled import is_compiled, loop_for
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask, Order, Rng
from mobandits.numerics.rounded import rescaled
from mobandits.support.naming import quoted
from mobandits.testing.arena import array_digest, check_stream, copied, same
from mobandits.testing.case import (
    Check,
    RehearsedCase,
    checks_by_name,
    interpreted_equals_compiled,
    require,
)

SIZES = (1, 2, 6)  # arms of the instances
INSTANCES = 12  # of each kind and size
DRAWS = 600
SIGMAS = 5.0  # standard errors; a correct order exceeds them once in a million comparisons
ROUNDING = 1e-9
POWER = 4.0  # beliefs are multiplied by it; a power of two, so that nothing is rounded


class Instance(NamedTuple):
    """Beliefs to order; `exact` where they are means whose intervals have length 0."""

    beliefs: Beliefs
    exact: bool


class OrderSubject(NamedTuple):
    """An order with its instances and streams."""

    order: Order
    objectives: int
    seed: int

    @property
    def instances(self) -> Iterator[Instance]:
        """The instances, made anew each time: an order may have written into them."""
        return instances(self.objectives, self.seed)

    @property
    def exact(self) -> Iterator[Beliefs]:
        """The beliefs of instances that are exact."""
        return (instance.beliefs for instance in self.instances if instance.exact)

    def stream(self, *key: int) -> Rng:
        """A random stream."""
        return check_stream(self.seed, *key)


def instances(objectives: int, seed: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Instance]:
    """Instances of four kinds, `INSTANCES` times for each number of arms.

    Random means; means on a coarse grid, with many ties; intervals on it; intervals of which some
    are infinite.
    """
    rng = check_stream(seed, 1)
    for arms in sizes:
        for _ in range(INSTANCES):
            yield from _four_instances((arms, objectives), rng)


def _four_instances(size: tuple[int, int], rng: Rng) -> Iterator[Instance]:
    arms, _ = size
    means = rng.random(size)
    yield Instance(Beliefs(means, means, means), exact=True)

    # Quarters are exact in binary: equal means stay equal in every computation.
    grid = rng.integers(4, size=size) / 4.0
    yield Instance(Beliefs(grid, grid, grid), exact=True)

    half_width = rng.choice([0.0, 0.125, 0.5, 1.0], size)
    yield Instance(Beliefs(grid, grid - half_width, grid + half_width), exact=False)

    # Arms that were never played know nothing, others may miss an objective.
    never_played = rng.random((arms, 1)) < 0.4
    unobserved = never_played | (rng.random(size) < 0.1)
    means = np.where(unobserved, 0.0, grid)
    half_width = np.where(unobserved, np.inf, half_width)
    yield Instance(Beliefs(means, grid - half_width, grid + half_width), exact=False)


def front_never_empty(subject: OrderSubject) -> None:
    """The front is a mask (arms,) with at least one arm."""
    for beliefs, _ in subject.instances:
        front = subject.order.front(beliefs)
        size = (len(beliefs.mean),)
        is_mask = front.shape == size and front.dtype == np.bool_
        rule = "front must be (arms,) of bool"
        require(
            is_mask,
            f"{rule}, got {quoted(front)} of {beliefs_text(beliefs)}",
        )
        require(front.any(), f"the front of {beliefs_text(beliefs)} is empty")


def front_is_undominated(subject: OrderSubject) -> None:
    """No arm of the front of exact means is Pareto dominated."""
    for beliefs in subject.exact:
        front = subject.order.front(beliefs)
        means = beliefs.mean
        rivals = means[:, None]
        at_least = (rivals >= means).all(2)
        better = (rivals > means).any(2)
        dominated = (at_least & better).any(0)
        message = f"the front {front.tolist()} of {means.tolist()} holds a dominated arm"
        require(not (front & dominated).any(), message)


def relabelling_moves_front_and_gaps(subject: OrderSubject) -> None:
    """The arms in another order have the same front and the same gaps."""
    order = subject.order
    rng = subject.stream(2)
    for beliefs, exact in subject.instances:
        moved = rng.permutation(len(beliefs.mean))
        other = Beliefs(*(part[moved] for part in beliefs))
        front = order.front(beliefs)
        moved_front = order.front(other)
        relabelled = f"in the order {moved.tolist()} it is {moved_front.tolist()}"
        message = f"front {front.tolist()} of {beliefs_text(beliefs)}; {relabelled}"
        require((front[moved] == moved_front).all(), message)
        # Gaps are of means: an interval has none.
        if exact:
            gaps = order.gaps(beliefs.mean)
            moved_gaps = order.gaps(other.mean)
            message = f"the gaps of {beliefs_text(beliefs)} depend on the arms' order"
            require(nearly_equal(gaps[moved], moved_gaps), message)


def scaling_keeps_front(subject: OrderSubject) -> None:
    """Four times the beliefs have the same front and four times the gaps.

    Under `order.scaled(4.0)` where the order has parameters in the units of the beliefs.
    """
    order = subject.order
    scaled_order = rescaled(order, POWER)
    for beliefs, exact in subject.instances:
        scaled = Beliefs(*(part * POWER for part in beliefs))
        front = order.front(beliefs)
        scaled_front = scaled_order.front(scaled)
        larger = f"four times as large it is {scaled_front.tolist()}"
        message = f"front {front.tolist()} of {beliefs_text(beliefs)}; {larger}"
        require((front == scaled_front).all(), message)
        if exact:
            gaps = order.gaps(beliefs.mean)
            scaled_gaps = scaled_order.gaps(scaled.mean)
            message = f"gaps {gaps.tolist()} of {beliefs_text(beliefs)} do not scale with it"
            require(nearly_equal(gaps * POWER, scaled_gaps), message)


def draws_are_uniform_on_the_front(subject: OrderSubject) -> None:
    """Arms of the front are drawn equally often, others never."""
    for i, (beliefs, _) in enumerate(subject.instances):
        front = subject.order.front(beliefs)
        rng = subject.stream(3, i)
        size = int(front.sum())
        # Many draws of each third instance, of all four kinds in turn: draws take most of the time.
        draws = DRAWS if size > 1 and i % 3 == 0 else 10
        chosen = [subject.order.draw(beliefs, rng) for _ in range(draws)]
        counts = np.bincount(chosen, minlength=len(front))
        share = 1.0 / size
        deviation = np.sqrt(draws * (1.0 - share) / size)
        expected = front * draws / size
        # A front of one arm leaves nothing to chance.
        slack = SIGMAS * deviation + SIGMAS * (size > 1)
        fits = (np.abs(counts - expected) <= slack * front).all()
        on_front = f"the front is {front.tolist()} of {beliefs_text(beliefs)}"
        require(
            fits,
            f"{draws} draws chose the arms {counts.tolist()} times, {on_front}",
        )


def gaps_are_zero_on_the_front(subject: OrderSubject) -> None:
    """Gaps of exact means are finite, at least zero, and zero for the arms of their front."""
    for beliefs in subject.exact:
        front = subject.order.front(beliefs)
        gaps = subject.order.gaps(beliefs.mean)
        values = gaps.tolist()
        means = beliefs.mean.tolist()
        valid = np.isfinite(gaps).all() and (gaps >= 0.0).all()
        require(
            valid,
            f"gaps must be finite and at least 0, got {values} for {means}",
        )
        message = f"gaps {values} are not 0 on the front {front.tolist()} of {means}"
        require((gaps[front] <= ROUNDING).all(), message)


def worse_arms_pay(subject: OrderSubject) -> None:
    """An arm that is worst in all objectives is off the front, and its gap starts above 0."""
    for beliefs in subject.exact:
        worst = beliefs.mean.min(0) - 1.0
        means = np.vstack([beliefs.mean, worst])
        last = len(means) - 1
        front = subject.order.front(Beliefs(means, means, means))
        gap = subject.order.gap(means, last)
        pays = not front[last] and gap[0] > 0.0
        on_front = f"the front is {front.tolist()}"
        require(
            pays,
            f"the last arm of {means.tolist()} has gap {gap.tolist()}, {on_front}",
        )


def gaps_hold_every_gap(subject: OrderSubject) -> None:
    """`gaps` has a row per arm, which is its `gap`."""
    for beliefs in subject.exact:
        means = beliefs.mean
        gaps = [subject.order.gap(means, arm) for arm in range(len(means))]
        each = np.array(gaps)
        together = subject.order.gaps(means)
        agree = each.shape == together.shape and nearly_equal(each, together)
        values = f"`gap` gives {each.tolist()}, `gaps` gives {together.tolist()}"
        require(agree, f"{values} for {means.tolist()}")


def beliefs_and_means_are_left_alone(subject: OrderSubject) -> None:
    """No method changes its arguments, beliefs or means."""
    order = subject.order
    rng = subject.stream(4)
    of_beliefs: dict[str, Callable[[Beliefs], Any]] = {
        "front": order.front,
        "draw": lambda beliefs: order.draw(beliefs, rng),
    }
    of_means: dict[str, Callable[[Beliefs], Any]] = {
        "gap": lambda beliefs: order.gap(beliefs.mean, 0),
        "gaps": lambda beliefs: order.gaps(beliefs.mean),
    }
    for beliefs, exact in subject.instances:
        methods = of_beliefs | of_means if exact else of_beliefs
        for name, method in methods.items():
            arguments = copied(beliefs)
            method(arguments)
            message = f"`{name}` changed {beliefs_text(beliefs)} into {beliefs_text(arguments)}"
            require(same(arguments, beliefs), message)


def nearly_equal(first: Array, second: Array) -> bool:
    """Whether gaps agree up to rounding errors."""
    return np.allclose(first, second, rtol=0, atol=ROUNDING)


def beliefs_text(beliefs: Beliefs) -> str:
    """Beliefs for a message: the means where they are exact, else the intervals."""
    exact = all(np.array_equal(part, beliefs.mean) for part in beliefs)
    if exact:
        return str(beliefs.mean.tolist())

    low = beliefs.low.tolist()
    high = beliefs.high.tolist()

    return f"[{low}, {high}]"


def judge(
    order: Order, means: Array, lows: Array, highs: Array, rng: Rng, fronts: Mask, arms: IntArray
) -> Array:
    """The gaps of many beliefs (instances, arms, objectives), and out: their fronts and draws.

    The loop compiles where the order does.
    """
    count = means.shape[1]
    digits = order.gaps(means[0]).shape[1]
    out = np.empty((len(means), count, digits))
    for i in range(len(means)):
        beliefs = Beliefs(means[i], lows[i], highs[i])
        front = order.front(beliefs)
        gaps = order.gaps(means[i])
        arm = order.draw(beliefs, rng)
        gap = order.gap(means[i], arm)
        arms[i] = arm
        for a in range(count):
            fronts[i, a] = front[a]

        for digit in range(digits):
            for a in range(count):
                out[i, a, digit] = gaps[a, digit]

            out[i, arm, digit] = gap[digit]  # the same number, by the other method

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

    behaviour: ClassVar[dict[str, Check]] = checks_by_name(
        front_never_empty,
        front_is_undominated,
        relabelling_moves_front_and_gaps,
        scaling_keeps_front,
        draws_are_uniform_on_the_front,
        gaps_are_zero_on_the_front,
        worse_arms_pay,
        gaps_hold_every_gap,
        beliefs_and_means_are_left_alone,
    )
    available: ClassVar[dict[str, Check]] = behaviour | checks_by_name(interpreted_equals_compiled)

    def __str__(self) -> str:
        """The order and the seed."""
        return f"{self.order}, {self.objectives} objectives, seed {self.seed}"

    @property
    def compiles(self) -> bool:
        """Whether the order is ever compiled."""
        return is_compiled(self.order) and not INTERPRETED

    def subject(self) -> OrderSubject:
        """The order with its instances."""
        return OrderSubject(self.order, self.objectives, self.seed)

    def trace(self, *, compiled: bool) -> dict[str, Any]:
        """Draws, fronts and gaps of the instances with the most arms."""
        loop = loop_for(judge, self.order, compiled=compiled)
        rng = check_stream(self.seed, 5)
        cases = list(instances(self.objectives, self.seed, SIZES[-1:]))
        # One array per part: a compiled loop takes no list of tuples.
        means = np.array([instance.beliefs.mean for instance in cases])
        lows = np.array([instance.beliefs.low for instance in cases])
        highs = np.array([instance.beliefs.high for instance in cases])
        fronts = np.zeros(means.shape[:2], np.bool_)
        arms = np.empty(len(means), np.int64)
        gaps = loop(self.order, means, lows, highs, rng, fronts, arms)
        out: dict[str, Any] = {"arms": arms.tolist()}
        for i in range(len(cases)):
            out[f"front of instance {i}"] = array_digest(fronts[i])
            out[f"gaps of instance {i}"] = array_digest(gaps[i])

        return out


def check_order(
    order: Order, objectives: int = 3, *, seed: int = 0, without: tuple[str, ...] = ()
) -> None:
    """Run every check of orders; arguments as in `OrderCase`.

    Raises:
        AssertionError: with check, order, seed and values.
        ValueError: where the order cannot be rebuilt in another process.

    Example:
        >>> from mobandits.orders import Weighted
        >>> check_order(Weighted([1.0, 2.0]), objectives=2)
    """
    case = OrderCase(order, objectives, seed, without)
    for name in case.checks:
        case.check(name)
