"""Masks over arms: counting, uniform picks, argmax sets, random orders of visit; and weighted picks."""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng


@kernel
def everyone(arms: int) -> Mask:
    """(arms,) the mask of all arms."""
    return np.ones(arms, np.bool_)


@kernel
def count(mask: Mask) -> int:
    """The number of true entries."""
    n = 0
    for member in mask:
        n += member
    return n


@kernel
def pick(mask: Mask, rng: Rng) -> int:
    """A uniform position among the true ones, of which there is at least one; one random number."""
    # `rng.integers` would take a varying number of random bits; `random` always takes one number.
    left = int(rng.random() * count(mask))
    for a in range(len(mask)):
        left -= mask[a]
        if left < 0:
            return a

    return -1


@kernel
def uniform(mask: Mask) -> Array:
    """(arms,) the probabilities with which `pick` chooses each arm."""
    n = count(mask)
    out = np.zeros(len(mask))
    for a in range(len(mask)):
        out[a] = mask[a] / n

    return out


@kernel
def pick_weighted(probabilities: Array, rng: Rng) -> int:
    """A position drawn with these probabilities (arms,); one random number."""
    rest = rng.random()
    last = len(probabilities) - 1
    # The last arm takes what rounding leaves of the sum 1.
    for a in range(last):
        rest -= probabilities[a]
        if rest < 0.0:
            return a

    return last


@kernel
def leaders(values: Array, among: Mask) -> Mask:
    """Mask of the largest of `values` (arms,) among some arms; exact ties all lead."""
    top = -math.inf
    out = np.zeros(len(values), np.bool_)
    for a in range(len(values)):
        if among[a]:
            top = max(top, values[a])

    for a in range(len(values)):
        out[a] = among[a] and values[a] == top

    return out


@kernel
def swap_in(order: IntArray, i: int, rng: Rng) -> int:
    """Step i of a uniformly random order of visit: a position not yet visited moves to place i."""
    # A step of Fisher and Yates's shuffle. An order that is left early costs no more random numbers
    # than the steps that were taken.
    left = len(order) - i
    step = int(rng.random() * left)
    j = i + step
    order[i], order[j] = order[j], order[i]

    return int(order[i])
