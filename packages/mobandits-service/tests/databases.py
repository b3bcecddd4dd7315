"""A PostgreSQL server of a test: its folder, its port, and how it stops and starts."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from mobandits.logs.address import Address

# Debian keeps them apart by version; elsewhere they are on the path.
FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
PATIENCE = 120  # seconds
# Servers do not run as root; these users are on every Debian.
USERS = ("postgres", "nobody")


def program(name):
    """Where a program of PostgreSQL is; None where it is not."""
    for folder in FOLDERS:
        if (folder / name).exists():
            return str(folder / name)
    return shutil.which(name)


def missing():
    """Why no server can be started here; None where one can."""
    if program("initdb") is None or program("postgres") is None:
        return "PostgreSQL is not installed"
    if os.name != "posix":
        return "servers are started on POSIX only"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "a server needs another user than root, and setpriv is not installed"
    return None


class Server:
    """A PostgreSQL server on the loopback address, in a temporary folder."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mobandits-postgres-"))
        self.data = self.folder / "data"
        self.process = None
        self.prefix = []
        if os.geteuid() == 0:
            user = next(name for name in USERS if has_user(name))
            shutil.chown(self.folder, user)
            self.prefix = ["setpriv", f"--reuid={user}", "--clear-groups", "--"]
        self.run("initdb", "-D", self.data, "-U", "router", "-A", "trust", "-E", "UTF8", "-N")
        self.port = free_port()

    def run(self, name, *arguments):
        command = [*self.prefix, program(name), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE, cwd=self.folder)

    def start(self):
        options = f"-c listen_addresses=127.0.0.1 -c unix_socket_directories={self.folder}"
        options += f" -c port={self.port} -c max_connections=40 -c log_statement=none"
        self.run("pg_ctl", "-D", self.data, "-o", options, "-l", self.folder / "log", "-w", "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop")

    def execute(self, sql, database="postgres"):
        """What a statement of an administrator returns."""
        import psycopg  # noqa: PLC0415 - where it is missing, no test comes here

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(sql)
            return cursor.fetchall() if cursor.description else []

    def url(self, database, user="router"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def database(self, name):
        """The address of a new database."""
        self.execute(f"CREATE DATABASE {name}")
        return Address(self.url(name))

    def close(self):
        with contextlib.suppress(subprocess.CalledProcessError):  # a test may have stopped it
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)


def has_user(name):
    import pwd  # noqa: PLC0415 - only POSIX has it

    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@pytest.fixture(scope="session")
def postgres():
    """A server that runs; tests share it, and each has a database of its own."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    pytest.importorskip("psycopg")
    started = Server()
    try:
        started.start()
        yield started
    finally:
        started.close()


@pytest.fixture
def address(postgres):
    """The address of a database that nobody else has."""
    number = len(postgres.execute("SELECT 1 FROM pg_database"))
    return postgres.database(f"bandits_{number}")
