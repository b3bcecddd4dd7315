"""The addresses of the pages."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mobandits_service.authorisation import TokenBuckets
from mobandits_service.dashboard import (
    agent_pages,
    decision_pages,
    evaluation_pages,
    key_pages,
    login_pages,
    system_page,
)
from mobandits_service.dashboard.answers import HEADERS, prepare_templates
from mobandits_service.dashboard.assets import Asset, all_assets
from mobandits_service.dashboard.sessions import Sessions
from mobandits_service.dashboard.visitors import Handler, Pages, guarded_page
from mobandits_service.problems import Problem

PAGES: Pages = [
    *agent_pages.PAGES,
    *decision_pages.PAGES,
    *evaluation_pages.PAGES,
    *key_pages.PAGES,
    *system_page.PAGES,
]


def add_dashboard(app: Starlette) -> None:
    """Add the pages to a service."""
    app.state.sessions = Sessions()
    app.state.attempts = TokenBuckets(login_pages.ATTEMPTS)
    prepare_templates()
    app.router.routes += page_routes()


def page_routes() -> list[Route]:
    """The routes of all pages, and of what they load."""
    handlers = [(method, path, guarded_page(page, scope)) for method, path, page, scope in PAGES]
    handlers += login_pages.HANDLERS
    routes = [Route(path, handler, methods=[method]) for method, path, handler in handlers]
    routes.append(Route("/static/{name:path}", asset_handler(all_assets()), methods=["GET"]))

    return routes


def asset_handler(assets: dict[str, Asset]) -> Handler:
    """What answers with files that pages load; they are no secret."""

    async def asset(request: Request) -> Response:
        """A file that pages load."""
        found = assets.get(request.path_params["name"])
        if found is None:
            raise Problem(404, "there is no such file")

        headers = {**HEADERS, "Cache-Control": "no-cache", "ETag": found.tag}
        if request.headers.get("if-none-match") == found.tag:
            return Response(status_code=304, headers=headers)

        return Response(found.content, media_type=found.media_type, headers=headers)

    return asset
