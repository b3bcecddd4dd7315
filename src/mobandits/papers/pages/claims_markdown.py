"""The claims as tables in Markdown, to be pasted where no page can be shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from mobandits.papers.pages.claim_counts import HEADER, MEANING, by_paper, counted, judgement
from mobandits.papers.pages.index_page import scale_of
from mobandits.papers.pages.paper_page import otherwise, remarks, telling

CLAIMS_HEADER = ("claim", "the paper", "measured", "verdict")


def claims_markdown(
    claims: Sequence[Mapping[str, Any]], experiments: Sequence[Mapping[str, Any]]
) -> str:
    """The counts by paper and kind, and a heading and a table per experiment.

    Args:
        claims: entries of claims.json.
        experiments: `experiment`, `seconds` and `changed` (what was asked for in place of its own
            scale) of each, from the manifest.

    Example:
        >>> entry = {"id": "a/fig1/low", "claim": "A is low.", "target": "low", "measured": 1.0, "interval": [0.5, 2.0]}
        >>> rest = {"verdict": "reproduced", "of": "b less a", "parts": [], "differs": "", "note": ""}
        >>> experiment = {"experiment": "a/fig1", "seconds": 3.0, "changed": {}}
        >>> print(claims_markdown([entry | rest], [experiment]).splitlines()[-1])
        | `low` A is low. | low | 1.00 [0.50, 2.00] (b less a) | reproduced |
    """
    lines = [f"{len(claims)} claims: {counted(claims)}", ""]
    lines += _head(HEADER)
    lines += [_row(cells) for cells in by_paper(claims, experiments)]
    lines += ["", MEANING]
    for experiment in experiments:
        name = experiment["experiment"]
        own = [claim for claim in claims if claim["id"].rpartition("/")[0] == name]
        if own:
            lines += ["", f"### {name}", ""]
            if experiment["changed"]:
                lines += [f"**Not at the paper's scale: {scale_of(experiment)}.**", ""]
            lines += _head(CLAIMS_HEADER)
            lines += [_row(_cells(claim)) for claim in own]
    return "".join(f"{line}\n" for line in lines)


def _cells(claim: Mapping[str, Any]) -> list[str]:
    what = claim["id"].rpartition("/")[2]
    sentence = f" *{remarks(claim)}*" if remarks(claim) else ""
    numbers = [f"{number} ({said})" for said, number in telling(claim)]
    other = f" ({otherwise(claim)})" if otherwise(claim) else ""
    return [
        f"`{what}` {claim['claim']}{sentence}",
        claim["target"],
        "; ".join(numbers),
        judgement(claim) + other,
    ]


def _head(names: Sequence[str]) -> list[str]:
    return [_row(names), f"|{'---|' * len(names)}"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
