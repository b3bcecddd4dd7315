"""How often `tune` claims a gain: on logs where no recipe is better than the first, and where one is.

python tests/evaluation/false_claims.py          prints the table of docs/measurements.md
"""

import numpy as np

import mobandits as mob
from mobandits.evaluation import LoggingPolicy, compare, tune
from mobandits.evaluation.gains import gain_over
from mobandits.logs import Feedback
from mobandits.orders import Weighted
from mobandits.policies import Forgetting, MolUcb, Pessimistic, SingleArm

ARMS, FEATURES, WEIGHTS = 3, 3, (1.0, 0.5)
LOGS, ROUNDS = 1000, 500


def learners():
    """Recipes that learn, after the policy that was logged."""
    order = Weighted(WEIGHTS)
    return {
        "now": LoggingPolicy(),
        "greedy": MolUcb(scale=0.01, order=order),
        "bold": MolUcb(scale=1.0, order=order),
        "cautious": Pessimistic(MolUcb(scale=1.0, order=order)),
        "forgetful": Forgetting(MolUcb(scale=0.3, order=order), discount=0.98),
    }


def one_learner():
    """One recipe that learns, after the policy that was logged."""
    everything = learners()
    return {name: everything[name] for name in ("now", "greedy")}


def scales():
    """Recipes that differ in a parameter alone: so does the first, and all of them learn."""
    order = Weighted(WEIGHTS)
    return {str(scale): MolUcb(scale=scale, order=order) for scale in (0.3, 0.01, 0.1, 1.0, 3.0)}


def constants():
    """Policies that learn nothing."""
    return {f"arm {arm}": SingleArm(arm) for arm in range(ARMS)}


CANDIDATES = {
    "one learner": one_learner,
    "learners": learners,
    "scales": scales,
    "constants": constants,
}


def log_of(seed, kind="normal", rounds=ROUNDS, gain=0.0):
    """Rewards that depend on nothing where `gain` is 0; else the last arm pays by the sign of a feature.

    "skewed": exponential rewards, and a logging policy that prefers the first arm, more so where a feature is large.
    "adaptive": the logging policy prefers the arm whose rewards have been largest so far.
    """
    rng = np.random.default_rng([seed, 77])
    contexts = np.column_stack([np.ones(rounds), rng.normal(size=(rounds, FEATURES - 1))])
    law = np.full((rounds, ARMS), 1.0 / ARMS)
    if kind == "skewed":
        scores = np.exp(np.outer(contexts[:, 1], [0.8, 0.0, 0.0]))
        law = 0.3 / ARMS + 0.7 * scores / scores.sum(1, keepdims=True)
    coins = rng.random(rounds)
    arms = (law.cumsum(1) < coins[:, None]).sum(1)
    noise = rng.exponential(size=(rounds, 2)) if kind == "skewed" else rng.normal(size=(rounds, 2))
    if kind == "binary":
        noise = (rng.random((rounds, 2)) < 0.3).astype(float)
    if kind == "adaptive":
        arms, law = adaptive_plays(noise.sum(1), coins)
    rewards = noise + gain * ((arms == ARMS - 1) * np.sign(contexts[:, 1]))[:, None]
    played = law[np.arange(rounds), arms]
    return Feedback(contexts, arms, rewards, played, "abc", ("quality", "thrift"))


def adaptive_plays(rewards, coins):
    """Arms and laws of a policy that plays the best arm so far half of the time, else any arm."""
    rounds = len(rewards)
    arms, law = np.zeros(rounds, int), np.zeros((rounds, ARMS))
    totals, counts = np.zeros(ARMS), np.zeros(ARMS)
    for t in range(rounds):
        law[t] = 0.5 / ARMS
        law[t, np.argmax(totals / np.maximum(counts, 1.0))] += 0.5
        arms[t] = min((law[t].cumsum() < coins[t]).sum(), ARMS - 1)
        totals[arms[t]] += rewards[t]
        counts[arms[t]] += 1.0
    return arms, law


def claims(kind, candidates, logs=LOGS, *, weights=WEIGHTS, margin=0.0, **log):
    """(logs,) whether a recipe was said to be surely better than the first."""
    said = []
    for seed in range(logs):
        tuned = tune(
            CANDIDATES[candidates](),
            log_of(seed, kind, **log),
            weights=weights,
            margin=margin,
            seed=seed,
            progress=False,
        )
        said.append(tuned.sure)
    return np.array(said)


def claims_of_random_folds(kind, candidates, logs=LOGS, **log):
    """The same test on values by folds at random, as `compare` makes them."""
    said = []
    for seed in range(logs):
        targets = CANDIDATES[candidates]()
        found = compare(log_of(seed, kind, **log), targets, "dr", seed=seed, progress=False)
        first, *others = [found[name, "dr"] for name in targets]
        level = 1.0 - 0.05 / len(others)
        gains = [gain_over(one, first, np.array(WEIGHTS), level) for one in others]
        said.append(any(gain.low > 0.0 and gain.freedom >= 10 for gain in gains))
    return np.array(said)


def main():
    print(f"{LOGS} logs of {ROUNDS} rounds, mobandits {mob.__version__}")
    print("| rewards | candidates | forward blocks | folds at random |")
    print("|---|---|---|---|")
    for kind in ("normal", "binary", "skewed", "adaptive"):
        for candidates in CANDIDATES:
            forward = claims(kind, candidates).mean()
            folds = claims_of_random_folds(kind, candidates).mean()
            print(f"| {kind} | {candidates} | {forward:.1%} | {folds:.1%} |", flush=True)
    for gain in (0.1, 0.2, 0.3, 0.5):
        power = claims("normal", "learners", LOGS // 5, gain=gain).mean()
        print(f"gain {gain}: found in {power:.0%}", flush=True)
    for margin in (0.0, 0.1):
        wrong = claims("normal", "learners", LOGS // 5, weights=None, margin=margin).mean()
        print(f"Pareto, margin {margin}: {wrong:.1%}", flush=True)


if __name__ == "__main__":
    main()
