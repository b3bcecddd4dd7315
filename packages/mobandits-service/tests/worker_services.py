"""A service with workers, in processes of its own."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
from services import PATIENCE, Served


class ServedByWorkers(Served):
    """`mobandits serve --workers N`.

    Attributes:
        folder: of its file, and of what it says.
    """

    def __init__(self, folder, address, workers=2, **more):
        super().__init__(folder, **more)
        self.folder = folder
        self.workers = workers
        content = self.file.read_text()
        self.file.write_text(f'store = "{address.url}"\nlog_requests = false\n{content}')

    def start(self, port=0):
        command = [sys.executable, "-m", "mobandits", "serve", str(self.file), "--port", str(port)]
        command += ["--workers", str(self.workers)]
        # Into a file: nobody reads a pipe meanwhile, and children share it.
        with (self.folder / "said").open("ab") as said:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said)
        line = self.process.stdout.readline().decode()
        self.url = re.search(r"http://[^\s,]+", line).group()
        self.wait_until_ready()
        return self

    def wait_until_ready(self):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                if httpx.get(f"{self.url}/health/ready", timeout=5.0).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise AssertionError((self.folder / "said").read_text()[-3000:])

    def children(self):
        """{process: the sockets that it has open} of all its processes."""
        return {pid: sockets_of(pid) for pid in pids() if parent_of(pid) == self.process.pid}

    def roles(self):
        """The process that learns, and those that decide, once all of them are there."""
        shared = sockets_of(self.process.pid)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            children = self.children()
            # A process that has just begun may still have all that its parent has.
            learners = [pid for pid, own in children.items() if not own & shared]
            if len(children) == self.workers + 1 and len(learners) == 1:
                return learners[0], [pid for pid in children if pid not in learners]
            time.sleep(0.01)
        raise AssertionError("there must be a learner, and workers")

    def end(self, number=signal.SIGTERM):
        os.kill(self.process.pid, number)
        status = self.process.wait(PATIENCE)
        return status, (self.folder / "said").read_text()

    def __exit__(self, *error):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
        if self.process is not None:
            self.process.stdout.close()


def pids():
    """All processes."""
    return [int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdecimal()]


def stat_of(pid):
    """State, parent and more of a process; None where it has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None


def parent_of(pid):
    stat = stat_of(pid)
    return None if stat is None else int(stat[1])


def is_alive(pid):
    stat = stat_of(pid)
    return stat is not None and stat[0] != "Z"


def sockets_of(pid):
    """The sockets that a process has open."""
    try:
        targets = [str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return set()
    return {target for target in targets if target.startswith("socket:")}
