"""Figures 2 to 13 of molts2025 and its remarks: MOL-TS against UCB and greedy play."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Recipe
from mobandits.environments import Linear
from mobandits.policies import MolEpsGreedy, MolTs, MolUcb
from mobandits_papers.claims import Claim
from mobandits_papers.described import described, described_claims, tables_of
from mobandits_papers.experiment import Experiment
from mobandits_papers.molts2025 import common_constants
from mobandits_papers.molts2025.common_constants import (
    hold_at_once,
    named,
    sentences_that_hold,
    with_shared_constants,
)
from mobandits_papers.molts2025.theory import draws_needed
from mobandits_papers.numbers import (
    LEAST,
    Part,
    Parts,
    above,
    curves_of,
    difference,
    difference_of_means,
    exact_part,
    final_pair,
    resampled_part,
)
from mobandits_papers.outcome import Outcome

CONSTANTS = (0.1, 0.3, 1.0, 3.0, 4.0)  # of MOL-UCB, where greedy play may have more of everything
WIDE = 2.0  # of figures whose rows share a constant
REGRETS = ("pareto_regret", "effective_pareto_regret")
TS = "MOL-TS"
PLAIN = "MOL-TS, M = 1"
UCB = "MOL-UCB"
GREEDY = "MOL-eps-Greedy"
CONSTANT_ROWS = (TS, PLAIN, UCB)


class Setting(NamedTuple):
    """The setting of a figure.

    Attributes:
        figure: its number.
        arms: K.
        features: d.
        objectives: L.
        fixed: whether the arms stay.
    """

    figure: int
    arms: int
    features: int
    objectives: int
    fixed: bool = False

    @property
    def name(self) -> str:
        """The experiment's ID."""
        return f"molts2025/fig{self.figure}"


# Figure 2 is in section 6, the others are in Appendix F.
FIGURE_2 = Setting(2, 50, 5, 4)
SETTINGS = (
    FIGURE_2,
    Setting(3, 50, 10, 4),
    Setting(4, 100, 5, 4),
    Setting(5, 100, 10, 4),
    Setting(6, 100, 15, 4),
    Setting(7, 200, 10, 4),
    Setting(8, 200, 15, 4),
    Setting(9, 50, 5, 8),
    Setting(10, 100, 10, 8),
    Setting(11, 100, 10, 4, fixed=True),
    Setting(12, 200, 15, 8),
    Setting(13, 200, 15, 4, fixed=True),
)


def sentences_on_figure_2(setting: Setting) -> list[Claim]:
    """The paper's sentences on Figure 2, asked of a figure."""
    words = {"draws": draws_needed(setting.objectives)}
    return described_claims(setting.name, tables_of(setting.name, ["figure-2"], words))


def never_above(outcome: Outcome) -> list[Part]:
    """PR <= EPR in every trial, at every recorded round, as in every single gap."""
    parts = []
    for row in outcome.rows(outcome.runs()[0]):
        _, pareto = curves_of(outcome, row, "pareto_regret")
        _, effective = curves_of(outcome, row, "effective_pareto_regret")
        least_room = float((effective - pareto).min())
        # No interval: the inequality holds for every single trial, and not on average.
        part = exact_part(
            f"least EPR less PR, {row}", least_room, holds=least_room >= 0.0, trials=len(pareto)
        )
        parts.append(part)

    return parts


def figure(setting: Setting) -> Experiment:
    """One of Figures 2 to 13."""
    # One claim on all sentences of other figures: the paper's text says nothing of these.
    of_figure = "figure-2" if setting.figure == 2 else "figures-3-to-13"
    sentences = sentences_on_figure_2(setting)
    whole = described(
        setting.name,
        parts={
            "pareto-below-effective": never_above,
            "sentences": sentences_that_hold(sentences),
        },
        sections=["figure", of_figure, *(["fixed-arms"] if setting.fixed else []), "gaps"],
        draws=draws_needed(setting.objectives),
        objective_names=[f"objective {i + 1}" for i in range(setting.objectives)],
        **setting._asdict(),
    )
    if setting.figure != 2:
        return whole

    judged = [with_shared_constants(claim, CONSTANT_ROWS) for claim in sentences]
    return replace(whole, claims=[*judged, *whole.claims[len(judged) :]])


def remark(
    name: str, parts: Mapping[str, Parts] = MappingProxyType({}), **words: Any
) -> Experiment:
    """An experiment on a question of ours, with one run.

    Args:
        name: of the experiment, without the paper's.
        parts: as in `described`.
        words: `played`, its rows, and `rows`, those that are drawn, where the file has them not.
    """
    return described(f"molts2025/{name}", parts=parts, sections=[name, "remark"], **words)


PARADOX = {
    **{f"{UCB}, c = {c:g}": MolUcb(scale=c) for c in CONSTANTS},
    f"{UCB}, theory c": MolUcb(scale="theory"),
}


def more_of_everything(outcome: Outcome, row: str) -> list[Part]:
    """What greedy play has more than a row: both regrets, and the rewards of all objectives."""
    run = outcome.runs()[0]
    parts = [difference(outcome, run, metric, row, GREEDY) for metric in REGRETS]
    objectives = outcome.components(run, row, "reward")
    rewards = [final_pair(outcome, row, GREEDY, "reward", i) for i in objectives]
    total = np.sum(rewards, axis=0)

    return [*parts, resampled_part("total reward", total, difference_of_means, above(0.0))]


def somewhere(outcome: Outcome) -> list[Part]:
    """The number of constants of MOL-UCB at which greedy play has more of everything."""
    where = []
    trials = []
    for row in PARADOX:
        parts = more_of_everything(outcome, row)
        trials += [part.trials for part in parts]
        if all(part.holds for part in parts):
            where.append(row)

    constants = ", ".join(where).replace(f"{UCB}, ", "") or "none"
    fewest = min(trials)
    # With fewer trials there are no intervals, and "nowhere" would not be a finding.
    holds = len(where) > 0 if fewest >= LEAST else None
    name = f"constants of MOL-UCB where it holds: {constants}"

    return [Part(name, float(len(where)), None, holds, fewest)]


MANY = draws_needed(Linear().objectives)
COMMON: dict[str, Any] = {f"c = {c:g}": c for c in common_constants.CONSTANTS}
EQUAL: dict[str, Any] = COMMON | {"theory c": "theory"}
SAMPLED = {
    f"M = {draws}, {constant}": MolTs(scale=c, draws=draws)
    for constant, c in EQUAL.items()
    for draws in (MANY, 1)
}


SHARING = {GREEDY: MolEpsGreedy()} | {
    named(row, c): replace(recipe, scale=c)
    for c in common_constants.CONSTANTS
    for row, recipe in ((TS, MolTs()), (PLAIN, MolTs(draws=1)), (UCB, MolUcb()))
}

# Six of twelve rows, those of wide constants: more curves cannot be told apart.
WIDE_ROWS = [row for row in SAMPLED if row.endswith(("c = 1", "c = 3", "theory c"))]
SHARED_ROWS = [GREEDY, *(named(row, WIDE) for row in CONSTANT_ROWS)]
TOGETHER = hold_at_once(sentences_on_figure_2(FIGURE_2), CONSTANT_ROWS)
WITH_GREEDY: dict[str, Recipe] = {GREEDY: MolEpsGreedy(), **PARADOX}
REMARKS = (
    remark("reward-paradox", {"somewhere": somewhere}, played=WITH_GREEDY, rows=[*WITH_GREEDY]),
    remark("samples", played=SAMPLED, rows=WIDE_ROWS),
    remark("one-constant", {"together": TOGETHER}, played=SHARING, rows=SHARED_ROWS),
    remark("generalized-linear"),
    remark("weight-selection"),
)

FIGURES = tuple(map(figure, SETTINGS))
