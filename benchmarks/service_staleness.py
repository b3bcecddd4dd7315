"""What is lost where decisions are made by a state that is up to 100 decisions old: S9.

Beliefs and draws leave the state alone, and only learning changes it. So to decide by a copy that is refreshed every
100 decisions is to learn after every 100 decisions what was decided meanwhile.
"""

import numpy as np

import mobandits as mob
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import PROMPTS
from mobandits.orders import Weighted
from mobandits.policies import MolUcb

SEEDS = 10
AGE = 100
SCALE = 1.0  # with a small one an agent may stay with one arm
# Of quality; the rest is that of the price. A preference for one of them alone has nothing to choose.
WEIGHTS = (0.3, 0.5, 0.7)


def value(problem, seed, weights, age):
    """The mean of what an agent gets, weighted, that learns after so many decisions each."""
    shape = problem.shape
    agent = mob.Agent(
        MolUcb(scale=SCALE),
        arms=shape.arms,
        features=shape.features,
        objectives=shape.objectives,
        seed=seed,
    )
    agent.preference = Weighted(weights)
    got = 0.0
    for start in range(0, PROMPTS, age):
        made = []
        for prompt in problem.order[start : start + age]:
            decision = agent.decide(problem.contexts[prompt, 0])
            rewards = problem.rewards[prompt, decision.arm]
            made.append((decision.id, rewards.tolist()))
            got += float(rewards @ weights)

        for number, rewards in made:
            agent.learn(number, rewards)

    return got / PROMPTS


def losses():
    """(seeds, weights) shares of the value that are lost, of the same prompts in the same order."""
    lost = []
    for seed in range(SEEDS):
        problem = LlmRouting().problem(PROMPTS, np.random.default_rng(seed))
        row = []
        for weight in WEIGHTS:
            weights = (weight, 1.0 - weight)
            live = value(problem, seed, weights, 1)
            stale = value(problem, seed, weights, AGE)
            row.append(1.0 - stale / live)
        lost.append(row)

    return np.array(lost)
