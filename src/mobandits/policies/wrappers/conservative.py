"""Conservative: any optimistic recipe, never much worse than a baseline (CLUCB).

Symbols: those of `conservative_policy`, and mu_b the mean reward of the baseline.
"""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

from mobandits.contracts.composition import composite
from mobandits.contracts.protocols import Assumption, Policy, Recipe, Shape, Traits
from mobandits.contracts.terms import ApplicationTerms
from mobandits.estimators import DisjointRidge, Priced, Ridge, Scaled
from mobandits.explorers import Ucb
from mobandits.policies.wrappers.conservative_policy import ConservativePolicy
from mobandits.policies.wrappers.intervals import interval_explorer, require_own_beliefs
from mobandits.policies.wrappers.own_terms import Line, as_recipe, line_of, slot_of
from mobandits.support.checks import number
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class Conservative(Recipe):
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

    references: ClassVar[tuple[str, ...]] = ("kazerouni2017",)
    traits: ClassVar[Traits] = Traits(
        context="as its recipe",
        beliefs="as its recipe",
        plays="its recipe, or a baseline where that might lose too much",
        log="as its recipe",
        part="as its recipe",
    )
    ARM_FIELDS: ClassVar[tuple[str, ...]] = ("baseline",)

    recipe: Recipe
    baseline: Any
    loss: float
    objective: Any
    mean: float | tuple[float, ...] | None = None
    terms: ApplicationTerms | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the parameters; a class becomes a recipe."""
        recipe = as_recipe(self.recipe, "Conservative.recipe")
        number("Conservative.loss", self.loss, above=0.0, below=1.0)
        if isinstance(self.objective, list):
            object.__setattr__(self, "objective", tuple(self.objective))
        if isinstance(self.mean, list):
            object.__setattr__(self, "mean", tuple(self.mean))

        for mean in self._means():
            if mean is not None:
                number("Conservative.mean", mean, above=0.0)

        object.__setattr__(self, "recipe", recipe)
        object.__setattr__(self, "accepts_partial", recipe.accepts_partial)

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
        models = _models_of(policy)
        explorer = interval_explorer(policy, "Conservative.recipe")
        require_own_beliefs(policy, "Conservative.recipe")
        if not isinstance(explorer, Ucb):
            rule = "Conservative.recipe must have confidence intervals, as MolUcb has"
            raise ValueError(f"{rule}, got {quoted(type(self.recipe).__name__)}")

        baseline = slot_of(self.terms, self.baseline, "Conservative.baseline")
        if baseline >= shape.arms:
            rule = f"Conservative.baseline must be an arm below {shape.arms}"
            raise ValueError(f"{rule}, got {quoted(self.baseline)}")

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
            objectives=[line.objective for line in lines],
            offsets=[line.offset for line in lines],
            slopes=[line.slope for line in lines],
            losses=[self.loss] * len(lines),
            means=means,
            baseline=baseline,
            models=models,
            features=shape.features,
            row=row,
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()

    def _objectives(self) -> tuple[Any, ...]:
        # Names of objectives may be tuples themselves: in an agent they are known.
        if self.terms is not None and self.objective in self.terms.objectives:
            return (self.objective,)
        return self.objective if isinstance(self.objective, tuple) else (self.objective,)

    def _means(self) -> list[float | None]:
        objectives = self._objectives()
        means = self.mean if isinstance(self.mean, tuple) else (self.mean,) * len(objectives)
        if len(means) != len(objectives):
            rule = f"Conservative.mean must have one number per objective, {len(objectives)}"
            raise ValueError(f"{rule}, got {quoted(self.mean)}")

        return list(means)

    def _lines(self, shape: Shape) -> list[Line]:
        lines = []
        for objective in self._objectives():
            line = line_of(self.terms, objective, "Conservative.objective")
            if line.objective >= shape.objectives:
                rule = f"Conservative.objective must be below {shape.objectives}"
                raise ValueError(f"{rule}, got {quoted(objective)}")
            if line.minimised:
                rule = "Conservative.objective must be maximised; costs have limits of `Within`"
                raise ValueError(f"{rule}, got {quoted(objective)}")

            lines.append(line)

        return lines


def _models_of(policy: Any) -> int:
    """How many regressions a policy has, 1 or one per arm.

    Raises:
        ValueError: where it does not rest on ridge regression, whose means of sums are sums of
            means.
    """
    inner = composite(policy)
    estimator: Any = None if inner is None else inner.estimator
    while isinstance(estimator, Scaled | Priced):
        estimator = estimator.model

    if isinstance(estimator, DisjointRidge):
        return estimator.slots
    if isinstance(estimator, Ridge):
        return 1

    name = type(policy).__name__
    rule = "Conservative.recipe must rest on ridge regression that forgets nothing, as MolUcb does"
    raise ValueError(f"{rule}, got {name}")
