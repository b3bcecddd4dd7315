"""The lock of an agent in the child of a fork."""

import os


class LockElsewhere:
    """A lock that refuses every call: the agent belongs to the process that was forked.

    Args:
        process: the number of that process.
    """

    def __init__(self, process: int) -> None:
        self._process = process

    def __enter__(self) -> None:
        raise RuntimeError(
            f"this agent belongs to process {self._process}, from which process {os.getpid()} was "
            "forked: make another agent in the child, or `Agent.load` what was saved before the "
            "fork"
        )

    def __exit__(self, *args: object) -> None:
        pass
