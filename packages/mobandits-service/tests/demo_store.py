"""A store with some hours of a router's life, for pages to show."""

import time

import numpy as np
from services import specification

from mobandits import Agent, Budget, Objective
from mobandits.logs.store import Store
from mobandits.orders import Weighted
from mobandits.policies import MolUcb, WithFloor

POLICY = {"name": "with-floor", "recipe": {"name": "mol-ucb", "scale": 0.3}, "epsilon": 0.1}
ARMS = ["small", "medium", "large"]
# What arms bring: quality and its growth with difficulty, and USD per call.
QUALITY = {"small": (0.72, -0.30), "medium": (0.80, -0.16), "large": (0.88, -0.04)}
COST = {"small": 0.0004, "medium": 0.002, "large": 0.009}
OBJECTIVES = [
    {"name": "quality", "low": 0.0, "high": 1.0},
    {"name": "cost", "minimise": True, "unit": "USD", "low": 0.0, "high": 0.02},
]
BUDGET = {"objective": "cost", "limit": 60.0, "per": "month"}
HOURS = 6.0


def demo_specification(arms=ARMS, **more):
    """The specification of the router."""
    router = {
        "policy": POLICY,
        "arms": list(arms),
        "features": 3,
        "objectives": OBJECTIVES,
        "budgets": [BUDGET],
    }
    return specification(**{"router": router, **more})


def write_demo(path, decisions=3000, arms=ARMS, name="router", seed=5):
    """Play the router with users whose questions get harder during the day, up to this moment."""
    rng = np.random.default_rng(seed)
    # Calls come in waves; the last one came just now. A reward takes a second.
    waves = 1.0 + 0.6 * np.sin(9.0 * np.arange(decisions) / decisions)
    gaps = rng.exponential(size=decisions) * waves
    gaps *= (HOURS * 3600.0 - decisions - 10.0) / gaps.sum()
    now = [time.time() - HOURS * 3600.0]
    with Store(path, agent=name) as store:
        agent = Agent(
            WithFloor(MolUcb(scale=0.3), epsilon=0.1),
            arms=list(arms),
            features=3,
            objectives=[Objective(**each) for each in OBJECTIVES],
            budgets=[Budget(**BUDGET)],
            propensity="exact",
            log=store,
            clock=lambda: now[0],
        )
        for i in range(decisions):
            now[0] += gaps[i]
            if i == decisions // 2:
                agent.preference = Weighted([0.6, 0.4])
            difficulty = rng.beta(2.0, 3.0 - 1.5 * i / decisions)
            decision = agent.decide([1.0, difficulty, rng.random()])
            place = ARMS[list(arms).index(decision.arm) % len(ARMS)]
            base, slope = QUALITY[place]
            quality = np.clip(base + slope * difficulty + 0.1 * rng.standard_normal(), 0.0, 1.0)
            cost = COST[place] * rng.lognormal(0.0, 0.4)
            now[0] += 1.0
            if rng.random() < 0.93:
                agent.learn(
                    decision.id, {"quality": float(quality), "cost": min(float(cost), 0.02)}
                )
        agent.close()
