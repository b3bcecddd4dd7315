"""LLM routing as an environment: every trial is a permutation of the data, and nothing else."""

import functools
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import numpy as np
import pytest

from mobandits import datasets
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST, PROMPTS, scaled_cost
from mobandits.errors import MissingExtraError


def installed():
    try:
        return version("paretobandit") and find_spec("sklearn") is not None
    except PackageNotFoundError:
        return False


needs_data = pytest.mark.skipif(not installed(), reason="the extra `data` is not installed")


@pytest.fixture(scope="module")
def problem():
    return LlmRouting().problem(PROMPTS, np.random.default_rng(0))


@pytest.fixture(scope="module")
def table():
    return datasets.llm_routing()


def column(table, name):
    return np.stack([table[f"{name}_{model}"].to_numpy() for model in LlmRouting.models], axis=1)


def no_randomness():
    return np.random.default_rng(99)


@pytest.mark.long
@needs_data
def test_shape(problem):
    assert problem.shape == (3, 33, 2, 3609, True, None)
    block = problem.block(10, 7, no_randomness())
    assert block.contexts.shape == (7, 1, 33)
    assert block.means.shape == block.rewards.shape == (7, 3, 2)
    assert block.decimals is None
    assert all(array.flags.c_contiguous and array.flags.writeable for array in block[:3])


@needs_data
def test_a_trial_is_a_random_order_of_all_prompts(problem):
    assert np.array_equal(np.sort(problem.order), np.arange(3609))
    again, other = (LlmRouting().problem(100, np.random.default_rng(seed)) for seed in (0, 1))
    assert np.array_equal(problem.order, again.order)  # the horizon only cuts it short
    assert not np.array_equal(problem.order, other.order)


@needs_data
def test_a_block_is_the_recorded_table(problem, table):
    block, dollars = (
        problem.block(0, PROMPTS, no_randomness()),
        problem.quantities(0, PROMPTS)["dollars"],
    )
    assert np.array_equal(block.rewards[:, :, 0], column(table, "quality")[problem.order])
    assert np.array_equal(dollars, column(table, "cost")[problem.order])
    assert np.array_equal(dollars, LlmRouting().costs[problem.order])
    assert np.array_equal(block.means, block.rewards)
    assert np.array_equal(
        block.rewards[:, :, 1], scaled_cost(column(table, "cost"), FIRST)[problem.order]
    )


@needs_data
def test_block_borders_do_not_matter(problem):
    rng = no_randomness()
    whole, parts = problem.block(5, 10, rng), [problem.block(5, 4, rng), problem.block(9, 6, rng)]
    for i in range(3):
        assert np.array_equal(whole[i], np.concatenate([part[i] for part in parts]))
    assert rng.random() == no_randomness().random()  # nothing was drawn


@needs_data
def test_objectives_lie_in_the_unit_interval(problem):
    rewards = problem.rewards
    assert rewards.min() >= 0.0
    assert rewards.max() <= 1.0
    first = rewards[:FIRST, :, 1]
    assert (first.min(), first.max()) == (0.0, 1.0)  # the scale spans the first file


@needs_data
def test_one_answer_of_the_second_file_is_clipped(problem):
    first, second = problem.dollars[:FIRST], problem.dollars[FIRST:]
    assert (
        np.argwhere((second < first.min()) | (second > first.max())).tolist()
        == np.argwhere(second == 3.8e-6).tolist()
    )
    assert problem.rewards[FIRST:, :, 1][second == 3.8e-6].tolist() == [1.0]


@needs_data
def test_cheaper_is_better_on_a_logarithmic_scale(problem):
    logs, saved = np.log10(problem.dollars), problem.rewards[:, :, 1]
    low, high = np.log10(3.9e-6), np.log10(0.16010125)
    assert np.allclose(saved, 1 - (np.maximum(logs, low) - low) / (high - low), atol=1e-12)
    assert np.all(saved[:, 0] > saved[:, 1])
    assert np.all(saved[:, 0] > saved[:, 2])


def test_the_scale_is_fitted_on_the_first_rows_only():
    dollars = np.array([[1.0, 10.0], [100.0, 1.0], [1000.0, 0.1]])
    assert scaled_cost(dollars, 2).tolist() == [[1.0, 0.5], [0.0, 1.0], [0.0, 1.0]]
    assert scaled_cost(dollars, 3)[0, 0] == 0.75


@needs_data
def test_contexts_are_unit_rows_with_a_constant(problem):
    rows = problem.contexts[:, 0]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert np.all(rows[:, -1] == 1.0 / np.sqrt(2.0))
    assert len(np.unique(rows.round(9), axis=0)) > 3600


@needs_data
def test_features_are_fitted_on_the_first_file_only(monkeypatch, table):
    seen, module = [], sys.modules[LlmRouting.__module__]

    def spy(fitted_on, texts, count):
        seen.append((fitted_on, texts))
        return np.zeros((len(texts), count))

    monkeypatch.setattr(module, "text_features", spy)
    monkeypatch.setattr(
        module, "_contexts", module._contexts.__wrapped__
    )  # neither asks the cache nor fills it
    LlmRouting(text_features=3).problem(1, np.random.default_rng(0))
    (fitted_on, texts), prompts = seen[0], table.filter(split="val")["prompt"].to_list()
    assert fitted_on == prompts
    assert texts == table["prompt"].to_list()


@needs_data
def test_context_tells_something_about_unseen_prompts(problem):
    x, y = problem.contexts[:, 0], problem.rewards.reshape(PROMPTS, 6)
    fit = np.linalg.lstsq(x[:FIRST], y[:FIRST])[0]
    error = ((y[FIRST:] - x[FIRST:] @ fit) ** 2).mean(axis=0)
    explained = 1.0 - error / ((y[FIRST:] - y[:FIRST].mean(axis=0)) ** 2).mean(axis=0)
    assert np.all(explained > 0.05)


@needs_data
def test_no_features_is_the_constant_alone():
    problem = LlmRouting(text_features=0).problem(5, np.random.default_rng(0))
    assert problem.shape.features == 1
    assert np.array_equal(problem.block(0, 5, no_randomness()).contexts, np.ones((5, 1, 1)))


@needs_data
def test_features_are_computed_once_and_shared_read_only(problem):
    again = LlmRouting().problem(10, np.random.default_rng(5))
    assert again.contexts is problem.contexts
    for shared in (problem.contexts, problem.rewards, problem.dollars, LlmRouting().costs):
        assert not shared.flags.writeable


@pytest.mark.long
@needs_data
def test_features_do_not_depend_on_the_number_of_threads(problem):
    threadpoolctl = pytest.importorskip("threadpoolctl")
    compute = sys.modules[LlmRouting.__module__]._contexts.__wrapped__
    for threads in (1, 2):
        with threadpoolctl.threadpool_limits(threads):
            assert np.array_equal(compute(32), problem.contexts)


@needs_data
def test_threads_that_start_together_share_one_fit(monkeypatch):
    calls, module = [], sys.modules[LlmRouting.__module__]

    def slow(_, texts, count):
        calls.append(count)
        time.sleep(0.02)
        return np.zeros((len(texts), count))

    monkeypatch.setattr(module, "text_features", slow)
    monkeypatch.setattr(module, "_contexts", functools.cache(module._contexts.__wrapped__))
    with ThreadPoolExecutor(4) as pool:
        problems = list(
            pool.map(lambda seed: LlmRouting(4).problem(9, np.random.default_rng(seed)), range(4))
        )
    assert calls == [4]
    assert all(problem.contexts is problems[0].contexts for problem in problems)


@needs_data
def test_rounds_past_the_data_are_refused(problem):
    with pytest.raises(ValueError, match=r"rounds must be at most 3609 in LlmRouting.*, got 3610"):
        LlmRouting().problem(3610, np.random.default_rng(0))
    for first, rounds in [(3600, 10), (-1, 5)]:
        with pytest.raises(ValueError, match="must lie within the 3609 prompts"):
            problem.block(first, rounds, no_randomness())
    assert len(problem.block(3600, 9, no_randomness()).rewards) == 9


def test_what_is_known_without_the_data():
    assert LlmRouting.max_rounds == 3609
    assert LlmRouting.models == ("llama-3.1-8b-instruct", "mistral-large-2512", "gemini-2.5-pro")
    assert repr(LlmRouting()) == "LlmRouting(text_features=32)"


@pytest.mark.parametrize("wrong", [-1, 2.5, 1001, True])
def test_refusals(wrong):
    with pytest.raises(ValueError, match=f"^LlmRouting.text_features must be .*, got {wrong}$"):
        LlmRouting(text_features=wrong)


@needs_data
def test_missing_scikit_learn(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.decomposition", None)
    with pytest.raises(MissingExtraError, match="pip install"):
        LlmRouting(text_features=7).problem(1, np.random.default_rng(0))
    LlmRouting(text_features=0).problem(1, np.random.default_rng(0))  # needs only the table
