"""Links of generalized linear rewards: increasing functions from linear predictors to mean rewards.

A link is a `compiled` part with `mean(z)` and `least_slope(bound)`; any class with these two will
do.
"""

import math
from collections.abc import Sequence
from typing import Any

from mobandits.compiling.compiled import Ints, compiled, is_compiled
from mobandits.support.checks import choice
from mobandits.support.naming import wrong_value


@compiled
class Identity:
    """mu(z) = z.

    Example:
        >>> Identity().mean(0.3), Identity().least_slope(1.0)
        (0.3, 1.0)
    """

    def mean(self, z: float) -> float:
        """The mean reward."""
        return z

    def least_slope(self, bound: float) -> float:
        """The smallest derivative where |z| <= bound."""
        return 1.0


@compiled
class Logit:
    """mu(z) = 1 / (1 + exp(-z)).

    Example:
        >>> Logit().mean(0.0), round(Logit().least_slope(1.0), 6)
        (0.5, 0.196612)
    """

    def mean(self, z: float) -> float:
        """The mean reward."""
        # Each form overflows on the other's side.
        if z < 0.0:
            growth = math.exp(z)
            return growth / (1.0 + growth)
        return 1.0 / (1.0 + math.exp(-z))

    def least_slope(self, bound: float) -> float:
        """The smallest derivative where |z| <= bound: at the border."""
        # mu' = mu (1 - mu), and 1 - mu(z) = mu(-z) without the loss of digits of a difference.
        mean = self.mean(bound)
        complement = self.mean(-bound)
        return mean * complement


@compiled
class Probit:
    """mu(z) = Phi(z), the distribution function of N(0, 1).

    Example:
        >>> round(Probit().mean(1.0), 6), round(Probit().least_slope(1.0), 6)
        (0.841345, 0.241971)
    """

    def mean(self, z: float) -> float:
        """The mean reward."""
        # `erfc` keeps its digits in the lower tail, where 1 + erf would lose them all.
        scaled = -z * math.sqrt(0.5)
        tails = math.erfc(scaled)
        return 0.5 * tails

    def least_slope(self, bound: float) -> float:
        """The smallest derivative where |z| <= bound: at the border."""
        height = math.exp(-0.5 * bound * bound)
        area = math.sqrt(2.0 * math.pi)
        return height / area


LINKS = {"identity": Identity(), "logit": Logit(), "probit": Probit()}


@compiled
class Shared:
    """One link for every objective."""

    link: Any

    def mean(self, objective: int, z: float) -> float:
        """The mean reward in an objective."""
        mean: float = self.link.mean(z)
        return mean


@compiled
class Mixed:
    """`link` for the objectives marked with 1, and `others` for those marked with 0.

    `others` is again `Mixed`, or `Shared`: compiled code cannot index a tuple of different types,
    so each distinct link is a level of its own.
    """

    marks: Ints
    link: Any
    others: Any

    def mean(self, objective: int, z: float) -> float:
        """The mean reward in an objective."""
        if self.marks[objective] == 1:
            mean: float = self.link.mean(z)
        else:
            mean = self.others.mean(objective, z)

        return mean


def named_links(name: str, links: Any, objectives: int) -> tuple[Any, ...]:
    """One link per objective, from one name or part for all of them, or from a list.

    Args:
        name: the parameter, for messages.
        links: "identity", "logit", "probit", a link, or a list of these with one entry per
            objective.
        objectives: their number.

    Raises:
        ValueError: where the list has another length, or an entry is no link.

    Example:
        >>> named_links("MoglbUcb.links", ["probit", "logit"], 2)
        (Probit(), Logit())
    """
    entries = list(links) if _is_list(links) else [links] * objectives
    if len(entries) != objectives:
        raise ValueError(
            f"{name} must have one entry per objective, {objectives}, got {len(entries)}"
        )

    return tuple(_link(name, entry) for entry in entries)


def _is_list(links: Any) -> bool:
    """Whether there is an entry per objective."""
    # A string is one name, though it is a sequence.
    if isinstance(links, str):
        return False
    return isinstance(links, Sequence)


def _link(name: str, link: Any) -> Any:
    """The link that a name stands for, or the part itself."""
    if isinstance(link, str):
        choice(name, link, LINKS)
        return LINKS[link]

    has_mean = callable(getattr(link, "mean", None))
    has_slope = callable(getattr(link, "least_slope", None))
    if not is_compiled(link) or not has_mean or not has_slope:
        raise wrong_value(
            f"{name} must be names or @compiled links with mean and least_slope", link
        )

    return link


def check_links(name: str, links: Any) -> Any:
    """Refuse what can never be links, whatever the number of objectives; a list becomes a tuple."""
    if not _is_list(links):
        _link(name, links)
        return links

    for link in links:
        _link(name, link)

    return tuple(links)


def combined_links(links: Sequence[Any]) -> Shared | Mixed:
    """The links of all objectives as one part, whose `mean(objective, z)` compiled code can call.

    Example:
        >>> combined_links([Logit(), Logit()])
        Shared(link=Logit())
        >>> combined_links([Probit(), Logit()]).mean(1, 0.0)
        0.5
    """
    # Without repetitions, in the order of the first of each: every level costs a comparison.
    distinct = list(dict.fromkeys(links))
    combined: Shared | Mixed = Shared(distinct[-1])
    for link in reversed(distinct[:-1]):
        marks = [int(other == link) for other in links]
        combined = Mixed(marks, link, combined)

    return combined
