"""A process whose system behaves as Windows does with files: `python windows_like.py FOLDER` works in it.

There are no locks of `fcntl`, no forks, no niceness and no folders that open; files that are open cannot be replaced or
unlinked, and names may not hold what Windows forbids. What a Linux machine cannot show: other drives, the console, and
waiting for files that other processes have open.
"""

import errno
import os
import re
import shutil
import sys
from pathlib import Path

MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
FUNCTIONS = ("fork", "getuid", "killpg", "nice", "pread", "pwrite", "register_at_fork", "setsid")
FUNCTIONS += ("fchmod", "geteuid", "sched_getaffinity")
DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)
FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]|[ .]$')


def open_files():
    found = set()
    for number in os.listdir("/proc/self/fd"):  # noqa: PTH208 - a folder that changes meanwhile
        path = Path("/proc/self/fd", number)
        if path.is_symlink():
            found.add(os.readlink(path))  # noqa: PTH115
    return found


def refusing_open_files(function, folder):
    def inner(*paths, **options):
        for path in paths:
            real = os.path.realpath(path)
            if real.startswith(folder) and real in open_files():
                raise PermissionError(errno.EACCES, "it is open", str(path))
        return function(*paths, **options)

    return inner


def refusing_folders(function):
    def inner(path, *options, **named):
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "it is a folder", str(path))
        return function(path, *options, **named)

    return inner


def refuse_names(folder):
    def hook(event, arguments):
        if event not in ("open", "os.mkdir", "os.rename") or not isinstance(
            arguments[0], str | Path
        ):
            return
        path = Path(os.path.abspath(arguments[event == "os.rename"]))  # noqa: PTH100
        if path.is_relative_to(folder):
            for part in path.relative_to(folder).parts:
                if FORBIDDEN.search(part) or DEVICES.fullmatch(part):
                    raise OSError(errno.EINVAL, "no name of a file", str(path))

    sys.addaudithook(hook)


def begin(folder):
    """Be like Windows from now on, for files in a folder."""
    for name in MODULES:
        sys.modules[name] = None
    for name in FUNCTIONS:
        delattr(os, name)
    for name in ("remove", "rename", "replace", "unlink"):
        setattr(os, name, refusing_open_files(getattr(os, name), folder))
    shutil._use_fd_functions = False  # it opens folders elsewhere
    os.open = refusing_folders(os.open)
    refuse_names(folder)
    os.chdir(folder)


def decide(options, log=None):
    from mobandits import Agent, policies  # noqa: PLC0415 - after `begin`

    with Agent(policies.MolUcb(), **options, log=log, snapshot_every=4) as agent:
        for i in range(6):
            agent.learn(agent.decide([1.0, i]).id, [0.5, 0.2])
        for _ in range(2):
            agent.save("router.agent")
        return agent.lessons


def main():
    begin(str(Path(sys.argv[1]).resolve()))
    from mobandits import environments, logs, policies, simulate  # noqa: PLC0415
    from mobandits.compiling import child  # noqa: PLC0415
    from mobandits_client.choice import Choice  # noqa: PLC0415
    from mobandits_client.outbox import Outbox  # noqa: PLC0415

    # Names of users that are none of files.
    options = {"arms": ["aux", "a:b"], "features": 2, "objectives": ["cost/?", "com1"]}
    assert (decide(options, "router.db"), decide(options, "router.db")) == (6, 12)
    logs.backup("router.db", "copy.db")
    assert logs.export("copy.db", "old.parquet", before=4e9, delete=True) == 12
    assert len(logs.read("old.parquet")) == len(logs.read("router.db")) == 12

    asked = {"rounds": 5, "trials": 2, "metrics": ["pareto_regret"], "out": "run"}
    for _ in range(2):
        simulate({"nul": policies.RandomChoice()}, environments.Linear(arms=3), **asked)

    for i in range(2):
        outbox = Outbox("router", "queue.jsonl")
        assert len(outbox) == i
        outbox.add_fallback(Choice("aux", f"a{i}", context=[1.0]))
        outbox.add_fallback(Choice("aux", f"b{i}", context=[1.0]))
        outbox.drop(Choice("aux", f"b{i}"))  # writes the file anew
        outbox.close()

    with child._locked(Path("cache", "loop.lock")):
        pass


if __name__ == "__main__":
    main()
