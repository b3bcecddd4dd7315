"""Agents of every recipe: how often arms are played, whether beliefs are drawn, what files keep.

`python every_recipe.py FOLDER FIRST LAST` writes a line of JSON per case from FIRST to before LAST, and
`python every_recipe.py FOLDER` one about preferences. The tests run it interpreted, in processes of their own, where
nothing needs compiling; slow ones call the same functions compiled.
"""

import dataclasses
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import mobandits as mob
from mobandits.agent.file_layout import parsed_file
from mobandits.agent.loading import revived
from mobandits.agent.resize_state import arrays
from mobandits.agent.saving import copied_state, encoded_state
from mobandits.contracts.protocols import Recipe
from mobandits.contracts.states import declares
from mobandits.features import Bins, Columns, Crosses, Fourier, Layers, Leaves
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)
from mobandits.policies import (
    AnnealingPareto,
    Ape,
    CdUcb1,
    Conservative,
    ContextualZooming,
    CpUcb1,
    CsUcb1,
    Diagonal,
    Doubling,
    DriftAlarm,
    Ege,
    Elimination,
    Exp3P,
    Falling,
    Features,
    Forgetting,
    GapWeighted,
    HypervolumeUcb,
    LexElim,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolTs,
    MolUcb,
    MoslbParetoUcb,
    MoslbPc,
    MoslbPl,
    Mtlo,
    Neighbours,
    Ogde,
    Paced,
    ParetoKg,
    ParetoTs,
    ParetoUcb1,
    Pcz,
    Pessimistic,
    PfLex,
    PreferenceUcb,
    PrimalDual,
    RandomChoice,
    Rollout,
    ScalarizedUcb1,
    SingleArm,
    Stlo,
    TopTwoParetoTs,
    Ucb1,
    WidthGuided,
    WithFloor,
    Within,
)

K, D, L, ROUNDS = 5, 2, 3, 400
LESSONS, DRAWS, ASKED, SAMPLES = 50, 400, 5, 80
PLACES = ((0.0,), (0.2,), (0.5,), (0.9,), (1.0,))
GRID = 6  # contexts lie on the borders of cells, where there are coins


@dataclasses.dataclass(frozen=True)
class Case:
    """A recipe in an agent whose arms share contexts, or not."""

    recipe: Recipe
    shared: bool = False
    features: int = D
    costs: tuple[int, ...] = ()  # objectives that are minimised

    def __str__(self):
        return f"{self.recipe}{', shared' * self.shared}"

    def agent(self, **other):
        return mob.Agent(
            self.recipe,
            **{
                "arms": K,
                "features": self.features,
                "objectives": [mob.Objective(l, minimise=l in self.costs) for l in range(L)],
                "rounds": ROUNDS,
                "seed": 3,
                **other,
            },
        )

    def context(self, rng):
        return (
            rng.integers(0, GRID + 1, self.features if self.shared else (K, self.features)) / GRID
        )


LAYERS = Layers([[[1.0, -0.5], [0.25, 1.0]]], [[0.0, 0.125]])
STUMP = Leaves([1, 0, 0], [0.5, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [0])

CASES = [
    Case(MoglbUcb(links=("probit", "logit", "identity"), scale=0.1)),
    Case(MoglbUcb(), shared=True),
    Case(MolTs(scale=0.3)),
    Case(MolTs(draws=1), shared=True),
    Case(MolTs(scale=0.3, selection="weight")),
    Case(MolTs(scale=0.3, links="logit")),
    Case(MolUcb(scale=0.3)),
    Case(MolUcb(order=EffectivePareto()), shared=True),
    Case(MolUcb(scale="data")),
    Case(MolTs(scale="data"), shared=True),
    Case(MolEpsGreedy(epsilon=0.3)),
    Case(MolEpsGreedy(epsilon=0.3, penalty=10.0, intercept=30.0)),
    Case(MoslbPl(levels=((0, 1), (2,)))),
    Case(MoslbPc(chains=((0, 1), (2,)))),
    Case(MoslbParetoUcb(on=(0, 2))),
    Case(ParetoUcb1(scale=0.3), features=0),
    Case(ScalarizedUcb1(scale=0.1)),
    Case(ScalarizedUcb1(chebyshev=True, shared=True), features=0),
    Case(ParetoTs()),
    Case(ParetoTs(prior="gaussian", noise=0.3), features=0),
    Case(MocMab(scale=0.1, per_side=2)),
    Case(MocMab(scale=0.1, per_side=3, boundary="random", period=7), shared=True),
    Case(CpUcb1(scale=0.3, per_side=2), shared=True),
    Case(CsUcb1(scale=0.3, per_side=2, boundary="random", period=7), shared=True),
    Case(CdUcb1(scale=0.3, per_side=2), shared=True),
    Case(Ucb1(objective=1)),
    Case(Exp3P(objective=None)),
    Case(Doubling(Exp3P(), first=20)),
    Case(Doubling(MolUcb(scale=0.3), first=9), shared=True),
    Case(Forgetting(MolUcb(scale=0.3), discount=0.9)),
    Case(DriftAlarm(MolUcb(scale=0.3))),
    Case(Neighbours(MolUcb(scale=0.3), count=2, memory=5)),
    Case(Neighbours(DriftAlarm(MolTs(scale=0.3))), shared=True),
    Case(Diagonal(MolUcb(scale=0.3))),
    Case(Diagonal(Forgetting(MolTs(scale="data"), discount=0.9)), shared=True),
    Case(GapWeighted(MolUcb(scale=0.3))),
    Case(Features(Fourier(6, length=0.5), MolUcb(scale="data")), shared=True),
    Case(Features(Columns((1,)), Features(Crosses(2, constant=True), MolTs(scale=0.3)))),
    Case(Features(LAYERS, MoglbUcb(scale=0.1))),
    Case(WithFloor(Features(STUMP, MolUcb(scale=0.3)), epsilon=0.2), shared=True),
    Case(Features(Bins([[0.4], []]), GapWeighted(MolUcb())), shared=True),
    Case(Forgetting(MolTs(scale=0.3), discount=0.9), shared=True),
    Case(WithFloor(MolUcb(scale=0.3), epsilon=0.3)),
    Case(WithFloor(MolUcb(scale=0.3), Falling(0.8, 0.2)), shared=True),
    Case(WithFloor(Exp3P(objective=None), Falling(2.0, 0.1))),
    Case(WithFloor(MolTs(scale=0.3), shares={0: 0.25, 1: 0.5})),
    Case(Rollout(MolUcb(scale=0.3), 1, 0.4)),
    Case(Rollout(Exp3P(objective=None), 0, 0.5)),
    Case(WithFloor(MolTs(scale=0.3), epsilon=0.2), shared=True),
    Case(WithFloor(Exp3P(objective=None), epsilon=0.2)),
    Case(WithFloor(Doubling(MolUcb(scale=0.3), first=9), epsilon=0.3), shared=True),
    Case(
        WithFloor(
            CsUcb1(scale=0.3, per_side=2, boundary="random", period=7),
            epsilon=0.3,
        ),
        shared=True,
    ),
    Case(WithFloor(Pcz(scale=0.02), epsilon=0.2)),
    Case(Forgetting(HypervolumeUcb(scale="data"), discount=0.9), shared=True),
    Case(Pessimistic(MolUcb(scale=0.3)), shared=True),
    Case(Within(MolUcb(scale=0.3), {0: 0.4})),
    Case(Within(WithFloor(MolTs(scale=0.3), 0.3), {0: 0.2}, relative_to=1), shared=True),
    Case(Paced(MolUcb(scale=0.3, order=Pareto(on=[0])), {1: 0.4}), costs=(1,)),
    Case(Paced(MolTs(scale="data"), {1: 0.4, 2: 0.3}), shared=True, costs=(1, 2)),
    Case(Paced(GapWeighted(MolUcb()), {1: 0.4}, horizon=99, price="violation"), costs=(1,)),
    Case(Conservative(MolUcb(scale=0.3), 1, 0.3, (0, 2), (0.4, 0.3))),
    Case(Conservative(MolTs(scale=0.3), 1, 0.3, 0), shared=True),
    Case(AnnealingPareto(rate=0.97)),
    Case(ParetoKg()),
    Case(WidthGuided(), features=0),
    Case(LexElim()),
    Case(Ogde()),
    Case(PreferenceUcb("hidden", scale=0.3)),
    Case(PfLex(epsilon=0.5, scale=0.3)),
    Case(Stlo(epsilon=0.3, scale=0.1)),
    Case(Mtlo(scale=0.05)),
    Case(HypervolumeUcb(scale=0.3)),
    Case(HypervolumeUcb(exploration="thompson", reference=(0.0, -1.0, 0.0)), shared=True),
    Case(Pcz(scale=0.02)),
    Case(Pcz(positions=PLACES, scale=0.02), features=0),
    Case(ContextualZooming(scale=0.02, objective=1)),
    Case(ContextualZooming(scale=0.02, positions=PLACES, width="pcz"), shared=True),
    Case(Ape(delta=0.2, epsilon=0.1)),
    Case(Elimination(epsilon=0.1), features=0),
    Case(Ege(budget=100)),
    Case(TopTwoParetoTs()),
    Case(RandomChoice()),
    Case(SingleArm(1), features=0),
    Case(
        PrimalDual(MolUcb(scale=0.3, order=Weighted([1.0, 0.0, 0.0])), {1: 0.4}, {1: 1.0}),
        costs=(1,),
    ),
    Case(
        PrimalDual(
            MolUcb(scale="data", order=Weighted([1.0, 0.0, 0.0])), {1: 0.4, 2: 0.3}, {1: 1, 2: 1}
        ),
        shared=True,
        costs=(1, 2),
    ),
]


ORDERS = [
    Pareto(on=[0, 2]),
    EffectivePareto(),
    Lexicographic(),
    Chains([[0, 1], [2]]),
    ChainFilter([[2], [1, 0]]),
    Levels([[0, 1], [2]]),
    Weighted([0.5, 0.25, 0.25]),
    Chebyshev([0.5, 0.25, 0.25], [0.0, -1.0, 0.0]),
    Dominant(margin=0.5, doubt=0.25),
    ExploreWide(Levels([[0, 1], [2]]), 0.1),
]


def live(case, agent, rng, rounds, *, late=3):
    """Some rounds, whose rewards in [0, 1] come whole, some rounds later; what was decided."""
    made, rewards = [], {}
    for _ in range(rounds):
        context = case.context(rng)
        made.append(agent.decide(context, rng.permutation(K)[: rng.integers(2, K + 1)].tolist()))
        arm = made[-1].arm
        rewards[made[-1].id] = (rng.random(L) < [0.2 + 0.1 * arm, 0.8 - 0.1 * arm, 0.5]).astype(
            float
        )
        if len(rewards) > late:
            first = next(iter(rewards))
            agent.learn(first, rewards.pop(first))
    return made


def changed(agent, **options):
    """The same agent with other options."""
    header, tables = parsed_file(encoded_state(copied_state(agent.core)))
    changed_options = msgspec.structs.replace(header.options, **options)
    header = msgspec.structs.replace(header, options=changed_options)
    other = mob.Agent.__new__(mob.Agent)
    other.core = revived(header, tables, agent.recipe, time.time)
    return other


def frequencies(case):
    """What an agent says of its propensities, and how often arms are played: in one state, at one context."""
    agent, rng = case.agent(), np.random.default_rng(7)
    live(case, agent, rng, LESSONS)
    random = declares(agent.core.bound.policy, "RANDOM_BELIEFS")
    context, out = case.context(rng), []
    for eligible in (list(range(K)), [4, 0, 2]):
        asked = changed(agent, propensity="sampled" if random else "exact", samples=SAMPLES)
        asked.core.bound.left = None  # a stage goes on
        said = [asked.decide(context, eligible) for _ in range(ASKED if random else DRAWS)]
        drawn = said
        if random:
            quiet = changed(agent)
            quiet.core.bound.left = None
            drawn = [quiet.decide(context, eligible) for _ in range(DRAWS)]
        laws = [[one.arm, one.propensity, one.error, sorted(one.front)] for one in said]
        counts = np.bincount([one.arm for one in drawn], minlength=K).tolist()
        out.append({"eligible": eligible, "said": laws, "counts": counts})
    return out


def chance(case):
    """Whether beliefs are said to be drawn, and whether some advanced the generator."""
    agent, rng, used = case.agent(), np.random.default_rng(8), False
    for _ in range(LESSONS):
        live(case, agent, rng, 1, late=0)
        rows, bound, probe = (
            np.atleast_2d(case.context(rng)),
            agent.core.bound,
            np.random.default_rng(1),
        )
        before = probe.bit_generator.state
        bound.policy.beliefs(bound.state(), rows, agent.core.arms.everyone, probe)
        used |= probe.bit_generator.state != before
    return [declares(agent.core.bound.policy, "RANDOM_BELIEFS"), used]


def saved(case, folder):
    """What an agent that was saved and loaded does otherwise than the one that went on; nothing, it should be."""
    agent, rng, path = case.agent(), np.random.default_rng(9), folder / "agent"
    live(case, agent, rng, LESSONS)
    agent.save(path)
    other = mob.Agent.load(path)
    other.save(folder / "again")
    wrong = [] if path.read_bytes() == (folder / "again").read_bytes() else ["bytes"]
    waiting = list(agent.core.pending.open)
    lives = []
    for each in (agent, other):
        for number in waiting:
            each.learn(number, [0.0, 1.0, 0.0])
        lives.append(live(case, each, np.random.default_rng(10), LESSONS // 2))
    wrong += ["decisions"] if lives[0] != lives[1] else []
    one, two = (list(arrays(each.core.bound.state())) for each in (agent, other))
    same = [np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(one, two, strict=True)]
    wrong += [] if all(same) else ["state"]
    strange = [i for i, array in enumerate(one) if not np.isfinite(array).all()]
    return {
        "wrong": wrong,
        "infinite": strange,
        "notes": sorted({kept.note for kept in agent.core.pending.open.values()}),
    }


def swapped():
    """For every order whether an agent that is given it later plays as one whose recipe had it, and comes back."""
    out = {}
    for order in ORDERS:
        late, early, plain = (
            Case(recipe, shared=True)
            for recipe in (MolUcb(scale=0.3), MolUcb(0.3, order), MolUcb(0.3))
        )
        agents = [case.agent(propensity="exact") for case in (late, early, plain)]
        for agent in agents:
            rng = np.random.default_rng(4)
            for i in range(40):  # a draw from one arm takes one number, whatever the order
                agent.learn(agent.decide(late.context(rng), [i % K]).id, rng.random(L) * [1, 2, 1])
        agents[0].preference = order
        first = [life(late, agents[0]), life(late, agents[1])]
        agents[0].preference = None
        agents[0].core.bound.rng.bit_generator.state = agents[2].core.bound.rng.bit_generator.state
        back = [life(late, agents[0]), life(late, agents[2])]
        out[repr(order)] = [
            first[0] == first[1],
            back[0] == back[1],
            len({one.front for one in first[0]}),
        ]
    return out


def life(case, agent):
    """Decisions at some contexts, which are numbered anew."""
    rng = np.random.default_rng(5)
    return [agent.decide(case.context(rng))._replace(id=0) for _ in range(15)]


def explained(case):
    """Whether a decision can be explained, and whether what is said fits together."""
    agent, rng = case.agent(), np.random.default_rng(11)
    live(case, agent, rng, LESSONS)
    decision = agent.decide(case.context(rng), [3, 0, 4])
    try:
        said = agent.explain(decision)
    except ValueError as error:
        return str(error)
    again = agent.explain(decision)
    law = asking_law(agent, decision)
    fits = {
        "estimates": said.estimates.shape == (3, L) and bool(np.isfinite(said.estimates).all()),
        "intervals": bool(
            (said.low <= said.estimates).all() and (said.estimates <= said.high).all()
        ),
        "table": said.table.height == 3 * L,
        "front": set(said.front) <= {arm for arm, p in zip((3, 0, 4), law, strict=True) if p > 0.0},
        "same": bool((again.low == said.low).all()) and again.sentence == said.sentence,
        "sentence": said.sentence.startswith(
            f"{decision.arm} was played, one of 3 eligible arms of {K}."
        ),
    }
    return [name for name, well in fits.items() if not well]


def asking_law(agent, decision):
    """(arms,) the mean of the law over many beliefs."""
    slots = np.array(decision.eligible)
    rng = np.random.default_rng(0)
    return np.mean(
        [agent.core.bound.probabilities(decision.context, slots, rng) for _ in range(60)], axis=0
    )


def report(case, folder) -> dict[str, Any]:
    """All of it."""
    said = {"frequencies": frequencies(case), "chance": chance(case), "explained": explained(case)}
    return {**said, "saved": saved(case, folder)}


def main(folder, *rows):
    warnings.simplefilter("ignore")
    if not rows:
        print(json.dumps(swapped()))
        return

    first, last = map(int, rows)
    for case in CASES[first:last]:
        print(json.dumps(report(case, Path(folder))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
