"""A case of the suite: something to check, and the named checks that apply to it."""

import traceback
from collections.abc import Callable
from typing import Any, ClassVar

from mobandits.support.checks import choice
from mobandits.testing.interpreted import report

Check = Callable[[Any], None]


class Case:
    """Base of the cases; subclasses are frozen dataclasses that fill `available`.

    A check is a function that raises an AssertionError. The names in `without` are skipped:
    promises that the part breaks on purpose.
    """

    available: ClassVar[dict[str, Check]] = {}
    seed: int
    without: tuple[str, ...]

    def __post_init__(self) -> None:
        """Refuse names of checks that do not exist."""
        object.__setattr__(self, "without", tuple(self.without))
        for name in self.without:
            choice(f"{type(self).__name__}.without", name, self.available)

    @property
    def checks(self) -> tuple[str, ...]:
        """The names of the checks that apply."""
        return tuple(name for name in self.available if name not in self.without)

    def check(self, name: str) -> None:
        """Run one check.

        Raises:
            AssertionError: saying check, case, seed and what was found; also where the part itself
                raised something.
        """
        choice("check", name, self.available)
        if failure := self.failure(name):
            raise AssertionError(f"{name}: {self}: {failure}")

    def failure(self, name: str) -> str:
        """What one check found wrong, or nothing."""
        return outcome(self.available[name], self)


class RehearsedCase(Case):
    """A case whose checks of `behaviour` run interpreted, where nothing needs compiling; the others compile."""

    behaviour: ClassVar[dict[str, Check]] = {}

    @property
    def stays_here(self) -> bool:
        """Whether there is nothing to compile, so that this process will do."""
        raise NotImplementedError

    def subject(self) -> Any:
        """What the checks of behaviour look at."""
        raise NotImplementedError

    def trace(self, *, compiled: bool) -> dict[str, Any]:
        """What a run leaves, in text and numbers, to compare the two worlds."""
        raise NotImplementedError

    def failure(self, name: str) -> str:
        """What one check found wrong, or nothing."""
        if name not in self.behaviour:
            return "" if self.stays_here else super().failure(name)
        if self.stays_here:
            return outcome(self.behaviour[name], self.subject())
        found: str = report(self)["failures"][name]
        return found

    def rehearse(self) -> dict[str, Any]:
        """Every check of behaviour, and the trace to compare with a compiled one."""
        subject = self.subject()
        traced = dict[str, Any]()
        failure = outcome(lambda case: traced.update(case.trace(compiled=False)), self)
        return {
            "failures": {name: outcome(check, subject) for name, check in self.behaviour.items()},
            "trace": traced,
            "failure": failure,
        }


def interpreted_equals_compiled(case: RehearsedCase) -> None:
    """Compiled and interpreted, the part does the same, bit for bit."""
    interpreted = report(case)
    compiled = case.trace(compiled=True)
    require(not interpreted["failure"], f"interpreted, it fails: {interpreted['failure']}")
    require(
        interpreted["trace"] == compiled,
        difference(interpreted["trace"], compiled, "interpreted", "compiled"),
    )


def difference(one: dict[str, Any], other: dict[str, Any], name: str, other_name: str) -> str:
    """Where two traces part, for a message: in the arms, a list, or in the fingerprints of arrays."""
    arms = list(zip(one["arms"], other["arms"], strict=True))
    for i, (a, b) in enumerate(arms):
        if a != b:
            return f"choice {i} is arm {a} {name}, arm {b} {other_name}"
    parted = next((key for key in one if one[key] != other.get(key)), "the number of arrays")
    return f"the same arms {name} and {other_name}, but other bits: {parted}"


def outcome(check: Check, subject: Any) -> str:
    """What is wrong, or "" where the check passed; an error inside the part under test is a failure too."""
    try:
        check(subject)
    except AssertionError as error:
        return str(error) or "assertion failed"
    except Exception as error:  # noqa: BLE001 - whatever a foreign part raises is what the report is about
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.filename}:{place.lineno})"
    return ""


def require(holds: Any, message: str) -> None:
    """Fail a check with `message` unless `holds`."""
    if not holds:
        raise AssertionError(message)


def named(*checks: Check) -> dict[str, Check]:
    """Checks by the names of their functions, with hyphens."""
    return {check.__name__.replace("_", "-"): check for check in checks}
