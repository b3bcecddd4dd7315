"""The claims as tables in Markdown, to be pasted where no page can be shown."""

from collections.abc import Sequence

from mobandits.papers.contents import ClaimEntry, ExperimentSummary
from mobandits.papers.pages.claim_counts import HEADER, MEANING, by_paper, counted, judgement
from mobandits.papers.pages.claim_texts import otherwise, remarks, shown_numbers
from mobandits.papers.pages.scale import scale_of

CLAIMS_HEADER = ("claim", "the paper", "measured", "verdict")


def claims_markdown(claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]) -> str:
    """The counts by paper and kind, and a heading and a table per experiment.

    Args:
        claims: entries of claims.json.
        experiments: `experiment`, `seconds` and `changed` (what was asked for in place of its own
            scale) of each, from the manifest.

    Example:
        >>> entry = {"id": "a/fig1/low", "claim": "A is low.", "target": "low", "parts": []}
        >>> entry |= {"measured": 1.0, "interval": [0.5, 2.0], "of": "b less a"}
        >>> rest = {"verdict": "reproduced", "differs": "", "note": ""}
        >>> experiment = {"experiment": "a/fig1", "seconds": 3.0, "changed": {}}
        >>> print(claims_markdown([entry | rest], [experiment]).splitlines()[-1])
        | `low` A is low. | low | 1.00 [0.50, 2.00] (b less a) | reproduced |
    """
    lines = [f"{len(claims)} claims: {counted(claims)}", ""]
    lines += _table(HEADER, by_paper(claims, experiments))
    lines += ["", MEANING]

    for experiment in experiments:
        name = experiment["experiment"]
        own = [claim for claim in claims if claim["id"].rpartition("/")[0] == name]
        if own:  # a heading without a table would look like a loss
            lines += ["", f"### {name}", ""]
            changed = experiment["changed"]
            if changed:
                lines += [f"**Not at the paper's scale: {scale_of(changed)}.**", ""]

            lines += _table(CLAIMS_HEADER, [_cells(claim) for claim in own])

    return "".join(f"{line}\n" for line in lines)


def _cells(claim: ClaimEntry) -> list[str]:
    name = claim["id"].rpartition("/")[2]
    sentence = f"`{name}` {claim['claim']}"
    below = remarks(claim)
    if below:
        sentence += f" *{below}*"

    numbers = [f"{number} ({what})" for what, number in shown_numbers(claim)]
    verdict = judgement(claim)
    other = otherwise(claim)
    if other:
        verdict += f" ({other})"

    return [sentence, claim["target"], "; ".join(numbers), verdict]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = "---|" * len(header)
    lines = [_row(header), f"|{rule}"]
    lines += map(_row, rows)
    return lines


def _row(cells: Sequence[str]) -> str:
    # A bar in a claim, such as that of a norm, would end the cell.
    safe = [cell.replace("|", "&#124;") for cell in cells]
    content = " | ".join(safe)
    return f"| {content} |"
