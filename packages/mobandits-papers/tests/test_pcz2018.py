"""The experiments of pcz2018 at a small scale, and the parts of them that are computed here."""

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Shape
from mobandits.environments.two_ridges import TwoRidges
from mobandits.policies import ContextualZooming, Pcz
from mobandits.policies.zooming.similarity import ScaledEuclidean
from mobandits.simulation.play import play_surface
from mobandits_papers.claims import verdict
from mobandits_papers.experiment import RunOptions
from mobandits_papers.outcome import Outcome
from mobandits_papers.pcz2018 import regret, remarks, surfaces
from mobandits_papers.pcz2018.experiments import EXPERIMENTS
from mobandits_papers.pcz2018.variants import CopiedRidge, Pinned, UnlikeArms
from mobandits_papers.reproduce import reproduce

IDS = [one.id for one in EXPERIMENTS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("pcz2018")
    reproduce(IDS, out, rounds=300, trials=5, workers=1)
    return out


def test_every_claim_is_judged_and_every_figure_drawn(folder):
    claims = json.loads((folder / "claims.json").read_text())
    assert [one["id"] for one in claims] == [claim.id for e in EXPERIMENTS for claim in e.claims]
    for one in claims:
        assert one["parts"]
        assert np.isfinite([part["measured"] for part in one["parts"]]).all(), one["id"]
    for experiment in EXPERIMENTS:
        place = folder / "runs" / experiment.id
        page = (place / "report.html").read_text()
        assert all((place / "figures" / f"{plot.name}.png").exists() for plot in experiment.plots)
        assert all(claim.id in page for claim in experiment.claims)


CHECKS = {
    "fig1/ridges": True,
    "fig1/steep-below": True,
    "fig1/slopes": None,
    "table1/rate": None,
    "identical-objectives/same-points": True,
    "identical-objectives/same-gap": True,
    "packing/bound": True,
    "packing/zooming-dimension-smaller": True,
}
OURS = {"finite-arms/below-random"}
OF_THE_PAPER = {
    "fig2/pcz-against-zooming",
    "fig2/pcz-against-random",
    "fig2/order",
    "fig2/both-below-random",
    "fig2/pcz-bins-even",
    "fig2/zooming-bin-1",
    "fig2/zooming-bin-1-much-more",
}


def test_what_no_data_can_make_fail_is_a_check(folder):
    """It holds at any scale, and is never counted as reproduced."""
    found = {
        one["id"].removeprefix("pcz2018/"): one
        for one in json.loads((folder / "claims.json").read_text())
    }
    assert {name for name, one in found.items() if one["kind"] == "check"} == set(CHECKS)
    for name, holds in CHECKS.items():
        assert (found[name]["verdict"], found[name]["holds"]) == ("reported", holds), name


def test_the_figure_has_the_papers_rows_and_shares_that_add_up(folder):
    table = pl.read_parquet(folder / "runs" / "pcz2018" / "fig2" / "results.parquet")
    assert set(table["policy"]) == {"PCZ", "Contextual Zooming", "Random"}
    shares = table.filter((pl.col("metric") == "bin_ratio") & (pl.col("round") == 300))
    sums = shares.group_by("policy", "trial").agg(pl.col("value").sum())
    np.testing.assert_allclose(sums["value"], 1.0)


def test_the_map_is_the_surface():
    table, surface = (
        surfaces.surface(0, RunOptions()),
        TwoRidges().problem(9, np.random.default_rng(0)).surface,
    )
    assert len(table) == 2 * surfaces.CELLS**2
    for i, arm, l in ((0, 80, 0), (49, 60, 1), (99, 1, 0), (30, 100, 1)):
        row = table.filter(
            (pl.col("policy") == surfaces.column(i))
            & (pl.col("round") == arm)
            & (pl.col("component") == l)
        )
        mean = surface.mean(np.array([(i + 0.5) / 100]), np.array([(arm - 0.5) / 100]))
        assert row["value"].to_list() == pytest.approx([mean[l]], abs=1e-12)


def outcome_of(rows):
    """An outcome of one run with bin shares {row: (trials, bins)} at one round."""
    frames = [
        pl.DataFrame({"trial": trial, "component": i, "value": float(value), "policy": row})
        for row, shares in rows.items()
        for trial, bins in enumerate(shares)
        for i, value in enumerate(bins)
    ]
    table = pl.concat(frames).with_columns(
        environment=pl.lit("e"), metric=pl.lit("bin_ratio"), round=pl.lit(9)
    )
    return Outcome(table, {"run": "e"}, {("run", row): row for row in rows})


def test_bins_are_judged_by_their_numbers():
    rng = np.random.default_rng(0)
    even, falling = np.full(6, 1 / 6), np.array([0.3, 0.2, 0.15, 0.13, 0.12, 0.1])
    noisy = {
        name: mean + 0.001 * rng.standard_normal((20, 6))
        for name, mean in (("e", even), ("f", falling))
    }
    as_claimed = outcome_of({"PCZ": noisy["e"], regret.ZOOMING: noisy["f"]})
    other_way = outcome_of({"PCZ": noisy["f"], regret.ZOOMING: noisy["e"]})
    (first_bin,) = (claim for claim in regret.FIG2.claims if claim.what == "zooming-bin-1")
    for parts in (regret.even_parts, first_bin.parts):
        assert verdict(parts(as_claimed)) == "reproduced"
        assert verdict(parts(other_way)) == "not reproduced"
    ratio, more = regret.even_parts(as_claimed)
    assert ratio.measured == pytest.approx(noisy["e"].mean(0).max() / noisy["e"].mean(0).min())
    assert more.measured == pytest.approx(np.ptp(noisy["f"].mean(0)) - np.ptp(noisy["e"].mean(0)))
    times = [part.measured for part in regret.much_more_parts(as_claimed)]
    assert times == pytest.approx([1.5, 3.0, 0.3 / 0.14], rel=0.02)


def test_copies_are_one_objective():
    gap, regret = remarks.copied_gaps()
    assert gap.shape == (11, 101)
    np.testing.assert_array_equal(gap, regret)
    problems = [CopiedRidge(n).problem(9, np.random.default_rng(0)) for n in (1, 3)]
    one, three = (problem.block(0, 9, np.random.default_rng(1)) for problem in problems)
    np.testing.assert_array_equal(one.contexts, three.contexts)
    point = np.array([0.35])
    for x, uniforms in zip(one.contexts, one.uniforms, strict=True):
        rewards = [problem.surface.reward(x, point, uniforms) for problem in problems]
        assert rewards[1].tolist() == [rewards[0][0]] * 3
        first = TwoRidges().problem(9, np.random.default_rng(0)).surface.mean(x, point)[0]
        assert problems[0].surface.mean(x, point)[0] == pytest.approx(first, abs=1e-12)
        assert problems[1].surface.gap(x, point) == pytest.approx(1.0 - first)
    with pytest.raises(
        ValueError, match=r"CopiedRidge.objectives must be an integer of at least 1"
    ):
        CopiedRidge(0)


@pytest.mark.parametrize("recipe", [Pcz(scale=0.2), ContextualZooming(scale=0.2)], ids=str)
def test_a_pinned_first_ball_stays(recipe):
    problem = TwoRidges().problem(1000, np.random.default_rng(0))
    policy = Pinned(recipe, (0.25, 0.75)).bind(problem.shape)
    loop, states = compile_loop(play_surface, policy, problem.surface), []
    for rounds in (1, 1000):
        block, rng = problem.block(0, rounds, np.random.default_rng(1)), np.random.default_rng(2)
        contexts, uniforms = (np.ascontiguousarray(one) for one in block)
        states.append(
            loop(
                policy,
                policy.init(),
                problem.surface,
                contexts,
                uniforms,
                rng,
                np.empty((rounds, 1)),
            )
        )
    assert [state.centre[:, 0].tolist() for state in states] == [[0.25, 0.75]] * 2
    centre, radius, reach = states[1].centre, states[1].radius, states[1].reach
    assert len(radius) > 5
    apart = np.sqrt(((centre[:, :, None] - centre[:, None, :]) ** 2).mean(axis=0))
    expected = radius + (reach[:, None, :] + apart).min(axis=2)  # the index, from its definition
    np.testing.assert_allclose(states[1].bound, expected, rtol=1e-12)


@settings(max_examples=40)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_arms_that_are_unlike_are_one_apart(count, seed):
    rng = np.random.default_rng(seed)
    points = np.concatenate([rng.random((2, count)), rng.integers(0, 3, (1, count)) / 3])
    out, contexts = np.empty(count), np.empty(count)
    for b in range(count):
        UnlikeArms().distances(points, points, b, out)
        ScaledEuclidean().distances(points[:2], points[:2], b, contexts)
        np.testing.assert_allclose(
            out, np.where(points[2] == points[2, b], contexts, 1.0), atol=1e-15
        )


def test_the_four_arms_have_places_of_their_own():
    policy = remarks.FOUR_ARMS.runs[0].rows["PCZ"].bind(Shape(4, 2, 2, 1000, shared=True))
    places = [policy.place(np.array([0.2, 0.4]), a) for a in range(4)]
    out = np.empty(4)
    policy.similarity.distances(
        np.stack(places, axis=1), np.array([[0.2], [0.4], [places[1][2]]]), 0, out
    )
    assert out.tolist() == [1.0, 0.0, 1.0, 1.0]


def test_only_the_papers_own_sentences_have_verdicts():
    claims = {claim.id.removeprefix("pcz2018/"): claim for e in EXPERIMENTS for claim in e.claims}
    assert {name for name, claim in claims.items() if claim.kind == "ours"} == OURS
    assert {name for name, claim in claims.items() if claim.kind == "paper"} == OF_THE_PAPER
    assert claims.keys() == {*CHECKS, *OURS, *OF_THE_PAPER}


def test_what_was_chosen_after_a_look_is_said():
    claims = {claim.id.removeprefix("pcz2018/"): claim for e in EXPERIMENTS for claim in e.claims}
    assert "chosen after a pilot" in claims["fig2/pcz-against-zooming"].note
    assert f"{regret.EVEN:g} was set after a pilot" in claims["fig2/pcz-bins-even"].note
