"""What a release is made of: one version everywhere, a changelog, a wheel that holds the package and no more."""

import email
import importlib
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import mobandits
from mobandits.support.guests import GROUPS

ROOT = Path(__file__).parent.parent
GUESTS = tuple(f"packages/mobandits-{name}" for name in ("client", "papers", "service"))
needs_git = pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a clone"
)


@pytest.fixture(scope="module")
def tools():
    sys.path.insert(0, str(ROOT / "tools"))
    yield importlib.import_module
    sys.path.remove(str(ROOT / "tools"))


@pytest.fixture(scope="module")
def release(tools):
    return tools("release")


@pytest.fixture(scope="module")
def distributions(tools):
    return tools("distributions")


@pytest.fixture(scope="module")
def wheel(distributions, tmp_path_factory):
    """The wheel of these sources."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("wheel")
    sources = distributions.copy_of_sources(folder / "sources")
    distributions.build(sources, folder, kinds=("--wheel",))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def client_wheel(distributions, tmp_path_factory):
    """The wheel of the clients."""
    pytest.importorskip("build")
    folder = tmp_path_factory.mktemp("client")
    sources = distributions.copy_of_sources(folder / "sources")
    distributions.build(sources / distributions.CLIENT.folder, folder, kinds=("--wheel",))
    (built,) = folder.glob("*.whl")
    return built


def project(folder="."):
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]


def test_every_place_names_the_same_version(release):
    assert release.version_problems() == []
    assert release.package_version() == mobandits.__version__


def changed(monkeypatch, release, tmp_path, name, old, new):
    """A copy of the places that name the version, one of them changed."""
    guests = [f"{guest}/pyproject.toml" for guest in GUESTS]
    logs = [f"{guest}/CHANGELOG.md" for guest in GUESTS]
    others = ("pyproject.toml", "CITATION.cff", "CHANGELOG.md", "src/mobandits/__init__.py")
    for place in (*guests, *logs, *others):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / place, tmp_path / place)
    text = (tmp_path / name).read_text()
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1))
    monkeypatch.setattr(release, "ROOT", tmp_path)


@pytest.mark.parametrize(
    ("name", "old", "problem"),
    [
        ("CITATION.cff", "version: {}", "CITATION.cff must name version {}, got 9.9.9"),
        (
            "src/mobandits/__init__.py",
            '__version__ = "{}"',
            "src/mobandits/__init__.py must name version {}, got 9.9.9",
        ),
        ("CHANGELOG.md", "## [{}]", "CHANGELOG.md must have a section [{}] with a date"),
        (
            "packages/mobandits-client/pyproject.toml",
            'version = "{}"',
            "mobandits-client must have, and be required in, version {}, got 9.9.9",
        ),
        (
            "pyproject.toml",
            "mobandits-client[litellm]=={}",
            "mobandits-client must have, and be required in, version {}, got 9.9.9",
        ),
        (
            "packages/mobandits-papers/pyproject.toml",
            "mobandits=={}",
            "mobandits-papers must have, and be required in, version {}, got 9.9.9",
        ),
    ],
)
def test_another_version_is_a_problem(monkeypatch, release, tmp_path, name, old, problem):
    version = mobandits.__version__
    before = old.format(version)
    changed(monkeypatch, release, tmp_path, name, before, before.replace(version, "9.9.9"))
    assert release.version_problems() == [problem.format(version)]


@pytest.mark.parametrize("folder", ["", "packages/mobandits-client/"])
def test_what_is_unreleased_is_a_problem(monkeypatch, release, tmp_path, folder):
    mark = "## [Unreleased]\n"
    place = f"{folder}CHANGELOG.md"
    changed(monkeypatch, release, tmp_path, place, mark, f"{mark}\n### Added\n\n- X.\n")
    version = mobandits.__version__
    problem = f"{place}: move what is under Unreleased to [{version}]"
    assert problem in release.changelog_problems(version)


def test_another_date_is_a_problem(monkeypatch, release, tmp_path):
    date = release.sections()[mobandits.__version__]
    changed(monkeypatch, release, tmp_path, "CITATION.cff", date, "1999-01-01")
    (problem,) = release.version_problems()
    assert problem == f"CITATION.cff must name the date {date} of the changelog, got 1999-01-01"


def test_versions_of_the_changelog_go_down_and_have_dates(release):
    sections = release.sections()
    assert next(iter(sections)) == "Unreleased"
    released = {version: date for version, date in sections.items() if version != "Unreleased"}
    numbers = [tuple(map(int, version.split("."))) for version in released]
    assert numbers == sorted(numbers, reverse=True)
    assert list(released.values()) == sorted(released.values(), reverse=True)
    assert all(released.values())


def test_kinds_of_changes_are_those_of_keep_a_changelog():
    places = [ROOT / "CHANGELOG.md", *(ROOT / guest / "CHANGELOG.md" for guest in GUESTS)]
    texts = [place.read_text() for place in places]
    kinds = re.findall(r"^### (.+)$", "\n".join(texts), re.MULTILINE)
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_supported_versions_are_the_same_everywhere(tools):
    supported = tools("versions").SUPPORTED
    classified = re.findall(r"Python :: (3\.\d+)", " ".join(project()["classifiers"]))
    assert tuple(classified) == supported
    assert project()["requires-python"] == f">={supported[0]}"
    page = (ROOT / "docs" / "deprecation.md").read_text()
    listed = f"Python {', '.join(supported[:-1])} and {supported[-1]} are supported"
    assert listed in " ".join(page.split())


def test_development_tools_are_pinned():
    """The tools that build, and those that execute notebooks, have a number in constraints.txt.

    LiteLLM has an environment of its own, and so a list of its own.
    """
    files = ("constraints.txt", "constraints-litellm.txt")
    texts = [(ROOT / name).read_text() for name in files]
    lines = [line for text in texts for line in text.splitlines() if not line.startswith("#")]
    pins = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    assert all("==" in line for line in lines)
    wanted = []
    for each in (project(), *map(project, GUESTS)):
        extras = each["optional-dependencies"]
        wanted += [*each["dependencies"], *(name for extra in extras.values() for name in extra)]
    names = {re.split(r"[<>=!~\[; ]", requirement)[0].lower() for requirement in wanted}
    own = {"mobandits", *(Path(guest).name for guest in GUESTS)}
    assert names - pins == own


@pytest.mark.parametrize("folder", GUESTS)
def test_all_projects_say_the_same_of_themselves(folder):
    guest = project(folder)
    for name in ("version", "requires-python", "license", "license-files", "authors"):
        assert guest[name] == project()[name], name
    assert set(guest["classifiers"]) <= set(project()["classifiers"])
    licence = ROOT / folder / "LICENSE"
    assert licence.read_text() == (ROOT / "LICENSE").read_text()


@needs_git
def test_the_wheel_of_the_clients_is_small_and_needs_two_packages(distributions, client_wheel):
    client = distributions.CLIENT
    assert distributions.wheel_problems(client_wheel, client) == []
    assert distributions.metadata_problems(client_wheel, mobandits.__version__) == []
    with zipfile.ZipFile(client_wheel) as archive:
        names = archive.namelist()
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        said = email.message_from_bytes(archive.read(metadata))
    needed = [needed for needed in said.get_all("Requires-Dist") if "extra ==" not in needed]
    assert {re.split("[<>=]", each)[0] for each in needed} == {"httpx", "msgspec"}
    assert said.get_all("Provides-Extra") == ["litellm"]
    assert "mobandits_client/py.typed" in names


@needs_git
def test_the_wheels_of_guests_have_their_files_and_join_the_library(distributions, tmp_path):
    pytest.importorskip("build")
    sources = distributions.copy_of_sources(tmp_path / "sources")
    held = {
        distributions.PAPERS: {"texts/molts2025.toml", "templates/demo.html"},
        distributions.SERVICE: {"dashboard/templates/base.html", "dashboard/static/dashboard.css"},
    }
    joined = set()
    for project, files in held.items():
        folder = tmp_path / project.package
        distributions.build(sources / project.folder, folder, kinds=("--wheel",))
        (built,) = folder.glob("*.whl")
        assert distributions.wheel_problems(built, project) == []
        assert distributions.metadata_problems(built, mobandits.__version__) == []
        with zipfile.ZipFile(built) as archive:
            names = set(archive.namelist())
            (entries,) = [name for name in names if name.endswith("entry_points.txt")]
            joined |= set(re.findall(r"^\[(.+)\]$", archive.read(entries).decode(), re.MULTILINE))
        assert {f"{project.package}/{file}" for file in files} <= names
    assert joined == set(GROUPS)


@needs_git
def test_the_wheel_holds_the_package_and_no_more(distributions, wheel):
    assert distributions.wheel_problems(wheel) == []
    assert distributions.metadata_problems(wheel, mobandits.__version__) == []
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "mobandits/py.typed" in names
    assert {"mobandits/policies/__init__.pyi", "mobandits/references/references.bib"} <= set(names)
    assert "mobandits/figures/templates/base.html" in names
    assert not [name for name in names if "test_" in name or "__pycache__" in name]


@needs_git
def test_a_wheel_that_lacks_or_adds_something_is_refused(distributions, wheel, tmp_path):
    other = tmp_path / wheel.name
    compressed = zipfile.ZipFile(other, "w", zipfile.ZIP_DEFLATED)
    with zipfile.ZipFile(wheel) as archive, compressed as copy:
        for name in archive.namelist():
            if name != "mobandits/py.typed":
                copy.writestr(name, archive.read(name))
        copy.writestr("mobandits/left_over.py", "")
        copy.writestr("tests/test_x.py", "")
    assert distributions.wheel_problems(other) == [
        "the wheel lacks mobandits/py.typed",
        "the wheel holds mobandits/left_over.py, which is not tracked",
        "the wheel holds tests/test_x.py",
    ]
    problems = distributions.metadata_problems(other, "9.9.9")
    assert problems == [f"metadata: the version must be 9.9.9, got {mobandits.__version__}"]


@needs_git
def test_an_sdist_with_tests_or_without_sources_is_refused(distributions, tmp_path):
    path = tmp_path / "mobandits.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name in distributions.tracked_files():
            kept = name.startswith("src/mobandits/") or "/" not in name
            if (kept and name != "src/mobandits/errors.py") or name == "tests/source_trees.py":
                archive.add(ROOT / name, f"mobandits-1/{name}")
    assert distributions.sdist_problems(path) == [
        "the sdist lacks src/mobandits/errors.py",
        "the sdist holds tests/source_trees.py",
    ]


@pytest.mark.slow
@needs_git
def test_all_distributions_work_where_nothing_else_is_installed():
    """Downloads the packages that are declared, so it needs an index or a cache of pip's."""
    command = [sys.executable, str(ROOT / "tools" / "release.py"), "--allow-dirty"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "all checks passed" in done.stdout


def test_hooks_use_the_projects_own_tools():
    """Nothing is downloaded: every hook is local, and calls what make install put into .venv."""
    yaml = pytest.importorskip("yaml")
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    assert [repository["repo"] for repository in settings["repos"]] == ["local"]
    for hook in settings["repos"][0]["hooks"]:
        assert hook["language"] == "system"
        assert hook["entry"].startswith((".venv/bin/", "make ")), hook["id"]


def test_templates_of_issues_have_what_hosts_read():
    yaml = pytest.importorskip("yaml")
    templates = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))
    assert len(templates) == 4
    for template in templates:
        _, front, body = template.read_text().split("---\n", 2)
        assert set(yaml.safe_load(front)) >= {"name", "about"}, template.name
        assert body.strip()


def test_security_names_every_kind_of_file_that_is_read():
    page = (ROOT / "SECURITY.md").read_text()
    assert "@" not in page.replace("@compiled", "")  # no address was invented
    for word in ("agent", "store", "logs", "TOML", "pickle", "NUMBA_CACHE_DIR", "Ray"):
        assert word in page, word
