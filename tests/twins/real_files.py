"""Files that are not ours to ship: looked for in the folder that MOBANDITS_DATA names."""

import os
from pathlib import Path


def real_file(*patterns):
    """The first file of that folder that matches, None where there is none."""
    folder = os.environ.get("MOBANDITS_DATA")
    found = (
        [path for pattern in patterns for path in sorted(Path(folder).glob(pattern))]
        if folder
        else []
    )
    return str(found[0]) if found else None
