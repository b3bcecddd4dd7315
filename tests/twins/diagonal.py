"""Ridge regression step by step with whole matrices, of whose inverse the diagonal is kept."""

import numpy as np


class DiagonalTwin:
    """One model of one objective."""

    def __init__(self, features, penalty, discount=1.0):
        self.penalty, self.discount = penalty, discount
        self.gram = penalty * np.eye(features)
        self.theta = np.zeros(features)
        self.seen = self.residuals = self.squares = 0.0

    def learn(self, x, reward):
        active = np.diag((x != 0.0).astype(float))
        kept = self.discount * self.gram + (1.0 - self.discount) * self.penalty * np.eye(len(x))
        before = active @ kept + (np.eye(len(x)) - active) @ self.gram
        after = before + np.outer(x, x)
        # The exact posterior of the whole matrix, from the prior N(theta, before^-1).
        error = reward - self.theta @ x
        self.theta = np.linalg.solve(after, before @ self.theta + reward * x)
        variance = 1.0 + x @ np.linalg.solve(before, x)
        self.gram = np.diag(1.0 / np.diag(np.linalg.inv(after)))
        self.seen = self.discount * self.seen + 1.0
        self.residuals = self.discount * self.residuals + error**2 / variance
        self.squares = self.discount * self.squares + reward**2

    def mean(self, x):
        return x @ self.theta

    def width(self, x):
        return np.sqrt(x @ np.linalg.inv(self.gram) @ x)
