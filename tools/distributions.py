"""Wheels and sdists of the projects of this repository: how they are built, and what they must hold."""

import email
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
LEFT_OUT = ("benchmarks/", "docs/", "packages/", "tests/")
MADE_BY_BUILDING = {"PKG-INFO", "setup.cfg"}


class Project(NamedTuple):
    """Project of this repository that is distributed.

    Attributes:
        name: in an index.
        package: that it is imported as.
        folder: inside the repository, with a slash at its end; empty: the repository itself.
        largest_wheel: in bytes; tests and their data would be several times as much.
        in_wheel: what its wheel says of itself.
        in_sdist: what its sdist has beside the sources.
    """

    name: str
    package: str
    folder: str
    largest_wheel: int
    in_wheel: tuple[str, ...]
    in_sdist: frozenset[str]

    @property
    def sources(self) -> str:
        """The folder of the package inside the project."""
        return f"src/{self.package}/"


LIBRARY = Project(
    "mobandits",
    "mobandits",
    "",
    3_000_000,
    ("METADATA", "entry_points.txt", "licenses/LICENSE"),
    frozenset({"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml"}),
)
CLIENT = Project(
    "mobandits-client",
    "mobandits_client",
    "packages/mobandits-client/",
    100_000,
    ("METADATA", "licenses/LICENSE"),
    frozenset({"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}),
)
PAPERS = Project(
    "mobandits-papers",
    "mobandits_papers",
    "packages/mobandits-papers/",
    500_000,
    ("METADATA", "entry_points.txt", "licenses/LICENSE"),
    frozenset({"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}),
)
SERVICE = Project(
    "mobandits-service",
    "mobandits_service",
    "packages/mobandits-service/",
    1_000_000,
    ("METADATA", "entry_points.txt", "licenses/LICENSE"),
    frozenset({"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}),
)
PROJECTS = (LIBRARY, CLIENT, PAPERS, SERVICE)


class Distributions(NamedTuple):
    """The two files of a project's release."""

    wheel: Path
    sdist: Path


def tracked_files(folder: str = "") -> list[str]:
    """The files of the repository, or of a folder in it, as git lists them."""
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in done.stdout.split("\0") if name]
    inside = [name for name in names if name.startswith(folder) and (ROOT / name).is_file()]
    return [name.removeprefix(folder) for name in inside]


def copy_of_sources(folder: Path) -> Path:
    """The repository's files alone, in a folder.

    What lies beside them (caches, earlier builds, lists of files that setuptools kept) must not get into a release.
    """
    for name in tracked_files():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder


def build(sources: Path, out: Path, *, kinds: tuple[str, ...] = ()) -> None:
    """Build into `out`: first the sdist, and the wheel from it, so that the sdist is seen to be whole.

    Args:
        sources: a copy of a project.
        out: where the files go.
        kinds: such as "--wheel", to build that alone, from the sources.

    Raises:
        subprocess.CalledProcessError: where the build fails.
    """
    # Without isolation the versions of the build's tools are those of constraints.txt.
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out)]
    done = subprocess.run(
        [*command, str(sources)],
        env={**os.environ, "SOURCE_DATE_EPOCH": commit_seconds()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        print(done.stdout)
        done.check_returncode()


def commit_seconds() -> str:
    """The time of the last commit: files of a build get it, so that the same commit gives the same bytes."""
    command = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def built_files(out: Path, version: str, project: Project) -> Distributions:
    """The two files of a version.

    Raises:
        FileNotFoundError: where one is missing.
    """
    wheel = out / f"{project.package}-{version}-py3-none-any.whl"
    sdist = out / f"{project.package}-{version}.tar.gz"
    for path in (wheel, sdist):
        if not path.is_file():
            raise FileNotFoundError(f"{path} was not built")
    return Distributions(wheel, sdist)


def wheel_problems(wheel: Path, project: Project = LIBRARY) -> list[str]:
    """What a wheel lacks, or holds and should not."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}

    packaged = {name for name in names if name.startswith(f"{project.package}/")}
    tracked = [name for name in tracked_files(project.folder) if name.startswith(project.sources)]
    expected = {name.removeprefix("src/") for name in tracked}
    problems = [f"the wheel lacks {name}" for name in sorted(expected - packaged)]
    problems += [
        f"the wheel holds {name}, which is not tracked" for name in sorted(packaged - expected)
    ]

    information = {name for name in names if ".dist-info/" in name}
    problems += [f"the wheel holds {name}" for name in sorted(names - packaged - information)]
    short = {name.partition(".dist-info/")[2] for name in information}
    for needed in project.in_wheel:
        if needed not in short:
            problems.append(f"the wheel lacks {needed}")

    size = wheel.stat().st_size
    if size > project.largest_wheel:
        largest = f"{project.largest_wheel:,}"
        problems.append(f"the wheel must have at most {largest} bytes, got {size:,}")
    return problems


def sdist_problems(sdist: Path, project: Project = LIBRARY) -> list[str]:
    """What an sdist lacks, or holds and should not."""
    with tarfile.open(sdist) as archive:
        paths = [PurePosixPath(member.name) for member in archive if member.isfile()]
    # The first part is the folder that all files lie in.
    names = {PurePosixPath(*path.parts[1:]).as_posix() for path in paths}

    tracked = set(tracked_files(project.folder))
    sources = {name for name in tracked if name.startswith(project.sources)}
    needed = sources | project.in_sdist
    problems = [f"the sdist lacks {name}" for name in sorted(needed - names)]

    made = {name for name in names if name in MADE_BY_BUILDING or ".egg-info/" in name}
    untracked = sorted(names - tracked - made)
    problems += [f"the sdist holds {name}, which is not tracked" for name in untracked]

    bloat = sorted(name for name in names if name.startswith(LEFT_OUT))
    problems += [f"the sdist holds {name}" for name in bloat]
    return problems


def metadata_problems(wheel: Path, version: str) -> list[str]:
    """What is wrong with a wheel's metadata: an invalid field, or another version."""
    # Late, so that the tool's other parts work where packaging is not installed.
    from packaging.metadata import Metadata  # noqa: PLC0415

    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        content = archive.read(name)

    try:
        metadata = Metadata.from_email(content, validate=True)
    except ExceptionGroup as group:
        return [f"metadata: {error}" for error in group.exceptions]

    problems = []
    if str(metadata.version) != version:
        problems.append(f"metadata: the version must be {version}, got {metadata.version}")
    if not email.message_from_bytes(content).get_payload():
        problems.append("metadata: the long description is empty")
    return problems
