"""Small random logs of every shape."""

import numpy as np

from mobandits.logs import Feedback


def make_log(
    seed=0,
    rounds=60,
    arms=3,
    features=2,
    objectives=2,
    *,
    own_rows=False,
    missing=0.0,
    eligible=False,
):
    """A log of a random logging policy, with rewards that are missing at random and arms that may not be eligible."""
    rng = np.random.default_rng(seed)
    mask = rng.random((rounds, arms)) < 0.7
    mask[np.arange(rounds), rng.integers(0, arms, rounds)] = True
    law = rng.dirichlet(np.ones(arms), rounds) * 0.8 + 0.2 / arms
    law = law * mask / (law * mask).sum(1, keepdims=True) if eligible else law
    played = np.array([rng.choice(arms, p=row) for row in law])
    contexts = rng.random((rounds, arms, features) if own_rows else (rounds, features))
    rewards = rng.random((rounds, objectives)) + 0.3 * played[:, None]
    rewards[rng.random((rounds, objectives)) < missing] = np.nan
    names = tuple("abcdefgh"[:arms])
    given = mask if eligible else None
    return Feedback(
        contexts,
        played,
        rewards,
        law[np.arange(rounds), played],
        names,
        tuple("uvwxyz"[:objectives]),
        given,
    )


def make_law(log, seed=0, sharp=1.0):
    """Probabilities of a random target."""
    rng = np.random.default_rng(seed)
    mask = np.ones((len(log), len(log.arm_names))) if log.eligible is None else log.eligible
    law = (rng.dirichlet(np.full(mask.shape[1], sharp), len(log)) + 1e-3) * mask
    return law / law.sum(1, keepdims=True)
