"""Simulations on a continuum of arms: recorded, resumed and refused like any other."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from twins.surfaces import Continuum, Copies, PlainCopies

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.continuum import SurfaceBlock
from mobandits.environments import Linear, TwoRidges
from mobandits.metrics import BinRatio, Jaccard
from mobandits.orders import Pareto
from mobandits.policies import ContextualZooming, Doubling, MolUcb, Pcz, RandomChoice
from mobandits.simulation import PreferenceSweep, simulate
from mobandits.simulation.play import play_surface
from mobandits.simulation.streams import POLICY, ROUNDS, stream
from mobandits.simulation.surface_trial import merged_surface_blocks, surface_blocks
from mobandits.support.naming import short_repr

RECIPES = {"pcz": Pcz(scale=0.12), "cz": ContextualZooming(scale=0.12), "random": RandomChoice()}
SMALL = {"rounds": 600, "trials": 3, "seed": 5, "record": 6}
ALL = ["pareto_regret", "effective_pareto_regret", "reward", "bin_ratio"]


@pytest.fixture(scope="module")
def table():
    return simulate(RECIPES, TwoRidges(), **SMALL, metrics=ALL, workers=1).table


def test_the_table_has_every_metric(table):
    assert set(table["policy"]) == set(RECIPES)
    counts = dict(table.group_by("metric").len().iter_rows())
    assert counts["pareto_regret"] == counts["effective_pareto_regret"] == 3 * 3 * 6
    assert counts["reward"] == 2 * counts["pareto_regret"]
    assert counts["bin_ratio"] == 6 * counts["pareto_regret"]
    shares = (
        table.filter(pl.col("metric") == "bin_ratio")
        .group_by("policy", "trial", "round")
        .agg(pl.col("value").sum())
    )
    np.testing.assert_allclose(shares["value"], 1.0)


def test_numbers_are_those_of_the_points():
    """A run by hand, from the same streams."""
    recipe, options = (
        Pcz(scale=0.12),
        {"rounds": 300, "trials": 2, "seed": 3, "record": [1, 7, 300]},
    )
    table = simulate({"p": recipe}, TwoRidges(), **options, metrics=ALL).table
    problem = TwoRidges().problem(300, np.random.default_rng(0))
    policy, rng, rounds = (
        recipe.bind(problem.shape),
        stream(3, 1, POLICY, short_repr(recipe)),
        stream(3, 1, ROUNDS),
    )
    chosen, state, blocks = (
        np.empty((300, 1)),
        policy.init(),
        [problem.block(first, 256, rounds) for first in (0, 256)],
    )
    contexts, uniforms = (np.concatenate([block[i] for block in blocks])[:300] for i in range(2))
    play_surface(policy, state, problem.surface, contexts, uniforms, rng, chosen)
    means = np.array([problem.surface.mean(x, y) for x, y in zip(contexts, chosen, strict=True)])
    gaps = np.array([problem.surface.gap(x, y) for x, y in zip(contexts, chosen, strict=True)])
    kept = np.array(options["record"]) - 1
    for metric, values in (
        ("pareto_regret", gaps[:, None]),
        ("effective_pareto_regret", gaps[:, None]),
        ("reward", means),
    ):
        got = table.filter((pl.col("trial") == 1) & (pl.col("metric") == metric))[
            "value"
        ].to_numpy()
        np.testing.assert_allclose(got, values.cumsum(0)[kept].ravel(), rtol=1e-12)


def test_bin_ratios_start_with_the_first_play_of_the_front():
    results = simulate(
        RandomChoice(),
        TwoRidges(),
        rounds=40,
        trials=1,
        metrics=["bin_ratio"],
        record=list(range(1, 41)),
    )
    rounds, first = results.table["round"].unique().sort(), results.table["round"].min()
    assert rounds.to_list() == list(range(first, 41))
    assert first > 1  # the front is a fifth of the arms
    assert sorted(results.table.filter(pl.col("round") == first)["value"]) == [0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "options", [{"workers": 3}, {"compiled": True}, {"compiled": False}], ids=str
)
def test_nothing_but_the_seed_matters(table, options):
    assert simulate(RECIPES, TwoRidges(), **SMALL, metrics=ALL, **options).table.equals(table)


def test_adding_a_policy_or_rounds_changes_no_other_row(table):
    alone = simulate({"cz": RECIPES["cz"]}, TwoRidges(), **SMALL, metrics=ALL).table
    assert table.filter(pl.col("policy") == "cz").equals(alone)
    random = {"random": RandomChoice()}
    short = simulate(random, TwoRidges(), **SMALL | {"rounds": 300, "record": 3}, metrics=ALL).table
    assert table.filter((pl.col("policy") == "random") & (pl.col("round") <= 300)).equals(short)


def test_a_run_in_a_folder_is_extended(table, tmp_path):
    options = {**SMALL, "metrics": ALL}
    simulate(RECIPES, TwoRidges(), **options | {"trials": 1}, out=tmp_path)
    assert simulate(RECIPES, TwoRidges(), **options, out=tmp_path).table.equals(table)


def test_a_run_that_was_stopped_is_resumed(table, tmp_path):
    def stop(done, rounds):
        if done > 0.5 * rounds:
            raise KeyboardInterrupt

    options = {**SMALL, "metrics": ALL, "workers": 1, "out": tmp_path}
    with pytest.raises(KeyboardInterrupt):
        simulate(RECIPES, TwoRidges(), **options, progress=stop)
    assert list((tmp_path / "parts").glob("trial-*.parquet"))
    assert simulate(RECIPES, TwoRidges(), **options).table.equals(table)


def test_the_doubling_trick_binds_anew():
    doubled = Doubling(Pcz(scale=0.12), first=100)
    environment = Continuum(Copies(2))
    table = simulate(
        {"doubled": doubled, "known": Pcz(scale=0.12)},
        environment,
        rounds=100,
        trials=2,
        metrics=["reward"],
        record=5,
    ).table
    values = {
        row: table.filter(pl.col("policy") == row)["value"].to_list()
        for row in ("doubled", "known")
    }
    assert values["doubled"] != values["known"]  # another name, another stream
    longer = simulate(doubled, environment, rounds=1000, trials=1, metrics=["reward"])
    assert longer.summary()["mean"][0] > 500


def test_the_loop_compiles_once_per_policy_and_surface():
    problem = TwoRidges().problem(600, np.random.default_rng(0))
    policy, rng = Pcz(scale=0.12).bind(problem.shape), np.random.default_rng(0)
    loop, state = compile_loop(play_surface, policy, problem.surface), policy.init()
    for first in (0, 300):
        contexts, uniforms = (np.ascontiguousarray(a) for a in problem.block(first, 300, rng))
        state = loop(policy, state, problem.surface, contexts, uniforms, rng, np.empty((300, 1)))
    assert len(loop.dispatcher.signatures) == 1
    assert (
        compile_loop(
            play_surface, Pcz(scale=0.5).bind(problem.shape), TwoRidges(2.0).problem(9, rng).surface
        )
        is loop
    )
    assert compile_loop(play_surface, policy, Copies(2)) is not loop


def digest():
    """Everything that three recipes do in two blocks, as text."""
    out = hashlib.sha256()
    for recipe in RECIPES.values():
        problem = TwoRidges().problem(700, np.random.default_rng(0))
        policy, rng = recipe.bind(problem.shape), np.random.default_rng(1)
        state, loop = policy.init(), compile_loop(play_surface, policy, problem.surface)
        for first in (0, 350):
            contexts, uniforms = (
                np.ascontiguousarray(a)
                for a in problem.block(first, 350, np.random.default_rng(first))
            )
            chosen = np.empty((350, 1))
            state = loop(policy, state, problem.surface, contexts, uniforms, rng, chosen)
            out.update(chosen.tobytes())
        for array in state:
            out.update(np.ascontiguousarray(array).tobytes())
    return out.hexdigest()


def test_interpreted_equals_compiled():
    code = "import test_surface_trial; print(test_surface_trial.digest())"
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert child.stdout.strip() == digest()


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (MolUcb(), "policy 'row': MolUcb needs finitely many arms"),
        (
            PreferenceSweep(MolUcb(), {"pareto": Pareto()}),
            "policy 'row': PreferenceSweep needs finitely many arms",
        ),
        (Doubling(MolUcb()), "policy 'row': Doubling needs finitely many arms"),
        (ContextualZooming(objective=2), "policy 'row': ContextualZooming.objective must be below"),
    ],
    ids=str,
)
def test_recipes_that_do_not_fit_are_refused_by_name(recipe, message):
    with pytest.raises(ValueError, match=message):
        simulate({"row": recipe}, TwoRidges(), rounds=10, trials=1)


@pytest.mark.parametrize(
    "metric", ["plays", "front_plays", "objective_regret", "hypervolume", Jaccard()], ids=str
)
def test_metrics_that_need_finitely_many_arms_are_refused_by_name(metric):
    name = metric if isinstance(metric, str) else metric.name
    with pytest.raises(ValueError, match=f"metric {name} needs finitely many arms"):
        simulate(RandomChoice(), TwoRidges(), rounds=10, trials=1, metrics=[metric])


def test_other_refusals():
    with pytest.raises(
        ValueError, match=r"metric effective_pareto_regret is not known in closed form in Continuum"
    ):
        simulate(RandomChoice(), Continuum(Copies(2)), rounds=10, trials=1)
    with pytest.raises(ValueError, match=r"PlainCopies is not a @compiled class"):
        simulate(
            RandomChoice(),
            Continuum(PlainCopies(), 1),
            rounds=10,
            trials=1,
            metrics=["reward"],
            compiled=True,
        )
    with pytest.raises(
        ValueError, match=r"BinRatio.bins must be above every bin of the surface, .*, got 1"
    ):
        simulate(RandomChoice(), TwoRidges(), rounds=500, trials=1, metrics=[BinRatio(bins=1)])
    with pytest.raises(ValueError, match=r"BinRatio needs a continuum"):
        simulate(RandomChoice(), Linear(), rounds=10, metrics=["bin_ratio"])
    with pytest.raises(
        ValueError, match=r"Pcz needs contexts in \[0, 1\].*Pcz\(check=False\) plays on, got"
    ):
        simulate(Pcz(), Continuum(Copies(2), reach=3.0), rounds=10, trials=1, metrics=["reward"])
    simulate(
        Pcz(check=False), Continuum(Copies(2), reach=3.0), rounds=300, trials=1, metrics=["reward"]
    )


@pytest.mark.parametrize(("rounds", "several"), [(1, 1), (256, 1), (257, 1), (20_000, 3)])
def test_stretches_are_the_same_rounds(rounds, several):
    problem = Continuum(Copies(2)).problem(rounds, np.random.default_rng(0))
    pieces, wholes = (
        list(cut(problem, rounds, None, np.random.default_rng(1)))
        for cut in (surface_blocks, merged_surface_blocks)
    )
    assert (len(pieces), len(wholes)) == (-(-rounds // 256), several)
    for piece, whole in zip(zip(*pieces, strict=True), zip(*wholes, strict=True), strict=True):
        np.testing.assert_array_equal(np.concatenate(piece), np.concatenate(whole))


def test_blocks_of_another_width_are_played_by_themselves(monkeypatch):
    widths = iter([2, 2, 3, 3, 2])
    monkeypatch.setattr(
        "twins.surfaces.ContinuumProblem.block",
        lambda self, first, rounds, rng: SurfaceBlock(
            np.zeros((256, 1)), np.zeros((256, next(widths)))
        ),
    )
    problem = Continuum(Copies(2)).problem(1280, np.random.default_rng(0))
    cut = merged_surface_blocks(problem, 1280, None, np.random.default_rng(1))
    assert [block.uniforms.shape for block in cut] == [(512, 2), (512, 3), (256, 2)]


def test_blocks_of_a_wrong_shape_are_refused(monkeypatch):
    block = SurfaceBlock(np.zeros((4, 2)), np.zeros((4, 1)))
    monkeypatch.setattr("twins.surfaces.ContinuumProblem.block", lambda *args: block)
    with pytest.raises(
        ValueError, match=r"SurfaceBlock.contexts must have shape .* = \(256, 1\), got \(4, 2\)"
    ):
        simulate(RandomChoice(), Continuum(Copies(2)), rounds=300, trials=1, metrics=["reward"])
