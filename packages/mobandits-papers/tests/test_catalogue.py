"""Every experiment, without playing it: its runs can be prepared, and its claims read what they record."""

import functools

import numpy as np
import pytest
from toys import Renamed

from mobandits.errors import MissingExtraError
from mobandits.metrics import resolve
from mobandits.simulation import prepare
from mobandits.simulation.trial import trial_problem
from mobandits_papers import catalogue, cross, playing
from mobandits_papers import theorem_experiments as theory
from mobandits_papers.catalogue import EXPERIMENTS, find
from mobandits_papers.experiment import Computed, More, Run, RunOptions
from mobandits_papers.guan2026 import experiments as guan2026
from mobandits_papers.mocmab2018 import experiments as mocmab2018
from mobandits_papers.moglb2019 import experiments as moglb2019
from mobandits_papers.molts2025 import experiments as molts2025
from mobandits_papers.moslb2024 import experiments as moslb2024
from mobandits_papers.moslb2024 import figures
from mobandits_papers.paretobandit2026 import experiments as paretobandit2026
from mobandits_papers.pcz2018 import experiments as pcz2018
from mobandits_papers.playing import slug

WITH_THEORY = ["moglb2019", "pcz2018", "mocmab2018", "molts2025", "moslb2024"]
ORDER = [*WITH_THEORY, "paretobandit2026", "guan2026", "cross"]
EVERY = pytest.mark.parametrize("name", list(EXPERIMENTS))


def simulations(name):
    return [run for run in EXPERIMENTS[name].runs if isinstance(run, Run)]


class Imagined:
    """What claims are read from, had every row had some random numbers; names are those of the runs."""

    def __init__(self, plans):
        self._plans, self._rng = plans, np.random.default_rng(0)

    def runs(self):
        return list(self._plans)

    def renamed(self, names):
        return Renamed(self, names)

    def rows(self, run):
        return list(self._plans[run][0].rows)

    def known(self, run):
        """Rows, and the rows of their grids that were not chosen."""
        return {*self.rows(run), *self._plans[run][0].recipes()}

    def metrics(self, run, row):
        assert row in self.known(run)
        return [metric.name for metric in self._plans[run][1]]

    def components(self, run, row, metric):
        assert row in self.known(run)
        (found,) = [one for one in self._plans[run][1] if one.name == metric]
        return list(range(found.components(self._plans[run][2])))

    def curves(self, run, row, metric, component=0):
        assert component in self.components(run, row, metric)
        return np.arange(1, 11), 1.0 + self._rng.random((3, 10)).cumsum(axis=1)


def test_no_experiment_is_lost_and_papers_are_in_order():
    modules = (
        moglb2019,
        pcz2018,
        mocmab2018,
        molts2025,
        moslb2024,
        paretobandit2026,
        guan2026,
        cross,
    )
    every = [one.id for module in modules for one in module.EXPERIMENTS]
    assert len(EXPERIMENTS) == len(set(every)) + 5
    ranks = [ORDER.index(name.partition("/")[0]) for name in EXPERIMENTS]
    assert ranks == sorted(ranks)
    for paper in WITH_THEORY:
        assert [one.id for one in find([paper])][-1] == f"{paper}/theory"
    assert find(["all"]) == list(EXPERIMENTS.values())
    assert find(["moslb2024/theory", "moslb2024/fig3"]) == [
        figures.FIGURES[0],
        theory.EXPERIMENTS["moslb2024"],
    ]
    assert [*catalogue.EXPERIMENTS] == [*EXPERIMENTS]


@EVERY
def test_ids_and_texts(name):
    experiment = EXPERIMENTS[name]
    assert experiment.id == name
    assert all([experiment.title, experiment.source, *experiment.about])
    assert not isinstance(experiment.about, str)
    ids = [claim.id for claim in experiment.claims]
    assert len(ids) == len(set(ids))
    assert all(one.rpartition("/")[0] == name for one in ids)
    assert all(claim.claim and claim.target and claim.rule for claim in experiment.claims)
    plots = [plot.name for plot in experiment.plots]
    assert len(plots) == len(set(plots))


@EVERY
def test_places_are_distinct(name):
    runs = EXPERIMENTS[name].runs
    pairs = [(run.place, row) for run in runs if isinstance(run, Run) for row in run.recipes()]
    assert len(pairs) == len(set(pairs))
    names = [run.name for run in runs]
    assert len(names) == len(set(names))
    folders = [slug(run.name) for run in runs] + [
        f"{slug(run.name)}-tuning" for run in simulations(name)
    ]
    assert len(folders) == len({folder.lower() for folder in folders})


@EVERY
def test_plots_name_what_there_is(name):
    experiment = EXPERIMENTS[name]
    computed = any(isinstance(run, Computed) for run in experiment.runs)
    for plot in experiment.plots:
        assert set(plot.runs) <= {run.name for run in experiment.runs}
        runs = [run for run in experiment.runs if not plot.runs or run.name in plot.runs]
        if any(isinstance(run, Computed) for run in runs):
            continue  # their rows and metrics are known once they are computed
        metrics = {one if isinstance(one, str) else one.name for run in runs for one in run.metrics}
        assert plot.metric in metrics
        assert set(plot.rows) <= {row for run in runs for row in run.rows}
    assert experiment.plots or computed or experiment.claims


def test_what_is_of_no_paper_has_a_rule():
    """A number that no paper names and no rule judges answers nobody's question."""
    for one in EXPERIMENTS.values():
        for claim in one.claims:
            if claim.kind in ("ours", "extension"):
                assert not claim.rule.startswith("none"), claim.id


@pytest.mark.long
@EVERY
def test_runs_can_be_prepared_and_claims_read_them(name, monkeypatch):
    monkeypatch.setattr(
        "mobandits_papers.playing.prepare", functools.partial(prepare, compiled=False)
    )
    experiment, ask, plans = EXPERIMENTS[name], RunOptions(rounds=20, trials=1), {}
    for run in simulations(name):
        try:
            plan = playing.plan(name, run, ask)
        except MissingExtraError as error:
            pytest.skip(str(error))
        assert list(plan.setup.policies) == list(run.recipes())
        if run.tuned():
            assert playing.tuning_plan(name, run, ask).setup.seed == playing.TUNING
        plans[run.name] = run, plan.setup.metrics, trial_problem(plan.setup, 0).shape
    for more in [one for one in experiment.runs if isinstance(one, More)]:
        plans[more.name] = more.run, resolve(more.metrics), plans[more.run.name][2]
    if len(plans) == len(experiment.runs):
        entries = [claim.judge(Imagined(plans)) for claim in experiment.claims]
        assert all(entry["measured"] is not None for entry in entries)


def test_only_sentences_of_a_paper_are_shown_as_claimed():
    """What a paper does not say of a figure, and what is ours, has another target."""
    shown = {
        claim.id: claim.kind
        for one in EXPERIMENTS.values()
        for claim in one.claims
        if claim.target == "as claimed"
    }
    assert set(shown.values()) == {"paper"}
    assert all(name.startswith(("molts2025/fig2/", "mocmab2018/fig1/")) for name in shown)
