"""A link that somebody else might write."""

from mobandits.compiling.compiled import compiled


@compiled
class Cubic:
    """mu(z) = z + z^3."""

    def mean(self, z: float) -> float:
        return z + z * z * z

    def least_slope(self, bound: float) -> float:
        return 1.0
