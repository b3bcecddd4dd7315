"""Figures 3 to 5 of moslb2024: MOSLB-PC on priority chains, MOSLB-PL on priority levels, against its two P-UCBs."""

import math

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.environments import Linear
from mobandits.figures.formatting import part
from mobandits.metrics import ChainRegret, ChainRegretAuthors, LevelRegret
from mobandits.papers.claims import (
    Claim,
    Outcome,
    Part,
    final,
    growth,
    level,
    ordering,
    resample,
)
from mobandits.papers.experiment import Experiment, Plot, Run, Tuned
from mobandits.policies import MoslbParetoUcb, MoslbPc, MoslbPl

ROUNDS, TRIALS, FEATURES = 3000, 10, (5, 10, 15)
ALPHAS = (0.01, 0.03, 0.1, 0.3, 1.0)
CHAINS = ((0, 1), (2, 3, 4))
TWO_LEVELS = ((0, 1, 2), (3, 4))
THREE_LEVELS = ((0, 1, 2), (3, 4, 5), (6, 7, 8, 9))
BASELINES = ("P-UCB1", "P-UCB2")
CHOSEN = (
    "The paper does not state alpha, the factor of the confidence widths (its notebook has 0.1). Here every policy has "
    "it chosen from 0.01, 0.03, 0.1, 0.3 and 1 on five trials of another seed, by the regret of all digits together. "
    "This grid was set after looking at a pilot: with 0.1, the chains of MOSLB-PC do not break within 3,000 rounds "
    "when there are ten features or more. The length of the exploration stage is the authors' code's, "
    "epsilon = 5 d^(2/3) T^(-1/3); with the theory's, exploration does not end within 3,000 rounds."
)
AFTER_A_PILOT = "The grid of alpha was set after a pilot that had shown when MOSLB-PC flattens."
AFTER_GROWTH = "The threshold was set when the growth in the last third of the rounds was known."
LEVELS_OFF, ALMOST_LINEAR = 0.2, 0.8  # of the mean pace; the paper gives no numbers
ABOUT_CHAINS = (
    "25, 50 and 75 fixed arms with 5, 10 and 15 features, five objectives in two priority chains, 3,000 rounds, ten "
    "problems. True means are rounded to two decimals, as in the authors' simulator, so that ties occur. The regret "
    "is the authors' (their code's gap); the exact gap of the paper's Definition 5 is reported as well."
)
WITHOUT_ROUNDING = (
    "The problems of Figure 3 without rounding. Lower digits matter nevertheless: the regret is what an arm lacks to "
    "be optimal, and with that it ties with another arm in a first objective."
)


def linear(features: int, objectives: int, *, fixed: bool = True, decimals: int | None = None) -> Linear:
    """The paper's problem: 5 d arms and the parameters uniform in the unit ball, noise N(0, 1)."""
    return Linear(5 * features, features, objectives, fixed_arms=fixed, theta="ball", round_decimals=decimals)


def chains_run(features: int, decimals: int | None) -> Run:
    """One panel of Figure 3."""
    metric = ChainRegretAuthors(CHAINS)
    rows = {
        "MOSLB-PC": Tuned({f"alpha = {a:g}": MoslbPc(CHAINS, alpha=a) for a in ALPHAS}, metric, None),
        "P-UCB1": Tuned({f"alpha = {a:g}": MoslbParetoUcb(alpha=a) for a in ALPHAS}, metric, None),
        "P-UCB2": Tuned({f"alpha = {a:g}": MoslbParetoUcb([0, 2], alpha=a) for a in ALPHAS}, metric, None),
    }
    place = linear(features, 5, decimals=decimals)
    return Run(f"d = {features}", place, rows, ROUNDS, TRIALS, (metric, ChainRegret(CHAINS)))


def levels_run(features: int, levels: tuple[tuple[int, ...], ...], *, fixed: bool = True) -> Run:
    """One panel of Figures 4 and 5."""
    metric = LevelRegret(levels)
    rows = {
        "MOSLB-PL": Tuned({f"alpha = {a:g}": MoslbPl(levels, alpha=a) for a in ALPHAS}, metric, None),
        "P-UCB1": Tuned({f"alpha = {a:g}": MoslbParetoUcb(alpha=a) for a in ALPHAS}, metric, None),
        "P-UCB2": Tuned({f"alpha = {a:g}": MoslbParetoUcb(levels[0], alpha=a) for a in ALPHAS}, metric, None),
    }
    place = linear(features, sum(map(len, levels)), fixed=fixed)
    return Run(f"d = {features}", place, rows, ROUNDS, TRIALS, (metric,))


def slower(id: str, row: str, metric: str, components: tuple[int, ...], differs: str) -> Claim:  # noqa: A002 - as in Claim
    """A row's regret grows at a lower pace than that of P-UCB1."""
    return ordering(
        id,
        f"{row}'s regret grows more slowly than P-UCB1's at the end, in the last third of the rounds",
        metric,
        (row,),
        ("P-UCB1",),
        components=components,
        reading=growth,
        differs=differs,
        note=AFTER_A_PILOT,
    )


def mean_pace(points: Array, values: Array) -> Array:
    """What a curve grows by per 1,000 rounds, over all of them.

    Example:
        >>> mean_pace(np.array([500, 2000]), np.array([[30.0, 40.0]])).tolist()
        [20.0]
    """
    return np.asarray(values[:, -1] / float(points[-1]) * 1000.0)


def relative_pace(
    id: str,  # noqa: A002 - as in Claim
    claim: str,
    target: str,
    row: str,
    metric: str,
    *,
    below: float = math.inf,
    above: float = -math.inf,
    differs: str,
) -> Claim:
    """What a row grows by in the last third, over its own mean pace: 1 is linear, 0 is flat."""

    def parts(outcome: Outcome) -> list[Part]:
        return [
            _relative(outcome, run, metric, row, component, below, above)
            for run in outcome.runs()
            for component in outcome.components(run, row, metric)
        ]

    side = f"below {below:g}" if math.isfinite(below) else f"above {above:g}"
    rule = (
        "each: the 95 % bootstrap interval of the pace in the last third of the rounds over the row's own mean pace is "
        f"{side}; this threshold is ours"
    )
    return Claim(id, claim, target, rule, parts, differs, f"{AFTER_A_PILOT} {AFTER_GROWTH}")


def _relative(outcome: Outcome, run: str, metric: str, row: str, component: int, below: float, above: float) -> Part:
    curves = outcome.curves(run, row, metric, component)
    samples = np.stack([growth(*curves), mean_pace(*curves)], axis=1)
    value, ends = resample(samples, _share)
    said = f"{row}, last pace over mean pace, {part(metric)} {component + 1}, {run}"
    return Part(said, value, ends, ends and above < ends[0] and ends[1] < below, len(samples))


def _share(means: Array) -> Array:
    # What never had any regret is flat: a resample may have drawn only such trials.
    return np.asarray(np.divide(means[0], means[1], out=np.zeros(means.shape[1]), where=means[1] > 0.0))


def levels_off(id: str, row: str, metric: str, differs: str) -> Claim:  # noqa: A002 - as in Claim
    """A row grows much more slowly at the end than before."""
    said = f"{row}'s regret levels off after the exploration stage"
    target = "flat after the exploration stage"
    return relative_pace(id, said, target, row, metric, below=LEVELS_OFF, differs=differs)


def pace(id: str, row: str, metric: str) -> Claim:  # noqa: A002 - as in Claim
    """What a row's regret grows by at the end."""
    return level(
        id,
        f"What {row}'s regret grows by at the end, per 1,000 rounds of the last third",
        metric,
        (row,),
        target="flat after the exploration stage",
        components=None,
        reading=growth,
    )


def steadier(id: str, row: str, metric: str, differs: str) -> Claim:  # noqa: A002 - as in Claim
    """A row's regret varies less between trials than the baselines'."""

    def parts(outcome: Outcome) -> list[Part]:
        return [
            _difference_of_spreads(outcome, run, metric, row, other, component)
            for run in outcome.runs()
            for other in BASELINES
            for component in outcome.components(run, row, metric)
        ]

    return Claim(
        id,
        f"{row}'s regret has the smallest variance",
        "best in the mean and the variance",
        "each: the 95 % bootstrap interval of the difference of standard deviations over trials is above 0",
        parts,
        differs,
    )


def _difference_of_spreads(outcome: Outcome, run: str, metric: str, row: str, other: str, component: int) -> Part:
    one, two = (final(*outcome.curves(run, name, metric, component)) for name in (row, other))
    samples = np.stack([one, one**2, two, two**2], axis=1)
    value, interval = resample(samples, lambda means: _spread(means[2:]) - _spread(means[:2]))
    said = f"{other} less {row}, standard deviation on level {component + 1}, {run}"
    return Part(said, value, interval, interval and interval[0] > 0.0, len(samples))


def _spread(moments: Array) -> Array:
    # From the means of values and of their squares, (2, n); rounding may make the difference negative.
    return np.asarray(np.sqrt(np.maximum(moments[1] - moments[0] ** 2, 0.0)))


def chains_claims(name: str) -> tuple[Claim, ...]:
    """What the paper says of Figure 3."""
    metric = "chain_regret_authors"
    ties = "What a lower digit costs is decided by ties in the digits before, which differ between problems."
    linked = "MOSLB-PC keeps all arms whose intervals are linked, so that it plays worse ones until a gap opens."
    return (
        ordering(
            f"{name}/pucb1-worst",
            "P-UCB1 has the largest regret in the first digit",
            metric,
            ("MOSLB-PC", "P-UCB2"),
            ("P-UCB1",),
        ),
        ordering(
            f"{name}/pucb1-worst-later-digits",
            "P-UCB1 has the largest regret in the lower digits",
            metric,
            ("MOSLB-PC", "P-UCB2"),
            ("P-UCB1",),
            components=(1, 2),
            differs=ties,
        ),
        slower(f"{name}/moslb-pc-slower", "MOSLB-PC", metric, (0, 1, 2), f"{linked} {ties}"),
        levels_off(f"{name}/moslb-pc-levels-off", "MOSLB-PC", metric, linked),
        relative_pace(
            f"{name}/pucb1-almost-linear",
            "P-UCB1's regret is almost linear",
            "almost linear",
            "P-UCB1",
            metric,
            above=ALMOST_LINEAR,
            differs="P-UCB1 learns as well: its upper bounds fall, and arms leave their front.",
        ),
        pace(f"{name}/moslb-pc-pace", "MOSLB-PC", metric),
        ordering(
            f"{name}/moslb-pc-below-pucb2",
            "MOSLB-PC has less regret than P-UCB2 in the lower digits",
            metric,
            ("MOSLB-PC",),
            ("P-UCB2",),
            components=(1, 2),
            target="implied: P-UCB2 is praised for the first digit only",
            differs="P-UCB2 does not pay for an exploration stage.",
        ),
        level(
            f"{name}/exact-gap",
            "The regret by the exact gap, which the paper defines and its code does not compute",
            "chain_regret",
            ("MOSLB-PC", *BASELINES),
            target="not in the paper",
            components=None,
        ),
    )


def levels_claims(name: str, levels: int) -> tuple[Claim, ...]:
    """What the paper says of Figures 4 and 5."""
    metric, later = "level_regret", tuple(range(1, levels))
    seldom = (
        "A level counts only in rounds without regret on the levels above, so that who fails there has less to lose "
        "below."
    )
    said = "level 2" if levels == 2 else "levels 2 and 3"
    return (
        ordering(
            f"{name}/moslb-pl-below-pucb1",
            "MOSLB-PL is below P-UCB1 on every level",
            metric,
            ("MOSLB-PL",),
            ("P-UCB1",),
            components=None,
            differs=seldom,
        ),
        ordering(
            f"{name}/moslb-pl-below-pucb2",
            f"MOSLB-PL is below P-UCB2 on {said}, where P-UCB2 accumulates regret",
            metric,
            ("MOSLB-PL",),
            ("P-UCB2",),
            components=later,
            differs=seldom,
        ),
        ordering(
            f"{name}/pucb2-good-on-level-1",
            "P-UCB2 is good on level 1: below P-UCB1",
            metric,
            ("P-UCB2",),
            ("P-UCB1",),
        ),
        ordering(
            f"{name}/moslb-pl-best-on-level-1",
            "MOSLB-PL is best on level 1 as well, below P-UCB2",
            metric,
            ("MOSLB-PL",),
            ("P-UCB2",),
            target="MOSLB-PL has the best mean and variance",
            differs="P-UCB2 looks at level 1 only and does not pay the exploration stage.",
        ),
        steadier(
            f"{name}/moslb-pl-steady",
            "MOSLB-PL",
            metric,
            "P-UCB2 looks at level 1 only and does not explore first; the variance is that between a few problems.",
        ),
        slower(f"{name}/moslb-pl-slower", "MOSLB-PL", metric, tuple(range(levels)), seldom),
        levels_off(
            f"{name}/moslb-pl-levels-off",
            "MOSLB-PL",
            metric,
            "Lower levels only choose among arms that are on the fronts of upper bounds of the levels before, where "
            "arms with close means stay long.",
        ),
        pace(f"{name}/moslb-pl-pace", "MOSLB-PL", metric),
    )


def digit_names(count: int) -> tuple[str, ...]:
    """What the digits of chain regret are called.

    Example:
        >>> digit_names(2)
        ('digit c0', 'digit c1')
    """
    return tuple(f"digit c{i}" for i in range(count))


FIG3 = Experiment(
    "moslb2024/fig3",
    "MOSLB-PC on the chains {1, 2} and {3, 4, 5}: the three digits of the regret",
    "moslb2024, Figure 3",
    (ABOUT_CHAINS, CHOSEN),
    [chains_run(d, 2) for d in FEATURES],
    [
        Plot(
            "regret",
            "chain_regret_authors",
            "Regret in the three digits, for 5, 10 and 15 features: means over ten trials, with 95 % bands.",
            parts=digit_names(3),
        ),
    ],
    chains_claims("moslb2024/fig3"),
)

UNROUNDED = Experiment(
    "moslb2024/unrounded",
    "Figure 3 with the means as they were drawn, not rounded",
    "ours; moslb2024, Figure 3",
    (WITHOUT_ROUNDING, CHOSEN),
    [chains_run(d, None) for d in FEATURES],
    [
        Plot("regret", "chain_regret_authors", "Regret in the three digits without rounding.", parts=digit_names(3)),
        Plot("exact_regret", "chain_regret", "The same by the exact gap.", parts=digit_names(3)),
    ],
    chains_claims("moslb2024/unrounded"),
)


def levels_figure(
    name: str, title: str, source: str, levels: tuple[tuple[int, ...], ...], *, fixed: bool
) -> Experiment:
    """Figure 4 or 5, with fixed or redrawn arms."""
    arms = "the arms are fixed" if fixed else "the arms are drawn anew in every round, as in the authors' notebook"
    about = (
        f"25, 50 and 75 arms with 5, 10 and 15 features, {sum(map(len, levels))} objectives in {len(levels)} priority "
        f"levels, 3,000 rounds, ten problems; {arms}. The paper does not say whether arms stay; both are reproduced."
    )
    return Experiment(
        f"moslb2024/{name}",
        title,
        source,
        (
            about,
            CHOSEN,
        ),
        [levels_run(d, levels, fixed=fixed) for d in FEATURES],
        [
            Plot(
                "regret",
                "level_regret",
                "Regret per level, for 5, 10 and 15 features: means over ten trials, with 95 % bands.",
                parts=[f"level {i + 1}" for i in range(len(levels))],
            ),
        ],
        levels_claims(f"moslb2024/{name}", len(levels)),
    )


FIGURES = (
    FIG3,
    levels_figure("fig4", "MOSLB-PL on two levels {1, 2, 3}, {4, 5}", "moslb2024, Figure 4", TWO_LEVELS, fixed=True),
    levels_figure(
        "fig5",
        "MOSLB-PL on three levels {1, 2, 3}, {4, 5, 6}, {7, ..., 10}",
        "moslb2024, Figure 5",
        THREE_LEVELS,
        fixed=True,
    ),
    UNROUNDED,
    levels_figure("fig4-redrawn", "Figure 4 with arms drawn anew", "moslb2024, notebook", TWO_LEVELS, fixed=False),
    levels_figure("fig5-redrawn", "Figure 5 with arms drawn anew", "moslb2024, notebook", THREE_LEVELS, fixed=False),
)
