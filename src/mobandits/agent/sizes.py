"""Memory that an agent needs, known before it takes any."""

import os
from typing import Any

from mobandits.contracts.protocols import Shape
from mobandits.contracts.states import parts_of
from mobandits.support.naming import quoted

MOST_BYTES = 2**36  # that an agent may need, where the machine has as many
NUMBER_BYTES = 8
ENTRY_BYTES = 256  # of an arm or an objective: its name, and its places in tables


def refuse_large(shape: Shape, policy: Any = None) -> None:
    """Refuse an agent that needs more memory than `MOST_BYTES`, or than the machine has.

    Args:
        shape: of the problem.
        policy: bound to it; None: only what every agent needs is counted.

    Raises:
        ValueError: saying how much it would need.
    """
    needed = bytes_needed(shape, policy)
    allowed = min(MOST_BYTES, _machine_memory())
    if needed > allowed:
        counts = {
            "arms": shape.arms,
            "features": shape.features,
            "objectives": shape.objectives,
        }
        sizes = ", ".join(f"{name} = {quoted(count)}" for name, count in counts.items())
        raise ValueError(
            f"{sizes} need {_size_text(needed)} of memory, and an agent may need at most "
            f"{_size_text(allowed)} here"
        )


def bytes_needed(shape: Shape, policy: Any = None) -> int:
    """Bytes: 256 for each arm and objective, 8 for each number that is kept or made in a decision.

    These are two for each arm and objective, one for each feature, and, of a linear policy, two
    matrices (features, features) for each model; rewards in part multiply the matrices by the
    number of objectives.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=10, features=1000, objectives=2, shared=True)
        >>> bytes_needed(shape), bytes_needed(shape, MolUcb().bind(shape))
        (11392, 160011392)
    """
    arms = shape.arms
    objectives = shape.objectives
    entries = arms + objectives
    scores = 2 * arms * objectives
    matrices = 2 * matrix_entries(policy)  # Gram matrices and their inverses
    numbers = scores + shape.features + matrices

    return ENTRY_BYTES * entries + NUMBER_BYTES * numbers


def matrix_entries(policy: Any) -> int:
    """Number of entries of the Gram matrices of a policy's estimators, as these declare."""
    total = 0
    # Of estimators inside of wrappers too, such as one that forgets.
    for part in parts_of(policy):
        declared = getattr(part, "matrix_entries", None)
        if declared is not None:
            total += declared()

    return total


def _machine_memory() -> int:
    """Bytes that the machine has, where the system says so."""
    if not hasattr(os, "sysconf") or "SC_PHYS_PAGES" not in os.sysconf_names:
        return MOST_BYTES
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _size_text(size: int) -> str:
    """A number of bytes; integers, since it may be too large for a float.

    Example:
        >>> _size_text(3 * 10**8), _size_text(272 * 10**9), _size_text(16 * 10**12)
        ('0.3 GB', '272 GB', '16,000 GB')
        >>> _size_text(10**400)
        'more than 10^24 bytes'
    """
    if size > 10**24:
        return "more than 10^24 bytes"

    tenths = size // 10**8
    if tenths < 100:
        return f"{tenths / 10:.1f} GB"

    return f"{tenths // 10:,} GB"
