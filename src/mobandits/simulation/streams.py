"""Random streams, keyed so that adding a policy changes no other row.

The environment's depend on the seed and the trial, a policy's also on its recipe's text.
"""

import hashlib

import numpy as np

from mobandits.contracts.protocols import Rng

INSTANCE, ROUNDS, POLICY, READER = range(4)  # what a stream is for, the second word of its key


def stream(seed: int, trial: int, purpose: int, text: str = "") -> Rng:
    """The random generator for one purpose in one trial.

    Args:
        seed: of the whole simulation.
        trial: from 0.
        purpose: one of this module's constants.
        text: what else the stream belongs to; its SHA-256 becomes part of the key.

    Example:
        >>> a, b = stream(1, 0, POLICY, "MolUcb()"), stream(1, 0, POLICY, "MolUcb()")
        >>> a.random() == b.random(), a.random() == stream(1, 0, POLICY, "MolTs()").random()
        (True, False)
    """
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), "<u4").tolist() if text else []
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(trial, purpose, *words)))
