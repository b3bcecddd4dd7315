"""Environments whose truth is known, logged by a policy whose propensities are known."""

import functools
from typing import NamedTuple

import numpy as np

from mobandits.environments import Linear, LlmRouting
from mobandits.logs import Feedback


class World(NamedTuple):
    """A finite population of rounds; logs draw from it with replacement, so that its means are the truth.

    contexts (population, arms or 1, features), rewards (population, arms, objectives), laws (population, arms).
    """

    contexts: np.ndarray
    rewards: np.ndarray
    logging: np.ndarray
    target: np.ndarray

    def value(self, law):
        """(objectives,) the true value of probabilities on the population."""
        return np.einsum("na,nal->l", law, self.rewards) / len(law)

    def log(self, rounds, seed):
        """A log of so many rounds, and which of the population they are."""
        rng = np.random.default_rng(seed)
        rows = rng.integers(0, len(self.rewards), rounds)
        return self.log_of(rows, rng), rows

    def log_of(self, rows, rng):
        """What the logging policy does in these rounds."""
        law = self.logging[rows]
        arms = (law.cumsum(1) < rng.random((len(rows), 1)) * law.sum(1, keepdims=True)).sum(1)
        contexts = self.contexts[rows]
        contexts = contexts[:, 0] if contexts.shape[1] == 1 else contexts
        played = np.arange(len(rows)), arms
        names = tuple("abcdefgh"[: law.shape[1]])
        objectives = ("quality", "thrift", "speed")[: self.rewards.shape[2]]
        return Feedback(contexts, arms, self.rewards[rows][played], law[played], names, objectives)


def softmax(scores, floor):
    """(rounds, arms) probabilities, none below `floor` / arms."""
    law = np.exp(scores - scores.max(1, keepdims=True))
    return floor / scores.shape[1] + (1.0 - floor) * law / law.sum(1, keepdims=True)


@functools.cache
def linear_world(population=20_000, arms=4, features=3):
    """Arms with features of their own and linear rewards with noise; both policies look at the first two features."""
    rng = np.random.default_rng(11)
    problem = Linear(arms=arms, features=features, objectives=2, noise=0.3).problem(population, rng)
    block = problem.block(0, population, rng)
    x = block.contexts
    return World(x, block.rewards, softmax(1.5 * x[:, :, 0], 0.2), softmax(3.0 * x[:, :, 1], 0.05))


@functools.cache
def routing_world():
    """Prompts to three language models: quality and thrift, as recorded. The logging policy prefers the cheap model;
    the target mostly asks the middle one, more so where the text has much of its second feature."""
    rng = np.random.default_rng(12)
    problem = LlmRouting().problem(LlmRouting.max_rounds, rng)
    block = problem.block(0, LlmRouting.max_rounds, rng)
    x = block.contexts[:, 0]
    logging = softmax(
        np.stack([0.7 + 4.0 * x[:, 0], 0.0 * x[:, 0], -0.3 - 3.0 * x[:, 1]], axis=1), 0.2
    )
    target = softmax(np.stack([0.0 * x[:, 0], 0.8 + 6.0 * x[:, 1], 4.0 * x[:, 2]], axis=1), 0.05)
    return World(block.contexts, block.rewards, logging, target)


WORLDS = {"linear": linear_world, "llm_routing": routing_world}
