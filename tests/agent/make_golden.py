"""Makes the files in data/ that every later version must read: `python make_golden.py VERSION`, once per version.

Each is an agent's file and a JSON of what that agent did after it was written.
"""

import json
import sys
from pathlib import Path

import numpy as np
from slow_twin import Clock
from state_files import rich_agent

import mobandits as mob
from mobandits.policies import Doubling, ScalarizedUcb1

DATA = Path(__file__).parent / "data"


def rich():
    """An agent with something in every place, and its clock."""
    clock = Clock()
    return rich_agent(clock), clock


def staged():
    """An agent in the third stage of its recipe, whose decisions carry notes."""
    clock, rng = Clock(), np.random.default_rng(6)
    recipe = Doubling(ScalarizedUcb1(check=False), first=4)
    agent = mob.Agent(recipe, arms=3, features=0, objectives=["x", "y"], seed=5, propensity="none", clock=clock)
    for _ in range(16):
        number = agent.decide().id
        if number % 3:
            agent.learn(number, rng.random(2))
    return agent, clock


AGENTS = {"rich": rich, "staged": staged}


def lived(agent, clock):
    """What an agent does next: arms and propensities, and at the end its estimates."""
    rng, said = np.random.default_rng(12), []
    features = agent.features
    for number in list(agent._waiting.open)[::2]:
        agent.learn(number, {agent.objectives[1].name: 0.75})
    for i in range(12):
        clock.now = max(clock.now, 30.0) + 1.0
        decision = agent.decide(rng.normal(size=features) if features else None, agent.arms[i % 2 :])
        said.append([str(decision.arm), decision.propensity])
        agent.learn(decision.id, rng.random(len(agent.objectives)))
    state = agent._mind.state()
    estimates = state.theta if hasattr(state, "theta") else state.mean
    return {"said": said, "estimates": estimates.tolist(), "lessons": agent.lessons, "waiting": agent.waiting}


def main(version):
    for name, make in AGENTS.items():
        agent, clock = make()
        agent.save(DATA / f"{name}_v{version}.mobandits")
        (DATA / f"{name}_v{version}.json").write_text(json.dumps(lived(agent, clock)) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]))
