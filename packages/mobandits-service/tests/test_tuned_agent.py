"""What `tune --write` leaves: a file that a service takes, the same for the same log, and an agent that learned it."""

import dataclasses
import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest
from services import CONTEXT, ask, served

import mobandits as mob
from mobandits.cli import program as cli
from mobandits.encoding import Encoder
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.logs.store import Store
from mobandits.policies import MolEpsGreedy, MolUcb, Paced
from mobandits_service.shares import opened_agent
from mobandits_service.specification import read_specification
from mobandits_service.tuned_agent import check_tuned_file, tuned_text, write_tuned

ARMS = ("small", "large one", 'of "quotes"')
OBJECTIVES = (
    Objective("quality", low=0.0, high=1.0),
    Objective("cost, USD", minimise=True, unit="USD"),
)


# What is learned is not the subject: few rounds, and a learner that is given and not chosen by fits to the log.
ROUNDS = 120
LEARNER = MolEpsGreedy(epsilon=0.0, penalty=10.0)


def tune(log):
    return mob.tune(log, budget={"cost, USD": 0.5}, learner=LEARNER, blocks=2)


def log_of(rounds=ROUNDS, contexts=None, **more):
    """Larger arms cost more, and are better where the feature is large."""
    rng = np.random.default_rng(5)
    z = rng.random(rounds)
    if contexts is None:
        contexts = np.column_stack([np.ones(rounds), z, rng.random(rounds)])
    arms = rng.integers(3, size=rounds)
    quality = np.clip(0.3 + 0.3 * arms * z + 0.1 * rng.normal(size=rounds), 0.0, 1.0)
    cost = np.array([0.1, 0.4, 1.0])[arms] * rng.exponential(size=rounds)
    rewards = np.column_stack([quality, -cost])
    law = np.full(rounds, 1 / 3)
    return Feedback(contexts, arms, rewards, law, ARMS, OBJECTIVES, **more)


@pytest.fixture(scope="module")
def tuned():
    return tune(log_of())


def test_a_service_takes_the_file_and_decides_as_the_agent_that_learned_the_log(tmp_path, tuned):
    path = tmp_path / "router.toml"
    said = write_tuned(path, tuned)
    assert said.endswith(f"whose agent has learned {ROUNDS} rounds: mobandits serve {path}")
    spec = read_specification(path)
    agent = spec.agents["router"]
    assert agent.recipe() == tuned.recipe
    assert agent.arms == list(ARMS)
    twin = tuned.agent(propensity="exact")

    async def talk(client, running):
        answers = []
        for z in (0.0, 0.5, 1.0):
            answer = await client.post("/v1/agents/router/decide", json={"context": [1.0, z, 0.5]})
            answers.append(answer.json())
        return answers

    answers = ask(tmp_path / "router.db", talk, spec)
    decisions = [twin.decide([1.0, z, 0.5]) for z in (0.0, 0.5, 1.0)]
    assert [answer["arm"] for answer in answers] == [each.arm for each in decisions]
    assert [answer["propensity"] for answer in answers] == [each.propensity for each in decisions]
    assert twin.lessons == ROUNDS
    assert len(CONTEXT) == agent.features


def test_the_file_is_the_same_for_the_same_log_and_says_why(tmp_path, tuned):
    text = tuned_text("router", tuned)
    assert text == tuned_text("router", tune(log_of()))
    comments = [line[2:] for line in text.splitlines() if line.startswith("# ")]
    digest = log_of().digest
    assert comments[1] == f"log: {ROUNDS} rounds, 3 arms, sha256 {digest}"
    assert [line.rstrip() for line in str(tuned).splitlines()] == comments[3:]
    table = tomllib.loads(text)["agents"]["router"]
    assert list(table) == sorted(table)
    # Another log, another digest, and nothing of the time or place.
    other = tuned_text("router", tune(log_of(ROUNDS + 1)))
    assert digest not in other
    assert str(tmp_path) not in text


def test_a_store_that_is_there_is_left_alone_and_can_be_retuned(tmp_path, tuned):
    path = tmp_path / "router.toml"
    write_tuned(path, tuned)
    store = tmp_path / "router.db"
    before = store.read_bytes()
    fallback = dataclasses.replace(
        tuned, recipe=mob.policies.Rollout(tuned.recipe, mixture=tuned.mixture, share=0.0)
    )
    said = write_tuned(path, fallback)
    assert store.read_bytes() == before
    assert "its agent is as it was" in said
    command = said.partition("mobandits ")[2]
    assert cli.call(shlex.split(command)) == 0
    specification = read_specification(path).agents["router"]
    with Store(store, agent="router") as log:
        agent = opened_agent(specification, log)
        shares = dict(specification.recipe().mixture)
        assert dict(agent.recipe.mixture) == shares == dict(tuned.mixture)
        assert agent.lessons == ROUNDS
        decision = agent.decide(CONTEXT)
        assert decision.propensity == pytest.approx(shares[decision.arm], abs=1e-9)
        agent.close()


def test_contexts_of_columns_are_written_with_what_was_fitted(tmp_path):
    rng = np.random.default_rng(1)
    rows = [{"age": float(rng.random()), "city": "ab"[rng.integers(2)]} for _ in range(ROUNDS)]
    encoder = Encoder.fit(rows, "age,city:category")
    log = log_of(contexts=encoder.encode_table(rows), encoder=encoder)
    path = tmp_path / "router.toml"
    write_tuned(path, tune(log))
    assert read_specification(path).agents["router"].agent().encoder == encoder
    with served(tmp_path / "router.db", read_specification(path)) as running:
        assert running.agents.named("router").agent.decide(rows[0]).arm in ARMS


def test_what_is_something_else_is_refused(tmp_path, tuned):
    taken = tmp_path / "taken.toml"
    taken.write_text("mine = 1")
    (tmp_path / "folder.toml").mkdir()
    for name in ("taken.toml", "folder.toml"):
        with pytest.raises(ValueError, match=r"^--write must be a new file, or one that tune has"):
            write_tuned(tmp_path / name, tuned)
    assert taken.read_text() == "mine = 1"
    with pytest.raises(ValueError, match="agent must be 1 to 200 printable characters"):
        check_tuned_file(tmp_path / "a\nb.toml")
    numbered = dataclasses.replace(tuned, log=dataclasses.replace(tuned.log, arm_names=(1, 2, 3)))
    with pytest.raises(ValueError, match="names of arms and objectives must be text, got 1"):
        write_tuned(tmp_path / "numbers.toml", numbered)
    own = type("Own", (MolUcb,), {})
    strange = dataclasses.replace(tuned, recipe=Paced(own(), {"cost, USD": 0.5}))
    with pytest.raises(ValueError, match=re.escape("policy.recipe must be one of `mobandits list")):
        write_tuned(tmp_path / "own.toml", strange)
    # A log of this name, which its agent wrote: a service would make a second agent in it.
    mob.Agent(
        MolUcb(), arms=ARMS, features=3, objectives=OBJECTIVES, log=tmp_path / "log.db"
    ).close()
    with pytest.raises(
        ValueError, match=r"^--write must have another name: .* log.db, which has no"
    ):
        check_tuned_file(tmp_path / "log.toml")
    for left in tmp_path.glob("log.db*"):
        left.unlink()
    # What is refused leaves nothing.
    assert sorted(file.name for file in tmp_path.iterdir()) == ["folder.toml", "taken.toml"]


def test_the_command_writes_it(tmp_path, capsys):
    store = tmp_path / "past.db"
    rng = np.random.default_rng(2)
    options = {"arms": ARMS, "features": 3, "objectives": OBJECTIVES, "propensity": "exact"}
    with mob.Agent(mob.policies.RandomChoice(), **options, log=store) as agent:
        for _ in range(90):
            decision = agent.decide([1.0, *rng.random(2)])
            size = ARMS.index(decision.arm)
            agent.learn(
                decision.id, {"quality": 0.3 + 0.3 * size * rng.random(), "cost, USD": 0.1 + size}
            )
    out = tmp_path / "router.toml"
    asked = ["tune", str(store), "--budget", "cost, USD=0.9", "--write", str(out)]
    assert cli.call(asked) == 0
    first = out.read_bytes()
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{out}: written, and ")
    assert cli.call(asked) == 0
    assert out.read_bytes() == first
    assert cli.call(["serve", str(out), "--check"]) == 0
    assert "router: Paced(" in capsys.readouterr().out


def test_without_the_service_the_command_says_what_installs_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mobandits.support.guests.contributions", lambda group: [])
    arguments = ["tune", "x.db", "--budget=cost=1", f"--write={tmp_path / 'x.toml'}"]
    assert cli.call(arguments) == 2
    assert "mobandits tune --write needs the extra `service`" in capsys.readouterr().err
    assert not Path(tmp_path / "x.toml").exists()
