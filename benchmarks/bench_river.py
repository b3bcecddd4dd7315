"""Disjoint LinUCB of River."""

import math

import harness

if __name__ == "__main__":
    harness.in_environment("river", "river==0.26.1")

import linucb
import numpy as np
from river import bandit


class River:
    same_rule = (
        False  # it maximises mu + sigma with sigma^2 = 1 + x' V^-1 x, the variance of a reward
    )

    def __init__(self, arms, features):
        self.arms = list(range(arms))
        self.policy = bandit.LinUCBDisjoint(alpha=1.0, beta=1.0, seed=0)

    def context(self, x):
        return dict(enumerate(x.tolist()))

    def decide(self, x):
        return self.policy.pull(self.arms, context=x)

    def learn(self, x, arm, reward):
        self.policy.update(arm, x, reward)

    def scores(self, x):
        beliefs = [
            self.policy._bayes_lin_regs[arm].predict_one(x, with_dist=True) for arm in self.arms
        ]
        return np.array(
            [belief.mu + math.sqrt(max(belief.sigma**2 - 1.0, 0.0)) for belief in beliefs]
        )


RULE = (
    "River adds the noise of a reward to the doubt about its mean: its bound is mu + sqrt(1 + w^2) where LinUCB's is "
    "mu + w. What is checked is that our arm has the largest mu + w of its means and variances."
)

if __name__ == "__main__":
    linucb.compare("river", "River 0.26.1", River, [RULE])
