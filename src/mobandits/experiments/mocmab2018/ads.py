"""Figure 3 of mocmab2018, display advertising: on a synthetic stand-in, or on the log for those who have it."""

from mobandits.environments import DisplayAds
from mobandits.experiments.claims import Claim, Outcome, Part, percentage, resample
from mobandits.experiments.experiment import Experiment, Run
from mobandits.experiments.mocmab2018.shared import (
    CD,
    CHOSEN,
    CP,
    CS,
    MOC,
    SCALES,
    P,
    S,
    in_order,
    percentages,
    reward_plot,
    rows,
    unbeaten,
)
from mobandits.kernel.protocols import Environment

DAY = 4_681_992  # lines of the log's first day
GRIDS = (
    "To keep the run affordable only MOC-MAB has all seven scales here, CD-UCB1 has 1, 1/5, 1/10 and 1/30, and the "
    "others, whose choices hardly depend on it, 1 and 1/30. MOC-MAB leaves its first stage in a cell after 279,000 "
    "plays of the leader at scale 1, 1,240 at 1/15 and 310 at 1/30; a cell has 714 rounds on average. Its share is "
    "thus decided by the scale."
)
ADS_GRIDS = {
    MOC: tuple(SCALES),
    CD: ("1", "1/5", "1/10", "1/30"),
    **dict.fromkeys((CP, CS, P, S), ("1", "1/30")),
}
ADS_DOMINANT = {CP: 54.5, CS: 133.6, P: 54.5, S: 131.8, CD: -22.3}
ADS_OTHER = {CP: -46.3, CS: -60.0, P: -46.3, S: -59.7, CD: 4751.9}
STAND_IN = "The numbers are of a synthetic stand-in: the paper's log needs a licence and is not part of this package."


def display_run(environment: Environment, rounds: int, trials: int = 4) -> Run:
    """The six policies on advertisements.

    Args:
        environment: `DisplayAds`, with or without the log.
        rounds: how many; with the log at most its `max_rounds`.
        trials: how many.

    Example:
        >>> from mobandits.environments import DisplayAds
        >>> len(display_run(DisplayAds(), 1000).recipes())
        19
    """
    policies = rows("reward", highest=True, beta=0.1, grids=ADS_GRIDS)
    return Run("advertisements", environment, policies, rounds, trials, ("reward",), 50, 1)


def share(id: str, row: str, target: float, *, tolerance: float | None, differs: str = "") -> Claim:  # noqa: A002 - as above
    """In how many per cent of the rounds a row shows the advertisement: the other objective counts the rest."""

    def parts(outcome: Outcome) -> list[Part]:
        rounds, values = outcome.curves(outcome.runs()[0], row, "reward", 1)
        value, ends = resample(100.0 * (1.0 - values[:, -1:] / rounds[-1]), lambda means: means[0])
        holds = None if tolerance is None else abs(value - target) <= tolerance
        return [Part(f"{row} shows, %", value, ends, holds, len(values))]

    rule = "none: the data are a stand-in" if tolerance is None else f"within {tolerance:g} points, whatever the data"
    return Claim(
        id, f"{row} shows the advertisement in {target:g} % of the rounds", f"{target:g} %", rule, parts, differs
    )


FIG3 = Experiment(
    "mocmab2018/fig3",
    "Total rewards of showing advertisements, on a synthetic stand-in",
    "mocmab2018, Figure 3 (experiment 3)",
    (
        (
            "SYNTHETIC: the paper replays the first day of Yahoo! Webscope R6A, which needs a licence and is not "
            "shipped. Here visitors and articles are drawn, and the bias of the clicks is set to the log's click rate "
            "of 4.07 %. Orders and shares can be compared, numbers cannot."
        ),
        (
            "Show an advertisement, which pays 1 in the dominant objective for a click, or do not, which pays 1 in the "
            "other: as many rounds as the log's first day has lines, 9 parts per side of a four-dimensional context, "
            "beta = 0.1. The paper does not say how often it ran; four trials here, each with articles of its own. The "
            "paper's percentages imply how often each policy shows: a half (P, CP), a third (S, CS), 99.4 % (CD), 73 % "
            "(MOC-MAB)."
        ),
        (
            'With the log: display_run(DisplayAds("ydata-fp-td-clicks-v1_0.20090501.gz"), rounds), of '
            "mobandits.experiments.mocmab2018.ads, has the same policies; docs/papers/mocmab2018.md has the lines that "
            "run it."
        ),
        CHOSEN,
    ),
    [display_run(DisplayAds(), DAY)],
    [reward_plot("Clicks, and advertisements not shown, on synthetic data: means over the trials, with 95 % bands.")],
    (
        in_order(
            "mocmab2018/fig3/dominant-order",
            "The order of the policies in clicks",
            "reward",
            ((CD,), (MOC,), (P, CP), (S, CS)),
            differs=STAND_IN,
        ),
        in_order(
            "mocmab2018/fig3/other-order",
            "The reversed order in advertisements not shown",
            "reward",
            ((S, CS), (P, CP), (MOC,), (CD,)),
            component=1,
            differs=STAND_IN,
        ),
        unbeaten("mocmab2018/fig3/unbeaten", "reward", (CD, CP, CS, P, S), STAND_IN),
        *(share(f"mocmab2018/fig3/{row[:2].strip('-').lower()}-share", row, 50.0, tolerance=3.0) for row in (P, CP)),
        *(
            share(f"mocmab2018/fig3/{row[:2].strip('-').lower()}-share", row, 100.0 / 3.0, tolerance=3.0)
            for row in (S, CS)
        ),
        share("mocmab2018/fig3/cd-share", CD, 99.4, tolerance=None, differs=STAND_IN),
        share("mocmab2018/fig3/moc-share", MOC, 73.0, tolerance=None, differs=STAND_IN),
        *(
            percentage(
                f"mocmab2018/fig3/{with_context.partition('-')[0].lower()}-like-{without[0].lower()}",
                f"{with_context} collects as many clicks as {without}: context hardly matters to it",
                "reward",
                with_context,
                without,
                target,
                tolerance=3.0,
                differs=STAND_IN,
            )
            for with_context, without, target in ((CP, P, 0.0), (CS, S, -0.8))
        ),
        *percentages("mocmab2018/fig3", ADS_DOMINANT, 0, STAND_IN),
        *percentages("mocmab2018/fig3", ADS_OTHER, 1, STAND_IN),
    ),
)
