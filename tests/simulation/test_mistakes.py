"""Mistakes in policies and orders of users: errors are Python's, at the user's line, and nothing else is to be seen."""

import inspect
import traceback
from pathlib import Path

import mistaken_policies as mistaken
import numpy as np
import pytest

import mobandits as mob
from mobandits.agent import bound_policy
from mobandits.compiling import first_round
from mobandits.environments import Linear, TwoRidges
from mobandits.errors import CompileError
from mobandits.evaluation import compare
from mobandits.logs import Feedback
from mobandits.metrics.regret import OrderRegret
from mobandits.policies import MolEpsGreedy, MolUcb, RandomChoice
from mobandits.simulation import PreferenceSweep, simulate

WORLD = Linear(arms=3, features=2, objectives=2, noise=0.1)
PACKAGE = Path(mob.__file__).parent
THEIRS = Path(mistaken.__file__)
LINES = THEIRS.read_text().splitlines()

FIRST_ROUND = {
    "MisspeltField": (AttributeError, "did you mean temperature?"),
    "MisspeltMethod": (AttributeError, "did you mean mean?"),
    "MisspeltState": (AttributeError, "did you mean inverse?"),
    "MisspeltName": (NameError, "did you mean self.temperature?"),
    "MisspeltFunction": (AttributeError, "did you mean sqrt?"),
    "ReturnsZero": (TypeError, "ReturnsZero.draw must return Choice(arm, note), got 0"),
    "ReturnsTooMuch": (
        IndexError,
        "must return the position of an eligible arm, from 0 to 2, got 3",
    ),
    "ReturnsNothing": (TypeError, "ReturnsNothing.update must return the state, got None"),
    "TakesTooLittle": (TypeError, "TakesTooLittle.draw must take beliefs, rng"),
    "LeavesOutTheNote": (TypeError, "missing 1 required positional argument: 'note'"),
    "ReadsBeyond": (IndexError, "index 3 is out of bounds"),
    "AddsText": (TypeError, 'can only concatenate str (not "int") to str'),
}
LATER = {
    "LaterField": "LaterField has no attribute 'temprature'; did you mean temperature?",
    "LaterState": "RidgeState has no attribute 'invers'; did you mean inverse?",
    "LaterArray": "array(float64, 2d) has no attribute 'ndimm'; did you mean ndim?",
    "LaterFunction": "module 'math' has no attribute 'sqr'; did you mean sqrt?",
    "LaterName": "NameError: name 'temperatur' is not defined",
}


@pytest.fixture(autouse=True)
def nothing_was_rehearsed(monkeypatch):
    monkeypatch.setattr(first_round, "_rehearsed", set())


def recipe(name):
    return mistaken.Bound(getattr(mistaken, name))


def play(one, **options):
    return simulate(
        one, WORLD, **{"rounds": 20, "trials": 2, "metrics": ["reward"], "workers": 2, **options}
    )


def line_of(name):
    """The number of the line of a class, or of what it calls, that says that the mistake is there."""
    part = getattr(mistaken, name)
    lines, first = inspect.getsourcelines(mistaken.root.function if "Function" in name else part)
    return first + next(i for i, line in enumerate(lines) if "here" in line)


def text_of(error):
    """What is printed below the traceback."""
    return "".join(traceback.format_exception_only(error))


def shown(error):
    """(file, line) of the lines that an error shows."""
    return [
        (Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
    ]


def check_lines(error, name):
    files = [file for file, _ in shown(error)]
    assert files[0] == Path(__file__)
    assert shown(error)[-1] == (THEIRS, line_of(name))
    assert not any(PACKAGE in file.parents for file in files)
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__


@pytest.mark.parametrize(("name", "expected"), FIRST_ROUND.items(), ids=FIRST_ROUND)
def test_a_mistake_of_the_first_round_is_pythons_error_at_its_line(name, expected):
    kind, said = expected
    with pytest.raises(kind) as caught:
        play(recipe(name))
    assert type(caught.value) is kind
    assert said in text_of(caught.value)
    check_lines(caught.value, name)


@pytest.mark.parametrize(("name", "expected"), FIRST_ROUND.items(), ids=FIRST_ROUND)
@pytest.mark.parametrize("batch", [False, True])
def test_agents_say_so_in_the_first_decision_and_nothing_is_settled(name, expected, batch):
    kind, said = expected
    agent = mob.Agent(recipe(name), arms=3, features=2, objectives=2)
    decide = agent.decide_batch if batch else agent.decide
    context = np.full((2, 2) if batch else 2, 0.5)
    for _ in range(2):
        with pytest.raises(kind) as caught:
            decide(context)
        assert said in text_of(caught.value)
        check_lines(caught.value, name)
    assert (agent.waiting, agent.core.bound.stage, agent.core.contexts.shared) == (0, 0, None)


@pytest.mark.parametrize(("name", "said"), LATER.items(), ids=LATER)
def test_what_only_the_compiler_finds_is_said_in_the_words_of_its_author(name, said):
    with pytest.raises(CompileError) as caught:
        play(recipe(name))
    text = str(caught.value)
    assert f"cannot be compiled: {said}" in text
    assert "@" not in text
    assert str(PACKAGE) not in text
    if name in {"LaterFunction", "LaterName"}:  # Numba does not say where
        assert text.startswith(f"a method of {name}, or a helper of it, cannot")
    else:
        assert f"{THEIRS.name}:{line_of(name)}: `{LINES[line_of(name) - 1].strip()}`" in text
    assert {file for file, _ in shown(caught.value)} == {Path(__file__)}


def test_plain_python_is_rehearsed_as_well():
    with pytest.raises(
        TypeError, match=r"PlainZero\.draw must return Choice\(arm, note\), got 0"
    ) as caught:
        play(mistaken.Anything(mistaken.PlainZero()))
    check_lines(caught.value, "PlainZero")
    assert play(mistaken.Anything(mistaken.Plain())).table.height == 2 * 20 * 2


def test_probabilities_are_rehearsed_where_they_are_asked_for():
    one = recipe("ReturnsOneProbability")
    play(one, compiled=False)
    with pytest.raises(
        TypeError, match=r"probabilities must return an array of shape \(arms,\) = \(3,\), got 1.0"
    ):
        play(one, metrics=["jaccard"])
    mob.Agent(one, arms=3, features=2, objectives=2).decide([0.5, 0.5])
    agent = mob.Agent(one, arms=3, features=2, objectives=2, propensity="exact")
    with pytest.raises(TypeError, match="probabilities must return an array"):
        agent.decide([0.5, 0.5])


def test_division_by_zero_is_an_error_in_either_world():
    with pytest.raises(ZeroDivisionError) as caught:
        play(recipe("DividesByZero"))
    check_lines(caught.value, "DividesByZero")


@pytest.mark.parametrize("name", ["TakesLogarithms", "TakesExponents", "NamesArguments", "Right"])
def test_what_compiled_code_can_do_is_left_to_it(name):
    assert play(recipe(name)).table.height == 2 * 20 * 2


def test_a_reward_that_is_made_up_breaks_nothing():
    agent = mob.Agent(
        recipe("CountsRewards"), arms=3, features=2, objectives=2
    )  # rehearsed with a reward of 1
    agent.learn(agent.decide([0.5, 0.5]).id, [0.25, 0.75])
    assert agent.lessons == 1


@pytest.mark.parametrize("compiled", [True, False])
def test_the_rehearsal_leaves_no_trace_in_results(monkeypatch, compiled):
    policies = {
        "theirs": recipe("Right"),
        "ours": MolEpsGreedy(),
        "order": mistaken.Ordered(mistaken.Highest()),
    }
    with_it = play(policies, compiled=compiled).table
    assert len(first_round._rehearsed) == 2  # ours is not
    monkeypatch.setattr(first_round, "rehearse_loop", lambda *_, **__: None)
    assert play(policies, compiled=compiled).table.equals(with_it)


def test_the_rehearsal_leaves_no_trace_in_agents(monkeypatch):
    contexts = np.random.default_rng(0).random((30, 2))

    def decisions():
        agent = mob.Agent(
            mistaken.Ordered(mistaken.Highest()), arms=4, features=2, objectives=2, seed=5
        )
        made = []
        for context in contexts:
            made.append(agent.decide(context))
            agent.learn(made[-1].id, context)
        return made, agent.core.bound.rng.bit_generator.state

    with_it = decisions()
    monkeypatch.setattr(bound_policy, "rehearse", lambda *_, **__: None)
    assert decisions() == with_it


def test_policies_of_this_library_are_never_rehearsed(monkeypatch):
    monkeypatch.setattr(first_round, "_run", lambda *_, **__: 1 / 0)
    play([MolUcb(scale=0.3), RandomChoice()], compiled=False)
    agent = mob.Agent(RandomChoice(), arms=3, features=0, objectives=2)
    agent.decide()
    mob.front([[1.0, 0.0]])
    with pytest.raises(ZeroDivisionError):
        play(recipe("Right"))


def test_a_policy_is_rehearsed_once(monkeypatch):
    runs = []
    monkeypatch.setattr(first_round, "_run", lambda work, classes, **_: runs.append(classes))
    for _ in range(3):
        play(recipe("Right"), compiled=False)
    assert runs == [[mistaken.Right]]


ORDERS = {
    "MisspeltOrder": (AttributeError, "did you mean high?"),
    "MisspeltGap": (AttributeError, "'maximum'"),
    "EmptyFront": (
        TypeError,
        "front must return (arms,) = (3,) truth values, one of them True, got array([False",
    ),
    "TakesTooMuch": (TypeError, "TakesTooMuch.front must take beliefs"),
}


@pytest.mark.parametrize(("name", "expected"), ORDERS.items(), ids=ORDERS)
def test_orders_are_rehearsed_wherever_they_are_used(name, expected):
    kind, said = expected
    order = getattr(mistaken, name)()
    agent = mob.Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
    agent.decide([0.5, 0.5])

    def prefer():
        agent.preference = order

    uses = [
        lambda: mob.front(np.eye(3), order),
        lambda: mob.gaps(np.eye(3), order),
        prefer,
        lambda: play(PreferenceSweep(MolUcb(scale=0.3), {"read": order})),
        lambda: play(RandomChoice(), metrics=[Lost(order)]),
    ]
    for use in uses:
        with pytest.raises(kind) as caught:
            use()
        assert said in text_of(caught.value)
        check_lines(caught.value, name)
    assert agent.preference == mob.orders.Pareto()


@pytest.mark.parametrize("name", ["MisspeltOrder", "TakesTooMuch"])
def test_an_order_inside_a_policy_of_this_library_is_rehearsed(name):
    kind, said = ORDERS[name]
    with pytest.raises(
        kind, match="hihg" if name == "MisspeltOrder" else "positional argument"
    ) as caught:
        play(mistaken.Ordered(getattr(mistaken, name)()))
    check_lines(caught.value, name)
    assert said.startswith("did") is (said in text_of(caught.value))


class Lost(OrderRegret):
    """The regret under any order."""

    name = "lost"
    digits = 1

    def __init__(self, order):
        self._order = order

    def __repr__(self):
        return f"Lost({self._order!r})"

    @property
    def order(self):
        return self._order


def test_policies_that_are_evaluated_are_rehearsed():
    rng = np.random.default_rng(0)
    log = Feedback(
        rng.random((40, 2)),
        rng.integers(0, 3, 40),
        rng.random((40, 2)),
        np.full(40, 1 / 3),
        ("a", "b", "c"),
        ("x", "y"),
    )
    with pytest.raises(AttributeError, match="temprature") as caught:
        compare(log, {"theirs": recipe("MisspeltField")}, ["ips"])
    assert shown(caught.value)[-1] == (THEIRS, line_of("MisspeltField"))


def test_policies_on_a_continuum_are_rehearsed():
    with pytest.raises(AttributeError, match="dimension") as caught:
        simulate(mistaken.Somewhere(), TwoRidges(), rounds=5, trials=1, metrics=["reward"])
    assert "did you mean dimensions?" in text_of(caught.value)
    check_lines(caught.value, "MisspeltPoint")
