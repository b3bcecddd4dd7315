"""The service does what its description says, whatever is sent: schemathesis on /openapi.json."""

import contextlib

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import CHECKS
from services import CONTEXT, PATIENCE, served

from mobandits_service.application import application
from mobandits_service.calls import OPERATIONS
from mobandits_service.openapi import document

# What requests are about, so that most of them come to an agent and a decision that are there.
PLACES = {"agent": "router", "decision": "0", "arm": "third"}
NOT_NOW = 503
TOO_LARGE = 413
NAMES = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
]
INTERFACE = schemathesis.openapi.from_dict(document(OPERATIONS))


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A service whose agent has decided, behind the description."""

    @contextlib.asynccontextmanager
    async def nothing(_):
        # The agents are open already, and are closed by `served`.
        yield

    with served(tmp_path_factory.mktemp("interface") / "log") as running:
        for number in range(3):
            running.agents.named("router").agent.decide(CONTEXT, key=str(number))
        app = application(running)
        app.router.lifespan_context = nothing
        yield app


def check(case, service, *, is_known):
    """A request is answered as the description says, and by no failure of the service."""
    if is_known:
        for name in case.path_parameters or {}:
            case.path_parameters[name] = PLACES.get(name, case.path_parameters[name])
    # On a busy machine, what compiles for the first time takes longer than a client would wait.
    response = case.call(app=service, base_url="http://localhost", timeout=PATIENCE)
    names = list(NAMES)
    if response.status_code == NOT_NOW:
        names.remove("not_a_server_error")
    if response.status_code == TOO_LARGE:
        # It is refused, in a way that the check does not count.
        names.remove("negative_data_rejection")
    checks = [CHECKS.get_one(name) for name in names]
    case.validate_response(response, checks=checks)


@INTERFACE.parametrize()
@settings(max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))
def test_requests_for_what_is_there(case, service):
    check(case, service, is_known=True)


@INTERFACE.parametrize()
@settings(max_examples=5, derandomize=True, suppress_health_check=list(HealthCheck))
def test_any_requests(case, service):
    check(case, service, is_known=False)


@pytest.mark.slow
@INTERFACE.parametrize()
@settings(max_examples=500, derandomize=True, suppress_health_check=list(HealthCheck))
def test_many_requests(case, service):
    check(case, service, is_known=True)
