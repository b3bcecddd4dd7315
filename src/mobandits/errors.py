"""The exceptions and warnings of this library that a program may want to catch.

    MobanditsError
    ├── BackendError       ValueError    a way to compile that does not exist or cannot be had
    ├── BudgetError                      a budget of an agent with no room for a decision
    ├── CompileError                     a method of a `compiled` class that cannot be compiled
    ├── EngineError                      a Ray cluster that cannot be reached, or lost a trial
    ├── FolderError        ValueError    a folder of results that cannot be used
    ├── LogError           ValueError    a log that cannot be used
    ├── MissingExtraError  ImportError   an optional part of this package that is not installed
    ├── SpecError          ValueError    a mistake in a TOML file
    └── StateError         ValueError    a file that holds no agent

    MobanditsWarning       UserWarning
    ├── CompilingWarning                 loops are compiled, but not in the fastest way
    ├── InputWarning                     contexts or rewards that a recipe does not expect
    └── LogWarning                       a log of which less can be used

The second column says which exception of Python each is as well. An argument that does not fit is
no exception of this tree: it raises `ValueError`, as in NumPy, with the name of the parameter, the
rule and the value.

Example:
    >>> from mobandits.errors import FolderError, MobanditsError
    >>> from mobandits.simulation import Results
    >>> try:
    ...     Results.read("no-such-folder")
    ... except MobanditsError as error:
    ...     print(type(error).__name__, "is a ValueError:", isinstance(error, ValueError))
    FolderError is a ValueError: True
"""

from typing import ClassVar

__all__ = [
    "BackendError",
    "BudgetError",
    "CompileError",
    "CompilingWarning",
    "EngineError",
    "FolderError",
    "InputWarning",
    "LogError",
    "LogWarning",
    "MissingExtraError",
    "MobanditsError",
    "MobanditsWarning",
    "SpecError",
    "StateError",
]

# All of them stand in this one module, which imports nothing: every room may raise them, and the
# command line can name them where the rest of the package cannot be imported.


class MobanditsError(Exception):
    """The base of all exceptions that only this library raises."""


class BackendError(MobanditsError, ValueError):
    """``MOBANDITS_COMPILING`` asks for something that does not exist, or not with this Numba."""


class BudgetError(MobanditsError):
    """A budget of an agent that has no room for another decision; none was made.

    Args:
        message: which budget, what is left of it, and when it renews.
        renews: when it does, in seconds of the agent's clock; None: never.

    Attributes:
        is_budget: True, as of the error by which a client of the service says the same.
    """

    is_budget: ClassVar[bool] = True

    def __init__(self, message: str, renews: float | None = None) -> None:
        super().__init__(message)
        self.renews = renews


class CompileError(MobanditsError):
    """A method of a `compiled` class that cannot be compiled.

    The message names the file, the line and the remedy.
    """

    SAYS_WHERE: ClassVar[bool] = True


class EngineError(MobanditsError):
    """A Ray cluster that cannot be reached, does not fit, or lost a trial for good.

    The message is one line.
    """


class FolderError(MobanditsError, ValueError):
    """A folder of results that cannot be used; nothing in it was changed.

    The message names it and says why.
    """


class LogError(MobanditsError, ValueError):
    """A log that cannot be used; nothing in it was changed.

    The message names the file, the place in it and the rule.
    """


class DamagedError(LogError):
    """A store that is not as it was written; `mobandits check` says what of it is whole.

    Commands that meet it exit with status 1.

    Args:
        source: the store, as messages call it.
        what: was found, on one line.
    """

    def __init__(self, source: object, what: str) -> None:
        # Both as they are: a copy in another process is made of them.
        super().__init__(source, what)
        self.source = str(source)
        self.what = what

    def __str__(self) -> str:
        return f"{self.source} is damaged: {self.what}"


class UnavailableError(LogError):
    """A store, or an address of a service, that cannot be used now and may be later.

    Commands that meet it exit with status 75; a mistake that somebody must mend is status 2.
    """


class MissingExtraError(MobanditsError, ImportError):
    """An optional extra that is not installed; the message is one line with the command to run."""


class SpecError(MobanditsError, ValueError):
    """A mistake in a specification; the message is one line with the file, the key and the rule."""


class StateError(MobanditsError, ValueError):
    """A file that holds no agent, or only a part of one; nothing was changed.

    The message names it and says why.
    """


class MobanditsWarning(UserWarning):
    """The base of all warnings of this library."""


class CompilingWarning(MobanditsWarning):
    """Loops are compiled by the plain backend: the optimised one does not go with this Numba."""


class InputWarning(MobanditsWarning):
    """Contexts or rewards outside the range that a recipe assumes."""


class LogWarning(MobanditsWarning):
    """A log of which less can be used than there seems to be.

    What was read is not all of it, or what an agent writes cannot value other policies; the message
    says what, and why.
    """
