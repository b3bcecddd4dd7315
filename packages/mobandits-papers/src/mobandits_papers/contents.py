"""The content of files of reproduced experiments, as types that writers and readers share."""

from typing import Literal, NotRequired, TypedDict

Verdict = Literal["reproduced", "not reproduced", "reported", "not at the paper's scale"]
# What each of them is, `claims.Claim` says.
ClaimKind = Literal["paper", "extension", "ours", "stand-in", "check"]
PlotKind = Literal["curves", "bars", "points", "heat", "bounds"]


# TypedDicts and not dataclasses: what is read is used as it is, unknown keys of later versions
# included.
class PartEntry(TypedDict):
    """One number of a claim, as in `claims.Part`; null where there is none."""

    said: str
    measured: float | None
    interval: list[float] | None
    holds: bool | None
    trials: int


class Ruling(TypedDict):
    """What a rule made of a claim.

    Attributes:
        measured: the number that decides; null where it could not be read.
        interval: its 95 % interval, or null.
        verdict: of the claim.
        kind: of the claim.
        holds: what the rule gave; null where no rule decides.
        of: what the number is.
    """

    measured: float | None
    interval: list[float] | None
    verdict: Verdict
    kind: ClaimKind
    holds: bool | None
    of: str


class Judgement(Ruling):
    """A second judgement of a claim, beside that of its entry.

    Attributes:
        trials: that it rests on.
        parts: all numbers of the claim.
    """

    trials: NotRequired[int]
    parts: NotRequired[list[PartEntry]]


class ClaimEntry(Ruling):
    """A claim in `claims.json`: what was claimed, and what the rule made of it.

    Attributes:
        id: "paper/name/what".
        claim: a sentence.
        target: the paper's number or ordering.
        rule: how the verdict is computed.
        trials: that it rests on.
        differs: why ours may differ.
        note: a sentence that is always shown.
        parts: all numbers of the claim.
        papers_rule: the same with the best constants of the reported trials.
        papers_trials: the same on as many trials as the paper has.
    """

    id: str
    claim: str
    target: str
    rule: str
    trials: int
    differs: str
    note: str
    parts: list[PartEntry]
    papers_rule: NotRequired[Judgement]
    papers_trials: NotRequired[Judgement]


class RowEntry(TypedDict):
    """Which row of a table a row of an experiment stands for.

    Attributes:
        run: its run.
        row: its name.
        policy: the row of the table.
        tuned: the constant that was chosen; empty where there was no choice.
        best: the row of the table that is best on the reported trials.
        best_tuned: its constant.
    """

    run: str
    row: str
    policy: str
    tuned: str
    best: str
    best_tuned: str


class PlotEntry(TypedDict):
    """A figure, as in `experiment.Plot`."""

    name: str
    metric: str
    caption: str
    kind: PlotKind
    rows: list[str]
    runs: list[str]
    parts: list[str]
    vertical: str
    logarithmic: bool


class ScaleEntry(TypedDict):
    """The experiment's own numbers of a run; 0 rounds where it has none."""

    run: str
    rounds: int
    trials: int


class ExperimentSpecification(TypedDict):
    """The specification in the manifest of an experiment.

    Attributes:
        experiment: its ID.
        title: a line on it.
        source: where the paper says it.
        about: paragraphs.
        seed: of everything.
        changed: what was asked for in place of its own scale.
        scale: its own scale, run by run.
        places: {run: its environment as the table calls it}.
        rows: of all runs.
        plots: to draw.
    """

    experiment: str
    title: str
    source: str
    about: list[str]
    seed: int
    changed: dict[str, int]
    scale: list[ScaleEntry]
    places: dict[str, str]
    rows: list[RowEntry]
    plots: list[PlotEntry]


class ExperimentSummary(TypedDict):
    """An experiment in the manifest of the folder above several."""

    experiment: str
    title: str
    seed: int
    changed: dict[str, int]
    seconds: float
