"""Pages and redirections as responses, and forms as they were sent."""

import math
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from mobandits.figures.environment import environment_of
from mobandits.support.naming import quantity
from mobandits_service.agent_states import is_low
from mobandits_service.calls.requests import content_of
from mobandits_service.checking import period_in_words
from mobandits_service.dashboard.windows import moment_text
from mobandits_service.problems import Problem

MOST_FIELDS = 200  # of a form
TINY = 1e-8  # below which a number is written with an exponent
# Nothing from elsewhere, nothing inside a page, and no page inside another.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not "no-referrer", with which forms do not say where they come from.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def templates() -> Environment:
    """The templates of all pages, which escape every text."""
    environment = environment_of(Path(__file__).with_name("templates"))
    environment.filters |= {
        "count": "{:,}".format,
        "number": number_text,
        "percent": percent_text,
        "moment": moment_text,
        "is_low": is_low,
        "period": period_in_words,
        "quantity": quantity,
        "urlencode_segment": segment,
    }
    # Of pages that are no part of an agent's.
    environment.globals["tab"] = ""

    return environment


def prepare_templates() -> None:
    """Read and compile the templates of all pages.

    The first one of a page takes a tenth of a second, in which nobody is answered.
    """
    environment = templates()
    for name in environment.list_templates():
        environment.get_template(name)


def page_answer(template: str, status: int = 200, **content: Any) -> Response:
    """A page.

    Args:
        template: the name of its file.
        status: of HTTP.
        content: what the template calls by these names.
    """
    text = templates().get_template(template).render(**content)
    return HTMLResponse(text, status, HEADERS)


def elsewhere(path: str) -> Response:
    """Where to go on after a form."""
    return RedirectResponse(path, 303, HEADERS)


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form; of several with one name, the last.

    Raises:
        Problem: where the body is no form.
    """
    content = await content_of(request)
    try:
        pairs = parse_qsl(
            content.decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MOST_FIELDS,
        )
    except ValueError as error:
        raise Problem(400, "the body must be a form in UTF-8") from error

    return dict(pairs)


def segment(name: str) -> str:
    """A name as one part of a path.

    Example:
        >>> segment("a/b c")
        'a%2Fb%20c'
    """
    return quote(name, safe="")


def number_text(value: float | None, digits: int = 4) -> str:
    """A number with a few significant digits, or a dash.

    Example:
        >>> number_text(0.123456), number_text(None), number_text(1234567.0), number_text(1.5e-5, 2)
        ('0.1235', '–', '1,234,567', '0.000015')
    """
    if value is None or not math.isfinite(value):
        return "–"
    if abs(value) >= 10**digits:
        return f"{value:,.0f}"

    text = f"{value:.{digits}g}"
    if "e" in text and abs(value) > TINY:
        # Written out: few people compare exponents at a glance.
        places = digits - 1 - math.floor(math.log10(abs(value)))
        text = f"{value:.{places}f}"

    return text


def percent_text(share: float | None) -> str:
    """A share in percent, or a dash.

    Example:
        >>> percent_text(0.1234), percent_text(None), percent_text(1.0)
        ('12.3 %', '–', '100 %')
    """
    if share is None:
        return "–"
    if share in {0.0, 1.0}:
        return f"{100 * share:.0f} %"

    return f"{100 * share:.1f} %"
