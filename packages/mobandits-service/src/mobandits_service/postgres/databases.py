"""What the library asks of a database: reading a store in it, and holding one.

The library finds this module by its entry point, where it meets an address in place of a file.
"""

from mobandits_service.postgres.reading import reading_database
from mobandits_service.postgres.shared_database import SharedDatabase

__all__ = ["SharedDatabase", "reading_database"]
