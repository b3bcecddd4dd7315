"""Many logs of one world: how often regions hold the truth, and how far off estimates are.

python tests/evaluation/calibration.py
"""

from typing import NamedTuple

import numpy as np
from worlds import WORLDS

from mobandits.evaluation import DirectMethod, DoublyRobust, Ips, Replay, Snips, SwitchDr, compare

REPETITIONS, ROUNDS = 200, 1000
ESTIMATORS = {
    "ips": Ips(),
    "snips": Snips(),
    "dr": DoublyRobust(),
    "switch-dr, threshold 3": SwitchDr(threshold=3.0),
    "dm": DirectMethod(),
    "replay": Replay(),
    "ips, clip 3": Ips(clip=3.0),
    "dr, clip 3": DoublyRobust(clip=3.0),
}


class Repeated(NamedTuple):
    """Shares of the ellipsoids and of the boxes that held the truth; values (repetitions, objectives); the truth."""

    ellipsoid: float
    box: float
    values: np.ndarray
    truth: np.ndarray

    @property
    def bias(self):
        """In units of the estimate's spread."""
        return (self.values.mean(0) - self.truth) / self.values.std(0, ddof=1)


def repeat(world, estimators, repetitions=REPETITIONS, rounds=ROUNDS):
    """{name: Repeated} of the world's target."""
    truth, hits, values = world.value(world.target), {}, {}
    for seed in range(repetitions):
        log, rows = world.log(rounds, seed)
        found = compare(log, {"t": world.target[rows]}, list(estimators.values()), seed=seed)
        for name, one in zip(estimators, found.estimates.values(), strict=True):
            hits.setdefault(name, []).append(
                [one.ellipsoid().contains(truth), one.box().contains(truth)]
            )
            values.setdefault(name, []).append(one.value)
    return {
        name: Repeated(*np.mean(hits[name], axis=0), np.array(values[name]), truth)
        for name in estimators
    }


def main():
    for world, make in WORLDS.items():
        print(f"{world}: {REPETITIONS} logs of {ROUNDS} rounds")
        for name, found in repeat(make(), ESTIMATORS).items():
            bias = ", ".join(f"{one:.2f}" for one in found.bias)
            print(
                f"    {name:24} ellipsoid {found.ellipsoid:.1%}, box {found.box:.1%}, bias / spread {bias}"
            )


if __name__ == "__main__":
    main()
