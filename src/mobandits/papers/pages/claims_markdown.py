"""The claims as a table in Markdown, to be pasted where no page can be shown."""

from collections.abc import Mapping, Sequence
from typing import Any

from mobandits.papers.pages.paper_page import counted, otherwise, remarks, telling


def claims_markdown(claims: Sequence[dict[str, Any]], changed: Mapping[str, str]) -> str:
    """A heading and a table per experiment.

    Args:
        claims: entries of claims.json.
        changed: {experiment: what was asked for in place of its own scale}, where anything was.

    Example:
        >>> entry = {"id": "a/fig1/low", "claim": "A is low.", "target": "low", "measured": 1.0, "interval": [0.5, 2.0]}
        >>> rest = {"verdict": "reproduced", "of": "b less a", "parts": [], "differs": "", "note": ""}
        >>> print(claims_markdown([entry | rest], {}).splitlines()[-1])
        | `low` A is low. | low | 1.00 [0.50, 2.00] (b less a) | reproduced |
    """
    lines = [f"{len(claims)} claims: {counted(list(claims))}"]
    experiment = ""
    for claim in claims:
        name, _, what = claim["id"].rpartition("/")
        if name != experiment:
            experiment = name
            scale = [f"**Not at the paper's scale: {changed[name]}.**", ""] if name in changed else []
            lines += ["", f"### {name}", "", *scale, "| claim | the paper | ours | verdict |", "|---|---|---|---|"]
        sentence = f" *{remarks(claim)}*" if remarks(claim) else ""
        other = f" ({otherwise(claim)})" if otherwise(claim) else ""
        cells = [
            f"`{what}` {claim['claim']}{sentence}",
            claim["target"],
            "; ".join(f"{number} ({said})" for said, number in telling(claim)),
            claim["verdict"] + other,
        ]
        lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "".join(f"{line}\n" for line in lines)
