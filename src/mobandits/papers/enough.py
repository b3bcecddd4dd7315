"""How many problems a verdict needs: more are played until every interval leaves its bar.

After 100, 200 and 400 problems, the studentised interval of every number is looked at. Play ends
where all of them lie on one side of their bars, or after the last look. Every look has a
confidence of 98.3 %, so that the chance that any of the three is mistaken is at most 5 %. The
problems are drawn by seed and trial, so that the number of workers changes nothing.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from mobandits.contracts.protocols import Array
from mobandits.papers.claims import SECOND, Claim, Outcome, Part, resample
from mobandits.papers.experiment import more_of
from mobandits.statistics.bootstrap import Statistic, studentised

LOOKS = (100, 200, 400)
CONFIDENCE = 1.0 - 0.05 / len(LOOKS)  # Bonferroni: the looks share the 5 %
RULE = (
    "more problems are played until every interval excludes its bar: looked at after "
    f"{', '.join(map(str, LOOKS[:-1]))} and {LOOKS[-1]}, each time with studentised bootstrap "
    f"intervals of {100 * CONFIDENCE:.1f} %, so that all looks together are 95 %"
)


class Question(NamedTuple):
    """A number of a run, and the bar that it is held against.

    Attributes:
        said: what the number is.
        read: from an outcome and a run to samples (trials, k).
        statistic: of their means.
        bar: what the number is to be above or below.
        above: which of them.
        plain: whether the intervals of a few trials are of use; otherwise they decide nothing.
    """

    said: str
    read: Callable[[Outcome, str], Array]
    statistic: Statistic
    bar: float = 0.0
    above: bool = True
    plain: bool = True

    def as_claimed(self, interval: tuple[float, float]) -> bool:
        """Whether an interval is on the right side of the bar."""
        low, high = interval
        if self.above:
            return low > self.bar
        return high < self.bar

    def decided(self, interval: tuple[float, float]) -> bool:
        """Whether an interval is on one side of the bar."""
        low, high = interval
        return low > self.bar or high < self.bar


def on_many(question: Question, outcome: Outcome, run: str) -> Part:
    """The answer of a run on more problems; fewer than the first look decide nothing."""
    samples = question.read(outcome, more_of(run))
    trials = len(samples)
    name = f"{question.said}, {run}, {trials} problems"
    if trials < LOOKS[0]:
        # Only a user who asks for so few gets here; a look of its own would need another level.
        value, _ = resample(samples, question.statistic.value)
        return Part(name, value, None, None, trials)

    value, interval = studentised(samples, question.statistic, CONFIDENCE)
    holds = None
    if interval is not None:
        holds = question.as_claimed(interval)

    return Part(name, value, interval, holds, trials)


def on_few(question: Question, outcome: Outcome, run: str) -> Part:
    """The answer of a run at the paper's own number of problems."""
    samples = question.read(outcome, run)
    trials = len(samples)
    value, interval = resample(samples, question.statistic.value)
    name = f"{question.said}, {run}"
    if interval is None or not question.plain:
        return Part(name, value, None, None, trials)

    holds = question.as_claimed(interval)

    return Part(name, value, interval, holds, trials)


def enough(questions: Sequence[Question]) -> Callable[[Outcome, str], bool]:
    """A function for `More` that says whether all questions are decided."""

    def decided(outcome: Outcome, run: str) -> bool:
        # The first that is open is reason enough to go on.
        for question in questions:
            samples = question.read(outcome, run)
            _, interval = studentised(samples, question.statistic, CONFIDENCE)
            if interval is None or not question.decided(interval):
                return False

        return True

    return decided


@dataclass(frozen=True)
class OnMany(Claim):
    """A claim that is judged on more problems than the paper has, which stand beside it.

    Args:
        few: the same numbers at the paper's number of problems.
    """

    few: Callable[[Outcome], Sequence[Part]] = lambda outcome: ()  # noqa: ARG005

    @property
    def chosen_only(self) -> bool:
        """More problems are played with the chosen constants alone."""
        return True

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json."""
        # The verdict rests on many problems; the paper's own number of them stands beside it.
        entry = super().judge(outcome)
        on_few_trials = Claim(self.id, self.claim, self.target, self.rule, self.few, kind=self.kind)
        second = on_few_trials.judge(outcome)
        shown = {key: second[key] for key in (*SECOND, "trials", "parts")}

        return {**entry, "papers_trials": shown}


def question_claim(
    id: str,  # noqa: A002 - as in Claim
    claim: str,
    target: str,
    rule: str,
    questions: Sequence[Question],
    runs: Sequence[str],
    *,
    many: bool,
    **rest: Any,
) -> Claim:
    """A claim that all questions are answered as claimed in all runs.

    Args:
        id: of the claim.
        claim: a sentence.
        target: the paper's words.
        rule: how a single number is judged.
        questions: of every run.
        runs: which.
        many: whether the runs are there on more problems as well.
        rest: as in `Claim`.
    """

    def few(outcome: Outcome) -> list[Part]:
        pairs = itertools.product(runs, questions)
        return [on_few(question, outcome, run) for run, question in pairs]

    def most(outcome: Outcome) -> list[Part]:
        pairs = itertools.product(runs, questions)
        return [on_many(question, outcome, run) for run, question in pairs]

    if not many:
        return Claim(id, claim, target, rule, few, **rest)

    rule_on_many = f"{rule}; {RULE}"

    return OnMany(id, claim, target, rule_on_many, most, few=few, **rest)
