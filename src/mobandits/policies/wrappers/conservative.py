"""Conservative: any optimistic recipe, never much worse than a baseline (CLUCB).

Symbols: b the baseline, mu_b its mean reward, alpha the loss that is allowed, S the rounds in which
another arm than b was played, z the sum of the features of the arms played in S, v that of the
baseline's features in S, y that of the baseline's features in the other rounds, beta the radius, N
the rounds so far.
"""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.notes import Note, NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    Choice,
    IntArray,
    Mask,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.contracts.terms import ApplicationTerms
from mobandits.explorers import Ucb
from mobandits.numerics.linalg import copy_into
from mobandits.policies.wrappers.around import (
    AS_ITS_RECIPE,
    AroundPolicy,
    AroundRecipe,
    interval_explorer,
    position_of,
    regressions_of,
    require_own_beliefs,
)
from mobandits.policies.wrappers.own_terms import Line, line_fields, line_of, slot_of
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value


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
class ConservativePolicy(NotesNothing, AroundPolicy):
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

    PASSES_BELIEFS = True

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

    def inner_state(self, state: ConservativeState) -> Any:
        """The field of the inner policy."""
        return state.policy

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
        bounds = self.of_baseline(state, state.kept[j], rng)
        rounds = state.rounds[j, 1]

        return self.worth(j, rounds, bounds.low[0, l])

    def forgone_high(
        self, state: ConservativeState, j: int, context: Array, baseline: int, rng: Rng
    ) -> float:
        """The largest worth that the baseline would have had in the rounds of S, and has now."""
        l = self.objectives[j]
        row = baseline if len(context) > 1 else 0
        features = np.empty(self.features)
        for i in range(self.features):
            features[i] = state.forgone[j, i] + context[row, i]

        bounds = self.of_baseline(state, features, rng)
        rounds = state.rounds[j, 0] + 1.0

        return self.worth(j, rounds, bounds.high[0, l])

    def of_baseline(self, state: ConservativeState, features: Array, rng: Rng) -> Beliefs:
        """The bounds of the baseline with these features, which may be sums over rounds."""
        rows = np.empty((1, self.features))
        copy_into(rows[0], features)
        arm = np.full(1, self.baseline)

        return self.bounds(self.explorer, state, rows, arm, rng)

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


@dataclass(frozen=True)
class Conservative(AroundRecipe):
    """Any recipe on ridge regression, never much worse than a baseline arm: CLUCB.

    With probability 1 - delta, and after every round, the mean rewards of the arms played add up to
    at least (1 - loss) times what the baseline would have had. The recipe's choice a is played if,
    for every theta in the confidence ellipsoid, this holds afterwards too; else the baseline is:

        min <theta, z + x_a>  +  N_b mu_b  >=  (1 - loss) (N + 1) mu_b

    where the baseline's mean mu_b is known, N_b being the rounds in which it was played, and

        min <theta, z + x_a>  +  loss max(min <theta, y>, 0)  >=  (1 - loss) max <theta, v + x_b>

    where it is not, each with min <theta, x> = <theta^, x> - beta |x| in V^-1. Where every arm has a
    regression of its own, it is the sum over the arms. One condition per guarded objective; all must
    hold. beta is the recipe's radius. That of the theory, `MolUcb(scale="theory", delta=0.01)`, holds
    for all objectives and arms at once with probability 1 - delta; other radii guarantee nothing.

    Only rounds whose reward has arrived are counted: decisions that wait are not guarded against.
    What the recipe's order prefers is another question than what is guarded.

    Args:
        recipe: such as `MolUcb(scale="theory", delta=0.01)`.
        baseline: the arm, by name in an agent, by number in a simulation.
        loss: alpha, in (0, 1): the share of the baseline's rewards that may be lost.
        objective: one that is guarded, or a tuple of several; all are maximised, and rewards in
            their own unit must not be negative in the mean, since a share of them is meant.
        mean: the baseline's known mean reward in the objective's own unit, or a tuple of one per
            objective; None: it is learned. Where arms have features of their own that change from
            round to round it must be known.

    Raises:
        ValueError: where a parameter does not fit; on `bind`, where the recipe does not rest on
            ridge regression with intervals, or arm, objective or mean are not as they must be.

    Reference:
        Kazerouni, Ghavamzadeh, Abbasi-Yadkori and Van Roy, "Conservative contextual linear bandits",
        NIPS 2017, sections 3 and 5 for known and unknown baselines; rebuilt from the conditions,
        with one difference: a round in which the recipe itself chooses the baseline counts among
        the baseline's.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> safe = MolUcb(scale="theory")
        >>> recipe = Conservative(safe, baseline=0, loss=0.1, objective=0)
        >>> policy = recipe.bind(Shape(arms=3, features=2, objectives=1, shared=True))
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> beliefs = policy.beliefs(policy.init(), np.array([[0.6, 0.8]]), np.arange(3), rng)
        >>> policy.probabilities(beliefs).tolist()
        [1.0, 0.0, 0.0]
    """

    references = ("kazerouni2017",)
    traits = AS_ITS_RECIPE._replace(
        plays="its recipe, or a baseline where that might lose too much"
    )
    ARM_FIELDS = ("baseline",)

    recipe: Recipe
    baseline: Any
    loss: float
    objective: Any
    mean: float | tuple[float, ...] | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        self.take_recipe()
        number("Conservative.loss", self.loss, above=0.0, below=1.0)
        if isinstance(self.objective, list):
            object.__setattr__(self, "objective", tuple(self.objective))
        if isinstance(self.mean, list):
            object.__setattr__(self, "mean", tuple(self.mean))

        for mean in self._means():
            if mean is not None:
                number("Conservative.mean", mean, above=0.0)

    stages = Recipe.stages  # the condition is on all rounds

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, with the baseline."""
        # Sums of features are no arms, of which a regression could have kept tables.
        without_tables = shape.replaced(fixed_arms=None)
        stage = next(iter(self.recipe.stages(without_tables)))
        # The condition is on all rounds: a policy that starts from scratch has forgotten some.
        if stage.rounds is not None:
            name = type(self.recipe).__name__
            raise ValueError(f"Conservative.recipe must play without stages, got {name}")

        policy: Any = stage.policy
        models = regressions_of(policy, "Conservative.recipe")
        explorer = interval_explorer(policy, "Conservative.recipe")
        require_own_beliefs(policy, "Conservative.recipe")
        if not isinstance(explorer, Ucb):
            raise wrong_value(
                "Conservative.recipe must have confidence intervals, as MolUcb has",
                type(self.recipe).__name__,
            )

        baseline = slot_of(self.terms, self.baseline, shape.arms, "Conservative.baseline")
        lines = self._lines(shape)
        means = [math.nan if mean is None else mean for mean in self._means()]
        is_learned = None in self._means()
        if is_learned and not shape.shared and shape.fixed_arms is None:
            raise ValueError(
                "Conservative.mean must be known where arms have features of their own that "
                "change: what the baseline would have had in other rounds cannot be told, got None"
            )

        row: Any = [] if shape.fixed_arms is None else shape.fixed_arms[baseline]

        return ConservativePolicy(
            policy,
            explorer,
            **line_fields(lines),
            losses=[self.loss] * len(lines),
            means=means,
            baseline=baseline,
            models=models,
            features=shape.features,
            row=row,
        )

    def _objectives(self) -> tuple[Any, ...]:
        # Names of objectives may be tuples themselves: in an agent they are known.
        if self.terms is not None and self.objective in self.terms.objectives:
            return (self.objective,)
        return self.objective if isinstance(self.objective, tuple) else (self.objective,)

    def _means(self) -> list[float | None]:
        objectives = self._objectives()
        means = self.mean if isinstance(self.mean, tuple) else (self.mean,) * len(objectives)
        if len(means) != len(objectives):
            raise wrong_value(
                f"Conservative.mean must have one number per objective, {len(objectives)}",
                self.mean,
            )

        return list(means)

    def _lines(self, shape: Shape) -> list[Line]:
        lines = []
        for objective in self._objectives():
            line = line_of(self.terms, objective, "Conservative.objective")
            if line.objective >= shape.objectives:
                raise wrong_value(
                    f"Conservative.objective must be below {shape.objectives}", objective
                )
            if line.minimised:
                raise wrong_value(
                    "Conservative.objective must be maximised; costs have limits of `Within`",
                    objective,
                )

            lines.append(line)

        return lines
