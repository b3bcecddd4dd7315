"""The claims as a table in Markdown, to be pasted where no page can be shown."""

from collections.abc import Sequence
from typing import Any

from mobandits.figures.paper_page import counted, difference_of, telling


def claims_markdown(claims: Sequence[dict[str, Any]]) -> str:
    """A heading and a table per experiment.

    Args:
        claims: entries of claims.json.

    Example:
        >>> entry = {"id": "a/fig1/low", "claim": "A is low.", "target": "low", "measured": 1.0, "interval": [0.5, 2.0]}
        >>> rest = {"verdict": "reproduced", "of": "b less a", "parts": [], "differs": ""}
        >>> print(claims_markdown([entry | rest]).splitlines()[-1])
        | `low` A is low. | low | 1.00 [0.50, 2.00] (b less a) | reproduced |
    """
    lines = [f"{len(claims)} claims: {counted(list(claims))}"]
    experiment = ""
    for claim in claims:
        name, _, what = claim["id"].rpartition("/")
        if name != experiment:
            experiment = name
            lines += ["", f"#### {name}", "", "| claim | the paper | ours | verdict |", "|---|---|---|---|"]
        sentence = f" *{difference_of(claim)}*" if difference_of(claim) else ""
        cells = [
            f"`{what}` {claim['claim']}{sentence}",
            claim["target"],
            "; ".join(f"{number} ({said})" for said, number in telling(claim)),
            claim["verdict"],
        ]
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "".join(f"{line}\n" for line in lines)
