"""Tables and the page of entries: scores by environment, and ranks where there are several."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from mobandits.comparison.comparing import average_ranks
from mobandits.comparison.pairing import PairedValues
from mobandits.figures.comparison_figures import draw_ranks
from mobandits.figures.formatting import UNKNOWN, number_or_dash, plus_minus, spoken
from mobandits.figures.page import Picture, Table, draw_picture, render, write_page
from mobandits.figures.provenance import Provenance, RunFacts
from mobandits.suite.definition import Suite
from mobandits.suite.entries import Entry
from mobandits.suite.playing import REGRET
from mobandits.support.naming import quantity

# Metrics beside the regret that scores, which is another one where a preference is given.
BESIDE = ("max_min_regret", "front_recall", "play_entropy")
DIGITS = 3  # of scores


@dataclass(frozen=True)
class SuitePage:
    """The content of `suite.html`.

    Args:
        title: the suite, and who entered.
        lead: what the score is.
        notes: sentences on the scoring, and entries that were refused.
        board: entries by rank; None where there is one.
        ranks: the figure of them.
        scores: a row per environment, a column per entry.
        entries: (name, table) each, with all metrics.
        reasons: (environment, entry, text): why it was not played.
        provenance: versions, machines and recipes.
    """

    title: str
    lead: str
    notes: Sequence[str]
    board: Table | None
    ranks: Picture | None
    scores: Table | None
    entries: Sequence[tuple[str, Table]]
    reasons: Sequence[tuple[str, str, str]]
    provenance: Provenance


LEAD = (
    "The score is 1 − regret / regret of uniform play, over all trials: 0 is uniform play, 1 the "
    "oracle's policy. The regret is the effective Pareto regret, or the gap of an environment's own "
    "order. An entry that cannot play an environment scores 0 there, without decimals. ± is half of "
    "a 95 % interval."
)


def played_by_all(suite: Suite, entries: Sequence[Entry]) -> list[str]:
    """The environments that were there for all entries, in the order of the suite."""
    names = [setting.name for setting in suite.settings]
    return [name for name in names if all(name in entry.present for entry in entries)]


def entry_table(suite: Suite, entry: Entry) -> Table:
    """The scores and metrics of an entry: a row per environment."""
    header = ["environment", "score", "regret", *(spoken(name) for name in BESIDE), "ns per round"]
    rows = []
    for setting in suite.settings:
        name = setting.name
        if name not in entry.present:
            rows.append([name, *[UNKNOWN] * (len(header) - 1)])
            continue

        means = entry.means(name)
        regret = number_or_dash(means.get(REGRET), 1)
        own = score_text(entry, name, entry.score([name]))
        beside = [number_or_dash(means.get(metric), 2) for metric in BESIDE]
        time = entry.times.get(name)
        clock = UNKNOWN if time is None else f"{time:,.0f}"
        rows.append([name, own, regret, *beside, clock])

    present = entry.present
    total = plus_minus(*entry.score(present), DIGITS)
    caption = f"{entry.entry}: {total} over {len(present)} of {len(suite.settings)} environments"

    return Table(header, rows, caption)


def score_text(entry: Entry, name: str, score: tuple[float, float, float]) -> str:
    """A score in an environment, without decimals where the entry cannot play it."""
    return plus_minus(*score, DIGITS) if "trials" in entry.environments[name] else "0"


def ranks_of(suite: Suite, entries: Sequence[Entry]) -> pl.DataFrame:
    """Average ranks of entries over all environments, the best first, as of `average_ranks`."""
    problems = []
    names = tuple(entry.entry for entry in entries)
    for name in played_by_all(suite, entries):
        scores = pl.DataFrame({entry.entry: entry.scores(name) for entry in entries})
        problems.append(PairedValues(suite.name, name, 0, names, scores.to_numpy()))

    return average_ranks(problems, "larger")


def board_table(suite: Suite, entries: Sequence[Entry]) -> Table:
    """The leaderboard: a row per entry, the best mean rank first."""
    common = played_by_all(suite, entries)
    by_name = {entry.entry: entry for entry in entries}
    rows = []
    ranks = ranks_of(suite, entries)
    for row in ranks.rows(named=True):
        entry = by_name[row["policy"]]
        total = plus_minus(*entry.score(common), DIGITS)
        able = [name for name in common if "trials" in entry.environments[name]]
        rows.append([entry.entry, f"{row['rank']:.2f}", total, f"{len(able)} of {len(common)}"])

    difference = ranks["critical_difference"][0]
    caption = (
        f"Mean ranks over {quantity(len(common), 'environment')}; two entries differ where theirs "
        f"are more than {difference:.2f} apart (Nemenyi, 5 %)."
    )

    return Table(["entry", "mean rank", "score", "can play"], rows, caption)


def scores_table(suite: Suite, entries: Sequence[Entry]) -> Table:
    """The mean scores: a row per environment, a column per entry."""
    rows = []
    for name in played_by_all(suite, entries):
        cells = []
        for entry in entries:
            mean, _, _ = entry.score([name])
            cells.append(score_text(entry, name, (mean, mean, mean)))

        rows.append([name, *cells])

    return Table(["environment", *(entry.entry for entry in entries)], rows)


def reasons_of(entry: Entry) -> list[tuple[str, str, str]]:
    """(environment, entry, text) where an entry has no trials."""
    reasons = []
    for name, played in entry.environments.items():
        if "absent" in played:
            reasons.append((name, "all: skipped", played["absent"]))
        elif "reason" in played:
            reasons.append((name, f"{entry.entry}: 0", played["reason"]))

    return reasons


def write_suite_page(
    folder: Path, suite: Suite, entries: Sequence[Entry], refused: Sequence[str]
) -> Path:
    """Draw the page of some entries, and return its path.

    Args:
        folder: where it is written, with a folder `figures` where there are ranks.
        suite: with the scoring that all entries belong to.
        entries: at least one.
        refused: sentences on entries that are left out.
    """
    folder.mkdir(parents=True, exist_ok=True)
    several = len(entries) > 1
    ordered = list(entries)
    board = picture = scores = None
    if several:
        ranks = ranks_of(suite, entries)
        places = {name: i for i, name in enumerate(ranks["policy"])}
        ordered.sort(key=lambda entry: places[entry.entry])
        draw = functools.partial(draw_ranks, ranks, "score")
        alt = "Mean rank of each entry; bars join entries that do not differ."
        picture = draw_picture(draw, folder / "figures", "ranks", alt)
        board = board_table(suite, ordered)
        scores = scores_table(suite, ordered)

    who = quantity(len(entries), "entry", "entries") if several else entries[0].entry
    seeds = f"{suite.trials} trials, seeds of the token “{suite.token}”"
    reasons = dict.fromkeys(reason for entry in ordered for reason in reasons_of(entry))
    page = SuitePage(
        title=f"{suite.name}, version {suite.version}: {who}",
        lead=LEAD,
        notes=[seeds, *refused],
        board=board,
        ranks=picture,
        scores=scores,
        entries=[(entry.entry, entry_table(suite, entry)) for entry in ordered],
        reasons=list(reasons),
        provenance=suite_provenance(suite, ordered),
    )

    return write_page(folder, render("suite.html", page))


def suite_provenance(suite: Suite, entries: Sequence[Entry]) -> Provenance:
    """The foot of the page: environments, and the recipe, versions and machine of each entry."""
    tested = [(each.name, f"{each.tests}: {each.environment!r}") for each in suite.settings]
    runs = [RunFacts("Environments", tested, [])]
    for entry in entries:
        computed = {**entry.versions, **entry.machine}
        settings = [(key, str(value)) for key, value in computed.items()]
        runs.append(RunFacts(entry.entry, [("recipe", str(entry.recipe))], settings))

    return Provenance([], runs)
