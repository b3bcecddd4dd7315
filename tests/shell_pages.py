"""The shell blocks of a page, typed into one terminal: what each prints, in an empty folder.

Blocks in another language that have a title are files, which are written before.
"""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FILE = re.compile(
    r'^```\w+ title="(?P<name>[\w.-]+)"\n(?P<content>.*?)^```$', re.MULTILINE | re.DOTALL
)
BLOCK = re.compile(
    r"^```sh\n(?P<code>.*?)^```\n(?:\n```text\n(?P<shown>.*?)^```\n)?", re.MULTILINE | re.DOTALL
)
END = "--- the end of a block ---"
PATIENCE = 300.0  # seconds for all blocks, on a machine that has other things to do
PORT = "8787"  # of the pages


class ShellBlock(NamedTuple):
    """A block of a page: what is typed, the line that it begins in, and what the page shows."""

    code: str
    line: int
    shown: str


def can_run():
    """Whether this machine has what the blocks call."""
    return all(shutil.which(program) for program in ("bash", "cmp", "curl", "ps"))


def shell_blocks(text):
    """The shell blocks of a page, in their order."""
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        found.append(ShellBlock(match["code"], line, match["shown"] or ""))
    return found


def typed(text, folder: Path):
    """What each shell block of a page prints.

    The page's port is replaced by one that is free.
    """
    port = str(free_port())
    for match in FILE.finditer(text):
        (folder / match["name"]).write_text(match["content"].replace(PORT, port))

    # A block that fails ends them all, as it would end a reader's patience.
    script = ["set -e"]
    for block in shell_blocks(text):
        script += [block.code.replace(PORT, port), f"echo; echo '{END}'"]
    outputs, errors, status = run("\n".join(script), folder)
    assert status == 0, f"{outputs}\n{errors}"

    *blocks, rest = outputs.split(f"{END}\n")
    assert rest == ""
    return [output.replace(port, PORT) for output in blocks]


def run(script, folder):
    """What a script prints and complains of, and its status; nothing that it started stays."""
    path = f"{programs(folder)}{os.pathsep}{os.environ['PATH']}"
    # As in a terminal, where nothing waits for a compiler.
    environment = {**os.environ, "PATH": path, "MOBANDITS_COMPILING": "auto"}
    # Into files: what a block leaves running would keep pipes open.
    outputs, errors = folder / ".outputs", folder / ".errors"
    with outputs.open("w") as output, errors.open("w") as error:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=error,
            start_new_session=True,
        )
        try:
            status = process.wait(PATIENCE)
        finally:
            # The whole session: a script that failed leaves its service behind.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return outputs.read_text(), errors.read_text(), status


def programs(folder):
    """A folder with the programs that pages call, which are this Python's."""
    place = folder / ".programs"
    place.mkdir()
    for name, call in (("python", ""), ("mobandits", " -m mobandits")):
        program = place / name
        program.write_text(f'#!/bin/sh\nexec {sys.executable}{call} "$@"\n')
        program.chmod(0o755)
    return place


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]
