"""The theorems of every paper: how often events fail, and whether what follows is ever false.

The rows of a table are the statements that `mobandits.papers.protocol` looks at; what is counted of
them is the metric, such as "event: broken". The curves of the bounds have the bound's name as their
metric, and the rows of `BOUND`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from mobandits.figures.formatting import join_words
from mobandits.papers.check_theorems import ROUNDS, RUNS, check_theorems
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, Plot, RunOptions
from mobandits.papers.pages.paper_figures import BOUND
from mobandits.papers.protocol.files import bound_curves
from mobandits.papers.protocol.protocol import Count, Kind, Report

HALF = 0.5  # a bound of which less is used up says little about its truth
NORMAL = 1.959964  # the 97.5 % quantile
RUN = "theory"
FIELDS = ("runs", "cases", "broken", "closest")  # what the table has of a statement
OF_EVENTS = ("runs", "broken", "allowed", "closest")
MISTAKE = "This is a mistake in the program, in the theorem, or in how it is read here."
FAR = (
    "The largest ratio of a regret to its bound is {:.2g}: a regret so far below its bound does not "
    "tell whether the bound is right."
)
PROTOCOL = (
    f"{RUNS} independent runs of {ROUNDS:,} rounds, with the confidence widths that the theory "
    "asks for. An event fails in a run where it is false once, at any time. Where it holds, every "
    "inequality that the proof derives from it is looked at in every round, and the regret is "
    "held against its bound. Scale, horizon and delta are ours: the papers have no experiment of "
    "this kind. At such horizons the bounds lie far above any regret that is possible, so that "
    "the events and the inequalities of single rounds say more than the bounds do."
)


def wilson(failures: int, runs: int) -> tuple[float, float]:
    """The 95 % interval of Wilson's score for a probability.

    Args:
        failures: how often something happened.
        runs: how often it could have, at least 1.

    Example:
        >>> [round(end, 4) for end in wilson(0, 200)], [round(end, 4) for end in wilson(20, 200)]
        ([0.0, 0.0188], [0.0657, 0.1494])
    """
    share = failures / runs
    extra = NORMAL**2 / runs
    variance = share * (1.0 - share) / runs
    half_width = NORMAL * math.sqrt(variance + extra / (4.0 * runs))
    centre = share + extra / 2.0
    low = (centre - half_width) / (1.0 + extra)
    high = (centre + half_width) / (1.0 + extra)

    # Rounding may put an end just outside of what a probability can be.
    return max(low, 0.0), min(high, 1.0)


def counts_table(counts: Sequence[Count], rounds: int) -> pl.DataFrame:
    """What was counted: a row per statement and field."""
    rows = []
    for count in counts:
        fields = OF_EVENTS if count.kind == "event" else FIELDS
        for field in fields:
            value = float(getattr(count, field))
            rows.append((count.name, f"{count.kind}: {field}", value))

    table = pl.DataFrame(rows, ["policy", "metric", "value"], orient="row")

    return _as_results(table.with_columns(round=pl.lit(rounds)))


def curves_table(report: Report) -> pl.DataFrame:
    """The regret beside its bounds: a row per bound, round and curve."""
    # The rows of the figure that draws them, see `paper_figures.BOUND`.
    names = dict(zip(("mean", "highest", "bound"), BOUND, strict=True))
    wide = bound_curves(report).rename({"name": "metric", **names})
    long = wide.unpivot(BOUND, index=["metric", "round"], variable_name="policy")
    return _as_results(long)


def _as_results(table: pl.DataFrame) -> pl.DataFrame:
    """The columns of a table of results that a computed part makes."""
    rounds = pl.col("round").cast(pl.Int64)
    component = pl.lit(0).alias("component")
    return table.select("policy", rounds, "metric", component, "value")


def counting(paper: str) -> Callable[[int, RunOptions], pl.DataFrame]:
    """The runs of a paper's protocol, as a part of an experiment: trials are runs."""

    def compute(_trial: int, options: RunOptions) -> pl.DataFrame:
        # There is one trial, with all the runs.
        rounds = options.rounds_or(ROUNDS)
        report = check_theorems(
            paper,
            runs=options.trials_or(RUNS),
            rounds=rounds,
            seed=options.seed,
            workers=options.workers,
        )
        counts = counts_table(report.counts, rounds)
        if not report.curves:
            return counts

        return pl.concat([counts, curves_table(report)])

    return compute


def count_of(outcome: Outcome, row: str, kind: Kind, field: str) -> float:
    """One field of what was counted of a statement.

    Args:
        outcome: that it is read from.
        row: the statement.
        kind: of the statement.
        field: one of `FIELDS` or `OF_EVENTS`.
    """
    metric = f"{kind}: {field}"
    _, values = outcome.curves(RUN, row, metric)
    count = values[0, -1]
    return float(count)


def statements(outcome: Outcome, kind: Kind, *, tested: bool = True) -> list[str]:
    """The statements of a kind that were looked at at least once, or those that never were.

    Args:
        outcome: that they are read from.
        kind: of the statements, not "event".
        tested: which of them.
    """
    rows = []
    for row in outcome.rows(RUN):
        if f"{kind}: cases" in outcome.metrics(RUN, row):
            was_tested = count_of(outcome, row, kind, "cases") > 0.0
            if was_tested is tested:
                rows.append(row)

    return rows


@dataclass(frozen=True)
class TheoryCheck(Claim):
    """A check of a theory, of which a mistake is spoken only where something is violated."""

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json."""
        entry = super().judge(outcome)
        is_violated = entry["holds"] is False
        return entry | {"differs": MISTAKE if is_violated else ""}


@dataclass(frozen=True)
class NeverFalse(TheoryCheck):
    """A claim on all statements of a kind.

    Its note names those that were never put to the test, and says where bounds are far away.

    Args:
        statement: the kind of the statements.
    """

    statement: Kind = "inequality"

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json."""
        entry = super().judge(outcome)
        sentences = []
        missing = statements(outcome, self.statement, tested=False)
        if missing:
            sentences.append(f"Never put to the test: {join_words(missing)}.")
        if self.statement != "inequality":
            sentences.append(self.distance(outcome))

        return entry | {"note": " ".join(filter(None, sentences))}

    def distance(self, outcome: Outcome) -> str:
        """A sentence on bounds of which all are far away; empty where one is near."""
        rows = statements(outcome, self.statement)
        used = [count_of(outcome, row, self.statement, "closest") for row in rows]
        # That nothing happened far away is little evidence.
        if not used or max(used) >= HALF:
            return ""

        return FAR.format(max(used))


def event(paper: str, what: str, name: str, source: str) -> Claim:
    """An event fails as rarely as promised."""

    def parts(outcome: Outcome) -> list[Part]:
        runs = int(count_of(outcome, name, "event", "runs"))
        broken = int(count_of(outcome, name, "event", "broken"))
        allowed = count_of(outcome, name, "event", "allowed")
        # With very few runs no count would be too many, so that the rule cannot decide.
        holds = broken <= allowed if allowed < runs else None
        share = broken / runs
        number = f"{name}: share of runs in which this fails"

        return [Part(number, share, wilson(broken, runs), holds, runs)]

    promise = "at most delta = 1/T" if paper == "mocmab2018" else "at most delta, here 0.1"
    return TheoryCheck(
        f"{paper}/theory/{what}",
        f"{source}: its event ({name}) fails with a probability of at most delta",
        promise,
        "it fails in at most n delta + 3 sqrt(n delta (1 - delta)) of n runs; the interval is "
        "Wilson's",
        parts,
        kind="check",
    )


def inequalities(paper: str) -> Claim:
    """All inequalities hold, in every round that they are looked at."""
    claim = "Every inequality that follows from the events holds in every round"
    return never_false(f"{paper}/theory/inequalities", claim, "inequality")


def bounds(paper: str) -> Claim:
    """No regret exceeds its bound."""
    claim = "The regret never exceeds its bound where the event holds"
    return never_false(f"{paper}/theory/bounds", claim, "bound")


def never_false(id: str, claim: str, statement: Kind) -> Claim:  # noqa: A002 - as in Claim
    """No statement of a kind is ever violated."""

    def parts(outcome: Outcome) -> list[Part]:
        rows = statements(outcome, statement)
        return [_violations(outcome, row, statement) for row in rows]

    rule = "each: not one violation in the runs in which the event holds"

    return NeverFalse(id, claim, "never false", rule, parts, kind="check", statement=statement)


def expectations(paper: str) -> Claim:
    """No mean regret exceeds the bound on its expectation."""

    def parts(outcome: Outcome) -> list[Part]:
        numbers = []
        for row in statements(outcome, "expectation"):
            ratio = count_of(outcome, row, "expectation", "closest")
            broken = count_of(outcome, row, "expectation", "broken")
            runs = int(count_of(outcome, row, "expectation", "runs"))
            holds = broken == 0.0
            numbers.append(Part(f"{row}: mean over its bound", ratio, None, holds, runs))

        return numbers

    return NeverFalse(
        f"{paper}/theory/expectations",
        "The mean regret of all runs is at most the bound on the expected regret",
        "at most 1",
        "each: the mean is at most its bound and three standard errors",
        parts,
        kind="check",
        statement="expectation",
    )


def _violations(outcome: Outcome, row: str, kind: Kind) -> Part:
    cases = count_of(outcome, row, kind, "cases")
    broken = count_of(outcome, row, kind, "broken")
    runs = count_of(outcome, row, kind, "runs")
    name = f"{row}: violations in {cases:,.0f} cases"
    holds = broken == 0.0

    return Part(name, broken, None, holds, int(runs))


def slack(paper: str) -> Claim:
    """How near the regret comes to the bounds that are not in doubt: a question of ours."""
    claim = "How much of its bound the regret uses up at most"
    parts = _ratios("bound")
    return Claim(
        f"{paper}/theory/slack", claim, "not in the paper", "none: reported", parts, kind="ours"
    )


def doubted_bounds(paper: str, claim: str) -> Claim:
    """How near the regret comes to the bounds whose proof has a gap."""
    parts = _ratios("doubted")
    return Claim(
        f"{paper}/theory/doubted", claim, "at most 1", "none: reported", parts, kind="check"
    )


def _ratios(statement: Kind) -> Callable[[Outcome], list[Part]]:
    def parts(outcome: Outcome) -> list[Part]:
        numbers = []
        for row in statements(outcome, statement):
            ratio = count_of(outcome, row, statement, "closest")
            runs = int(count_of(outcome, row, statement, "runs"))
            numbers.append(Part(f"{row}: largest ratio to its bound", ratio, None, None, runs))

        return numbers

    return parts


def experiment(
    paper: str,
    title: str,
    source: str,
    about: Sequence[str],
    events: Mapping[str, tuple[str, str]],
    doubts: str = "",
    *,
    expected: bool = False,
) -> Experiment:
    """The theory of a paper.

    Args:
        paper: its key.
        title: a line on it.
        source: theorems and lemmas.
        about: what is played, and what has to be known about the statements.
        events: {what the claim is called: (the event's name in `check_theorems`, where it is
            stated)}.
        doubts: a sentence on the bounds whose proof has a gap; empty: there are none.
        expected: whether bounds on expected regrets are among the statements.
    """
    # In the order of the proofs: events, what follows in every round, what follows for sums.
    claims = [event(paper, what, name, where) for what, (name, where) in events.items()]
    claims += [inequalities(paper), bounds(paper), slack(paper)]
    if expected:
        claims.append(expectations(paper))
    if doubts:
        claims.append(doubted_bounds(paper, doubts))

    settings = {"runs": RUNS, "horizon": ROUNDS}
    own_scale = {"rounds": ROUNDS, "trials": RUNS}
    part = Computed(RUN, counting(paper), settings=settings, scale=own_scale)
    plot = Plot(
        "bounds",
        "regret",
        "Regret beside its bound, on logarithmic axes: the mean and the largest of the runs in "
        "which the event holds, and the mean of the bound.",
        kind="bounds",
    )

    return Experiment(
        f"{paper}/theory", title, f"{paper}, {source}", (*about, PROTOCOL), [part], [plot], claims
    )


MOGLB2019 = experiment(
    "moglb2019",
    "Theorems 1 and 2 of MOGLB-UCB: ellipsoids and Pareto regret",
    "Theorems 1 and 2, Corollary 1",
    (
        (
            "MOGLB-UCB with the theory's squared radius, on the paper's problem with five "
            "features. The radius is damaged in the text that we have and was restored from the "
            "proof; whether its logarithm has m or 2 m objectives over delta cannot be seen "
            "there, and makes no difference here."
        ),
    ),
    {"ellipsoid": ("every theta in its ellipsoid, at all times", "Theorem 1")},
)

PCZ2018 = experiment(
    "pcz2018",
    "Theorem 1 of PCZ: balls that know their centres, gaps and regret",
    "Lemmas 1 to 5, section 5, Theorem 1, Corollary 1",
    (
        (
            "The paper's own surface violates the Lipschitz assumption (its steepest slope is "
            "9.06), so its ridges are divided by that. On them the balls stay so large that no "
            "inequality could fail in 2,000 rounds. The second surface, two gables with 200 times "
            "less noise and an uncertainty that is scaled down likewise, was made so that the "
            "inequalities can fail."
        ),
        (
            "The proof conditions on the set of balls, which depends on the rewards; a union "
            "bound over the rounds in which balls are created repairs it."
        ),
        (
            "The bound of Lemma 5 is the least over r0, with packing numbers of at most 3.72 / "
            "r^2. Corollary 1 has runs of its own, with delta = 1/T."
        ),
    ),
    {
        "ridges": ("ridges: every ball knows its centre, at all times", "Lemma 1"),
        "gables": ("gables: every ball knows its centre, at all times", "Lemma 1"),
    },
    expected=True,
)

MOCMAB2018 = experiment(
    "mocmab2018",
    "Theorems 1 to 3 of MOC-MAB: both regrets and the Pareto regret",
    "Lemmas 1 to 6, Theorems 1 to 3",
    (
        (
            "MOC-MAB unscaled, with the true Lipschitz constant. On the paper's bumps the "
            "confidence never drops below 1 within 2,000 rounds, so that inequalities of single "
            "rounds cannot fail, and Lemma 3, which needs a sure leader, is never put to the "
            "test. The ramps, five arms whose means differ by up to 20 and change little with the "
            "context, were made so that both can."
        ),
        (
            "Lemmas 5 and 6 bound the regret within every cell, after every visit of it; their "
            "curves are those of the cell with the most visits. Theorem 2 and the second half of "
            "Theorem 3 are about expectations: they are held against the mean over all runs, "
            "whether the event holds in them or not."
        ),
    ),
    {
        "bumps": ("bumps: means within u + v, in all rounds", "Lemma 1"),
        "ramps": ("ramps: means within u + v, in all rounds", "Lemma 1"),
    },
    expected=True,
)

MOLTS2025 = experiment(
    "molts2025",
    "Theorem 2 of MOL-TS: ellipsoids, samples, optimism and effective regret",
    "Lemma 1, Theorem 2, Corollary 1",
    (
        (
            "MOL-TS and MOL-UCB with the theory's radius, 20 arms, three features and three "
            "objectives, arms drawn anew in every round. The radius is the larger of the printed "
            "one and the self-normalised bound, which is larger for one feature only. Lemma 1 is "
            "looked at with 2,000 samples per run of a fixed arm, and granted five standard "
            "deviations; its number of draws is that of the main text, the appendix has one less. "
            "The bound for MOL-UCB is ours, after moglb2019."
        ),
        (
            "The proof of Theorem 2 compares with an arm that depends on the samples, while Lemma "
            "1 is about a fixed arm. That the bound is not exceeded here does not close this gap: "
            "it lies far above the regret."
        ),
    ),
    {
        "ellipsoid-ucb": ("MOL-UCB: every theta in its ellipsoid, at all times", "Event E"),
        "ellipsoid-ts": ("MOL-TS: every theta in its ellipsoid, at all times", "Event E"),
        "samples": ("all samples within c2 of their estimates", "Event E~"),
    },
)

MOSLB2024 = experiment(
    "moslb2024",
    "Theorems 1 and 2 of MOSLB-PC and MOSLB-PL: exploration and first digits",
    "Theorems 1 and 2",
    (
        (
            "Both policies with alpha = 1 and epsilon = 0.1 on four fixed arms with two features "
            "and four objectives. The noise is a tenth of the paper's, so that exploration ends "
            "within 2,000 rounds."
        ),
        (
            "With two or more chains, what the theorem says of digits after the first does not "
            "follow from the paper's definition of the gap; with one chain it does. MOSLB-PC's "
            "filter can drop the best arm from the second objective on, and MOSLB-PL's fronts of "
            "upper bounds can miss arms that are truly best in the levels before. These bounds "
            "are reported, not judged."
        ),
    ),
    {
        "ellipsoid-pl": ("MOSLB-PL: every theta in its ellipsoid, at all times", "Theorem 2"),
        "ellipsoid-pc-two-chains": (
            "MOSLB-PC, two chains: every theta in its ellipsoid, at all times",
            "Theorem 1",
        ),
        "ellipsoid-pc-one-chain": (
            "MOSLB-PC, one chain: every theta in its ellipsoid, at all times",
            "Theorem 1",
        ),
    },
    "The second digits of Theorems 1 and 2, whose proof has a gap, against their bounds",
)
