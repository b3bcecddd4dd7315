"""What other libraries state, by the checks of `mobandits.testing`: Pareto fronts and confidence sequences.

Each adapter below is all that a library needs. It prints the table of docs/measurements.md.

    python benchmarks/check_others.py
"""

import importlib.metadata

import harness

if __name__ == "__main__":
    harness.in_environment(
        "others",
        "moocore==0.3.2",
        "paretoset==1.2.5",
        "pymoo==0.6.2",
        "vw-estimators==0.2.2",
    )

import moocore
import numpy as np
from estimators.bandits import cs, gaussian
from paretoset import paretoset
from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

import mobandits as mob
from mobandits.testing import check_front, check_sequence

STREAMS = 100
ROUNDS = 200


def fronts():
    """Adapters of fronts: rivals minimise."""
    return {
        ("moocore", "is_nondominated(keep_weakly=True)"): lambda means: moocore.is_nondominated(
            -means, keep_weakly=True
        ),
        ("moocore", "is_nondominated()"): lambda means: moocore.is_nondominated(-means),
        ("paretoset", "paretoset(distinct=False)"): lambda means: paretoset(-means, distinct=False),
        ("paretoset", "paretoset()"): lambda means: paretoset(-means),
        ("pymoo", "NonDominatedSorting"): lambda means: NonDominatedSorting().do(
            -means, only_non_dominated_front=True
        ),
        ("mobandits", "front"): mob.front,
    }


def sequence_of(interval):
    """The ends of an interval after every tenth round."""

    def sequence(weights, rewards):
        found = interval()
        ends = np.full((2, len(rewards)), np.nan)
        for t, (weight, reward) in enumerate(zip(weights, rewards, strict=True)):
            found.add_example(1.0, reward, weight)
            if t % 10 == 9:
                low, high = found.get(0.05)
                ends[:, t] = np.nan if low is None else (low, high)

        return ends

    return sequence


def verdict(check, adapter, **options):
    """What a check says, shortly."""
    try:
        check(adapter, **options)
    except AssertionError as error:
        text = str(error)
        return text if len(text) <= 120 else f"{text[:117]}..."

    return "as stated"


def rows():
    """The rows of the table."""
    found = []
    for (library, call), front in fronts().items():
        found.append((library, call, "front", verdict(check_front, front)))

    for name, interval in {"cs": cs.Interval, "gaussian": gaussian.Interval}.items():
        said = verdict(check_sequence, sequence_of(interval), streams=STREAMS, rounds=ROUNDS)
        found.append(("vw-estimators", f"bandits.{name}", "sequence", said))

    return found


def main():
    """Print the table."""
    for library, call, statement, said in rows():
        version = importlib.metadata.version(library)
        print(f"| {library} {version} | `{call}` | {statement} | {said} |", flush=True)


if __name__ == "__main__":
    main()
