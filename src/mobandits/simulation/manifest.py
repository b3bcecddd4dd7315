"""The manifest of a run's folder: the specification, and what computed the table where."""

import importlib.metadata
import json
import os
import platform
from pathlib import Path
from typing import Any

from mobandits.compiling.backend import mode
from mobandits.errors import FolderError
from mobandits.support.files import write_atomically
from mobandits.support.naming import quoted, shortened

FORMAT = 1
MANIFEST = "manifest.json"
NEEDED = {"format", "kind", "status", "specification", "versions", "sessions"}
DECISIVE = ("mobandits", "numpy", "numba")  # another version of these may compute another table
REMEDY = "run it again into another folder"


def read_manifest(path: Path) -> dict[str, Any] | None:
    """The manifest of a folder, or None where there is none.

    Raises:
        FolderError: where it cannot be read as one.
    """
    file = path / MANIFEST
    not_a_manifest = f"{file} is not the manifest of a run"
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FolderError(f"{file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise FolderError(f"{not_a_manifest}: expected JSON, found {error}; {REMEDY}") from error

    has_keys = isinstance(content, dict) and content.keys() >= NEEDED
    if not has_keys or not isinstance(content["specification"], dict):
        wanted = f"expected an object with {', '.join(sorted(NEEDED))}"
        raise FolderError(f"{not_a_manifest}: {wanted}; choose another folder")

    manifest: dict[str, Any] = content
    if manifest["format"] != FORMAT:
        raise FolderError(
            f"{file} has format {quoted(manifest['format'])}, and this version reads {FORMAT}: "
            "choose another folder"
        )

    return manifest


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Replace the manifest of a folder."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    data = f"{text}\n".encode()
    write_atomically(path / MANIFEST, data)


def check_specification(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Refuse to continue a run as another one; only `trials` may grow.

    Raises:
        FolderError: naming the first key that differs and both values.
    """
    trials = old.get("trials")
    new_trials = new.get("trials")
    old_with_new_trials = old
    if new_trials is not None:
        # In its old place: the order of keys counts.
        old_with_new_trials = {**old, "trials": new_trials}

    difference = first_difference(old_with_new_trials, new)
    if difference is not None:
        key, old_value, new_value = difference
        both = f"{key} = {shortened(old_value)}, now {shortened(new_value)}"
        raise FolderError(
            f"{path} holds a run with {both}: choose another folder (only trials may grow)"
        )

    if new_trials is None:
        return
    if not isinstance(trials, int) or trials > new_trials:
        both = f"trials = {quoted(trials)}, now {quoted(new_trials)}"
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
    """The first place where two JSON values differ: its key and both values.

    The order of keys counts.

    Example:
        >>> first_difference({"seed": 1, "record": [1, 2]}, {"seed": 1, "record": [1, 3]})
        ('record[1]', '2', '3')
    """
    pairs: list[tuple[str, Any, Any]] = []
    if isinstance(old, dict) and isinstance(new, dict):
        added = [name for name in new if name not in old]
        for name in [*old, *added]:
            inner_key = f"{key}.{name}".lstrip(".")
            old_value = old.get(name, "absent")
            new_value = new.get(name, "absent")
            pairs.append((inner_key, old_value, new_value))

        # The rows of a table have the order of the policies, and trials must fit together.
        pairs.append((f"order of {key}", ", ".join(old), ", ".join(new)))
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (old_item, new_item) in enumerate(zip(old, new, strict=True)):
            pairs.append((f"{key}[{i}]", old_item, new_item))
    elif type(old) is type(new) and old == new:
        return None
    else:
        return key, str(old), str(new)

    for inner_key, old_value, new_value in pairs:
        difference = first_difference(old_value, new_value, inner_key)
        if difference is not None:
            return difference

    return None


def versions() -> dict[str, str]:
    """The versions of what computed the table."""
    # The mode of compiling is noted, and not among `DECISIVE`: every mode computes the same table,
    # so a run may be continued in another one.
    names = ("mobandits", "numpy", "numba", "polars")
    packages = {name: importlib.metadata.version(name) for name in names}
    return {
        **packages,
        "python": platform.python_version(),
        "compiling": mode(),
    }


def machine() -> dict[str, Any]:
    """The machine that it ran on."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }
