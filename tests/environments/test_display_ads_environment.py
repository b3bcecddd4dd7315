"""Display advertising: the replayed log, its preparation, and the stand-in."""

import re
from pathlib import Path

import numpy as np
import pytest

from mobandits.contracts.protocols import Block
from mobandits.datasets import display_ads
from mobandits.environments import DisplayAds
from mobandits.environments.principal import principal

SAMPLE = str(Path(__file__).parent.parent / "data" / "r6a_sample.gz")


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_log_is_replayed_in_its_order():
    log, environment = display_ads(SAMPLE), DisplayAds(SAMPLE)
    assert (environment.max_rounds, environment.skipped, environment.synthetic) == (393, 7, False)
    block = environment.problem(393, rng()).block(100, 50, rng())
    clicks = log.clicks[100:150]
    np.testing.assert_array_equal(block.rewards[:, 0], np.stack([clicks, 0 * clicks], axis=1))
    np.testing.assert_array_equal(
        block.rewards[:, 1], np.stack([0 * clicks, 1 + 0 * clicks], axis=1)
    )
    np.testing.assert_array_equal(block.means, block.rewards)


def test_contexts_are_principal_components():
    """Against an eigendecomposition: same plane, largest loading positive, [0, 1]."""
    log = display_ads(SAMPLE)
    contexts = DisplayAds(SAMPLE).problem(393, rng()).block(0, 393, rng()).contexts[:, 0]
    for columns, points, rows in (
        (slice(0, 2), log.users, log.users),
        (slice(2, 4), log.articles, log.articles[log.shown]),
    ):
        _, vectors = np.linalg.eigh(np.cov(points.T))
        first = vectors[:, ::-1][:, :2]
        first = first * np.sign(first[np.abs(first).argmax(0), [0, 1]])
        scores = (rows - points.mean(0)) @ first
        np.testing.assert_allclose(
            contexts[:, columns], (scores - scores.min(0)) / np.ptp(scores, axis=0), atol=1e-9
        )
    assert contexts.min() == 0
    assert contexts.max() == 1


def test_a_constant_component_is_zero():
    points = np.array([[0.0, 1.0], [1.0, 1.0]])
    assert principal(points, points).of(points).tolist() == [[0, 0], [1, 0]]


def test_the_stand_in_has_the_rate_of_the_log_and_says_that_it_is_synthetic():
    environment = DisplayAds()
    assert "synthetic" in repr(environment)
    assert environment.synthetic
    assert environment.max_rounds is None
    problem, stream = environment.problem(10**6, rng(3)), rng(4)
    blocks = [problem.block(0, 5000, stream) for _ in range(8)]
    whole = Block(*(np.concatenate([block[k] for block in blocks]) for k in range(3)))
    assert whole.means[:, 0, 0].mean() == pytest.approx(0.0407, abs=0.001)
    assert whole.rewards[:, 0, 0].mean() == pytest.approx(0.0407, abs=0.004)
    assert set(np.unique(whole.rewards)) == {0.0, 1.0}
    assert (whole.means[:, 1] == [0, 1]).all()
    assert whole.contexts.min() >= 0
    assert whole.contexts.max() <= 1
    assert np.ptp(whole.contexts[:, 0], axis=0).min() > 0.9
    assert len(np.unique(whole.contexts[:, 0, 2:], axis=0)) == 40
    high = whole.means[:, 0, 0] > np.quantile(whole.means[:, 0, 0], 0.9)
    assert (
        whole.rewards[high, 0, 0].mean() > 2 * whole.rewards[~high, 0, 0].mean()
    )  # contexts matter


def test_refusals(tmp_path):
    with pytest.raises(
        ValueError, match=r"no such file; without a path, DisplayAds\(\) plays a synthetic stand-in"
    ):
        DisplayAds(tmp_path / "absent.gz")
    with pytest.raises(ValueError, match=r"DisplayAds.path must be a path or None, got 3"):
        DisplayAds(3)
    (tmp_path / "other").write_text("hello\n")
    with pytest.raises(ValueError, match="is not a Yahoo! R6A click log"):
        DisplayAds(tmp_path / "other").problem(10, rng())
    with pytest.raises(
        ValueError,
        match=f"^rounds must be at most 393 in {re.escape(repr(DisplayAds(SAMPLE)))}, got 394$",
    ):
        DisplayAds(SAMPLE).problem(394, rng())


def test_paths_compare_by_value():
    assert DisplayAds(Path(SAMPLE)) == DisplayAds(SAMPLE)
    assert repr(DisplayAds(Path(SAMPLE))) == f"DisplayAds(path={SAMPLE!r})"
