"""`tune` and `sweep_weights`: against slow twins, and how often they are wrong."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from false_claims import claims, claims_of_random_folds, log_of
from logs_for_tests import make_log

import mobandits as mob
from mobandits.evaluation import (
    ConstantTarget,
    LoggingPolicy,
    Trained,
    Uniform,
    dominance,
    sweep_weights,
    tune,
)
from mobandits.evaluation.folds import blocks_of
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.gains import gain_over
from mobandits.evaluation.weight_sweep import lattice
from mobandits.logs import Feedback
from mobandits.orders import Chebyshev, Weighted
from mobandits.policies import Exp3P, MolTs, MolUcb, Pessimistic, RandomChoice, SingleArm

ORDER = Weighted([1.0, 0.5])
SCALE = 0.4


# --- slow twins


def slow_block(log, t, blocks):
    return t * blocks // len(log)


def slow_rounds_before(log, t, blocks):
    block = slow_block(log, t, blocks)
    return [s for s in range(len(log)) if slow_block(log, s, blocks) < block]


def slow_law(log, t, earlier, sign):
    """The law of MolUcb(SCALE, ORDER), and with sign -1 of the pessimistic one, arm by arm."""
    x = log.contexts[t]
    scores = []
    for arm in range(len(log.arm_names)):
        rows = [s for s in earlier if log.arms[s] == arm]
        gram = np.eye(len(x)) + sum((np.outer(log.contexts[s], log.contexts[s]) for s in rows), 0.0)
        width = np.sqrt(x @ np.linalg.solve(gram, x))
        score = 0.0
        for objective, weight in enumerate(ORDER.weights):
            moment = sum((log.contexts[s] * log.rewards[s, objective] for s in rows), 0.0 * x)
            estimate = x @ np.linalg.solve(gram, moment)
            score += weight * (estimate + sign * SCALE * width)
        scores.append(score)
    best = np.isclose(scores, max(scores), rtol=0.0, atol=1e-12)
    return best / best.sum()


def slow_predictions(log, t, earlier):
    """(arms, objectives) of the ridge regression per arm, on the rounds before."""
    mean = log.rewards[earlier].mean(0)
    z = np.append(1.0, log.contexts[t])
    predicted = np.zeros((len(log.arm_names), log.rewards.shape[1]))
    for arm in range(len(log.arm_names)):
        rows = [s for s in earlier if log.arms[s] == arm]
        features = np.array([np.append(1.0, log.contexts[s]) for s in rows]).reshape(-1, len(z))
        gram = features.T @ features + np.eye(len(z))
        theta = np.linalg.solve(gram, features.T @ (log.rewards[rows] - mean))
        predicted[arm] = mean + z @ theta
    return predicted


def slow_terms(log, law_of, blocks):
    """(valued rounds, objectives): law_of(t, earlier) is None for the logging policy."""
    terms = []
    for t in range(len(log)):
        earlier = slow_rounds_before(log, t, blocks)
        if not earlier:
            continue
        arm = log.arms[t]
        law = law_of(t, earlier)
        if law is None:
            terms.append(log.rewards[t])
            continue
        predicted = slow_predictions(log, t, earlier)
        weight = law[arm] / log.propensities[t]
        terms.append(law @ predicted + weight * (log.rewards[t] - predicted[arm]))
    return np.array(terms)


def test_values_are_those_of_the_slow_twin():
    log, blocks = make_log(4, rounds=90), 4
    recipe = MolUcb(scale=SCALE, order=ORDER)
    tuned = tune(
        {"now": LoggingPolicy(), "bold": recipe, "cautious": Pessimistic(recipe)},
        log,
        weights=ORDER.weights,
        blocks=blocks,
    )
    twins = {
        "now": slow_terms(log, lambda t, earlier: None, blocks),
        "bold": slow_terms(log, lambda t, earlier: slow_law(log, t, earlier, 1.0), blocks),
        "cautious": slow_terms(log, lambda t, earlier: slow_law(log, t, earlier, -1.0), blocks),
    }
    for name, terms in twins.items():
        estimate = tuned.estimate(name)
        np.testing.assert_allclose(estimate.terms.numerator, terms, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(estimate.value, terms.mean(0), rtol=1e-9)
        gains = (terms - twins["now"]) @ ORDER.weights
        gain = tuned.candidates[name].gains["weighted sum"]
        assert gain.value == pytest.approx(gains.mean(), abs=1e-12)
        if name != "now":
            error = gains.std(ddof=1) / len(gains) ** 0.5
            # Student's t has at least the normal quantile of 1 - 0.05 / 2.
            assert gain.value - gain.low >= 1.95 * error
    assert not np.allclose(twins["bold"], twins["cautious"])


def test_missing_rewards_and_eligible_arms():
    log = make_log(5, rounds=300, missing=0.2, eligible=True)
    tuned = tune(
        [Uniform(), MolUcb(scale=SCALE, order=ORDER), MolTs(scale=0.3)], log, weights=[1, 0]
    )
    for name in tuned.candidates:
        assert np.isfinite(tuned.estimate(name).value).all()
    forward = ForwardLog(log, 5, None, 0)
    law = forward.probabilities_of(MolUcb(scale=SCALE, order=ORDER))
    assert law.sum(1) == pytest.approx(1.0)
    assert (law[~forward.valued.eligible] == 0.0).all()


def test_nothing_looks_ahead():
    """Rewards of a block change no decision on it, nor any earlier one."""
    log = make_log(6, rounds=100)
    forward = ForwardLog(log, 4, None, 0)
    rewards = log.rewards.copy()
    last = forward.blocks == 3
    rewards[last] += 100.0
    other = ForwardLog(dataclasses.replace(log, rewards=rewards), 4, None, 0)
    recipe = MolUcb(scale=SCALE, order=ORDER)
    assert (forward.probabilities_of(recipe) == other.probabilities_of(recipe)).all()
    assert (forward.predictions.logged() == other.predictions.logged()).all()


def test_own_predictions_are_those_of_the_valued_rounds():
    log = make_log(7, rounds=60)
    table = np.random.default_rng(0).random((60, 3, 2))
    forward = ForwardLog(log, 3, table, 0)
    arms = log.arms[20:]
    assert (forward.predictions.logged() == table[np.arange(20, 60), arms]).all()
    with pytest.raises(ValueError, match=r"^predictions must have shape"):
        ForwardLog(log, 3, table[:50], 0)


# --- decisions


def test_a_recipe_that_is_better_is_found():
    log = log_of(1, rounds=1500, gain=0.5)
    learned = MolUcb(scale=0.1, order=ORDER)
    tuned = tune({"now": LoggingPolicy(), "learned": learned}, log, weights=ORDER.weights)
    assert tuned.sure
    assert tuned.best is learned
    assert tuned.best_name == "learned"
    assert tuned.answer.startswith("learned is significantly better than now: by ")
    assert "at least by" in tuned.answer
    assert tuned.candidates["learned"].p_value < 0.05
    assert tuned.candidates["now"].p_value == 1.0


def test_the_best_has_the_largest_certain_gain():
    log = log_of(2, rounds=1500, gain=0.5)
    names = {f"{scale:g}": MolUcb(scale=scale, order=ORDER) for scale in (0.01, 0.1, 1.0, 10.0)}
    tuned = tune({"now": LoggingPolicy(), **names}, log, weights=ORDER.weights)
    sure = {
        name: one.gains["weighted sum"].low for name, one in tuned.candidates.items() if one.sure
    }
    assert len(sure) > 1
    assert tuned.best_name == max(sure, key=sure.get)


def test_equal_recipes_are_never_better():
    recipe = MolUcb(scale=0.1, order=ORDER)
    tuned = tune({"first": recipe, "again": recipe}, log_of(3), weights=[1.0, 1.0])
    assert not tuned.sure
    assert tuned.best is recipe
    assert tuned.best_name == "first"
    assert tuned.answer.startswith("no policy is significantly better than the first, first")
    assert tuned.candidates["again"].gains["weighted sum"][:4] == (0.0, 0.0, 0.0, 1.0)


def test_doubts_keep_a_gain_from_being_sure():
    """An arm that pays far more, in a log that hardly has it."""
    rng = np.random.default_rng(0)
    law = np.array([0.97, 0.03])
    arms = rng.choice(2, 2000, p=law)
    rewards = (10.0 * arms + rng.normal(size=2000))[:, None]
    log = Feedback(np.ones((2000, 1)), arms, rewards, law[arms], "ab", ["q"])
    tuned = tune({"a": ConstantTarget("a"), "b": ConstantTarget("b")}, log)
    assert tuned.candidates["b"].gains["q"].low > 0.0
    assert tuned.candidates["b"].doubts
    assert not tuned.sure
    assert "b would be, but its estimate is in doubt: few rounds" in tuned.answer


def test_the_level_is_shared_by_the_candidates():
    """Two candidates that do not matter halve the share of the one that does."""
    log = log_of(4, rounds=1000, gain=0.3)
    learned = MolUcb(scale=0.1, order=ORDER)
    few = tune({"now": LoggingPolicy(), "learned": learned}, log, weights=ORDER.weights)
    more = {"now": LoggingPolicy(), "learned": learned, "u": Uniform(), "a": ConstantTarget("a")}
    many = tune(more, log, weights=ORDER.weights)
    assert many.candidates["learned"].p_value == pytest.approx(
        min(1.0, 3.0 * few.candidates["learned"].p_value)
    )
    assert (
        many.candidates["learned"].gains["weighted sum"].low
        < few.candidates["learned"].gains["weighted sum"].low
    )
    gain = gain_over(
        many.estimate("learned"), many.estimate("now"), np.array(ORDER.weights), 1.0 - 0.05 / 3
    )
    assert gain == many.candidates["learned"].gains["weighted sum"]


@pytest.mark.parametrize("margin", [0.0, 0.05, [0.0, 0.3]])
def test_without_weights_the_pareto_order_decides(margin):
    log = log_of(5, rounds=2000, gain=0.4)
    candidates = {
        "now": LoggingPolicy(),
        "learned": MolUcb(scale=0.1, order=ORDER),
        "arm c": ConstantTarget("c"),
    }
    tuned = tune(candidates, log, margin=margin)
    for name in ("learned", "arm c"):
        verdict = dominance(
            tuned.estimate(name), tuned.estimate("now"), margin=margin, level=1.0 - 0.05 / 2
        )
        assert tuned.candidates[name].p_value == min(1.0, 2.0 * verdict.p_dominates)
        assert tuned.candidates[name].sure == (verdict.decision == "dominates")
    assert tuned.weights is None
    assert tuned.decides is None
    assert tuned.best_name == "learned"
    assert "in none worse by more than the margin" in tuned.answer
    assert tuned.table()["objective"].unique(maintain_order=True).to_list() == ["quality", "thrift"]


def test_one_objective_needs_no_weights():
    log = make_log(8, rounds=800, objectives=1)
    tuned = tune([Uniform(), ConstantTarget("c")], log)
    assert tuned.weights == (1.0,)
    assert tuned.decides == "u"
    assert tuned.best_name == "ConstantTarget(arm='c')"
    assert tuned.table()["objective"].to_list() == ["u", "u"]


def test_an_objective_without_weight_may_be_missing():
    log = make_log(9, rounds=300)
    rewards = log.rewards.copy()
    rewards[:, 1] = np.nan
    log = dataclasses.replace(log, rewards=rewards)
    tuned = tune([Uniform(), ConstantTarget("c")], log, weights={"u": 1.0})
    assert np.isfinite(tuned.candidates["Uniform()"].values["weighted sum"].value)
    assert any("never observed" in doubt for doubt in tuned.candidates["Uniform()"].doubts)


def test_weights_by_name_and_baseline_by_name():
    log = log_of(6)
    candidates = {"a": SingleArm(0), "b": SingleArm(1)}
    by_name = tune(candidates, log, weights={"thrift": 2.0}, baseline="b")
    by_place = tune({"b": SingleArm(1), "a": SingleArm(0)}, log, weights=[0.0, 2.0])
    assert by_name.baseline == "b"
    assert by_name.table().equals(by_place.table())


def test_the_same_seed_gives_the_same_table():
    log = log_of(7)
    candidates = [RandomChoice(), MolTs(scale=0.3), Trained(MolTs(scale=1.0), draws=3)]
    first, again, other = [tune(candidates, log, weights=[1, 1], seed=seed) for seed in (1, 1, 2)]
    assert first.table().equals(again.table())
    assert not first.table().equals(other.table())


# --- what it shows


def test_the_table_has_the_numbers():
    log = log_of(8, gain=0.3)
    tuned = tune(
        {"now": LoggingPolicy(), "learned": MolUcb(scale=0.1, order=ORDER)}, log, weights=[1, 0.5]
    )
    table = tuned.table()
    assert table["objective"].to_list() == 2 * ["weighted sum", "quality", "thrift"]
    of_objectives = table.filter(pl.col("objective") != "weighted sum")
    wanted = tuned.comparison.table()
    for column in ("value", "low", "high"):
        np.testing.assert_allclose(of_objectives[column], wanted[column], rtol=1e-12)
    sums = table.filter(pl.col("objective") == "weighted sum")
    values = [tuned.estimate(name).value @ [1, 0.5] for name in ("now", "learned")]
    np.testing.assert_allclose(sums["value"], values)
    np.testing.assert_allclose(sums["gain"], np.array(values) - values[0], atol=1e-12)
    assert (table["gain_low"] <= table["gain"]).all()
    assert (table["gain"] <= table["gain_high"]).all()


def test_it_shows_itself():
    log = log_of(9)
    tuned = tune({"<now>": LoggingPolicy(), "b": SingleArm(1)}, log, weights=[1, 1])
    assert repr(tuned) == (
        "Tuned(2 candidates, 400 valued rounds, no policy is significantly better than the first)"
    )
    assert str(tuned) == tuned.answer
    html = tuned._repr_html_()
    assert "&lt;now&gt;" in html
    assert "gain in weighted sum" in html
    assert html.count("<tr>") == 3
    pareto = tune({"now": LoggingPolicy(), "b": SingleArm(1)}, log)
    assert "gain in" not in pareto._repr_html_()
    assert "comes nearest" in pareto.answer


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"recipes": MolUcb()}, r"^recipes must be a dictionary \{name: recipe\}, or a list"),
        ({"recipes": "mol-ucb"}, r"^recipes must be a dictionary"),
        ({"recipes": [MolUcb()]}, r"^recipes must be at least two, the first of which is to be"),
        ({"recipes": [MolUcb(), MolUcb()]}, r"^recipes must be different.*got 'MolUcb\(\)' twice"),
        (
            {"recipes": [MolUcb(), MolTs]},
            r"^target .*: target must be probabilities.*MolTs\(\.\.\.\)",
        ),
        ({"baseline": "b"}, r"^baseline must be one of .*got 'b'"),
        ({"weights": [1.0]}, r"^weights must be 2 numbers, one per objective, at least 0"),
        ({"weights": [1.0, -1.0]}, r"^weights must be 2 numbers, one per objective, at least 0"),
        ({"weights": [0.0, 0.0]}, r"not all 0, got \[0.0, 0.0\]"),
        ({"weights": [1.0, np.nan]}, r"^weights must be 2 numbers"),
        ({"weights": {"qality": 1.0}}, r"did you mean quality\?"),
        ({"margin": 0.1}, r"^margin must be 0 where weights, or the only objective, decide"),
        ({"weights": None, "margin": -1.0}, r"^margin must be at least 0, got -1.0"),
        ({"weights": None, "margin": [0, 0, 0]}, r"^margin must be a number, or one for each of 2"),
        ({"level": 1.0}, r"^level must be below 1"),
        ({"blocks": 1}, r"^blocks must be an integer of at least 2, got 1"),
        ({"blocks": 501}, r"^blocks must be at most the number of rounds, 500, got 501"),
        ({"seed": -1}, r"^seed must be an integer of at least 0"),
        ({"log": "log.db"}, r"^log must be a Feedback, got 'log.db'; write mobandits.logs.read"),
        ({"recipes": [MolUcb(), Exp3P(objective=5)]}, r"^target 'Exp3P\(objective=5\)': "),
    ],
)
def test_mistakes_are_named(options, message):
    asked = {"recipes": [MolUcb(), MolTs()], "log": log_of(0), "weights": [1.0, 1.0], **options}
    with pytest.raises(ValueError, match=message):
        tune(asked.pop("recipes"), asked.pop("log"), **asked)


def test_a_log_without_propensities_is_refused():
    log = log_of(0)
    without = dataclasses.replace(log, propensities=np.full(len(log), np.nan))
    with pytest.raises(ValueError, match=r"^Feedback.propensities must be known in every round"):
        tune([LoggingPolicy(), MolUcb()], without, weights=[1, 1])


def test_it_is_at_the_face():
    assert mob.tune is tune
    assert blocks_of(10, 3).tolist() == [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]


# --- the front of policies


def test_a_sweep_values_what_tune_would_value():
    log = log_of(10, gain=0.3)
    weights = {"one": [1.0, 0.0], "both": [0.5, 0.5]}
    sweep = sweep_weights(log, Pessimistic(MolUcb(scale=0.3)), weights)
    recipes = {
        name: Pessimistic(MolUcb(scale=0.3, order=Weighted(w))) for name, w in weights.items()
    }
    tuned = tune(recipes, log, weights=[1, 1])
    for name in weights:
        ours = sweep.comparison[name, "dr"].terms.numerator
        assert (ours == tuned.estimate(name).terms.numerator).all()


def test_the_lattice_does_not_mind_units():
    log = log_of(11, gain=0.3)
    cents = dataclasses.replace(log, rewards=log.rewards * [1.0, 1000.0])
    first, second = [sweep_weights(one, MolUcb(scale="data"), 4) for one in (log, cents)]
    assert list(first.orders) == ["0, 1", "0.25, 0.75", "0.5, 0.5", "0.75, 0.25", "1, 0"]
    for name in first.orders:
        ours = first.comparison[name, "dr"].terms.numerator
        theirs = second.comparison[name, "dr"].terms.numerator
        np.testing.assert_allclose(ours * [1.0, 1000.0], theirs, rtol=1e-6, atol=1e-6)


def test_intervals_of_the_front_are_for_all_policies_at_once():
    sweep = sweep_weights(log_of(12, gain=0.3), MolUcb(scale=0.1), 4)
    table = sweep.table(0.9, samples=5)
    wider = sweep.comparison.table(1.0 - 0.1 / 5)
    assert table.columns[:5] == ["policy", "objective", "value", "low", "high"]
    assert table.select("value", "low", "high").equals(wider.select("value", "low", "high"))
    assert table.filter("on_front").height >= 2
    assert repr(sweep) == "WeightSweep(5 policies, 2 objectives, 400 valued rounds)"
    assert sweep._repr_html_().count("<tr>") == 6
    assert {text.get_text() for text in sweep.plot().axes[0].texts} <= set(sweep.orders)


def test_chebyshev_sweeps_reach_hollows():
    rng = np.random.default_rng(0)
    arms = rng.integers(0, 3, 900)
    means = np.array([[1.0, 0.0], [0.4, 0.4], [0.0, 1.3]])
    rewards = means[arms] + 0.1 * rng.normal(size=(900, 2))
    log = Feedback(np.ones((900, 1)), arms, rewards, [1 / 3] * 900, "abc", ("q", "c"))
    recipe = Pessimistic(MolUcb(scale="data"))
    sums = sweep_weights(log, recipe, [[0.5, 0.5]])
    leads = sweep_weights(log, recipe, [[0.5, 0.5]], reference=[0, 0])
    assert isinstance(leads.orders["0.5, 0.5"], Chebyshev)
    values = [one.comparison["0.5, 0.5", "dr"].value for one in (sums, leads)]
    np.testing.assert_allclose(values, [[0.0, 1.3], [0.4, 0.4]], atol=0.05)


def test_lattices():
    for objectives, steps in ((1, 3), (2, 5), (3, 4), (4, 3)):
        vectors = lattice(objectives, steps)
        wanted = {
            tuple(v / steps for v in counts)
            for counts in np.ndindex(*(objectives * (steps + 1,)))
            if sum(counts) == steps
        }
        assert {tuple(vector) for vector in vectors.tolist()} == wanted
        assert len(vectors) == len(wanted)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": 0}, r"^weights must be an integer of at least 1, got 0"),
        ({"weights": []}, r"^weights must be at least one vector, got none"),
        ({"weights": "equal"}, r"^weights must be an integer, a list of vectors"),
        ({"weights": [[1.0]]}, r"^Weighted.weights must have one entry per objective, 2"),
        ({"weights": [[-1.0, 1.0]]}, r"^Weighted.weights must be finite, at least 0"),
        ({"reference": [0.0]}, r"^Chebyshev.reference must be finite, one entry per weight"),
        ({"recipe": Uniform()}, r"^recipe must be a recipe such as MolUcb\(\), got Uniform"),
        ({"recipe": RandomChoice()}, r"^recipe must play by an estimator, an explorer and an"),
        ({"recipe": MolTs(scale=0.3, selection="weight")}, r"^recipe must play by an estimator"),
        ({"draws": 0}, r"^draws must be an integer of at least 1"),
    ],
)
def test_mistakes_of_sweeps_are_named(options, message):
    asked = {"recipe": MolUcb(scale=0.3), "weights": 2, **options}
    with pytest.raises(ValueError, match=message):
        sweep_weights(log_of(0), asked.pop("recipe"), **asked)


# --- how often it is wrong

FALSE = 0.05
# Three standard errors of a share of 5 % in 300 logs.
SLACK = 3.0 * (FALSE * (1.0 - FALSE) / 300) ** 0.5


@pytest.mark.slow
@pytest.mark.parametrize("candidates", ["one learner", "learners", "scales", "constants"])
@pytest.mark.parametrize("kind", ["normal", "binary", "skewed", "adaptive"])
def test_false_claims_are_as_rare_as_promised(kind, candidates):
    """Rewards depend on nothing: all candidates are equally good."""
    assert claims(kind, candidates, logs=300).mean() <= FALSE + SLACK


def test_false_claims_of_learners_are_rare():
    """The quick part of the test above; 80 logs."""
    wrong = claims("normal", "learners", logs=80, rounds=300).mean()
    assert wrong <= FALSE + 3.0 * (FALSE * (1.0 - FALSE) / 80) ** 0.5


@pytest.mark.slow
def test_false_claims_of_the_pareto_order_are_rare():
    assert claims("normal", "learners", logs=300, weights=None).mean() <= FALSE + SLACK


@pytest.mark.slow
def test_folds_at_random_claim_more_than_they_may():
    """Why `tune` goes forward in time: the very same test is wrong more often on other folds."""
    forward = claims("normal", "one learner", logs=300).mean()
    folds = claims_of_random_folds("normal", "one learner", logs=300).mean()
    assert folds > FALSE > forward - SLACK


def test_a_true_gain_is_found():
    found = claims("normal", "learners", logs=30, gain=0.8)
    assert found.mean() >= 0.9
