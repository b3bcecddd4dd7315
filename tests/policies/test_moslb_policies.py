"""MOSLB-PL, MOSLB-PC and P-UCB of moslb2024 against their rules, recomputed from the whole history in every round."""

import math

import numpy as np
import pytest
from playing import OWN, D, L, T, estimates, pareto, played, regressions

from mobandits.policies import MoslbParetoUcb, MoslbPc, MoslbPl

ALPHA, DELTA, PENALTY, NOISE = 0.05, 0.1, 0.5, 0.2


def intervals(run, t):
    """Estimates (arms, objectives) and w_t (arms, 1), unscaled by alpha."""
    mean, width = estimates(regressions(*run.before(t), PENALTY, shared=False), run.rows(t))
    gamma = NOISE * math.sqrt(D * math.log(L * (2 + t) / DELTA)) + 1
    return mean, gamma * width


def stages(run, epsilon):
    """Every seventh round's front and intervals, by stage: the explored arms first."""
    explored, settled = [], []
    for t in range(0, T, 3):
        mean, width = intervals(run, t)
        if (width > epsilon).any():
            explored.append((run.fronts[t], width[:, 0] > epsilon))
        else:
            settled.append((run.fronts[t], mean, ALPHA * width))
    return explored, settled


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [0.5, None])
def test_moslb_pl_explores_wide_arms_then_plays_nested_fronts(epsilon):
    run = played(MoslbPl(((1,), (0, 2)), epsilon, ALPHA, DELTA, PENALTY, NOISE))
    explored, settled = stages(run, epsilon or 5 * D ** (2 / 3) * T ** (-1 / 3))
    assert len(explored) >= 1
    assert len(settled) > 20
    for front, wide in explored:
        assert front.tolist() == wide.tolist()
    for front, mean, half in settled:
        upper = mean + half
        first = pareto(upper[:, [1]])
        assert front.tolist() == pareto(upper[:, [0, 2]], first).tolist()


def linked(low, high, among):
    """Arms of `among` joined to the one with the largest upper bound, by repeatedly adding whoever overlaps."""
    inside = among & (high == high[among].max())
    while True:
        meets = (high[:, None] >= low) & (low[:, None] <= high)
        grown = among & (meets & inside).any(1)
        if (grown == inside).all():
            return inside
        inside = grown


def test_moslb_pc_explores_wide_arms_then_plays_what_chains_cannot_tell_apart():
    run = played(MoslbPc(((0, 1), (2,)), 0.5, ALPHA, DELTA, PENALTY, NOISE))
    explored, settled = stages(run, 0.5)
    sizes = set()
    for front, wide in explored:
        assert front.tolist() == wide.tolist()
    for front, mean, half in settled:
        union = np.zeros(len(front), bool)
        for chain in ((0, 1), (2,)):
            kept = np.ones(len(front), bool)
            for i in chain:
                kept = linked((mean - half)[:, i], (mean + half)[:, i], kept)
            union |= kept
        assert front.tolist() == union.tolist()
        sizes.add(union.sum())
    assert len(sizes) > 1


@pytest.mark.parametrize("on", [None, (0, 2)])
def test_pareto_ucb_plays_the_front_of_some_objectives(on):
    run = played(MoslbParetoUcb(on, ALPHA, DELTA, PENALTY, NOISE))
    for t in range(0, T, 7):
        mean, width = intervals(run, t)
        assert run.fronts[t].tolist() == pareto((mean + ALPHA * width)[:, on or range(L)]).tolist()


def test_a_shared_context_widens_the_union_bound():
    own, shared = (
        MoslbPl().bind(OWN._replace(shared=shared)).explorer.radius.models
        for shared in (False, True)
    )
    assert (own, shared) == (L, L * OWN.arms)
