"""Files inside wheels, source archives, folders and installed packages: the same bytes, or one clear line."""

import hashlib
import io
import tarfile
import zipfile
from importlib import metadata

import pytest

from mobandits.datasets.published import Published, from_user

MEMBER, CONTENT = "toy/data/numbers.csv", b"a\n1\n2\n"
FILE = Published("toy", "1.2", MEMBER, 2, hashlib.sha256(CONTENT).hexdigest())


def wheel(path, content=CONTENT, member=MEMBER):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("toy/__init__.py", "raise ImportError('nobody may import this')")
        archive.writestr(member, content)
    return path


def source(path, content=CONTENT):
    with tarfile.open(path, "w:gz") as archive:
        for name, data in (("toy-1.2/README", b"hello"), (f"toy-1.2/{MEMBER}", content)):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return path


def folder(path, content=CONTENT):
    (path / "toy" / "data").mkdir(parents=True)
    (path / MEMBER).write_bytes(content)
    return path


@pytest.fixture
def forms(tmp_path):
    tree = folder(tmp_path / "tree")
    return [
        wheel(tmp_path / "toy-1.2-py3-none-any.whl"),
        wheel(tmp_path / "renamed"),
        source(tmp_path / "toy-1.2.tar.gz"),
        *(tree, tree / "toy", tree / "toy" / "data", tree / MEMBER),
    ]


def test_every_form_holds_the_same_bytes(forms):
    assert [FILE.read(path) for path in forms] == [CONTENT] * len(forms)
    assert FILE.read(str(forms[0])) == CONTENT


def test_an_installed_package_is_read_and_not_imported(tmp_path, monkeypatch):
    wheel(tmp_path / "w.whl")
    zipfile.ZipFile(tmp_path / "w.whl").extractall(tmp_path / "site")
    info = tmp_path / "site" / "toy-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy\nVersion: 1.2\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert from_user(FILE, None, "toys") == CONTENT
    (tmp_path / "site" / MEMBER).write_bytes(b"a\n1\n3\n")
    with pytest.raises(
        ValueError,
        match=r"^toy's numbers.csv must be the published file of 2 rows .* in 6 bytes; to ",
    ):
        FILE.read()


def test_what_is_not_installed_is_the_users_to_get():
    with pytest.raises(metadata.PackageNotFoundError):
        Published("no-such-package", "1", MEMBER, 2, "").read()
    with pytest.raises(
        ValueError,
        match=r"^toys: no-such-package is not installed, and no path was given; pip download",
    ):
        from_user(Published("no-such-package", "1", MEMBER, 2, ""), None, "toys")


def test_other_content_is_refused(tmp_path):
    tampered = [
        wheel(tmp_path / "a.whl", b"a\n1\n3\n"),
        source(tmp_path / "a.tar.gz", b"a\n1\n3\n"),
        folder(tmp_path / "tree", b"a\n1\n3\n"),
        wheel(tmp_path / "b.whl", member="toy/data/others.csv"),
    ]
    for path, size in zip(tampered, (6, 6, 6, 0), strict=True):
        with pytest.raises(
            ValueError,
            match=rf"^{MEMBER} in [^\n]* must be the published file [^\n]* in {size} bytes;",
        ):
            FILE.read(path)


def test_damaged_archives_are_refused(tmp_path):
    good = wheel(tmp_path / "good.whl", CONTENT * 500).read_bytes()
    archive = source(tmp_path / "good.tar.gz", bytes(range(256)) * 200).read_bytes()
    flipped = good.replace(good[200:210], bytes(10), 1)
    for name, content in (
        ("cut.tar.gz", archive[:-200]),
        ("no.tar.gz", b"hello"),
        ("f.whl", flipped),
        ("e.whl", b""),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=rf"^[^\n]*{name}[^\n]*$"):
            FILE.read(tmp_path / name)
    with pytest.raises(ValueError, match=r"nothing.whl cannot be read: No such file or directory"):
        FILE.read(tmp_path / "nothing.whl")


@pytest.mark.parametrize(("make", "name"), [(wheel, "toy.whl"), (source, "toy.tar.gz")])
def test_no_flipped_byte_gets_through(tmp_path, make, name):
    content = make(tmp_path / name).read_bytes()
    outcomes = {
        place: tried(tmp_path / name, content, place) for place in range(0, len(content), 3)
    }
    assert set(outcomes.values()) == {"the content", "one line"}


def tried(path, content, place):
    """What comes of reading an archive with one byte changed."""
    path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
    try:
        return "the content" if FILE.read(path) == CONTENT else "other content"
    except ValueError as error:
        return "many lines" if "\n" in str(error) else "one line"
