"""A call that fails leaves nothing behind, and a batch is decided in one moment, whatever is written or said of it."""

import contextlib
import dataclasses
import itertools
import sqlite3
import sys
import warnings

import numpy as np
import pytest
from slow_twin import Clock
from test_recording import everything

import mobandits as mob
from mobandits.agent import Objective
from mobandits.contracts.protocols import Choice, Recipe
from mobandits.errors import InputWarning, LogError
from mobandits.logs import Store
from mobandits.orders import Lexicographic
from mobandits.policies import Doubling, MolTs, MolUcb, RandomChoice, Ucb1

K, D = 4, 2
pytestmark = pytest.mark.usefixtures("interpreted")


def ticking():
    """A clock that moves on by a second whenever it is asked."""
    return itertools.count().__next__


def agent_of(recipe, *, after=2.5, **other):
    options = {
        "arms": K,
        "features": D,
        "objectives": [Objective("x", default=0.25, after=after), "y"],
        "seed": 4,
        # Of agents with a log and of those without: by default they differ.
        "propensity": "none",
    }
    return mob.Agent(recipe, **{**options, **other})


def contexts(n, seed=1):
    return np.random.default_rng(seed).uniform(-0.5, 0.5, (n, K, D))


def batches(agent):
    """The arms of three batches; some rewards come between them."""
    arms = []
    for seed in range(3):
        made = agent.decide_batch(contexts(6, seed))
        arms.append([decision.arm for decision in made])
        for decision in made[::2]:
            agent.learn(decision.id, {"y": float(decision.arm)})
    return arms


@pytest.mark.parametrize("after", [0.0, 2.5])
@pytest.mark.parametrize(
    "recipe", [MolUcb(scale=0.3), MolTs(scale=0.3), Doubling(MolUcb(scale=0.3), first=4)], ids=str
)
def test_a_batch_is_the_same_with_a_log_and_with_propensities(tmp_path, recipe, after):
    sampled = "sampled" if isinstance(recipe, MolTs) else "exact"
    quiet = agent_of(recipe, after=after, clock=Clock())
    lives = [batches(quiet)]
    for number, options in enumerate([{}, {"propensity": sampled}]):
        with Store(tmp_path / str(number)) as store:
            agent = agent_of(recipe, after=after, clock=Clock(), log=store, samples=3, **options)
            lives.append(batches(agent))
            assert everything(agent, without=("now", "logged", "options", "streams")) == everything(
                quiet, without=("now", "logged", "options", "streams")
            )
        again = agent_of(
            recipe, after=after, clock=Clock(), log=tmp_path / str(number), samples=3, **options
        )
        assert everything(again) == everything(agent)
        again.close()
    assert lives[1:] == lives[:1] * 2


def test_nothing_is_learned_in_the_middle_of_a_batch(tmp_path):
    """The defaults of the first decisions are due while the last ones are made."""
    lives = []
    for log in (None, tmp_path / "log"):
        agent = agent_of(MolUcb(scale=0.3), clock=ticking(), log=log)
        made = agent.decide_batch(contexts(8))
        lives.append([decision.arm for decision in made])
        assert agent.lessons == 0
        agent.decide(contexts(1)[0])
        agent.decide(contexts(1)[0])
        agent.decide(contexts(1)[0])
        assert agent.lessons == 8
        agent.close()
    assert lives[0] == lives[1]
    again = agent_of(MolUcb(scale=0.3), clock=ticking(), log=tmp_path / "log")
    assert everything(again) == everything(agent)
    again.close()


def test_a_batch_between_some_arms_is_that_many_decisions(tmp_path):
    for number, options in enumerate([{}, {"propensity": "exact"}, {"log": tmp_path / "log"}]):
        batch = agent_of(MolUcb(scale=0.3), clock=Clock(), **options)
        single = agent_of(MolUcb(scale=0.3), clock=Clock(), **{**options, "log": None})
        one, many = contexts(1)[0], contexts(9, seed=number)
        assert batch.decide(one, [3, 1]) == single.decide(one, [3, 1])
        made = batch.decide_batch(many, [2, 0, 3])
        expected = [single.decide(context, [2, 0, 3]) for context in many]
        assert made == expected
        for mine, theirs in zip(made, expected, strict=True):
            assert mine.eligible == theirs.eligible
            np.testing.assert_array_equal(mine.context, theirs.context)
        batch.close()


class FullDisk:
    """A connection to a store that commits nothing any more."""

    def __init__(self, connection):
        self._connection = connection

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def execute(self, sql, *values):
        if sql == "COMMIT":
            raise sqlite3.OperationalError("database or disk is full")
        return self._connection.execute(sql, *values)


@contextlib.contextmanager
def full_disk(agent, monkeypatch):
    writer = agent.core.writer.store._writer
    with monkeypatch.context() as patch:
        patch.setattr(writer, "connection", FullDisk(writer.connection))
        yield


def decide(agent):
    agent.decide(contexts(1, seed=9)[0])


def decide_on_some(agent):
    agent.decide(contexts(1, seed=9)[0], [2, 0])


def decide_batch(agent):
    agent.decide_batch(contexts(5, seed=9))


def decide_batch_on_some(agent):
    agent.decide_batch(contexts(5, seed=9), [1, 3])


def learn(agent):
    agent.learn(1, {"x": 1.0, "y": 2.0})


def learn_first(agent):
    agent.learn(0, {"x": 1.0, "y": 2.0})


def learn_a_part(agent):
    agent.learn(1, {"y": 2.0})


def add_arm(agent):
    agent.add_arm("new")


def add_arm_like_another(agent):
    agent.add_arm("new", like=2)


def add_arm_into_a_free_slot(agent):
    agent.add_arm("other", like=0)


def remove_arm(agent):
    agent.remove_arm(0)


def rename_arm(agent):
    agent.rename_arm(0, "zero")


def correct(agent):
    agent.correct(0, {"y": 2.0})


def describe(agent):
    agent.retune(objectives=["x", "y", "z"])


def prefer(agent):
    agent.preference = Lexicographic()


CALLS = [
    *(decide, decide_on_some, decide_batch, decide_batch_on_some, learn, learn_a_part),
    *(add_arm, add_arm_like_another, remove_arm, rename_arm, prefer, correct, describe),
]


def refused_everywhere(agent, call, monkeypatch):
    """A call that fails on a full disk, and one on a closed log, leave the agent and its log as they were."""
    before = everything(agent)
    for _ in range(2):
        with full_disk(agent, monkeypatch), pytest.raises(LogError, match="disk is full"):
            call(agent)
        assert everything(agent) == before
    agent.close()
    with pytest.raises(LogError, match="was closed"):
        call(agent)
    assert everything(agent) == before


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.__name__)
@pytest.mark.parametrize("propensity", ["none", "sampled"])
def test_what_could_not_be_written_did_not_happen(tmp_path, monkeypatch, call, propensity):
    options = {"after": 1e6, "propensity": propensity, "samples": 3, "clock": Clock()}
    agent = agent_of(MolTs(scale=0.3), log=Store(tmp_path / "log", "disk"), **options)
    twin = agent_of(MolTs(scale=0.3), **options)
    for each in (agent, twin):
        for context in contexts(4):
            each.decide(context)
        each.learn(0, {"y": 1.0})
    refused_everywhere(agent, call, monkeypatch)
    for each in (agent, twin):  # the agent goes on as if it had not been called
        each.core.writer, each.core.is_timed = None, True
    assert agent.decide_batch(contexts(6, seed=7)) == twin.decide_batch(contexts(6, seed=7))


def test_a_free_slot_stays_free_where_it_could_not_be_written(tmp_path, monkeypatch):
    agent = agent_of(
        MolUcb(scale=0.3), after=1e6, log=Store(tmp_path / "log", "disk"), clock=Clock()
    )
    for decision in agent.decide_batch(contexts(5)):
        agent.learn(decision.id, [1.0, 2.0])
    agent.remove_arm(1)
    refused_everywhere(agent, add_arm_into_a_free_slot, monkeypatch)


@pytest.mark.parametrize("call", [decide, decide_batch], ids=lambda call: call.__name__)
@pytest.mark.parametrize("rounds", [0, 3], ids=["first call", "end of a stage"])
def test_a_stage_begins_with_what_was_written(tmp_path, monkeypatch, call, rounds):
    recipe = Doubling(MolUcb(scale=0.3), first=3)
    agent = agent_of(recipe, after=1e6, log=Store(tmp_path / "log", "disk"), clock=Clock())
    twin = agent_of(recipe, after=1e6, clock=Clock())
    for each in (agent, twin):
        for context in contexts(rounds):
            each.learn(each.decide(context).id, [1.0, 2.0])
    refused_everywhere(agent, call, monkeypatch)
    for each in (agent, twin):
        each.core.writer, each.core.is_timed = None, True
    assert agent.decide_batch(contexts(20, seed=7)) == twin.decide_batch(contexts(20, seed=7))
    assert everything(agent) == everything(twin)


def test_the_shape_of_contexts_is_settled_by_what_was_written(tmp_path, monkeypatch):
    agent = agent_of(MolUcb(scale=0.3), log=Store(tmp_path / "log", "disk"), clock=Clock())
    with full_disk(agent, monkeypatch), pytest.raises(LogError, match="disk is full"):
        agent.decide(contexts(1)[0])
    agent.close()
    agent.core.writer = None
    assert len(agent.decide(np.zeros(D)).context) == 1


class Unsure:
    """Draws a number, and then finds no arm to be best where the context is large: as sums that overflow do."""

    def init(self):
        return (np.zeros(1),)

    def beliefs(self, state, context, arms, rng):
        return (
            rng.random(len(arms))
            if context[0, 0] < 1.0
            else np.full(len(arms), rng.random() * np.nan)
        )

    def draw(self, beliefs, rng):
        return Choice(-1 if np.isnan(beliefs).any() else int(beliefs.argmax()), 0.0)

    def probabilities(self, beliefs):
        return np.full(len(beliefs), 1.0 / len(beliefs))

    def update(self, state, x, arm, note, reward, rng):
        return state


@dataclasses.dataclass(frozen=True)
class UnsureRecipe(Recipe):
    """Binds to it."""

    def bind(self, shape):
        return Unsure()


def test_a_decision_that_is_refused_draws_nothing(tmp_path):
    options = {"arms": K, "features": D, "objectives": 2, "clock": Clock(), "propensity": "none"}
    agent, twin = (
        mob.Agent(UnsureRecipe(), log=tmp_path / "log", **options),
        mob.Agent(UnsureRecipe(), **options),
    )
    large = np.full((1, K, D), 5.0)
    for context in contexts(5):
        assert agent.decide(context) == twin.decide(context)
        with pytest.raises(ValueError, match="no arm could be chosen"):
            agent.decide(large[0])
        with pytest.raises(ValueError, match="no arm could be chosen"):
            agent.decide_batch(np.concatenate([contexts(2), large]))
    assert agent.waiting == 5
    agent.close()
    again = mob.Agent(UnsureRecipe(), log=tmp_path / "log", **options)
    assert everything(again) == everything(agent)
    again.close()


def test_a_warning_that_is_an_error_is_no_decision(tmp_path):
    agent = mob.Agent(
        MolUcb(scale="theory"), arms=K, features=D, objectives=2, log=tmp_path / "log"
    )
    for call in (agent.decide, lambda context: agent.decide_batch([context, context])):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(InputWarning, match="MolUcb needs norms of features"):
                call(np.full((K, D), 5.0))
    assert (agent.waiting, len(agent.core.writer.store)) == (0, 0)
    agent.close()


@pytest.mark.parametrize("call", [decide, decide_batch, learn], ids=lambda call: call.__name__)
def test_an_interruption_after_writing_is_not_passed_over(tmp_path, monkeypatch, call):
    agent = agent_of(RandomChoice(), after=1e6, log=tmp_path / "log", clock=Clock())
    decide(agent)
    decide(agent)

    store = agent.core.writer.store
    with monkeypatch.context() as patch:
        write = store.extend

        def interrupted(given, **options):
            write(given, **options)
            raise KeyboardInterrupt

        patch.setattr(store, "extend", interrupted)
        with pytest.raises(KeyboardInterrupt):
            call(agent)
    for refused in (decide, decide_batch, learn, lambda agent: agent.save(tmp_path / "agent")):
        with pytest.raises(
            LogError,
            match="has an event that its agent does not know, since a call was interrupted",
        ):
            refused(agent)
    agent.close()
    again = agent_of(RandomChoice(), after=1e6, log=tmp_path / "log", clock=Clock())
    assert (again.waiting, again.lessons) == {decide: (3, 0), decide_batch: (7, 0), learn: (1, 1)}[
        call
    ]
    decide(again)
    again.close()


def adopt(agent):
    agent.adopt(contexts(1, seed=9)[0], 2, 0.5, [1.0, 2.0])


def rank(agent):
    agent.decide(contexts(1, seed=9)[0], top=3)


# Where calls say in which order they have their effects.
ORDER = ("core.py", "change.py", "batches.py", "ranking.py", "adoption.py", "recording.py")


class Interruption:
    """A KeyboardInterrupt at one of the lines of these modules, while it is entered.

    Args:
        lines: how many lines come before it.
    """

    def __init__(self, lines):
        self.left = lines

    def _trace(self, frame, event, _):
        if not frame.f_code.co_filename.endswith(ORDER):
            return None
        if event == "line":
            self.left -= 1
            if self.left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self._trace

    def __enter__(self):
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)


@pytest.mark.parametrize("begun", [False, True], ids=["new", "begun"])
@pytest.mark.parametrize(
    "call",
    [decide, decide_batch, rank, adopt, learn, add_arm, remove_arm, prefer],
    ids=lambda call: call.__name__,
)
def test_an_interruption_at_any_line_leaves_the_agent_as_its_log(tmp_path, call, begun):
    """It is as before where nothing was written, and else the call is done, or it takes no other."""
    logs = map(tmp_path.joinpath, map(str, itertools.count()))
    options = {"objectives": ["x", "y"], "clock": Clock()}

    def started(log):
        agent = agent_of(MolUcb(scale=0.3), log=log, **options)
        if begun or call is learn:
            agent.decide_batch(contexts(4))
        return agent

    agent = started(next(logs))
    before, events = everything(agent), len(agent.core.writer.store)
    with started(next(logs)) as twin:
        call(twin)
        done = everything(twin)

    outcomes = set()
    for lines in itertools.count():
        interruption = Interruption(lines)
        with contextlib.suppress(KeyboardInterrupt), interruption:
            call(agent)
        if interruption.left >= 0:
            break
        if len(agent.core.writer.store) == events:
            outcomes.add("before")
            assert everything(agent) == before
            agent.core.writer.check_usable()
            continue

        log = agent.core.writer.store.path
        if everything(agent) == done:
            outcomes.add("done")
        else:
            outcomes.add("ahead")
            with pytest.raises(LogError, match="has an event that its agent does not know"):
                decide(agent)
        agent.core.writer.store.close()
        with agent_of(MolUcb(scale=0.3), log=log, **options) as again:
            assert everything(again) == done
        agent = started(next(logs))

    agent.close()
    assert {"before", "done"} <= outcomes


def test_what_is_due_at_the_end_of_a_stage_follows_from_the_log(tmp_path):
    """It is learned by the stage that ends, whether or not the call that brings it comes to something."""
    clock = Clock()
    options = {"objectives": [Objective("x", default=0.25, after=2.5)], "clock": clock}
    agent = agent_of(Doubling(MolUcb(scale=0.3), first=2), log=tmp_path / "log", **options)
    agent.decide_batch(contexts(2))
    clock.now = 5.0
    with pytest.raises(ValueError, match="context must be finite"):
        agent.decide(np.full((K, D), np.nan))
    assert (agent.lessons, agent.core.bound.stage, agent.core.bound.left) == (2, 1, 0)
    decide(agent)
    assert (agent.lessons, agent.core.bound.stage) == (2, 2)
    agent.core.writer.store.close()
    with agent_of(Doubling(MolUcb(scale=0.3), first=2), log=tmp_path / "log", **options) as again:
        assert everything(again) == everything(agent)


def test_lessons_of_time_follow_from_the_log(tmp_path):
    """A default that is due after the log was closed is not learned: no log would lead to it."""
    clock = Clock()
    agent = agent_of(MolUcb(scale=0.3), log=tmp_path / "log", clock=clock)
    decide(agent)
    agent.close()
    clock.now = 5.0
    for call in (decide, learn):
        with contextlib.suppress(LogError):
            call(agent)
    assert agent.lessons == 0


def test_an_agent_without_a_log_begins_no_stage_where_a_call_fails():
    agent = mob.Agent(Doubling(Ucb1(check=False), first=2), arms=2, features=0, objectives=1)
    agent.decide()
    agent.decide()
    agent.core.is_timed, agent.core.clock = True, lambda: float("nan")
    with pytest.raises(ValueError, match="clock must return a finite number"):
        agent.decide()
    assert (agent.core.bound.stage, agent.core.bound.left) == (1, 0)
