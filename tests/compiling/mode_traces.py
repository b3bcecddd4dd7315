"""What rows of the conformance suite do in one mode of compiling: the script of `test_modes`.

Arguments: the mode, and the rows as positions in `cases()`. The answer is JSON, a list of what each
row did.
"""

import json
import sys
from pathlib import Path

from mobandits.compiling.backend import INTERPRETED, mode

TESTS = Path(__file__).parent.parent


def cases():
    """The rows of policies, those of orders, and those of feature maps."""
    sys.path[:0] = [str(TESTS / room) for room in ("policies", "orders", "features")]
    from test_conformance import CASES as POLICIES  # noqa: PLC0415
    from test_conformance_orders import CASES as ORDERS  # noqa: PLC0415
    from test_map_conformance import CASES as MAPS  # noqa: PLC0415

    return [*POLICIES, *ORDERS, *MAPS]


def main():
    wanted, *rows = sys.argv[1:]
    assert mode() == wanted
    every = cases()
    traces = [every[int(row)].trace(compiled=not INTERPRETED) for row in rows]
    print(json.dumps(traces))


if __name__ == "__main__":
    main()
