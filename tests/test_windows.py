"""What would break on Windows, as far as another system can tell: files, names, and functions that it does not have."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "windows_like.py"


@pytest.mark.skipif(sys.platform != "linux", reason="which files are open is read from /proc")
def test_files_where_the_system_is_like_windows(tmp_path):
    command = [sys.executable, "-W", "ignore", str(PROGRAM), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
