"""The templates of these pages, which show entries of files as they are, by functions of this room."""

from collections.abc import Callable
from typing import Any

from jinja2 import Environment

from mobandits.figures.page import templates
from mobandits_papers.formulas.prose import with_formulas
from mobandits_papers.pages import TEMPLATES
from mobandits_papers.pages.claim_counts import (
    claims_of,
    count_by_group,
    counted,
    group_of,
    judgement,
    words_of_claims,
)
from mobandits_papers.pages.claim_texts import (
    badge_of,
    measured,
    otherwise,
    parts_table,
    remarks,
    shown_numbers,
)
from mobandits_papers.pages.scale import own_scale, scale_of
from mobandits_papers.pages.statements import statements
from mobandits_papers.publications import publication_of

FILTERS: tuple[Callable[..., Any], ...] = (
    badge_of,
    claims_of,
    count_by_group,
    counted,
    group_of,
    judgement,
    measured,
    otherwise,
    own_scale,
    parts_table,
    publication_of,
    remarks,
    scale_of,
    shown_numbers,
    statements,
    with_formulas,
    words_of_claims,
)


def paper_templates() -> Environment:
    """The templates, and what they may call: the functions of `FILTERS` by their names."""
    environment = templates(TEMPLATES)
    for function in FILTERS:
        environment.filters[function.__name__] = function
    return environment


def render(template: str, page: object) -> str:
    """A whole document; the arguments of `mobandits.figures.page.render`."""
    document = paper_templates().get_template(template)
    return document.render(page=page)
