"""Write the claims of a reproduced folder into docs/results/.

    mobandits reproduce all --out runs/papers
    python tools/results.py runs/papers

Every paper has a page of its own, which is written whole. The counts by paper and kind go between
the marks of docs/results/README.md; its prose is left alone.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from mobandits_papers.pages.claim_counts import claims_of, experiments_by_paper
from mobandits_papers.pages.claims_markdown import counts_markdown, paper_markdown

PAGES = Path(__file__).parent.parent / "docs" / "results"
INDEX = PAGES / "README.md"
BEGIN = "<!-- counts -->"
END = "<!-- end of counts -->"


def main(folder: str) -> None:
    """Rewrite the pages from a folder."""
    claims = json.loads((Path(folder) / "claims.json").read_text(encoding="utf-8"))
    manifest = json.loads((Path(folder) / "manifest.json").read_text(encoding="utf-8"))
    experiments = manifest["specification"]["experiments"]
    for paper, page in pages(claims, experiments).items():
        (PAGES / f"{paper}.md").write_text(page, encoding="utf-8")

    index = INDEX.read_text(encoding="utf-8")
    counts = counts_markdown(claims, experiments, "{}.md")
    INDEX.write_text(filled(index, counts), encoding="utf-8")


def pages(claims: list[Any], experiments: list[Any]) -> dict[str, str]:
    """{paper: its page}, of every paper that has claims.

    Args:
        claims: entries of claims.json.
        experiments: of the manifest.
    """
    written = {}
    for paper in experiments_by_paper(experiments):
        if not claims_of(paper, claims):
            continue

        title = f"# Results: {paper}"
        paper_link = f"[What the paper is about](../papers/{paper}.md)"
        about = f"{paper_link}; [what verdicts mean, and all results](README.md)."
        body = paper_markdown(paper, claims, experiments)
        # Below the title of the page, which claims.md has none of.
        body = body.replace("\n### ", "\n## ")
        written[paper] = f"{title}\n\n{about}\n\n{body}"

    return written


def filled(page: str, counts: str) -> str:
    """The index with other counts between its marks.

    Raises:
        ValueError: where the page lacks a mark.
    """
    pattern = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    if len(pattern.findall(page)) != 1:
        raise ValueError(f"the page must have {BEGIN} and {END} once each")

    between = f"{BEGIN}\n\n{counts.strip()}\n\n{END}"
    # A function, because claims may hold what a replacement takes for a reference.
    return pattern.sub(lambda _: between, page)


if __name__ == "__main__":
    main(sys.argv[1])
