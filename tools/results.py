"""Write the counts and the claims of a reproduced folder into docs/results.md.

    mobandits reproduce all --out runs/papers
    python tools/results.py runs/papers

The first part of the folder's `claims.md`, counts by paper and kind, goes between the marks of the
counts, and its tables, one per experiment, between those of the claims. The prose is left alone.
"""

import re
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "results.md"
CLAIMS = "claims.md"


def main(folder: str) -> None:
    """Rewrite the page from a folder."""
    claims = (Path(folder) / CLAIMS).read_text(encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(filled(page, claims), encoding="utf-8")


def filled(page: str, claims: str) -> str:
    """The page with the counts and the claims of `claims.md` between its marks.

    Raises:
        ValueError: where the page lacks a mark.
    """
    counts, _, tables = claims.partition("\n### ")
    for mark, text in (("counts", counts), ("claims", f"### {tables}")):
        begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if len(pattern.findall(page)) != 1:
            raise ValueError(f"the page must have {begin} and {end} once each")
        between = f"{begin}\n\n{text.strip()}\n\n{end}"
        # A function, because claims may hold what a replacement takes for a reference.
        page = pattern.sub(lambda _, text=between: text, page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    main(sys.argv[1])
