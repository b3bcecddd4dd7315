"""Calibration: beliefs are those that the agent held, and windows are judged as the module says."""

import math

import numpy as np
import pytest
from scipy import stats

import mobandits as mob
from mobandits.agent import Objective
from mobandits.logs import Store
from mobandits.logs.store.connection import reading
from mobandits.monitoring import beliefs, summary
from mobandits.monitoring.beliefs import Believed, replayed_beliefs
from mobandits.monitoring.calibration import are_too_many
from mobandits.monitoring.history import history_of
from mobandits.policies import Exp3P, MolEpsGreedy, MolTs, MolUcb

pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.filterwarnings("ignore::mobandits.errors.LogWarning"),
]
OBJECTIVES = [Objective("quality"), Objective("cost", minimise=True, low=0.0, high=4.0)]


class Clock:
    now = 1000.0

    def __call__(self):
        self.now += 1.0
        return self.now


def agent_of(path, recipe, **options):
    given = {"arms": ["a", "b"], "features": 2, "objectives": OBJECTIVES, "seed": 1}
    return mob.Agent(recipe, **{**given, "clock": Clock(), "log": path, **options})


def lived(agent, rounds, *, shift=None, seed=0):
    """Decisions with their rewards; per decision what the agent believed of the played arm."""
    rng = np.random.default_rng(seed)
    held = {}
    for i in range(rounds):
        decision = agent.decide(rng.random((len(agent.arms), 2)))
        try:
            explanation = agent.explain(decision)
        except ValueError:
            pass
        else:
            place = decision.eligible.index(decision.arm)
            table = (explanation.estimates, explanation.low, explanation.high)
            held[decision.id] = [each[place].tolist() for each in table]
        late = shift is not None and i >= shift
        quality = float(rng.normal(0.2 if late else 0.8, 0.1))
        agent.learn(decision.id, {"quality": quality, "cost": float(rng.uniform(0, 4))})
        if i == rounds // 2:
            agent.add_arm("c", like="a")
    return held


def replayed(path):
    with reading(path) as connection:
        return replayed_beliefs(history_of(connection, path, None))


@pytest.mark.parametrize("recipe", [MolUcb(scale=0.3), MolTs(scale=0.2)])
def test_beliefs_are_those_of_the_decisions(tmp_path, recipe):
    path = tmp_path / "a.db"
    agent = agent_of(path, recipe, propensity="sampled" if "Ts" in repr(recipe) else "exact")
    held = lived(agent, 40)
    agent.close()
    found = replayed(path)
    assert (found.after, found.why) == (0, "")
    assert found.believed.ids.tolist() == sorted(held)
    for i, number in enumerate(found.believed.ids.tolist()):
        tables = zip(found.believed[1:], held[number], strict=True)
        for mine, theirs in tables:
            assert mine[i] == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def test_a_long_log_is_replayed_from_a_snapshot(tmp_path, monkeypatch):
    path = tmp_path / "a.db"
    agent = agent_of(path, MolUcb(scale=0.3))
    lived(agent, 20)
    agent.checkpoint()
    rng = np.random.default_rng(3)
    later = [agent.decide(rng.random((3, 2))).id for _ in range(5)]
    agent.close()
    monkeypatch.setattr(beliefs, "MOST_EVENTS", 30)
    found = replayed(path)
    assert found.after == 41
    assert found.believed.ids.tolist() == later
    monkeypatch.setattr(beliefs, "MOST_EVENTS", 3)
    found = replayed(path)
    assert found.believed is None
    assert "more came after each snapshot" in found.why


def test_after_another_recipe_that_learned_from_the_log_again(tmp_path):
    path = tmp_path / "a.db"
    agent = agent_of(path, MolUcb(scale=0.3))
    lived(agent, 20)
    agent.retune(recipe=MolUcb(scale=0.1))
    rng = np.random.default_rng(3)
    for _ in range(3):
        agent.learn(agent.decide(rng.random((3, 2))).id, {"quality": 0.5, "cost": 1.0})
    agent.close()
    # Statistics agree: the change is replayed.
    assert len(replayed(path).believed.ids) == 23
    agent = agent_of(path, MolUcb(scale=0.1))
    agent.retune(recipe=MolUcb(scale=0.1, penalty=3.0))
    last = [agent.decide(rng.random((3, 2))).id for _ in range(4)]
    agent.close()
    # They do not: only what comes after the snapshot that followed is.
    found = replayed(path)
    assert found.why == ""
    assert found.believed.ids.tolist() == last


def test_windows_are_compared_as_the_module_says(tmp_path):
    path = tmp_path / "a.db"
    agent = agent_of(path, MolUcb(scale=0.3))
    held = lived(agent, 60)
    agent.close()
    found = summary(path, window=20)
    with Store(path) as store:
        lessons = {event.id: event for event in store.events() if event.kind == "learn"}
    for w, window in enumerate(found["windows"]):
        ids = range(20 * w, 20 * w + 20)
        for l, name in enumerate(("quality", "cost")):
            rewards = [lessons[number].rewards[name] for number in ids]
            estimates, lows, highs = (
                [held[number][kind][l] for number in ids] for kind in range(3)
            )
            rest = np.subtract(rewards, estimates)
            noise = stats.t.ppf(0.975, 19) * rest.std(ddof=1) / math.sqrt(20)
            mine = window["calibration"][l]
            expected = (20, np.mean(rewards), noise, *map(np.mean, (estimates, lows, highs)))
            keys = ("count", "observed", "noise", "estimate", "low", "high")
            assert [mine[key] for key in keys] == pytest.approx(expected, rel=1e-9)
            is_inside = np.mean(lows) - noise <= np.mean(rewards) <= np.mean(highs) + noise
            assert mine["held"] == is_inside


def test_intervals_that_are_too_narrow_for_a_shift_are_off(tmp_path):
    stays = agent_of(tmp_path / "stays.db", MolUcb(scale=0.5))
    lived(stays, 200)
    stays.close()
    still = summary(tmp_path / "stays.db", window=20)
    assert still["calibration"]["off"] == [False, False]
    assert still["calibration"]["judged"] == [10, 10]
    moves = agent_of(tmp_path / "moves.db", MolUcb(scale=0.1))
    lived(moves, 200, shift=100)
    moves.close()
    moved = summary(tmp_path / "moves.db", window=20)
    assert moved["calibration"]["off"][0]
    (alarm,) = [
        each for each in moved["alarms"] if each.startswith("Calibration: the intervals of quality")
    ]
    assert "windows" in alarm


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        (MolEpsGreedy(), "no intervals around them"),
        (Exp3P(), "no estimates per arm and objective"),
    ],
)
def test_policies_without_estimates_or_intervals_say_so(tmp_path, recipe, why):
    path = tmp_path / "a.db"
    options = {"objectives": ["quality"], "features": 0} if isinstance(recipe, Exp3P) else {}
    if isinstance(recipe, Exp3P):
        options["rounds"] = 100
    agent = agent_of(path, recipe, **options)
    rng = np.random.default_rng(0)
    for _ in range(10):
        context = None if options else rng.random((2, 2))
        decision = agent.decide(context)
        rewards = {"quality": 0.5} if options else {"quality": 0.5, "cost": 1.0}
        agent.learn(decision.id, rewards)
    agent.close()
    found = summary(path)
    assert why in found["calibration"]["why"]


def test_it_can_be_left_out(tmp_path):
    path = tmp_path / "a.db"
    agent = agent_of(path, MolUcb(scale=0.3))
    lived(agent, 10)
    agent.close()
    found = summary(path, calibration=False)
    assert found["calibration"]["why"] == "it was not asked for"
    assert found["windows"][0]["calibration"] is None


def test_beliefs_of_some_decisions():
    table = np.arange(6.0).reshape(3, 2)
    believed = Believed(np.array([2, 5, 9]), table, table - 1, table + 1)
    some = believed.of(np.array([5, 7, 10]))
    assert some.mean[0].tolist() == [2.0, 3.0]
    assert np.isnan(some.high[1:]).all()
    assert np.isnan(Believed(np.array([], int), *np.zeros((3, 0, 2))).of(np.array([1])).low).all()


def test_how_many_misses_are_too_many():
    for judged in (1, 5, 40):
        limits = [k for k in range(1, judged + 1) if are_too_many(k, judged)]
        for k in limits:
            assert stats.binom.sf(k - 1, judged, 0.05) < 0.01
        assert not are_too_many(0, judged)


@pytest.mark.slow
def test_honest_intervals_are_rarely_off():
    """Intervals that hold every mean: at most 5 % of windows miss, and hardly ever too many."""
    rng = np.random.default_rng(5)
    misses, off = 0, 0
    for _ in range(400):
        own = 0
        for _ in range(40):
            means = rng.random(50)
            rewards = rng.random(50) < means
            # The estimate is as wrong as the interval allows, always on the same side.
            low, high = means, means + 0.1
            rest = rewards - (means + 0.05)
            noise = stats.t.ppf(0.975, 49) * rest.std(ddof=1) / math.sqrt(50)
            own += not low.mean() - noise <= rewards.mean() <= high.mean() + noise
        misses += own
        off += are_too_many(own, 40)
    assert misses / 16_000 < 0.05
    assert off / 400 < 0.01
