"""Files inside published distributions, installed, in an archive or in a folder, verified."""

import hashlib
import tarfile
import zipfile
import zlib
from importlib import metadata
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from mobandits.support.optional import missing_extra

# The errors of files that are damaged, or not what their names say.
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
        """The command that gets the distribution without its dependencies."""
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
            # The folder of the installed package: importing it would run its code.
            distribution = metadata.distribution(self.package)
            folder = Path(str(distribution.locate_file("")))
            name = f"{self.package}'s {PurePosixPath(self.member).name}"
            remedy = f"to repair it: pip install --force-reinstall {self.package}=={self.version}"
        else:
            folder = Path(path)
            name = f"{self.member} in {path}"
            remedy = f"to get it: {self.obtain}"

        content = _member(folder, self.member)
        digest = hashlib.sha256(content).hexdigest()
        # Results are reproducible only with the same bytes; an absent member has the bytes b"".
        if digest != self.digest:
            rule = f"the published file of {self.rows} rows with SHA-256 {self.digest}"
            got = f"SHA-256 {digest} in {len(content)} bytes"
            raise ValueError(f"{name} must be {rule}, got {got}; {remedy}")

        return content


def from_user(file: Published, path: str | Path | None, user: str) -> bytes:
    """The content `file.read(path)`, of a package that users get by themselves.

    Raises:
        ValueError: in one line with the way to get it, where it is not installed.
    """
    try:
        return file.read(path)
    except metadata.PackageNotFoundError as error:
        reason = f"{user}: {file.package} is not installed, and no path was given"
        raise ValueError(f"{reason}; {file.obtain}, then path=<that file>") from error


def from_extra(file: Published, user: str) -> bytes:
    """The content of a file whose package comes with the extra `data`.

    Raises:
        MissingExtraError: where it is not installed.
        ValueError: where the file is not the published one.
    """
    try:
        return file.read()
    except metadata.PackageNotFoundError as error:
        raise missing_extra(user, "data") from error


def _member(path: Path, member: str) -> bytes:
    """The member's bytes, b"" where there is none."""
    try:
        if path.is_dir():
            return _from_folder(path, member)
        if zipfile.is_zipfile(path):  # a wheel, whatever its name
            with zipfile.ZipFile(path) as wheel:
                return wheel.read(member) if member in wheel.namelist() else b""
        if path.name.endswith((".tar.gz", ".tar", ".tgz")):
            with tarfile.open(path) as archive:
                return _from_source(archive, member)

        return path.read_bytes()
    except UNREADABLE as error:
        reason, _, _ = str(error).partition("\n")
        if isinstance(error, OSError) and error.strerror:
            reason = error.strerror  # without number and path

        raise ValueError(f"{path} cannot be read: {reason}") from error


def _from_source(archive: tarfile.TarFile, member: str) -> bytes:
    # All of it lies in one folder, which is named after the version.
    for entry in archive:
        if entry.isfile() and entry.name.endswith("/" + member):
            file = archive.extractfile(entry)
            return b"" if file is None else file.read()

    return b""


def _from_folder(folder: Path, member: str) -> bytes:
    """The member below the folder, which may itself be one of those that the member lies in."""
    parts = PurePosixPath(member).parts
    for skipped in range(len(parts)):
        path = folder.joinpath(*parts[skipped:])
        if path.is_file():
            return path.read_bytes()

    return b""
