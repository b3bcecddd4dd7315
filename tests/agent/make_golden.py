"""Makes the files in data/, once per version of the format: `python make_golden.py`.

What reads them must not change until the version does. Each is an agent's file and a JSON of what
that agent did after it was written.
"""

import json
from pathlib import Path

import numpy as np
from slow_twin import Clock
from state_files import rich_agent

import mobandits as mob
from mobandits.agent.file_layout import VERSION
from mobandits.encoding import Boolean, Category, Date, Encoder, Hashed, Number, Text
from mobandits.policies import (
    AnnealingPareto,
    CdUcb1,
    CsUcb1,
    Doubling,
    MolUcb,
    ParetoKg,
    Pcz,
    ScalarizedUcb1,
    WithFloor,
)

DATA = Path(__file__).parent / "data"


def rich():
    """An agent with something in every place, and its clock."""
    clock = Clock()
    return rich_agent(clock), clock


def staged():
    """An agent in the third stage of its recipe, whose decisions carry notes."""
    clock, rng = Clock(), np.random.default_rng(6)
    recipe = Doubling(ScalarizedUcb1(check=False), first=4)
    agent = mob.Agent(
        recipe, arms=3, features=0, objectives=["x", "y"], seed=5, propensity="none", clock=clock
    )
    for _ in range(16):
        number = agent.decide().id
        if number % 3:
            agent.learn(number, rng.random(2))
    return agent, clock


def taught(recipe, features=0, grid=None):
    """An agent without context or with a shared one, which has learned whole rewards; some decisions wait."""
    clock, rng = Clock(), np.random.default_rng(7)
    options = {
        "arms": ["a", "b", "c"],
        "features": features,
        "objectives": ["x", "y"],
        "rounds": 200,
        "seed": 5,
    }
    agent = mob.Agent(recipe, propensity="none", clock=clock, **options)
    for _ in range(60):
        context = rng.random(features) if features else None
        if grid:
            context = np.round(context * grid) / grid
        number = agent.decide(context).id
        if number % 7:
            agent.learn(number, rng.random(2))
    return agent, clock


def cells():
    """Averages in cells."""
    return taught(CdUcb1(scale=0.1, per_side=2, check=False), features=1)


def knowledge():
    """Averages and deviations."""
    return taught(ParetoKg())


def annealing():
    """Averages and a set of candidates."""
    return taught(AnnealingPareto(rate=0.9))


def notes():
    """Decisions whose notes hold notes: of a function, in a cell on the border of which a coin decided, at a time."""
    recipe = CsUcb1(per_side=2, boundary="random", period=7, check=False)
    return taught(recipe, features=2, grid=4)


def balls():
    """Averages in balls."""
    return taught(Pcz(scale=0.05, positions=[[0.0], [0.4], [1.0]], check=False), features=1)


def scaled():
    """Regressions with sums of squares, of rewards in units far apart, and a floor."""
    agent, clock = taught(WithFloor(MolUcb(scale="data"), epsilon=0.1), features=2)
    for number in list(agent.core.pending.open)[1::3]:
        agent.learn(number, {"x": 250.0})
    return agent, clock


def encoded():
    """Named columns of every kind. What is fitted is given: a fit may differ in its last bits elsewhere."""
    components = [[0.6, -0.8], [0.8, 0.6], [0.0, 0.0]]
    fit = {"known": [3, 17, 40], "weights": [1.5, 1.25, 2.0], "components": components}
    kinds = {
        "age": Number(mean=40.5, deviation=11.25, indicator=True),
        "visits": Number(standardise=False, mean=3.0, indicator=False),
        "city": Category(["Oslo", "Paris", "Rome"]),
        "user": Hashed(4),
        "member": Boolean(share=0.25, indicator=True),
        "when": Date(age=True, mean=20000.0, deviation=30.0, indicator=True),
        "prompt": Text(dimensions=2, buckets=64, **fit, mean=[0.25, -0.125], spread=0.5),
    }
    clock, rng = Clock(), np.random.default_rng(7)
    options = {"arms": ["a", "b", "c"], "objectives": ["x", "y"], "seed": 5}
    agent = mob.Agent(MolUcb(scale=0.3), features=Encoder(kinds), clock=clock, **options)
    for i in range(40):
        row = {
            "age": None if i % 9 == 0 else rng.uniform(18, 80),
            "visits": int(rng.integers(0, 9)),
            "city": ["Rome", "Paris", "Bonn", None][i % 4],
            "user": f"user {i % 7}",
            "member": [True, False, None][i % 3],
            "when": f"2026-0{1 + i % 9}-11T{i % 24:02d}:30",
            "prompt": " ".join(rng.choice(["cat", "dog", "the", "sat", "ran"], 5)),
        }
        number = agent.decide(row).id
        if i % 7:
            agent.learn(number, rng.random(2))
    return agent, clock


AGENTS = {
    "rich": rich,
    "staged": staged,
    "cells": cells,
    "knowledge": knowledge,
    "annealing": annealing,
    "balls": balls,
    "notes": notes,
    "scaled": scaled,
    "encoded": encoded,
}


def estimates(state):
    """What a state estimates of the rewards."""
    state = getattr(state, "state", state)  # of a policy that counts rounds, the state inside
    state = getattr(state, "model", state)  # of a regression that sums squares, that inside
    return state.theta if hasattr(state, "theta") else state.total / np.maximum(state.seen, 1.0)


def lived(agent, clock):
    """What an agent does next: arms and propensities, and at the end its estimates."""
    rng, said = np.random.default_rng(12), []
    features = agent.features
    whole = not agent.recipe.accepts_partial
    for number in list(agent.core.pending.open)[::2]:
        agent.learn(number, [0.25, 0.75] if whole else {agent.objectives[1].name: 0.75})
    for i in range(12):
        clock.now = max(clock.now, 30.0) + 1.0
        decision = agent.decide(
            rng.normal(size=features) if features else None, agent.arms[i % 2 :]
        )
        said.append([str(decision.arm), decision.propensity])
        agent.learn(decision.id, rng.random(len(agent.objectives)))
    found = estimates(agent.core.bound.state()).tolist()
    return {"said": said, "estimates": found, "lessons": agent.lessons, "waiting": agent.waiting}


def main():
    for name, make in AGENTS.items():
        agent, clock = make()
        agent.save(DATA / f"{name}_v{VERSION}.mobandits")
        (DATA / f"{name}_v{VERSION}.json").write_text(json.dumps(lived(agent, clock)) + "\n")


if __name__ == "__main__":
    main()
