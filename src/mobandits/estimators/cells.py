"""A partition of the unit cube into equal cells, which turns cells times arms into slots."""

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray
from mobandits.support.checks import integer
from mobandits.support.naming import quoted

# Slots. Numbers that are never touched cost no memory, but all must be addressable.
MOST = 10**8


@compiled
class Cells:
    """The unit cube cut into m^d cubes, and a slot for every cell and arm: cell * K + arm.

    Cells are closed below and open above, except the last ones: coordinate x belongs to part
    floor(x m), 1 to part m - 1. What lies outside the cube counts to the nearest cell.

    Args:
        per_side: m, how many parts each side has.
        features: d.
        arms: K.

    Raises:
        ValueError: where there are too many slots to be addressed.

    Reference:
        mocmab2018, section IV (the partition P).

    Example:
        >>> import numpy as np
        >>> cells = Cells(per_side=10, features=2, arms=4)
        >>> [cells.cell(np.array(x)) for x in ([0.0, 0.05], [0.1, 0.0], [0.55, 0.3], [1.0, 1.0])]
        [0, 10, 53, 99]
        >>> cells.slots(np.array([[0.1, 0.0]]), np.array([0, 3])).tolist()
        [40, 43]
    """

    per_side: int
    features: int
    arms: int

    def __post_init__(self) -> None:
        for name in ("per_side", "features", "arms"):
            integer(f"Cells.{name}", getattr(self, name), at_least=1)

        if self.size() > MOST:
            rule = f"Cells.per_side must leave at most {MOST} cells times arms"
            problem = f"{self.features} features and {self.arms} arms"
            raise ValueError(
                f"{rule}, got {quoted(self.per_side)} with {problem}, which are {self.size()}"
            )

    def size(self) -> int:
        """The number of slots."""
        size = self.arms
        # Whole numbers, where a power in floats could round to another slot.
        for _ in range(self.features):
            size *= self.per_side

        return size

    def cell(self, x: Array) -> int:
        """The number of the cell that holds `x`, (features,)."""
        cell = 0
        last = self.per_side - 0.5
        for i in range(self.features):
            scaled = x[i] * self.per_side
            part = 0
            # Written so that NaN falls into part 0, and nothing outside of the cells. It is cut to
            # the last part before it is an integer: a float that is too large for one would wrap.
            if scaled >= 1.0:
                part = int(min(scaled, last))

            cell = cell * self.per_side + part

        return cell

    def slot(self, x: Array, arm: int) -> int:
        """The slot of an arm in the cell of `x`."""
        cell = self.cell(x)
        first = cell * self.arms
        return first + arm

    def slots(self, context: Array, arms: IntArray) -> IntArray:
        """(arms,) the slots of some arms; `context` is (arms or 1, features)."""
        out = arms.copy()
        # A context that the arms share lies in one cell.
        cell = self.cell(context[0])
        for a in range(len(arms)):
            if len(context) > 1:
                cell = self.cell(context[a])

            out[a] += cell * self.arms

        return out
