"""A recipe as a scikit-learn estimator, for tables of logged decisions. It needs scikit-learn, of the extra `data`."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mobandits.compiling.compiled import loop_for
from mobandits.contracts.assumptions import first_violation, message
from mobandits.contracts.protocols import Array, IntArray, Policy, Recipe, Rng, Shape
from mobandits.errors import CompileError, InputWarning
from mobandits.interop.rows import add_laws, choose_rows, learn_rows
from mobandits.support.checks import as_float_array, integer, require_complete
from mobandits.support.naming import quoted, shortened
from mobandits.support.nearest import as_object, did_you_mean
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
    """Learns from rows (context, arm, rewards) and says which arms to play for further contexts.

    All arms share the context: recipes that learn from features give every arm a model of its own. They have no
    intercept; a column of ones in X is one. As the last step of a pipeline it is fitted with
    ``pipeline.fit(X, arms, bandit__rewards=Y)``, if that is the step's name.

    Rows may come from any policy. Recipes that must know how their own choices were made are refused: `Exp3P`,
    `ScalarizedUcb1` and `CsUcb1`, zooming, known periods, random boundaries of cells. So is what begins anew
    (`Doubling`).

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: the labels of all arms, numbers or text; None: those of the first rows.
        rounds: the horizon, for recipes that need one.
        random_state: None, an integer, or a `numpy.random.Generator`. With an integer every call of `predict` draws the
            same numbers: take a Generator where contexts come one at a time.

    Attributes:
        arms_: (arms,) the labels.
        n_features_in_: number of columns of X.
        n_objectives_: number of columns of the rewards.
        policy_: what the recipe was bound to.
        state_: what it has learned, a NamedTuple of arrays.

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
    ) -> None:
        self.recipe = recipe
        self.arms = arms
        self.rounds = rounds
        self.random_state = random_state

    def fit(self, X: Any, arms: Any, rewards: Any) -> "MultiObjectiveBandit":
        """Forget everything and learn the rows.

        Args:
            X: (rows, features) contexts.
            arms: (rows,) the labels of the arms that were played.
            rewards: (rows, objectives), or (rows,) of one objective; all are maximised, NaN where not observed.

        Raises:
            ValueError: naming parameter, rule and value.
        """
        contexts, labels, paid = self._rows(X, arms, rewards, reset=True)
        known, policy = self._bound(labels, contexts.shape[2], paid.shape[1])
        state = self._learned(policy, policy.init(), contexts, places(labels, known), paid)
        self.arms_ = known
        self.n_objectives_ = paid.shape[1]
        self.policy_ = policy
        self.state_ = state
        return self

    def partial_fit(self, X: Any, arms: Any, rewards: Any) -> "MultiObjectiveBandit":
        """Learn further rows; the first call is `fit`. Arguments as there; new arms and objectives are refused."""
        if not hasattr(self, "state_"):
            return self.fit(X, arms, rewards)
        contexts, labels, paid = self._rows(X, arms, rewards, reset=False)
        if paid.shape[1] != self.n_objectives_:
            raise ValueError(
                f"rewards must have {self.n_objectives_} objectives, got {paid.shape[1]}"
            )
        self.state_ = self._learned(
            self.policy_, self.state_, contexts, places(labels, self.arms_), paid
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """(rows,) the label of an arm per context, drawn by the policy's rule; nothing is learned."""
        contexts = self._contexts(X)
        chosen = np.empty(len(contexts), np.int64)
        loop_for(choose_rows, self.policy_)(
            self.policy_, self.state_, contexts, self._everyone(), self._rng(), chosen
        )
        labels: NDArray[Any] = self.arms_[chosen]
        return labels

    def predict_proba(self, X: Any, samples: int = 100) -> Array:
        """(rows, arms) the probability of each of `arms_` under the policy's rule.

        Exact where the policy believes something definite. Where its beliefs are sampled (Thompson sampling), the
        average over `samples` draws of them, with a standard error of at most 0.5 / sqrt(samples).
        """
        integer("samples", samples, at_least=1)
        contexts = self._contexts(X)
        arms = self._everyone()
        rng = self._rng()
        law = np.zeros((len(contexts), len(arms)))
        before = str(rng.bit_generator.state)
        add = loop_for(add_laws, self.policy_)
        add(self.policy_, self.state_, contexts, arms, rng, law)
        if str(rng.bit_generator.state) == before:  # nothing was drawn
            return law
        for _ in range(samples - 1):
            add(self.policy_, self.state_, contexts, arms, rng, law)
        return law / samples

    def _rows(
        self, X: Any, arms: Any, rewards: Any, *, reset: bool
    ) -> tuple[Array, NDArray[Any], Array]:
        """Contexts (rows, 1, features), labels (rows,) and rewards (rows, objectives), checked."""
        contexts = self._contexts(X, reset=reset)
        paid = check_array(
            rewards,
            dtype=np.float64,
            ensure_2d=False,
            ensure_all_finite="allow-nan",
            input_name="rewards",
        )
        paid = as_float_array("rewards", paid[:, None] if paid.ndim == 1 else paid)
        labels = one_dimensional("arms", arms)
        check_consistent_length(contexts, labels, paid)
        self._look_at(contexts, paid)
        return contexts, labels, paid

    def _contexts(self, X: Any, *, reset: bool = False) -> Array:
        if not reset:
            check_is_fitted(self)
        return as_float_array(
            "X", validate_data(self, X, dtype=np.float64, order="C", reset=reset)
        )[:, None]

    def _look_at(self, contexts: Array, paid: Array) -> None:
        """Refuse or warn of what the recipe assumes."""
        if not isinstance(self.recipe, Recipe):
            found = f"{quoted(self.recipe)}{as_object(self.recipe)}"
            raise ValueError(f"recipe must be a recipe such as MolUcb(scale=0.3), got {found}")
        if not self.recipe.accepts_partial and np.isnan(paid).any():
            require_complete(self.recipe, paid[np.isnan(paid).any(1)][0])
        for assumption in self.recipe.assumptions():
            if (bad := first_violation(assumption, contexts, paid)) is not None:
                if assumption.refuse:
                    raise ValueError(f"{message(assumption)}, got {bad:g}")
                warnings.warn(message(assumption), InputWarning, stacklevel=4)

    def _bound(
        self, labels: NDArray[Any], features: int, objectives: int
    ) -> tuple[NDArray[Any], Policy]:
        """The labels of all arms, and the policy before its first row."""
        known = np.unique(labels) if self.arms is None else one_dimensional("arms", self.arms)
        if len(set(known.tolist())) < len(known) or not len(known):
            raise ValueError(
                f"arms must be different labels, at least one, got {quoted(known.tolist())}"
            )
        if self.rounds is not None:
            integer("rounds", self.rounds, at_least=1)
        policy, last = next(
            self.recipe.stages(Shape(len(known), features, objectives, self.rounds, shared=True))
        )
        if last is not None:
            raise ValueError(
                f"recipe must not begin anew, got {quoted(self.recipe)}, which does after {last} rounds"
            )
        return known, policy

    def _learned(
        self, policy: Policy, state: Any, contexts: Array, arms: IntArray, paid: Array
    ) -> Any:
        try:
            return loop_for(learn_rows, policy)(policy, state, contexts, arms, paid, self._rng())
        except (CompileError, TypeError) as error:
            rule = "recipe must be able to learn from choices that it did not make"
            raise ValueError(f"{rule}, got {quoted(self.recipe)}") from error

    def _everyone(self) -> IntArray:
        return np.arange(len(self.arms_))

    def _rng(self) -> Rng:
        given = self.random_state
        if given is not None and not isinstance(given, np.random.Generator):
            integer("random_state", given, at_least=0)
        return np.random.default_rng(given)


def places(labels: NDArray[Any], known: NDArray[Any]) -> IntArray:
    """(rows,) where each label stands in `known`.

    Example:
        >>> places(np.array(["b", "a", "b"]), np.array(["a", "b"])).tolist()
        [1, 0, 1]
    """
    place = {label: i for i, label in enumerate(known.tolist())}
    unknown = [label for label in labels.tolist() if label not in place]
    if unknown:
        names = shortened(", ".join(map(str, place)))
        raise ValueError(
            f"arms must be among {names}, got {quoted(unknown[0])}{did_you_mean(unknown[0], place)}"
        )
    return np.array([place[label] for label in labels.tolist()])


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
