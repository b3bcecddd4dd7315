"""Plays of a recipe, and what its rule would have had to know in every round."""

from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.simulation.play import play
from mobandits.testing import DEFAULT_SHAPE

K, D, L, T = DEFAULT_SHAPE[:4]
OWN = DEFAULT_SHAPE
SHARED = DEFAULT_SHAPE._replace(shared=True)


class Played(NamedTuple):
    """A play: contexts (rounds, arms or 1, features), and the rewards (rounds, objectives) of the arms `chosen`."""

    contexts: np.ndarray
    rewards: np.ndarray
    chosen: np.ndarray
    fronts: np.ndarray
    state: object

    def rows(self, t):
        """(arms, features) what round t showed."""
        return np.broadcast_to(self.contexts[t], (K, D))

    def before(self, t):
        """Features, arms and rewards of the rounds before round t."""
        xs = np.array([self.rows(s)[self.chosen[s]] for s in range(t)]).reshape(t, D)
        return xs, self.chosen[:t], self.rewards[:t]


def played(recipe, shape=OWN, rounds=T, seed=0, state=None, learn=True, kind="gaussian"):
    """A play of random contexts and rewards; without `learn` no reward is observed: every round is the first.

    Short plays are interpreted, which is faster than to compile them; the conformance suite shows them to be the same.
    """
    rng = np.random.default_rng(seed)
    contexts = rng.random((rounds if learn else 1, 1 if shape.shared else K, D))
    rewards = (
        contexts.mean(2, keepdims=True)
        + rng.random((K, L))
        + 0.1 * rng.standard_normal((rounds, K, L))
    )
    if kind == "binary":
        rewards = (rng.random((rounds, K, L)) < 0.5).astype(float)
    if kind == "unit":
        rewards = rng.random((rounds, K, L)) * rng.random((K, L))
    policy = recipe.bind(shape)
    chosen, fronts = np.empty(rounds, np.int64), np.zeros((rounds, K), np.bool_)
    observed = rewards if learn else np.full_like(rewards, np.nan)
    state = policy.init() if state is None else state
    loop = compile_loop(play, policy) if rounds > T else play
    state = loop(
        policy,
        state,
        contexts,
        observed,
        np.arange(K),
        np.random.default_rng(seed + 1),
        chosen,
        fronts,
    )
    return Played(contexts, rewards[np.arange(rounds), chosen], chosen, fronts, state)


def ridge(xs, rewards, penalty):
    """The inverse Gram matrix and the estimates (objectives, features)."""
    inverse = np.linalg.inv(penalty * np.eye(D) + xs.T @ xs)
    return inverse, (inverse @ xs.T @ rewards).T


def regressions(xs, arms, rewards, penalty, shared):
    """Inverse, estimates and number of lessons of every arm's model."""
    if not shared:
        return [(*ridge(xs, rewards, penalty), len(xs))] * K
    return [
        (*ridge(xs[arms == a], rewards[arms == a], penalty), (arms == a).sum()) for a in range(K)
    ]


def estimates(models, rows):
    """(arms, objectives) means and (arms, 1) widths."""
    mean = np.array([theta @ x for (_, theta, _), x in zip(models, rows, strict=True)])
    width = np.array(
        [[np.sqrt(x @ inverse @ x)] for (inverse, _, _), x in zip(models, rows, strict=True)]
    )
    return mean, width


def pareto(values, among=None):
    """(arms,) the Pareto front, by definition, of some arms."""
    among = np.ones(len(values), bool) if among is None else among
    dominates = (
        (values[:, None] >= values).all(2) & (values[:, None] > values).any(2) & among[:, None]
    )
    return among & ~dominates.any(0)


def close(count, probability, n, sigmas=5):
    """Whether counts of `n` rounds fit probabilities."""
    return (
        np.abs(count - n * probability)
        <= sigmas * np.sqrt(n * probability * (1 - probability)) + 1e-9
    ).all()


__all__ = [
    "OWN",
    "SHARED",
    "D",
    "K",
    "L",
    "Played",
    "Shape",
    "T",
    "close",
    "estimates",
    "pareto",
    "played",
    "regressions",
    "ridge",
]
