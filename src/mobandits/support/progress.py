"""Progress of long calls, shown where somebody looks: in a terminal, or below a notebook's cell.

A call that counts its steps runs inside of `shown_progress`, which gives it the function to report
to.
"""

import contextlib
import html
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, Literal, Protocol

from mobandits.support.naming import quoted

ProgressCallback = Callable[[int, int], None]
# What functions take: a display of our own, none, or a function of the caller.
Progress = ProgressCallback | Literal["auto", False] | None

DELAY = (
    1.0  # seconds of work that are worth a bar: shorter calls would only make the screen flicker
)
STARTING = "starting"


class Display(Protocol):
    """A bar somewhere."""

    def show(self, done: int, total: int | None) -> None:
        """Draw how much is done; the first call makes the bar. None: the total is not known yet."""

    def close(self) -> None:
        """Remove the bar."""


@contextlib.contextmanager
def shown_progress(progress: Progress, what: Any, unit: str) -> Iterator[ProgressCallback | None]:
    """The function to report steps to, and a bar for as long as the context lasts.

    Args:
        progress: "auto" shows a bar in a terminal (on stderr) or a notebook after a second, and
            nothing elsewhere; False or None shows nothing; a function is called instead.
        what: the name of the call, or an object whose text is asked for at every drawing.
        unit: what is counted, in plural.

    Raises:
        ValueError: where `progress` is something else.

    Example:
        >>> with shown_progress("auto", "simulate", "rounds") as report:
        ...     print(report)  # this is no terminal
        None
    """
    check_progress(progress)
    if callable(progress):
        yield progress
        return

    display = display_here(what, unit) if progress == "auto" else None
    if display is None:
        yield None
        return

    late = LateDisplay(display)
    # A timer and not a look at the clock in each report: before the first round policies are
    # compiled, which may take longest and reports nothing.
    timer = threading.Timer(DELAY, late.appear)
    timer.daemon = True
    timer.start()
    try:
        yield late
    finally:
        timer.cancel()
        late.close()


def check_progress(progress: Any) -> None:
    """Refuse what is neither "auto", False, None nor a function.

    Raises:
        ValueError: with the value.

    Example:
        >>> check_progress(True)
        Traceback (most recent call last):
        ValueError: progress must be 'auto', False or a function of two numbers, got True
    """
    # 0 is equal to False, but a mistake for a number of steps.
    is_off = progress is None or progress is False
    is_automatic = isinstance(progress, str) and progress == "auto"
    if not (is_off or is_automatic or callable(progress)):
        got = quoted(progress)
        raise ValueError(f"progress must be 'auto', False or a function of two numbers, got {got}")


class LateDisplay:
    """A display that appears some time after the work began, if it is not done by then.

    Reports may come from any thread.

    Args:
        display: where to draw.

    Example:
        >>> class Printed:
        ...     def show(self, done, total):
        ...         print(done, total)
        ...     def close(self):
        ...         print("closed")
        >>> late = LateDisplay(Printed())
        >>> late(1, 3)
        >>> late.appear()
        1 3
        >>> late(2, 3)
        2 3
        >>> late.close()
        closed
    """

    def __init__(self, display: Display) -> None:
        self._display: Display | None = display
        self._lock = threading.Lock()
        self._is_shown = False
        self._done = 0
        self._total: int | None = None

    def __call__(self, done: int, total: int) -> None:
        """So much of all is done."""
        with self._lock:
            self._done = done
            self._total = total
            if self._is_shown:
                self._draw()

    def appear(self) -> None:
        """Show what is done from now on; after `close`, nothing."""
        with self._lock:
            self._is_shown = True
            self._draw()

    def close(self) -> None:
        """Remove what is shown; nothing appears any more."""
        with self._lock:
            display = self._display
            self._display = None
            if display is not None and self._is_shown:
                _unless_broken(display.close)

    def _draw(self) -> None:
        display = self._display
        if display is None:
            return

        is_drawn = _unless_broken(lambda: display.show(self._done, self._total))
        if not is_drawn:
            self._display = None


def _unless_broken(draw: Callable[[], None]) -> bool:
    """Whether it could be drawn: a terminal that went away must not end hours of work."""
    try:
        draw()
    except Exception:  # noqa: BLE001 - displays of other packages may raise anything
        return False

    return True


def display_here(what: Any, unit: str) -> Display | None:
    """A bar in the notebook or the terminal that this process writes to; None: it has neither."""
    publish = notebook_display()
    if publish is not None:
        return NotebookBar(what, unit, publish)

    # A bar moves the cursor, which files and logs of builds cannot. Without a console, as under
    # pythonw, there is no stderr at all.
    stream = sys.stderr
    if stream is not None and stream.isatty():
        return TerminalBar(what)

    return None


def notebook_display() -> Callable[..., Any] | None:
    """IPython's `display` where this process is the kernel of a notebook; else None."""
    # Whoever runs in a notebook has loaded IPython: nobody else needs it installed.
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A kernel's shell has a `kernel`; IPython in a terminal has none, and the terminal gets a bar.
    if shell is None or getattr(shell, "kernel", None) is None:
        return None

    publish: Callable[..., Any] = importlib.import_module("IPython.display").display
    return publish


class TerminalBar:
    """A bar on stderr, which is gone when the work is done."""

    def __init__(self, what: Any) -> None:
        self._what = what
        self._bar: Any = None
        self._task: Any = None

    def show(self, done: int, total: int | None) -> None:
        """Draw how much is done."""
        if self._bar is None:
            self._open()

        description = str(self._what) if done else f"{self._what}: {STARTING}"
        self._bar.update(self._task, completed=done, total=total, description=description)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.stop()

    def _open(self) -> None:
        # Most calls never show a bar, and Rich takes a tenth of a second to load.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import Progress as RichProgress  # noqa: PLC0415

        bar = RichProgress(console=Console(stderr=True), transient=True)
        self._task = bar.add_task(self._what, total=None)
        self._bar = bar
        bar.start()


class NotebookBar:
    """A bar below a notebook's cell, in the browser's own style.

    Not Rich's, which needs the package ipywidgets in notebooks.

    Args:
        what: as of `shown_progress`.
        unit: what is counted, in plural.
        publish: IPython's `display`.
    """

    def __init__(self, what: Any, unit: str, publish: Callable[..., Any]) -> None:
        self._what = what
        self._unit = unit
        self._publish = publish
        self._handle: Any = None
        self._shown = -1

    def show(self, done: int, total: int | None) -> None:
        """Draw how much is done, where that can be seen."""
        # A message per block of rounds would be thousands; a bar has about so many steps.
        step = 200 * done // total if total else 0
        if step == self._shown:
            return

        self._shown = step
        drawn = self._drawn(done, total)
        if self._handle is None:
            self._handle = self._publish(drawn, raw=True, display_id=True)
        else:
            self._handle.update(drawn, raw=True)

    def close(self) -> None:
        """Leave nothing in the notebook's file."""
        if self._handle is not None:
            self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _drawn(self, done: int, total: int | None) -> dict[str, str]:
        """The bar in HTML, and plain text for notebooks that show none."""
        text = f"{self._what}: {STARTING}"
        bar = ""
        if done and total is not None:
            text = f"{self._what}: {done:,} of {total:,} {self._unit}"
            bar = f'<progress value="{done}" max="{total}"></progress> '

        return {"text/plain": text, "text/html": f"<div>{bar}{html.escape(text)}</div>"}
