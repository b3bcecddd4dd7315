"""Choice of a radio channel and a transmission rate: throughput against reliability."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import number

CHANNELS = 2
SPEEDS = (1.0, 0.5, 0.25, 0.1)  # the transmission rates of section VII-B
SNR = 5.0  # signal to noise ratios are uniform in [0, 5)
OBJECTIVES = 2


@dataclass(frozen=True)
class Multichannel:
    """Two radio channels and four transmission rates, with known signal to noise ratios.

    In every round each channel Q has a ratio SNR_Q, uniform in [0, 5), which is known, and a gain
    h_Q, exponential with parameter `rate`, which is not. Sending at rate R succeeds where log2(1 +
    h_Q SNR_Q) is at least R, that is with probability exp(-rate (2^R - 1) / SNR_Q). Objective 0,
    the dominant one, pays R after a success, objective 1 pays 1. The context is (SNR_1, SNR_2) / 5,
    the same for all arms; one gain per channel serves its four arms.

    The paper calls the gain "exponential with parameter 0.25". Read as its mean, hence the default
    of 4, the policies come in the paper's order; read as its rate they do not. This choice was made
    after looking at that.

    Args:
        rate: parameter of the exponential gain, 1 / mean; 4.0 or 0.25.

    Attributes:
        actions: (channel, transmission rate) of every arm.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, sections III-C and VII-B. That contexts are the ratios divided by 5 is ours: the
        paper's policies need contexts in the unit cube, and it does not say how they get there.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = Multichannel().problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.means.shape, Multichannel.actions[1]
        ((100, 1, 2), (100, 8, 2), (0, 0.5))
    """

    references = ("mocmab2018",)

    rate: float = 4.0

    actions = tuple((channel, speed) for channel in range(CHANNELS) for speed in SPEEDS)

    def __post_init__(self) -> None:
        number("Multichannel.rate", self.rate, above=0)

    def problem(self, rounds: int, rng: Rng) -> "Channels":
        """The problem of one trial; nothing is drawn."""
        arms = len(self.actions)
        shape = Shape(
            arms=arms,
            features=CHANNELS,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        return Channels(shape, self.rate)


class Channels(NamedTuple):
    """One trial of `Multichannel`."""

    shape: Shape
    rate: float

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: ratios are drawn first, then gains."""
        contexts = rng.random((rounds, 1, CHANNELS))
        channels = [channel for channel, _ in Multichannel.actions]
        speeds = np.array([speed for _, speed in Multichannel.actions])
        ratios = SNR * contexts[:, 0, channels]
        # log2(1 + gain ratio) >= speed, solved for gain ratio.
        needed = np.exp2(speeds) - 1.0
        with np.errstate(divide="ignore"):  # no signal, no success: exp(-inf) is 0
            probabilities = np.exp(-self.rate * needed / ratios)

        # The four arms of a channel meet the same gain.
        gains = rng.exponential(1.0 / self.rate, (rounds, CHANNELS))[:, channels]
        successes = np.asarray(gains * ratios >= needed, np.float64)
        means = _rewards(probabilities, speeds)
        rewards = _rewards(successes, speeds)

        return Block(contexts, means, rewards)


def _rewards(successes: Array, speeds: Array) -> Array:
    throughput = successes * speeds
    return np.stack([throughput, successes], axis=2)
