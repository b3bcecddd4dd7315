"""What a service keeps beside events, while it is on its way to the disk."""

from mobandits.errors import LogError
from mobandits.logs.address import Place


class Kept:
    """Something that was given to the disk.

    Args:
        path: of the store.

    Attributes:
        failure: why it could not be written; None where it was, or is not settled yet.
    """

    def __init__(self, path: Place) -> None:
        self.failure: str | None = None
        self._path = path

    def check(self) -> None:
        """Refuse to go on where it could not be written; of use once its group is settled.

        Raises:
            LogError: saying why.
        """
        if self.failure is not None:
            raise LogError(f"{self._path}: {self.failure}")
