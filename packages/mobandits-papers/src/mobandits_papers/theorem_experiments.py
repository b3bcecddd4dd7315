"""The theorems of every paper: how often events fail, and whether what follows is ever false.

The rows of a table are the statements that `mobandits_papers.protocol` looks at; what is counted of
them is the metric, such as "event: broken". The curves of the bounds have the bound's name as their
metric, and the rows that `pages.regret_bounds` names.
"""

from collections.abc import Callable, Sequence

import polars as pl

from mobandits.comparison.pairs import wilson_interval
from mobandits.figures.formatting import join_words
from mobandits_papers.check_theorems import PAPERS, ROUNDS, RUNS, check_theorems
from mobandits_papers.claims import Entry, Revise, noted
from mobandits_papers.described import described, tables_of
from mobandits_papers.experiment import Computed, Experiment, RunOptions
from mobandits_papers.numbers import Part, Parts
from mobandits_papers.outcome import Outcome
from mobandits_papers.pages.regret_bounds import bounds_rows
from mobandits_papers.protocol.files import bound_curves
from mobandits_papers.protocol.protocol import Count, Kind, Report
from mobandits_papers.rows import rows_of_counts

HALF = 0.5  # a bound of which less is used up says little about its truth
RUN = "theory"
FIELDS = ("runs", "cases", "broken", "closest")  # what the table has of a statement
OF_EVENTS = ("runs", "broken", "allowed", "closest")
VIOLATIONS = "violations in {cases:,.0f} cases"
MISTAKE = "This is a mistake in the program, in the theorem, or in how it is read here."
FAR = (
    "The largest ratio of a regret to its bound is {:.2g}: a regret so far below its bound does not "
    "tell whether the bound is right."
)


def counts_table(counts: Sequence[Count], rounds: int) -> pl.DataFrame:
    """What was counted: a row per statement and field."""
    values = {}
    for count in counts:
        for field in OF_EVENTS if count.kind == "event" else FIELDS:
            values[count.name, f"{count.kind}: {field}"] = float(getattr(count, field))

    return rows_of_counts(values, rounds)


def curves_table(report: Report) -> pl.DataFrame:
    """The regret beside its bounds: a row per bound, round and curve."""
    rows = bounds_rows(bound_curves(report))
    rounds = pl.col("round").cast(pl.Int64)
    return rows.select("policy", "metric", pl.lit(0, pl.Int64).alias("component"), rounds, "value")


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


def counted(outcome: Outcome, row: str, kind: Kind) -> dict[str, float]:
    """What was counted of a statement of a kind, {field: number}; nothing of one of another kind."""
    start = f"{kind}: "
    fields = {}
    for metric in outcome.metrics(RUN, row):
        if metric.startswith(start):
            _, values = outcome.curves(RUN, row, metric)
            fields[metric.removeprefix(start)] = float(values[0, -1])

    return fields


def statements(outcome: Outcome, kind: Kind, *, tested: bool = True) -> dict[str, dict[str, float]]:
    """What was counted of the statements of a kind that were looked at, or of those never so.

    Args:
        outcome: that it is read from.
        kind: of the statements, not "event".
        tested: which of them.
    """
    counts = {row: counted(outcome, row, kind) for row in outcome.rows(RUN)}
    return {
        row: count for row, count in counts.items() if count and (count["cases"] > 0.0) is tested
    }


def mistaken(entry: Entry, _outcome: Outcome) -> Entry:
    """A mistake is spoken of only where something is violated."""
    is_violated = entry["holds"] is False
    sentence = MISTAKE if is_violated else ""
    return {"differs": sentence}


def never_tested(kind: Kind) -> Revise:
    """Names the statements that were never put to the test, and says where bounds are far away."""

    def sentences(outcome: Outcome) -> str:
        missing = statements(outcome, kind, tested=False)
        untested = f"Never put to the test: {join_words(list(missing))}." if missing else ""
        far = "" if kind == "inequality" else distance(outcome, kind)
        return f"{untested} {far}".strip()

    note = noted(sentences)
    return lambda entry, outcome: note(entry, outcome) | mistaken(entry, outcome)


def distance(outcome: Outcome, kind: Kind) -> str:
    """A sentence on bounds of which all are far away; empty where one is near."""
    used = [count["closest"] for count in statements(outcome, kind).values()]
    # That nothing happened far away is little evidence.
    if not used or max(used) >= HALF:
        return ""

    return FAR.format(max(used))


def event(name: str) -> Parts:
    """An event fails as rarely as promised."""

    def parts(outcome: Outcome) -> list[Part]:
        count = counted(outcome, name, "event")
        runs = count["runs"]
        # With very few runs no count would be too many, so that the rule cannot decide.
        holds = count["broken"] <= count["allowed"] if count["allowed"] < runs else None
        number = f"{name}: share of runs in which this fails"
        share = count["broken"] / runs

        return [Part(number, share, wilson_interval(share, int(runs)), holds, int(runs))]

    return parts


def of_statements(kind: Kind, said: str, field: str, *, decided: bool = True) -> Parts:
    """A number of every statement of a kind that was looked at.

    Args:
        kind: of the statements.
        said: what the number is, with the cases between braces.
        field: the number, one of `FIELDS`.
        decided: whether a statement must never be false; otherwise nothing is asked of it.
    """

    def parts(outcome: Outcome) -> list[Part]:
        numbers = []
        for row, count in statements(outcome, kind).items():
            name = f"{row}: {said.format(cases=count['cases'])}"
            holds = count["broken"] == 0.0 if decided else None
            numbers.append(Part(name, count[field], None, holds, int(count["runs"])))

        return numbers

    return parts


def experiment(paper: str) -> Experiment:
    """The theory of a paper."""
    theory = f"{paper}/theory"
    (texts,) = tables_of(theory, [], {})
    events = texts["events"]  # {claim: the event's name in `check_theorems`}
    # In the order of the proofs: events, what follows in every round, what follows for sums.
    parts = {
        **{what: event(name) for what, name in events.items()},
        "inequalities": of_statements("inequality", VIOLATIONS, "broken"),
        "bounds": of_statements("bound", VIOLATIONS, "broken"),
        "expectations": of_statements("expectation", "mean over its bound", "closest"),
        # How near the regret comes to a bound whose proof has a gap.
        "doubted": of_statements("doubted", "largest ratio to its bound", "closest", decided=False),
    }
    revise = {
        **dict.fromkeys(events, mistaken),
        "inequalities": never_tested("inequality"),
        "bounds": never_tested("bound"),
        "expectations": never_tested("expectation"),
    }
    settings = {"runs": RUNS, "horizon": ROUNDS}
    scale = {"rounds": ROUNDS, "trials": RUNS}
    part = Computed(RUN, counting(paper), settings=settings, scale=scale)

    return described(theory, [part], parts, revise=revise)


EXPERIMENTS = {paper: experiment(paper) for paper in PAPERS}
