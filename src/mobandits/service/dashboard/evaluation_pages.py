"""Pages of evaluations: what another policy, order or arm would have brought, by the log."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.calls.requests import hosted_of, running_of
from mobandits.service.dashboard.answers import elsewhere, page_answer, segment
from mobandits.service.dashboard.order_form import CHOICES, OWN, WEIGHTED, form_of, read_form
from mobandits.service.dashboard.visitors import Page, Visitor
from mobandits.service.messages import EvaluationWanted, ObjectiveState
from mobandits.service.problems import Problem
from mobandits.support.naming import quoted

ARM = "arm"
PREFERENCE = "preference"
POLICY = "policy"
UNDER_WAY = frozenset(("waiting", "running"))
# Of evaluations the agent's own order is no choice: it is what was played.
ORDERS = {key: title for key, title in CHOICES.items() if key != OWN}


async def evaluations_shown(request: Request, visitor: Visitor) -> Response:
    """`GET /agents/{agent}/evaluations`: the evaluations of an agent, and a form for another one."""
    hosted = hosted_of(request)
    state = hosted.state()
    found = await running_of(request).evaluations.of(hosted.name)
    form = dataclasses.replace(form_of(None, len(state.objectives)), choice=WEIGHTED)

    return page_answer(
        "evaluations.html",
        visitor=visitor,
        agent=hosted.name,
        tab="evaluations",
        state=state,
        evaluations=[(each, title_of(each.wanted)) for each in found],
        form=form,
        choices=ORDERS,
    )


async def evaluation_started(request: Request, visitor: Visitor) -> Response:
    """`POST /agents/{agent}/evaluations`: one more."""
    hosted = hosted_of(request)
    target = read_target(visitor.form, hosted.state().objectives)
    wanted = msgspec.convert(target, EvaluationWanted)
    submitted = await running_of(request).evaluations.submit(hosted, wanted)

    return elsewhere(f"/agents/{segment(hosted.name)}/evaluations/{submitted.id}")


async def evaluation_shown(request: Request, visitor: Visitor) -> Response:
    """`GET /agents/{agent}/evaluations/{evaluation}`: an evaluation with its result."""
    hosted = hosted_of(request)
    number = request.path_params["evaluation"]
    found = await running_of(request).evaluations.named(hosted.name, number)

    return page_answer(
        "evaluation.html",
        visitor=visitor,
        agent=hosted.name,
        tab="evaluations",
        state=hosted.state(),
        evaluation=found,
        title=title_of(found.wanted),
        is_under_way=found.state in UNDER_WAY,
        values=[] if found.result is None else value_rows(found.result),
    )


def read_target(fields: Mapping[str, str], objectives: Sequence[ObjectiveState]) -> dict[str, Any]:
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


def value_rows(result: Any) -> list[tuple[Any, Any]]:
    """The values of what was asked for, each beside that of what was played."""
    played = {}
    for each in result.values:
        if each.target == "played":
            played[each.estimator, each.objective] = each

    asked = [each for each in result.values if each.target != "played"]

    return [(each, played.get((each.estimator, each.objective))) for each in asked]


def _policy(text: str) -> Any:
    """The name of a recipe, or its table as JSON."""
    if not text.startswith("{"):
        return text

    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise ValueError(f"policy must be a name or JSON, got {quoted(text)}") from error


PAGES: list[tuple[str, str, Page, str | None]] = [
    ("GET", "/agents/{agent}/evaluations", evaluations_shown, "read"),
    ("POST", "/agents/{agent}/evaluations", evaluation_started, "read"),
    ("GET", "/agents/{agent}/evaluations/{evaluation}", evaluation_shown, "read"),
]
