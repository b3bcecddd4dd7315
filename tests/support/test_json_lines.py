"""Everything on stderr as lines of JSON."""

import json
import os
import subprocess
import sys

import pytest

from mobandits.support.json_lines import ASKED, JSON

PROGRAM = """
import logging, sys, threading, warnings
from mobandits.support import json_lines
json_lines.begin()
logging.getLogger("mobandits.service").warning("%d left\\nof %s", 3, "it")
logging.getLogger("uvicorn.error").info("nobody asked")
warnings.warn("careful", UserWarning)
class Hidden:
    def __del__(self):
        raise ValueError("unseen")
del_me = Hidden()
del del_me
thread = threading.Thread(target=lambda: 1 / 0, name="worker")
thread.start()
thread.join()
raise RuntimeError("over")
"""


def test_whatever_ends_or_is_said_is_a_line():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False
    )
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [line["level"] for line in lines] == ["warning", "warning", "error", "error", "critical"]
    messages = [line["message"] for line in lines]
    assert messages[:2] == ["3 left\nof it", "careful"]
    assert "unseen" in messages[2]
    assert messages[3:] == ["thread worker ends: division by zero", "the process ends: over"]
    assert [line["traceback"].count("Traceback") for line in lines[2:]] == [1, 1, 1]
    assert done.returncode == 1


@pytest.mark.long
def test_a_process_that_was_started_by_one_does_the_same():
    command = [sys.executable, "-m", "mobandits", "backup", "missing.db", "copy.db"]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {ASKED: JSON}
    )
    (line,) = done.stderr.splitlines()
    assert json.loads(line)["level"] == "error"
    assert "missing.db must be a store" in json.loads(line)["message"]
    assert done.returncode == 2
