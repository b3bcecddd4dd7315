"""Files inside published distributions: from the installed package, a wheel, a source archive or a folder, verified."""

import hashlib
import tarfile
import zipfile
import zlib
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

UNREADABLE = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    zlib.error,
    zipfile.BadZipFile,
    tarfile.TarError,
)


class Published(NamedTuple):
    """A file that a distribution carries. It is read, never imported.

    Attributes:
        package: the distribution's name.
        version: the one to get; other versions do where they carry the same file.
        member: the file's path inside a wheel.
        rows: how many lines of data it has.
        digest: SHA-256 of its bytes.
    """

    package: str
    version: str
    member: str
    rows: int
    digest: str

    @property
    def obtain(self) -> str:
        """How to get the distribution without what it depends on."""
        return f"pip download --no-deps {self.package}=={self.version}"

    def read(self, path: str | Path | None = None) -> bytes:
        """The content, byte for byte as published.

        Args:
            path: the distribution's wheel or source archive, a folder that holds what is in one, or
                the file itself; None: the installed package.

        Raises:
            PackageNotFoundError: without a path, where the package is not installed.
            ValueError: in one line, where there is no such file or it is not the published one.
        """
        if path is None:
            folder = Path(str(metadata.distribution(self.package).locate_file("")))
            name = f"{self.package}'s {PurePosixPath(self.member).name}"
            content = _from(folder, self.member)
            remedy = f"to repair it: pip install --force-reinstall {self.package}=={self.version}"
        else:
            name = f"{self.member} in {path}"
            content = _from(Path(path), self.member)
            remedy = f"to get it: {self.obtain}"
        found = hashlib.sha256(content).hexdigest()
        if found != self.digest:
            rule = f"the published file of {self.rows} rows with SHA-256 {self.digest}"
            raise ValueError(
                f"{name} must be {rule}, got SHA-256 {found} in {len(content)} bytes; {remedy}"
            )
        return content


def from_user(file: Published, path: str | Path | None, user: str) -> bytes:
    """`file.read(path)`, where a package that is not installed is the user's to get.

    Raises:
        ValueError: in one line that says how.
    """
    try:
        return file.read(path)
    except metadata.PackageNotFoundError as error:
        said = f"{user}: {file.package} is not installed, and no path was given"
        raise ValueError(f"{said}; {file.obtain}, then path=<that file>") from error


def _from(path: Path, member: str) -> bytes:
    """The member's bytes, b"" where there is none."""
    try:
        if path.is_dir():
            return _from_folder(path, member)
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return archive.read(member) if member in archive.namelist() else b""
        if path.name.endswith((".tar.gz", ".tar", ".tgz")):
            with tarfile.open(path) as archive:
                return _from_source(archive, member)
        return path.read_bytes()
    except UNREADABLE as error:
        said = (
            error.strerror
            if isinstance(error, OSError) and error.strerror
            else str(error).partition("\n")[0]
        )
        raise ValueError(f"{path} cannot be read: {said}") from error


def _from_source(archive: tarfile.TarFile, member: str) -> bytes:
    for entry in archive:  # all of it lies in one folder, which is named after the version
        if entry.isfile() and entry.name.endswith("/" + member):
            file = archive.extractfile(entry)
            return b"" if file is None else file.read()
    return b""


def _from_folder(folder: Path, member: str) -> bytes:
    """Also where the folder is one of those that the member lies in."""
    parts = PurePosixPath(member).parts
    found = (folder.joinpath(*parts[skipped:]) for skipped in range(len(parts)))
    return next((path.read_bytes() for path in found if path.is_file()), b"")
