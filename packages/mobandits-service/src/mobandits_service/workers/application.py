"""The application of a worker."""

from starlette.applications import Starlette
from starlette.routing import Route

from mobandits_service.application import logged_application
from mobandits_service.workers.calls import OPERATIONS_OF_WORKERS, forwarded
from mobandits_service.workers.worker_runtime import WorkerRuntime

METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]


def application_of_worker(runtime: WorkerRuntime) -> Starlette:
    """The application of a worker.

    Args:
        runtime: its parts; they are started and stopped with the application.
    """
    routes = [each.route() for each in OPERATIONS_OF_WORKERS]
    routes.append(Route("/{path:path}", forwarded, methods=METHODS))

    # The learner counts what is decided and learned.
    return logged_application(routes, lambda _: runtime.running(), runtime)
