"""What a feature map costs: rounds of MOL-UCB on the context, and on phi of it; first, phi is asserted to be phi."""

import harness
import numpy as np

from mobandits import policies
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.features import Bins, Crosses, Fourier, Layers, Leaves
from mobandits.simulation.play import play

ROUNDS, REPEATS = 4096, 7
EDGES = [0.25, 0.5, 0.75]
RECIPE = policies.MolUcb(scale=0.3)


def network(features, units=32):
    """A hidden layer with normal weights."""
    rng = np.random.default_rng(0)
    return Layers([rng.standard_normal((features, units))], [rng.standard_normal(units)])


def forest(features, trees=8):
    """Trees of depth 2 that look at one feature after the other."""
    leaf = -1
    feature, threshold, left, right = [], [], [], []
    for tree in range(trees):
        root = 7 * tree
        feature += [tree % features, (tree + 1) % features, 0, 0, (tree + 2) % features, 0, 0]
        threshold += [0.5, 0.25, 0.0, 0.0, 0.75, 0.0, 0.0]
        left += [root + 1, root + 2, leaf, leaf, root + 5, leaf, leaf]
        right += [root + 4, root + 3, leaf, leaf, root + 6, leaf, leaf]
    return Leaves(feature, threshold, left, right, list(range(0, 7 * trees, 7)))


def maps(features):
    return {
        "Crosses(2)": Crosses(2),
        "Bins, 3 edges each": Bins([EDGES] * features),
        "Fourier(32)": Fourier(32, length=1.0),
        "Layers, 32 units": network(features),
        "Leaves, 8 trees of 4": forest(features),
    }


def player(recipe, shape, contexts, rewards):
    """A function that plays all rounds and returns the arms."""
    policy = recipe.bind(shape)
    loop = compile_loop(play, policy)
    arms = np.arange(shape.arms)

    def once():
        chosen = np.empty(len(rewards), np.int64)
        rng = np.random.default_rng(1)
        loop(policy, policy.init(), contexts, rewards, arms, rng, chosen, None)
        return chosen

    return once


def data(shape):
    rng = np.random.default_rng(0)
    rows = 1 if shape.shared else shape.arms
    contexts = rng.random((ROUNDS, rows, shape.features))
    return contexts, rng.random((ROUNDS, shape.arms, shape.objectives))


def main():
    rows = []
    for name, shape in {
        "10 arms that share a context": Shape(10, 5, 2, ROUNDS, shared=True),
        "50 arms with rows of their own": Shape(50, 5, 2, ROUNDS),
    }.items():
        contexts, rewards = data(shape)
        plain = player(RECIPE, shape, contexts, rewards)
        for title, feature_map in maps(shape.features).items():
            phi = feature_map(contexts)
            wide = shape._replace(features=phi.shape[-1])
            on_phi = player(RECIPE, wide, phi, rewards)
            mapped = player(policies.Features(feature_map, RECIPE), shape, contexts, rewards)
            assert (mapped() == on_phi()).all(), (
                f"{title}: not the arms of a recipe that is given phi"
            )
            sides = {"plain": plain, "given": on_phi, "mapped": mapped}
            times = harness.in_turn(sides, REPEATS, operations=dict.fromkeys(sides, ROUNDS))
            parts = {
                "on the context itself": harness.summary(times["plain"]),
                "on phi, computed before": harness.summary(times["given"]),
            }
            case = f"{name}: {title}, {phi.shape[-1]} features"
            rows.append(harness.own_row(case, times["mapped"], parts=parts))
    title = "Feature maps, a round of MOL-UCB: 5 features, 2 objectives"
    checked = "Checked first: the arms are those of the recipe that is given phi as its contexts, in all rounds."
    harness.write(
        "features", title, rows, [checked, "Environment and regrets are not in these times."]
    )


if __name__ == "__main__":
    harness.one_thread()
    main()
