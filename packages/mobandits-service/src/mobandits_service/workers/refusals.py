"""What a service cannot be with workers, refused before any process is started."""

from mobandits.agent.workers import check_copyable
from mobandits.errors import SpecError
from mobandits.logs.address import Address, Place
from mobandits.support.naming import quoted
from mobandits_service.specification import AgentSpecification, ServiceSpecification


def check_workers(specification: ServiceSpecification, place: Place, count: int) -> Address:
    """The address of a store that workers can share.

    Args:
        specification: of the service.
        place: of its decisions.
        count: of the workers.

    Raises:
        SpecError: naming what does not go with workers.
    """
    if not isinstance(place, Address):
        raise SpecError(f"--workers {count} needs a store in PostgreSQL, got {place}")

    for name, agent in specification.agents.items():
        try:
            check_agent(agent)
        except ValueError as error:
            raise SpecError(f"agents.{quoted(name)}: {error}") from error

    return place


def check_agent(specification: AgentSpecification) -> None:
    """Refuse an agent for which workers cannot decide.

    Raises:
        ValueError: naming why.
    """
    check_copyable(specification.agent().core)
