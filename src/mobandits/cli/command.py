"""Description of a command of the program, of this distribution or of another one."""

from collections.abc import Callable
from typing import NamedTuple

RESUME = "finished trials are kept in {out}; run the same command again to resume"
AGAIN = "run the same command again"


class Command(NamedTuple):
    """Command of the program.

    Attributes:
        name: on the command line.
        function: what it calls, with the options and the help.
        kept: what an interruption leaves, and how to go on; {names} are those of parameters.
        examples: at the end of its help; tests run them.
        is_private: whether files that it makes may hold decisions, keys or states, and so are for
            their owner alone.
    """

    name: str
    function: Callable[..., None]
    kept: str
    examples: tuple[str, ...]
    is_private: bool = False

    @property
    def epilog(self) -> str:
        """The end of its help."""
        # The parser joins lines that no empty one divides.
        lines = [f"$ {example}" for example in self.examples]
        return "\n\n".join(["Examples:", *lines])
