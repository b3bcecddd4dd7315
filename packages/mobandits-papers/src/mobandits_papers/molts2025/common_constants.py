"""Figure 2 with one constant c for all rows, beside a constant that is tuned for each of them.

The paper states no c. Tuning it for every row is our protocol; one c for all rows is another one
that the paper may have had. A claim that depends on this choice has no verdict.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from mobandits.figures.formatting import join_words
from mobandits_papers.claims import Claim, Entry
from mobandits_papers.numbers import Part, Parts
from mobandits_papers.outcome import Outcome

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


def at_constant(outcome: Outcome, of: Sequence[str], constant: float) -> Outcome:
    """The outcome in which some rows stand for themselves with one and the same constant."""
    names = {}
    for row in of:
        names[row] = named(row, constant)

    return outcome.renamed(names)


def holds(claim: Claim, outcome: Outcome) -> bool | None:
    """Whether all parts of a claim are as claimed; None where no rule decides."""
    answer: bool | None = claim.judge(outcome)["holds"]
    return answer


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


def with_shared_constants(claim: Claim, of: Sequence[str]) -> Claim:
    """The claim, judged with every constant that the rows `of` can share as well.

    Where it fails with tuned constants and holds with a shared one, it has no verdict.
    """

    def revise(entry: Entry, outcome: Outcome) -> Entry:
        answers = {c: holds(claim, at_constant(outcome, of, c)) for c in CONSTANTS}
        sentences = [claim.note, shared_sentence(answers)]
        changed: Entry = {}
        if entry["holds"] is False and True in answers.values():
            sentences.insert(1, TUNED_FAILS)
            changed = {"verdict": "reported", "holds": None}

        return changed | {"note": " ".join(filter(None, sentences))}

    return replace(claim, rule=f"{claim.rule}; {OPEN}", revise=revise)


class Judged(NamedTuple):
    """The judgement of several claims at once.

    Attributes:
        missing: the names of those that do not hold.
        undecided: whether no rule decides one of them.
        trials: the fewest that one of them rests on.
    """

    missing: list[str]
    undecided: bool
    trials: int

    def number(self, name: str, count: int) -> Part:
        """How many of so many claims hold: all of them have to."""
        holds = None if self.undecided else not self.missing
        return Part(name, float(count - len(self.missing)), None, holds, self.trials)


def judged(claims: Sequence[Claim], outcome: Outcome) -> Judged:
    """The judgement of several claims."""
    answers = {claim.what: claim.judge(outcome) for claim in claims}
    verdicts = {what: entry["holds"] for what, entry in answers.items()}
    missing = [what for what, holds in verdicts.items() if holds is not True]
    undecided = None in verdicts.values()
    trials = min(entry["trials"] for entry in answers.values())

    return Judged(missing, undecided, trials)


def sentences_that_hold(claims: Sequence[Claim]) -> Parts:
    """How many of some claims hold, and the names of those that do not."""
    count = len(claims)

    def parts(outcome: Outcome) -> list[Part]:
        found = judged(claims, outcome)
        name = f"sentences of {count} that hold{all_but(found.missing)}"
        return [found.number(name, count)]

    return parts


def hold_at_once(claims: Sequence[Claim], of: Sequence[str]) -> Parts:
    """How many of some claims hold at once, with the constant of all rows with which most do.

    Args:
        claims: which.
        of: the rows that have a constant.
    """
    count = len(claims)

    def parts(outcome: Outcome) -> list[Part]:
        answers = {}
        counts = []
        for constant in CONSTANTS:
            answer = judged(claims, at_constant(outcome, of, constant))
            answers[constant] = answer
            counts.append(f"{count - len(answer.missing)} with c = {constant:g}")

        best = min(answers, key=lambda constant: len(answers[constant].missing))
        missing = answers[best].missing
        most = f"claims that hold at once, at most, with c = {best:g}{all_but(missing)}"
        name = f"{most} ({join_words(counts)})"
        undecided = any(each.undecided for each in answers.values())
        trials = min(each.trials for each in answers.values())
        together = Judged(missing, undecided, trials)
        return [together.number(name, count)]

    return parts


def all_but(missing: Sequence[str]) -> str:
    """The end of a sentence on all of some names, but those that are missing."""
    if not missing:
        return ""

    names = join_words(missing)
    return f": all but {names}"
