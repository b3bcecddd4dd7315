"""Prepare a release: `make release`. It builds, checks and tries both distributions, and uploads nothing.

python tools/release.py                   all steps; the files are in dist/
python tools/release.py --allow-dirty     also where the working tree has changes
python tools/release.py --versions-only   only whether all places name the same version
"""

import datetime as dt
import hashlib
import itertools
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
    ROOT,
    Distributions,
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
    problems = wheel_problems(made.wheel) + sdist_problems(made.sdist)
    problems += metadata_problems(made.wheel, version) + twine_problems(made)
    if problems:
        return report(problems)

    for path in made:
        problems += trial_problems(path, version)
    if problems:
        return report(problems)

    print(f"all checks passed in {time.monotonic() - begun:.0f} s\n")
    print(instructions(made, version))
    return 0


def report(problems: list[str]) -> int:
    """Print what is wrong, one line each; the exit status."""
    for problem in problems:
        print(f"error: {problem}")
    return int(bool(problems))


def package_version() -> str:
    """The version in pyproject.toml."""
    return str(project()["version"])


def project() -> dict[str, object]:
    """The table [project] of pyproject.toml."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return dict(content["project"])


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
    """What must be done to the changelog before this version is released."""
    text = (ROOT / "CHANGELOG.md").read_text()
    marks = list(SECTION.finditer(text))
    problems = []
    for mark, following in itertools.pairwise(marks):
        if mark["version"] == "Unreleased" and text[mark.end() : following.start()].strip():
            problems.append(f"CHANGELOG.md: move what is under Unreleased to [{version}]")

    released = [mark["version"] for mark in marks if mark["version"] != "Unreleased"]
    if released[:1] != [version]:
        problems.append(f"CHANGELOG.md: the newest version must be {version}, got {released[:1]}")

    date = sections().get(version)
    if date and date > dt.datetime.now(dt.UTC).date().isoformat():
        problems.append(f"CHANGELOG.md: {date} is still to come")
    return problems


def tree_problems() -> list[str]:
    """Files of the working tree that are not as committed."""
    command = ["git", "status", "--porcelain"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [f"not committed: {line[3:]}" for line in done.stdout.splitlines()]


def make_distributions(version: str) -> Distributions:
    """Both files of a version in dist/, in place of those of an earlier try."""
    OUT.mkdir(exist_ok=True)
    for earlier in OUT.glob(f"mobandits-{version}[-.]*"):
        earlier.unlink()
    with tempfile.TemporaryDirectory() as folder:
        build(copy_of_sources(Path(folder)), OUT)
    return built_files(OUT, version)


def twine_problems(made: Distributions) -> list[str]:
    """What twine says of both files, where it is installed: whether the description can be shown."""
    twine = shutil.which("twine")
    if twine is None:
        print("twine is not installed: the metadata were checked by packaging alone")
        return []
    command = [twine, "check", "--strict", *map(str, made)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"twine: {done.stdout.strip()}"]


def trial_problems(path: Path, version: str) -> list[str]:
    """What fails where a distribution is installed alone, with the packages that it declares."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        venv.create(folder / "venv", with_pip=True)
        binaries = folder / "venv" / "bin"
        python = str(binaries / "python")
        program = str(binaries / "mobandits")
        constraints = str(ROOT / "constraints.txt")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        steps = {
            "pip install": [*install, "--constraint", constraints, str(path)],
            "pip check": [python, "-m", "pip", "check"],
            "mobandits --version": [program, "--version"],
            "mobandits list": [program, "list", "policies"],
            "first program": [python, "-c", FIRST_PROGRAM],
        }
        said = {}
        for step, command in steps.items():
            done = run_alone(command, folder)
            if done.returncode:
                return [f"{path.name}: {step} fails:\n{done.stdout}"]
            said[step] = done.stdout.strip()
            print(f"{path.name}: {step}: ok")

    problems = []
    if said["mobandits --version"] != f"mobandits {version}":
        problems.append(f"{path.name}: mobandits --version says {said['mobandits --version']}")
    if not said["first program"].splitlines()[-1].startswith(str(folder)):
        problems.append(f"{path.name}: the program used {said['first program']}")
    return problems


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


def instructions(made: Distributions, version: str) -> str:
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
        "Attach both files to the release of the tag, with the section of CHANGELOG.md as its text.",
    ]
    if "urls" not in project():
        lines.append("pyproject.toml has no [project.urls]: add the repository's address first.")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
