"""Ridge regression and sample means from the whole history, recomputed in every round."""

import numpy as np


class History:
    """What was played and paid so far."""

    def __init__(self, arms, features, objectives):
        self.k, self.d, self.l = arms, features, objectives
        self.xs, self.played, self.paid = [], [], []

    def learn(self, x, arm, reward):
        self.xs.append(np.array(x))
        self.played.append(arm)
        self.paid.append(np.array(reward))

    @property
    def t(self):
        """Rounds so far."""
        return len(self.xs)

    def ridge(self, penalty=1.0):
        """The inverse Gram matrix and theta (objectives, features)."""
        xs, paid = np.array(self.xs).reshape(-1, self.d), np.array(self.paid).reshape(-1, self.l)
        inverse = np.linalg.inv(penalty * np.eye(self.d) + xs.T @ xs)
        return inverse, (inverse @ xs.T @ paid).T

    def linear(self, context):
        """Estimates (arms, objectives) and widths (arms,)."""
        inverse, theta = self.ridge()
        return context @ theta.T, np.sqrt(np.einsum("ij,jk,ik->i", context, inverse, context))

    def of(self, arm):
        """(plays, objectives) what an arm paid."""
        return np.array(
            [r for a, r in zip(self.played, self.paid, strict=True) if a == arm]
        ).reshape(-1, self.l)

    def means(self):
        """Plays (arms,) and mean rewards (arms, objectives), 0 before the first play."""
        each = [self.of(a) for a in range(self.k)]
        return np.array([len(r) for r in each]), np.array(
            [r.mean(0) if len(r) else np.zeros(self.l) for r in each]
        )


def component(low, high, among):
    """Arms joined to the leader by overlapping closed intervals: the transitive closure, by hand."""
    inside = among & (high == high[among].max())
    while True:
        meets = [
            (
                among[b]
                and any(
                    inside[a] and low[a] <= high[b] and low[b] <= high[a] for a in range(len(low))
                )
            )
            for b in range(len(low))
        ]
        grown = inside | np.array(meets)
        if (grown == inside).all():
            return inside
        inside = grown


def last_leader(mean, half):
    """The leader of the last objective after the filter; `half` is (arms, objectives) or a number."""
    low, high, among = mean - half, mean + half, np.ones(len(mean), bool)
    for i in range(mean.shape[1] - 1):
        among = component(low[:, i], high[:, i], among)
    last = np.where(among, high[:, -1], -np.inf)
    return last == last.max()
