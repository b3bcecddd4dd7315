"""Base of the policies that compare arms by bounds which hold at all times."""

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask, Rng
from mobandits.estimators.sample_mean import MeanState, SampleMean
from mobandits.numerics.masks import leaders
from mobandits.numerics.pareto_bounds import ParetoBounds
from mobandits.policies.set_policy import SetPolicy


class BoundedPolicy(SetPolicy):
    """Base of policies whose state is one mean per arm and objective; subclasses choose the arms."""

    means: SampleMean
    bounds: ParetoBounds

    def init(self) -> MeanState:
        """The state before the first round."""
        return self.means.init()

    def update(
        self, state: MeanState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> MeanState:
        """The state after a reward: the means learn."""
        return self.means.update(state, x, arm, reward)


@kernel
def least_played(plays: Array, among: Mask) -> Mask:
    """(arms,) the arms of `among` with the fewest of `plays` (arms,)."""
    return leaders(-plays, among)
