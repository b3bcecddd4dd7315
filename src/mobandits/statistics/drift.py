"""An alarm for a stream of rewards whose mean has changed.

The rewards of one arm and objective come one after the other. They lie in a known interval, here
[0, 1], and may have any law. The hypothesis is that their mean, given what came before, is always
the same number mu, which is not known. Evidence against it is a bet: gamblers predict every reward
before it comes, and are paid by how much better they predict than the best constant mu does in
hindsight.

    symbol    in the code      what it is
    x_t       reward           the t-th reward, in [0, 1]
    n         rounds           how many came so far
    m, S      counts, sums     number and sum of the rewards that a gambler learns from
    q         hits / trials    its prediction (S + 1/2) / (m + 1), of Krichevsky and Trofimov
    W_s       staying          the share of the capital for changes after reward s or later
    E_n       exp(evidence)    the capital over max_mu prod_t mu^x_t (1 - mu)^(1 - x_t)

A gambler multiplies its capital by q^x (1 - q)^(1 - x). The first one learns from all rewards.
After every reward s it leaves a share of its capital to another one, which learns from the rewards
after s only: W_s - W_{s+1} of the whole is meant for a change after s. W_s = 1 / (1 + ln s) falls
so slowly that a late change is found almost as soon as an early one.

Why false alarms are bounded: q^x (1 - q)^(1 - x) / (mu^x (1 - mu)^(1 - x)) is convex in x, and 1 on
average where x is 0 or 1 with mean mu. So for any x in [0, 1] with mean mu its mean is at most 1.
The capital relative to the true mu is then a supermartingale that begins at 1, and E_n is not
larger, since it divides by the best mu. By Ville's inequality

    P(E_n >= 1 / rate for some n) <= rate,

however long one looks, whatever the law of the rewards, and for any mu.

Old gamblers are merged in pairs: one goes on with the capital of both. A gambler may change how it
bets at any time, so this keeps the bound, and the cost of a reward grows with log n only.

Reference:
    Krichevsky and Trofimov, The performance of universal encoding, IEEE Trans. Inf. Theory 27,
    1981: the predictions. Wasserman, Ramdas and Balakrishnan, Universal inference, PNAS 117, 2020:
    the best mu in hindsight. Shin, Ramdas and Rinaldo, E-detectors, New England J. Stat. Data Sci.
    2, 2024: bets that begin at every time. Ville, Etude critique de la notion de collectif, 1939:
    the inequality. Bifet and Gavalda, Learning from time-changing data with adaptive windowing, SDM
    2007: buckets whose sizes are powers of two.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop, kernel
from mobandits.contracts.protocols import Array, IntArray
from mobandits.support.checks import as_float_array, number
from mobandits.support.naming import quoted

RATE = 0.01  # of a stream: a page of many divides its own rate among them
KEPT = 8  # gamblers of each size; with 32 a change is found hardly sooner, in thrice the time
SIZES = 64  # powers of two: no stream has as many rewards as the largest


class BettingProcesses(NamedTuple):
    """All gamblers, oldest first; number 0 learns from all rewards. Arrays are longer than needed.

    Attributes:
        shares: of the whole capital.
        starts: after how many rewards each began.
        counts: m, how many rewards it has seen.
        sums: S, of these rewards.
        sizes: how many gamblers it stands for.
    """

    shares: Array
    starts: IntArray
    counts: Array
    sums: Array
    sizes: IntArray


@dataclass(frozen=True)
class Drift:
    """What a stream of rewards says of a change in its mean.

    Attributes:
        rewards: how many were looked at: all, or those up to the alarm.
        alarm: after how many rewards the alarm rang; None: it did not.
        change: after how many rewards the mean most likely changed; None without an alarm.
        before: the mean of the rewards before the change; None without an alarm.
        after: the mean of those from the change to the alarm; None without an alarm.
        evidence: the largest ln E_n; negative or small where nothing changed.
    """

    rewards: int
    alarm: int | None
    change: int | None
    before: float | None
    after: float | None
    evidence: float

    @property
    def p_value(self) -> float:
        """The least rate at which the alarm would have rung: valid however often one looks."""
        return min(1.0, math.exp(-self.evidence))


def detect_drift(rewards: Any, *, low: float = 0.0, high: float = 1.0, rate: float = RATE) -> Drift:
    """Whether, and when, the mean of a stream of rewards has changed.

    The alarm rings where E_n of `mobandits.statistics.drift` reaches 1 / rate. Without a change it
    ever rings with probability at most `rate`, for rewards of any law on [low, high] and streams of
    any length. The bound is for one stream: divide `rate` by the number of streams that are
    watched.

    The bound is not tight: of 2,000 streams of 5,000 rewards each, of seven laws, fewer than a
    tenth of `rate` rang. What caution costs in time, as the median number of rewards from the
    change to the alarm, for rate=0.01 and rewards that are 0 or 1
    (`tests/statistics/test_drift.py`)::

        mean before    after    change after 1,000 rewards    change after 10,000
        0.5            0.7                             270                    260
        0.5            0.6                           5,500                  1,200
        0.1            0.2                             700                    490
        0.1            0.05                          6,600                  1,400

    Rewards that vary less than 0 or 1 are no easier here: the bound holds for the worst law on the
    interval. So keep the interval narrow. Of rewards without limits, watch whether they exceed a
    threshold that was set beforehand.

    A policy that learns plays an arm in other contexts than before, so the mean reward of the arm
    may change where the world does not. Where propensities have a floor, watch reward / propensity
    in the rounds of the arm and 0 in all others: without a change of the world its mean stays.

    It costs 0.3 to 3 microseconds per reward and memory that grows with log n.

    Args:
        rewards: (rewards,) in the order in which they came; leave out those that were not observed.
        low: the least that a reward can be.
        high: the largest.
        rate: of false alarms, between 0 and 1.

    Returns:
        The alarm; only rewards up to it are looked at. To go on, look at ``rewards[drift.alarm:]``.

    Raises:
        ValueError: naming parameter, rule and value; where a reward is not in [low, high].

    Example:
        >>> rng = np.random.default_rng(0)
        >>> clicks = rng.random(2000) < np.repeat([0.2, 0.4], 1000)
        >>> drift = detect_drift(clicks)
        >>> 950 < drift.change < 1050 < drift.alarm < 1250, drift.before < 0.25 < drift.after
        (True, True)
        >>> detect_drift(clicks[:1000]).alarm is None
        True
    """
    number("rate", rate, above=0.0, below=1.0)
    number("low", low)
    number("high", high, above=low)
    number("high - low", high - low)
    stream = _checked(rewards, low, high)
    unit = high - low
    scaled = (stream - low) / unit
    threshold = -math.log(rate)
    rounds, rang, change, evidence = watch(scaled, threshold, KEPT)
    if not rang:
        return Drift(rounds, None, None, None, None, evidence)

    before = float(stream[:change].mean())
    after = float(stream[change:rounds].mean())

    return Drift(rounds, rounds, change, before, after, evidence)


def watch(rewards: Array, threshold: float, kept: int) -> tuple[int, bool, int, float]:
    """The compiled loop of `detect_drift`, for rewards in [0, 1].

    Args:
        rewards: (rewards,) in [0, 1].
        threshold: of ln E_n.
        kept: gamblers of each size.

    Returns:
        How many rewards were looked at, whether the alarm rang, after how many rewards the gambler
        with the largest capital began to learn, and the largest ln E_n.

    Example:
        >>> ones_after_zeros = np.repeat([0.0, 1.0], 20)
        >>> watch(ones_after_zeros, 3.0, 8)[1:3]
        (True, 20)
    """
    # The first gambler, and of each size one more than are kept, which is merged at once.
    places = min(len(rewards), (kept + 1) * SIZES) + 2
    rounds, rang, change, evidence = compile_loop(_watch)(rewards, threshold, kept, places)
    return int(rounds), bool(rang), int(change), float(evidence)


def _checked(rewards: Any, low: float, high: float) -> Array:
    stream = as_float_array("rewards", rewards)
    if stream.ndim != 1:
        raise ValueError(f"rewards must have shape (rewards,), got shape {stream.shape}")

    # So that NaN is outside too.
    outside = ~((stream >= low) & (stream <= high))
    if outside.any():
        place = int(outside.argmax())
        got = f"{quoted(float(stream[place]))} at {place}"
        raise ValueError(f"rewards must be in [low, high] = [{low:g}, {high:g}], got {got}")

    return stream


def _watch(
    rewards: Array, threshold: float, kept: int, places: int
) -> tuple[int, bool, int, float]:
    """See `watch`; `places` is how many gamblers there can be at most."""
    gamblers = BettingProcesses(
        np.zeros(places),
        np.zeros(places, np.int64),
        np.zeros(places),
        np.zeros(places),
        np.zeros(places, np.int64),
    )
    gamblers.shares[0] = 1.0
    number = 1
    totals = np.zeros(2)
    largest = -math.inf
    for t in range(len(rewards)):
        rounds = t + 1
        evidence = evidence_after(gamblers, totals, number, rounds, rewards[t])
        largest = max(largest, evidence)
        if evidence >= threshold:
            richest = gamblers.shares[:number].argmax()
            return rounds, True, gamblers.starts[richest], largest

        add_gambler(gamblers, number, rounds)
        number = merge_old(gamblers, number + 1, kept)

    return len(rewards), False, 0, largest


@kernel
def evidence_after(
    gamblers: BettingProcesses, totals: Array, number: int, rounds: int, reward: float
) -> float:
    """The evidence ln E_n after one reward more.

    Args:
        gamblers: who are paid for it.
        totals: (2,) the logarithm of their capital, and the sum of the rewards.
        number: of gamblers.
        rounds: how many rewards there are with this one.
        reward: in [0, 1].
    """
    growth = bet(gamblers, number, reward)
    totals[0] += math.log(growth)
    totals[1] += reward
    evidence: float = totals[0] - best_constant(totals[1], rounds)
    return evidence


@kernel
def bet(gamblers: BettingProcesses, number: int, reward: float) -> float:
    """Pay every gambler for its prediction of a reward, from which it then learns.

    Returns:
        By which factor the whole capital grew.
    """
    shares, _, counts, sums, _ = gamblers
    growth = 0.0
    for g in range(number):
        hits = sums[g] + 0.5
        misses = counts[g] - sums[g] + 0.5
        trials = counts[g] + 1.0
        # Most streams are of zeros and ones, which need no logarithm.
        if reward == 1.0:
            factor = hits / trials
        elif reward == 0.0:
            factor = misses / trials
        else:
            gain = reward * math.log(hits / trials)
            loss = (1.0 - reward) * math.log(misses / trials)
            factor = math.exp(gain + loss)

        shares[g] *= factor
        growth += shares[g]
        sums[g] += reward
        counts[g] += 1.0

    # Shares of one again: products of a thousand chances are no numbers any more.
    for g in range(number):
        shares[g] /= growth

    return growth


@kernel
def best_constant(whole: float, rounds: int) -> float:
    """The logarithm of the capital that the best constant prediction would have.

    Args:
        whole: the sum of the rewards.
        rounds: how many there are.
    """
    best = 0.0
    # By rounding, the sum may exceed the number.
    rest = max(rounds - whole, 0.0)
    if whole > 0.0:
        best += whole * math.log(whole / rounds)
    if rest > 0.0:
        best += rest * math.log(rest / rounds)

    return best


@kernel
def add_gambler(gamblers: BettingProcesses, number: int, rounds: int) -> None:
    """Make another gambler, which learns from the next reward on, with capital of the first."""
    shares, starts, counts, sums, sizes = gamblers
    # W_{n+1} / W_n stays with the first one, for changes that come later.
    staying = (1.0 + math.log(rounds)) / (1.0 + math.log(rounds + 1.0))
    shares[number] = shares[0] * (1.0 - staying)
    shares[0] *= staying
    starts[number] = rounds
    counts[number] = 0.0
    sums[number] = 0.0
    sizes[number] = 1


@kernel
def merge_old(gamblers: BettingProcesses, number: int, kept: int) -> int:
    """Merge the two oldest gamblers of a size while there are more than `kept` of it.

    Two become one of twice the size, of which there may then be too many.

    Returns:
        How many gamblers are left.
    """
    shares, _, _, _, sizes = gamblers
    # Sizes fall from the oldest to the newest, so those of one size stand together.
    size = 1
    end = number
    while True:
        first = end
        while first > 1 and sizes[first - 1] == size:
            first -= 1

        if end - first <= kept:
            return number

        # The newer one goes on: it has seen fewer rewards from before the change.
        shares[first + 1] += shares[first]
        size *= 2
        sizes[first + 1] = size
        remove_gambler(gamblers, number, first)
        number -= 1
        end = first + 1


@kernel
def remove_gambler(gamblers: BettingProcesses, number: int, place: int) -> None:
    """Move all gamblers after a place up by one."""
    shares, starts, counts, sums, sizes = gamblers
    for g in range(place, number - 1):
        shares[g] = shares[g + 1]
        starts[g] = starts[g + 1]
        counts[g] = counts[g + 1]
        sums[g] = sums[g + 1]
        sizes[g] = sizes[g + 1]
