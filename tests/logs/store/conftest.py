"""The strategies of the room above are used here as well."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
