"""Inner functions count no references to their arguments: nothing may be freed too early, or never."""

import copy
import pickle
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core import event

from mobandits.compiling import translations
from mobandits.compiling.backend import INTERPRETED, mode
from mobandits.compiling.compiled import Floats, compile_loop, compiled, kernel
from mobandits.numerics import masks

pytestmark = pytest.mark.skipif(
    INTERPRETED, reason="interpreted functions leave counting to Python"
)
optimised_only = pytest.mark.skipif(
    mode() != "optimised", reason="the plain backend finishes every function by itself"
)


@pytest.fixture
def untranslated(monkeypatch):
    """Nothing is at hand that an earlier run has translated."""
    monkeypatch.setattr(translations, "cache_folder", lambda: None)


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@kernel
def itself(x):
    return x


@kernel
def renamed(x):
    y = x
    return y[:]


@kernel
def overwritten(x):
    x = x + 1.0
    return x * 2.0


@kernel
def overwritten_perhaps(x):
    if x[0] > 0.5:
        x = x[::-1].copy()
    return x


@kernel
def overwritten_in_a_loop(x):
    for _ in range(4):
        x = x + x
    return x


@kernel
def one_of(x):
    y = np.ones(len(x))
    for i in range(len(x)):
        y, x = x, y
        if x[i] > 3.0:
            break
    return y


@kernel
def part_of(x):
    return x[2:]


@kernel
def tied(x):
    pair = Pair(x, x * 2.0)
    return Pair(pair.second, pair.first)


@kernel
def through_a_tie(x):
    pair = tied(x)
    return pair.second


@kernel
def in_a_list(x):
    kept = [x, x + 1.0]
    kept.append(x)
    return kept[2]


@kernel
def deeper(x):
    return one_of(renamed(overwritten_perhaps(x)))


KERNELS = [
    *(
        itself,
        renamed,
        overwritten,
        overwritten_perhaps,
        overwritten_in_a_loop,
        one_of,
        part_of,
        through_a_tie,
    ),
    *(in_a_list, deeper),
]


@pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaPendingDeprecationWarning")
@pytest.mark.parametrize("function", KERNELS, ids=lambda f: f.__name__)
def test_arguments_live_as_long_as_they_must_and_no_longer(function, leaks):
    @njit
    def loop(out):
        for t in range(len(out)):  # nobody else keeps the argument alive
            out[t] = function(np.arange(6.0) + t).sum()

    out = np.empty(50)
    loop(out)
    np.testing.assert_array_equal(
        out, [function.function(np.arange(6.0) + t).sum() for t in range(50)]
    )
    assert not leaks(lambda: loop(out))


@compiled
class Part:
    weights: Floats

    def of(self, x):
        return self.again(itself(x) + self.weights)

    def again(self, x):
        return x

    def own(self):
        return self.weights


def methods(part, out):
    for t in range(len(out)):
        out[t] = part.of(np.arange(6.0) + t).sum() + part.own()[t % 6]


def test_methods_too(leaks):
    part, out, expected = Part(np.arange(6.0) / 4.0), np.empty(50), np.empty(50)
    loop = compile_loop(methods, part)
    loop(part, out)
    methods(part, expected)
    np.testing.assert_array_equal(out, expected)
    assert not leaks(lambda: loop(part, out))


@kernel
def refuses(x):
    y = x + 1.0
    if y[0] > 3.0:
        raise ValueError("too much", y[0])
    return y


def risky(x):
    return refuses(x).sum() + refuses(x * 2.0).sum()


def test_an_error_reaches_python_with_its_numbers():
    loop = compile_loop(risky)
    assert loop(np.zeros(3)) == 6.0
    with pytest.raises(ValueError, match=r"too much.*3\.5"):
        loop(np.full(3, 1.25))


@kernel
def told(x):
    print("sum", x.sum())
    return x


def telling(x):
    return told(x)


def test_compiled_code_can_print(capfd):
    compile_loop(telling)(np.ones(3))
    assert capfd.readouterr().out == "sum 3.0\n"


def test_a_kernel_is_a_function_in_python():
    np.testing.assert_array_equal(overwritten(np.ones(2)), [4.0, 4.0])
    assert overwritten.__name__ == "overwritten"
    assert masks.pick.__doc__


@kernel
def raised(x, by=2.0, then=1.0):
    return x**by + then


def test_a_kernel_knows_its_defaults():
    assert [raised(3.0), raised(3.0, 3.0), raised(3.0, 3.0, 0.5)] == [10.0, 28.0, 27.5]
    with pytest.raises(TypeError, match="argument"):
        raised()


def test_kernels_made_by_a_function_differ_in_what_they_close_over():
    assert [outer_kernel(scale)(2.0) for scale in (3.0, 5.0)] == [6.0, 10.0]


@kernel
def of_a_part(part, x):
    return part.of(x).sum()


def test_a_kernel_takes_parts(leaks):
    parts = Part(np.ones(2)), Part(np.full(2, 3.0))
    assert [of_a_part(part, np.ones(2)) for part in parts] == [
        part.of(np.ones(2)).sum() for part in parts
    ]
    assert not leaks(lambda: of_a_part(parts[0], np.ones(2)))


def test_a_kernel_is_sent_by_its_name():
    assert pickle.loads(pickle.dumps(masks.pick)) is masks.pick
    assert copy.deepcopy(overwritten) is overwritten


@kernel
def power(x, exponent):
    return x**exponent


@compiled
class Powers:
    largest: int

    def sum(self, x, first):
        total = 0.0
        for exponent in range(first, self.largest + 1):
            total += power(x, exponent)
        return total + power(x, 0)


def powers(part, x, first):
    return part.sum(x, first) + part.sum(x, 2) + part.sum(x, first=1)


@optimised_only
def test_integers_written_out_in_a_call_compile_nothing_anew(untranslated):
    part = Powers(3)
    loop = njit(powers)  # in no cache
    assert loop(part, 2.0, 0) == powers(part, 2.0, 0)
    assert loop(part, 2.0, 3) == powers(part, 2.0, 3)
    assert len(power.inside.overloads) == 1


@kernel
def of_numpy(x, rng):
    y = np.zeros(len(x)) + np.ones_like(x) * np.maximum(x, 0.5)
    y[np.argsort(x)] += np.arange(len(x)) * rng.standard_normal(len(x))
    for value in np.abs(y[:2]):
        y[-1] += max(value, rng.random())
    return np.where(y > 0.0, y, np.cumsum(y))


def through_numpy(x, rng):
    return of_numpy(x, rng).sum() + of_numpy(x * 2.0, rng)[0]


def test_numpys_functions_lose_no_memory(leaks):
    x = np.random.default_rng(0).normal(size=6)
    loop = compile_loop(through_numpy)
    assert loop(x, np.random.default_rng(1)) == pytest.approx(
        through_numpy(x, np.random.default_rng(1)), rel=1e-14
    )
    assert not leaks(lambda: loop(x, np.random.default_rng(1)))


def of_a_rare_one(x):
    return rare(x) + 1.0


@kernel
def rare(x):
    return np.nanprod(x)


@optimised_only
def test_numpys_functions_are_inner_ones(untranslated):
    with event.install_recorder("numba:compile") as recorder:
        assert njit(of_a_rare_one)(np.array([2.0, np.nan, 3.0])) == 7.0  # in no cache
    compiled = {happened.data["dispatcher"] for _, happened in recorder.buffer}
    numbas = [
        dispatcher for dispatcher in compiled if dispatcher.py_func.__module__.startswith("numba.")
    ]
    assert numbas
    assert {dispatcher._compiler.pipeline_class for dispatcher in numbas} == {
        rare.inside._compiler.pipeline_class
    }


def test_numpys_functions_stay_what_they_are_for_others(leaks):
    x = np.random.default_rng(0).normal(size=6)
    rngs = [np.random.default_rng(1) for _ in range(3)]
    ours, others = compile_loop(through_numpy), njit(of_numpy.function)
    assert ours(x, rngs[0]) == others(x, rngs[1]).sum() + others(x * 2.0, rngs[1])[0]
    assert others(x, rngs[2]) == pytest.approx(
        of_numpy.function(x, np.random.default_rng(1)), rel=1e-14
    )
    assert not leaks(lambda: others(x, rngs[2]))


def outer_kernel(scale):
    @kernel
    def scaled(x):
        return x * scale

    return scaled


def test_a_kernel_that_has_no_name_is_sent_by_value():
    cloudpickle = pytest.importorskip("cloudpickle")
    again = pickle.loads(cloudpickle.dumps(outer_kernel(3.0)))
    np.testing.assert_array_equal(again(np.ones(2)), [3.0, 3.0])
