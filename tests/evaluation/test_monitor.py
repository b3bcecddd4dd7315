"""Promote, stop or wait: against a slow twin, in streams where nothing differs, and where something does."""

import functools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

import mobandits as mob
from mobandits.evaluation import ConstantTarget, Feedback, LoggingPolicy, Monitor, Uniform, looks_on
from mobandits.evaluation.folds import doubling_blocks
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.monitor import BETTER, HARMLESS, WORSE
from mobandits.policies import MolUcb
from mobandits.statistics import betting_sequence
from mobandits.statistics.betting_sequence import (
    BETS,
    BetCapital,
    SequenceSums,
    log_evidence,
    lower_ends,
)

OBJECTIVES = [
    mob.Objective("quality", low=0.0, high=2.0),
    mob.Objective("cost", minimise=True, low=1.0, high=5.0),
]
ROUNDS = 600
PROMISE = 0.05  # of wrong decisions at any look


def slow_log_evidence(count, total, squares, mean):
    """By its definition, an integral over 1 - lambda."""
    ahead = total - count * mean

    def weighted(u):
        return math.exp((1 - u) * ahead + squares * (math.log(u) + 1 - u) - u)

    mixed, _ = quad(weighted, 0, 1, epsabs=0, limit=200)
    return math.log(mixed / (1 - math.exp(-1)))


@given(
    st.lists(st.floats(0, 3), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_evidence_is_an_integral(observed, mean):
    count, total, squares = 0, 0.0, 0.0
    sums = SequenceSums(1)
    guesses = sums.fold(np.array(observed)[:, None]).ravel()
    for t, value in enumerate(observed):
        guess = min(1.0, (0.5 + total) / (t + 1))
        count, total, squares = count + 1, total + value, squares + (value - guess) ** 2
        assert guesses[t] == pytest.approx(guess)

    np.testing.assert_allclose(
        [sums.count[0], sums.total[0], sums.squares[0]], [count, total, squares]
    )
    found = float(log_evidence(sums, mean)[0])
    expected = slow_log_evidence(count, total, squares, mean)
    if total - count * mean + squares + 1 > 0:
        assert found == pytest.approx(expected, abs=1e-6)
    else:
        assert found == -math.inf  # less than there is


@given(st.data())
@settings(max_examples=30)
def test_lower_ends_are_where_evidence_reaches_the_risk(data):
    values = data.draw(st.lists(st.floats(0, 2), min_size=5, max_size=80))
    sums = SequenceSums(1)
    sums.fold(np.array(values)[:, None])
    (low,) = lower_ends(sums, 0.05)
    if low > 1e-9:
        assert float(log_evidence(sums, low)[0]) == pytest.approx(math.log(20), abs=1e-3)
    assert float(log_evidence(sums, low + 1e-6)[0]) <= math.log(20) + 1e-3


@given(
    st.lists(st.one_of(st.floats(-2.0, 9.0), st.just(math.nan)), max_size=40),
    st.integers(0, 40),
)
def test_capital_is_a_mean_of_products(observed, cut):
    """In two blocks, each bet one half of the bet before, with NaN where nothing is bet."""
    least = 2.0
    block = np.array(observed)[:, None]
    capital = BetCapital(np.array([least]))
    found = np.vstack([capital.fold(block[:cut]), capital.fold(block[cut:])]).ravel()
    shares = [1 / j for j in range(1, BETS + 1)]
    owned = [share / sum(shares) for share in shares]
    for t, value in enumerate(observed):
        if not math.isnan(value):
            owned = [money * (1 + value / (least * 2**j)) for j, money in enumerate(owned, 1)]
        assert found[t] == pytest.approx(math.log(sum(owned)), abs=1e-9)


@functools.cache
def stream(kind, seed, rounds=ROUNDS, effect=(0.0, 0.0)):
    """A log of a policy that learns; arm "b" gains `effect` over "a", in shares of the ranges."""
    rng = np.random.default_rng(seed)
    arms = np.zeros(rounds, np.int64)
    propensities = np.zeros(rounds)
    shares = np.zeros((rounds, 2))
    sums, counts = np.zeros(2), np.ones(2)
    waiting = []
    session_mood = 0.0
    for t in range(rounds):
        best = int(sums[1] / counts[1] > sums[0] / counts[0])
        law = np.full(2, 0.1)
        law[best] += 0.8
        if kind == "heavy weights":
            law = np.array([0.96, 0.04])
        if kind == "a coin":
            law = np.full(2, 0.5)
        if kind == "sessions":
            is_new = t % 6 == 0
            if is_new:
                session_mood = rng.normal(0.0, 0.15)
            else:
                law = np.full(2, 0.1)
                law[arms[t - 1]] += 0.8

        arm = int(rng.random() < law[1])
        base = np.array([0.45, 0.5])
        if kind == "drift":
            base = base + 0.3 * np.sin(t / 60.0)
        means = np.clip(base + session_mood + arm * np.array(effect), 0.0, 1.0)
        share = (rng.random(2) < means).astype(float)
        arms[t], propensities[t], shares[t] = arm, law[arm], share
        waiting.append((arm, share[0]))
        delay = 40 if kind == "delayed rewards" else 0
        if len(waiting) > delay:
            learned_arm, learned = waiting.pop(0)
            sums[learned_arm] += learned
            counts[learned_arm] += 1.0

    if kind == "missing objectives":
        shares[rng.random(shares.shape) < 0.4] = np.nan
    rewards = np.column_stack([2.0 * shares[:, 0], -(5.0 - 4.0 * shares[:, 1])])
    return Feedback(np.ones((rounds, 1)), arms, rewards, propensities, ["a", "b"], OBJECTIVES)


FAMILIES = (
    "a policy that learns",
    "drift",
    "heavy weights",
    "delayed rewards",
    "missing objectives",
    "sessions",
)


def decisions(kind, streams, **options):
    found = []
    for seed in range(streams):
        monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES, **options)
        monitor.fold(stream(kind, seed))
        found.append(monitor["b"].decision)

    return found


def most_wrong(streams):
    """Four standard errors above what is promised."""
    return streams * PROMISE + 4 * math.sqrt(streams * PROMISE * (1 - PROMISE))


@pytest.mark.long
@pytest.mark.parametrize("largest_weight", [None, 25.0])
@pytest.mark.parametrize("kind", FAMILIES)
def test_equal_arms_are_seldom_told_apart(kind, largest_weight):
    """At any of 600 looks."""
    found = decisions(kind, 25, largest_weight=largest_weight)
    assert sum(each != "wait" for each in found) <= most_wrong(25)


@pytest.mark.slow
@pytest.mark.parametrize("largest_weight", [None, 25.0])
@pytest.mark.parametrize("kind", FAMILIES)
def test_equal_arms_are_told_apart_in_one_of_twenty_streams_at_most(kind, largest_weight):
    found = decisions(kind, 1000, largest_weight=largest_weight)
    assert sum(each != "wait" for each in found) <= most_wrong(1000)


@pytest.mark.long
def test_a_wrong_sign_is_found(monkeypatch):
    """A public implementation has such a one; most intervals of equal arms miss them then."""
    right = betting_sequence.log_evidence

    def mutant(sums, mean):
        shape = sums.squares + 1.0
        x = sums.total - sums.count * mean + shape
        return right(sums, mean) + 2.0 * shape * np.log(np.maximum(x, 1.0))

    monkeypatch.setattr(betting_sequence, "log_evidence", mutant)
    missed = 0
    for seed in range(20):
        monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES)
        monitor.fold(stream("heavy weights", seed))
        look = monitor["b"]
        missed += bool((look.low > 0).any() or (look.high < 0).any())
    assert missed > most_wrong(20)


@pytest.mark.long
def test_intervals_hold_at_every_round():
    """Of all rounds of 25 streams, at least 19 of 20 have both differences in their intervals always."""
    missed = 0
    for seed in range(25):
        log = stream("a policy that learns", seed, rounds=300)
        monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES)
        for t in range(0, 300, 10):
            monitor.fold(log[t : t + 10])
            look = monitor["b"]
            if (look.low > 0).any() or (look.high < 0).any():
                missed += 1
                break

    assert missed <= most_wrong(25)


@pytest.mark.parametrize(
    ("effect", "margin", "decision", "claims"),
    [
        ((0.35, 0.35), {}, "promote", {BETTER, HARMLESS}),
        ((-0.35, 0.35), {}, "stop", {BETTER, WORSE}),
        ((0.4, 0.0), {"cost": 0.8}, "promote", {BETTER, HARMLESS}),
        ((0.4, 0.0), {}, "wait", {BETTER}),
    ],
)
def test_what_differs_is_found(effect, margin, decision, claims):
    log = stream("a policy that learns", 5, rounds=4000, effect=effect)
    monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES, margin=margin)
    monitor.fold(log)
    look = monitor["b"]
    assert look.decision == decision
    assert set(monitor._watched["b"].shown_after) == claims
    assert look.rounds == 4000
    if decision != "wait":
        assert look.decided_after < 4000


def test_a_largest_weight_finds_gains_sooner():
    log = stream("a coin", 6, rounds=4000, effect=(0.15, 0.15))
    looks = []  # without, and with
    for largest_weight in (None, 2.0):
        monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES, largest_weight=largest_weight)
        monitor.fold(log)
        looks.append(monitor["b"])

    plain, bounded = looks
    np.testing.assert_allclose(plain.gain, bounded.gain, atol=0.1)
    assert bounded.decided_after < 0.8 * plain.decided_after
    widths = [each.high - each.low for each in looks]
    assert (widths[1] < 0.9 * widths[0]).all()


def test_gains_with_a_largest_weight_are_sums_by_hand():
    """(w - 1) (r - c) with c the mean of what came before, and one 1/2."""
    log = stream("missing objectives", 4, rounds=200, effect=(0.1, 0.1))
    monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES, largest_weight=10.0)
    monitor.fold(log[:90])
    monitor.fold(log[90:])
    for l, (low, span, sign) in enumerate(((0.0, 2.0, 1.0), (-5.0, 4.0, -1.0))):
        seen, differences = [0.5], []
        for t in range(200):
            weight = (log.arms[t] == 1) / log.propensities[t]
            share = (log.rewards[t, l] - low) / span
            if not np.isnan(share):
                differences.append((weight - 1.0) * (share - np.mean(seen)))
                seen.append(share)
        assert monitor["b"].gain[l] == pytest.approx(sign * span * np.mean(differences))


def test_blocks_do_not_matter():
    log = stream("missing objectives", 3, rounds=900, effect=(0.2, 0.2))
    whole, daily = (Monitor({"b": ConstantTarget("b"), "any": Uniform()}, OBJECTIVES) for _ in "ab")
    whole.fold(log)
    for first, last in ((0, 1), (1, 1), (1, 400), (400, 900)):
        daily.fold(log[first:last])
    for name in ("b", "any"):
        one, other = whole[name], daily[name]
        assert (one.decision, one.decided_after) == (other.decision, other.decided_after)
        np.testing.assert_allclose(one.low, other.low, rtol=1e-9)
        np.testing.assert_allclose(one.high, other.high, rtol=1e-9)
        assert one.effective_rounds == pytest.approx(other.effective_rounds)


@pytest.mark.long
def test_values_are_in_their_own_units():
    """Costs fall by .35 of their range of 4, which is 1.4, quality rises by .35 of 2."""
    log = stream("a policy that learns", 1, rounds=20_000, effect=(0.35, 0.35))
    monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES)
    monitor.fold(log)
    plain = mob.evaluation.evaluate(log, ConstantTarget("b"), "ips").value - log.rewards.mean(0)
    look = monitor["b"]
    # The logging policy learns as well, so that it comes nearer to the target by and by.
    assert look.low[0] < plain[0] < look.high[0]
    assert look.low[1] < -plain[1] < look.high[1]
    assert look.high[1] < 0.0


@pytest.mark.long
def test_a_target_is_dominated_where_all_its_intervals_are_below():
    """Against the looks themselves, whose ends are in units and directions of their own."""
    log = stream("a coin", 8, rounds=3000, effect=(0.35, 0.35))
    targets = {"a": ConstantTarget("a"), "b": ConstantTarget("b"), "any": Uniform()}
    monitor = Monitor(targets, OBJECTIVES)
    found = set()
    for first in range(0, 3000, 300):
        monitor.fold(log[first : first + 300])
        looks = {name: monitor[name] for name in targets}
        for name, look in looks.items():
            expected = [
                other
                for other, its in looks.items()
                if its.low[0] > look.high[0] and its.high[1] < look.low[1]
            ]
            assert list(look.dominated_by) == expected
            found.update((name, other) for other in expected)

    # The last one half as far from both, and a policy never below itself.
    assert ("a", "b") in found
    assert not {("b", "a"), ("b", "any"), ("any", "a")} & found


@pytest.mark.long
@pytest.mark.parametrize("kind", FAMILIES)
def test_equal_targets_seldom_dominate_each_other(kind):
    targets = {"a": ConstantTarget("a"), "b": ConstantTarget("b")}
    wrong = 0
    for seed in range(25):
        monitor = Monitor(targets, OBJECTIVES)
        log = stream(kind, seed)
        looks = []
        for first in range(0, ROUNDS, 100):
            monitor.fold(log[first : first + 100])
            looks += [monitor["a"], monitor["b"]]
        wrong += any(look.dominated_by for look in looks)

    assert wrong <= most_wrong(25)


def test_a_target_never_dominates_itself():
    """Even where intervals are empty, since rewards are missing by the arm."""
    log = stream("a coin", 1, rounds=400)
    silent = np.where(log.arms[:, None] == 0, np.nan, np.array([1.0, -3.0]))
    log = Feedback(log.contexts, log.arms, silent, log.propensities, ["a", "b"], OBJECTIVES)
    monitor = Monitor({"b": ConstantTarget("b")}, OBJECTIVES)
    monitor.fold(log)
    assert (monitor["b"].low > 0).any()
    assert monitor["b"].dominated_by == ()
    expected = "missing rewards: in {} the share that is missing differs by 1.00 between arms"
    for objective, warning in zip(OBJECTIVES, monitor.warnings, strict=True):
        assert warning.startswith(expected.format(objective.name))


def test_warnings_of_missing_rewards_are_those_of_an_estimate():
    log = stream("a coin", 2, rounds=600)
    nowhere = np.zeros(600, bool)
    for hidden, told in ((nowhere, 0), (log.arms == 1, 1), (~nowhere, 1)):
        rewards = log.rewards.copy()
        rewards[hidden, 0] = np.nan
        seen = Feedback(
            log.contexts, log.arms, rewards, log.propensities, log.arm_names, OBJECTIVES
        )
        monitor = Monitor({"b": Uniform()}, OBJECTIVES)
        assert monitor.warnings == ()
        monitor.fold(seen[:100])
        monitor.fold(seen[100:])
        estimate = mob.evaluation.evaluate(seen, Uniform(), "ips")
        wanted = [each for each in estimate.warnings if each.startswith("missing rewards")]
        assert len(wanted) == told
        assert list(monitor.warnings) == wanted


def test_mistakes_are_refused():
    log = stream("drift", 0, rounds=20)
    with pytest.raises(ValueError, match="objectives must have ranges"):
        Monitor({"b": Uniform()}, ["quality"])
    with pytest.raises(ValueError, match="targets must name at least one, got none"):
        Monitor({}, OBJECTIVES)
    with pytest.raises(ValueError, match="must not learn from the rounds that judge it"):
        Monitor({"b": MolUcb()}, OBJECTIVES)
    with pytest.raises(ValueError, match="margin must name objectives of"):
        Monitor({"b": Uniform()}, OBJECTIVES, margin={"speed": 1.0})
    with pytest.raises(ValueError, match=r"margin\['cost'\] must be"):
        Monitor({"b": Uniform()}, OBJECTIVES, margin={"cost": -1.0})
    monitor = Monitor({"b": Uniform()}, OBJECTIVES)
    with pytest.raises(KeyError, match="the key must be one of b"):
        monitor["c"]
    narrow = Monitor(
        {"b": Uniform()}, [OBJECTIVES[0], mob.Objective("cost", True, low=1.0, high=2.0)]
    )
    with pytest.raises(ValueError, match=r"rewards of 'cost' must be within \[1.0, 2.0\], got 5"):
        narrow.fold(log)
    with pytest.raises(ValueError, match="log must have the objectives"):
        Monitor({"b": Uniform()}, OBJECTIVES[:1]).fold(log)
    light = Monitor({"b": Uniform()}, OBJECTIVES, largest_weight=1.5)
    with pytest.raises(ValueError, match="largest_weight must be at least every weight of 'b'"):
        light.fold(log)
    with pytest.raises(ValueError, match="largest_weight must be at least 1"):
        Monitor({"b": Uniform()}, OBJECTIVES, largest_weight=0.5)
    assert (monitor.rounds, narrow.rounds, light.rounds) == (0, 0, 0)


def test_an_objective_without_rewards_is_unknown():
    log = stream("drift", 0, rounds=50)
    silent = np.column_stack([log.rewards[:, 0], np.full(50, np.nan)])
    log = Feedback(log.contexts, log.arms, silent, log.propensities, ["a", "b"], OBJECTIVES)
    monitor = Monitor({"b": Uniform()}, OBJECTIVES)
    monitor.fold(log)
    look = monitor["b"]
    assert np.isnan(look.gain).tolist() == [False, True]
    assert (look.low[1], look.high[1], look.decision) == (-4.0, 4.0, "wait")
    assert "Not shown yet: better in at least one objective and worse in none (" in look.reason


def test_recipes_are_judged_by_what_they_have_not_learned():
    """What a longer log says of its first rounds is what a shorter one said."""
    log = stream("a policy that learns", 2, rounds=500, effect=(0.3, 0.3))
    recipe = MolUcb(scale=0.1, order=mob.orders.Weighted([1.0, 0.0]))
    forward = ForwardLog(log, doubling_blocks(500), None, 0)
    longer = forward.probabilities_of(recipe)
    shorter = ForwardLog(log[:200], doubling_blocks(200), None, 0).probabilities_of(recipe)
    assert forward.first == 64
    np.testing.assert_array_equal(longer[:136], shorter)

    found = looks_on(log, {"learned": recipe, "now": LoggingPolicy(), "b": ConstantTarget("b")})
    assert list(found) == ["learned", "b"]
    assert found["b"].rounds == 436
    monitor = Monitor({"b": ConstantTarget("b"), "other": Uniform()}, OBJECTIVES)
    monitor.fold(log[64:])
    np.testing.assert_array_equal(found["b"].low, monitor["b"].low)


def test_a_short_log_says_nothing():
    log = stream("drift", 0, rounds=30)
    look = looks_on(log, {"learned": MolUcb()})["learned"]
    assert (look.decision, look.rounds, look.effective_rounds) == ("wait", 0, 0.0)


@pytest.mark.long
def test_the_command_says_and_shows_decisions(program, tmp_path):
    rng = np.random.default_rng(0)
    lines = ["item,click,seconds"]
    for _ in range(1500):
        arm = rng.integers(2)
        lines.append(f"{'ab'[arm]},{int(rng.random() < 0.2 + 0.5 * arm)},{rng.random() + arm:.3f}")

    table = tmp_path / "log.csv"
    table.write_text(
        "\n".join(line + (",propensity" if line[:4] == "item" else ",0.5") for line in lines)
    )
    given = ["evaluate", table, "--column", "arm=item", "--column", "rewards=click,seconds"]
    given += ["--column", "propensity=propensity", "--objective", "click:low=0,high=1"]
    given += ["--policy", "b=arm:b", "--policy", "logging", "--out", tmp_path / "out"]
    seconds = ["--objective", "seconds:minimise=true,low=0,high=2,unit=s"]
    status, said, err = program(*given, *seconds, "--margin", "seconds=2")
    assert (status, said) == (2, "")
    assert "must go with --any-time" in err
    status, said, err = program(*given, "--any-time")
    assert status == 2
    assert "objectives must have ranges" in err
    asked = ["--any-time", "--margin", "seconds=2", "--largest-weight", "2"]
    status, said, _ = program(*given, *seconds, *asked)
    decision = "b: promote. It is better in at least one objective, and worse in none by more than its margin."
    assert (status, said.splitlines()[0]) == (0, decision)
    (look,) = json.loads((tmp_path / "out" / "evaluation.json").read_text())["looks"]
    assert look["gains"][1]["low"] < 0.5 < look["gains"][1]["high"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("Promote, stop or wait?") == 2
