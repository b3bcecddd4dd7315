"""The tables of docs/measurements.md: coverage and width of joint regions, before and now.

python tests/evaluation/coverage_of_regions.py             before and now, by overlap: two minutes
python tests/evaluation/coverage_of_regions.py candidates  other methods beside them: three minutes
python tests/evaluation/coverage_of_regions.py claims      one-sided tests, before and now: one minute
"""

import sys
from typing import NamedTuple

import numpy as np
from overlap import REWARDS, ROUNDS, overlap_world
from region_candidates import CANDIDATES, LEVEL, before, parts
from scipy import stats

from mobandits.evaluation import Uniform, compare
from mobandits.evaluation.spread import spread_of, tail
from mobandits.evaluation.terms import influence

LOGS, FEWER = 1000, 400
ESTIMATORS = ("ips", "snips", "dr")
WORLDS = [("binary", 2), ("binary", 3), ("skewed", 2), ("skewed", 3), ("heavy", 2)]
MODERATE = [("binary", 134), ("binary", 372), ("skewed", 134), ("skewed", 372)]


class Cell(NamedTuple):
    """Shares of logs, and median widths relative to those before; of one estimator in one world."""

    effective: float
    before: float
    now: float
    wider: float
    box_before: float
    box_now: float
    box_wider: float
    warned: float


def logs_of(rewards, objectives, effective, logs):
    """The target and a uniform policy, by every estimator, on every log of a world."""
    world = overlap_world(effective, objectives, rewards)
    for seed in range(logs):
        key = [
            seed,
            effective,
            objectives,
            REWARDS.index(rewards),
        ]  # no two worlds share their luck
        log, rows = world.log(ROUNDS[effective], key)
        yield compare(log, {"t": world.target[rows], "u": Uniform()}, ESTIMATORS, seed=seed)


def box_before(terms, truth):
    """Whether Student's intervals with rounds - 1 degrees of freedom hold, and how wide they are."""
    value, effects, covariance = parts(terms)
    each = (1.0 + LEVEL ** (1.0 / len(value))) / 2.0
    reach = stats.t.ppf(each, len(effects) - 1) * np.sqrt(np.diag(covariance))
    return (np.abs(value - truth) <= reach).all(), 2.0 * reach


def wider(now, then):
    """The ratio of two widths, (objectives,), as a geometric mean."""
    return np.exp(np.log(now / then).mean())


def of_log(estimate, truth):
    """What one log adds to a cell."""
    held, width = before(estimate.terms, truth)
    box_held, box_width = box_before(estimate.terms, truth)
    region = estimate.ellipsoid(LEVEL)
    box = estimate.box(LEVEL)
    return Cell(
        effective=estimate.diagnostics.effective_rounds,
        before=held,
        now=region.contains(truth),
        wider=wider(region.high - region.low, width),
        box_before=box_held,
        box_now=box.contains(truth),
        box_wider=wider(box.high - box.low, box_width),
        warned=any(text.startswith("heavy tails") for text in estimate.warnings),
    )


def cells(rewards, objectives, effective, logs=LOGS):
    """{estimator: Cell} of one world."""
    world = overlap_world(effective, objectives, rewards)
    truth = world.value(world.target)
    rows = {name: [] for name in ESTIMATORS}
    for found in logs_of(rewards, objectives, effective, logs):
        for name in ESTIMATORS:
            rows[name].append(of_log(found["t", name], truth))
    return {name: summary(np.array(table, float)) for name, table in rows.items()}


def summary(table):
    """Means of what happened, medians of widths."""
    columns = Cell(*table.T)
    mean = Cell(*table.mean(0))
    return mean._replace(wider=np.median(columns.wider), box_wider=np.median(columns.box_wider))


def listed(values, pattern):
    """Of all estimators, in order."""
    return ", ".join(pattern.format(one) for one in values)


def row(*cells_of_row):
    print(f"| {' | '.join(cells_of_row)} |", flush=True)


def overlaps():
    """The table before and now."""
    compared = ("region before", "now", "wider", "box before", "now", "wider")
    row("rewards", "objectives", "effective rounds", *compared, "warned")
    row(*["---"] * 10)
    for rewards, objectives in WORLDS:
        for effective in ROUNDS:
            found = Cell(*zip(*cells(rewards, objectives, effective).values(), strict=True))
            percent = {
                name: listed(100.0 * np.array(values), "{:.1f}")
                for name, values in found._asdict().items()
            }
            row(
                rewards,
                str(objectives),
                f"{np.mean(found.effective):.0f} of {ROUNDS[effective]}",
                percent["before"],
                percent["now"],
                listed(found.wider, "{:.2f}"),
                percent["box_before"],
                percent["box_now"],
                listed(found.box_wider, "{:.2f}"),
                listed(100.0 * np.array(found.warned), "{:.0f}"),
            )


def candidates():
    """The table of other methods, with two objectives."""
    table = {label: [] for label in CANDIDATES}
    for rewards, effective in MODERATE:
        world = overlap_world(effective, 2, rewards)
        truth = world.value(world.target)
        found = list(logs_of(rewards, 2, effective, FEWER))
        results = {label: {name: [] for name in ESTIMATORS} for label in CANDIDATES}
        for one in found:
            weights = one["t", "snips"].terms.denominator
            for name in ESTIMATORS:
                terms = one["t", name].terms._replace(lost=weights)
                _, plain = before(terms, truth)
                for label, method in CANDIDATES.items():
                    held, width = method(terms, truth)
                    results[label][name].append((held, wider(width, plain)))
        for label, of_estimators in results.items():
            shares = [
                100.0 * np.mean([held for held, _ in of_estimators[name]]) for name in ESTIMATORS
            ]
            widths = [np.median([width for _, width in of_estimators[name]]) for name in ESTIMATORS]
            table[label].append(f"{listed(shares, '{:.1f}')} ({listed(widths, '{:.2f}')})")
    row("region", *[f"{rewards}, {effective}" for rewards, effective in MODERATE])
    row(*["---"] * (1 + len(MODERATE)))
    for label, cells_of_row in table.items():
        row(label, *cells_of_row)


def wrong_claims(rewards, effective, logs=LOGS):
    """{estimator: (before, now)} how often a one-sided 5 % test of a true boundary is wrong, on the worse side.

    Of the difference between the target and a uniform policy, a mean over two objectives.
    """
    world = overlap_world(effective, 2, rewards)
    truth = world.value(world.target) - world.value(np.full(world.target.shape, 0.25))
    wrong = {name: [] for name in ESTIMATORS}
    for found in logs_of(rewards, 2, effective, logs):
        for name in ESTIMATORS:
            first, second = found["t", name], found["u", name]
            ahead = first.value - second.value - truth
            plain = parts(first.terms)[1] - parts(second.terms)[1]
            rounds = len(plain)
            scores = ahead / np.sqrt((plain**2).sum(0) / (rounds * (rounds - 1)))
            spread = spread_of(influence(first.terms) - influence(second.terms), np.ones(2))
            mirror = spread._replace(skew=-spread.skew)
            sides = [
                stats.t.sf(scores, rounds - 1),
                stats.t.sf(-scores, rounds - 1),
                tail(spread, ahead),
                tail(mirror, -ahead),
            ]
            wrong[name].append(np.array(sides) <= 0.05)
    shares = {name: np.mean(table, axis=(0, 2)) for name, table in wrong.items()}
    return {name: (share[:2].max(), share[2:].max()) for name, share in shares.items()}


def claims():
    """The table of one-sided tests."""
    row("rewards", "effective rounds", "wrong before", "now")
    row(*["---"] * 4)
    for rewards, effective in MODERATE:
        then, now = zip(*wrong_claims(rewards, effective).values(), strict=True)
        shown = (listed(100.0 * np.array(one), "{:.1f}") for one in (then, now))
        row(rewards, str(effective), *shown)


if __name__ == "__main__":
    {"": overlaps, "candidates": candidates, "claims": claims}["".join(sys.argv[1:])]()
