"""The policy of `Conservative`: the choice of a policy inside of it where that is safe.

Symbols: b the baseline, alpha the loss that is allowed, S the rounds in which another arm than b was
played, z the sum of the features of the arms played in S, v that of the baseline's features in S, y
that of the baseline's features in the other rounds, beta the radius, N the rounds so far.
"""

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.notes import Note, NotesNothing
from mobandits.contracts.protocols import Array, Beliefs, Choice, IntArray, Mask, Rng
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.policies.wrappers.subsets import position_of


@state_fields(
    others=Field(("guards", "arms", "features")),
    forgone=Field(("guards", "features")),
    kept=Field(("guards", "features")),
    rounds=counts("guards", "kinds", whole=True),
    guarded=counts("marks", whole=True),
)
class ConservativeState(NamedTuple):
    """The inner policy's state, and sums of features, per guarded objective.

    A round counts once the reward of the objective is there.

    Attributes:
        policy: the state of the policy inside.
        others: (guards, models, features) z, by the model of the arm that was played.
        forgone: (guards, features) v.
        kept: (guards, features) y.
        rounds: (guards, 2) the rounds of S, and the others.
        guarded: (1 + guards,) the baseline's slot and the objectives, which never change: sums of
            another baseline are not taken for these.
    """

    policy: Any
    others: Array
    forgone: Array
    kept: Array
    rounds: Array
    guarded: Array

    def merged(self, other: "ConservativeState", first: "ConservativeState") -> "ConservativeState":
        """What both policies inside have learned, and the sums over the rounds of both."""
        policy = self.policy.merged(other.policy, first.policy)
        return ConservativeState(
            policy,
            self.others + other.others,
            self.forgone + other.forgone,
            self.kept + other.kept,
            self.rounds + other.rounds,
            self.guarded,
        )


class ConservativeBeliefs(NamedTuple):
    """The inner policy's beliefs, and which of its choices may be played.

    Attributes:
        beliefs: of the policy inside.
        mean: its means.
        safe: (arms,) whether the baseline's level is kept if this arm is played now.
        baseline: the position of the baseline; -1 where it is not eligible.
    """

    beliefs: Any
    mean: Array
    safe: Mask
    baseline: int


@compiled
class ConservativePolicy(NotesNothing):
    """The choice of an inner policy where that is safe, else the baseline.

    Args:
        policy: the policy inside, on ridge regression.
        explorer: of intervals <theta, x> -+ beta |x| in V^-1.
        objectives: (guards,) the guarded objectives.
        offsets: (guards,) of their worth offset + slope r.
        slopes: (guards,) of their worth, positive.
        losses: (guards,) alpha.
        means: (guards,) the baseline's mean worth; NaN where it is not known.
        baseline: the slot of the baseline.
        models: how many regressions there are: 1, or one per arm.
        features: the length of a context row.
        row: (features,) the baseline's features where they never change; else (0,): all arms share
            the context.
    """

    policy: Any
    explorer: Any
    objectives: Ints
    offsets: Floats
    slopes: Floats
    losses: Floats
    means: Floats
    baseline: int
    models: int
    features: int
    row: Floats

    PASSES_BELIEFS: ClassVar[bool] = True

    def init(self) -> ConservativeState:
        """The state before the first round."""
        policy = self.policy.init()
        guards = len(self.objectives)
        others = np.zeros((guards, self.models, self.features))
        forgone = np.zeros((guards, self.features))
        kept = np.zeros((guards, self.features))
        rounds = np.zeros((guards, 2))
        guarded = np.empty(1 + guards)
        guarded[0] = self.baseline
        for j in range(guards):
            guarded[1 + j] = self.objectives[j]

        return ConservativeState(policy, others, forgone, kept, rounds, guarded)

    def bounds(
        self, explorer: Any, state: ConservativeState, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The inner policy's."""
        bounds: Beliefs = self.policy.bounds(explorer, state.policy, context, arms, rng)
        return bounds

    def eases(self, state: ConservativeState, context: Array, arms: IntArray, rng: Rng) -> bool:
        """Whether the inner policy eases a limit."""
        eases: bool = self.policy.eases(state.policy, context, arms, rng)
        return eases

    def beliefs(
        self, state: ConservativeState, context: Array, arms: IntArray, rng: Rng
    ) -> ConservativeBeliefs:
        """The inner policy's, and which arms are safe."""
        inner = self.policy.beliefs(state.policy, context, arms, rng)
        baseline = position_of(self.baseline, arms)
        safe = np.ones(len(arms), np.bool_)
        # Without the baseline there is nothing else to be played.
        if baseline >= 0:
            for j in range(len(self.objectives)):
                self.restrict(state, j, context, arms, baseline, safe, rng)

        return ConservativeBeliefs(inner, inner.mean, safe, baseline)

    def restrict(
        self,
        state: ConservativeState,
        j: int,
        context: Array,
        arms: IntArray,
        baseline: int,
        safe: Mask,
        rng: Rng,
    ) -> None:
        """Clear `safe` (arms,) where an arm might break guard j."""
        others = self.others_low(state, j, context, arms, rng)
        rounds = state.rounds[j, 0] + 1.0
        needed = self.needed(state, j, context, baseline, rng)
        for a in range(len(arms)):
            least = self.worth(j, rounds, others[a])
            # Also where the two cannot be compared.
            is_enough = least >= needed
            if a != baseline and not is_enough:
                safe[a] = False

    def needed(
        self, state: ConservativeState, j: int, context: Array, baseline: int, rng: Rng
    ) -> float:
        """What the rounds of S and this one must be worth, if the baseline is not played in it."""
        kept_share: float = 1.0 - self.losses[j]
        kept_rounds: float = state.rounds[j, 1]
        mean: float = self.means[j]
        if math.isnan(mean):
            sure = max(self.kept_low(state, j, rng), 0.0)
            forgone = self.forgone_high(state, j, context, baseline, rng)
            lost_share = 1.0 - kept_share
            return kept_share * forgone - lost_share * sure

        rounds: float = state.rounds[j, 0] + kept_rounds + 1.0
        level = rounds * mean
        sure = kept_rounds * mean

        return kept_share * level - sure

    def worth(self, j: int, rounds: float, end: float) -> float:
        """The worth of so many rounds, whose learned rewards add up to `end`."""
        worth: float = rounds * self.offsets[j] + self.slopes[j] * end
        return worth

    def others_low(
        self, state: ConservativeState, j: int, context: Array, arms: IntArray, rng: Rng
    ) -> Array:
        """(arms,) the least <theta, z + x_a>: the sum of rewards in S, if arm a is played now."""
        l = self.objectives[j]
        count = len(arms)
        sums = state.others[j]
        every_model = np.arange(self.models)
        now = self.bounds(self.explorer, state, sums.copy(), every_model, rng)
        total = 0.0
        for m in range(self.models):
            total += now.low[m, l]

        # The sums of the arms' models with one row more: other models stay as they are.
        rows = np.empty((count, self.features))
        for a in range(count):
            model = arms[a] if self.models > 1 else 0
            row = a if len(context) > 1 else 0
            for i in range(self.features):
                rows[a, i] = sums[model, i] + context[row, i]

        after = self.bounds(self.explorer, state, rows, arms, rng)
        out = np.empty(count)
        for a in range(count):
            model = arms[a] if self.models > 1 else 0
            rest = total - now.low[model, l]
            out[a] = rest + after.low[a, l]

        return out

    def kept_low(self, state: ConservativeState, j: int, rng: Rng) -> float:
        """The least worth of the rounds in which the baseline was played."""
        l = self.objectives[j]
        rows = np.empty((1, self.features))
        for i in range(self.features):
            rows[0, i] = state.kept[j, i]

        arm = self.baseline_arm()
        bounds = self.bounds(self.explorer, state, rows, arm, rng)
        rounds = state.rounds[j, 1]

        return self.worth(j, rounds, bounds.low[0, l])

    def forgone_high(
        self, state: ConservativeState, j: int, context: Array, baseline: int, rng: Rng
    ) -> float:
        """The largest worth that the baseline would have had in the rounds of S, and has now."""
        l = self.objectives[j]
        row = baseline if len(context) > 1 else 0
        now = context[row]
        rows = np.empty((1, self.features))
        for i in range(self.features):
            rows[0, i] = state.forgone[j, i] + now[i]

        arm = self.baseline_arm()
        bounds = self.bounds(self.explorer, state, rows, arm, rng)
        rounds = state.rounds[j, 0] + 1.0

        return self.worth(j, rounds, bounds.high[0, l])

    def baseline_arm(self) -> IntArray:
        """(1,) the baseline, as eligible arms are given."""
        arm = np.empty(1, np.int64)
        arm[0] = self.baseline
        return arm

    def draw(self, beliefs: ConservativeBeliefs, rng: Rng) -> Choice:
        """The inner policy's choice if it is safe, else the baseline."""
        choice = self.policy.draw(beliefs.beliefs, rng)
        if choice.arm < 0 or beliefs.safe[choice.arm]:
            return Choice(choice.arm, 0.0)
        return Choice(beliefs.baseline, 0.0)

    def probabilities(self, beliefs: ConservativeBeliefs) -> Array:
        """The probability of each arm: the inner policy's, that of unsafe arms to the baseline."""
        inner = self.policy.probabilities(beliefs.beliefs)
        probabilities = np.zeros(len(inner))
        for a in range(len(inner)):
            place = a if beliefs.safe[a] else beliefs.baseline
            probabilities[place] += inner[a]

        return probabilities

    def update(
        self, state: ConservativeState, x: Array, arm: int, note: Note, reward: Array, rng: Rng
    ) -> ConservativeState:
        """The state after a reward, and the round in the sums of what was observed."""
        for j in range(len(self.objectives)):
            if math.isnan(reward[self.objectives[j]]):
                continue

            # A choice of the baseline by the inner policy is a round of the baseline too: it keeps
            # its own level.
            is_baseline = arm == self.baseline
            model = arm if self.models > 1 else 0
            fixed = len(self.row) > 0
            state.rounds[j, 1 if is_baseline else 0] += 1.0
            for i in range(self.features):
                if is_baseline:
                    state.kept[j, i] += x[i]
                else:
                    state.others[j, model, i] += x[i]
                    state.forgone[j, i] += self.row[i] if fixed else x[i]

        policy = self.policy.update(state.policy, x, arm, note, reward, rng)

        return ConservativeState(
            policy,
            state.others,
            state.forgone,
            state.kept,
            state.rounds,
            state.guarded,
        )
