"""Figures 2 to 13 of molts2025 and its remarks: MOL-TS, Thompson sampling on the effective Pareto front."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.environments import GeneralizedLinear, Linear
from mobandits.orders import EffectivePareto
from mobandits.papers.claims import (
    LEAST,
    Claim,
    Kind,
    Outcome,
    Part,
    difference,
    final,
    ordering,
    resample,
)
from mobandits.papers.experiment import Experiment, Plot, Run, Tuned
from mobandits.papers.molts2025.theory import draws_needed
from mobandits.policies import MoglbUcb, MolEpsGreedy, MolTs, MolUcb, PfiRls

ROUNDS = 10_000
TRIALS = 10
CONSTANTS = (0.1, 0.3, 1.0, 3.0)
REGRETS = ("pareto_regret", "effective_pareto_regret")
METRICS = (*REGRETS, "reward")
TS = "MOL-TS"
PLAIN = "MOL-TS, M = 1"
UCB = "MOL-UCB"
GREEDY = "MOL-eps-Greedy"
ABLATION = "MOL-UCB, effective front"
PFI = ("PFIwR-style reconstruction", "PFIwR-style reconstruction, a tenth of the widths")
CHOSEN = (
    "The paper does not state the constant c. Here MOL-TS, MOL-TS with M = 1, MOL-UCB and the "
    "ablation have it chosen from 0.1, 0.3, 1 and 3 on five trials of another seed, by the Pareto "
    "regret; rows with the theory's c, c1_t(0.01), stand beside them. The grid was set together "
    "with a pilot of 1,000 rounds."
)
LAWS = (
    "The paper says that parameters have norm 1 and contexts norms of at most 1; here parameters "
    "are uniform on the unit sphere, contexts uniform in the unit ball, and noise N(0, 1) is "
    "independent over objectives. Rewards are the true means of what was played, added up. Bands "
    "are 95 % intervals; the paper has one standard deviation."
)
RIDGE = (
    "The paper takes MOL-UCB from moglb2019, in the linear setting. Here it estimates by ridge "
    "regression, as MOL-TS does, and not by online Newton steps, which only approximate it where "
    "rewards are linear: the rows differ in how they choose, and not in how they estimate."
)
SAMPLES = "Each row has a tuned constant of its own here; molts2025/samples compares them at equal constants."
RECONSTRUCTED = (
    "PFIwR's estimator is not given in the paper: both rows are reconstructions of ours."
)
LENIENT = "MOL-UCB is tuned here; molts2025/reward-paradox has all its constants, wide ones too."


class Setting(NamedTuple):
    """A figure: its number, K, d, L, and whether the arms stay."""

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
    def said(self) -> str:
        """The setting in the paper's letters."""
        return f"K = {self.arms}, d = {self.features}, L = {self.objectives}"

    @property
    def place(self) -> Linear:
        """What is played in."""
        return Linear(self.arms, self.features, self.objectives, fixed_arms=self.fixed)


SETTINGS = (
    Setting(2, 50, 5, 4),
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
    return Tuned({f"c = {c:g}": replace(recipe, scale=c) for c in CONSTANTS})


def rows_of(setting: Setting) -> dict[str, Recipe | Tuned]:
    """The rows of a figure."""
    rows: dict[str, Recipe | Tuned] = {
        TS: tuned(MolTs()),
        PLAIN: tuned(MolTs(draws=1)),
        UCB: tuned(MolUcb()),
        GREEDY: MolEpsGreedy(),
        ABLATION: tuned(MolUcb(order=EffectivePareto())),
        f"{TS}, theory c": MolTs(),
        f"{UCB}, theory c": MolUcb(),
    }
    if setting.fixed:
        return {**rows, **dict(zip(PFI, (PfiRls(), PfiRls(scale=0.1)), strict=True))}
    return rows


def in_both(
    id: str,  # noqa: A002 - as in Claim
    claim: str,
    low: Sequence[str],
    high: Sequence[str],
    differs: str = "",
    *,
    note: str = "",
    kind: Kind = "paper",
) -> tuple[Claim, ...]:
    """An ordering in the Pareto regret, and the same in the effective one; "{}" in the claim is the regret's name."""
    spoken = {"pareto": "Pareto regret", "effective": "effective Pareto regret"}
    return tuple(
        ordering(
            f"{id}-{short}",
            claim.format(said),
            metric,
            low,
            high,
            differs=differs,
            note=note,
            kind=kind,
        )
        for (short, said), metric in zip(spoken.items(), REGRETS, strict=True)
    )


def kind_of(setting: Setting) -> Kind:
    """What a sentence of the paper is in a setting: its text is on Figure 2 only."""
    return "paper" if setting.figure == 2 else "extension"


def figure_claims(setting: Setting) -> tuple[Claim, ...]:
    """What the paper says of Figure 2, asked of a figure, and what is ours.

    With fixed arms, which the paper shows beside PFIwR, it says nothing on the number of samples
    or on greedy play, not even of another figure of the kind: these are ours there.
    """
    name = setting.name
    others = (UCB, GREEDY)
    draws = draws_needed(setting.objectives)
    more = f"Optimistic sampling, M = {draws}, has a lower {{}} than M = 1"
    kind = kind_of(setting)
    in_context: Kind = "ours" if setting.fixed else kind
    return (
        *in_both(f"{name}/lowest", "MOL-TS has the lowest {}", (TS,), others, kind=kind),
        ordering(
            f"{name}/highest-reward",
            "MOL-TS has the highest cumulative reward in every objective",
            "reward",
            others,
            (TS,),
            components=None,
            differs="Which objectives a policy favours depends on the instance.",
            kind=kind,
        ),
        *(reconstruction_claims(name) if setting.fixed else ()),
        *in_both(f"{name}/optimistic-sampling", more, (TS,), (PLAIN,), SAMPLES, kind=in_context),
        *in_both(
            f"{name}/greedy",
            "MOL-eps-Greedy has a higher {} than MOL-UCB",
            (UCB,),
            (GREEDY,),
            crowded(setting),
            kind=in_context,
        ),
        ordering(
            f"{name}/greedy-reward",
            "MOL-eps-Greedy nevertheless has higher total rewards than MOL-UCB, in every objective",
            "reward",
            (UCB,),
            (GREEDY,),
            components=None,
            differs=LENIENT,
            kind=in_context,
        ),
        compared(
            f"{name}/ablation",
            "What the effective front alone gives: MOL-UCB on the effective front against MOL-TS",
            ABLATION,
            TS,
        ),
        compared(
            f"{name}/theory",
            "With the theory's c, which Theorem 2 is about: MOL-TS against MOL-UCB",
            f"{TS}, theory c",
            f"{UCB}, theory c",
        ),
        below(f"{name}/pareto-below-effective", [*rows_of(setting)]),
    )


def reconstruction_claims(name: str) -> tuple[Claim, ...]:
    """MOL-TS against rows that stand for a policy of which too little is known."""
    name = f"{name}/reconstruction"
    said = "MOL-TS has a lower {} than our reconstruction of PFIwR"
    return (
        *in_both(name, said, (TS,), PFI, note=RECONSTRUCTED, kind="ours"),
        ordering(
            f"{name}-reward",
            "MOL-TS has a higher cumulative reward than our reconstruction of PFIwR, in every "
            "objective",
            "reward",
            PFI,
            (TS,),
            components=None,
            note=RECONSTRUCTED,
            kind="ours",
        ),
    )


def crowded(setting: Setting) -> str:
    """Why MOL-UCB and greedy play may be close."""
    if setting.objectives > setting.features:
        return "With more objectives than features, most arms are on the Pareto front, and whoever plays it is alike."
    return "Both play uniformly from a Pareto front: MOL-UCB from that of upper bounds, greedy play from that of means."


def total_reward(outcome: Outcome, run: str, row: str) -> Array:
    """(trials,) the final rewards of all objectives together."""
    parts = [outcome.curves(run, row, "reward", i) for i in outcome.components(run, row, "reward")]
    return np.asarray(np.sum([final(*one) for one in parts], axis=0))


def differences(outcome: Outcome, run: str, row: str, of: str) -> list[Part]:
    """What `row` has more than `of`: both regrets, and the rewards of all objectives together; no rule decides."""
    several = len(outcome.runs()) > 1
    place = f", {run}" if several else ""
    both = np.stack([total_reward(outcome, run, one) for one in (of, row)], axis=1)
    total = resample(both, lambda means: means[1] - means[0])
    return [
        *(
            difference(outcome, run, metric, of, row, 0, final, several=several)._replace(
                said=f"{metric.replace('_', ' ')}, {row} less {of}{place}", holds=None
            )
            for metric in REGRETS
        ),
        Part(f"total reward, {row} less {of}{place}", *total, None, len(both)),
    ]


def compared(id: str, claim: str, row: str, of: str) -> Claim:  # noqa: A002 - as in Claim
    """A comparison of ours that is only reported."""

    def parts(outcome: Outcome) -> list[Part]:
        return [one for run in outcome.runs() for one in differences(outcome, run, row, of)]

    return Claim(id, claim, "not in the paper", "none: reported", parts, kind="ours")


def below(id: str, rows: Sequence[str]) -> Claim:  # noqa: A002 - as in Claim
    """PR <= EPR in every trial, at every recorded round, as every single gap has it."""

    def parts(outcome: Outcome) -> list[Part]:
        found = []
        for run in outcome.runs():
            for row in rows:
                least, most = (outcome.curves(run, row, metric)[1] for metric in REGRETS)
                room = float((most - least).min())
                found.append(Part(f"least EPR less PR, {row}", room, None, room >= 0.0, len(least)))
        return found

    rule = "in every trial and at every recorded round the difference is at least 0"
    said = "The Pareto regret is at most the effective Pareto regret"
    return Claim(id, said, "PR <= EPR", rule, parts, kind="check")


def plots_of(setting: Setting) -> tuple[Plot, ...]:
    """The paper's three columns, and the ablation."""
    main = (TS, UCB, GREEDY, *(PFI if setting.fixed else ()))
    draws = draws_needed(setting.objectives)
    objectives = [f"objective {i + 1}" for i in range(setting.objectives)]
    pair = (("", "Pareto regret"), ("effective_", "Effective Pareto regret"))
    return (
        *(Plot(metric, metric, f"{said}, {setting.said}.", rows=main)
          for metric, (_, said) in zip(REGRETS, pair, strict=True)),
        Plot("reward", "reward", "Cumulative mean reward in every objective.", rows=main, parts=objectives),
        *(Plot(f"{short}optimistic_sampling", metric, f"{said} with M = {draws} samples per objective and with one.",
               rows=(TS, PLAIN, f"{TS}, theory c"))
          for metric, (short, said) in zip(REGRETS, pair, strict=True)),
        Plot("ablation", REGRETS[1], "Ours: effective Pareto regret of MOL-UCB on the plain and the effective front.",
             rows=(TS, ABLATION, UCB, f"{UCB}, theory c")),
    )  # fmt: skip


def figure(setting: Setting) -> Experiment:
    """One of Figures 2 to 13."""
    arms = "the arms stay" if setting.fixed else "all arms are drawn anew in every round"
    about = [f"{setting.said}; {arms}; 10,000 rounds, ten instances.", LAWS, CHOSEN, RIDGE]
    if setting.fixed:
        about.append(
            "The estimator of PFIwR is not given in molts2025 and its code is not public. The row "
            "is a reconstruction with ridge regression: with the theory's widths, and with a tenth "
            "of them, which was not tuned."
        )
    return Experiment(
        setting.name,
        "MOL-TS, MOL-UCB and MOL-eps-Greedy, "
        f"{setting.said}{', fixed arms' if setting.fixed else ''}",
        f"molts2025, Figure {setting.figure}",
        about,
        [Run(setting.said, setting.place, rows_of(setting), ROUNDS, TRIALS, METRICS)],
        plots_of(setting),
        figure_claims(setting),
    )


def remark(
    name: str,
    title: str,
    about: str,
    run: Run,
    rows: Sequence[str],
    claims: Callable[[str], Sequence[Claim]],
) -> Experiment:
    """A question of ours, with one run."""
    plots = [
        Plot(metric, metric, f"{metric.replace('_', ' ').capitalize()}.", rows=rows)
        for metric in METRICS
    ]
    return Experiment(f"molts2025/{name}", title, "ours; molts2025, section 6", [about], [run], plots,
                      claims(f"molts2025/{name}"))  # fmt: skip


PARADOX = {
    **{f"{UCB}, c = {c:g}": MolUcb(scale=c) for c in (*CONSTANTS, 4.0)},
    f"{UCB}, theory c": MolUcb(),
}


def paradox_claims(name: str) -> tuple[Claim, ...]:
    """Where greedy play has higher regret and higher rewards at once."""

    def somewhere(outcome: Outcome) -> list[Part]:
        found = {row: differences(outcome, outcome.runs()[0], GREEDY, row) for row in PARADOX}
        ends = {row: [one.interval for one in parts] for row, parts in found.items()}
        where = [
            row
            for row, all_three in ends.items()
            if all(one is not None and one[0] > 0.0 for one in all_three)
        ]
        said = f"constants of MOL-UCB where it holds: {', '.join(where).replace(f'{UCB}, ', '') or 'none'}"
        trials = min(one.trials for parts in found.values() for one in parts)
        return [
            Part(said, float(len(where)), None, len(where) > 0 if trials >= LEAST else None, trials)
        ]

    rule = "there is a c with which the intervals of all three differences are above 0"
    said = "MOL-eps-Greedy has higher regrets, but higher total rewards than MOL-UCB"
    differs = "The paper does not state the constant of MOL-UCB, and only these were tried."
    note = "The constant 4 was added after a pilot of 1,000 rounds in which greedy play was ahead in reward there."
    return (
        Claim(f"{name}/somewhere", f"{said}, for some constant of MOL-UCB", said, rule, somewhere, differs, note,
              kind="ours"),
        *(compared(f"{name}/{row.rpartition(', ')[2].replace('c = ', 'c-').replace(' ', '-')}",
                   f"MOL-eps-Greedy against {row}", GREEDY, row) for row in PARADOX),
    )  # fmt: skip


MANY = draws_needed(Linear().objectives)
EQUAL = {f"c = {c:g}": c for c in CONSTANTS} | {"theory c": None}
SAMPLED = {
    f"M = {m}, {said}": MolTs(scale=c, draws=m) for said, c in EQUAL.items() for m in (MANY, 1)
}


def samples_claims(name: str) -> tuple[Claim, ...]:
    """Several samples against one, with every constant."""
    return tuple(
        claim
        for said in EQUAL
        for claim in in_both(
            f"{name}/{said.replace('c = ', 'c-').replace(' ', '-')}",
            f"M = {MANY} has a lower {{}} than M = 1 at equal constants, {said}",
            (f"M = {MANY}, {said}",),
            (f"M = 1, {said}",),
            "The largest of several samples lies further from the estimate, so that more is "
            "explored.",
            note="Both rows have the same constant; which one the paper took is not stated there.",
            kind="extension",
        )
    )


LINKS = GeneralizedLinear().links
GENERALIZED = {
    TS: Tuned({f"c = {c:g}": MolTs(scale=c, links=LINKS) for c in CONSTANTS}),
    f"{TS}, linear": tuned(MolTs()),
    "MOGLB-UCB": Tuned({f"c = {c:g}": MoglbUcb(LINKS, scale=c) for c in (0.001, 0.01, 0.1, 1.0)}),
}
SELECTION = {TS: tuned(MolTs()), f"{TS}, random weights": tuned(MolTs(selection="weight"))}

REMARKS = (
    remark(
        "reward-paradox",
        "When greedy play has higher regret and higher rewards than MOL-UCB",
        "The paper reports that MOL-eps-Greedy has higher Pareto regret and effective Pareto "
        "regret than MOL-UCB, but also higher total rewards. It does not state the constant of "
        "MOL-UCB; here is the whole grid, with the wide constants 4 and the theory's, in the "
        f"setting of Figure 2. {RIDGE}",
        Run("K = 50, d = 5, L = 4", Linear(), {GREEDY: MolEpsGreedy(), **PARADOX}, ROUNDS, TRIALS, METRICS),
        (GREEDY, *PARADOX),
        paradox_claims,
    ),
    remark(
        "samples",
        "One sample or several, at equal constants",
        "In Figures 2 to 13, MOL-TS and its version with one sample have a tuned constant each. "
        "The largest of several samples is further from the estimate than one sample with the "
        "same constant, so a comparison at equal constants also compares how much is explored. "
        "Here is the whole grid in the setting of Figure 2.",
        Run("K = 50, d = 5, L = 4", Linear(), SAMPLED, ROUNDS, TRIALS, METRICS),
        [row for row in SAMPLED if "c = 0." not in row],
        samples_claims,
    ),
    remark(
        "generalized-linear",
        "MOL-TS with links, on the generalized linear problem of moglb2019",
        "The paper's appendix says that its framework extends to generalized linear rewards. Here "
        "MOL-TS takes the estimator of moglb2019 and samples around it; beside it are MOL-TS with "
        "ridge regression, whose model is wrong here, and MOGLB-UCB. All have a tuned constant.",
        Run("d = 5", GeneralizedLinear(), GENERALIZED, 3000, TRIALS, METRICS),
        tuple(GENERALIZED),
        lambda name: (
            compared(f"{name}/against-linear", "MOL-TS with ridge regression against MOL-TS with links",
                     f"{TS}, linear", TS),
            compared(f"{name}/against-moglb-ucb", "MOGLB-UCB against MOL-TS with links", "MOGLB-UCB", TS),
        ),
    ),
    remark(
        "weight-selection",
        "A uniform arm of the sampled effective front, or the best arm for random weights",
        "MOL-TS plays uniformly from the effective front of its sample, which takes linear "
        "programs. The best arm for weights that are uniform on the simplex is on that front too, "
        "and costs next to nothing, but arms that stick out are played more often. The setting is "
        "that of Figure 2.",
        Run("K = 50, d = 5, L = 4", Linear(), SELECTION, ROUNDS, TRIALS, METRICS),
        tuple(SELECTION),
        lambda name: (
            compared(f"{name}/against-uniform", "Random weights against a uniform choice", f"{TS}, random weights", TS),
        ),
    ),
)  # fmt: skip

FIGURES = tuple(map(figure, SETTINGS))
