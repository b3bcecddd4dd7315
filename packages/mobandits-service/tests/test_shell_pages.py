"""Pages that are typed into a terminal print what they show."""

import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import shell_pages
from services import PATIENCE

ROOT = Path(__file__).parent.parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from snippets import agrees  # noqa: E402

TUTORIAL = ROOT / "docs" / "tutorials" / "operate-the-service.md"

pytestmark = pytest.mark.skipif(
    not shell_pages.can_run(), reason="bash, cmp, curl or ps is not installed"
)


def test_the_tutorial_prints_what_it_shows(tmp_path):
    text = TUTORIAL.read_text()
    outputs = shell_pages.typed(text, tmp_path)
    for block, output in zip(shell_pages.shell_blocks(text), outputs, strict=True):
        where = f"{TUTORIAL.name}, line {block.line}"
        assert agrees(block.shown.strip() + "\n", output.strip() + "\n"), f"{where}\n{output}"


PAGE = """
```ini title="port.ini"
8787
```

```sh
cat port.ini; NAME=one
```

```sh
echo "$NAME"; echo more
```

```text
one
more
```
"""


def test_blocks_share_one_terminal(tmp_path):
    first, second = shell_pages.typed(PAGE, tmp_path)
    assert re.fullmatch(r"8787\s+", first)
    assert second.split() == ["one", "more"]
    assert (tmp_path / "port.ini").read_text() != "8787\n"
    assert [block.shown for block in shell_pages.shell_blocks(PAGE)] == ["", "one\nmore\n"]


def test_a_block_that_fails_is_told_and_leaves_no_process(tmp_path):
    page = "```sh\nsleep 600 & echo $! > pid\n```\n\n```sh\necho wrong >&2; false\n```\n"
    with pytest.raises(AssertionError, match="wrong"):
        shell_pages.typed(page, tmp_path)
    pid = (tmp_path / "pid").read_text().strip()
    until = time.monotonic() + PATIENCE
    while is_running(pid):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_running(pid):
    """Whether a process runs; one that has ended may wait for its parent to notice."""
    done = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, check=False)
    return done.stdout.strip()[:1] not in {b"", b"Z"}
