"""Showing advertisements or saving money: a log of clicks, or a synthetic stand-in for it."""

import functools
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.display_ads import display_ads
from mobandits.environments.principal import Projection, principal
from mobandits.support.checks import horizon
from mobandits.support.naming import quoted, wrong_value

CLICK_RATE = 0.0407  # of the log's first day, which the stand-in is made to have too

# Of the stand-in. Its weights W have a seed of their own: the same matrix in every trial.
ARTICLES = 40
SAMPLE = 50_000
WEIGHTS = np.random.default_rng(6).standard_normal((5, 5))

ARMS = ("show", "do not show")
FEATURES = 4  # two coordinates of the visitor, two of the advertisement
OBJECTIVES = 2

_ONCE = threading.Lock()


@dataclass(frozen=True, repr=False)
class DisplayAds:
    """The choice to show an advertisement to a visitor or not: clicks against payments.

    Objective 0 pays 1 for a click, objective 1 pays 1 for an advertisement that is not shown. Arm 0
    shows it and pays (click, 0); arm 1 does not and pays (0, 1). The log records what showing would
    have brought in every round, so that any policy can be replayed without correction.

    The context has two coordinates for the visitor and two for the advertisement: the first two
    principal components of all visitors' features, and those of the distinct articles' features,
    each with the sign that makes its largest loading positive, and scaled to [0, 1] over the log.

    Without a path the environment plays a synthetic stand-in, and is called synthetic in every
    table: visitors u ~ Dirichlet(0.2, ..., 0.2), 40 articles a_j ~ Dirichlet(1, ..., 1) per trial,
    each equally likely in every round, a click with probability 1 / (1 + exp(-b - 4 u' W a)) for a
    fixed matrix W, where b makes the mean 0.0407, the click rate of the log; then the same
    preparation, on 50,000 visitors drawn for it.

    Args:
        path: a file of Yahoo! Webscope R6A, one day, gzipped or not; None: synthetic.

    Attributes:
        synthetic: whether there is no log.
        max_rounds: the number of events in the log, which are played in their order; None for the
            stand-in.

    Raises:
        ValueError: in one line, where the file is absent; `problem` raises it where the file is not
            such a log.

    Reference:
        mocmab2018, section VII-C. Signs and scaling are ours; the paper does not mention them.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> DisplayAds()
        DisplayAds(path=None, synthetic)
        >>> block = DisplayAds().problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.rewards.shape
        ((100, 1, 4), (100, 2, 2))
    """

    references = ("mocmab2018", "yahoo_r6a")

    path: str | None = None

    def __post_init__(self) -> None:
        if self.path is None:
            return
        if not isinstance(self.path, str | Path):
            raise wrong_value("DisplayAds.path must be a path or None", self.path)

        object.__setattr__(self, "path", str(self.path))
        if not Path(self.path).is_file():
            raise ValueError(
                "DisplayAds.path must be a file of Yahoo! Webscope R6A, which needs a licence, got "
                f"{quoted(self.path)}: no such file; without a path, DisplayAds() plays a "
                "synthetic stand-in"
            )

    def __repr__(self) -> str:
        # Tables name the environment by its repr: that it is synthetic must stand there.
        if self.synthetic:
            return "DisplayAds(path=None, synthetic)"
        return f"DisplayAds(path={self.path!r})"

    @property
    def synthetic(self) -> bool:
        """Whether there is no log."""
        return self.path is None

    @property
    def max_rounds(self) -> int | None:
        """The longest horizon; None where there is no limit."""
        if self.path is None:
            return None
        log = _log_at(self.path)
        return len(log.clicks)

    @property
    def skipped(self) -> int:
        """The number of malformed lines of the log that are not played."""
        if self.path is None:
            return 0
        log = _log_at(self.path)
        return log.skipped

    def problem(self, rounds: int, rng: Rng) -> "LoggedAds | SyntheticAds":
        """The log, of which the first `rounds` events are played, or a synthetic problem.

        Raises:
            ValueError: where the file is not a log, or has fewer events than `rounds`.
        """
        horizon(rounds, self.max_rounds, self)
        shape = Shape(
            arms=len(ARMS),
            features=FEATURES,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        if self.path is None:
            return _synthetic(shape, rng)

        log = _log_at(self.path)
        return LoggedAds(shape, log.contexts, log.clicks)


class LoggedAds(NamedTuple):
    """The events of a log: `contexts` (events, 1, 4), `clicks` (events,). All trials share them."""

    shape: Shape
    contexts: Array
    clicks: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Events `first` to `first + rounds`; the recorded rewards are also the means.

        Draws nothing: other block borders are the same rounds.
        """
        events = slice(first, first + rounds)
        rewards = _rewards(self.clicks[events])
        contexts = self.contexts[events].copy()

        return Block(
            contexts=contexts,
            means=rewards,
            rewards=rewards.copy(),
        )


class SyntheticAds(NamedTuple):
    """One trial of the stand-in.

    Attributes:
        shape: two arms, one context for both, two objectives.
        articles: (40, 5) features.
        bias: b.
        users: turns visitors' features into two coordinates.
        ads: (40, 2) the articles' coordinates.
    """

    shape: Shape
    articles: Array
    bias: float
    users: Projection
    ads: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: visitors are drawn first, then articles, then clicks."""
        users, shown = _visits(rounds, rng)
        visitors = self.users.of(users)
        contexts = np.concatenate([visitors, self.ads[shown]], axis=1)
        scores = _scores(users, self.articles[shown])
        probabilities = _click_probabilities(self.bias, scores)
        uniforms = rng.random(rounds)
        clicks = (uniforms < probabilities).astype(np.float64)
        means = _rewards(probabilities)
        rewards = _rewards(clicks)

        return Block(
            contexts=contexts[:, None],
            means=means,
            rewards=rewards,
        )


class PreparedLog(NamedTuple):
    """A log in the form that policies play on: contexts of four coordinates, and clicks."""

    contexts: Array
    clicks: Array
    skipped: int


def _log_at(path: str) -> PreparedLog:
    file = Path(path)
    with _ONCE:  # threads that start together would otherwise each read it
        changed = file.stat().st_mtime_ns if file.is_file() else 0
        return _prepared(path, changed)


@functools.lru_cache(maxsize=1)
def _prepared(path: str, changed: int) -> PreparedLog:  # noqa: ARG001 - a changed file is read anew
    log = display_ads(path)
    visitors = principal(log.users, log.users).of(log.users)
    # Articles that were never shown must not set the scale of those that were.
    played_articles = log.articles[np.unique(log.shown)]
    ads = principal(log.articles, played_articles).of(log.articles)
    contexts = np.concatenate([visitors, ads[log.shown]], axis=1)[:, None]
    # All trials share the arrays, in several threads.
    contexts.setflags(write=False)
    log.clicks.setflags(write=False)

    return PreparedLog(contexts, log.clicks, log.skipped)


def _synthetic(shape: Shape, rng: Rng) -> SyntheticAds:
    articles = rng.dirichlet(np.ones(5), ARTICLES)
    users, shown = _visits(SAMPLE, rng)
    scores = _scores(users, articles[shown])
    bias = _bias_for(CLICK_RATE, scores)
    visitors = principal(users, users)
    ads = principal(articles, articles).of(articles)

    return SyntheticAds(
        shape=shape,
        articles=articles,
        bias=bias,
        users=visitors,
        ads=ads,
    )


def _bias_for(click_rate: float, scores: Array) -> float:
    """The b at which the mean click probability is the given rate, by bisection."""
    low = -30.0
    high = 30.0
    # After 60 halvings the bounds are neighbouring numbers.
    for _ in range(60):
        middle = (low + high) / 2
        if _click_probabilities(middle, scores).mean() < click_rate:
            low = middle
        else:
            high = middle

    return high


def _visits(rounds: int, rng: Rng) -> tuple[Array, IntArray]:
    """The visitors' features, (rounds, 5), and the articles that they meet, (rounds,)."""
    users = rng.dirichlet(np.full(5, 0.2), rounds)
    shown = rng.integers(ARTICLES, size=rounds)
    return users, shown


def _scores(users: Array, articles: Array) -> Array:
    products = np.einsum("ti,ij,tj->t", users, WEIGHTS, articles)
    scores: Array = 4.0 * products
    return scores


def _click_probabilities(bias: float, scores: Array) -> Array:
    odds_against = np.exp(-bias - scores)
    probabilities: Array = 1.0 / (1.0 + odds_against)
    return probabilities


def _rewards(clicks: Array) -> Array:
    """(rounds, 2, 2) the payments: a click for showing, the money saved for not showing."""
    none = np.zeros(len(clicks))
    saved = none + 1.0
    show = np.stack([clicks, none], axis=1)
    do_not_show = np.stack([none, saved], axis=1)

    return np.stack([show, do_not_show], axis=1)
