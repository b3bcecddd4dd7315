"""Disjoint LinUCB of contextualbandits."""

import harness

if __name__ == "__main__":
    harness.in_environment("contextualbandits", "contextualbandits==0.3.30")

import linucb
import numpy as np
from contextualbandits.online import LinUCB


class ContextualBandits:
    same_rule = True

    def __init__(self, arms, features, *, single=True):
        self.policy = LinUCB(
            arms, alpha=1.0, lambda_=1.0, fit_intercept=False, use_float=single, random_state=1
        )
        # Before its first lesson it decides at random; a click of 0 on a context of zeros teaches nothing.
        self.policy.partial_fit(np.zeros((1, features)), np.array([0]), np.array([0.0]))

    def context(self, x):
        return x[None]

    def decide(self, x):
        return int(self.policy.predict(x)[0])

    def learn(self, x, arm, reward):
        self.policy.partial_fit(x, np.array([arm]), np.array([reward]))

    def scores(self, x):
        return self.policy.decision_function(x)[0]


if __name__ == "__main__":
    linucb.compare(
        "contextualbandits",
        "contextualbandits 0.3.30",
        ContextualBandits,
        ["Its single-precision mode, the default, is timed; the double-precision mode is checked."],
        exact=lambda arms, features: ContextualBandits(arms, features, single=False),
    )
