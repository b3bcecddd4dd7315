"""Decisions at any time: rounds until "promote", beside the rounds of a test at a fixed time.

Arms "a" and "b" pay two objectives of 0 or 1; "b" pays more by the same effect in both, and is logged with one
propensity. The fixed test is the one-sided test of each objective on the terms (w - 1) r, both of which must be
significant: its rounds are those that it needs for a power of 80 %.
"""

import itertools

import harness
import numpy as np
from scipy.stats import norm

import mobandits as mob
from mobandits.evaluation import ConstantTarget, Feedback, Ips, Monitor, evaluate

STREAMS = 30
LONGEST = 3.0  # times the rounds of the fixed test; later decisions count as none
MOST = 120_000  # rounds of a stream
PROPENSITIES = (0.5, 1 / 3, 0.2, 0.05)
MEANS = (0.1, 0.5, 0.9)  # of arm "a"
EFFECTS = (0.05, 0.1)
OBJECTIVES = [mob.Objective(name, low=0.0, high=1.0) for name in ("click", "sale")]


def log_of(propensity, mean, effect, rounds, seed):
    """A log of independent rounds."""
    rng = np.random.default_rng(seed)
    arms = (rng.random(rounds) < propensity).astype(int)
    rewards = (rng.random((rounds, 2)) < mean + effect * arms[:, None]).astype(float)
    propensities = np.where(arms == 1, propensity, 1.0 - propensity)
    return Feedback(np.ones((rounds, 1)), arms, rewards, propensities, ["a", "b"], OBJECTIVES)


def fixed_rounds(propensity, mean, effect):
    """Rounds of the fixed test, by the exact moments of its terms."""
    gain = effect * (1.0 - propensity)
    squares = (1.0 / propensity - 1.0) ** 2 * propensity * (mean + effect)
    squares += (1.0 - propensity) * mean
    deviation = np.sqrt(squares - gain**2)
    power = 0.8**0.5  # of each objective
    return ((norm.ppf(0.975) + norm.ppf(power)) * deviation / gain) ** 2


def median_rounds(propensity, mean, effect, fixed, largest_weight):
    """The median over streams of the rounds until "promote"."""
    rounds = min(int(LONGEST * fixed), MOST)
    decided = []
    for seed in range(STREAMS):
        target = {"b": ConstantTarget("b")}
        monitor = Monitor(target, OBJECTIVES, largest_weight=largest_weight)
        monitor.fold(log_of(propensity, mean, effect, rounds, seed))
        look = monitor["b"]
        decided.append(look.decided_after if look.decision == "promote" else np.inf)

    return float(np.median(decided))


def widths():
    """Widths of intervals of a value, valid at one look or at any, in the first objective."""
    rows = []
    for propensity, rounds in itertools.product((0.5, 0.2, 0.05), (100, 1000, 10_000)):
        found = []
        for seed in range(STREAMS):
            log = log_of(propensity, 0.5, 0.1, rounds, seed)
            estimate = evaluate(log, ConstantTarget("b"), Ips())
            bound = 1.0 / propensity
            boxes = (
                estimate.box(),
                estimate.bootstrap(samples=400),
                estimate.bernstein(low=0.0, high=1.0, weight_bound=bound),
                estimate.sequence(low=0.0, high=1.0),
            )
            found.append([float(box.high[0] - box.low[0]) for box in boxes])

        cells = [f"{width:.3f}" for width in np.median(found, axis=0)]
        rows.append([f"propensity {propensity:g}, {rounds:,} rounds", *cells])
        print(*rows[-1], sep="\t", flush=True)

    header = ["width, mean 0.6", "box", "bootstrap", "Bernstein", "sequence, at any time"]

    return {"header": header, "rows": rows}


def main():
    """Play all cases, and keep both tables."""
    rows, ratios = [], []
    for propensity, mean, effect in itertools.product(PROPENSITIES, MEANS, EFFECTS):
        fixed = fixed_rounds(propensity, mean, effect)
        found = [
            median_rounds(propensity, mean, effect, fixed, weight)
            for weight in (None, 1.0 / propensity)
        ]
        ratios.append([rounds / fixed for rounds in found])
        case = f"propensity {propensity:.2g}, mean {mean:g}, effect {effect:g}"
        cells = [f"{rounds:,.0f} ({rounds / fixed:.2f})" for rounds in found]
        rows.append([case, f"{fixed:,.0f}", *cells])
        print(*rows[-1], sep="\t", flush=True)

    ratios = np.array(ratios)
    light = ratios[: 2 * len(MEANS) * len(EFFECTS)]
    medians = [f"{value:.2f}" for value in (*np.median(ratios, axis=0), np.median(light[:, 1]))]
    header = ["two objectives", "fixed", "any time", "any time, with the largest weight"]
    notes = [
        f"Rounds until the decision, medians over {STREAMS} streams; in brackets: over the fixed test's.",
        f"Medians of the ratios: {medians[0]}, with the largest weight {medians[1]}.",
        f"Where that weight is at most 3: {medians[2]}.",
        "inf: not decided in three times the rounds of the fixed test, or 120,000.",
    ]
    table = {"header": header, "rows": rows}
    harness.write("any_time", "Decisions at any time", [], notes, table=table)
    note = f"Medians over {STREAMS} logs of two objectives, both at 0.95 together. inf: too few rounds."
    harness.write("any_time_widths", "Intervals at any time", [], [note], table=widths())


if __name__ == "__main__":
    harness.one_thread()
    main()
