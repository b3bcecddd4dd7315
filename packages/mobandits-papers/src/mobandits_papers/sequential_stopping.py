"""How many problems a verdict needs: more are played until every interval leaves its bar.

After 100, 200 and 400 problems, the studentised interval of every number is looked at. Play ends
where all of them lie on one side of their bars, or after the last look. Every look has a
confidence of 98.3 %, so that the chance that any of the three is mistaken is at most 5 %. The
problems are drawn by seed and trial, so that the number of workers changes nothing.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mobandits.contracts.protocols import Array
from mobandits.statistics.bootstrap import Statistic, studentised
from mobandits_papers.claims import SECOND, Claim, Entry
from mobandits_papers.experiment import more_of
from mobandits_papers.numbers import Part, Parts, resample, resampled_part
from mobandits_papers.outcome import Outcome

LOOKS = (100, 200, 400)
CONFIDENCE = 1.0 - 0.05 / len(LOOKS)  # Bonferroni: the looks share the 5 %


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
    holds = None if interval is None else question.as_claimed(interval)

    return Part(name, value, interval, holds, trials)


def on_few(question: Question, outcome: Outcome, run: str) -> Part:
    """The answer of a run at the paper's own number of problems."""
    samples = question.read(outcome, run)
    name = f"{question.said}, {run}"
    part = resampled_part(name, samples, question.statistic.value, question.as_claimed)
    return part if question.plain else part._replace(interval=None, holds=None)


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


def asked(
    answer: Callable[[Question, Outcome, str], Part],
    questions: Sequence[Question],
    runs: Sequence[str],
) -> Parts:
    """The answers to all questions in all runs, by `on_few` or `on_many`."""

    def parts(outcome: Outcome) -> list[Part]:
        pairs = itertools.product(runs, questions)
        return [answer(question, outcome, run) for run, question in pairs]

    return parts


def on_many_problems(claim: Claim, questions: Sequence[Question], runs: Sequence[str]) -> Claim:
    """The claim, judged on more problems than the paper has, which stand beside it."""
    few = replace(claim, parts=asked(on_few, questions, runs))

    def beside(_entry: Entry, outcome: Outcome) -> Entry:
        second = few.judge(outcome)
        shown = {}
        for key in (*SECOND, "trials", "parts"):
            shown[key] = second[key]

        return {"papers_trials": shown}

    # More problems are played with the chosen constants alone.
    parts = asked(on_many, questions, runs)
    return replace(claim, parts=parts, revise=beside, chosen_only=True)
