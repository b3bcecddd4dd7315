"""MOC-MAB and its baselines against dictionaries of cells, their borders and their clock."""

import numpy as np
import pytest
from twins.replay import pareto_front, replay, uniform_rewards, watched

from mobandits.contracts.protocols import Shape
from mobandits.policies import CdUcb1, CpUcb1, CsUcb1, MocMab
from mobandits.policies.cells.moc_mab import cell_confidence_constant

K, T = 4, 600
TWO = Shape(arms=K, features=2, objectives=2, rounds=T, shared=True)
FOUR = TWO._replace(objectives=4)


class Cell:
    """Counts and means of one cell."""

    def __init__(self, objectives):
        self.n, self.total = np.zeros(K), np.zeros((K, objectives))

    @property
    def mean(self):
        return self.total / np.maximum(self.n, 1)[:, None]

    def width(self, numerator):
        with np.errstate(divide="ignore"):
            return np.sqrt(numerator / self.n)


class Twin:
    """A rule per cell; `m` cells per side; with a period, time is a coordinate."""

    def __init__(self, shape, m, rule, period=None):
        self.shape, self.m, self.rule, self.period = shape, m, rule, period
        self.cells, self.t = {}, 0

    def cell(self, x):
        point = [*x, self.t % self.period / self.period] if self.period else x
        key = tuple(min(int(np.floor(v * self.m)), self.m - 1) for v in point)
        return self.cells.setdefault(key, Cell(self.shape.objectives))

    def front(self, context):
        return self.rule(self.cell(context[0]))

    def learn(self, x, arm, reward):
        cell = self.cell(x)
        cell.n[arm] += 1
        cell.total[arm] += reward
        self.t += 1


def moc(shape, m, d, scale=1.0, lipschitz=1.0, alpha=1.0, beta=1.0):
    """Algorithm 1, and its extension to more objectives."""
    v = lipschitz * d ** (alpha / 2) * m**-alpha
    a = 1 + 2 * np.log(2 * shape.objectives * K * m**d * shape.rounds**1.5)

    def rule(cell):
        u = scale * cell.width(2 * a)
        if not cell.n.all():
            return cell.n == 0
        g, among = cell.mean + u[:, None], np.ones(K, bool)
        for i in range(shape.objectives - 1):
            first = max(np.flatnonzero(among), key=lambda b: g[b, i])
            if u[first] > beta * v:
                return np.arange(K) == first
            among &= g[:, i] >= cell.mean[first, i] - u[first] - 2 * v
        last = np.where(among, g[:, -1], -np.inf)
        return last == last.max()

    return rule


@pytest.mark.long
@pytest.mark.parametrize("shape", [TWO, FOUR], ids=["two objectives", "four"])
@pytest.mark.parametrize("scale", [0.01, 0.1])
def test_moc_mab(shape, scale):
    for seed in range(3):
        run = replay(MocMab(scale=scale, per_side=3), shape, T, seed)
        twin = Twin(shape, 3, moc(shape, 3, 2, scale))
        watched(run, twin)
        assert len(twin.cells) > 3


def test_moc_mab_with_every_parameter():
    recipe = MocMab(scale=0.05, lipschitz=0.5, alpha=0.5, beta=0.3, per_side=2)
    watched(replay(recipe, TWO, T, 5), Twin(TWO, 2, moc(TWO, 2, 2, 0.05, 0.5, 0.5, 0.3)))


def test_every_stage_of_the_rule_is_met():
    """Plays of the leader, and plays that the second objective decided."""
    run = replay(MocMab(scale=0.05, per_side=2), TWO, T, 0)
    leader = moc(TWO, 2, 2, 0.05, beta=0.0)  # always the leader
    twin, led = Twin(TWO, 2, leader), 0
    for t, arm in enumerate(run.chosen):
        led += twin.front(run.contexts[t])[arm]
        twin.learn(run.contexts[t, 0], arm, run.rewards[t, arm])
    assert 20 < led < T - 20


def test_periods():
    shape = TWO._replace(features=1)
    recipe = MocMab(scale=0.05, period=10, per_side=2)
    run = replay(recipe, shape, T, 1)
    watched(run, Twin(shape, 2, moc(shape, 2, 2, 0.05), period=10))
    assert run.state.clock[0] == T


def test_partition_of_the_papers():
    shape = TWO._replace(rounds=100_000)
    policy = MocMab().bind(shape)
    assert policy.cells.per_side == 10
    assert policy.policy.order.margin == pytest.approx(2 * 0.1414, abs=1e-4)
    assert cell_confidence_constant(policy.cells, 2, 100_000) == pytest.approx(
        1 + 2 * np.log(4 * 4 * 100 * 1e5**1.5)
    )
    assert MocMab().bind(shape._replace(rounds=10**6, arms=8)).policy.order.doubt == pytest.approx(
        0.0884, abs=1e-4
    )
    yahoo = MocMab(beta=0.1).bind(Shape(2, 4, 2, 4_681_992, shared=True))
    assert yahoo.cells.size() == 2 * 6561
    assert yahoo.policy.order.doubt == pytest.approx(0.02222, abs=1e-5)
    assert MocMab(aim="pareto").bind(shape).cells.per_side == int(np.ceil(1e5**0.25))
    assert MocMab(period=24).bind(shape).policy.cells.per_side == int(np.ceil(1e5 ** (1 / 6)))


def cp(cell):
    if not cell.n.all():
        return cell.n == 0
    return pareto_front(
        cell.mean + 0.3 * cell.width(2 * np.log(cell.n.sum() * (2 * K) ** 0.25))[:, None]
    )


def cd(cell):
    if not cell.n.all():
        return cell.n == 0
    index = cell.mean[:, 0] + 0.3 * cell.width(2 * np.log(cell.n.sum()))
    return index == index.max()


@pytest.mark.long
@pytest.mark.parametrize(("recipe", "rule"), [(CpUcb1, cp), (CdUcb1, cd)])
def test_composite_baselines(recipe, rule):
    watched(replay(recipe(scale=0.3, per_side=2), TWO, T, 2), Twin(TWO, 2, rule))


def test_cs_ucb1_with_one_function():
    def rule(cell):
        if not cell.n.all():
            return cell.n == 0
        index = cell.mean @ [0.3, 0.7] + 0.3 * cell.width(2 * np.log(cell.n.sum()))
        return index == index.max()

    watched(
        replay(CsUcb1(scale=0.3, per_side=2, weights=[[0.3, 0.7]]), TWO, T, 3), Twin(TWO, 2, rule)
    )


def test_cs_ucb1_has_an_instance_per_function_and_cell():
    run = replay(CsUcb1(per_side=2), TWO, T, 4)
    cells = (run.contexts[:, 0] * 2).astype(int) @ [2, 1]
    seen = run.state.seen[:, :, 0].reshape(3, 4, K)
    for cell in range(4):
        counts = np.bincount(run.chosen[cells == cell], minlength=K)
        np.testing.assert_array_equal(seen[:, cell].sum(0), counts)
    assert (seen.sum((1, 2)) > T / 3 - 80).all()


@pytest.mark.parametrize("recipe", [MocMab, CsUcb1])
def test_borders(recipe):
    """On a border the reward is learned on either side; elsewhere, and with "floor", nothing is drawn."""
    shape = Shape(arms=K, features=1, objectives=2, rounds=T, shared=True)
    contexts, rewards = uniform_rewards(shape, T, 6)
    contexts[:] = np.array([0.0, 0.25, 0.5, 1.0])[np.arange(T) % 4, None, None]
    for boundary, between in (("floor", [0, 150]), ("random", [75, 75])):
        run = replay(recipe(per_side=4, boundary=boundary), shape, given=(contexts, rewards))
        counts = run.state.seen[..., 0]
        counts = counts.reshape(-1, 4, K).sum((0, 2))
        expected = [150 + between[0], between[1] + between[0], between[1], 150]
        np.testing.assert_allclose(counts, expected, atol=0 if boundary == "floor" else 40)
        assert counts.sum() == T


def test_arms_with_contexts_of_their_own():
    shape = TWO._replace(shared=False)
    run = replay(MocMab(per_side=2, scale=0.1), shape, T, 7)
    cells = (run.contexts[range(T), run.chosen] * 2).astype(int) @ [2, 1]
    counts = np.zeros((4, K))
    np.add.at(counts, (cells, run.chosen), 1)
    np.testing.assert_array_equal(run.state.seen[:, 0].reshape(4, K), counts)


@pytest.mark.parametrize(
    ("recipe", "shape", "message"),
    [
        (MocMab(), TWO._replace(rounds=None), "MocMab must know the number of rounds"),
        (
            CpUcb1(),
            TWO._replace(rounds=None),
            "CpUcb1.per_side must be given where the number of rounds is unknown",
        ),
        (MocMab(), TWO._replace(features=0), "features must be at least 1 for MocMab"),
        (
            CsUcb1(weights=[[1.0]]),
            TWO,
            "CsUcb1.weights must have one column per objective, 2, got 1",
        ),
        (
            CdUcb1(per_side=10_000),
            TWO,
            "Cells.per_side must leave at most 100000000 cells times arms, got 10000",
        ),
        (
            MocMab(boundary="random"),
            TWO._replace(features=63),
            "MocMab.boundary must be 'floor' for more than 62",
        ),
    ],
)
def test_shapes_that_are_refused(recipe, shape, message):
    with pytest.raises(ValueError, match=message):
        recipe.bind(shape)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"alpha": 1.5}, "MocMab.alpha must be at most 1, got 1.5"),
        ({"beta": 0.0}, "MocMab.beta must be above 0"),
        ({"per_side": 0}, "MocMab.per_side must be an integer of at least 1"),
        ({"boundary": "left"}, "MocMab.boundary must be one of floor, random"),
        ({"aim": "paretto"}, "did you mean pareto"),
        ({"period": 2.5}, "MocMab.period must be an integer"),
    ],
)
def test_refused(given, message):
    with pytest.raises(ValueError, match=message):
        MocMab(**given)
