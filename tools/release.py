"""Prepare a release: `make release`. It builds, checks and tries the files of all projects, and uploads nothing.

python tools/release.py                   all steps; the files are in dist/
python tools/release.py --allow-dirty     also where the working tree has changes
python tools/release.py --versions-only   only whether all places name the same version
"""

import datetime as dt
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from pathlib import Path

from distributions import (
    CLIENT,
    LIBRARY,
    PAPERS,
    PROJECTS,
    ROOT,
    SERVICE,
    Distributions,
    Project,
    build,
    built_files,
    copy_of_sources,
    metadata_problems,
    sdist_problems,
    wheel_problems,
)

OUT = ROOT / "dist"
SECTION = re.compile(r"^## \[(?P<version>[^]]+)\](?: - (?P<date>\d{4}-\d\d-\d\d))?$", re.MULTILINE)
# What a newcomer does first: a front, a simulation with its figure, an agent that is saved.
FIRST_PROGRAM = """
from pathlib import Path
import mobandits as mob
assert mob.front([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]).tolist() == [True, True, False]
policies = {"MOL-UCB": mob.policies.MolUcb(scale=0.3), "random": mob.policies.RandomChoice()}
place = mob.environments.Linear(arms=5, features=3, objectives=2)
results = mob.simulate(policies, place, rounds=200, trials=2, seed=1)
results.plot("pareto_regret").savefig("regret.png")
agent = mob.Agent(policies["MOL-UCB"], arms=["a", "b"], features=2, objectives=["x", "y"])
decision = agent.decide([1.0, 0.5])
agent.learn(decision.id, {"x": 1.0, "y": 0.0})
agent.save("a.agent")
assert mob.Agent.load("a.agent").lessons == 1
print(Path(mob.__file__).parent)
"""
# What an application does: its service is not there, so that it plays a fallback.
FIRST_CLIENT = """
import sys
from pathlib import Path
import mobandits_client
with mobandits_client.Client("http://127.0.0.1:9", "router", fallback="small") as client:
    choice = client.decide([1.0, 0.5])
    assert choice.is_fallback
    client.abandon(choice)
assert not {"mobandits", "numpy"} & set(sys.modules)
print(Path(mobandits_client.__file__).parent)
"""
FIRST_FIGURE = ("reproduce", "moslb2024/fig4", "--out", "figure", "--rounds", "30", "--trials", "2")


def main(arguments: list[str]) -> int:
    """Do what the arguments say; the exit status."""
    if set(arguments) - {"--allow-dirty", "--versions-only"}:
        print(__doc__)
        return 2

    version = package_version()
    if "--versions-only" in arguments:
        return report(version_problems())

    begun = time.monotonic()
    print(f"mobandits {version}")
    problems = version_problems() + changelog_problems(version)
    if "--allow-dirty" not in arguments:
        problems += tree_problems()
    if problems:
        return report(problems)

    made = make_distributions(version)
    problems = []
    for project, files in made.items():
        problems += wheel_problems(files.wheel, project) + sdist_problems(files.sdist, project)
        problems += metadata_problems(files.wheel, version) + twine_problems(files)
    if problems:
        return report(problems)

    for path in made[LIBRARY]:
        problems += library_problems(path, version)
    for path in made[CLIENT]:
        problems += client_problems(path)
    problems += service_problems(made)
    problems += paper_problems(made)
    if problems:
        return report(problems)

    print(f"all checks passed in {time.monotonic() - begun:.0f} s\n")
    print(instructions([path for files in made.values() for path in files], version))
    return 0


def report(problems: list[str]) -> int:
    """Print what is wrong, one line each; the exit status."""
    for problem in problems:
        print(f"error: {problem}")
    return int(bool(problems))


def package_version() -> str:
    """The version in pyproject.toml."""
    return str(project()["version"])


def project(folder: str = "") -> dict[str, object]:
    """The table [project] of the pyproject.toml in a folder."""
    content = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())
    return dict(content["project"])


def guest_versions(guest: Project) -> set[str]:
    """Versions that files name of another project: its own, that of the library it needs, those that extras need."""
    described = project(guest.folder)
    needed = [*described["dependencies"], *all_extras(described), *all_extras(project())]
    names = "|".join(re.escape(each.name) for each in (guest, LIBRARY))
    required = re.compile(rf"(?:{names})(?:\[\w+\])?(?:==(.*))?")
    asked = [required.fullmatch(one) for one in needed]
    return {str(described["version"]), *(match[1] or "any" for match in asked if match)}


def all_extras(described: dict[str, object]) -> list[str]:
    """What the extras of a project need."""
    extras = dict(described.get("optional-dependencies", {}))
    return [needed for extra in extras.values() for needed in extra]


def version_problems() -> list[str]:
    """Places that name another version or another date than pyproject.toml and the changelog do."""
    version = package_version()
    source = (ROOT / "src" / "mobandits" / "__init__.py").read_text()
    citation = (ROOT / "CITATION.cff").read_text()
    found = {
        "src/mobandits/__init__.py": re.search(r'^__version__ = "(.+)"$', source, re.MULTILINE),
        "CITATION.cff": re.search(r"^version: (\S+)$", citation, re.MULTILINE),
    }
    problems = []
    for place, match in found.items():
        named = match[1] if match else "none"
        if named != version:
            problems.append(f"{place} must name version {version}, got {named}")

    for guest in PROJECTS:
        if guest != LIBRARY:
            rule = f"{guest.name} must have, and be required in, version {version}"
            problems += [
                f"{rule}, got {named}" for named in sorted(guest_versions(guest) - {version})
            ]

    date = sections().get(version)
    cited = re.search(r"^date-released: (\S+)$", citation, re.MULTILINE)
    if date is None:
        problems.append(f"CHANGELOG.md must have a section [{version}] with a date")
    elif cited is None or cited[1] != date:
        named = cited[1] if cited else "none"
        problems.append(f"CITATION.cff must name the date {date} of the changelog, got {named}")
    return problems


def sections() -> dict[str, str | None]:
    """{version: date} of the changelog, newest first; Unreleased has no date."""
    text = (ROOT / "CHANGELOG.md").read_text()
    return {match["version"]: match["date"] for match in SECTION.finditer(text)}


def changelog_problems(version: str) -> list[str]:
    """What must be done to the changelogs before this version is released."""
    problems = []
    for each in PROJECTS:
        place = f"{each.folder}CHANGELOG.md"
        text = (ROOT / place).read_text()
        marks = list(SECTION.finditer(text))
        ends = [mark.start() for mark in marks[1:]]
        for mark, end in zip(marks, [*ends, len(text)], strict=True):
            if mark["version"] == "Unreleased" and text[mark.end() : end].strip():
                problems.append(f"{place}: move what is under Unreleased to [{version}]")

        released = [mark["version"] for mark in marks if mark["version"] != "Unreleased"]
        if released[:1] != [version]:
            problems.append(f"{place}: the newest version must be {version}, got {released[:1]}")

    date = sections().get(version)
    if date and date > dt.datetime.now(dt.UTC).date().isoformat():
        problems.append(f"CHANGELOG.md: {date} is still to come")
    return problems


def tree_problems() -> list[str]:
    """Files of the working tree that are not as committed."""
    command = ["git", "status", "--porcelain"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [f"not committed: {line[3:]}" for line in done.stdout.splitlines()]


def make_distributions(version: str) -> dict[Project, Distributions]:
    """The files of a version in dist/, in place of those of an earlier try."""
    OUT.mkdir(exist_ok=True)
    for project in PROJECTS:
        for earlier in OUT.glob(f"{project.package}-{version}[-.]*"):
            earlier.unlink()
    with tempfile.TemporaryDirectory() as folder:
        sources = copy_of_sources(Path(folder))
        for project in PROJECTS:
            build(sources / project.folder, OUT)
    return {project: built_files(OUT, version, project) for project in PROJECTS}


def twine_problems(made: Distributions) -> list[str]:
    """What twine says of both files, where it is installed: whether the description can be shown."""
    twine = shutil.which("twine")
    if twine is None:
        print("twine is not installed: the metadata were checked by packaging alone")
        return []
    command = [twine, "check", "--strict", *map(str, made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"twine: {done.stdout.strip()}"]


def library_problems(path: Path, version: str) -> list[str]:
    """What fails where a distribution of the library is installed alone."""
    steps = {
        "mobandits --version": ["mobandits", "--version"],
        "mobandits list": ["mobandits", "list", "policies"],
        "first program": ["python", "-c", FIRST_PROGRAM],
    }
    said, problems = tried([str(path)], steps, path.name)
    if not problems and said["mobandits --version"] != f"mobandits {version}":
        problems = [f"{path.name}: mobandits --version says {said['mobandits --version']}"]
    return problems


def client_problems(path: Path) -> list[str]:
    """Likewise, of the clients."""
    _, problems = tried([str(path)], {"first client": ["python", "-c", FIRST_CLIENT]}, path.name)
    return problems


def service_problems(made: dict[Project, Distributions]) -> list[str]:
    """What fails where the wheels of the library, the clients and the service are installed."""
    wanted = [str(made[project].wheel) for project in (LIBRARY, CLIENT, SERVICE)]
    steps = {
        "import of the service": ["python", "-c", "import mobandits_service.server"],
        "mobandits serve --help": ["mobandits", "serve", "--help"],
    }
    _, problems = tried(wanted, steps, "library, clients and service")
    return problems


def paper_problems(made: dict[Project, Distributions]) -> list[str]:
    """What fails where the wheels of the library and of the papers are installed."""
    wanted = [str(made[LIBRARY].wheel), str(made[PAPERS].wheel)]
    steps = {
        "mobandits list experiments": ["mobandits", "list", "experiments"],
        "a figure of a paper": ["mobandits", *FIRST_FIGURE],
    }
    _, problems = tried(wanted, steps, "library and papers")
    return problems


def tried(
    wanted: list[str], steps: dict[str, list[str]], name: str
) -> tuple[dict[str, str], list[str]]:
    """What the steps print in an empty environment with some distributions, and what fails.

    The packages that these declare are installed as well. A step whose name begins with "first" prints at last where
    the package of its program is, which must be there.
    """
    said: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place).resolve()
        venv.create(folder / "venv", with_pip=True)
        binaries = folder / "venv" / "bin"
        constraints = str(ROOT / "constraints.txt")
        pip = ["python", "-m", "pip"]
        install = [*pip, "install", "--quiet", "--disable-pip-version-check"]
        every = {
            "pip install": [*install, "--constraint", constraints, *wanted],
            "pip check": [*pip, "check"],
            **steps,
        }
        for step, (program, *arguments) in every.items():
            done = run_alone([str(binaries / program), *arguments], folder)
            if done.returncode:
                return said, [f"{name}: {step} fails:\n{done.stdout}"]
            said[step] = done.stdout.strip()
            print(f"{name}: {step}: ok")

        for step in steps:
            is_program = step.startswith("first")
            if is_program and not said[step].splitlines()[-1].startswith(str(folder)):
                return said, [f"{name}: the program used {said[step]}"]
    return said, []


def run_alone(command: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """A command that finds no other copy of the package, and leaves nothing outside of a folder."""
    environment = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def instructions(made: list[Path], version: str) -> str:
    """What to upload, and how."""
    lines = ["To release, after a look at CHANGELOG.md:", ""]
    for path in made:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        lines.append(f"  {path.relative_to(ROOT)}  {path.stat().st_size:,} bytes  sha256 {digest}")

    files = " ".join(str(path.relative_to(ROOT)) for path in made)
    lines += [
        "",
        f"  git tag --annotate v{version} --message 'mobandits {version}'",
        f"  git push origin v{version}",
        f"  python -m twine upload {files}",
        "",
        "twine asks for a token; --repository names another index than its own.",
        "Attach the files to the release of the tag, with the section of CHANGELOG.md as its text.",
    ]
    if "urls" not in project():
        lines.append("pyproject.toml has no [project.urls]: add the repository's address first.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
