"""The protocol: what counts as a failure, what it adds up to, and that mistakes are seen. Full size: -m slow."""

import json
import os
import subprocess
import sys

import numpy as np
import polars as pl
import pytest

from mobandits.cli import program as cli
from mobandits.environments import Linear, MultiArmed, TwoRidges
from mobandits.orders import Pareto
from mobandits.policies import MolUcb, ParetoUcb1, Pcz
from mobandits_papers.check_theorems import PAPERS, check_theorems
from mobandits_papers.mocmab2018 import checks as mocmab2018
from mobandits_papers.mocmab2018 import theory as mocmab_theory
from mobandits_papers.molts2025 import checks as molts2025
from mobandits_papers.molts2025 import theory
from mobandits_papers.pcz2018 import checks as pcz2018
from mobandits_papers.pcz2018 import theory as pcz_theory
from mobandits_papers.protocol import probes, protocol
from mobandits_papers.protocol.probes import EllipsoidProbe, IntervalProbe, probed
from mobandits_papers.protocol.protocol import (
    Finding,
    added_up,
    allowance,
    bound,
    compared,
    doubted,
    event,
    expectation,
    inequality,
    on_the_event,
)


def test_an_event_fails_once_or_not():
    left, right = np.array([0.0, 3.0, 5.0]), np.array([1.0, 2.0, 6.0])
    found = event("e", "s", left, right, 0.1)
    assert (found.cases, found.broken, found.closest) == (1, 1, 1.5)
    assert event("e", "s", left, right + 1, 0.1).broken == 0


def test_an_inequality_is_looked_at_where_it_should_hold():
    found = inequality("i", "s", [1.0, 2.0, 3.0], 2.5, np.array([True, True, False]))
    assert (found.cases, found.broken, found.closest) == (2, 0, 0.8)
    assert inequality("i", "s", [1.0, 2.0, 3.0], 2.5).broken == 1
    both = inequality("i", "s", np.ones((4, 2)), 2.0, np.array([[True], [False], [True], [False]]))
    assert both.cases == 4


def test_a_bound_is_on_sums():
    found = bound("b", "s", np.ones(100), np.full(100, 99.0))
    assert (found.cases, found.broken) == (100, 1)
    assert found.curve.rounds[[0, -1]].tolist() == [1, 100]
    assert found.curve.regret[-1] == 100


def test_rounding_is_no_violation():
    assert not compared(1.0 + 1e-12, 1.0)[0].any()
    assert compared(1.0 + 1e-6, 1.0)[0].all()
    assert compared([-5.0, 0.0], [0.0, 0.0])[1] == 0.0


def test_nothing_follows_from_an_event_that_failed():
    failed, held = event("e", "s", 2.0, 1.0, 0.1), event("e", "s", 0.0, 1.0, 0.1)
    other = inequality("i", "s", 0.0, 1.0)
    assert on_the_event(failed, lambda: [other]) == [failed]
    assert on_the_event(held, lambda: [other]) == [held, other]


def test_counts_and_verdicts():
    runs = [
        [
            Finding("event", "e", "s", 1, int(i < 3), 0.5, 0.1),
            Finding("inequality", "i", "s", 10, 0, 0.1 * i),
        ]
        for i in range(9)
    ]
    report = added_up("p", runs)
    first, second = report.counts
    assert (first.runs, first.broken, first.holds) == (9, 3, True)  # up to 3.6 agree with a tenth
    assert first.allowed == pytest.approx(0.9 + 3 * np.sqrt(0.81))
    assert (second.cases, second.closest, second.holds) == (90, 0.8, True)
    assert report.holds
    broken = added_up("p", [*runs, [Finding("inequality", "i", "s", 10, 1, 1.1)]])
    assert not broken.holds
    assert "FAILS" in str(broken.counts[1])
    open_question = added_up("p", [[doubted("d", "s", np.ones(3), np.full(3, 2.5))]])
    assert open_question.holds
    assert str(open_question.counts[0]).startswith("doubt  s: d: false in 1 of 3 cases")
    assert allowance(200, 0.1) == pytest.approx(32.73, abs=0.01)


def test_an_expectation_is_held_against_the_mean_of_all_runs():
    """One run may exceed the bound; a mean that exceeds it by more than chance does not hold."""
    rng = np.random.default_rng(0)

    def report(mean, runs=50):
        ratios = mean + 0.5 * rng.standard_normal(runs)
        several = [[expectation("e", "s", np.full(4, ratio / 4), 1.0)] for ratio in ratios]
        return added_up("p", several), ratios

    below, ratios = report(0.8)
    (count,) = below.counts
    assert (ratios > 1.0).any()
    assert (count.runs, count.cases, count.broken, count.holds) == (50, 1, 0, True)
    assert count.closest == pytest.approx(ratios.mean())
    assert "the mean of 50 runs is" in str(count)
    assert not below.curves
    above, ratios = report(1.5)
    assert ratios.mean() - 3 * ratios.std(ddof=1) / np.sqrt(50) > 1.0
    assert not above.holds
    assert (above.counts[0].broken, str(above.counts[0])[:5]) == (1, "FAILS")
    assert report(1.5, runs=1)[0].holds  # one run says nothing about a mean


def slow_cells(cells, per_round, bound_of):
    """How often the regret within a cell exceeds its bound, and their largest ratio, round by round."""
    broken, closest = 0, 0.0
    regret, visits = {}, {}
    for cell, lost in zip(cells, per_round, strict=True):
        regret[cell] = regret.get(cell, 0.0) + lost
        visits[cell] = visits.get(cell, 0) + 1
        most = float(bound_of(visits[cell]))
        broken += regret[cell] > most * (1 + 1e-9)
        closest = max(closest, regret[cell] / most)
    return broken, closest


def test_regret_within_cells_against_plain_counting():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 4, 300)
    per_round = rng.normal(0.5, 1.0, 300)
    for size in (4.0, 40.0):

        def bound_of(visits, size=size):
            return size * np.sqrt(visits)

        found = mocmab2018.cell_bound("b", "s", cells, per_round, bound_of)
        broken, closest = slow_cells(cells, per_round, bound_of)
        assert (found.cases, found.broken) == (300, broken)
        assert found.closest == pytest.approx(closest)
        assert (broken > 0) == (size < 10)
        busiest = np.bincount(cells).argmax()
        assert found.curve.regret[-1] == pytest.approx(per_round[cells == busiest].sum())
        assert found.curve.bound[-1] == pytest.approx(bound_of((cells == busiest).sum()))


def test_the_cell_of_a_context():
    contexts = np.random.default_rng(0).random((200, 2))
    cells = mocmab2018.cells_of(contexts, 3)
    assert cells.tolist() == [3 * int(x * 3) + int(y * 3) for x, y in contexts]


def test_lemma_5_of_mocmab2018_is_put_to_the_test():
    """The worst arm in every round breaks it on the ramps, within the rounds of the protocol."""
    setting = mocmab_theory.Setting(2000, 5, 1, mocmab_theory.default_parts(2000, 1), beta=8.0)
    largest = np.ptp(mocmab2018.HEIGHTS, axis=0) + 2.0
    worst = np.full(2000, largest[0])
    cells = np.zeros(2000, np.int64)
    found = mocmab2018.cell_bound(
        "b",
        "s",
        cells,
        worst,
        lambda visits: mocmab_theory.cell_regret_bounds(visits, setting, tuple(largest))[0],
    )
    assert found.broken > 0


def slow_shares(seen, radii):
    """The regret of each ball: of the round that created it, and of those in which it created none."""
    shares = np.zeros(len(radii))
    balls = 1
    for _, _, child, gap, owner, _ in seen:
        if child > 0.0:
            shares[balls] += gap
            balls += 1
        else:
            shares[int(owner)] += gap
    return shares


def test_the_regret_of_a_ball_is_that_of_its_rounds(monkeypatch):
    monkeypatch.setattr(pcz2018, "compile_loop", lambda loop, *parts: loop)
    recipe = Pcz(scale=pcz2018.NOISE, delta=0.1)
    objectives, balls, seen = pcz2018.probed_play(pcz2018.Gables(), recipe, 0, 150, 0)
    assert objectives == 2
    assert len(balls.radius) > 20
    shares = slow_shares(seen, balls.radius)
    assert np.bincount(seen[:, 4].astype(int), seen[:, 3]).tolist() == pytest.approx(
        shares.tolist()
    )
    quiet = seen[:, 2] == 0.0
    owners = seen[:, 4].astype(int)
    assert (balls.radius[owners[quiet]] == seen[quiet, 1]).all()
    assert (balls.radius[owners[~quiet]] == seen[~quiet, 2]).all()


def test_what_dominates_an_index_against_the_formula(monkeypatch):
    """The column of Lemma 2, from the balls before each round and the formula on the same arms."""
    monkeypatch.setattr(pcz2018, "compile_loop", lambda loop, *parts: loop)
    indices = []

    class Spy:
        def __init__(self, policy):
            self.policy = policy

        def __getattr__(self, name):
            return getattr(self.policy, name)

        def update(self, state, x, point, note, reward, rng):
            index = (
                state.bound[:, int(note.ball)].copy() if len(state.radius) else np.full(2, np.inf)
            )
            indices.append((float(x[0]), index))
            return self.policy.update(state, x, point, note, reward, rng)

    class Recipe(Pcz):
        def bind(self, shape):
            return Spy(super().bind(shape))

    recipe = Recipe(scale=pcz2018.NOISE, delta=0.1)
    _, _, seen = pcz2018.probed_play(pcz2018.Gables(), recipe, 0, 60, 0)
    surface = pcz2018.GableSurface(0.0)
    arms = np.linspace(0, 1, pcz2018.POINTS)
    for (x, index), row in zip(indices, seen, strict=True):
        means = np.array([surface.mean(np.array([x]), np.array([y])) for y in arms])
        assert row[5] == pytest.approx(pcz_theory.dominance(index, means))
    assert (seen[:, 5] <= 0.0).all()
    assert (np.abs(seen[:, 5]) < 1.0).any()


def test_the_largest_gaps_are_those_of_the_surfaces():
    grid = np.linspace(0, 1, 101)
    ridges = TwoRidges(divisor=pcz2018.DIVISOR).problem(9, np.random.default_rng(0)).surface
    for surface, largest in (
        (ridges, pcz2018.RIDGE_GAP),
        (pcz2018.GableSurface(0.0), pcz2018.GABLE_GAP),
    ):
        gaps = [surface.gap(np.array([x]), np.array([y])) for x in grid for y in grid]
        assert max(gaps) == pytest.approx(largest)


@pytest.mark.parametrize("fixed", [False, True])
def test_the_ellipsoid_probe_against_plain_algebra(fixed, monkeypatch):
    monkeypatch.setattr(
        probes, "compile_loop", lambda loop, *parts: loop
    )  # 40 rounds are not worth compiling
    environment = Linear(arms=5, features=3, objectives=2, fixed_arms=fixed)
    now = protocol.trial(environment, 40, 0, 0, "")
    policy = MolUcb(scale=0.5).bind(now.problem.shape)
    chosen, seen = probed(policy, EllipsoidProbe(now.problem.theta), 4, now.block, now.rng)
    gram, moment = np.eye(3), np.zeros((2, 3))
    for t, arm in enumerate(chosen):
        context = now.block.contexts[0 if fixed else t]
        off = now.problem.theta - np.linalg.solve(gram, moment.T).T
        widths = np.sqrt(np.einsum("ai,ij,aj->a", context, np.linalg.inv(gram), context))
        expected = [
            np.sqrt(np.einsum("li,ij,lj->l", off, gram, off)).max(),
            widths[arm],
            widths.max(),
        ]
        np.testing.assert_allclose(seen[t], [*expected, np.linalg.slogdet(gram)[1]], atol=1e-9)
        gram = gram + np.outer(context[arm], context[arm])
        moment += np.outer(now.block.rewards[t, arm], context[arm])


def test_the_interval_probe_against_plain_counting():
    now = protocol.trial(MultiArmed([[0.2, 0.5], [0.7, 0.4], [0.5, 0.9]]), 60, 0, 0, "")
    shape = now.problem.shape
    chosen, seen = probed(ParetoUcb1().bind(shape), IntervalProbe(0.05), 3, now.block, now.rng)
    means = now.block.means[0]
    for t in range(3, 60):
        played = [now.block.rewards[:t][chosen[:t] == a, a] for a in range(3)]
        counts, estimates = (
            np.array([len(rows) for rows in played]),
            np.array([rows.mean(0) for rows in played]),
        )
        half = np.sqrt(2 * np.log(t * 6**0.25) / counts)
        leader = (estimates[:, 0] + half).argmax()
        ratio = (np.abs(estimates - means) / (half[:, None] + 0.05)).max()
        np.testing.assert_allclose(seen[t], [ratio, half[chosen[t]], half[leader]], rtol=1e-9)
    assert np.isinf(seen[0, 1:]).all()


def test_the_ramps_keep_the_assumption():
    block = mocmab2018.Ramps().problem(200, None).block(0, 200, np.random.default_rng(0))
    slopes = np.abs(block.means[1:] - block.means[:-1]).max(axis=(1, 2)) / np.abs(
        np.diff(block.contexts[:, 0, 0])
    )
    assert slopes.max() <= 1 + 1e-9
    np.testing.assert_allclose((block.rewards - block.means).std(0), 1.0, atol=0.2)


def test_the_gables_are_what_they_say():
    """Their slope is at most 1 in terms of the scaled distance, and their gap is what is missing on a fine grid."""
    surface, rng = pcz2018.GableSurface(0.0), np.random.default_rng(0)
    grid = np.linspace(0, 1, 2001)
    for x in rng.random((20, 1)):
        means = np.array([surface.mean(x, np.array([y])) for y in grid])
        for y in rng.random(20):
            exact = (means - surface.mean(x, np.array([y]))).min(axis=1).max()
            assert surface.gap(x, np.array([y])) == pytest.approx(max(0, exact), abs=1e-3)
    pairs = rng.random((400, 2, 2))
    for (x1, y1), (x2, y2) in pairs:
        apart = np.abs(
            surface.mean(np.array([x1]), np.array([y1]))
            - surface.mean(np.array([x2]), np.array([y2]))
        )
        assert apart.max() <= np.hypot(x1 - x2, y1 - y2) / np.sqrt(2)


def test_a_width_that_is_too_small_is_caught():
    """With a tenth of the theory's radius the event fails often, and the inequality does not hold."""
    environment, failed = Linear(arms=20, features=3, objectives=3), 0
    violated = 0
    for run in range(10):
        now = protocol.trial(environment, 400, 0, run, "")
        chosen, seen = probed(
            MolUcb(scale=0.3).bind(now.problem.shape),
            EllipsoidProbe(now.problem.theta),
            4,
            now.block,
            now.rng,
        )
        failed += event("e", "s", seen[:, 0], 0.3, 0.1).broken
        gaps = now.truth.gaps(Pareto(), chosen, 1)[:, 0]
        violated += inequality("i", "s", gaps, theory.ucb_gap_bound(0.3, seen[:, 1])).broken
    assert failed > allowance(10, 0.1)
    assert violated > 0


SMALL = """
import json, sys
from mobandits_papers.check_theorems import PAPERS, check_theorems
reports = {paper: check_theorems(paper, runs=3, rounds=300, seed=1, workers=1) for paper in PAPERS}
counts = {paper: [[c.kind, c.runs, str(c)] for c in report.counts] for paper, report in reports.items()}
json.dump({paper: [report.holds, counts[paper]] for paper, report in reports.items()}, sys.stdout)
"""


@pytest.fixture(scope="module")
def small():
    """A small protocol of every paper, interpreted: to compile the watched policies would take ten times as long."""
    child = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SMALL], env=child, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_a_small_protocol_of_every_paper(paper, small):
    holds, counts = small[paper]
    assert holds, counts
    assert {kind for kind, _, _ in counts} - {"doubted", "expectation"} == {
        "event",
        "inequality",
        "bound",
    }
    assert all(runs == 3 for _, runs, _ in counts)


def test_workers_change_nothing():
    one, two = (
        check_theorems("mocmab2018", runs=4, rounds=100, workers=workers) for workers in (1, 2)
    )
    assert one.counts == two.counts


def test_lemma_1_needs_its_draws():
    """The frequency with one draw is far below what many draws promise."""
    rng = np.random.default_rng(0)
    assert not molts2025.lemma_1(4, 2000, rng).broken
    many, single = theory.optimism(4, theory.draws_needed(4)), theory.optimism(4, 1)
    assert many > 0.4
    assert single < 0.001


def test_the_command(tmp_path, capsys):
    assert (
        cli.call(["check-theorems", "mocmab2018", "--runs", "2", "--out", str(tmp_path / "c")]) == 0
    )
    out, _ = capsys.readouterr()
    assert "holds  Lemma 1" in out
    *_, sentence, page = out.splitlines()
    assert sentence.startswith("mocmab2018: ")
    assert sentence.endswith(" in 2 runs, and everything is as the theory says")
    assert page == str(tmp_path / "c" / "report.html")
    text = (tmp_path / "c" / "report.html").read_text()
    assert "What the theorems of mocmab2018 say" in text
    assert '<math display="block">' in text
    said = json.loads((tmp_path / "c" / "mocmab2018.json").read_text())
    assert (said["runs"], said["holds"]) == (2, True)
    table = pl.read_parquet(tmp_path / "c" / "mocmab2018.parquet")
    assert table.columns == ["name", "round", "mean", "highest", "bound"]
    assert (table["highest"] <= table["bound"]).all()
    assert (tmp_path / "c" / "figures" / "mocmab2018.svg").is_file()
    assert cli.call(["check-theorems", "mocmab", "--out", str(tmp_path)]) == 2
    assert "PAPER: 'mocmab' is unknown; did you mean mocmab2018?" in capsys.readouterr().err


def test_the_command_fails_where_the_theory_does(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(
        PAPERS, "moglb2019", lambda run, rounds, seed: [inequality("i", "s", 2.0, 1.0)]
    )
    assert cli.call(["check-theorems", "moglb2019", "--runs", "1", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "a mistake in the program" in err
    assert out.splitlines()[-1] == str(tmp_path / "report.html")


@pytest.mark.slow
@pytest.mark.parametrize("paper", sorted(PAPERS))
def test_the_whole_protocol(paper):
    report = check_theorems(paper)
    assert report.holds, "\n".join(map(str, report.counts))
