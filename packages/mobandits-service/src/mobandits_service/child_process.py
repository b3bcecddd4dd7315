"""Child processes of a service, each of which answers one task: in this one, it would hold calls up.

The task is a line of JSON on the input of the process, which stays open until there is an answer on
its output: that it ends tells the process that the service did.
"""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from mobandits.support import json_lines

KINDER = 10  # than the service to others who want the processor
PIECE = 65_536  # bytes that are read at a time

Task = TypeVar("Task")


async def child_answer(module: str, task: Any) -> bytes:
    """What a process answers to a task; it is killed where nobody waits for it any more.

    Args:
        module: which it runs, and which calls `answer_parent`.
        task: what it is to do.

    Returns:
        JSON; nothing where it ended without an answer.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        module,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        # An interruption at the terminal is for the service, which then ends the process.
        start_new_session=True,
    )
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    assert process.stdout is not None  # noqa: S101 - likewise
    try:
        process.stdin.write(msgspec.json.encode(task) + b"\n")
        await process.stdin.drain()
        answer = await process.stdout.read()
        await process.wait()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        process.stdin.close()
        await process.wait()

    return answer


def answer_parent(kind: type[Task], answer: Callable[[Task], Any]) -> None:
    """Be such a process: read a task, and write what is answered to it.

    Args:
        kind: of the task.
        answer: does it.
    """
    json_lines.begin_if_asked()
    if hasattr(os, "nice"):
        os.nice(KINDER)

    line = first_line(sys.stdin.fileno())
    task = msgspec.json.decode(line, type=kind)
    threading.Thread(target=_end_with_input, daemon=True).start()
    content = msgspec.json.encode(answer(task))
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), PIECE):
        pass
    # Nobody waits for the answer any more, and threads of libraries may be at work.
    os._exit(1)


def first_line(descriptor: int) -> bytes:
    """The first line that comes to a descriptor, which is not read through a buffer.

    A thread that waits inside `sys.stdin.buffer` has its lock, which the interpreter needs as it
    ends: it would abort.

    Args:
        descriptor: of the process' input; nothing comes after the line.
    """
    content = b""
    while not content.endswith(b"\n"):
        part = os.read(descriptor, PIECE)
        if not part:
            break
        content += part

    return content
