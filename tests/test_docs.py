"""The documentation is a test: every Python block of a page runs, one namespace per page, in a directory of its own.

A block with a title is a file, ```python title="my_policies.py"; one that is called test_*.py is also run by pytest.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mobandits.testing import POLICY_CHECKS

ROOT = Path(__file__).parent.parent
FENCE = re.compile(
    r'^```python(?: title="(?P<title>[^"]+)")?\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL
)
PAGES = [
    page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists()
]


@pytest.mark.parametrize(
    "page",
    [p for p in PAGES if FENCE.search(p.read_text())],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    known, text, namespace = set(sys.modules), page.read_text(), {"__name__": "page"}
    try:
        for block in FENCE.finditer(text):
            if block["title"]:
                write_and_test(tmp_path / block["title"], block["code"])
            else:
                line = text.count("\n", 0, block.start("code"))
                exec(
                    compile("\n" * line + block["code"], page, "exec"), namespace
                )  # line numbers are the page's
    finally:
        for name in set(sys.modules) - known:
            if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
                del sys.modules[name]


def write_and_test(file, code):
    file.write_text(code)
    if file.name.startswith("test_"):
        command = [sys.executable, "-m", "pytest", "-q", file.name]
        done = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#]+)", page.read_text())
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_the_how_to_names_every_promise():
    page = (ROOT / "docs" / "how-to" / "add-a-policy.md").read_text()
    assert [check for check in POLICY_CHECKS if f"| {check} |" not in page] == []
