"""Evidence about a mean, and intervals for it, that hold at every round at once, however often one looks.

Symbols: X_t >= 0 an observation, m the mean of every one given those before, X^_t a guess of X_t by
those before, S = sum X, V = sum (X - X^)^2, s = S - t m.
"""

import numpy as np
from scipy.special import gammainc, gammaln

from mobandits.contracts.protocols import Array

FIRST_GUESS = 0.5
HALVINGS = 50
BETS = 12


class SequenceSums:
    """The sums (t, S, V) of several sequences of observations, after rounds that come in blocks.

    The guess of a round is the mean of the rounds before, and of one imaginary 1/2::

        X^_t = min(1, (1/2 + X_1 + ... + X_(t-1)) / t)

    Args:
        sequences: their number.

    Attributes:
        count: (sequences,) t, rounds that were observed.
        total: (sequences,) S.
        squares: (sequences,) V.

    Example:
        >>> sums = SequenceSums(1)
        >>> sums.fold(np.array([[1.0], [0.5]])).ravel().tolist()
        [0.5, 0.75]
        >>> sums.count.tolist(), sums.total.tolist(), sums.squares.tolist()
        ([2.0], [1.5], [0.3125])
    """

    def __init__(self, sequences: int) -> None:
        self.count = np.zeros(sequences)
        self.total = np.zeros(sequences)
        self.squares = np.zeros(sequences)

    def fold(self, block: Array) -> Array:
        """Add a block of rounds.

        Args:
            block: (rounds, sequences) X; NaN: not observed.

        Returns:
            (rounds, sequences) X^, each made before its round.
        """
        is_seen = ~np.isnan(block)
        observed = np.where(is_seen, block, 0.0)
        count = self.count + np.cumsum(is_seen, axis=0)
        total = self.total + np.cumsum(observed, axis=0)
        before = total - observed
        # Of rounds that were not observed nothing is guessed: the smallest t is 1.
        rounds = np.maximum(count, 1.0)
        mean = (FIRST_GUESS + before) / rounds
        guess: Array = np.minimum(1.0, mean)
        errors = np.where(is_seen, observed - guess, 0.0)
        squares = errors * errors
        self.squares = self.squares + squares.sum(axis=0)
        if len(block):
            self.count = count[-1]
            self.total = total[-1]

        return guess


class BetCapital:
    """The capital of bets that means are above 0, after rounds that come in blocks.

    Of observations Y >= -b, bet j stakes the share 1 / (b 2^j) of its capital for every unit of Y in
    every round; the first bets have the larger part of the capital of 1 that all begin with::

        K_t = sum over j of c_j (1 + Y_1 / (b 2^j)) ... (1 + Y_t / (b 2^j)),   c_j = (1 / j) / sum over i of 1 / i

    Where no mean given the past is above 0, K is a nonnegative supermartingale that begins at 1, so
    that it ever reaches 1 / risk with probability at most `risk`. The sums of logarithms of two parts
    of a stream add up.

    Args:
        least: (sequences,) b > 0.

    Reference:
        Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", Journal
        of the Royal Statistical Society B 86, 2024. The bets, halves of each other, and their shares
        are ours: with them the best bet is missed by a factor of at most 1.5, whatever the gain, and
        large gains, which end a stream soon, are bet on first.

    Example:
        >>> capital = BetCapital(np.array([1.0]))
        >>> capital.fold(np.full((20, 1), 0.5))[[0, -1]].round(2).ravel().tolist()
        [0.11, 3.42]
    """

    def __init__(self, least: Array) -> None:
        powers = np.arange(1, BETS + 1)[:, None]
        weights = 1.0 / powers
        shares = weights / weights.sum()
        # Both (bets, sequences).
        self._stakes = 0.5**powers / least
        self._log_capital = np.log(shares) + np.zeros_like(self._stakes)

    def fold(self, block: Array) -> Array:
        """Add a block of rounds.

        Args:
            block: (rounds, sequences) Y; NaN: not observed, and nothing is bet.

        Returns:
            (rounds, sequences) ln K after every round.
        """
        observed = np.nan_to_num(block)
        log_total = np.full(block.shape, -np.inf)
        for j, stake in enumerate(self._stakes):
            growth = stake * observed
            log_growth = np.log1p(growth)
            gained = np.cumsum(log_growth, axis=0)
            log_capital = self._log_capital[j] + gained
            log_total = np.logaddexp(log_total, log_capital)
            if len(block):
                self._log_capital[j] = log_capital[-1]

        return log_total


def log_evidence(sums: SequenceSums, mean: Array | float) -> Array:
    """(sequences,) the logarithm of the evidence that the mean is above m.

    With x = s + V + 1 and the lower incomplete gamma function g(a, x)::

        ln M(m) = s + V - (V + 1) ln x + ln g(V + 1, x) - ln g(1, 1)

    Where no mean is above m, M is a nonnegative supermartingale that begins at 1, so that it ever
    reaches 1 / risk with probability at most `risk`. It falls in m.

    Args:
        sums: t, S and V.
        mean: m.

    Reference:
        Howard, Ramdas, McAuliffe and Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
        sequences", Annals of Statistics 49, 2021, the gamma-exponential mixture; for weighted
        rewards Waudby-Smith et al., "Anytime-valid off-policy inference for contextual bandits",
        2022. Proof: for y >= -1 and psi(l) = -ln(1 - l) - l, exp(l y - psi(l) y^2) <= 1 + l y; mix
        over 1 - l with a Gamma(1, 1) law that is cut to [0, 1].

    Example:
        >>> sums = SequenceSums(1)
        >>> log_evidence(sums, 0.5).tolist()
        [0.0]
        >>> _ = sums.fold(np.full((40, 1), 0.9))
        >>> log_evidence(sums, 0.5).round(2).tolist()
        [13.03]
    """
    ahead = sums.total - sums.count * mean
    shape = sums.squares + 1.0
    x = ahead + shape
    with np.errstate(divide="ignore", invalid="ignore"):
        incomplete = np.log(gammainc(shape, x)) + gammaln(shape)
        cut = np.log(gammainc(1.0, 1.0))
        value = ahead + sums.squares - shape * np.log(x) + incomplete - cut

    # So far behind, there is no evidence: 0 in its place keeps what is proven.
    return np.where(x > 0.0, value, -np.inf)


def lower_ends(sums: SequenceSums, risk: float) -> Array:
    """(sequences,) the least means that are not ruled out, at least 0.

    At all rounds at once, a mean is below with probability at most `risk`.

    Args:
        sums: of the sequences.
        risk: in (0, 1).

    Example:
        >>> sums = SequenceSums(1)
        >>> _ = sums.fold(np.full((100, 1), 0.75))
        >>> lower_ends(sums, 0.05).round(2).tolist()
        [0.71]
    """
    threshold = -np.log(risk)
    low = np.zeros_like(sums.total)
    high = np.divide(sums.total, sums.count, out=np.zeros_like(low), where=sums.count > 0.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        is_ruled_out = log_evidence(sums, middle) >= threshold
        low = np.where(is_ruled_out, middle, low)
        high = np.where(is_ruled_out, high, middle)

    return low
