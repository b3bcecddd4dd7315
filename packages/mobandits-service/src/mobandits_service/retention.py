"""Retention of a service: decisions older than `keep_days` leave the store while it runs."""

import asyncio
import logging
import time
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from mobandits.errors import SpecError
from mobandits.logs.address import Address, Place
from mobandits_client.messages import ExportQuery
from mobandits_service.exporting import ExportJob, run_job
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.specification import ServiceSpecification

LOG = logging.getLogger("mobandits.service")
LOOK_SECONDS = 600.0  # between looks whether a day has ended, and after a failure
DAY = 86400.0
FOR_OWNER = 0o700  # mode of the folder of archives


class Retention:
    """Deletes the old decisions of each agent, whole days at a time.

    A decision leaves the store with its rewards when it waits for nothing any more and the last
    snapshot knows it, as with `mobandits export --delete`. A process of low priority does it.

    Args:
        agents: of the service.
        specification: of the service.
        store: of the logs.
    """

    def __init__(
        self, agents: HostedAgents, specification: ServiceSpecification, store: Place
    ) -> None:
        self._agents = agents
        self._keep_days = specification.keep_days
        self._archives = specification.archives
        self._store = store
        # {agent: the time up to which its decisions were looked at}
        self._done: dict[str, float] = {}

    async def keep_deleting(self) -> None:
        """Delete what is old until this is cancelled."""
        if self._keep_days is None:
            return
        while True:
            await self.delete_old()
            await asyncio.sleep(LOOK_SECONDS)

    async def delete_old(self) -> None:
        """Delete the decisions that are too old by now; agents that fail are tried again."""
        assert self._keep_days is not None  # noqa: S101 - else there is nothing to do
        limit = time.time() - DAY * self._keep_days
        before = limit - limit % DAY
        for hosted in list(self._agents):
            name = hosted.name
            if not hosted.is_ready or self._done.get(name) == before:
                continue
            try:
                count = await self._shorten(name, before)
            except Exception as error:  # noqa: BLE001 - the store keeps more than it should
                LOG.warning("old decisions of agent %s are not deleted: %s", name, error)
                continue

            self._done[name] = before
            if count:
                day = day_of(before)
                LOG.info("agent %s: %d decisions from before %s are deleted", name, count, day)

    async def _shorten(self, agent: str, before: float) -> int:
        archive = None
        if self._archives is not None:
            folder = Path(self._archives)
            folder.mkdir(mode=FOR_OWNER, exist_ok=True)
            archive = folder / f"{quote(agent, safe='')}-before-{day_of(before)}.parquet"
            if archive.exists():
                return 0  # this day was done before the service was started anew

        out = None if archive is None else str(archive)
        job = ExportJob(str(self._store), agent, out, ExportQuery("parquet"), before)
        count = await run_job(job)
        if archive is not None and count == 0:
            # A file with changes of the agent alone says nothing that the store does not.
            archive.unlink(missing_ok=True)

        return count


def day_of(seconds: float) -> str:
    """The date, in UTC, of a time in seconds since 1970.

    Example:
        >>> day_of(86400.0)
        '1970-01-02'
    """
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def check_retention(specification: ServiceSpecification, store: Place) -> None:
    """Refuse a retention that a store cannot have.

    Raises:
        SpecError: saying why.
    """
    if specification.keep_days is not None and isinstance(store, Address):
        raise SpecError(f"keep_days must be of a store that is a file, and {store} is a database")


def kept_in_words(specification: ServiceSpecification) -> str:
    """The end of a sentence that says how long decisions stay in the store."""
    if specification.keep_days is None:
        return ""

    archived = "" if specification.archives is None else f" into {specification.archives}"
    return f", and leave it after {specification.keep_days:g} days{archived}"
