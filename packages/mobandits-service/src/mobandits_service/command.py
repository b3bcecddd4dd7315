"""`mobandits serve`: a file read, checked and served."""

import warnings
from pathlib import Path

from mobandits.compiling.at_hand import waiting
from mobandits.logs.address import Address, Place, is_address, place_of
from mobandits.support import json_lines
from mobandits_service.checking import agent_in_words
from mobandits_service.compiling import load_compiled
from mobandits_service.retention import check_retention, kept_in_words
from mobandits_service.server import Say, serve
from mobandits_service.specification import read_specification


def serve_file(
    file: Path,
    *,
    host: str | None,
    port: int | None,
    store: str | None,
    workers: int,
    check: bool,
    say: Say,
) -> None:
    """Serve the agents of a TOML file; or only say what would be served.

    Args:
        file: of the service.
        host: in place of the file's.
        port: likewise.
        store: likewise.
        workers: processes that decide, beside one that learns; 1: one process does both.
        check: whether to compile what the agents play, and end.
        say: is told what a user should know.

    Raises:
        ValueError: where something does not fit.
    """
    # Only the file says in which form its own warnings are wanted.
    with warnings.catch_warnings(record=True) as caught:
        specification = read_specification(file).at(host, port)

    if specification.log_format == json_lines.JSON:
        json_lines.begin()
    for each in caught:
        warnings.showwarning(each.message, each.category, each.filename, each.lineno)

    place = place_for(file, store, specification.store)
    check_retention(specification, place)
    if workers > 1:
        from mobandits_service.workers.refusals import check_workers  # noqa: PLC0415

        check_workers(specification, place, workers)

    if check:
        for name, agent in specification.agents.items():
            for line in agent_in_words(name, agent):
                say(line)

        with waiting():
            load_compiled(specification)

        kept = kept_in_words(specification)
        say(f"{file} can be served: compiled, decisions go to {place}{kept}")
        return

    if workers > 1:
        # psycopg is of an extra, and only databases need it.
        from mobandits_service.workers.supervisor import serve_with_workers  # noqa: PLC0415

        assert isinstance(place, Address)  # noqa: S101 - it was just checked
        serve_with_workers(specification, place, workers, say)
        return

    serve(specification, place, say)


def place_for(file: Path, given: str | None, named: str | None) -> Place:
    """Where a service's decisions go.

    Args:
        file: of the service.
        given: by whoever starts it, or None.
        named: by the file, or None.
    """
    if given is not None:
        return place_of(given)
    if named is None:
        return file.with_suffix(".db")

    return place_of(named) if is_address(named) else file.parent / named
