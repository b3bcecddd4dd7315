"""Write data/: folders of version 0.1, as its `Journal` and its agents wrote them.

It ran once, with commit 5223430, the last one whose agents wrote journals: `python make_journals.py
OUT`, with that commit's src on the path. Later versions read the folders; none can write them.

Beside each folder NAME of an agent are NAME.json, the events as that version gave them back, and
NAME.mobandits, what `Agent.save` wrote after them.
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent / "data"
NAMES = ("small", ("large", 2))
SEGMENT = 15

# Written by a program without an agent, three events per segment: whatever events may hold.
PLAIN_DESCRIPTION = {
    "arms": ["small", ("large", 2), 3],
    "objectives": [{"name": "quality", "minimise": False}, {"name": ("cost", 1), "minimise": True}],
    "note": {7: None, "tuple": [True]},
}
PLAIN_EVENTS = [
    {
        "kind": "decide",
        "id": 0,
        "time": 0.5,
        "context": [[0.1, -0.0], [2.0, 5e-324], [1e300, 1 / 3]],
        "arm": 1,
        "propensity": 0.25,
    },
    {"kind": "learn", "id": 0, "time": -0.0, "rewards": {("cost", 1): -0.0}},
    {"kind": "note", "id": "text", "time": "noon", "what": {(1, "ü"): [None, 2**70, "\x00"]}},
    {"kind": "remove", "arm": ("large", 2)},
    {
        "kind": "decide",
        "id": 7,
        "context": [[1.5, 2.5], [0.0, -1.0]],
        "eligible": [2, 0],
        "arm": 2,
        "propensity": None,
        "batch": True,
    },
    {"kind": "learn", "id": 7, "rewards": {}, "note": ("nothing", 1)},
    {"kind": "add", "time": 3.5, "arm": None, "like": 3},
    {"kind": "add", "arm": ("large", 2), "like": None},
    {
        "kind": "decide",
        "id": 8,
        "time": 4.0,
        "context": [[0.5, 0.25]] * 4,
        "arm": 3,
        "propensity": 1.0,
    },
    {"kind": "learn", "id": 0, "time": 5.0, "rewards": {"quality": 0.75}},
]


class Clock:
    """Seconds, as the program says."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.25
        return self.now


def shared_agent(log, clock):
    """Ridge regression on contexts that the arms share; exact propensities."""
    import mobandits as mob  # noqa: PLC0415
    from mobandits.agent import Objective  # noqa: PLC0415
    from mobandits.policies import MolUcb  # noqa: PLC0415

    return mob.Agent(
        MolUcb(scale=0.3),
        arms=NAMES,
        features=2,
        objectives=[Objective("quality", default=0.0, after=4.0), Objective("cost", minimise=True)],
        seed=3,
        propensity="exact",
        log=log,
        clock=clock,
    )


def own_rows_agent(log, clock):
    """Drawn beliefs, sampled propensities, and a row of features for each arm."""
    import mobandits as mob  # noqa: PLC0415
    from mobandits.policies import MolTs  # noqa: PLC0415

    return mob.Agent(
        MolTs(scale=0.3, draws=2),
        arms=NAMES,
        features=2,
        objectives=["quality", "cost"],
        seed=4,
        propensity="sampled",
        samples=20,
        log=log,
        clock=clock,
    )


def balls_agent(log, clock):
    """Averages in balls, which learn only from whole rewards; no propensities."""
    import mobandits as mob  # noqa: PLC0415
    from mobandits.policies import Pcz  # noqa: PLC0415

    return mob.Agent(
        Pcz(scale=0.05, positions=[[0.0], [0.4], [1.0]], check=False),
        arms=["a", "b", "c"],
        features=1,
        objectives=["x", "y"],
        rounds=200,
        seed=5,
        log=log,
        clock=clock,
    )


def live_shared(agent):
    """Rewards late and in part; batches, arms that come and go, another preference."""
    from mobandits.orders import Lexicographic  # noqa: PLC0415

    rng = np.random.default_rng(0)
    for i in range(8):
        decision = agent.decide(rng.normal(size=2))
        if i % 2:
            agent.learn(decision.id, {"cost": 0.001 * i})
            agent.learn(decision.id - 1, {"quality": rng.random(), "cost": 0.002})
    agent.add_arm("huge", like="small")
    agent.decide_batch(rng.normal(size=(3, 2)), eligible=["huge", ("large", 2)])
    agent.remove_arm("small")
    agent.preference = Lexicographic()
    for number in (8, 10):
        agent.learn(number, [rng.random(), 0.5])
    agent.add_arm("small")
    for _ in range(8):
        agent.learn(agent.decide(rng.normal(size=2)).id, {"quality": rng.random()})


def live_own_rows(agent):
    """Few events, all in one segment."""
    rng = np.random.default_rng(1)
    for i in range(7):
        decision = agent.decide({name: rng.normal(size=2) for name in agent.arms[i % 2 :]})
        if i != 5:
            agent.learn(decision.id, rng.random(2))


def live_balls(agent):
    """As many events as a segment takes."""
    rng = np.random.default_rng(2)
    for _ in range(SEGMENT // 2):
        agent.learn(agent.decide(rng.random(1)).id, rng.random(2))
    agent.decide(rng.random(1))


AGENTS = {
    "shared": (shared_agent, live_shared),
    "own_rows": (own_rows_agent, live_own_rows),
    "balls": (balls_agent, live_balls),
}


def write_events(journal, path):
    from mobandits.logs.names import encoded  # noqa: PLC0415

    lines = [json.dumps(encoded(event)) for event in journal.events()]
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")


def main(out):
    from mobandits.logs import Journal  # noqa: PLC0415 - of version 0.1

    with Journal(out / "plain", "system", 3) as journal:
        journal.describe(PLAIN_DESCRIPTION)
        for event in PLAIN_EVENTS:
            journal.append(event)
    for name, (agent_of, live) in AGENTS.items():
        journal = Journal(out / name, "system", SEGMENT)
        agent = agent_of(journal, Clock())
        live(agent)
        if name == "balls":
            # What a kill leaves after the next segment has begun, and before the old one is gone.
            lines = (out / name / "000000.jsonl").read_bytes()
            agent.learn(SEGMENT // 2, [0.5, 0.25])
            (out / name / "000000.jsonl").write_bytes(lines)
            (out / name / ".000002.jsonl.mobandits-tmp").write_bytes(lines[:100])
        write_events(journal, out / f"{name}.json")
        agent.save(out / f"{name}.mobandits")
        if name == "own_rows":
            agent.learn(5, [0.25, 0.5])
        agent.close()
    # A kill while a line was written.
    path = out / "own_rows" / "000000.jsonl"
    path.write_bytes(path.read_bytes()[:-25])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
