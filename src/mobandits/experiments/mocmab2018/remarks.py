"""What mocmab2018 says beside its figures: the tolerance, periods, more than two objectives."""

from collections.abc import Callable

import numpy as np

from mobandits.environments import Bumps, Multichannel, PeriodicBumps
from mobandits.experiments.claims import Claim, Outcome, Part, Reading, final, growth, level, ordering, resample
from mobandits.experiments.experiment import Experiment, Plot, Run, Tuned
from mobandits.experiments.mocmab2018.shared import every
from mobandits.kernel.protocols import Recipe
from mobandits.policies import CdUcb1, MocMab

SCALES = {"1": 1.0, "1/5": 0.2, "1/15": 1.0 / 15.0, "1/30": 1.0 / 30.0}
REGRET = "objective_regret"


def tuned(make: Callable[[float], Recipe]) -> Tuned:
    """A row with its scale to choose by the regret in the dominant objective."""
    return Tuned({f"scale = {said}": make(scale) for said, scale in SCALES.items()}, REGRET, 0)


def above(reading: Reading, row: str, component: int, *, sign: float = 1.0) -> Callable[[Outcome], list[Part]]:
    """A row's regret, read in some way, lies above 0 (below it for a sign of -1)."""

    def parts(outcome: Outcome) -> list[Part]:
        samples = reading(*outcome.curves(outcome.runs()[0], row, REGRET, component))[:, None]
        value, ends = resample(samples, lambda means: means[0])
        holds = ends and min(sign * ends[0], sign * ends[1]) > 0.0
        return [Part(f"{row}, objective {component + 1}", value, ends, holds, len(samples))]

    return parts


SIDES = (4, 8, 16)
SIDE_ROWS = tuple(f"m = {m}" for m in SIDES)

TOLERANCE = Experiment(
    "mocmab2018/tolerance",
    "A tolerance that does not vanish: more than the oracle in one objective, less in the other",
    "mocmab2018, Remark 3",
    (
        (
            "MOC-MAB keeps arms that lie up to 2 v below the leader of the dominant objective, where v = sqrt(2) / m "
            "does not shrink as arms are played. The remark says that the learner can thereby earn more than the "
            "oracle in the other objective. The price, in the dominant one, goes on for ever."
        ),
        (
            "The radio channels of Figure 2, 100,000 rounds, with 4, 8 and 16 parts per side in place of the paper's "
            "m, and scale 1/15, so that the widths vanish within the run. The set-up is ours."
        ),
    ),
    [
        Run(
            "channels",
            Multichannel(),
            {row: MocMab(scale=1.0 / 15.0, per_side=m) for row, m in zip(SIDE_ROWS, SIDES, strict=True)},
            100_000,
            10,
            (REGRET,),
            record=60,
        )
    ],
    [
        Plot(
            "regret",
            REGRET,
            "Regret of MOC-MAB with 4, 8 and 16 parts per side: negative where it earns more than the oracle.",
            parts=("dominant objective", "other objective"),
            vertical="regret",
        )
    ],
    (
        Claim(
            "mocmab2018/tolerance/more-than-oracle",
            "In the other objective MOC-MAB earns more than the oracle",
            "a reward much higher than the oracle's in the non-dominant objective",
            "each: the 95 % bootstrap interval of the regret is below 0",
            every(*(above(final, row, 1, sign=-1.0) for row in SIDE_ROWS)),
        ),
        Claim(
            "mocmab2018/tolerance/never-vanishes",
            "In the dominant objective the regret still grows at the end",
            "the 2 v term does not vanish as arms get selected",
            "each: the 95 % bootstrap interval of the growth in the last third, per 1,000 rounds, is above 0",
            every(*(above(growth, row, 0) for row in SIDE_ROWS)),
        ),
        ordering(
            "mocmab2018/tolerance/finer-costs-less",
            "A finer partition has a smaller tolerance: it loses less at the end in the dominant objective",
            REGRET,
            ("m = 16",),
            ("m = 4", "m = 8"),
            reading=growth,
            target="v, set by the number of rounds, lets the learner control what the partition costs",
        ),
    ),
)

WITH, WITHOUT = "with the period", "without it"
ORBITS = {"orbit 0.2": 0.2, "orbit 0.5": 0.5}


def slowing(outcome: Outcome) -> list[Part]:
    """By how much the regret of the row with the period grew faster over all rounds than in the last third."""
    found = []
    for run in outcome.runs():
        points, values = outcome.curves(run, WITH, REGRET, 0)
        pace = values[:, -1] / float(points[-1]) * 1000.0
        samples = np.stack([pace, growth(points, values)], axis=1)
        value, ends = resample(samples, lambda means: means[0] - means[1])
        found.append(Part(f"mean pace less late pace, {run}", value, ends, ends and ends[0] > 0.0, len(samples)))
    return found


def pays(run: str, differs: str = "") -> Claim:
    """Knowing the period is worth a coordinate."""
    return ordering(
        f"mocmab2018/periodic/pays-{run[-3:].replace('.', '')}",
        f"With {run}, MOC-MAB with the period has a smaller regret in the dominant objective",
        REGRET,
        (WITH,),
        (WITHOUT,),
        runs=(run,),
        target="not in the paper, which proves a rate and compares with nothing",
        differs=differs,
    )


PERIODIC = Experiment(
    "mocmab2018/periodic",
    "Rewards that change with a known period",
    "mocmab2018, Corollary 1",
    (
        (
            "The bumps of Figure 1 circle once in 1,000 rounds. MOC-MAB with the period has the time of the day as a "
            "third coordinate of its context, cut into ceil(T^(1/6)) = 7 parts per side; without, it averages over the "
            "day in a partition of 10 by 10 cells. The paper proves that the regret of the former grows as T^(5/6), up "
            "to logarithms, and shows no figure; the motion is ours."
        ),
        (
            "The wider orbit was added after looking at the narrower one, with which averaging over the day costs less "
            "than learning a third coordinate. The scale of either row is chosen from 1, 1/5, 1/15 and 1/30 by the "
            "dominant objective, on trials of another seed."
        ),
    ),
    [
        Run(
            said,
            PeriodicBumps(period=1000, orbit=orbit),
            {WITH: tuned(lambda scale: MocMab(scale=scale, period=1000)), WITHOUT: tuned(lambda s: MocMab(scale=s))},
            100_000,
            20,
            (REGRET,),
            record=60,
        )
        for said, orbit in ORBITS.items()
    ],
    [
        Plot(
            "regret",
            REGRET,
            "Regret of MOC-MAB with and without the time of the day in its context: means over the trials.",
            parts=("dominant objective", "other objective"),
            vertical="regret",
        )
    ],
    (
        Claim(
            "mocmab2018/periodic/slows-down",
            "With the period the regret in the dominant objective is sublinear",
            "a regret of the order of T^(5/6)",
            "each: the 95 % bootstrap interval of the mean growth less that of the last third, per 1,000 rounds, is "
            "above 0",
            slowing,
        ),
        pays("orbit 0.2", "The bumps move little: averaging over the day costs less than a third coordinate."),
        pays("orbit 0.5", "Within these rounds a third coordinate costs more than it brings."),
        level(
            "mocmab2018/periodic/regrets",
            "The regrets at the end",
            REGRET,
            (WITH, WITHOUT),
            target="not in the paper",
            components=None,
        ),
    ),
)

THREE = {
    "degenerate": (
        ((0.3, 0.5), (0.3, 0.7), (0.5, 0.5)),
        ((0.3, 0.5), (0.3, 0.3), (0.5, 0.5)),
        ((0.7, 0.5), (0.7, 0.5), (0.5, 0.5)),
        (None, (0.7, 0.5), (0.5, 0.2)),
    ),
    "non-degenerate": (
        ((0.3, 0.5), (0.3, 0.7), (0.3, 0.7)),
        ((0.3, 0.5), (0.3, 0.7), (0.3, 0.3)),
        ((0.7, 0.5), (0.7, 0.5), (0.7, 0.5)),
        (None, (0.7, 0.5), (0.7, 0.5)),
    ),
}

MORE = Experiment(
    "mocmab2018/more-objectives",
    "Three objectives, degenerate or not",
    "mocmab2018, section VI-B; the algorithm for three objectives is ours",
    (
        (
            "The paper leaves more than two objectives to future work. This package's MocMab then treats every "
            "objective but the last like the dominant one, among the arms that are left; nothing is promised for it. "
            "It is compared with CD-UCB1, which knows the first objective only."
        ),
        (
            "Both problems are the bumps of Figure 1 with a third objective. In the degenerate one the first two "
            "objectives decide everywhere; in the other one two arms tie in both of them, and only the third objective "
            "tells them apart. Scales as in mocmab2018/periodic."
        ),
    ),
    [
        Run(
            said,
            Bumps(centres=centres),
            {"MOC-MAB": tuned(lambda s: MocMab(scale=s)), "CD-UCB1": tuned(lambda s: CdUcb1(scale=s))},
            100_000,
            10,
            (REGRET,),
            record=50,
        )
        for said, centres in THREE.items()
    ],
    [
        Plot(
            "regret",
            REGRET,
            "Regret in three objectives: means over the trials, with 95 % bands.",
            parts=("objective 1", "objective 2", "objective 3"),
            vertical="regret",
        )
    ],
    (
        ordering(
            "mocmab2018/more-objectives/second",
            "MOC-MAB's regret in the second objective is below CD-UCB1's where the second objective decides",
            REGRET,
            ("MOC-MAB",),
            ("CD-UCB1",),
            runs=("degenerate",),
            components=(1,),
            target="not in the paper",
            differs="The second filter has the same tolerance of 2 v as the first: arms that differ by less in the "
            "second objective are left to the third, in which they hardly differ.",
        ),
        ordering(
            "mocmab2018/more-objectives/third",
            "MOC-MAB's regret in the third objective is below CD-UCB1's where the third objective decides",
            REGRET,
            ("MOC-MAB",),
            ("CD-UCB1",),
            runs=("non-degenerate",),
            components=(2,),
            target="not in the paper",
        ),
        level(
            "mocmab2018/more-objectives/regrets",
            "The regrets at the end",
            REGRET,
            ("MOC-MAB", "CD-UCB1"),
            target="not in the paper",
            components=None,
        ),
    ),
)


REMARKS = (TOLERANCE, PERIODIC, MORE)
