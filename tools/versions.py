"""Test with every supported Python that is at hand: `make test-versions`.

Interpreters are looked for on PATH, among those of pyenv and among those of uv. Each gets an environment of its own,
`.venv-3.12` and so on. What the default suite runs is run there, or what the arguments say:

    python tools/versions.py                      all tests, with every interpreter
    python tools/versions.py tests/orders -x      these, in the words of pytest
    python tools/versions.py 3.13 tests/orders    these, with that version only
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUPPORTED = ("3.11", "3.12", "3.13", "3.14")
BESIDE = tuple(
    word
    for name in ("client", "papers", "service")
    for word in ("--editable", f"packages/mobandits-{name}")
)
EXTRAS = ".[data,gym,ray,service,postgres,docs,dev]"
# Where some package has no build for a new Python yet, the rest is tested without it.
OPTIONAL = ("ray", "vowpalwabbit", "mo-gymnasium")
LEAST_EXTRAS = ".[data,gym,service,postgres]"
LEAST_TOOLS = ("build", "hypothesis", "mypy", "nbclient", "nbformat", "ipykernel", "pytest")
LEAST_TOOLS += ("pytest-xdist", "ruff", "setuptools")


def main(arguments: list[str]) -> int:
    """Test with every version that is there; 1 where one fails or none is there."""
    chosen = [version for version in SUPPORTED if version in arguments]
    words = [word for word in arguments if word not in SUPPORTED]
    results = {}
    for version in chosen or SUPPORTED:
        interpreter = find_interpreter(version)
        if interpreter is None:
            results[version] = "not at hand, not tested"
            continue
        print(f"== Python {version}: {interpreter}", flush=True)
        results[version] = tested(version, interpreter, words)

    print("\nPython   result")
    for version, result in results.items():
        print(f"{version}     {result}")
    tried = [result for result in results.values() if "not tested" not in result]
    return int(not tried or any("failed" in result for result in tried))


def find_interpreter(version: str) -> str | None:
    """The path of an interpreter of a version, such as 3.12; None where there is none that runs."""
    candidates = [shutil.which(f"python{version}"), *pyenv_interpreters(version)]
    candidates.append(uv_interpreter(version))
    for candidate in candidates:
        if candidate and version_of(candidate) == version:
            return candidate
    return None


def pyenv_interpreters(version: str) -> list[str]:
    """Those of pyenv, newest first; its commands on PATH answer for the chosen version only."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = (root / "versions").glob(f"{version}.*/bin/python")
    return [str(path) for path in sorted(found, key=patch_number, reverse=True)]


def patch_number(interpreter: Path) -> int:
    """The last number of a version, 7 of .../3.11.7/bin/python; -1 where there is none."""
    last = interpreter.parts[-3].split(".")[-1]
    return int(last) if last.isdigit() else -1


def uv_interpreter(version: str) -> str | None:
    """The interpreter that uv has installed, where uv is there; nothing is downloaded."""
    if shutil.which("uv") is None:
        return None
    command = ["uv", "python", "find", "--no-python-downloads", version]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def version_of(interpreter: str) -> str | None:
    """The version that an interpreter says it has; None where it does not run."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run(
            [interpreter, "-c", code], capture_output=True, text=True, check=False
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def tested(version: str, interpreter: str, arguments: list[str]) -> str:
    """What came of the tests with one interpreter."""
    python = ROOT / f".venv-{version}" / "bin" / "python"
    if not python.exists():
        subprocess.run([interpreter, "-m", "venv", str(python.parent.parent)], check=True)
    missing = install(str(python))
    if missing is None:
        return "failed: its packages cannot be installed"

    command = [str(python), "-m", "pytest", "-n", "2", "--dist", "worksteal", *arguments]
    # Another copy on PYTHONPATH would be tested in place of the one that was installed.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    without = f", without {', '.join(missing)}" if missing else ""
    return f"passed{without}" if done.returncode == 0 else f"failed{without}"


def install(python: str) -> list[str] | None:
    """Install what tests need; the optional packages that could not be, or None where the rest could not."""
    if pip(python, "--editable", EXTRAS, *BESIDE):
        return []
    if not pip(python, "--editable", LEAST_EXTRAS, *BESIDE, *LEAST_TOOLS):
        return None
    return [name for name in OPTIONAL if not pip(python, name)]


def pip(python: str, *arguments: str) -> bool:
    """Whether pip could install this."""
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    command += ["--constraint", "constraints.txt", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
