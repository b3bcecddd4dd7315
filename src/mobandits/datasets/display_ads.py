"""A reader of Yahoo! Webscope R6A files, clicks on featured articles, which need a licence."""

import gzip
import math
import zlib
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.logs import Feedback

if TYPE_CHECKING:
    import polars as pl

INDICES = (b"1", b"2", b"3", b"4", b"5", b"6")  # of a feature row; the first is the constant 1
PROBE = 1000  # lines to look at before a file is given up
REMEMBERED = 100_000  # texts of articles, while reading
GZIP = b"\x1f\x8b"
USER = tuple(f"user_{i}" for i in range(2, 7))
ARTICLE = tuple(f"article_{i}" for i in range(2, 7))


class DisplayLog(NamedTuple):
    """A log of displayed articles, in the order of its file.

    Attributes:
        users: (events, 5) the user's features 2 to 6, which sum to 1.
        shown: (events,) the displayed article, as a row of `articles`.
        clicks: (events,) 1 where the user clicked, else 0.
        articles: (vectors, 5) the distinct features 2 to 6 of all articles that could have been
            displayed.
        skipped: how many lines were malformed.
    """

    users: Array
    shown: IntArray
    clicks: Array
    articles: Array
    skipped: int


class DisplayAdsData(DataSet):
    """Clicks on a page's featured article, drawn at random from a pool: a day of Yahoo! R6A.

    A line holds a time, the displayed article, the click, then ``|user`` and ``|<article>`` for
    every article that could have been displayed, each followed by six pairs ``index:value``, in any
    order. Index 1 is the constant 1 and is left out. A line whose user or displayed article lacks
    its six features is skipped, and counted.

    Calling it gives a `DisplayLog`, which holds the articles' features once; `load` gives the
    table.

    Reference:
        Yahoo! Webscope, R6A - Yahoo! Front Page Today Module User Click Log; mocmab2018, section
        VII-C. That the displayed article was drawn uniformly from its pool: L. Li et al., WSDM
        2011.

    Example:
        >>> from mobandits.datasets import display_ads
        >>> display_ads("no-such-file.gz")
        Traceback (most recent call last):
        ValueError: no-such-file.gz cannot be read: No such file or directory
    """

    references = ("yahoo_r6a", "li2011")
    about = About(
        name="display_ads",
        title="Clicks on a page's featured article, drawn at random from a pool: a day of Yahoo!"
        " R6A.",
        rows="4,681,992 on the first day, about 45.8 million on ten",
        columns=(
            *(Column(name, "number", "a feature of the user; the five sum to 1") for name in USER),
            *(
                Column(name, "number", "a feature of the displayed article; the five sum to 1")
                for name in ARTICLE
            ),
            Column("click", "integer", "1 where the user clicked", values=(0, 1)),
        ),
        arms="the articles that could have been displayed; in environments.DisplayAds, to show or"
        " not to show",
        objectives=(RecordedObjective("click", "1 where the user clicked"),),
        propensities="1 / (articles that could have been displayed): the log was collected"
        " uniformly at random",
        licence="Yahoo! Webscope's agreement: for research, not to be passed on",
        source="R6A - Yahoo! Front Page Today Module User Click Log, version 1.0",
        obtain="ask Yahoo! Webscope for R6A, then path=<ydata-fp-td-clicks-v1_0.200905DD.gz>",
        derived="the constant feature 1, times and malformed lines are left out;"
        " environments.DisplayAds adds payments",
    )

    def __call__(self, path: str | Path) -> DisplayLog:
        """Read one day of the Yahoo! Today module: user, displayed article, click.

        Args:
            path: a file as it is distributed, ``ydata-fp-td-clicks-v1_0.200905DD.gz``, or
                uncompressed.

        Returns:
            What the lines say, with the articles' features once. A whole day has 4.7 million lines,
            takes about a minute to read and 250 MB.

        Raises:
            ValueError: in one line that names the file, where it is absent, empty, truncated, or
                something else.
        """
        return _opened(Path(path), None)

    def load(self, path: str | Path) -> "pl.DataFrame":
        """The table: a row per event that is not malformed, in the order of the file.

        Args:
            path: as where the data set is called.

        Returns:
            user_2 to user_6, article_2 to article_6 of the displayed article, click; 0.4 GB for a
            whole day.

        Raises:
            ValueError: as where the data set is called.
        """
        import polars as pl  # noqa: PLC0415 - importing the package stays light

        log = self(path)
        features = np.hstack([log.users, log.articles[log.shown]])
        table = pl.from_numpy(features, schema=[*USER, *ARTICLE])
        clicks = pl.Series(log.clicks)

        return table.with_columns(click=clicks.cast(pl.Int64))

    def feedback(self, path: str | Path) -> Feedback:
        """The log as decisions to evaluate other policies on: which article to display.

        The arms are all articles of the file, eligible in a round those that could have been
        displayed, each with the propensity 1 / their number. The features are the user's five and a
        constant 1; the only objective is the click.

        Args:
            path: as where the data set is called.

        Raises:
            ValueError: as where the data set is called.
        """
        pools = Pools()
        log = _opened(Path(path), pools)
        rounds = len(log.clicks)
        sizes = np.array(pools.sizes)
        members = np.array(pools.members)
        # The pools are stored one after the other: each round's number, once per member.
        owners = np.repeat(np.arange(rounds), sizes)
        eligible = np.zeros((rounds, len(pools.numbers)), bool)
        eligible[owners, members] = True
        constant = np.ones((rounds, 1))
        names = [name.decode("ascii", "replace") for name in pools.numbers]

        return Feedback(
            contexts=np.hstack([log.users, constant]),
            arms=np.array(pools.shown),
            rewards=log.clicks[:, None],
            propensities=1.0 / sizes,
            arm_names=tuple(names),
            objectives=("click",),
            eligible=eligible,
        )


class Pools:
    """The articles that could have been displayed, event by event, numbered as they appear.

    Attributes:
        numbers: of every article, by name.
        members: the pools' articles, one pool after the other.
        sizes: (events,) of the pools.
        shown: (events,) the displayed article.
    """

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}
        self.members = array("i")
        self.sizes = array("i")
        self.shown = array("i")

    def add(self, shown: bytes, pool: "dict[bytes, int]") -> None:
        """The pool of the next event."""
        numbers = self.numbers
        members = [numbers.setdefault(name, len(numbers)) for name in pool]
        self.members.extend(members)
        self.sizes.append(len(pool))
        self.shown.append(numbers[shown])


def _opened(file: Path, pools: Pools | None) -> DisplayLog:
    try:
        with file.open("rb") as raw:
            compressed = raw.read(2) == GZIP
            raw.seek(0)
            # The file's own first bytes decide: a name may end in .gz after it was unpacked.
            with gzip.open(raw) if compressed else raw as lines:
                return _read(file, lines, pools)  # type: ignore[arg-type]
    except EOFError as error:
        raise ValueError(f"{file} is truncated: the compressed data end too early") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{file} cannot be decompressed: {error}") from error
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from error


def _read(file: Path, lines: BinaryIO, pools: Pools | None) -> DisplayLog:
    # Arrays of machine numbers: lists of five million rows would take gigabytes.
    users = array("d")
    shown = array("q")
    clicks = array("d")
    articles = Articles()
    total = 0
    line = b""
    event = None
    for total, line in enumerate(lines, 1):
        event = _event(line, articles, pools)
        if event is not None:
            users.extend(event.user)
            shown.append(event.shown)
            clicks.append(event.click)
        # A file of another kind is given up early, not after five million lines.
        elif total == PROBE and not shown:
            break

    if total == 0:
        raise ValueError(f"{file} is empty")
    if not shown:
        raise ValueError(
            f"{file} is not a Yahoo! R6A click log: none of its first {total} lines has that format"
        )
    # The last line of a file that was cut off is malformed and has no end.
    if event is None and not line.endswith(b"\n"):
        raise ValueError(f"{file} is truncated: line {total} is not complete")

    return DisplayLog(
        users=np.array(users).reshape(-1, 5),
        shown=np.array(shown),
        clicks=np.array(clicks),
        articles=np.array(list(articles.numbers)),
        skipped=total - len(shown),
    )


class Event(NamedTuple):
    """A line: the user's features, the row of the displayed article, and the click."""

    user: tuple[float, ...]
    shown: int
    click: float


class Articles:
    """The distinct feature vectors of articles, numbered as they appear."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[float, ...], int] = {}
        self._known: dict[bytes, tuple[bytes, int]] = {}

    def read(self, text: bytes) -> tuple[bytes, int]:
        """The name of an article and the number of its vector, -1 where it has none."""
        # A day has a hundred articles and a hundred million mentions of them.
        if text not in self._known:
            # Another kind of file may have a new text in every line: memory stays bounded.
            if len(self._known) == REMEMBERED:
                self._known.clear()

            self._known[text] = self._parsed(text)

        return self._known[text]

    def _parsed(self, text: bytes) -> tuple[bytes, int]:
        name, _, pairs = text.partition(b" ")
        vector = parsed_features(pairs)
        if vector is None:
            return name, -1

        number = self.numbers.setdefault(vector, len(self.numbers))

        return name, number


def _event(line: bytes, articles: Articles, pools: Pools | None) -> Event | None:
    """The event of a line, None where it is malformed."""
    head, _, rest = line.partition(b"|user ")
    user_text, *pool = rest.split(b"|")
    user = parsed_features(user_text)
    fields = head.split()  # time, displayed article, click
    if user is None or len(fields) != 3:
        return None

    _, name, click = fields
    if click not in (b"0", b"1"):
        return None

    rows = dict(map(articles.read, pool))
    shown = rows.get(name, -1)
    if shown < 0:
        return None
    if pools is not None:
        pools.add(name, rows)

    return Event(user, shown, float(click))


def parsed_features(text: bytes) -> tuple[float, ...] | None:
    """Features 2 to 6 from six pairs ``index:value`` in any order, None for any other text.

    Example:
        >>> parsed_features(b"2:0.1 3:0.2 4:0.3 5:0.4 6:0 1:1")
        (0.1, 0.2, 0.3, 0.4, 0.0)
    """
    pairs = dict(pair.partition(b":")[::2] for pair in text.split())
    # Six colons too: an index that comes twice would vanish in the dictionary.
    if len(pairs) != 6 or text.count(b":") != 6:
        return None

    try:
        values = tuple(float(pairs[index]) for index in INDICES)
    except (KeyError, ValueError):
        return None

    if not all(map(math.isfinite, values)):
        return None

    return values[1:]


display_ads = DisplayAdsData()
