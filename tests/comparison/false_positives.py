"""How often `compare` calls one of several policies best: of equal ones, and of better ones.

`python tests/comparison/false_positives.py` prints the tables of docs/measurements.md.

Equal policies: the value of policy a in trial t is s_t + e_{t,a}, where s_t is shared and all e
have one law. Every data set is an experiment of one table, so that `compare` is called once.
"""

import sys

import numpy as np
import polars as pl

from mobandits.comparison import compare

TRIALS = (5, 10, 20)
POLICIES = (2, 5, 10)
SETS = 1000


def normal(rng, size):
    return rng.normal(size=size)


def lognormal(rng, size):
    """Skewed: the largest of 20 values is about 15 times the median."""
    return rng.lognormal(0.0, 1.5, size=size)


def heavy(rng, size):
    """Student's t with two degrees of freedom: the variance is infinite."""
    return rng.standard_t(2, size=size)


def rare(rng, size):
    """One trial in ten goes wrong and costs ten times as much."""
    factors = np.where(rng.random(size) < 0.1, 10.0, 1.0)
    return factors * rng.exponential(size=size)


LAWS = {"normal": normal, "skewed": lognormal, "heavy": heavy, "rare failures": rare}


def table_of(values):
    """Results from (sets, trials, policies) values."""
    experiment, trial, policy = np.indices(values.shape).reshape(3, -1)
    rows = len(experiment)
    return pl.DataFrame(
        {
            "experiment": experiment.astype(str),
            "environment": ["Made()"] * rows,
            "policy": np.char.add("p", policy.astype(str)),
            "trial": trial,
            "round": np.full(rows, 100),
            "metric": ["pareto_regret"] * rows,
            "component": np.zeros(rows, int),
            "value": values.ravel(),
        }
    )


def equal_policies(law, policies, trials, sets, seed=0):
    rng = np.random.default_rng([seed, policies, trials])
    shared = law(rng, (sets, trials, 1))
    return shared + law(rng, (sets, trials, policies))


def one_better(policies, trials, sets, gain, seed=1):
    """Normal values; the first policy is better by `gain` standard deviations of a difference."""
    values = equal_policies(normal, policies, trials, sets, seed)
    values[:, :, 0] -= gain * np.sqrt(2.0)
    return values


def unlike_policies(trials, sets, seed=2):
    """Two policies of equal means and unlike laws: one nearly constant, one skewed."""
    rng = np.random.default_rng([seed, trials])
    skewed = rng.exponential(size=(sets, trials, 1)) - 1.0
    steady = 0.1 * rng.normal(size=(sets, trials, 1))
    return np.concatenate([steady, skewed], axis=2)


def share_called_best(values):
    """In how many data sets any policy is called best."""
    comparison = compare(table_of(values))
    return float(comparison.best["sure"].mean())


def share_by_holm(values):
    """In how many data sets all of the best one's p-values are 0.05 after Holm's correction."""
    table = compare(table_of(values)).table
    worst = table.group_by("experiment").agg(pl.col("p_holm").max())
    return float((worst["p_holm"] <= 0.05).mean())


def share_unlike_baseline(values):
    """In how many data sets any policy is called better or worse than the first."""
    return share_with_sure_rows(compare(table_of(values), "p0").table)


def share_unlike_best(values):
    """In how many data sets any policy is called worse than the one with the best mean."""
    return share_with_sure_rows(compare(table_of(values)).table)


def share_with_sure_rows(table):
    any_sure = table.group_by("experiment").agg(pl.col("sure").any())
    return float(any_sure["sure"].mean())


def main(sets):
    print("| law | policies | " + " | ".join(f"{n} trials" for n in TRIALS) + " |")
    for name, law in LAWS.items():
        for policies in POLICIES:
            cells = []
            for trials in TRIALS:
                values = equal_policies(law, policies, trials, sets)
                best = 100 * share_called_best(values)
                baseline = 100 * share_unlike_baseline(values)
                any_row = 100 * share_unlike_best(values)
                cells.append(f"{best:.1f} / {any_row:.1f} / {baseline:.1f}")
            print(f"| {name} | {policies} | " + " | ".join(cells) + " |", flush=True)

    print("\nunlike laws, equal means")
    for trials in (10, 20, 50):
        print(trials, f"{100 * share_called_best(unlike_policies(trials, sets)):.1f}", flush=True)

    print("\npower: one better by 1, 1.5 standard deviations of a difference; rule, Holm")
    for policies in POLICIES:
        for trials in (10, 20):
            cells = []
            for gain in (1.0, 1.5):
                values = one_better(policies, trials, sets, gain)
                rule = 100 * share_called_best(values)
                cells.append(f"{rule:.0f} / {100 * share_by_holm(values):.0f}")
            print(policies, trials, *cells, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else SETS)
