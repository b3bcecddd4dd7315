"""A process that decides and learns with a log, may be killed at any call, and goes on where it was.

`python logged_program.py FOLDER SEED STEPS CALLS HOW`: after so many calls inside of the agent and its log the process
kills itself (0: never); a next one resumes from the log, or, where HOW is "state", from the last file and what was
logged after it. At the end the agent is in FOLDER/end.
"""

import os
import random
import signal
import sys
import warnings
from pathlib import Path

import msgspec

import mobandits as mob
from mobandits.agent import Objective
from mobandits.errors import LogError
from mobandits.logs import Store
from mobandits.orders import EffectivePareto, Lexicographic
from mobandits.policies import MolTs

D, SNAPSHOTS, OFTEN = 2, 70, 25
NAMES = ("a", ("b", 1), "c")


def steps(seed, count):
    """What happens, in the order of times that are all different: it does not depend on what is decided."""
    chance, out, arms, made, now = random.Random(seed), [], list(NAMES), 0, 0.0
    for i in range(count):
        now += chance.expovariate(1.0)
        kind = chance.random()
        if kind < 0.45 or made < 5:
            some = (
                chance.sample(arms, chance.randint(1, len(arms))) if chance.random() < 0.4 else None
            )
            out.append((now, "decide", [chance.gauss(0.0, 1.0) for _ in range(D)], some))
            made += 1
        elif kind < 0.92:  # some are dropped, told already, or contradicted
            number = max(0, made - 1 - int(chance.expovariate(0.1)))
            told = {
                name: float(number % 3) - (chance.random() < 0.05)
                for name in ("x", "y")
                if chance.random() < 0.6
            }
            out.append((now, "learn", number, told))
        elif kind < 0.945 and len(arms) > 2:
            out.append((now, "remove_arm", arms.pop(chance.randrange(len(arms)))))
        elif kind < 0.97 and len(arms) < 6:
            out.append((now, "add_arm", f"new {i}", chance.choice([None, *arms])))
            arms.append(f"new {i}")
        elif kind < 0.98:
            out.append((now, "correct", chance.randrange(made), {"y": float(i % 5)}))
        elif kind < 0.985:
            place = chance.randrange(len(arms))
            out.append((now, "rename_arm", arms[place], f"named {i}"))
            arms[place] = f"named {i}"
        else:
            out.append((now, "prefer", chance.choice([None, Lexicographic(), EffectivePareto()])))
    return out


def plain(event):
    """The kind and the fields of an event, with lists in the place of arrays."""
    fields = msgspec.structs.asdict(event)
    if event.kind == "decide" and event.context is not None:
        fields["context"] = event.context.tolist()
    return event.kind, fields


class Life:
    """The agent, and the time of its steps."""

    def __init__(self, folder, how):
        self.now, self.state = 0.0, folder / "state"
        self.log = Store(folder / "log")
        if how == "state" and self.state.exists():
            self.agent = mob.Agent.load(self.state, log=self.log, clock=lambda: self.now)
            return
        self.agent = mob.Agent(
            MolTs(scale=0.3, draws=2),
            arms=NAMES,
            features=D,
            objectives=[Objective("x", default=0.0, after=15.0), Objective("y", minimise=True)],
            seed=11,
            propensity="sampled",
            samples=2,
            pending=25,
            max_age=40.0,
            log=self.log,
            snapshot_every=SNAPSHOTS,
            clock=lambda: self.now,
        )

    def run(self, todo):
        """The steps that were not logged; what does not change the agent happens again."""
        for count, step in enumerate(todo):
            if step[0] <= self.agent.core.now:
                continue
            self.make(step)
            if count % OFTEN == 0:
                self.agent.save(self.state)

    def make(self, step):
        """One step; some rewards are contradicted, and refused."""
        self.now, name, *arguments = step
        try:
            if name == "prefer":
                (self.agent.preference,) = arguments
            else:
                getattr(self.agent, name)(*arguments)
        except LogError:
            raise
        except ValueError:
            assert name in {"learn", "correct"}  # of what was told nothing, or dropped


def kill_after(calls):
    """Have this process killed when a function of the agent or its log calls another one, or returns, so often."""
    left = calls

    def count(frame, event, argument):
        nonlocal left
        room = Path(frame.f_code.co_filename).parent.name
        if room in {"agent", "logs", "store"}:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(count)


def main(folder, seed, count, calls, how):
    warnings.simplefilter("ignore")
    if calls:
        kill_after(calls)
    life = Life(folder, how)
    life.run(steps(seed, count))
    life.agent.save(folder / "end")
    life.agent.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:5]), sys.argv[5])
