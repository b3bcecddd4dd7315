"""Multi-objective Thompson sampling of pybandits, without context."""

import harness

if __name__ == "__main__":
    harness.in_environment("pybandits", "pybandits==8.4.1")

import itertools

import numpy as np
from pybandits.model import Beta, BetaMO
from pybandits.smab import SmabBernoulliMO

import mobandits as mob

CASES, ROUNDS = ((50, 4), (200, 4)), 200
RECIPES = {
    "ParetoTs, the same algorithm": mob.policies.ParetoTs(),
    "ParetoUcb1": mob.policies.ParetoUcb1(),
    "MolUcb, one constant feature": mob.policies.MolUcb(scale=1.0),
}


def rival(arms, objectives):
    models = {str(arm): BetaMO(models=[Beta() for _ in range(objectives)]) for arm in range(arms)}
    return SmabBernoulliMO(actions=models, random_seed=0)


def coins(arms, objectives):
    rng = np.random.default_rng(0)
    return rng.random((ROUNDS, arms, objectives)) < rng.random((arms, objectives))


def check(theirs, clicks):
    """In every round its front is ours of its own sample, and its posteriors count the rewards that it learned."""
    told = np.ones((2, *clicks.shape[1:]), int)
    for reward in clicks[:50]:
        (arm,), (sample,) = theirs.predict()
        front, played = mob.front(np.array(list(sample.values()), float)), int(arm)
        their_front = theirs.strategy._get_exact_pareto_front(sample, theirs.actions)
        assert sorted(map(int, their_front)) == np.flatnonzero(front).tolist()
        assert front[played]
        theirs.update(actions=[arm], rewards=[reward[played].astype(int).tolist()])
        told[:, played] += reward[played], ~reward[played]
    betas = [theirs.actions[str(arm)].models for arm in range(clicks.shape[1])]
    for side, name in enumerate(("n_successes", "n_failures")):
        assert [[getattr(beta, name) for beta in row] for row in betas] == told[side].tolist()


def their_round(theirs, clicks):
    rows = itertools.cycle(clicks.astype(int).tolist())

    def once():
        actions, _ = theirs.predict()
        theirs.update(actions=actions, rewards=[next(rows)[int(actions[0])]])

    return once


def our_round(recipe, clicks):
    arms, objectives = clicks.shape[1:]
    features = 1 if isinstance(recipe, mob.policies.MolUcb) else 0
    agent = mob.Agent(recipe, arms=arms, features=features, objectives=objectives, seed=0)
    rows, context = itertools.cycle(clicks.astype(float)), np.ones(1) if features else None

    def once():
        number, arm, *_ = agent.decide(context)
        agent.learn(number, next(rows)[arm])

    return once


def main():
    rows = []
    for arms, objectives in CASES:
        clicks = coins(arms, objectives)
        check(rival(arms, objectives), clicks)
        sides = {name: our_round(recipe, clicks) for name, recipe in RECIPES.items()}
        times = harness.in_turn({"theirs": their_round(rival(arms, objectives), clicks), **sides})
        for name in RECIPES:
            case = f"{arms} arms, {objectives} objectives: {name}"
            rows.append(
                harness.row(case, "SmabBernoulliMO", times["theirs"], "mob.Agent", times[name])
            )
    harness.write(
        "pybandits", "A decision and a lesson without context: pybandits 8.4.1", rows, [CHECKED]
    )


CHECKED = (
    "Checked first, for 50 rounds: its Pareto front is ours of the values that it sampled, the arm that it plays is on "
    "it, and its posteriors count the rewards that it learned. Both draw at random, so the arms differ."
)


if __name__ == "__main__":
    main()
