"""Maps fitted to logs: against scikit-learn, and gains that are honest on linear and on other rewards."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

import mobandits as mob
from mobandits.evaluation import RidgePerArm
from mobandits.evaluation.folds import folds_of
from mobandits.features import Crosses, FittedMap, Fourier, Layers, Leaves, fit
from mobandits.features.examples import as_one_arm, examples_of, has_constant
from mobandits.features.fitting import KINDS
from mobandits.logs import Feedback


def log_of(mean, rounds=600, arms=2, noise=0.1, seed=0, shared=True):
    """A uniform log of two objectives: `mean(x, arm)`, and a linear one."""
    rng = np.random.default_rng(seed)
    contexts = rng.random((rounds, 2) if shared else (rounds, arms, 2))
    played = rng.integers(0, arms, rounds)
    x = contexts if shared else contexts[np.arange(rounds), played]
    first = mean(x, played)
    second = x @ [0.5, -0.25] + 0.25 * played
    rewards = np.stack([first, second], axis=1) + noise * rng.standard_normal((rounds, 2))
    names = ["a", "b", "c"][:arms]
    return Feedback(
        contexts, played, rewards, np.full(rounds, 1 / arms), names, ["bent", "straight"]
    )


def bent(x, arm):
    """Each arm has a bump of its own."""
    centre = np.where(arm == 0, 0.3, 0.7)
    return np.exp(-((x[:, 0] - centre) ** 2) / 0.02)


def straight(x, arm):
    return x @ [1.0, 0.5] - 0.5 * arm


# --- against scikit-learn


def test_layers_are_the_forward_pass_of_scikit_learn():
    neural_network = pytest.importorskip("sklearn.neural_network", reason="needs scikit-learn")
    rng = np.random.default_rng(0)
    rows, targets = rng.random((200, 3)), rng.random((200, 2))
    network = neural_network.MLPRegressor(hidden_layer_sizes=(7, 4), random_state=0)
    for _ in range(20):
        network.partial_fit(rows, targets)
    phi = Layers.from_scikit_learn(network)(rows)
    assert phi.shape == (200, 5)
    # The output layer is linear in phi, whose constant carries its biases.
    output = np.vstack([network.intercepts_[-1], network.coefs_[-1]])
    np.testing.assert_allclose(phi @ output, network.predict(rows), rtol=1e-10, atol=1e-12)
    network.set_params(activation="tanh")
    with pytest.raises(ValueError, match="activation 'relu', got 'tanh'"):
        Layers.from_scikit_learn(network)


def trees_of(model):
    estimators = np.ravel(np.asarray(model.estimators_, object))
    return [estimator.tree_ for estimator in estimators]


def near_thresholds(leaves):
    """Rows with the thresholds in every column, and the doubles next to them."""
    thresholds = leaves.threshold[leaves.left >= 0]
    # Splits on missing values alone have none.
    thresholds = thresholds[thresholds < 1e300]
    values = [np.nextafter(thresholds, -np.inf), thresholds, np.nextafter(thresholds, np.inf)]
    return np.repeat(np.concatenate(values), 3).reshape(-1, 3)


@pytest.mark.parametrize("kind", ["GradientBoostingRegressor", "RandomForestRegressor"])
def test_leaves_are_those_of_scikit_learn(kind):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="needs scikit-learn")
    rng = np.random.default_rng(1)
    rows = rng.random((300, 3)).round(2)
    model = getattr(ensemble, kind)(n_estimators=6, max_depth=3, random_state=0)
    model.fit(rows, np.sin(9.0 * rows[:, 0]) * rows[:, 1] + rows[:, 2])
    leaves = Leaves.from_scikit_learn(model)
    # New rows, and rows on the thresholds, which scikit-learn rounds to single precision.
    tested = np.vstack([rng.random((500, 3)), rows, near_thresholds(leaves)])
    phi = leaves(tested)
    # Numbers of leaves in the order of nodes, tree by tree.
    applied = model.apply(tested).reshape(len(tested), -1)
    first = 0
    for tree, nodes in zip(trees_of(model), applied.T, strict=True):
        leaf_nodes = np.flatnonzero(tree.children_left < 0)
        found = phi[:, first : first + len(leaf_nodes)]
        np.testing.assert_array_equal(found, nodes[:, None] == leaf_nodes)
        first += len(leaf_nodes)
    assert first == phi.shape[1]


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_leaves_are_those_of_histogram_boosting(classes, missing):
    ensemble = pytest.importorskip("sklearn.ensemble", reason="needs scikit-learn")
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((400, 3)).round(2)
    score = np.sin(3.0 * rows[:, 0]) + rows[:, 1] * rows[:, 2]
    holes = rng.random(rows.shape) < missing
    # Trees may split on what is missing alone; contexts have no holes.
    score += 2.0 * holes[:, 0]
    rows[holes] = np.nan
    options = {"max_iter": 5, "max_leaf_nodes": 6, "random_state": 0}
    if classes:
        targets = np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))
        model = ensemble.HistGradientBoostingClassifier(**options).fit(rows, targets)
    else:
        model = ensemble.HistGradientBoostingRegressor(**options).fit(rows, score)
    leaves = Leaves.from_scikit_learn(model)
    tested = np.vstack([rng.standard_normal((300, 3)), near_thresholds(leaves)])
    expected = [nodes_of(tree, tested) for trees in model._predictors for tree in trees]
    assert len(expected) == len(leaves.roots) == 5 * max(1, classes if classes > 2 else 1)
    np.testing.assert_array_equal(leaves(tested), np.hstack(expected))


def nodes_of(tree, rows):
    """The leaf of each row, as scikit-learn's own walk finds it: leaves predict their numbers."""
    is_leaf = tree.nodes["is_leaf"] == 1
    tree.nodes["value"] = np.arange(len(tree.nodes))
    no_categories = np.zeros((0, 8), np.uint32)
    found = tree.predict(rows, no_categories, np.zeros(3, np.uint32), 1)
    return found[:, None] == np.flatnonzero(is_leaf)


def test_splits_on_missing_values_alone_send_every_context_left():
    ensemble = pytest.importorskip("sklearn.ensemble", reason="needs scikit-learn")
    rng = np.random.default_rng(0)
    rows = rng.random((100, 1))
    rows[:50] = np.nan
    model = ensemble.HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=2)
    model.fit(rows, np.isnan(rows[:, 0]).astype(float))
    assert np.isinf(model._predictors[0][0].nodes["num_threshold"][0])
    assert Leaves.from_scikit_learn(model)([[1e9], [-1e9]]).tolist() == [[1.0, 0.0]] * 2


def test_categorical_splits_are_refused():
    ensemble = pytest.importorskip("sklearn.ensemble", reason="needs scikit-learn")
    rows = np.random.default_rng(0).integers(0, 4, (100, 2))
    model = ensemble.HistGradientBoostingRegressor(max_iter=1, categorical_features=[1])
    model.fit(rows, rows[:, 1] == 2)
    with pytest.raises(
        ValueError, match=r"models must split on numbers.* categorical features \[1\]"
    ):
        Leaves.from_scikit_learn(model)
    with pytest.raises(ValueError, match="models must be fitted"):
        Leaves.from_scikit_learn(ensemble.HistGradientBoostingRegressor())


def test_a_single_tree_and_several_models():
    tree = pytest.importorskip("sklearn.tree", reason="needs scikit-learn")
    rows = np.random.default_rng(0).random((50, 2))
    one = tree.DecisionTreeRegressor(max_depth=2).fit(rows, rows[:, 0])
    other = tree.DecisionTreeRegressor(max_depth=1).fit(rows, rows[:, 1])
    both = Leaves.from_scikit_learn(one, other)(rows)
    apart = [Leaves.from_scikit_learn(model)(rows) for model in (one, other)]
    np.testing.assert_array_equal(both, np.hstack(apart))


@pytest.mark.parametrize("kind", ["net", "trees"])
def test_without_scikit_learn_one_line_says_what_to_install(kind):
    code = f"""
import sys
sys.modules['sklearn'] = sys.modules['sklearn.neural_network'] = sys.modules['sklearn.ensemble'] = None
import numpy as np, mobandits as mob
log = mob.logs.Feedback(np.ones((30, 1)), [0] * 30, [[1.0]] * 30, [1.0] * 30, ["a"], ["q"])
mob.features.fit(log, "{kind}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    said = f"mob.features.fit(log, '{kind}') needs the extra `data`"
    assert (
        done.stderr.strip()
        .splitlines()[-1]
        .startswith(f"mobandits.errors.MissingExtraError: {said}: pip install")
    )


# --- gains


@pytest.mark.parametrize("kind", KINDS)
def test_a_map_gains_where_rewards_are_not_linear(kind):
    if kind in ("net", "trees"):
        pytest.importorskip("sklearn", reason="needs scikit-learn")
    fitted = fit(log_of(bent, rounds=1500), kind, degree=4)
    curved, linear = fitted.gains
    assert (curved.objective, linear.objective) == ("bent", "straight")
    assert curved.is_sure
    assert curved.mapped > curved.linear + 0.1
    assert curved.low < curved.estimate < curved.high
    assert curved.estimate == pytest.approx(curved.mapped - curved.linear)
    assert not linear.is_sure
    assert fitted.is_sure
    text = str(fitted)
    assert text.startswith(f"{fitted.map}, fitted on 1,500 rounds\n")
    assert text.splitlines()[3].endswith(": linear is fine")
    assert text.splitlines()[-1] == "The map is better in bent; elsewhere linear is fine."
    # The map plays.
    shape = mob.contracts.protocols.Shape(2, 2, 2, shared=True)
    recipe = mob.policies.Features(fitted.map, mob.policies.MolUcb(scale=0.3))
    assert recipe.bind(shape).policy.estimator.features == fitted.map.bind(2).size


@pytest.mark.parametrize("kind", KINDS)
def test_linear_is_fine_where_rewards_are_linear(kind):
    if kind in ("net", "trees"):
        pytest.importorskip("sklearn", reason="needs scikit-learn")
    fitted = fit(log_of(straight, noise=0.5), kind)
    assert not fitted.is_sure
    assert all(gain.linear > gain.mapped - 0.02 for gain in fitted.gains)
    assert str(fitted).count("linear is fine") == 2
    assert str(fitted).endswith(
        "Linear is fine: this map is not significantly better in any objective."
    )


def test_gains_are_differences_of_squared_errors_on_other_folds():
    """A slow twin: the same folds, one fit per fold with the fold's rounds left out."""
    log = log_of(bent, rounds=200)
    log.rewards[::7, 0] = np.nan
    gains = fit(log, Crosses(3), folds=4, penalty=0.5, seed=3).gains
    folds = folds_of(len(log), 4, 3)
    phi = Crosses(3)(log.contexts)
    for l, gain in enumerate(gains):
        differences = []
        for i in np.flatnonzero(~np.isnan(log.rewards[:, l])):
            others = (folds != folds[i]) & ~np.isnan(log.rewards[:, l])
            errors = [predicted(log, x, i, others, l, 0.5) for x in (log.contexts, phi)]
            differences.append(errors[0] - errors[1])
        observed = log.rewards[~np.isnan(log.rewards[:, l]), l]
        assert gain.rounds == len(observed)
        assert gain.estimate == pytest.approx(np.mean(differences) / observed.var())
        error = np.std(differences, ddof=1) / np.sqrt(len(differences)) / observed.var()
        assert gain.high - gain.low == pytest.approx(2 * 1.97 * error, rel=0.01)


def predicted(log, x, i, others, l, penalty):
    """The squared error of a ridge regression of the round's arm, fitted on other rounds."""
    mean = log.rewards[others, l].mean()
    mine = others & (log.arms == log.arms[i])
    z = np.column_stack([np.ones(len(x)), x])
    gram = z[mine].T @ z[mine] + penalty * np.eye(z.shape[1])
    theta = np.linalg.solve(gram, z[mine].T @ (log.rewards[mine, l] - mean))
    return (log.rewards[i, l] - mean - z[i] @ theta) ** 2


def test_the_linear_share_is_that_of_the_reward_models():
    log = log_of(bent)
    gain = fit(log, Crosses(2)).gains[0]
    model = RidgePerArm().fit(log, folds_of(len(log), 5, 0))
    error = ((log.rewards - model.logged())[:, 0] ** 2).mean()
    assert gain.linear == pytest.approx(1.0 - error / log.rewards[:, 0].var())


@pytest.mark.parametrize("kind", KINDS)
def test_arms_with_rows_of_their_own(kind):
    if kind in ("net", "trees"):
        pytest.importorskip("sklearn", reason="needs scikit-learn")
    fitted = fit(log_of(bent, rounds=900, shared=False), kind, degree=4)
    assert fitted.gains[0].is_sure
    assert fitted.map.bind(2).size > 2


@pytest.mark.parametrize("kind", KINDS)
def test_linear_is_fine_for_many_arms_that_share_a_model(kind):
    """A regression per arm would know little of 40 arms, and lose to maps by that alone."""
    if kind in ("net", "trees"):
        pytest.importorskip("sklearn", reason="needs scikit-learn")
    rng = np.random.default_rng(5)
    contexts, arms = rng.standard_normal((800, 40, 3)), rng.integers(0, 40, 800)
    x = contexts[np.arange(800), arms]
    rewards = x @ rng.standard_normal((3, 2)) + rng.standard_normal((800, 2))
    log = Feedback(contexts, arms, rewards, np.full(800, 1 / 40), list(range(40)), ["q", "c"])
    fitted = fit(log, kind)
    assert not fitted.is_sure
    assert all(gain.linear > 0.3 for gain in fitted.gains)


def test_rewards_in_part_are_enough():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    log = log_of(bent, rounds=900)
    log.rewards[::2, 0] = np.nan
    log.rewards[1::4, 1] = np.nan
    for kind in KINDS:
        fitted = fit(log, kind, degree=4)
        assert fitted.gains[0].is_sure
        assert fitted.gains[0].rounds == 450


def test_the_same_seed_gives_the_same_map():
    log = log_of(bent, rounds=200)
    for kind in KINDS:
        assert fit(log, kind, folds=2).map == fit(log, kind, folds=2).map
    assert fit(log, "fourier", seed=1).map != fit(log, "fourier").map


def test_what_each_kind_takes_from_the_log():
    log = log_of(bent, rounds=300)
    assert fit(log, "fourier").map.length == pytest.approx(0.52, abs=0.05)
    assert fit(log, "crosses").map == Crosses(2, constant=True)
    with_ones = dataclasses.replace(log, contexts=np.column_stack([log.contexts, np.ones(300)]))
    assert has_constant(with_ones.contexts)
    assert fit(with_ones, "crosses").map == Crosses(2)
    edges = fit(with_ones, "bins", bins=4).map.edges
    assert [len(each) for each in edges] == [3, 3, 0]
    np.testing.assert_allclose(edges[0], np.quantile(log.contexts[:, 0], [0.25, 0.5, 0.75]))
    own = Fourier(8, length=0.5)
    assert fit(log, own).map is own
    free = Fourier(8, seed=3)
    assert fit(log, free).map == Fourier(8, fit(log, "fourier").map.length, 3)


def test_clusters_are_those_of_the_contexts():
    log = log_of(bent, rounds=300)
    corners = np.array([[0.0, 0.0], [0.0, 10.0], [10.0, 0.0]])
    places = np.arange(300) % 3
    contexts = log.contexts + corners[places]
    apart = dataclasses.replace(log, contexts=contexts)
    fitted = fit(apart, "clusters", count=3)
    means = [contexts[places == place].mean(axis=0) for place in range(3)]
    np.testing.assert_allclose(fitted.map.centres, np.unique(means, axis=0), rtol=1e-12)
    # There are no more centres than different contexts.
    few = dataclasses.replace(log, contexts=corners[places])
    np.testing.assert_array_equal(fit(few, "clusters").map.centres, corners)


def test_examples_have_an_output_per_arm_and_objective():
    log = log_of(bent, rounds=20, arms=3)
    examples = examples_of(log)
    assert examples.targets.shape == (20, 6)
    assert (np.isfinite(examples.targets).sum(1) == 2).all()
    own = log_of(bent, rounds=20, shared=False)
    examples = examples_of(as_one_arm(own))
    assert examples.rows.shape == examples.targets.shape == (20, 2)
    np.testing.assert_array_equal(examples.rows, own.contexts[np.arange(20), own.arms])
    np.testing.assert_array_equal(examples.targets, own.rewards)


def test_layers_for_rows_as_they_are_have_a_norm_of_one():
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    log = log_of(bent, rounds=300)
    shifted = dataclasses.replace(log, contexts=100.0 + 10.0 * log.contexts)
    phi = fit(shifted, "net", folds=2).map(shifted.contexts)
    assert (phi[:, 1:] ** 2).sum(1).mean() == pytest.approx(1.0)


def test_rewards_that_never_change_and_rewards_that_are_not_there():
    log = log_of(straight, rounds=60)
    log.rewards[:, 0] = 0.1
    log.rewards[:, 1] = np.nan
    fitted = fit(log, Crosses(2))
    assert fitted.gains[0][1:6] == (0.0,) * 5
    assert not fitted.is_sure
    assert "straight: too few rewards to tell" in str(fitted)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            {"kind": "nets"},
            "kind: 'nets' is unknown; did you mean net. It must be one of bins, clusters",
        ),
        ({"kind": None}, "kind must be one of"),
        ({"log": [[1.0]]}, "log must be a Feedback"),
        ({"count": 0}, "count must be an integer of at least 1, got 0"),
        ({"bins": 1}, "bins must be an integer of at least 2"),
        ({"hidden": ()}, "hidden must be the units of every hidden layer"),
        ({"hidden": (0,)}, "hidden must be an integer of at least 1"),
        ({"folds": 1}, "folds must be an integer of at least 2"),
        ({"folds": 100}, "folds must be at most the number of rounds"),
        ({"penalty": 0.0}, "penalty must be above 0"),
        ({"seed": -1}, "seed must be an integer of at least 0"),
    ],
)
def test_what_is_refused(change, says):
    arguments = {"log": log_of(straight, rounds=20), "kind": "crosses"} | change
    log, kind = arguments.pop("log"), arguments.pop("kind")
    with pytest.raises(ValueError, match=says):
        fit(log, kind, **arguments)


def test_logs_that_cannot_be_fitted():
    alike = Feedback(np.ones((9, 2)), [0] * 9, np.ones((9, 1)), np.ones(9), ["a"], ["q"])
    with pytest.raises(ValueError, match="contexts must differ"):
        fit(alike, "fourier")
    empty = Feedback(np.ones((9, 0)), [0] * 9, np.ones((9, 1)), np.ones(9), ["a"], ["q"])
    with pytest.raises(ValueError, match="log must have contexts of at least 1 feature"):
        fit(empty, "crosses")
    pytest.importorskip("sklearn", reason="needs scikit-learn")
    with pytest.raises(ValueError, match="log must have 20 rewards of some arm and objective"):
        fit(log_of(bent, rounds=19, arms=1), "trees")


def test_a_fitted_map_is_plain_data():
    fitted = fit(log_of(bent, rounds=60), "crosses")
    assert isinstance(fitted, FittedMap)
    assert (fitted.rounds, fitted.folds) == (60, 5)
