"""Tables and the page of entries: scores by environment, and ranks where there are several."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from mobandits.comparison.comparing import average_ranks
from mobandits.comparison.pairing import PairedValues
from mobandits.figures.comparison_figures import draw_ranks
from mobandits.figures.formatting import UNKNOWN, number_or_dash, plus_minus
from mobandits.figures.page import Picture, Table, draw_picture, render, write_page
from mobandits.figures.provenance import Provenance, RunFacts
from mobandits.suite.definition import Suite
from mobandits.suite.entries import Entry
from mobandits.support.naming import quantity

DIGITS = 3  # of scores


@dataclass(frozen=True)
class SuitePage:
    """The content of `suite.html`.

    Args:
        word: for an environment.
        title: the suite, and who entered.
        lead: what the score is.
        notes: sentences on the scoring, and entries that were refused.
        board: entries by rank; None where there is one.
        ranks: the figure of them; None in a suite without ranks.
        scores: a row per environment, a column per entry.
        entries: (name, table) each, with all metrics.
        reasons: (environment, entry, text): why it was not played.
        provenance: versions, machines and recipes.
    """

    word: str
    title: str
    lead: str
    notes: Sequence[str]
    board: Table | None
    ranks: Picture | None
    scores: Table | None
    entries: Sequence[tuple[str, Table]]
    reasons: Sequence[tuple[str, str, str]]
    provenance: Provenance


def scored_by_all(suite: Suite, entries: Sequence[Entry]) -> list[str]:
    """The environments with a score that were there for all entries, in the order of the suite."""
    names = [setting.name for setting in suite.settings]
    return [name for name in names if all(name in entry.scored for entry in entries)]


def entry_table(suite: Suite, entry: Entry) -> Table:
    """The scores and metrics of an entry: a row per environment."""
    header = [suite.word, "score", *(column.header for column in suite.columns)]
    if entry.times:
        header.append("ns per round")

    rows = []
    for setting in suite.settings:
        name = setting.name
        if name not in entry.present:
            rows.append([name, *[UNKNOWN] * (len(header) - 1)])
            continue

        means = entry.means(name)
        is_scored = name in entry.scored
        own = score_text(entry, name, entry.score([name])) if is_scored else UNKNOWN
        shown = [number_or_dash(means.get(each.metric), each.digits) for each in suite.columns]
        time = entry.times.get(name)
        clock = UNKNOWN if time is None else f"{time:,.0f}"
        rows.append([name, own, *shown, *([clock] if entry.times else [])])

    scored = entry.scored
    total = plus_minus(*entry.score(scored), DIGITS)
    count = quantity(len(suite.settings), suite.word)
    caption = f"{entry.entry}: {total} over {len(scored)} of {count}"

    return Table(header, rows, caption)


def score_text(entry: Entry, name: str, score: tuple[float, float, float]) -> str:
    """A score in an environment, without decimals where the entry cannot play it."""
    return plus_minus(*score, DIGITS) if "trials" in entry.environments[name] else "0"


def ranks_of(suite: Suite, entries: Sequence[Entry]) -> pl.DataFrame:
    """Average ranks of entries over all environments, the best first, as of `average_ranks`."""
    problems = []
    names = tuple(entry.entry for entry in entries)
    for name in scored_by_all(suite, entries):
        scores = pl.DataFrame({entry.entry: entry.scores(name) for entry in entries})
        problems.append(PairedValues(suite.name, name, 0, names, scores.to_numpy()))

    return average_ranks(problems, "larger")


def by_rank(suite: Suite, entries: Sequence[Entry]) -> list[Entry]:
    """Entries, the best first: by mean rank, or by score where a suite has no ranks."""
    if suite.is_ranked:
        places = {name: i for i, name in enumerate(ranks_of(suite, entries)["policy"])}
        return sorted(entries, key=lambda entry: places[entry.entry])

    common = scored_by_all(suite, entries)
    return sorted(entries, key=lambda entry: -entry.score(common)[0])


def board_table(suite: Suite, entries: Sequence[Entry]) -> Table:
    """The leaderboard: a row per entry, the best first."""
    common = scored_by_all(suite, entries)
    count = quantity(len(common), suite.word)
    caption = f"Mean scores over {count}."
    ranks = {}
    if suite.is_ranked:
        table = ranks_of(suite, entries)
        ranks = dict(zip(table["policy"], table["rank"], strict=True))
        difference = table["critical_difference"][0]
        caption = (
            f"Mean ranks over {count}; two entries differ where theirs are more than "
            f"{difference:.2f} apart (Nemenyi, 5 %)."
        )

    rows = []
    for entry in by_rank(suite, entries):
        total = plus_minus(*entry.score(common), DIGITS)
        able = [name for name in common if "trials" in entry.environments[name]]
        rank = [f"{ranks[entry.entry]:.2f}"] if suite.is_ranked else []
        worst = [
            number_or_dash(worst_mean(entry, each.metric), each.digits) for each in suite.worst
        ]
        rows.append([entry.entry, *rank, total, *worst, f"{len(able)} of {len(common)}"])

    header = ["entry", *(["mean rank"] if suite.is_ranked else []), "score"]
    header += [each.header for each in suite.worst]

    return Table([*header, "can play"], rows, caption)


def worst_mean(entry: Entry, metric: str) -> float | None:
    """The largest mean of a metric in all environments; None where it is in none."""
    means = [entry.means(name) for name in entry.present]
    return max((each[metric] for each in means if metric in each), default=None)


def scores_table(suite: Suite, entries: Sequence[Entry]) -> Table:
    """The mean scores: a row per environment, a column per entry."""
    rows = []
    for name in scored_by_all(suite, entries):
        cells = []
        for entry in entries:
            mean, _, _ = entry.score([name])
            cells.append(score_text(entry, name, (mean, mean, mean)))

        rows.append([name, *cells])

    return Table([suite.word, *(entry.entry for entry in entries)], rows)


def reasons_of(entry: Entry) -> list[tuple[str, str, str]]:
    """(environment, entry, text) where an entry has no trials."""
    reasons = []
    for name, played in entry.environments.items():
        if "absent" in played:
            reasons.append((name, "all: skipped", played["absent"]))
        elif "reason" in played:
            reasons.append((name, f"{entry.entry}: 0", played["reason"]))
        elif "unscored" in played:
            reasons.append((name, "all: no score", played["unscored"]))

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
    ordered = by_rank(suite, entries) if several else list(entries)
    board = picture = scores = None
    if several and suite.is_ranked:
        draw = functools.partial(draw_ranks, ranks_of(suite, entries), "score")
        alt = "Mean rank of each entry; bars join entries that do not differ."
        picture = draw_picture(draw, folder / "figures", "ranks", alt)
    if several:
        board = board_table(suite, ordered)
        scores = scores_table(suite, ordered)

    who = quantity(len(entries), "entry", "entries") if several else entries[0].entry
    seeds = f"{suite.trials} trials, seeds of the token “{suite.token}”"
    reasons = dict.fromkeys(reason for entry in ordered for reason in reasons_of(entry))
    page = SuitePage(
        word=suite.word,
        title=f"{suite.name}, version {suite.version}: {who}",
        lead=suite.lead,
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
    """The foot of the page: settings, and the recipe, versions and machine of each entry."""
    tested = [(each.name, f"{each.tests}: {each.environment!r}") for each in suite.settings]
    runs = [RunFacts(f"{suite.word.capitalize()}s", tested, [])]
    for entry in entries:
        computed = {**entry.versions, **entry.machine}
        settings = [(key, str(value)) for key, value in computed.items()]
        runs.append(RunFacts(entry.entry, [("recipe", str(entry.recipe))], settings))

    return Provenance([], runs)
