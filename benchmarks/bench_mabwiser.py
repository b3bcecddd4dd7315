"""Disjoint LinUCB of MABWiser."""

import harness

if __name__ == "__main__":
    harness.in_environment("mabwiser", "mabwiser==2.7.4")

import linucb
import numpy as np
from mabwiser.mab import MAB, LearningPolicy


class MabWiser:
    same_rule = True

    def __init__(self, arms, features):
        self.mab = MAB(list(range(arms)), LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0))
        # It must be fitted once before it may decide; a click of 0 on a context of zeros teaches nothing.
        self.mab.fit(np.array([0]), np.array([0.0]), np.zeros((1, features)))

    def context(self, x):
        return x[None]

    def decide(self, x):
        return self.mab.predict(x)

    def learn(self, x, arm, reward):
        self.mab.partial_fit(np.array([arm]), np.array([reward]), x)

    def scores(self, x):
        return list(self.mab.predict_expectations(x).values())


if __name__ == "__main__":
    linucb.compare("mabwiser", "MABWiser 2.7.4", MabWiser, [])
