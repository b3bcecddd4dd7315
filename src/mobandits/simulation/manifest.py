"""What a run's folder says about itself: the specification, and what computed the table on which machine."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

from mobandits.compiling.backend import MODE
from mobandits.errors import FolderError
from mobandits.simulation.files import write_atomically
from mobandits.support.naming import quoted, shortened

FORMAT = 1
MANIFEST = "manifest.json"
NEEDED = {"format", "status", "specification", "versions", "sessions"}
DECISIVE = ("mobandits", "numpy", "numba")  # another version of these may compute another table
REMEDY = "run it again into another folder"


def read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of a folder, or None where there is none.

    Raises:
        FolderError: where it cannot be read as one.
    """
    file = path / MANIFEST
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FolderError(
            f"{file} is not the manifest of a run: expected JSON, found {error}; {REMEDY}"
        ) from error
    if (
        not isinstance(manifest, dict)
        or not manifest.keys() >= NEEDED
        or not isinstance(manifest["specification"], dict)
    ):
        wanted = f"expected an object with {', '.join(sorted(NEEDED))}"
        raise FolderError(f"{file} is not the manifest of a run: {wanted}; choose another folder")
    if manifest["format"] != FORMAT:
        raise FolderError(
            f"{file} has format {quoted(manifest['format'])}, and this version reads {FORMAT}: choose another folder"
        )
    return manifest


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Replace the manifest of a folder."""
    write_atomically(
        path / MANIFEST, (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
    )


def check_specification(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Refuse to continue a run as another one; only more trials are welcome.

    Raises:
        FolderError: naming the first key that differs and both values.
    """
    before = old.get("trials")
    now = new["trials"]
    if found := first_difference({**old, "trials": now}, new):
        key, a, b = found
        both = f"{key} = {shortened(str(a))}, now {shortened(str(b))}"
        raise FolderError(
            f"{path} holds a run with {both}: choose another folder (only trials may grow)"
        )
    if not isinstance(before, int) or before > now:
        both = f"trials = {quoted(before)}, now {quoted(now)}"
        raise FolderError(
            f"{path} holds a run with {both}: choose another folder (trials may only grow)"
        )


def check_versions(path: Path, before: dict[str, str]) -> None:
    """Refuse to mix trials that different versions computed.

    Raises:
        FolderError: naming the package and both versions.
    """
    now = versions()
    for name in DECISIVE:
        if before.get(name) != now[name]:
            raise FolderError(
                f"{path} was begun with {name} {before.get(name)}, now {now[name]}: "
                "choose another folder (one table, one version)"
            )


def first_difference(old: Any, new: Any, key: str = "") -> tuple[str, str, str] | None:
    """The first place where two JSON values differ: its key and both values; the order of keys counts.

    Example:
        >>> first_difference({"seed": 1, "record": [1, 2]}, {"seed": 1, "record": [1, 3]})
        ('record[1]', '2', '3')
    """
    if isinstance(old, dict) and isinstance(new, dict):
        names = [*old, *(name for name in new if name not in old)]
        pairs = [
            (f"{key}.{name}".lstrip("."), old.get(name, "absent"), new.get(name, "absent"))
            for name in names
        ]
        pairs.append((f"order of {key}", ", ".join(old), ", ".join(new)))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = [(f"{key}[{i}]", a, b) for i, (a, b) in enumerate(zip(old, new, strict=True))]
    else:
        if type(old) is type(new) and old == new:
            return None
        return (key, str(old), str(new))
    return next((found for name, a, b in pairs if (found := first_difference(a, b, name))), None)


def versions() -> dict[str, str]:
    """What computed the table.

    The mode of compiling is noted, and not among `DECISIVE`: every mode computes the same table, so a run may be
    continued in another one, also where its manifest was written before modes were noted.
    """
    packages = {
        name: importlib.metadata.version(name) for name in ("mobandits", "numpy", "numba", "polars")
    }
    return {**packages, "python": platform.python_version(), "compiling": MODE}


def machine() -> dict[str, Any]:
    """What it ran on."""
    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
