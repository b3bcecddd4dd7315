"""What wrappers cost: rounds of MOL-UCB by itself, and of the same recipe inside of each wrapper."""

import harness
import numpy as np

from mobandits import policies
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.orders import Pareto
from mobandits.simulation.play import play

ROUNDS, REPEATS = 4096, 7
SHAPE = Shape(10, 5, 2, ROUNDS, shared=True)
RECIPE = policies.MolUcb(scale=0.3, order=Pareto(on=[0]))
# Limits that nothing breaks and budgets that nothing exceeds: the arms are those of the recipe.
LOOSE = {1: -100.0}
WRAPPERS = {
    "WithFloor, epsilon 0.05": policies.WithFloor(RECIPE, 0.05),
    "Pessimistic": policies.Pessimistic(RECIPE),
    "Within, a limit": policies.Within(RECIPE, LOOSE),
    "Paced, a budget": policies.Paced(RECIPE, {1: 100.0}),
    "Conservative, a guard": policies.Conservative(RECIPE, 0, 0.9, 0),
    "Forgetting, discount 0.99": policies.Forgetting(RECIPE, 0.99),
}
SAME_ARMS = ("Within, a limit", "Paced, a budget")


def player(recipe, contexts, rewards):
    """A function that plays all rounds and returns the arms."""
    policy = recipe.bind(SHAPE)
    loop = compile_loop(play, policy)
    arms = np.arange(SHAPE.arms)

    def once():
        chosen = np.empty(len(rewards), np.int64)
        rng = np.random.default_rng(1)
        loop(policy, policy.init(), contexts, rewards, arms, rng, chosen, None)
        return chosen

    return once


def main():
    rng = np.random.default_rng(0)
    contexts = rng.random((ROUNDS, 1, SHAPE.features))
    rewards = rng.random((ROUNDS, SHAPE.arms, SHAPE.objectives))
    plain = player(RECIPE, contexts, rewards)
    rows = []
    for title, recipe in WRAPPERS.items():
        wrapped = player(recipe, contexts, rewards)
        if title in SAME_ARMS:
            assert (wrapped() == plain()).all(), f"{title}: not the arms of the recipe itself"
        sides = {"theirs": wrapped, "ours": plain}
        times = harness.in_turn(sides, REPEATS, operations=dict.fromkeys(sides, ROUNDS))
        parts = {"without it": harness.summary(times["ours"])}
        rows.append(harness.own_row(title, times["theirs"], parts=parts))

    notes = [
        "Checked first: a limit that nothing breaks and a budget that nothing exceeds change no arm.",
        "Environment and regrets are not in these times.",
    ]
    title = "Wrappers, a round of MOL-UCB: 10 arms that share 5 features, 2 objectives"
    harness.write("wrappers", title, rows, notes)


if __name__ == "__main__":
    harness.one_thread()
    main()
