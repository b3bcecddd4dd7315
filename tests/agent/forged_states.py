"""Files of agents of every recipe with numbers, shapes and words in them that no agent wrote, loaded and played.

`python forged_states.py FOLDER SEED TRIES` writes a line of JSON: how many files were made and loaded, and everything
that was neither refused in one line nor worked. The tests run it interpreted, where an index that is out of bounds and
a division by zero are errors too; each file has a few seconds of processor time.
"""

import itertools
import json
import math
import random
import signal
import sys
import traceback
import warnings
from pathlib import Path

import every_recipe
import numpy as np
from state_files import changed, forged, parts, places, start_of

import mobandits as mob
from mobandits.agent import Objective
from mobandits.errors import StateError

PATIENCE = 5.0  # seconds of processor time for a file
ROUNDS, MORE = 25, 6  # before it is saved, and after it was loaded
FLOATS = [
    0.0,
    -0.0,
    -1.0,
    0.5,
    1.0,
    3.0,
    7.0,
    1e6,
    2.0**53,
    2.0**63,
    1e19,
    -1e19,
    1e308,
    -1e308,
    5e-324,
    1e-300,
]
VALUES = {
    "<f8": [*FLOATS, math.nan, math.inf, -math.inf],
    "<i8": [0, -1, 1, 2, 3, 7, 100, 10**6, 2**31, 2**62, 2**63 - 1, -(2**63)],
    "|b1": [0, 1, 2],
}
WORDS = [
    0,
    1,
    -1,
    2,
    3,
    10,
    2**31,
    2**62,
    2**63 - 1,
    2**64,
    0.0,
    -1.0,
    0.5,
    1e308,
    None,
    True,
    False,
    "x",
    [],
    {},
]
OPTIONS = ["exact", "sampled", "none"]


class TooSlow(BaseException):
    """A file that hangs."""


def stop(*_):
    raise TooSlow


def clock_from(start):
    """A clock that moves on by a second whenever it is asked."""
    return map(float, itertools.count(start)).__next__


def honest(case, folder):
    """The file of an agent that has lived: arms came and went, rewards came in part, some are awaited."""
    waits = [{"default": 0.5, "after": 5.0}, {}, {}]
    objectives = [
        Objective(number, minimise=number in case.costs, **options)
        for number, options in enumerate(waits)
    ]
    options = {"rounds": every_recipe.ROUNDS, "max_age": 30.0, "clock": clock_from(1)}
    agent = mob.Agent(
        case.recipe, arms=every_recipe.K, features=case.features, objectives=objectives, **options
    )
    rng, waiting = np.random.default_rng(1), []
    for _ in range(ROUNDS):
        waiting.append(agent.decide(case.context(rng)).id)
        if len(waiting) > 4:
            x, y, z = rng.integers(0, 2, 3).tolist()
            agent.learn(waiting.pop(0), {0: 0.5, 1: y, 2: z} if x else {1: y, 2: z})
    if agent.core.bound.left is None:
        try:
            agent.remove_arm(1)
            agent.add_arm("new", like=0)
        except ValueError:  # a recipe for certain arms
            pass
    agent.save(folder / "honest")
    return (folder / "honest").read_bytes()


def with_other_numbers(chance, header, arrays):
    """One array with other numbers, in one place or in all, or of another shape."""
    number = chance.randrange(len(header["arrays"]))
    kind, shape = header["arrays"][number]
    size, count, start = np.dtype(kind).itemsize, math.prod(shape), start_of(header, number)
    if count == 0:
        return None
    if chance.random() < 0.12:
        longer = list(shape)
        axis = chance.randrange(len(shape))
        longer[axis] = max(0, longer[axis] + chance.choice([-1, 1, 5]))
        block, length = bytes(arrays[start : start + count * size]), math.prod(longer) * size
        arrays[start : start + count * size] = (block * (length // len(block) + 1))[:length]
        header["arrays"][number] = [kind, longer]
        return [number, shape, longer]
    if kind.startswith("|V"):  # rows of decisions, whose numbers have 8 bytes each
        kind, size, count = chance.choice(["<f8", "<i8"]), 8, count * size // 8
    value = chance.choice(VALUES[kind])
    data = np.array(value, {"<f8": np.float64, "<i8": np.int64, "|b1": np.uint8}[kind]).tobytes()
    if chance.random() < 0.3:
        arrays[start : start + count * size] = data * count
        return [number, "all", value]
    place = start + size * chance.randrange(count)
    arrays[place : place + size] = data
    return [number, place, value]


def with_another_word(chance, header):
    """A header with something else in one place; and what was changed."""
    paths = [path for path in places(header) if path[0] not in {"arrays", "by", "version"}]
    path, word = chance.choice(paths), chance.choice(WORDS)
    if chance.random() < 0.2:
        path, word = ("next_id",), chance.choice([10**9, 2**61, 2**62])
    elif chance.random() < 0.1:
        path, word = ("options", "propensity"), chance.choice(OPTIONS)
    elif chance.random() < 0.1:
        path, word = ("options", "samples"), chance.choice([1, 3, 10**9, 2**62])
    return changed(header, path, lambda _: word), [*path, repr(word)]


def forgery(chance, data):
    """Another file, and what is different in it."""
    header, arrays = parts(data)
    arrays, differences = bytearray(arrays), []
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if chance.random() < 0.75:
            differences.append(with_other_numbers(chance, header, arrays))
        else:
            header, difference = with_another_word(chance, header)
            differences.append(difference)
    return forged(header, bytes(arrays)), differences


def in_one_line(work):
    """What it returns; None where it is refused as what an application hands over would be."""
    try:
        return work()
    except ValueError as error:
        where = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        own = where[-1].parent.name in {"agent", "logs"} or where[-1].name == "checks.py"
        if not own or "\n" in str(error) or len(str(error)) > 1000:
            raise
        return None


def context_of(agent, rng):
    """A context of the shape that the agent's have; whatever the file says of it."""
    if agent.features == 0:
        return None
    shape = (agent.features,) if agent.core.contexts.shared else (len(agent.arms), agent.features)
    return rng.integers(0, every_recipe.GRID + 1, size=shape) / every_recipe.GRID


def play(agent, folder):
    """All that an application does."""
    rng = np.random.default_rng(0)
    for number in list(agent.core.pending.open)[:4]:
        in_one_line(
            lambda number=number: agent.learn(number, rng.integers(0, 2, len(agent.objectives)))
        )
    for _ in range(MORE):
        decision = in_one_line(lambda: agent.decide(context_of(agent, rng)))
        if decision is not None:
            reward = rng.integers(0, 2, len(agent.objectives))
            in_one_line(lambda decision=decision, reward=reward: agent.learn(decision.id, reward))
            in_one_line(lambda decision=decision: agent.explain(decision))
    in_one_line(
        lambda: (
            agent.decide_batch(np.array([context_of(agent, rng)] * 2)) if agent.features else None
        )
    )
    in_one_line(lambda: agent.add_arm("another", like=agent.arms[0]))
    in_one_line(lambda: agent.decide(context_of(agent, rng)))
    in_one_line(lambda: agent.save(folder / "again"))


def attempt(path):
    """Load a file, and play what it holds: whether it was loaded, and what is wrong with that."""
    loaded = False
    signal.setitimer(signal.ITIMER_PROF, PATIENCE)
    try:
        agent = mob.Agent.load(path, clock=clock_from(1000))
        loaded = True
        play(agent, path.parent)
    except StateError as error:
        return loaded, None if "\n" not in str(error) and len(str(error)) < 1000 else str(error)
    except TooSlow:
        return loaded, "it hangs"
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return (
            loaded,
            f"{type(error).__name__}: {error!s:.200} ({Path(frame.filename).name}:{frame.lineno})",
        )
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
    return loaded, None


def main(folder, seed, tries):
    warnings.simplefilter("ignore")
    np.seterr(
        divide="raise", over="ignore", invalid="ignore"
    )  # compiled code divides as Python does
    signal.signal(signal.SIGPROF, stop)
    loaded, wrong = 0, []
    for number, case in enumerate(every_recipe.CASES):
        chance, data = random.Random(1000 * seed + number), honest(case, folder)
        for _ in range(tries):
            forgery_, differences = forgery(chance, data)
            (folder / "forged").write_bytes(forgery_)
            taken, what = attempt(folder / "forged")
            loaded += taken
            if what is not None:
                wrong.append([str(case), differences, what])
    print(json.dumps({"made": tries * len(every_recipe.CASES), "loaded": loaded, "wrong": wrong}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
