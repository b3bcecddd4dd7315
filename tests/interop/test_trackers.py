"""Trackers of experiments: doubles with the methods of theirs, and the packages themselves where they are installed."""

import json

import pytest

from mobandits import Agent
from mobandits.environments import Linear
from mobandits.interop.trackers import numbers, track
from mobandits.monitoring import summary
from mobandits.policies import MolUcb, RandomChoice
from mobandits.simulation import simulate

POLICIES = {"ucb(0.3)": MolUcb(scale=0.3), "a/b": RandomChoice()}


@pytest.fixture(scope="module")
def results():
    asked = {"rounds": 8, "trials": 3, "metrics": ["pareto_regret", "reward"], "seed": 1}
    return simulate(POLICIES, Linear(arms=3, objectives=2), **asked)


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    path = tmp_path_factory.mktemp("history") / "router.db"
    described = {"arms": ["gpt/4", "small"], "features": 1, "objectives": ["quality", "cost"]}
    with Agent(MolUcb(), **described, seed=1, log=path) as agent:
        for reward in range(4):
            agent.learn(agent.decide([1.0]).id, {"quality": reward / 4})
    return summary(path, window=2)


class Mlflow:
    """The functions of the module `mlflow`."""

    def __init__(self):
        self.metrics, self.parameters = [], {}

    def log_metrics(self, metrics, step=None):
        self.metrics += [(name, value, step) for name, value in metrics.items()]

    def log_params(self, params):
        self.parameters |= params


class Run:
    """A `wandb.Run`."""

    def __init__(self):
        self.config, self.rows, self.steps = {}, [], {}

    def define_metric(self, name, step_metric=None):
        self.steps[name] = step_metric

    def log(self, data, step=None, commit=None):
        self.rows.append(data)


class Writer:
    """A `SummaryWriter`."""

    def __init__(self):
        self.scalars, self.texts = [], {}

    def add_scalar(self, tag, scalar_value, global_step=None):
        self.scalars.append((tag, scalar_value, global_step))

    def add_text(self, tag, text_string, global_step=None):
        self.texts[tag] = text_string


def test_numbers_of_results_are_means_and_their_intervals(results):
    found = {(name, step): value for name, value, step in numbers(results)}
    assert len(found) == 8 * 2 * 3 * (1 + 2)  # rounds, policies, ends, regret and two rewards
    for row in results.summary().iter_rows(named=True):
        policy = {"ucb(0.3)": "ucb_0.3_", "a/b": "a_b"}[row["policy"]]
        component = f"/{row['component']}" if row["metric"] == "reward" else ""
        for end in ("mean", "low", "high"):
            name = f"{row['metric']}/{policy}{component}/{end}"
            assert found[name, 8] == pytest.approx(row[end])
    one = simulate(RandomChoice(), Linear(arms=3), rounds=2, trials=1, metrics=["pareto_regret"])
    names = {name for name, _, _ in numbers(one)}
    assert {name.rpartition("/")[2] for name in names} == {"mean"}


def test_numbers_of_a_history_are_those_of_its_windows(history):
    found = {(name, step): value for name, value, step in numbers(history)}
    for window in history["windows"]:
        step = window["last"]
        assert found["rewards/quality/mean", step] == window["rewards"][0]["mean"]
        assert found["plays/gpt_4", step] == window["plays"][0]
        assert found["status/waiting", step] == window["status"]["waiting"]
        assert found["propensities/smallest", step] == window["propensities"]["smallest"]
        assert ("rewards/cost/mean", step) not in found
    assert {step for _, step in found} == {2, 4}


@pytest.mark.parametrize("name", ["results", "history"])
def test_trackers_are_told_the_same(name, request):
    source = request.getfixturevalue(name)
    expected = sorted(numbers(source))
    mlflow, run, writer = Mlflow(), Run(), Writer()
    track(mlflow, source)
    track(run, source)
    track(writer, source)
    assert sorted(mlflow.metrics) == sorted(writer.scalars) == expected
    step_name = {"results": "round", "history": "decision"}[name]
    rows = [(key, row[key], row[step_name]) for row in run.rows for key in row if key != step_name]
    assert sorted(rows) == expected
    assert run.steps == dict.fromkeys({name for name, _, _ in expected}, step_name)
    assert mlflow.parameters == run.config == json.loads(writer.texts["parameters"])


def test_parameters_describe_the_run(results, history):
    mlflow = Mlflow()
    track(mlflow, results)
    assert mlflow.parameters["policies/ucb_0.3_"].startswith("MolUcb(scale=0.3")
    assert mlflow.parameters["trials"] == "3"
    track(mlflow, history)
    assert mlflow.parameters["recipe"].startswith("MolUcb(")


def test_no_tracker(results):
    with pytest.raises(ValueError, match=r"^tracker must be the module mlflow, .*, got 3$"):
        track(3, results)


@pytest.mark.filterwarnings("ignore")
def test_mlflow_itself(results, history, tmp_path):
    mlflow = pytest.importorskip("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/runs.db")
    mlflow.set_experiment(
        mlflow.create_experiment("bandits", artifact_location=f"{tmp_path}/files")
    )
    with mlflow.start_run() as run:
        track(mlflow, results)
        track(mlflow, history)
    client = mlflow.MlflowClient()
    for name, value, step in [*numbers(results), *numbers(history)]:
        stored = client.get_metric_history(run.info.run_id, name)
        assert (value, step) in [(each.value, each.step) for each in stored]
    assert client.get_run(run.info.run_id).data.params["trials"] == "3"


@pytest.mark.filterwarnings("ignore")
def test_weights_and_biases_itself(results, history, tmp_path):
    wandb = pytest.importorskip("wandb")
    with wandb.init(mode="offline", dir=tmp_path, project="bandits") as run:
        track(run, results)
        track(run, history)
        summary_of = dict(run.summary)
        config = dict(run.config)
    last = {name: value for name, value, _ in [*numbers(results), *numbers(history)]}
    assert {name: summary_of[name] for name in last} == last
    assert config["trials"] == "3"


@pytest.mark.filterwarnings("ignore")
def test_tensorboard_itself(results, history, tmp_path):
    writers = pytest.importorskip("tensorboardX")
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with writers.SummaryWriter(str(tmp_path)) as writer:
        track(writer, results)
        track(writer, history)
    events = reading.EventAccumulator(str(tmp_path))
    events.Reload()
    found = {
        (tag, event.step): event.value
        for tag in events.Tags()["scalars"]
        for event in events.Scalars(tag)
    }
    expected = {(name, step): value for name, value, step in [*numbers(results), *numbers(history)]}
    assert found == pytest.approx(expected)


def test_several_environments_are_parameters_of_their_own():
    places = {"few": Linear(arms=2), "many": Linear(arms=30)}
    tracker = Mlflow()
    track(tracker, simulate(POLICIES, places, rounds=8, trials=2, metrics=["pareto_regret"]))
    shown = {name: text for name, text in tracker.parameters.items() if name.startswith("runs")}
    assert shown == {f"runs/{i}": repr(place) for i, place in enumerate(places.values())}
    # MLflow takes no more.
    assert max(map(len, tracker.parameters.values())) <= 6000
    assert "pareto_regret/few/a_b/mean" in {name for name, *_ in tracker.metrics}
