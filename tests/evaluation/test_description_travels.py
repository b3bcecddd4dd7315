"""What a log is of reaches the agent that is made of it, on every way and in every format."""

import numpy as np
import polars as pl
import pytest

import mobandits as mob
from mobandits.compiling import session
from mobandits.encoding import Encoder
from mobandits.evaluation import Comparison
from mobandits.evaluation.command import evaluate_file
from mobandits.evaluation.command_arguments import CommandLog
from mobandits.evaluation.training import trained
from mobandits.logs import csv, dsjson, export, obp, read
from mobandits.logs.frames import feedback_of_frame
from mobandits.orders import EffectivePareto, Lexicographic, Weighted

FRESH = 200  # contexts of which all agents must make the same
ROUNDS = 40
CITIES = ["Oslo", "Rome", "Lima"]
UNITS = ["", "USD", "ms"]
ENCODER = Encoder.fit({"age": [20.0, 60.0, 40.0], "city": CITIES}, "age,city:category")


@pytest.fixture(autouse=True)
def interpreted(monkeypatch):
    """Agents whose policies run in Python."""
    monkeypatch.setattr(session, "is_compiled", lambda policy: False)


class Case:
    """A random description, and an agent of it with a log of random rewards.

    Args:
        seed: of everything.
        folder: of the store.
    """

    def __init__(self, seed, folder):
        self.rng = np.random.default_rng(seed)
        self.folder = folder
        self.store = folder / "log.db"
        self.objectives = [
            self.objective(name) for name in self.names(("quality", "cost", "latency"))
        ]
        self.arms = self.names(("small", "medium", "large", "huge"))
        self.layout = self.rng.choice(["shared", "own rows", "encoder"])
        self.features = ENCODER if self.layout == "encoder" else int(self.rng.integers(1, 4))
        self.recipe = mob.policies.MolUcb(scale=0.3, check=False, order=self.order())
        self.options = {
            "arms": self.arms,
            "features": self.features,
            "objectives": self.objectives,
        }

    def names(self, names):
        """Two or more of some names, in an order of their own."""
        count = int(self.rng.integers(2, len(names) + 1))
        return [str(name) for name in self.rng.permutation(names)[:count]]

    def objective(self, name):
        fields = {"minimise": bool(self.rng.random() < 0.5), "unit": str(self.rng.choice(UNITS))}
        if self.rng.random() < 0.6:
            fields["low"] = float(self.rng.normal())
            fields["high"] = fields["low"] + float(10.0 ** self.rng.integers(-3, 3))
        if self.rng.random() < 0.3:
            fields["default"] = float(self.rng.normal())
            fields["after"] = 60.0
        return mob.Objective(name, **fields)

    def order(self):
        weights = self.rng.dirichlet(np.ones(len(self.objectives)))
        orders = [Weighted(weights), EffectivePareto(), Lexicographic()]
        return orders[int(self.rng.integers(len(orders)))]

    def contexts(self, count):
        if self.layout == "encoder":
            ages = self.rng.normal(40.0, 10.0, count)
            cities = self.rng.choice(CITIES, count)
            rows = zip(ages.tolist(), cities.tolist(), strict=True)
            return [{"age": age, "city": city} for age, city in rows]

        shape = (count, self.features)
        if self.layout == "own rows":
            shape = (count, len(self.arms), self.features)
        return list(self.rng.normal(size=shape))

    def rewards(self, context):
        """A reward of every objective, in its range where it has one; some are not observed."""
        rewards = {}
        for each in self.objectives:
            if self.rng.random() < 0.1:
                continue

            low, high = each.range
            is_bounded = np.isfinite(low) and np.isfinite(high)
            value = self.rng.uniform(low, high) if is_bounded else self.rng.normal()
            rewards[each.name] = float(value)
        return rewards

    def play(self):
        """Decide and learn with a log."""
        contexts = self.contexts(ROUNDS)
        with mob.Agent(self.recipe, **self.options, log=self.store, seed=3) as agent:
            for context in contexts:
                decision = agent.decide(context)
                rewards = self.rewards(context)
                if rewards:
                    agent.learn(decision.id, rewards)

    def agent(self):
        return mob.Agent(self.recipe, **self.options, propensity="exact", seed=5)

    def choices(self, agent, contexts):
        """(arms, probabilities, values) of the agent in fresh contexts."""
        return [self.choice(agent.decide(context)) for context in contexts]

    @staticmethod
    def choice(decision):
        return decision.arm, decision.propensity, decision.front

    # --- the log in all formats

    def logs(self):
        """{format: what was read}."""
        log = read(self.store)
        archive = self.folder / "log.parquet"
        export(self.store, archive)
        lines = self.folder / "log.dsjson"
        dsjson.write(log, lines, objective=log.objective_names[0])
        logs = {
            "store": log,
            "parquet": read(archive),
            "dsjson": read(lines),
            "obp": obp.from_dict(obp.to_dict(log)),
        }
        if log.encoder is None:
            table = self.folder / "log.csv"
            export(self.store, table, "csv")
            columns = self.columns_of_csv()
            logs["csv"] = csv.read(table, **columns, arms=self.arms)
            frame = pl.read_csv(table)
            logs["frame"] = feedback_of_frame(frame, **columns, arms=self.arms)
        return logs

    def columns_of_csv(self):
        """What a caller says of a table; its objectives are known as the agent's are."""
        names = [f"x{place}" for place in range(self.features)]
        context = names
        if self.layout == "own rows":
            context = {arm: [f"{arm}:{name}" for name in names] for arm in self.arms}
        return {
            "arm": "arm",
            "rewards": [each.name for each in self.objectives],
            "context": context,
            "propensity": "propensity",
            "time": "time",
            "objectives": self.objectives,
        }


def check_case(seed, folder):
    """All agents that are made of one log decide alike."""
    case = Case(seed, folder)
    case.play()
    fresh = case.contexts(FRESH)
    by_hand = case.agent()
    by_hand.learn_log(case.store)
    expected = case.choices(by_hand, fresh)
    learned = by_hand.core.bound.state()
    for name, log in case.logs().items():
        has_description = tuple(log.objectives) == tuple(case.objectives)
        assert has_description, (seed, name)
        found = Comparison(log.objectives, {}, {"same": case.recipe}, log)
        # What a table cannot say is said by the caller.
        said = {"propensity": "exact"} if name in ("csv", "frame") else {}
        agent = found.agent("same", **said, seed=5)
        assert agent.objectives == tuple(case.objectives), (seed, name)
        assert case.choices(agent, fresh) == expected, (seed, name)
        # What is evaluated, here and in a service, is what would be deployed.
        _, state = trained(case.recipe, log, np.arange(len(log)), np.random.default_rng(0))
        for mine, theirs in zip(state, learned, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        # An agent that asks takes the log as what it is itself of.
        again = case.agent()
        again.learn_log(log)
        assert case.choices(again, fresh) == expected, (seed, name)

    table = folder / "log.csv"
    if table.exists():
        columns = case.columns_of_csv()
        del columns["objectives"]
        asked = case.agent()
        asked.learn_log(table, **columns)
        assert case.choices(asked, fresh) == expected, (seed, "a table, by the agent's directions")


def test_what_is_meant_arrives(tmp_path):
    for seed in range(8):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check_case(seed, folder)


@pytest.mark.slow
def test_what_is_meant_arrives_of_many_descriptions(tmp_path):
    for seed in range(8, 220):
        folder = tmp_path / str(seed)
        folder.mkdir()
        check_case(seed, folder)


@pytest.mark.filterwarnings("ignore:.*decisions in the log were certain")
@pytest.mark.parametrize("seed", range(4))
def test_the_command_deploys_the_same_agent(tmp_path, seed):
    case = Case(seed, tmp_path)
    case.play()
    archive = tmp_path / "log.parquet"
    export(case.store, archive)
    fresh = case.contexts(FRESH)
    by_hand = case.agent()
    by_hand.learn_log(case.store)
    expected = case.choices(by_hand, fresh)
    for log in (case.store, archive):
        out = tmp_path / f"out-{log.suffix[1:]}"
        evaluate_file(
            CommandLog(log),
            out,
            {"same": "mol-ucb:scale=0.3"},
            lambda _: case.recipe,
            estimators=["ips"],
            deploy="same",
        )
        # The store is opened by an agent of the same description only.
        with mob.Agent(case.recipe, **case.options, log=out / "agent.db") as deployed:
            assert deployed.propensity == "exact"
            names = [decision[0] for decision in case.choices(deployed, fresh)]
            assert names == [decision[0] for decision in expected]
