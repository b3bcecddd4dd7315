"""Pages of evaluations: what another policy, order or arm would have brought, by the log."""

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
from starlette.responses import Response

from mobandits.support.naming import conjunction, quoted, wrong_value
from mobandits_client.messages import (
    EvaluationResult,
    EvaluationWanted,
    ObjectiveState,
    TargetValue,
)
from mobandits_service.agent_states import Objectives
from mobandits_service.dashboard.answers import elsewhere, segment
from mobandits_service.dashboard.order_form import CHOICES, OWN, WEIGHTED, form_of, read_form
from mobandits_service.dashboard.visitors import Pages, Visitor
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime

ARM = "arm"
PREFERENCE = "preference"
POLICY = "policy"
UNDER_WAY = frozenset(("waiting", "running"))
# Of evaluations the agent's own order is no choice: it is what was played.
ORDERS = {key: title for key, title in CHOICES.items() if key != OWN}
# What `evaluation.dominance` found of what was asked for, beside what was played.
VERDICTS = {
    "dominates": "Significantly better than what was played, in every objective.",
    "dominated": "Significantly worse than what was played, in every objective.",
    "incomparable": "Significantly better than what was played in one objective, and worse in another.",
    "undecided": "The log does not tell whether it is better than what was played.",
}
IN_SHORT = {
    "dominates": "better",
    "dominated": "worse",
    "incomparable": "better and worse",
    "undecided": "not told",
}
# Estimators in words, by their names in a result.
ESTIMATORS = {
    "dr": "doubly robust",
    "snips": "weighted, self-normalised",
    "ips": "weighted",
}


class ValueRow(NamedTuple):
    """A row of a table of values.

    Attributes:
        objective: of the agent; None where the agent has it no more.
        estimator: in words.
        asked: the value of what was asked for.
        played: that of what was played; None where it has none.
    """

    objective: ObjectiveState | None
    estimator: str
    asked: TargetValue
    played: TargetValue | None


async def evaluations_shown(
    runtime: ServiceRuntime, hosted: HostedAgent, visitor: Visitor
) -> Response:
    """`GET /agents/{agent}/evaluations`: the evaluations of an agent, and a form for another one."""
    state = hosted.state()
    found = await runtime.evaluations.of(hosted.name)
    form = dataclasses.replace(form_of(None, len(state.objectives)), choice=WEIGHTED)

    return visitor.page(
        "evaluations.html",
        state=state,
        evaluations=[
            (each, title_of(each.wanted), verdict_in_short(each.result, state.objectives))
            for each in found
        ],
        form=form,
        choices=ORDERS,
    )


async def evaluation_started(
    runtime: ServiceRuntime, hosted: HostedAgent, visitor: Visitor
) -> Response:
    """`POST /agents/{agent}/evaluations`: one more."""
    target = read_target(visitor.form, hosted.state().objectives)
    wanted = msgspec.convert(target, EvaluationWanted)
    submitted = await runtime.evaluations.submit(hosted, wanted)

    return elsewhere(f"/agents/{segment(hosted.name)}/evaluations/{submitted.id}")


async def evaluation_shown(
    runtime: ServiceRuntime, hosted: HostedAgent, evaluation: str, visitor: Visitor
) -> Response:
    """`GET /agents/{agent}/evaluations/{evaluation}`: an evaluation with its result."""
    state = hosted.state()
    found = await runtime.evaluations.named(hosted.name, evaluation)

    return visitor.page(
        "evaluation.html",
        state=state,
        evaluation=found,
        title=title_of(found.wanted),
        is_under_way=found.state in UNDER_WAY,
        tables=None if found.result is None else value_tables(found.result, state.objectives),
        verdicts=VERDICTS,
    )


def read_target(fields: Mapping[str, str], objectives: Objectives) -> dict[str, Any]:
    """What a form asks to evaluate, as the field of the call.

    Args:
        fields: of the form.
        objectives: of the agent.

    Raises:
        ValueError: where a field does not fit.
    """
    target = fields.get("target")
    if target == ARM:
        return {ARM: fields.get("arm", "")}
    if target == PREFERENCE:
        _, order = read_form(fields, objectives)
        return {PREFERENCE: order}
    if target == POLICY:
        return {POLICY: _policy(fields.get("policy", "").strip())}

    raise Problem(422, f"target must be arm, preference or policy, got {quoted(target)}")


def title_of(wanted: Any) -> str:
    """What was asked for, in a few words."""
    for kind in (ARM, PREFERENCE, POLICY):
        value = getattr(wanted, kind)
        if value is not None:
            text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
            return f"{kind} {text}"

    return "nothing"


def value_tables(
    result: EvaluationResult, objectives: Objectives
) -> tuple[list[ValueRow], list[ValueRow]]:
    """The values by the estimator that the verdict rests on, and those by all others.

    Args:
        result: of an evaluation.
        objectives: of the agent now.
    """
    known = {objective.name: objective for objective in objectives}
    values = {(each.target, each.estimator, each.objective): each for each in result.values}
    rows = []
    for (target, estimator, objective), value in values.items():
        if target == "asked":
            played = values.get(("played", estimator, objective))
            words = ESTIMATORS.get(estimator, estimator)
            rows.append(ValueRow(known.get(objective), words, value, played))

    shown = [row for row in rows if row.asked.estimator == result.shown]
    others = [row for row in rows if row.asked.estimator != result.shown]

    return shown, others


def verdict_in_short(result: EvaluationResult | None, objectives: Objectives) -> str:
    """A few words on a result, such as "better in quality, worse in cost"; empty of none.

    Args:
        result: of an evaluation.
        objectives: of the agent now.
    """
    if result is None:
        return ""

    rows, _ = value_tables(result, objectives)
    better = [row.asked.objective for row in rows if lead_of(row) > 0.0]
    worse = [row.asked.objective for row in rows if lead_of(row) < 0.0]
    if result.verdict != "incomparable" or not better or not worse:
        return IN_SHORT[result.verdict]

    return f"better in {conjunction(better)}, worse in {conjunction(worse)}"


def lead_of(row: ValueRow) -> float:
    """How far the interval of what was asked for is better than that of what was played."""
    asked = row.asked
    played = row.played
    if row.objective is None or played is None:
        return 0.0
    if asked.low is None or asked.high is None or played.low is None or played.high is None:
        return 0.0

    above = asked.low - played.high
    below = played.low - asked.high
    lead = max(above, 0.0) - max(below, 0.0)

    return -lead if row.objective.minimise else lead


def _policy(text: str) -> Any:
    """The name of a recipe, or its table as JSON."""
    if not text.startswith("{"):
        return text

    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise wrong_value("policy must be a name or JSON", text) from error


PAGES: Pages = [
    ("GET", "/agents/{agent}/evaluations", evaluations_shown, "read"),
    ("POST", "/agents/{agent}/evaluations", evaluation_started, "read"),
    ("GET", "/agents/{agent}/evaluations/{evaluation}", evaluation_shown, "read"),
]
