"""The applications that mocmab2018 describes: diagnosis on real biopsies, recommendation, network routing."""

import math
import sys

import numpy as np
import polars as pl
import pytest

import mobandits as mob
from mobandits.datasets import breast_cancer
from mobandits.environments import MedicalDiagnosis, NetworkRouting, Recommendation
from mobandits.errors import MissingExtraError
from mobandits.policies import MocMab, MolTs, RandomChoice


def draw(environment, rounds=300, seed=0):
    problem = environment.problem(rounds, np.random.default_rng(seed))
    return problem, problem.block(0, rounds, np.random.default_rng(seed + 1))


def test_items_pay_what_they_say():
    problem, block = draw(Recommendation(items=5, features=3, width=0.4), rounds=20_000)
    for x, means in zip(block.contexts[:50, 0], block.means, strict=False):
        assert x[3] == 1.0
        for a in range(5):
            near = math.exp(
                -sum((u - z) ** 2 for u, z in zip(x[:3], problem.points[a], strict=True))
                / (2 * 0.16)
            )
            expected = [problem.appeal[a] * near, 1 - problem.popularity[a] * near]
            assert means[a] == pytest.approx(expected, abs=1e-14)
    assert set(np.unique(block.rewards)) == {0.0, 1.0}
    np.testing.assert_allclose((block.rewards - block.means).mean(0), 0, atol=0.02)
    assert (problem.appeal >= 0.5).all()
    independent = (block.rewards - block.means).prod(axis=2).mean(axis=0)
    np.testing.assert_allclose(independent, 0, atol=0.01)


def test_what_is_clicked_on_is_known():
    _, block = draw(Recommendation(), rounds=5000)
    centred = block.means - block.means.mean(axis=0)
    assert (centred.prod(axis=2).mean(axis=0) < 0).all()  # the objectives conflict for every item
    popular = draw(Recommendation(), rounds=10)[0].popularity
    assert np.ptp(popular) > 0.3


def test_paths_pay_what_they_say():
    problem, block = draw(NetworkRouting(paths=4, measured=3, precision=30.0), rounds=20_000)
    assert np.allclose(problem.weights.sum(axis=1), 1.0)
    assert problem.reach.tolist() == pytest.approx([0.1, 0.1 + 0.2 / 3, 0.1 + 0.4 / 3, 0.3])
    assert 0 < problem.detour.min() < problem.detour.max() < 0.15
    for x, means in zip(block.contexts[:50, 0], block.means, strict=False):
        for a in range(4):
            seen = sum(w * c for w, c in zip(problem.weights[a], x[:3], strict=True))
            energy = problem.reach[a] * (1 + seen) + problem.detour[a]
            delay = 0.4 - problem.reach[a] + 0.4 * seen + problem.detour[a]
            assert means[a] == pytest.approx([1 - energy, 1 - delay], abs=1e-14)
    noise = block.rewards - block.means
    np.testing.assert_allclose(noise.mean(0), 0, atol=0.005)
    spread = np.sqrt(
        (block.means * (1 - block.means) / 31).mean(axis=0)
    )  # of a Beta law: m (1 - m) / (precision + 1)
    np.testing.assert_allclose(noise.std(0), spread, rtol=0.05)
    assert block.rewards.min() >= 0
    assert block.rewards.max() <= 1


def test_energy_and_delay_conflict_and_detours_do_not_pay():
    _, block = draw(NetworkRouting(paths=8), rounds=500)
    sizes = [mob.front(means).sum() for means in block.means]
    assert 1.5 < np.mean(sizes) < 6  # several paths are worth taking, and several are not
    best = block.means.argmax(axis=1)
    assert (best[:, 0] != best[:, 1]).mean() > 0.5


@pytest.mark.long
@pytest.mark.parametrize("environment", [Recommendation, NetworkRouting, MedicalDiagnosis])
def test_the_constant_is_one_more_feature_of_the_same_rounds(environment):
    (one, with_it), (other, without) = draw(environment()), draw(environment(constant=False))
    assert one.shape.features == other.shape.features + 1
    np.testing.assert_array_equal(with_it.contexts[:, :, :-1], without.contexts)
    assert (with_it.contexts[:, :, -1] == 1).all()
    np.testing.assert_array_equal(with_it.rewards, without.rewards)
    assert without.contexts.min() >= 0
    assert without.contexts.max() <= 1  # what policies in cells need


def test_patients_are_drawn_alike_and_all_experts_judge_them():
    problem, block = draw(MedicalDiagnosis(), rounds=50_000)
    assert problem.shape[:3] == (6, 3, 2)
    rows = {row.tobytes(): i for i, row in enumerate(problem.contexts[:, 0])}
    assert len(rows) == 569  # so that a context tells the patient
    who = np.array([rows[row.tobytes()] for row in block.contexts[:, 0]])
    np.testing.assert_array_equal(block.rewards, problem.rewards[who])
    counts = np.bincount(who, minlength=569)
    assert counts.min() > 40
    assert counts.max() < 150


def test_what_experts_are_paid():
    problem, _ = draw(MedicalDiagnosis())
    right, found = problem.rewards[:, :, 0], problem.rewards[:, :, 1]
    malignant = breast_cancer()["malignant"].to_numpy()
    assert (found[malignant == 0] == 0).all()
    np.testing.assert_array_equal(found[malignant == 1], right[malignant == 1])
    accuracy = dict(zip(MedicalDiagnosis.experts, right.mean(axis=0), strict=True))
    sensitivity = dict(
        zip(MedicalDiagnosis.experts, found.sum(axis=0) / malignant.sum(), strict=True)
    )
    for what in ("size", "shape"):  # fear finds more tumours, and is more often wrong
        assert sensitivity[f"wary of {what}"] > sensitivity[what] + 0.05
        assert accuracy[f"wary of {what}"] < accuracy[what] - 0.01
    assert min(accuracy.values()) > 0.62  # the share of healthy patients


def test_experts_have_not_seen_their_patients():
    """A twin that trains the size expert by hand for the patients of one fifth."""
    linear, preprocessing = (
        pytest.importorskip("sklearn.linear_model"),
        pytest.importorskip("sklearn.preprocessing"),
    )
    table = breast_cancer()
    x, y = (
        table.select("mean_radius", "mean_perimeter", "mean_area").to_numpy(),
        table["malignant"].to_numpy(),
    )
    held_out = np.array([row % 5 == 2 for row in range(569)])
    scale = preprocessing.StandardScaler().fit(x[~held_out])
    expert = linear.LogisticRegression().fit(scale.transform(x[~held_out]), y[~held_out])
    right = expert.predict(scale.transform(x[held_out])) == y[held_out]
    problem, _ = draw(MedicalDiagnosis())
    np.testing.assert_array_equal(
        problem.rewards[held_out, MedicalDiagnosis.experts.index("size"), 0], right
    )


def test_tables_are_shared_and_cannot_be_changed():
    one, other = draw(MedicalDiagnosis())[0], draw(MedicalDiagnosis(), seed=9)[0]
    assert one.rewards is other.rewards
    assert not one.rewards.flags.writeable
    assert not one.contexts.flags.writeable


def test_missing_extra(monkeypatch):
    module = sys.modules[MedicalDiagnosis.__module__]
    monkeypatch.setattr(module, "_rewards", module._rewards.__wrapped__)
    monkeypatch.setitem(sys.modules, "sklearn.linear_model", None)
    with pytest.raises(
        MissingExtraError, match=r"^MedicalDiagnosis needs the extra `data`: pip install"
    ):
        MedicalDiagnosis().problem(10, np.random.default_rng(0))


@pytest.mark.parametrize(
    ("environment", "options", "message"),
    [
        (
            Recommendation,
            {"items": 1},
            "Recommendation.items must be an integer of at least 2, got 1",
        ),
        (
            Recommendation,
            {"features": 0},
            "Recommendation.features must be an integer of at least 1, got 0",
        ),
        (Recommendation, {"width": 0.0}, "Recommendation.width must be above 0, got 0.0"),
        (Recommendation, {"constant": 1}, "Recommendation.constant must be True or False, got 1"),
        (
            NetworkRouting,
            {"paths": 1},
            "NetworkRouting.paths must be an integer of at least 2, got 1",
        ),
        (
            NetworkRouting,
            {"measured": 0.5},
            "NetworkRouting.measured must be an integer of at least 1, got 0.5",
        ),
        (
            NetworkRouting,
            {"precision": math.inf},
            "NetworkRouting.precision must be a finite number, got inf",
        ),
        (
            NetworkRouting,
            {"constant": None},
            "NetworkRouting.constant must be True or False, got None",
        ),
        (
            MedicalDiagnosis,
            {"components": 0},
            "MedicalDiagnosis.components must be an integer of at least 1, got 0",
        ),
        (
            MedicalDiagnosis,
            {"components": 31},
            "MedicalDiagnosis.components must be at most 30, got 31",
        ),
        (
            MedicalDiagnosis,
            {"constant": "x"},
            "MedicalDiagnosis.constant must be True or False, got 'x'",
        ),
    ],
)
def test_refusals(environment, options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        environment(**options)


POLICIES = {
    "MOC-MAB": MocMab(scale=1 / 30, per_side=4, lipschitz=0.2),
    "MOL-TS": MolTs(scale=0.1),
    "random": RandomChoice(),
}


def played(environment, rounds, trials=4):
    """{policy: [mean reward per round in objective 0, in objective 1, mean Pareto regret per round]}."""
    metrics = ["reward", "pareto_regret"]
    table = mob.simulate(
        POLICIES, environment, rounds=rounds, trials=trials, seed=5, metrics=metrics, record=1
    ).table
    last = (
        table.filter(round=rounds)
        .group_by("policy", "metric", "component")
        .agg(pl.col("value").mean() / rounds)
    )
    value = {(policy, metric, i): value for policy, metric, i, value in last.rows()}
    return {
        p: [value[p, "reward", 0], value[p, "reward", 1], value[p, "pareto_regret", 0]]
        for p in POLICIES
    }


@pytest.mark.long
def test_diagnosis_is_learnt():
    result = played(MedicalDiagnosis(), rounds=3000)
    for policy in ("MOC-MAB", "MOL-TS"):
        assert result[policy][1] > result["random"][1] + 0.015  # sensitivity
        assert result[policy][2] < result["random"][2] - 0.015  # Pareto regret
    assert result["MOL-TS"][0] > result["random"][0] + 0.02  # accuracy


@pytest.mark.long
def test_recommendation_is_learnt():
    result = played(Recommendation(), rounds=3000)
    assert result["MOC-MAB"][0] > result["random"][0] + 0.1  # clicks, which dominate
    assert result["MOL-TS"][0] > result["random"][0] + 0.03
    assert max(result[policy][2] for policy in ("MOC-MAB", "MOL-TS")) < 0.8 * result["random"][2]


@pytest.mark.long
def test_routing_is_learnt():
    result = played(NetworkRouting(), rounds=3000)
    assert result["MOL-TS"][0] > result["random"][0] + 0.015  # energy saved
    assert (
        result["MOC-MAB"][1] > result["random"][1] + 0.04
    )  # time saved, among paths that its cells cannot tell apart
    assert max(result[policy][2] for policy in ("MOC-MAB", "MOL-TS")) < 0.6 * result["random"][2]
