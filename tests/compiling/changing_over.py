"""A history of an agent, whose calls change over from Python to compiled code at a given one."""

import contextlib
import json
import sys
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

from mobandits.agent.resize_state import arrays
from mobandits.compiling.session import Session
from mobandits.logs import Feedback
from mobandits.orders import Lexicographic

sys.path.append(str(Path(__file__).parent.parent / "agent"))
from every_recipe import CASES, K, L  # noqa: F401 - tests take them from here

ROUNDS = 4


@contextlib.contextmanager
def calls_made_in_python(is_in_python):
    """Inside, the calls of sessions for whose number a function is true are made in Python.

    Yields:
        a list that grows by the name of each function that is called.
    """
    called = []
    in_turn = Session.call

    def call(session, function, *args):
        number = len(called)
        called.append(function.__name__)
        if is_in_python(number):
            return session._call_in_python(function, args)
        return in_turn(session, function, *args)

    with mock.patch.object(Session, "call", call), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # contexts and rewards are made up
        yield called


def history(case, propensity, order=None):
    """All that an agent does and says, as text: every kind of call once or more."""
    rng = np.random.default_rng(5)
    said = []
    agent = case.agent(propensity=propensity, samples=2)
    # Some recipes refuse some of the calls; they refuse them in every mode.
    attempt = contextlib.suppress(ValueError)

    def decide_and_learn():
        for _ in range(ROUNDS):
            decision = agent.decide(case.context(rng))
            said.append([decision.arm, decision.propensity, decision.error, decision.front])
            if decision.scores is not None:
                said.append(decision.scores.tolist())
            agent.learn(decision.id, (rng.random(L) < 0.5).astype(float))
        with attempt:
            said.append(agent.explain(decision).estimates.tolist())

    decide_and_learn()
    batch = agent.decide_batch(np.stack([case.context(rng) for _ in range(3)]))
    said.append([each.arm for each in batch])
    with attempt:
        said.append(agent.decide(case.context(rng), top=2).arm)
    context = case.context(rng)
    with attempt:
        adopted = agent.adopt(context, 1, compare=True)
        agent.learn(adopted.id, [0.5] * L)
    with attempt:
        rounds = np.stack([context, context])
        agent.learn_log(
            Feedback(rounds, [0, 1], np.full((2, L), 0.5), [1.0] * 2, range(K), range(L))
        )
    with attempt:
        agent.preference = order or Lexicographic()
        decide_and_learn()
    with attempt:
        agent.retune(case.recipe, propensity="none" if propensity == "exact" else None)
        decide_and_learn()
    with attempt:
        agent.add_arm("new")
        said.append(agent.decide(case.context(rng), eligible=[0, 1]).arm)

    said.append([array.tolist() for array in arrays(agent.core.bound.state())])
    said.append(str(agent.core.bound.rng.bit_generator.state))

    return json.dumps(said, default=repr)


def differences(case, propensity, order=None):
    """The numbers of calls at which a change alters what is said; none where all is well."""
    with calls_made_in_python(lambda _: True) as called:
        expected = history(case, propensity, order)

    schedules = {
        "compiled": lambda _: False,
        "back and forth": lambda number: number % 2 == 0,
        "forth and back": lambda number: number % 2 == 1,
    }
    for change in range(1, len(called)):
        schedules[change] = lambda number, change=change: number < change

    found = []
    for name, is_in_python in schedules.items():
        with calls_made_in_python(is_in_python):
            if history(case, propensity, order) != expected:
                found.append(name)

    return found


def modes_of(case):
    """The modes of propensities that a recipe takes."""
    best = case.agent().core.bound.best_propensity()
    return ["none"] if best == "none" else ["none", best]
