"""Agents with an encoder: rows and tables in place of numbers, files and logs that keep it, explanations."""

import math

import polars as pl
import pytest
from state_files import changed, forged, parts

import mobandits as mob
from mobandits.agent import Objective
from mobandits.encoding import Encoder
from mobandits.errors import StateError
from mobandits.logs import Feedback, read
from mobandits.policies import MolUcb

TABLE = {
    "length": [100.0, 812.0, 50.0, 400.0],
    "city": ["Rome", "Paris", "Rome", "Paris"],
    "prompt": ["the cat sat", "a dog ran", None, "the dog sat"],
}
ENCODER = Encoder.fit(TABLE, "length,city:category,prompt:text:2")
ROW = {"length": 812, "city": "Oslo", "prompt": "the zebra"}
ROWS = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
COST = Objective("cost", minimise=True, unit="USD")


def agent_of(features=ENCODER, arms=("small", "large"), **options):
    return mob.Agent(
        MolUcb(scale=0.3),
        arms=list(arms),
        features=features,
        objectives=["quality", COST],
        **options,
    )


@pytest.fixture(autouse=True)
def python_only(interpreted):
    """Nothing here depends on compilation."""


def test_a_row_is_its_numbers():
    agent = agent_of()
    twin = agent_of(len(ENCODER))
    assert agent.encoder == ENCODER
    assert (agent.features, twin.encoder, twin.unseen) == (len(ENCODER), None, {})
    for row in [*ROWS, ROW]:
        one = agent.decide(row)
        other = twin.decide(ENCODER.encode(row))
        assert one == other
        assert one.context.tolist() == other.context.tolist()
        for each in (agent, twin):
            each.learn(one.id, {"quality": 0.5, "cost": 0.1})
    assert agent.decide(ENCODER.encode(ROW)) == twin.decide(ENCODER.encode(ROW))
    assert agent.unseen == {"prompt": {"missing": 1}, "city": {"unknown": 1}}


def test_a_row_per_arm():
    numbers = ENCODER.encode_table(ROWS[:2])
    for context in (
        ROWS[:2],
        pl.DataFrame(ROWS[:2]),
        {"small": ROWS[0], "large": ROWS[1]},
        numbers,
        {"small": numbers[0], "large": numbers[1]},
    ):
        decision = agent_of().decide(context)
        assert decision.context.tolist() == numbers.tolist()
    one = agent_of().decide({"large": ROWS[1]})
    assert (one.eligible, one.context.tolist()) == (("large",), [numbers[1].tolist()])


def test_batches():
    frame = pl.DataFrame(TABLE)
    numbers = ENCODER.encode_table(frame)
    wide = frame.with_columns(bought=pl.lit(1))
    for contexts in (frame, wide, wide.rows(named=True), ROWS, TABLE, numbers):
        decisions = agent_of().decide_batch(contexts)
        assert [each.context[0].tolist() for each in decisions] == numbers.tolist()
    nested = agent_of().decide_batch([ROWS[:2], ROWS[2:]])
    assert [each.context.tolist() for each in nested] == numbers.reshape(2, 2, -1).tolist()
    agent = agent_of()
    agent.decide_batch(frame)
    assert agent.unseen == {"prompt": {"missing": 1}}
    assert agent.decide_batch([]) == []


def test_a_call_that_fails_counts_nothing():
    agent = agent_of()
    agent.decide(ROW, key="k")
    counts = agent.unseen
    assert counts == {"city": {"unknown": 1}}
    assert agent.decide(ROW, key="k").replayed
    with pytest.raises(ValueError, match="key must be another one"):
        agent.decide(ROW | {"length": 1}, key="k")
    with pytest.raises(ValueError, match="eligible"):
        agent.decide(ROW, ["none"])
    with pytest.raises(ValueError, match="column 'length': expected a number, got 'long'"):
        agent.decide(ROW | {"length": "long"})
    agent.decide(ENCODER.encode(ROW))
    assert agent.unseen == counts
    assert "1 value unseen" in repr(agent)
    assert "city: 1 unknown" in agent._repr_html_()


@pytest.mark.parametrize(
    ("context", "message"),
    [
        ({"length": 1, "city": "Rome"}, "row must have the column 'prompt', got 'length', 'city'"),
        (ROW | {"age": 3}, "row must have no column 'age'"),
        ({}, "row must have the column 'length', got none"),
        (None, "write {column: value} with the columns 'length', 'city', 'prompt'"),
        ("Rome", "write {column: value} with the columns"),
        (ROWS[:3], "context must have shape"),
        (
            [*ROWS[:1], ROW | {"length": math.inf}],
            "column 'length', row 2: expected a finite number",
        ),
    ],
)
def test_wrong_contexts(context, message):
    with pytest.raises(ValueError, match=message.replace("{", "[{]")) as caught:
        agent_of().decide(context)
    assert len(str(caught.value)) < 400


def test_an_encoder_that_is_not_fitted():
    with pytest.raises(ValueError, match="Encoder must be fitted, and column 'length' is not"):
        agent_of(Encoder("length"))


def test_adopted_decisions():
    agent = agent_of()
    twin = agent_of(len(ENCODER))
    agent.adopt(ROW, "large", propensity=0.5, rewards=[0.5, 0.1], key="k")
    twin.adopt(ENCODER.encode(ROW), "large", propensity=0.5, rewards=[0.5, 0.1])
    assert agent.adopt(ROW, "large", 0.5, [0.5, 0.1], "k").replayed
    assert agent.unseen == {"city": {"unknown": 1}}
    assert agent.core.bound.state().theta.tolist() == twin.core.bound.state().theta.tolist()


def test_logs_of_named_columns(tmp_path):
    frame = pl.DataFrame(TABLE).with_columns(
        arm=pl.Series(["small", "large", "small", "large"]),
        q=pl.Series([0.1, 0.9, 0.2, 0.8]),
        c=pl.Series([1.0, 2.0, None, 4.0]),
    )
    path = tmp_path / "log.csv"
    frame.write_csv(path)
    columns = {"arm": "arm", "rewards": {"quality": "q", "cost": "c"}, "minimise": ["cost"]}
    numbers = Feedback(
        contexts=ENCODER.encode_table(pl.DataFrame(TABLE)),
        arms=["small", "large", "small", "large"],
        rewards=frame.select("q", -pl.col("c")).to_numpy(),
        propensities=[math.nan] * 4,
        arm_names=["small", "large"],
        objectives=["quality", mob.Objective("cost", minimise=True)],
    )
    agents = []
    for log, meanings in ((numbers, {}), (frame, columns), (path, columns)):
        agent = agent_of()
        assert agent.learn_log(log, **meanings) == 4
        agents.append(agent)
    states = [agent.core.bound.state().theta.tolist() for agent in agents]
    assert states[0] == states[1] == states[2]
    explicit = read(path, **columns, context=ENCODER)
    assert explicit.contexts.tobytes() == numbers.contexts.tobytes()
    path.write_text(path.read_text().replace("812.0", "long"))
    with pytest.raises(ValueError, match=r"log\.csv, column 'length', row 2: expected a number"):
        agent_of().learn_log(path, **columns)


def test_files_keep_the_encoder(tmp_path):
    agent = agent_of()
    for row in [*ROWS, ROW]:
        agent.learn(agent.decide(row).id, [0.5, 0.1])
    agent.save(tmp_path / "agent")
    again = mob.Agent.load(tmp_path / "agent")
    assert again.encoder == ENCODER
    assert again.unseen == agent.unseen
    numbers = [each.encoder.encode(ROW).tobytes() for each in (agent, again)]
    assert numbers[0] == numbers[1]
    assert again.decide(ROW) == agent.decide(ROW)
    assert again.to_bytes() != agent_of().to_bytes()


@pytest.mark.parametrize(
    ("path", "new", "message"),
    [
        (("encoder", "columns"), lambda columns: columns[:1], "state|options must be"),
        (("encoder", "columns"), lambda columns: [], "at least one column"),
        (("unseen",), lambda unseen: [["city", "odd", 1]], r"at `\$.unseen\[0\]\[1\]`"),
        (("unseen",), lambda unseen: [["city", "unknown", -1]], r"at `\$.unseen\[0\]\[2\]`"),
        (("encoder",), lambda encoder: {}, "encoder must have"),
    ],
)
def test_forged_encoders_are_refused(path, new, message):
    agent = agent_of()
    agent.decide(ROW)
    header, arrays = parts(agent.to_bytes())
    with pytest.raises(StateError, match=message):
        mob.Agent.from_bytes(forged(changed(header, path, new), arrays))


def test_logs_keep_the_encoder(tmp_path):
    path = tmp_path / "log.db"
    with agent_of(log=path) as agent:
        for row in [*ROWS, ROW]:
            agent.learn(agent.decide(row).id, [0.5, 0.1])
        wanted = agent.to_bytes()
        expected = agent.decide(ROW)
        agent.checkpoint()
    with agent_of(log=path) as again:
        assert again.lessons == 5
        assert again.encoder == ENCODER
        assert again.decide(ROW).arm in ("small", "large")
        assert expected.id == 5
    assert mob.Agent.from_bytes(wanted).lessons == 5
    log = read(path)
    assert log.contexts[:4].tobytes() == ENCODER.encode_table(ROWS).tobytes()
    other = Encoder.fit(TABLE, "length,city:category,prompt:text:2", intercept=False)
    for features in (other, len(ENCODER)):
        with pytest.raises(ValueError, match="has an agent with"):
            agent_of(features, log=path)


def test_a_log_without_snapshot_is_replayed(tmp_path):
    path = tmp_path / "log.db"
    agent = agent_of(log=path, snapshot_every=10**6)
    for row in ROWS:
        agent.learn(agent.decide(row).id, [0.5, 0.1])
    agent.adopt(ROW, "small")
    agent.core.writer.store.close()
    with agent_of(log=path) as again:
        assert again.lessons == agent.lessons
        assert again.core.bound.state().theta.tolist() == agent.core.bound.state().theta.tolist()


def test_retuning_and_merging_keep_it(tmp_path):
    agent = agent_of(log=tmp_path / "log.db")
    agent.learn(agent.decide(ROW).id, [0.5, 0.1])
    agent.retune(MolUcb(scale=0.3, penalty=2.0))
    assert agent.decide(ROW).id == 1
    agent.close()
    one, two = agent_of(), agent_of()
    two.learn(two.decide(ROW).id, [0.5, 0.1])
    one.merge(two)
    assert one.lessons == 1
    with pytest.raises(ValueError, match="agents of equal features"):
        one.merge(agent_of(len(ENCODER)))
