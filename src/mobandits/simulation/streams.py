"""Random streams, keyed so that adding a policy changes no other row.

The environment's depend on the seed and the trial, a policy's also on its recipe's text.
"""

import hashlib

import numpy as np

from mobandits.contracts.protocols import Rng

# What a stream is for, the second word of its key. These numbers decide every result.
INSTANCE, ROUNDS, POLICY, READER = range(4)


def stream(seed: int, trial: int, purpose: int, text: str = "") -> Rng:
    """The random generator for one purpose in one trial.

    Args:
        seed: of the whole simulation.
        trial: from 0.
        purpose: one of this module's constants.
        text: what else the stream belongs to; its SHA-256 becomes part of the key.

    Example:
        >>> first, same = stream(1, 0, POLICY, "MolUcb()"), stream(1, 0, POLICY, "MolUcb()")
        >>> first.random() == same.random()
        True
        >>> first.random() == stream(1, 0, POLICY, "MolTs()").random()
        False
    """
    text_words: list[int] = []
    if text:
        digest = hashlib.sha256(text.encode()).digest()
        # Little-endian on every machine, or other machines would draw other numbers.
        text_words = np.frombuffer(digest, "<u4").tolist()

    key = (trial, purpose, *text_words)

    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))
