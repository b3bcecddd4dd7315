"""Agents and their logs: what a log cannot hold is refused before anything happens, and replaying leads to the same."""

import shutil
import warnings

import msgspec
import numpy as np
import pytest
from slow_twin import Clock, Program, agent_of
from state_files import parts

import mobandits as mob
from mobandits.agent import Objective
from mobandits.agent.file_layout import parsed_file
from mobandits.agent.saving import copied_state, encoded_state
from mobandits.compiling.compiled import compiled
from mobandits.errors import InputWarning, LogError, LogWarning
from mobandits.logs import Store
from mobandits.orders import Lexicographic, Pareto
from mobandits.policies import Doubling, MolUcb, RandomChoice, Ucb1, WithFloor


def everything(agent, *, without=("now", "logged")):
    """All that an agent is, but how late it is, and how much of its log it knew."""
    header, arrays = parsed_file(encoded_state(copied_state(agent.core)))
    return [
        {k: v for k, v in msgspec.structs.asdict(header).items() if k not in without},
        [array.tobytes() for array in arrays],
    ]


def replayed(agent, folder, clock, **other):
    """The agent, and one that only has its log."""
    agent.core.writer.store.close()
    with Store(folder) as store:
        again = agent_of(clock, log=store, **other)
        return everything(agent), everything(again)


# A front of bounds is one arm in half of the rounds.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.* decisions in the log were certain")
@pytest.mark.parametrize("own", [True, False], ids=["own", "shared"])
def test_replaying_leads_to_the_same_agent(tmp_path, own):
    clock = Clock()
    with Store(tmp_path / "log") as store:
        agent = agent_of(clock, log=store, propensity="exact")
        program = Program(agent, clock, own=own, seed=5)
        program.run(200)
        agent.preference = Lexicographic()
        program.run(150)
        agent.save(tmp_path / "agent")
        agent.preference = None
        program.run(150)
        assert len(store) > 1000
    first, second = replayed(agent, tmp_path / "log", clock, propensity="exact")
    assert first == second
    with Store(tmp_path / "log") as store:
        third = mob.Agent.load(tmp_path / "agent", log=store, clock=clock)
        assert everything(third) == first
        third.decide(np.zeros((len(third.arms), 3) if own else 3))


def test_what_files_cannot_hold_is_refused_before_anything_happens(tmp_path):
    @compiled
    class Mine(Pareto):
        pass

    with Store(tmp_path / "log") as store:
        agent = mob.Agent(MolUcb(scale=0.3), arms=["a", "b"], features=2, objectives=2, log=store)
        agent.decide([0.0, 1.0])
        for bad in (frozenset([1]), float("nan"), "\ud800"):
            with pytest.raises(ValueError, match=r"arm must be|text that UTF-8 can hold"):
                agent.add_arm(bad)
        with pytest.raises(
            ValueError,
            match="preference must be of a public class of mobandits to be kept in a file",
        ):
            agent.preference = Mine()
        assert (agent.arms, type(agent.preference), len(store)) == (("a", "b"), Pareto, 1)


def test_a_warning_that_is_an_error_leaves_a_log_that_leads_here(tmp_path):
    options = {"arms": 5, "features": 2, "objectives": 2}
    with Store(tmp_path / "log") as store:
        agent = mob.Agent(MolUcb(scale="theory"), **options, log=store)
        with pytest.raises(InputWarning, match="MolUcb needs norms of features"):
            agent.decide([5.0, 5.0])
        with pytest.warns(InputWarning, match="MolUcb needs norms of features"):
            agent.decide([5.0, 0.5])
        for _ in range(5):
            agent.decide([5.0, 5.0])
    with (
        Store(tmp_path / "log") as store,
        pytest.warns(InputWarning, match="MolUcb needs norms of features"),
    ):
        assert everything(mob.Agent(MolUcb(scale="theory"), **options, log=store)) == everything(
            agent
        )


def test_messages_without_news_are_not_written(tmp_path):
    with Store(tmp_path / "log") as store:
        agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=2, log=store)
        number = agent.decide().id
        agent.learn(number, {0: None})
        agent.learn(number, {0: 1.0})
        agent.learn(number, {0: 1.0})
        agent.learn(number, {1: 1.0})
        agent.learn(number, {1: 1.0})
        assert [event.kind for event in store.events()] == ["decide", "learn", "learn"]


def test_a_call_that_fails_does_not_end_a_stage(tmp_path):
    recipe = Doubling(Ucb1(check=False), first=2)
    options = {"arms": 2, "features": 0, "objectives": 1}
    with Store(tmp_path / "log") as store:
        agent = mob.Agent(recipe, **options, log=store)
        numbers = [agent.decide().id for _ in range(2)]
        with pytest.raises(ValueError, match="eligible must name arms"):
            agent.decide(eligible=["nobody"])
        assert agent.decide_batch(np.zeros((0, 0))) == []
        agent.learn(numbers[0], [1.0])
        assert agent.lessons == 1
        agent.decide()
    with Store(tmp_path / "log") as store:
        assert everything(mob.Agent(recipe, **options, log=store)) == everything(agent)


def test_agents_with_logs_do_not_merge(tmp_path):
    options = {"arms": 2, "features": 2, "objectives": 2}
    with Store(tmp_path / "log") as store:
        agent, other = (
            mob.Agent(MolUcb(scale=0.3), **options, log=store),
            mob.Agent(MolUcb(scale=0.3), **options),
        )
        other.learn(other.decide([0.0, 1.0]).id, [1.0, 2.0])
        with pytest.raises(ValueError, match="merge needs an agent without a log"):
            agent.merge(other)
        agent.learn(agent.decide([1.0, 1.0]).id, [3.0, 2.0])
        other.merge(agent)
        assert other.lessons == 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"arms": ["b", "a"]}, "has an agent with arms"),
        ({"seed": 1}, "has an agent with seed"),
        ({"recipe": MolUcb(scale=0.4)}, "has an agent with recipe"),
        ({"objectives": [Objective("x", minimise=True), "y"]}, "has an agent with objectives"),
        ({"max_age": 5.0}, "has an agent with max_age"),
    ],
)
def test_the_log_of_another_agent_is_refused_and_left_free(tmp_path, changed, said):
    options = {
        "recipe": MolUcb(scale=0.3),
        "arms": ["a", "b"],
        "features": 2,
        "objectives": ["x", "y"],
    }
    with Store(tmp_path / "log") as store:
        mob.Agent(**options, log=store).decide([0.0, 1.0])
    with pytest.raises(LogError, match=said):
        mob.Agent(**{**options, **changed}, log=tmp_path / "log")
    Store(tmp_path / "log").close()  # nobody holds it


def test_a_log_that_leads_elsewhere_is_refused(tmp_path):
    options = {"arms": ["a", "b"], "features": 2, "objectives": ["x", "y"]}
    with Store(tmp_path / "log") as store:
        agent = mob.Agent(MolUcb(scale=0.3), **options, log=store)
        decision = agent.decide([0.0, 1.0])
        other = {"a": 1, "b": 0}[decision.arm]
        store.append(
            {
                "kind": "decide",
                "id": 1,
                "time": 9e9,
                "context": [[0.0, 1.0]],
                "eligible": [1 - other],
                "arm": other,
            }
        )
    with pytest.raises(
        LogError, match=r"event 2 was decision 1 for arm .*, and replaying leads to decision 1 for"
    ):
        mob.Agent(MolUcb(scale=0.3), **options, log=tmp_path / "log")
    with pytest.raises(ValueError, match="log must be the path of a store, or a Store, got 5"):
        mob.Agent(MolUcb(scale=0.3), **options, log=5)


def test_the_file_says_how_much_of_the_log_it_knows(tmp_path):
    with Store(tmp_path / "log") as store:
        agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=2, log=store)
        for _ in range(3):
            agent.decide()
        agent.save(tmp_path / "agent")
    assert parts((tmp_path / "agent").read_bytes())[0]["logged"] == 3
    with pytest.raises(ValueError, match="has 0 events, and the agent knew 3: it is not its log"):
        mob.Agent.load(tmp_path / "agent", log=tmp_path / "other")


def test_a_saved_agent_never_knows_more_than_its_log(tmp_path):
    with Store(tmp_path / "log", "buffered") as store:
        agent = mob.Agent(RandomChoice(), arms=2, features=0, objectives=1, log=store)
        agent.decide()
        agent.save(tmp_path / "agent")
        for suffix in ("", "-wal"):  # what a killed process would leave
            shutil.copy(f"{tmp_path / 'log'}{suffix}", f"{tmp_path / 'copy'}{suffix}")
    again = mob.Agent.load(tmp_path / "agent", log=tmp_path / "copy")
    assert again.waiting == 1
    again.close()


@pytest.mark.long
def test_a_log_that_cannot_value_other_policies_is_warned_about_once(tmp_path):
    """Propensity 1 in most of at least 100 decisions between several arms; decisions of one arm do not count."""
    options = {"arms": ["a", "b"], "features": 1, "objectives": 1, "propensity": "exact"}

    def warned(recipe, folder, eligible=None, **other):
        with Store(tmp_path / folder, "system") as store:
            agent = mob.Agent(recipe, log=store, **(options | other))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for i in range(150):
                    decision = agent.decide([1.0], eligible)
                    agent.learn(decision.id, [float(decision.arm == "a")])
                    if i == 97:
                        early = len(caught)
                agent.decide_batch([[1.0]] * 150)
        assert early == 0
        return [(one.category, one.filename) for one in caught]

    greedy = MolUcb(scale=0.01)
    assert warned(greedy, "certain") == [(LogWarning, __file__)]
    assert warned(WithFloor(greedy, 0.1), "floor") == []
    assert warned(greedy, "alone", ["a"])[1:] == []
    assert warned(greedy, "none", propensity="none") == []


def test_a_warning_about_a_log_that_is_an_error_undoes_the_call(tmp_path):
    with Store(tmp_path / "log", "system") as store:
        options = {"arms": 2, "features": 1, "objectives": 1, "propensity": "exact"}
        agent = mob.Agent(MolUcb(scale=0.01), log=store, **options)
        refused = 0
        for _ in range(300):
            before = len(store)
            try:
                decision = agent.decide([1.0])
            except LogWarning:
                refused += 1
                assert len(store) == before
            else:
                agent.learn(decision.id, [float(decision.arm == 1)])
        first = everything(agent)
    assert refused == 1
    with Store(tmp_path / "log", "system") as store:
        again = mob.Agent(MolUcb(scale=0.01), log=store, **options)
        assert everything(again) == first
