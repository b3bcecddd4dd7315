"""A recipe as a scikit-learn estimator, for tables of logged decisions.

It needs scikit-learn, of the extra `data`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.assumptions import enforce
from mobandits.contracts.protocols import Array, IntArray, Policy, Recipe, Rng, Shape
from mobandits.encoding.encoder import Encoder
from mobandits.errors import CompileError
from mobandits.interop.rows import add_row_probabilities, choose_rows, learn_rows
from mobandits.support.checks import as_float_array, integer, require_complete
from mobandits.support.naming import quoted, shortened, wrong_value
from mobandits.support.nearest import as_object, refusal
from mobandits.support.optional import missing_extra

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import (
        check_array,
        check_consistent_length,
        check_is_fitted,
        validate_data,
    )
except ImportError as error:
    raise missing_extra("mobandits.interop.scikit_learn", "data") from error

__all__ = ["MultiObjectiveBandit"]


class MultiObjectiveBandit(BaseEstimator):  # type: ignore[misc] # untyped
    """An estimator that learns from rows (context, arm, rewards) and predicts arms to play.

    All arms share the context: recipes that learn from features give every arm a model of its own.
    They have no intercept; a column of ones in X is one. As the last step of a pipeline it is
    fitted with ``pipeline.fit(X, arms, bandit__rewards=Y)``, if that is the step's name.

    Rows may come from any policy. Recipes that must know how their own choices were made are
    refused: `Exp3P`, `ScalarizedUcb1` and `CsUcb1`, zooming, known periods, random boundaries of
    cells. So is what begins anew (`Doubling`).

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: the labels of all arms, numbers or text; None: those of the first rows.
        rounds: the horizon, for recipes that need one.
        random_state: None, an integer, or a `numpy.random.Generator`. With an integer every call of
            `predict` draws the same numbers: take a Generator where contexts come one at a time.
        encoder: a fitted `Encoder`: X is then a table of its columns; None: X is numbers.

    Attributes:
        arms_: (arms,) the labels.
        n_features_in_: number of columns of X, or of the encoder's features.
        n_objectives_: number of columns of the rewards.
        policy_: the bound recipe.
        state_: its state after all rows, a NamedTuple of arrays.

    Reference:
        scikit-learn, "Developing scikit-learn estimators", for the conventions.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> X, arms = [[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["a", "a", "b", "b"]
        >>> rewards = [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
        >>> bandit = MultiObjectiveBandit(MolUcb(scale=0.01), random_state=1).fit(X, arms, rewards)
        >>> bandit.predict([[1.0, 0.0], [1.0, 1.0]]).tolist()
        ['b', 'a']
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: Sequence[Any] | None = None,
        rounds: int | None = None,
        random_state: int | np.random.Generator | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        self.recipe = recipe
        self.arms = arms
        self.rounds = rounds
        self.random_state = random_state
        self.encoder = encoder

    def fit(self, X: Any, arms: Any, rewards: Any) -> "MultiObjectiveBandit":
        """Learn the rows, in the policy's first state.

        Args:
            X: (rows, features) contexts.
            arms: (rows,) the labels of the arms that were played.
            rewards: (rows, objectives), or (rows,) of one objective; all are maximised, NaN where
                not observed.

        Raises:
            ValueError: naming parameter, rule and value.
        """
        contexts, labels, outcomes = self._rows(X, arms, rewards, reset=True)
        features = contexts.shape[2]
        objectives = outcomes.shape[1]
        known, policy = self._bound(labels, features, objectives)
        positions = positions_of(labels, known)
        state = self._learned(policy, policy.init(), contexts, positions, outcomes)
        # Set at last: a fit that fails leaves the estimator as it was.
        self.arms_ = known
        self.n_objectives_ = objectives
        self.policy_ = policy
        self.state_ = state

        return self

    def partial_fit(self, X: Any, arms: Any, rewards: Any) -> "MultiObjectiveBandit":
        """Learn further rows; the first call is `fit`.

        Arguments as there; new arms and objectives are refused.
        """
        if not hasattr(self, "state_"):
            return self.fit(X, arms, rewards)

        contexts, labels, outcomes = self._rows(X, arms, rewards, reset=False)
        objectives = outcomes.shape[1]
        if objectives != self.n_objectives_:
            raise ValueError(f"rewards must have {self.n_objectives_} objectives, got {objectives}")

        positions = positions_of(labels, self.arms_)
        self.state_ = self._learned(self.policy_, self.state_, contexts, positions, outcomes)

        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """(rows,) the label of an arm per context, drawn by the policy; nothing is learned."""
        contexts = self._contexts(X)
        arms = np.arange(len(self.arms_))
        rng = self._rng()
        chosen = np.empty(len(contexts), np.int64)
        choose = loop_for(choose_rows, self.policy_)
        choose(self.policy_, self.state_, contexts, arms, rng, chosen)
        labels: NDArray[Any] = self.arms_[chosen]

        return labels

    def predict_proba(self, X: Any, samples: int = 100) -> Array:
        """(rows, arms) the probability of each of `arms_` under the policy's rule.

        Exact where the policy believes something definite. Where its beliefs are sampled (Thompson
        sampling), the average over `samples` draws of them, with a standard error of at most 0.5 /
        sqrt(samples).
        """
        integer("samples", samples, at_least=1)
        contexts = self._contexts(X)
        arms = np.arange(len(self.arms_))
        rng = self._rng()
        sums = np.zeros((len(contexts), len(arms)))
        add = loop_for(add_row_probabilities, self.policy_)
        # As text: some generators' states hold arrays, which have no single truth value.
        before = str(rng.bit_generator.state)
        add(self.policy_, self.state_, contexts, arms, rng, sums)
        # Where nothing was drawn, beliefs are certain, and so are the probabilities.
        if str(rng.bit_generator.state) == before:
            return sums

        for _ in range(samples - 1):
            add(self.policy_, self.state_, contexts, arms, rng, sums)

        return sums / samples

    def _rows(
        self, X: Any, arms: Any, rewards: Any, *, reset: bool
    ) -> tuple[Array, NDArray[Any], Array]:
        """Contexts (rows, 1, features), labels (rows,) and rewards (rows, objectives), checked."""
        contexts = self._contexts(X, reset=reset)
        outcomes = check_array(
            rewards,
            dtype=np.float64,
            ensure_2d=False,
            ensure_all_finite="allow-nan",
            input_name="rewards",
        )
        if outcomes.ndim == 1:
            outcomes = outcomes[:, None]

        outcomes = as_float_array("rewards", outcomes)
        labels = one_dimensional("arms", arms)
        check_consistent_length(contexts, labels, outcomes)
        self._check_assumptions(contexts, outcomes)

        return contexts, labels, outcomes

    def _contexts(self, X: Any, *, reset: bool = False) -> Array:
        if not reset:
            check_is_fitted(self)

        if self.encoder is not None:
            X = self.encoder.encode_table(X)

        # In C order: compiled loops accept contiguous rows only.
        table = validate_data(self, X, dtype=np.float64, order="C", reset=reset)
        contexts = as_float_array("X", table)

        return contexts[:, None]

    def _check_assumptions(self, contexts: Array, outcomes: Array) -> None:
        """Refuse rows that break the recipe's assumptions, or warn of them."""
        recipe = self.recipe
        if not isinstance(recipe, Recipe):
            rule = "recipe must be a recipe such as MolUcb(scale=0.3)"
            raise ValueError(f"{rule}, got {quoted(recipe)}{as_object(recipe)}")

        partial = np.isnan(outcomes).any(1)
        if not recipe.accepts_partial and partial.any():
            require_complete(recipe, outcomes[partial][0])

        for assumption in recipe.assumptions():
            # A warning points at the line that called `fit`.
            enforce(assumption, contexts, outcomes, stacklevel=4)

    def _bound(
        self, labels: NDArray[Any], features: int, objectives: int
    ) -> tuple[NDArray[Any], Policy]:
        """The labels of all arms, and the policy before its first row."""
        known = np.unique(labels) if self.arms is None else one_dimensional("arms", self.arms)
        names = known.tolist()
        if not names or len(set(names)) < len(names):
            raise wrong_value("arms must be different labels, at least one", names)
        if self.rounds is not None:
            integer("rounds", self.rounds, at_least=1)

        shape = Shape(
            arms=len(names),
            features=features,
            objectives=objectives,
            rounds=self.rounds,
            shared=True,
        )
        # A recipe that begins anew would forget rows that the user means to be learned.
        policy, last = next(self.recipe.stages(shape))
        if last is not None:
            rule = "recipe must not begin anew"
            got = quoted(self.recipe)
            raise ValueError(f"{rule}, got {got}, which does after {last} rounds")

        return known, policy

    def _learned(
        self, policy: Policy, state: Any, contexts: Array, arms: IntArray, outcomes: Array
    ) -> Any:
        rng = self._rng()
        try:
            learn = loop_for(learn_rows, policy)
            return learn(policy, state, contexts, arms, outcomes, rng)
        # A policy that reads the note of its choice fails on None, compiled or interpreted.
        except (AttributeError, CompileError, TypeError) as error:
            raise wrong_value(
                "recipe must be able to learn from choices that it did not make", self.recipe
            ) from error

    def _rng(self) -> Rng:
        seed = self.random_state
        if seed is not None and not isinstance(seed, np.random.Generator):
            integer("random_state", seed, at_least=0)
        return np.random.default_rng(seed)


def positions_of(labels: NDArray[Any], known: NDArray[Any]) -> IntArray:
    """(rows,) the position of each label in `known`.

    Example:
        >>> positions_of(np.array(["b", "a", "b"]), np.array(["a", "b"])).tolist()
        [1, 0, 1]
    """
    positions = {label: i for i, label in enumerate(known.tolist())}
    out = np.empty(len(labels), np.int64)
    for row, label in enumerate(labels.tolist()):
        if label not in positions:
            names = shortened(", ".join(map(str, positions)))
            raise ValueError(refusal("arms", f"be among {names}", label, positions))

        out[row] = positions[label]

    return out


def one_dimensional(name: str, labels: Any) -> NDArray[Any]:
    """Labels as an array with one axis.

    Example:
        >>> one_dimensional("arms", ["small", "large"]).tolist()
        ['small', 'large']
    """
    array = np.asarray(labels)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (rows,), got {array.shape}")
    return array
