"""Figures 2 to 13 of molts2025 and its remarks: MOL-TS against UCB and greedy play."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Recipe
from mobandits.environments import GeneralizedLinear, Linear
from mobandits.orders import EffectivePareto
from mobandits.policies import MoglbUcb, MolEpsGreedy, MolTs, MolUcb, PfiRls
from mobandits_papers.claims import Claim
from mobandits_papers.described import described, described_claims
from mobandits_papers.experiment import Experiment, Run, Tuned
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

ROUNDS = 10_000
TRIALS = 10
# About half an order of magnitude from one to the next.
CONSTANTS = (0.1, 0.3, 1.0, 3.0)
WIDE = 2.0  # for rows that share a constant; added when it was known that this matters
REGRETS = ("pareto_regret", "effective_pareto_regret")
METRICS = (*REGRETS, "reward")
TS = "MOL-TS"
PLAIN = "MOL-TS, M = 1"
UCB = "MOL-UCB"
GREEDY = "MOL-eps-Greedy"
ABLATION = "MOL-UCB, effective front"
CONSTANT_ROWS = (TS, PLAIN, UCB)
PFI = ("PFIwR-style reconstruction", "PFIwR-style reconstruction, a tenth of the widths")


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

    @property
    def symbols(self) -> str:
        """The setting in the paper's letters."""
        return f"K = {self.arms}, d = {self.features}, L = {self.objectives}"

    def run(self, rows: Mapping[str, Recipe | Tuned], trials: int = TRIALS) -> Run:
        """The run of some rows."""
        place = Linear(self.arms, self.features, self.objectives, fixed_arms=self.fixed)
        return Run(self.symbols, place, rows, ROUNDS, trials, METRICS)


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


def tuned(recipe: MolTs | MolUcb) -> Tuned:
    """The recipe with every constant of the grid."""
    return Tuned.over("c", CONSTANTS, recipe)


def rows_of(setting: Setting) -> dict[str, Recipe | Tuned]:
    """The rows of a figure."""
    rows: dict[str, Recipe | Tuned] = {
        TS: tuned(MolTs()),
        PLAIN: tuned(MolTs(draws=1)),
        UCB: tuned(MolUcb()),
        GREEDY: MolEpsGreedy(),
        ABLATION: tuned(MolUcb(order=EffectivePareto())),
        f"{TS}, theory c": MolTs(scale="theory"),
        f"{UCB}, theory c": MolUcb(scale="theory"),
    }
    # The rest of the constants that rows may share is in their grids.
    if setting.figure == 2:
        rows[named(TS, WIDE)] = MolTs(scale=WIDE)
        rows[named(PLAIN, WIDE)] = MolTs(scale=WIDE, draws=1)
        rows[named(UCB, WIDE)] = MolUcb(scale=WIDE)

    # The paper shows PFIwR, which removes arms for good, only where the arms stay.
    if setting.fixed:
        theory_widths, narrow_widths = PFI
        rows[theory_widths] = PfiRls()
        rows[narrow_widths] = PfiRls(scale=0.1)

    return rows


def sentences_on_figure_2(setting: Setting) -> list[Claim]:
    """The paper's sentences on Figure 2, asked of a figure."""
    draws = draws_needed(setting.objectives)
    return described_claims(setting.name, sections=["figure-2"], draws=str(draws))


def never_above(rows: Sequence[str]) -> Parts:
    """PR <= EPR in every trial, at every recorded round, as in every single gap."""

    def parts(outcome: Outcome) -> list[Part]:
        rooms = []
        for row in rows:
            _, pareto = curves_of(outcome, row, "pareto_regret")
            _, effective = curves_of(outcome, row, "effective_pareto_regret")
            least_room = float((effective - pareto).min())
            # No interval: the inequality holds for every single trial, and not on average.
            part = exact_part(
                f"least EPR less PR, {row}", least_room, holds=least_room >= 0.0, trials=len(pareto)
            )
            rooms.append(part)

        return rooms

    return parts


def figure(setting: Setting) -> Experiment:
    """One of Figures 2 to 13."""
    rows = rows_of(setting)
    # One claim on all sentences of other figures: the paper's text says nothing of these.
    of_figure = "figure-2" if setting.figure == 2 else "figures-3-to-13"
    sentences = sentences_on_figure_2(setting)
    whole = described(
        setting.name,
        [setting.run(rows)],
        {
            "pareto-below-effective": never_above([*rows]),
            "sentences": sentences_that_hold(sentences),
        },
        sections=["figure", of_figure, *(["fixed-arms"] if setting.fixed else []), "gaps"],
        number=str(setting.figure),
        symbols=setting.symbols,
        which=", fixed arms" if setting.fixed else "",
        arms="the arms stay" if setting.fixed else "all arms are drawn anew in every round",
        draws=str(draws_needed(setting.objectives)),
        main=[TS, UCB, GREEDY, *(PFI if setting.fixed else ())],
        objectives=[f"objective {i + 1}" for i in range(setting.objectives)],
    )
    if setting.figure != 2:
        return whole

    judged = [with_shared_constants(claim, CONSTANT_ROWS) for claim in sentences]
    return replace(whole, claims=[*judged, *whole.claims[len(judged) :]])


def remark(
    name: str,
    run: Run,
    rows: Sequence[str],
    parts: Mapping[str, Parts] = MappingProxyType({}),
) -> Experiment:
    """An experiment on a question of ours, with one run.

    Args:
        name: of the experiment, without the paper's.
        run: what is played.
        rows: which are drawn.
        parts: as in `described`.
    """
    return described(f"molts2025/{name}", [run], parts, sections=[name, "remark"], rows=rows)


PARADOX = {
    **{f"{UCB}, c = {c:g}": MolUcb(scale=c) for c in (*CONSTANTS, 4.0)},
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


def samples_claims() -> list[Claim]:
    """The claims on several samples against one, with every constant."""
    claims: list[Claim] = []
    for constant in EQUAL:
        what = constant.replace("c = ", "c-").replace(" ", "-")
        claims += described_claims(
            "molts2025/samples", sections=["equal-constants"], constant=constant, what=what
        )

    return claims


SHARING = {GREEDY: MolEpsGreedy()} | {
    named(row, c): replace(recipe, scale=c)
    for c in common_constants.CONSTANTS
    for row, recipe in ((TS, MolTs()), (PLAIN, MolTs(draws=1)), (UCB, MolUcb()))
}


LINKS = GeneralizedLinear().links
GENERALIZED = {
    TS: tuned(MolTs(links=LINKS)),
    f"{TS}, linear": tuned(MolTs()),
    "MOGLB-UCB": Tuned.over("c", (0.001, 0.01, 0.1, 1.0), MoglbUcb(LINKS)),
}
SELECTION = {TS: tuned(MolTs()), f"{TS}, random weights": tuned(MolTs(selection="weight"))}

# Six of twelve rows, those of wide constants: more curves cannot be told apart.
WIDE_ROWS = [row for row in SAMPLED if row.endswith(("c = 1", "c = 3", "theory c"))]
SHARED_ROWS = [GREEDY, *(named(row, WIDE) for row in CONSTANT_ROWS)]
REMARKS = (
    remark(
        "reward-paradox",
        FIGURE_2.run({GREEDY: MolEpsGreedy(), **PARADOX}),
        (GREEDY, *PARADOX),
        {"somewhere": somewhere},
    ),
    replace(remark("samples", FIGURE_2.run(SAMPLED), WIDE_ROWS), claims=samples_claims()),
    remark(
        "one-constant",
        FIGURE_2.run(SHARING, 2 * TRIALS),
        SHARED_ROWS,
        {"together": hold_at_once(sentences_on_figure_2(FIGURE_2), CONSTANT_ROWS)},
    ),
    remark(
        "generalized-linear",
        Run("d = 5", GeneralizedLinear(), GENERALIZED, 3000, TRIALS, METRICS),
        tuple(GENERALIZED),
    ),
    remark("weight-selection", FIGURE_2.run(SELECTION), tuple(SELECTION)),
)

FIGURES = tuple(map(figure, SETTINGS))
