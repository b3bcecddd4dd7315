"""Pages of agents: all of them, one of them, and how one compares arms."""

import asyncio
import itertools
import time
from types import SimpleNamespace
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from mobandits.logs.address import Place
from mobandits.logs.store.connection import reading
from mobandits.monitoring.changes import KINDS, SHOWN, Change, changes_in_words
from mobandits_client.messages import Preview
from mobandits_service.dashboard.answers import elsewhere, segment
from mobandits_service.dashboard.arm_means import arm_summaries
from mobandits_service.dashboard.front_figure import front_figures
from mobandits_service.dashboard.order_form import CHOICES, OrderForm, form_of, read_form
from mobandits_service.dashboard.overview import AgentNow, agent_lines, warnings_of
from mobandits_service.dashboard.time_charts import TimeTable, charts_of
from mobandits_service.dashboard.visitors import Pages, Visitor
from mobandits_service.dashboard.windows import DAY, HOUR, WINDOWS, Span, span_of
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preview import preview
from mobandits_service.problems import Problem, problem_of
from mobandits_service.rollup_reading import (
    ArmNames,
    RolledSums,
    agent_numbers,
    arm_names,
    first_minute,
    sums_between,
    uncounted_events,
)
from mobandits_service.runtime import ServiceRuntime

RECENT = 200  # contexts that a preview looks at
MOST_PAIRS = 6  # of objectives that are drawn
MOST_DRAWN = 30  # arms of the plane, the most frequent ones: more would hide each other


async def agents_page(runtime: ServiceRuntime, visitor: Visitor) -> Response:
    """`GET /`: all agents that the visitor may see."""
    seen = [hosted for hosted in runtime.agents if visitor.may("read", hosted.name)]
    agents = [AgentNow(hosted) for hosted in seen]
    lines = await asyncio.to_thread(agent_lines, runtime.file.path, agents)

    return visitor.page("agents.html", lines=lines)


async def agent_shown(
    request: Request,
    runtime: ServiceRuntime,
    hosted: HostedAgent,
    span: Span | None,
    visitor: Visitor,
) -> Response:
    """`GET /agents/{agent}`: what an agent does."""
    form = _present_form(hosted)
    is_saved = "saved" in request.query_params

    return await _agent_answer(runtime, visitor, hosted, form, span, is_saved=is_saved)


async def preview_shown(
    runtime: ServiceRuntime, hosted: HostedAgent, span: Span | None, visitor: Visitor
) -> Response:
    """`POST /agents/{agent}/preview`: what another order would have played."""
    form, order = read_form(visitor.form, hosted.state().objectives)
    try:
        found = await runtime.looked_up(preview, hosted, order, RECENT)
    except (Problem, ValueError) as error:
        refused = problem_of(error)
        return await _agent_answer(runtime, visitor, hosted, form, span, refused=refused)

    return await _agent_answer(runtime, visitor, hosted, form, span, preview=found)


async def preview_again(hosted: HostedAgent, span: Span | None) -> Response:
    """`GET /agents/{agent}/preview`: where an address without its form leads."""
    return _shown_again(hosted, span)


async def preference_saved(
    runtime: ServiceRuntime, hosted: HostedAgent, span: Span | None, visitor: Visitor
) -> Response:
    """`POST /agents/{agent}/preference`: compare arms by another order from now on."""
    form, order = read_form(visitor.form, hosted.state().objectives)
    try:
        generation = await runtime.change_preference(hosted, order)
    except ValueError as error:
        refused = problem_of(error)
        return await _agent_answer(runtime, visitor, hosted, form, span, refused=refused)

    await runtime.saved(hosted, generation)

    return _shown_again(hosted, span, saved="1")


def _shown_again(hosted: HostedAgent, span: Span | None, **more: str) -> Response:
    """The way back to the preference of an agent, with the time that was shown."""
    parameters = {} if span is None else span.parameters
    query = urlencode({**parameters, **more})
    page = f"/agents/{segment(hosted.name)}"
    if query:
        page += f"?{query}"

    return elsewhere(f"{page}#preference")


def _last_changes(hosted: HostedAgent) -> list[Change]:
    events = hosted.store.last_changes(KINDS, limit=SHOWN)
    return changes_in_words(events, hosted.agent.core.objective_names)


def agent_page(path: Place, agent: AgentNow, asked: Span | None) -> SimpleNamespace:
    """The page of an agent, from the sums of its store.

    Args:
        path: of the store.
        agent: which.
        asked: the time to show; None: the last hour for an agent that is new, else the last day.
    """
    now = time.time()
    span = asked or span_of(DAY, now)
    names: ArmNames = {}
    sums: list[RolledSums] = []
    uncounted = 0
    with reading(path) as connection:
        number = agent_numbers(connection).get(agent.state.name)
        if number is not None:
            names = arm_names(connection, number)
            uncounted = uncounted_events(connection, number)
            if asked is None:
                first = first_minute(connection, number)
                if first is not None and now / 60.0 - first < HOUR.minutes:
                    span = span_of(HOUR, now)
            sums = sums_between(connection, number, span.first, span.end, span.window.width)

    objectives = agent.state.objectives
    arms = arm_summaries(sums, names, objectives)
    pairs = list(itertools.combinations(range(len(objectives)), 2))
    fronts = [front_figures(arms[:MOST_DRAWN], objectives, pair) for pair in pairs[:MOST_PAIRS]]
    charts = charts_of(TimeTable(span, sums), names, objectives) if sums else []

    # Read by the template alone, by these names.
    return SimpleNamespace(
        agent=agent,
        warnings=warnings_of(agent, uncounted),
        span=span,
        decisions=sum(arm.decisions for arm in arms),
        arms=arms,
        fronts=[figures for figures in fronts if figures],
        charts=charts,
        data={chart.key: chart.data() for chart in charts},
    )


async def _agent_answer(
    runtime: ServiceRuntime,
    visitor: Visitor,
    hosted: HostedAgent,
    form: OrderForm | None,
    span: Span | None,
    *,
    preview: Preview | None = None,
    refused: Problem | None = None,
    is_saved: bool = False,
) -> Response:
    page = await asyncio.to_thread(agent_page, runtime.file.path, AgentNow(hosted), span)
    changes: list[Change] = []
    if hosted.is_ready:
        changes = await asyncio.to_thread(_last_changes, hosted)

    return visitor.page(
        "agent.html",
        200 if refused is None else 422,
        page=page,
        changes=changes,
        windows=WINDOWS.values(),
        form=form,
        choices=CHOICES,
        preview=preview,
        refused=refused,
        is_saved=is_saved,
        recent=RECENT,
    )


def _present_form(hosted: HostedAgent) -> OrderForm | None:
    """The form of the agent's present order; None where it cannot have another one."""
    if not hosted.is_ready:
        return None

    agent = hosted.agent
    if agent.preference is None:
        return None

    return form_of(agent.preference, len(agent.objectives))


PAGES: Pages = [
    ("GET", "/", agents_page, None),
    ("GET", "/agents/{agent}", agent_shown, "read"),
    ("POST", "/agents/{agent}/preview", preview_shown, "read"),
    ("GET", "/agents/{agent}/preview", preview_again, "read"),
    ("POST", "/agents/{agent}/preference", preference_saved, "admin"),
]
