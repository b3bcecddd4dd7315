"""The workload of Figure 2 of molts2025 against naive NumPy: environment, four policies and both regrets, one thread.

The naive side draws an environment of its own for every policy, as a loop per policy does; ours draws one block for all
four. That sharing is a part of the design, so it is a part of the comparison; every part is also given by itself.
"""

import time
from functools import partial

import harness

if __name__ == "__main__":
    harness.one_thread()

import naive_numpy
import numpy as np

from mobandits import environments, orders, policies
from mobandits.fronts import front, gaps
from mobandits.simulation.blocks import trial_blocks
from mobandits.simulation.players import player
from mobandits.simulation.truth import BlockGroundTruth

ARMS, FEATURES, OBJECTIVES, ROUNDS, REPEATS = 50, 5, 4, 4096, 5
SCALE = 0.7  # the naive radius, a tenth of the theory's, is 0.65 in the first round and 0.81 in the 300th
RECIPES = {
    "MOL-TS": policies.MolTs(scale=SCALE),
    "MOL-TS, M = 1": policies.MolTs(scale=SCALE, draws=1),
    "MOL-UCB": policies.MolUcb(scale=SCALE),
    "MOL-eps-Greedy": policies.MolEpsGreedy(),
}
SAMPLING = {"MOL-TS": "ts", "MOL-TS, M = 1": "ts", "MOL-UCB": "ucb", "MOL-eps-Greedy": "eps"}
FILTERED = tuple(
    name for name, kind in SAMPLING.items() if kind == "ts"
)  # only these need the effective front to play
OURS, PLAIN, PREFILTER = "mobandits", "a program per arm", "programs for the Pareto front only"
REGRETS = {"Pareto regret": orders.Pareto(), "effective Pareto regret": orders.EffectivePareto()}
PARETO = {"Pareto regret": orders.Pareto()}


def play(recipes, regrets, rounds=ROUNDS, seed=0, keep=None):
    """Seconds by part of a trial: the environment, every policy, its regrets.

    What was played goes to the list `keep`, block by block. Without one nothing is kept, as in a simulation: memory
    that is never given back would have to be fetched anew for every block.
    """
    rng, clock = np.random.default_rng(seed), Clock()
    problem = environments.Linear(ARMS, FEATURES, OBJECTIVES).problem(rounds, rng)
    players = {
        name: player(name, recipe, problem.shape, seed, 0, True) for name, recipe in recipes.items()
    }
    arms, drawn, truth = np.arange(ARMS), trial_blocks(problem, rounds, None, rng), None
    while (item := clock.time("environment", partial(next, drawn, None))) is not None:
        block = item[1]
        truth = clock.time("environment", partial(BlockGroundTruth, block, before=truth))
        for name, one in players.items():
            (done,) = clock.time(
                name, lambda one=one, block=block: list(one.play(block, arms, with_fronts=False))
            )
            lost = {
                regret: clock.time((name, regret), partial(truth.gaps, order, done.chosen, 1))
                for regret, order in regrets.items()
            }
            if keep is not None:
                keep.append((block, done.chosen, lost))
    return clock.seconds


class Clock:
    """Seconds by part."""

    def __init__(self):
        self.seconds = {}

    def time(self, part, work):
        start = time.perf_counter()
        out = work()
        self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - start
        return out


def ours(recipes, regrets):
    return {part: 1e6 * seconds / ROUNDS for part, seconds in play(recipes, regrets).items()}


def naive(name, rounds, **options):
    draws = RECIPES[name].draws if isinstance(RECIPES[name], policies.MolTs) else None
    kind = SAMPLING[name]
    return naive_numpy.run(kind, ARMS, FEATURES, OBJECTIVES, rounds, draws=draws, **options)[0]


def check():
    """Fronts on random means, the prefilter among them; and the regrets of what all four policies played."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        means = rng.normal(size=(ARMS, OBJECTIVES))
        plain, effective = naive_numpy.pareto_mask(means), naive_numpy.effective_arms(means)
        assert (front(means) == plain).all()
        assert np.flatnonzero(front(means, orders.EffectivePareto())).tolist() == effective.tolist()
        kept = np.flatnonzero(plain)
        assert kept[naive_numpy.effective_arms(means[kept])].tolist() == effective.tolist()
        assert np.allclose(
            gaps(means)[:, 0],
            [naive_numpy.pareto_gap(means, arm) for arm in range(ARMS)],
            atol=1e-12,
        )
    played = []
    play(RECIPES, REGRETS, rounds=64, keep=played)
    for block, chosen, lost in played:
        pairs = list(zip(block.means, chosen, strict=True))
        theirs = {
            "Pareto regret": [naive_numpy.pareto_gap(means, arm) for means, arm in pairs],
            "effective Pareto regret": [
                naive_numpy.effective_gap(means, arm) for means, arm in pairs
            ],
        }
        for regret in REGRETS:
            assert np.allclose(lost[regret][:, 0], theirs[regret], atol=1e-9), regret


def measured():
    """What both sides took, in turn."""
    sides = {
        "all": partial(ours, RECIPES, REGRETS),
        "alone": partial(ours, {"MOL-UCB": RECIPES["MOL-UCB"]}, PARETO),
    }
    for name in RECIPES:
        sides[name] = partial(naive, name, 40 if SAMPLING[name] == "ts" else 300)
    for name in FILTERED:
        sides[name, "prefilter"] = partial(naive, name, 60, prefilter=True)
    sides["naive alone"] = partial(naive, "MOL-UCB", 2000, effective=False)
    ours(RECIPES, REGRETS)
    return harness.readings(sides, REPEATS)


def total(runs, *parts):
    """The sum of these parts, or of all, in every run."""
    return [
        sum(seconds for part, seconds in run.items() if part in parts or not parts) for run in runs
    ]


def rows_for(rival, theirs, runs, regrets):
    """A row per policy of `theirs`, each with an environment of its own."""
    rows = []
    for name, times in theirs.items():
        scored = [(name, regret) for regret in regrets]
        mine = total(runs, "environment", name, *scored)
        said = "both regrets" if len(regrets) > 1 else "Pareto regret"
        rows.append(
            harness.row(
                f"{name}, {said}", rival, times, OURS, mine, parts=parts_of(runs, [name], regrets)
            )
        )
    return rows


def together(rival, theirs, runs):
    """The row of all four policies on one environment."""
    times = [sum(each) for each in zip(*theirs.values(), strict=True)]
    parts = parts_of(runs, RECIPES, REGRETS)
    return harness.row(
        "all four policies, both regrets", rival, times, OURS, total(runs), parts=parts
    )


def parts_of(runs, names, regrets):
    """Environment, policies and regrets."""
    parts = {"environment": ["environment"], "policy": names}
    parts["regrets"] = [(name, regret) for name in names for regret in regrets]
    return {part: harness.summary(total(runs, *keys)) for part, keys in parts.items()}


def main():
    check()
    found = measured()
    plain = {name: found[name] for name in RECIPES}
    filtered = {name: found[name, "prefilter"] for name in FILTERED}
    rows = [
        together(PLAIN, plain, found["all"]),
        *rows_for(PLAIN, plain, found["all"], REGRETS),
        together(PREFILTER, plain | filtered, found["all"]),
        *rows_for(PREFILTER, filtered, found["all"], REGRETS),
        *rows_for("NumPy, no program", {"MOL-UCB": found["naive alone"]}, found["alone"], PARETO),
    ]
    title = (
        f"Figure 2 of molts2025, a round: {ARMS} arms, {FEATURES} features, {OBJECTIVES} objectives"
    )
    harness.write("figure2", title, rows, [CHECKED, SHARED])


CHECKED = (
    "Checked first: Pareto and effective fronts (with and without the prefilter) of 20 tables of means, and the gaps "
    "of all arms; both regrets of 64 rounds of all four policies, arm by arm."
)
SHARED = (
    "The naive side draws an environment per policy; ours draws one for the four, which is what the rows of all four "
    "count once. Rows of one policy count it whole."
)

if __name__ == "__main__":
    main()
