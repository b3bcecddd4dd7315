"""Cases of the suite: a part to check, and the named checks that apply to it."""

import traceback
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

from mobandits.compiling.compiled import interpreted
from mobandits.support.checks import choice

Check = Callable[[Any], None]


class ConformanceCase:
    """Base of the cases; subclasses are frozen dataclasses that fill `available`.

    A check is a function that raises an AssertionError. The names in `without` are skipped:
    promises that the part breaks on purpose.
    """

    available: ClassVar[dict[str, Check]] = {}
    seed: int
    without: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse names of checks that do not exist."""
        without = tuple(self.without)
        object.__setattr__(self, "without", without)
        for name in without:
            choice(f"{type(self).__name__}.without", name, self.available)

    @property
    def checks(self) -> tuple[str, ...]:
        """The names of the checks that apply."""
        names = [name for name in self.available if name not in self.without]
        return tuple(names)

    def check(self, name: str) -> None:
        """Run one check.

        Raises:
            AssertionError: with check, case, seed and values; also where the part itself raised
                something.
        """
        choice("check", name, self.available)
        failure = self.failure(name)
        if failure:
            raise AssertionError(f"{name}: {self}: {failure}")

    def failure(self, name: str) -> str:
        """The message of one check that failed, "" where it passed."""
        check = self.available[name]
        return failure_of(check, self)


class RehearsedCase(ConformanceCase):
    """A case with checks of `behaviour`, which run interpreted; the other checks compile.

    Interpreted they need no compilation, which takes far longer than they do. All of them run at
    once, when the first one is asked for.
    """

    behaviour: ClassVar[dict[str, Check]] = {}

    @property
    def compiles(self) -> bool:
        """Whether the part is ever compiled."""
        raise NotImplementedError

    def subject(self) -> Any:
        """The argument of the checks of behaviour."""
        raise NotImplementedError

    def trace(self, *, compiled: bool) -> dict[str, Any]:
        """The outcome of a run in text and numbers, to compare compiled and interpreted code."""
        raise NotImplementedError

    def failure(self, name: str) -> str:
        """The message of one check that failed, "" where it passed."""
        if name in self.behaviour:
            return self.failures[name]

        # The other checks compare with compiled code, of which there may be none.
        return super().failure(name) if self.compiles else ""

    @cached_property
    def failures(self) -> dict[str, str]:
        """The message of every check of behaviour, "" where it passed."""
        with interpreted():
            subject = self.subject()
            return {name: failure_of(check, subject) for name, check in self.behaviour.items()}


def interpreted_equals_compiled(case: RehearsedCase) -> None:
    """Compiled and interpreted, the part does the same, bit for bit."""
    with interpreted():
        in_python = case.trace(compiled=False)

    compiled = case.trace(compiled=True)
    if in_python != compiled:
        message = difference_between(in_python, compiled, "interpreted", "compiled")
        raise AssertionError(message)


def difference_between(
    trace: dict[str, Any], other: dict[str, Any], name: str, other_name: str
) -> str:
    """The first difference of two traces, for a message: an arm or the fingerprint of an array."""
    # Arms first: from the first other arm on, all arrays differ too.
    pairs = zip(trace["arms"], other["arms"], strict=True)
    for i, (arm, other_arm) in enumerate(pairs):
        if arm != other_arm:
            return f"choice {i} is arm {arm} {name}, arm {other_arm} {other_name}"

    parted = "the number of arrays"
    for key, fingerprint in trace.items():
        if fingerprint != other.get(key):
            parted = key
            break

    return f"the same arms {name} and {other_name}, but other bits: {parted}"


def failure_of(check: Check, subject: Any) -> str:
    """The message of a check that failed, "" where it passed.

    An error inside the part under test is a failure too.
    """
    try:
        check(subject)
    except AssertionError as error:
        return str(error) or "assertion failed"
    except Exception as error:  # noqa: BLE001 - a part under test may raise anything
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"

    return ""


def require(holds: Any, message: str) -> None:
    """Fail a check with `message` unless `holds`."""
    if not holds:
        raise AssertionError(message)


def checks_by_name(*checks: Check) -> dict[str, Check]:
    """Checks by the names of their functions, with hyphens."""
    named = dict[str, Check]()
    for check in checks:
        name = check.__name__.replace("_", "-")
        named[name] = check

    return named
