"""Identification of the Pareto set: wrong answers, rounds and time of `Ape`, `Elimination` and uniform play.

`python benchmarks/compare_identification.py` plays for a quarter of an hour and writes two tables into
docs/measurements.md. Nothing is tuned. The COV-BOOST instance is that of kone2023: means of three immune responses to
20 combinations of vaccines, divided by the pooled standard deviations, which leaves the Pareto set as it is.
"""

import argparse
import time
from pathlib import Path

import numpy as np

import mobandits as mob
from mobandits.environments import MultiArmed
from mobandits.policies import Ape, Ege, Elimination, RandomChoice, TopTwoParetoTs

# As the authors of kone2023 publish them with their code (psips, xps/mcovboost.py).
RESPONSES = """
 9.50479943 6.85646198 4.56226268   9.29302574 6.64118217 4.03600899   9.05368656 6.40687999 3.56388296
10.21251518 7.48941208 4.42843301  10.04680837 7.19967835 4.36182393   8.34379173 5.66642669 3.51154544
 8.22174773 5.45532112 3.64021428   9.74560492 7.2730926  4.7095302   10.42726889 7.61035762 4.71849887
 8.93761259 6.18826412 3.84374416   7.80669637 5.26269019 3.97029191   8.85008761 6.58892648 4.7335634
 8.4411757  6.15273269 4.5890408    9.92900909 7.39079852 4.74927053   9.68315255 7.20340552 4.91191932
 7.51479976 5.3082677  3.95508249   7.26542972 4.99043259 4.01638302   8.61558951 6.33327963 4.66343909
10.34531673 7.769801   5.00327494   8.29304914 5.92157842 3.86702564
"""
VARIANCES = (0.70437039, 0.82845749, 1.53743137)
RANDOM_SEED = 1
PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"
START = "<!-- identification: benchmarks/compare_identification.py writes these tables -->"
END = "<!-- end -->"


def covboost(_run):
    means = np.array(RESPONSES.split(), float).reshape(20, 3) / np.sqrt(VARIANCES)
    return means, MultiArmed(means.tolist(), rewards="gaussian", noise=1.0), 1.0


def random_means(run, arms, objectives):
    return np.random.default_rng([RANDOM_SEED, run]).random((arms, objectives))


def random_bernoulli(run):
    means = random_means(run, 5, 2)
    return means, MultiArmed(means.tolist()), 0.5


def random_gaussian(run):
    means = random_means(run, 5, 2)
    return means, MultiArmed(means.tolist(), rewards="gaussian", noise=0.5), 0.5


def convex_front(run):
    """Experiment 1 of kone2024: 10 arms on a convex front, 50 below."""
    rng = np.random.default_rng([RANDOM_SEED, run])
    x = np.linspace(0.55, 0.95, 10)
    below = rng.uniform(0.1, 0.8, (2000, 2))
    below = below[below.prod(axis=1) <= 0.2][:50]
    means = np.vstack([np.column_stack([x**2, 1 / (4 * x**2)]), below])
    return means, MultiArmed(means.tolist(), rewards="gaussian", noise=0.25), 0.25


# (name, instance of a run, delta, epsilon); random means may be as close as they like, which a tolerance cuts short
CERTAIN = (
    ("COV-BOOST, 20 arms, 3 objectives", covboost, 0.1, 0.0),
    ("random Bernoulli, 5 arms, 2 objectives", random_bernoulli, 0.05, 0.05),
    ("random Gaussian, 5 arms, 2 objectives", random_gaussian, 0.05, 0.05),
)
BUDGETS = (
    ("COV-BOOST, 20 arms, 3 objectives", covboost, (1000, 5000)),
    ("convex front, 60 arms, 2 objectives", convex_front, (2500, 10000)),
)
SEARCHERS = {"`Ape`": Ape(), "`Elimination`": Elimination(), "uniform": RandomChoice()}
GUESSERS = {"`Ege`": Ege(), "`TopTwoParetoTs`": TopTwoParetoTs(), "uniform": RandomChoice()}


def is_wrong(found, means, epsilon):
    """Whether a front arm is outside, or an arm inside is dominated by more than epsilon."""
    front = set(np.flatnonzero(mob.front(means)).tolist())
    leads = (means[None] - means[:, None]).min(axis=2).max(axis=1)
    good = set(np.flatnonzero(leads <= epsilon).tolist())
    return bool(front & set(found.outside)) or not set(found.inside) <= good


def certain_rows(all_runs):
    """Of other policies than `Ape`, a tenth of the runs: their means are exact enough."""
    for place, instance, delta, epsilon in CERTAIN:
        table = {}
        for name, policy in SEARCHERS.items():
            runs = all_runs if isinstance(policy, Ape) else -(-all_runs // 10)
            wrong, rounds, seconds, undecided = 0, [], 0.0, 0
            mob.identify(policy, instance(0)[1], delta, epsilon, sigma=instance(0)[2], rounds=2000)
            for run in range(runs):
                means, arms, sigma = instance(run)
                start = time.process_time()
                found = mob.identify(
                    policy, arms, delta, epsilon, sigma=sigma, trial=run, rounds=2_000_000
                )
                seconds += time.process_time() - start
                rounds.append(found.rounds)
                undecided += not found.is_complete
                wrong += is_wrong(found, means, epsilon)
            table[name] = (wrong, undecided, np.array(rounds), seconds)
        uniform = table["uniform"][2]
        for name, (wrong, undecided, rounds, seconds) in table.items():
            cells = [place, f"{delta:g}", f"{epsilon:g}", name, f"{wrong} of {len(rounds)}"]
            # Of the runs that both played: random instances differ.
            share = rounds[: len(uniform)].mean() / uniform.mean()
            cells += [
                str(undecided),
                f"{rounds.mean():,.0f}",
                f"{100 * share:.0f} %",
            ]
            cells.append(f"{1e6 * seconds / rounds.sum():.1f}")
            yield cells


def budget_rows(runs):
    for place, instance, budgets in BUDGETS:
        for budget in budgets:
            for name, policy in GUESSERS.items():
                wrong = 0
                for run in range(runs):
                    means, arms, sigma = instance(run)
                    # So sure that nobody stops early.
                    found = mob.identify(policy, arms, 1e-12, sigma=sigma, trial=run, rounds=budget)
                    wrong += set(found.front) != set(np.flatnonzero(mob.front(means)).tolist())
                yield [place, f"{budget:,}", name, f"{wrong} of {runs}"]


def table_of(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for cells in rows:
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    runs = parser.parse_args().runs
    header = ["instance", "delta", "epsilon", "policy", "wrong sets", "not finished"]
    header += ["rounds, mean", "of uniform's", "µs a round"]
    lines = table_of(header, certain_rows(runs))
    header = ["instance", "rounds", "policy", "best guess is not the Pareto set"]
    lines += ["", *table_of(header, budget_rows(-(-runs // 5)))]
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])


if __name__ == "__main__":
    main()
