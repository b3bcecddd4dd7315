"""Text features: norms, seeds, and that only the fitted texts shape the map."""

import sys

import numpy as np
import pytest

from mobandits.environments.text_features import text_features
from mobandits.errors import MissingExtraError

WORDS = ["route", "prompt", "model", "price", "answer", "count", "proof", "river", "night", "seven"]


@pytest.fixture
def texts():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, 8)) for _ in range(60)]


def test_rows_have_norm_one(texts):
    rows = text_features(texts[:40], texts, 6)
    assert rows.shape == (60, 6)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)


def test_same_bits_every_time_and_with_any_number_of_threads(texts):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    expected = text_features(texts[:40], texts, 6)
    for threads in (1, 2):
        with threadpoolctl.threadpool_limits(threads):
            assert np.array_equal(text_features(texts[:40], texts, 6), expected)


def test_each_text_is_described_by_itself(texts):
    together = text_features(texts[:40], texts, 6)
    alone = text_features(texts[:40], [texts[50]], 6)
    assert np.array_equal(together[50], alone[0])


def test_only_the_fitted_texts_shape_the_map(texts):
    changed = [*texts[:40], *(text.upper() + " entirely different words" for text in texts[40:])]
    before, after = text_features(texts[:40], texts, 6), text_features(texts[:40], changed, 6)
    assert np.array_equal(before[:40], after[:40])
    assert not np.array_equal(before[40:], after[40:])
    assert not np.array_equal(before[:40], text_features(changed, changed, 6)[:40])


def test_a_text_without_words_is_described_too(texts):
    assert np.all(np.isfinite(text_features(texts, ["", "?!"], 3)))


@pytest.mark.parametrize("module", ["sklearn.decomposition", "threadpoolctl"])
def test_missing_extra(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(
        MissingExtraError, match=r"^text_features needs the extra `data`: pip install "
    ):
        text_features(["a b", "c d"], ["a b"], 1)
