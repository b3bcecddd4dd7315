"""Figure 2 with one constant c for all rows, beside a constant that is tuned for each of them.

The paper states no c. Tuning it for every row is our protocol; one c for all rows is another one
that the paper may have had. A claim that depends on this choice has no verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import join_words
from mobandits.papers.claims import HOLDS, Claim, Outcome, Part, readable, verdict

CONSTANTS = (0.1, 0.3, 1.0, 2.0, 3.0)
OPEN = (
    "where it fails with a constant tuned for each row and holds with one constant for all of "
    "them, it is only reported: the paper states no constant"
)
TUNED_FAILS = "With a constant tuned for each row, which is our protocol, it does not hold."


def named(row: str, constant: float) -> str:
    """The name that a table has for a row with a constant.

    Example:
        >>> named("MOL-TS", 2.0)
        'MOL-TS, c = 2'
    """
    return f"{row}, c = {constant:g}"


class OneConstant:
    """Outcome in which some rows stand for themselves with one and the same constant.

    Args:
        outcome: of all constants.
        of: the rows that have a constant.
        constant: of all of them.
    """

    def __init__(self, outcome: Outcome, of: Sequence[str], constant: float) -> None:
        self._outcome = outcome
        self._names = {row: named(row, constant) for row in of}

    def runs(self) -> Sequence[str]:
        """The names of the experiment's runs."""
        return self._outcome.runs()

    def rows(self, run: str) -> Sequence[str]:
        """The rows of a run."""
        return self._outcome.rows(run)

    def metrics(self, run: str, row: str) -> Sequence[str]:
        """The metrics that were measured of a row."""
        return self._outcome.metrics(run, self._named(row))

    def components(self, run: str, row: str, metric: str) -> Sequence[int]:
        """The components of a metric, in order."""
        return self._outcome.components(run, self._named(row), metric)

    def curves(self, run: str, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
        """The recorded rounds (points,), and the values (trials, points)."""
        return self._outcome.curves(run, self._named(row), metric, component)

    def _named(self, row: str) -> str:
        return self._names.get(row, row)


@dataclass(frozen=True)
class OpenConstant(Claim):
    """A claim that is judged with tuned constants, and with every one that all rows share.

    Args:
        of: the rows that have a constant.
    """

    of: Sequence[str] = ()

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json."""
        entry = super().judge(outcome)
        answers = self.answers(outcome)
        is_open = entry["holds"] is False and True in answers.values()
        sentences = [self.note, shared_sentence(answers)]
        if is_open:
            sentences.insert(1, TUNED_FAILS)
            entry |= {"verdict": "reported", "holds": None}

        return entry | {"note": " ".join(filter(None, sentences))}

    def answers(self, outcome: Outcome) -> dict[float, bool | None]:
        """{constant of all rows: whether the claim holds with it}."""
        answers = {}
        for constant in CONSTANTS:
            shared = OneConstant(outcome, self.of, constant)
            answers[constant] = holds(self, shared)
        return answers


def holds(claim: Claim, outcome: Outcome) -> bool | None:
    """Whether all parts of a claim are as claimed; None where no rule decides."""
    parts = [readable(part) for part in claim.parts(outcome)]
    return HOLDS[verdict(parts)]


def shared_sentence(answers: dict[float, bool | None]) -> str:
    """A sentence on the constants with which a claim holds.

    Example:
        >>> shared_sentence({0.1: False, 2.0: True, 3.0: True})
        'With one constant for all rows it holds with c = 2 and 3, and not with 0.1.'
        >>> shared_sentence({0.1: None, 2.0: None})
        ''
    """
    right = [f"{constant:g}" for constant, answer in answers.items() if answer is True]
    wrong = [f"{constant:g}" for constant, answer in answers.items() if answer is False]
    start = "With one constant for all rows it holds with"
    if right and wrong:
        return f"{start} c = {join_words(right)}, and not with {join_words(wrong)}."
    if right:
        return f"{start} c = {join_words(right)}."
    if wrong:
        return f"{start} none of c = {join_words(wrong)}."

    return ""  # too few trials


def with_shared_constants(claim: Claim, of: Sequence[str]) -> OpenConstant:
    """The claim, judged with every constant that the rows `of` can share as well."""
    values = {field.name: getattr(claim, field.name) for field in fields(claim)}
    values["rule"] = f"{claim.rule}; {OPEN}"
    return OpenConstant(**values, of=of)


def together(id: str, claims: Sequence[Claim], of: Sequence[str]) -> Claim:  # noqa: A002
    """A claim that with some constant of all rows, all of some claims hold at once.

    Args:
        id: as in `Claim`.
        claims: which.
        of: the rows that have a constant.
    """

    def parts(outcome: Outcome) -> list[Part]:
        failed = {}
        trials = []
        decided = True
        for constant in CONSTANTS:
            shared = OneConstant(outcome, of, constant)
            answers = {short_name(claim): holds(claim, shared) for claim in claims}
            failed[constant] = [name for name, answer in answers.items() if answer is not True]
            decided = decided and None not in answers.values()
            trials += [part.trials for claim in claims for part in claim.parts(shared)]

        fewest = min(trials)
        best, missing = min(failed.items(), key=lambda one: len(one[1]))
        count = len(claims) - len(missing)
        name = f"{_most(best, missing)} ({_counts(failed, len(claims))})"

        return [Part(name, float(count), None, not missing if decided else None, fewest)]

    return Claim(
        id,
        f"There is one constant for all rows with which all {len(claims)} claims on Figure 2 hold "
        "at once",
        "said of Figure 2, whose constants are not stated",
        "all of them hold with one of the constants",
        parts,
        kind="extension",
    )


def short_name(claim: Claim) -> str:
    """The end of a claim's ID."""
    return claim.id.rpartition("/")[2]


def _most(best: float, missing: Sequence[str]) -> str:
    start = f"claims that hold at once, at most, with c = {best:g}"
    return f"{start}: all but {join_words(missing)}" if missing else start


def _counts(failed: dict[float, list[str]], claims: int) -> str:
    counts = [f"{claims - len(names)} with c = {c:g}" for c, names in failed.items()]
    return join_words(counts)
