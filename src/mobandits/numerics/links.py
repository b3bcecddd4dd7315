"""Links of generalized linear rewards: the mean reward as an increasing function of the linear predictor.

A link is a `compiled` part with `mean(z)` and `least_slope(bound)`; any class with these two will do.
"""

import math
from collections.abc import Sequence
from typing import Any

from mobandits.compiling.compiled import Ints, compiled, is_compiled
from mobandits.support.checks import choice
from mobandits.support.naming import quoted


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
        if z < 0.0:  # the other form would overflow
            return math.exp(z) / (1.0 + math.exp(z))
        return 1.0 / (1.0 + math.exp(-z))

    def least_slope(self, bound: float) -> float:
        """The smallest derivative where |z| <= bound: at the border."""
        return self.mean(bound) * self.mean(-bound)


@compiled
class Probit:
    """mu(z) = Phi(z), the distribution function of N(0, 1).

    Example:
        >>> round(Probit().mean(1.0), 6), round(Probit().least_slope(1.0), 6)
        (0.841345, 0.241971)
    """

    def mean(self, z: float) -> float:
        """The mean reward."""
        return 0.5 * math.erfc(-z * math.sqrt(0.5))

    def least_slope(self, bound: float) -> float:
        """The smallest derivative where |z| <= bound: at the border."""
        return math.exp(-0.5 * bound * bound) / math.sqrt(2.0 * math.pi)


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
    """`link` for the objectives marked with 1; `others`, again `Mixed` or `Shared`, for those marked with 0."""

    marks: Ints
    link: Any
    others: Any

    def mean(self, objective: int, z: float) -> float:
        """The mean reward in an objective."""
        mean: float = (
            self.link.mean(z) if self.marks[objective] == 1 else self.others.mean(objective, z)
        )
        return mean


def named_links(name: str, links: Any, objectives: int) -> tuple[Any, ...]:
    """One link per objective, from one name or part for all of them, or from a list.

    Args:
        name: the parameter, for messages.
        links: "identity", "logit", "probit", a link, or a list of these with one entry per objective.
        objectives: their number.

    Raises:
        ValueError: where the list has another length, or an entry is no link.

    Example:
        >>> named_links("MoglbUcb.links", ["probit", "logit"], 2)
        (Probit(), Logit())
    """
    listed = (
        list(links)
        if isinstance(links, Sequence) and not isinstance(links, str)
        else [links] * objectives
    )
    if len(listed) != objectives:
        raise ValueError(
            f"{name} must have one entry per objective, {objectives}, got {len(listed)}"
        )
    return tuple(_link(name, one) for one in listed)


def _link(name: str, link: Any) -> Any:
    if isinstance(link, str):
        choice(name, link, LINKS)
        return LINKS[link]
    if not is_compiled(link) or not all(
        callable(getattr(link, m, None)) for m in ("mean", "least_slope")
    ):
        raise ValueError(
            f"{name} must be names or @compiled links with mean and least_slope, got {quoted(link)}"
        )
    return link


def check_links(name: str, links: Any) -> Any:
    """Refuse what can never be links, whatever the number of objectives; a list becomes a tuple."""
    listed = isinstance(links, Sequence) and not isinstance(links, str)
    for one in links if listed else [links]:
        _link(name, one)
    return tuple(links) if listed else links


def joined(links: Sequence[Any]) -> Shared | Mixed:
    """The links of all objectives as one part, whose `mean(objective, z)` compiled code can call.

    Example:
        >>> joined([Logit(), Logit()])
        Shared(link=Logit())
        >>> joined([Probit(), Logit()]).mean(1, 0.0)
        0.5
    """
    distinct = list(dict.fromkeys(links))
    out: Shared | Mixed = Shared(distinct[-1])
    for link in reversed(distinct[:-1]):
        out = Mixed([int(one == link) for one in links], link, out)
    return out
