"""Definition of a suite: its environments and its seeds."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Metric, Recipe
from mobandits.metrics import resolve
from mobandits.simulation.threads import Threads
from mobandits.spec.building import build
from mobandits.spec.specification import read_toml
from mobandits.suite.conditions import Late, Shuffled
from mobandits.suite.playing import Played, nanoseconds, play_setting
from mobandits.support.checks import choice
from mobandits.support.progress import ProgressCallback

if TYPE_CHECKING:
    from mobandits.suite.entries import Entrant

FOLDER = Path(__file__).parent
SUITES = ("MOB-1", "MOB-LLM")
WORD = 8  # bytes of a seed


class Shown(NamedTuple):
    """A mean over trials that pages show.

    Attributes:
        metric: its name among what is kept of a trial.
        header: of the column.
        digits: after the point.
    """

    metric: str
    header: str
    digits: int


@dataclass(frozen=True)
class Setting:
    """An environment of a suite, and how it is played.

    Attributes:
        name: of the suite's own.
        tests: what it is there for.
        rounds: the horizon.
        environment: that is drawn anew in every trial.
        metrics: the first one is the regret that scores.
        preference: {parameter: value} for recipes that have it and leave it out.
        late: parameters of `Late`; None: rewards come at once, and whole.
    """

    name: str
    tests: str
    rounds: int
    environment: Any
    metrics: Sequence[Metric]
    preference: Mapping[str, Any]
    late: Mapping[str, Any] | None

    def prepared(self, recipe: Recipe) -> Recipe:
        """A recipe as this environment plays it: with the preference, and late rewards."""
        preferring = with_preference(recipe, self.preference)
        return Late(preferring, **self.late) if self.late else preferring


@dataclass(frozen=True)
class Suite:
    """A suite of environments, and a scoring of it, in which all entries play the same trials.

    Attributes:
        name: such as MOB-1.
        version: of its definition.
        settings: the environments, `Setting`, or what takes their place.
        trials: in every environment.
        token: a text that seeds are made of, which is published once entries are in.
        word: for a setting, on pages.
        is_ranked: whether entries have ranks in each setting.
        lead: says on pages what the score is.
        columns: that pages show for each setting.
        worst: columns of the leaderboard, with the largest mean of all settings.
    """

    word: ClassVar[str] = "environment"
    is_ranked: ClassVar[bool] = True
    lead: ClassVar[str] = (
        "The score is 1 − regret / regret of uniform play, over all trials: 0 is uniform play, 1 "
        "the oracle's policy. The regret is the effective Pareto regret, or the gap of an "
        "environment's own order. An entry that cannot play an environment scores 0 there, without "
        "decimals. ± is half of a 95 % interval."
    )
    columns: ClassVar[tuple[Shown, ...]] = (
        Shown("regret", "regret", 1),
        # Beside the regret that scores, which is another one where a preference is given.
        Shown("max_min_regret", "max-min regret", 2),
        Shown("front_recall", "front recall", 2),
        Shown("play_entropy", "play entropy", 2),
    )
    worst: ClassVar[tuple[Shown, ...]] = ()

    name: str
    version: int
    settings: Sequence[Any]
    trials: int
    token: str

    @property
    def seeds(self) -> list[int]:
        """A seed per trial: 64-bit words of SHAKE-256 of the suite's name and the token."""
        text = f"{self.name} {self.token}"
        digest = hashlib.shake_256(text.encode()).digest(WORD * self.trials)
        words: list[int] = np.frombuffer(digest, "<u8").tolist()

        return words

    def play(
        self,
        setting: Any,
        recipe: Recipe,
        seeds: Sequence[int],
        threads: Threads,
        progress: ProgressCallback | None = None,
    ) -> Played:
        """Play a recipe in a setting, as `play_setting`."""
        return play_setting(setting, recipe, seeds, threads, progress)

    def round_time(self, setting: Any, recipe: Recipe, seed: int) -> float | None:
        """Nanoseconds of a round; None where a suite does not measure them."""
        return nanoseconds(setting, recipe, seed)

    def references(self) -> "list[Entrant]":
        """The entrants that are played in any case; none."""
        return []


def load_suite(name: str, token: str, *, quick: bool = False) -> Suite:
    """A suite of environments of this library; `load_routing_suite` has the one of prompts.

    Args:
        name: its name.
        token: of the scoring.
        quick: whether few trials will do.

    Raises:
        ValueError: naming the suites, where there is none of this name.

    Example:
        >>> load_suite("MOB-1", "a").seeds[:3] == load_suite("MOB-1", "a", quick=True).seeds[:3]
        True
    """
    choice("SUITE", name, SUITES)
    _, content = read_toml(FOLDER / f"{name}.toml")
    settings = [setting_of(entry) for entry in content["environments"]]
    trials = content["quick_trials" if quick else "trials"]

    return Suite(name, content["version"], settings, trials, token)


def setting_of(entry: Mapping[str, Any]) -> Setting:
    """An environment from its table in the suite's file."""
    environment = build("environments", entry["environment"], "environment")
    if entry.get("shuffled", False):
        environment = Shuffled(environment)

    metrics = []
    for metric in entry["metrics"]:
        is_name = isinstance(metric, str)
        metrics.append(metric if is_name else build("metrics", metric, "metrics"))

    preference = dict(entry.get("preference", {}))
    if "order" in preference:
        preference["order"] = build("orders", preference["order"], "order")

    return Setting(
        name=entry["name"],
        tests=entry["tests"],
        rounds=entry["rounds"],
        environment=environment,
        metrics=resolve(metrics),
        preference=preference,
        late=entry.get("late"),
    )


def with_preference(recipe: Recipe, preference: Mapping[str, Any]) -> Recipe:
    """A recipe that is given what an environment states, in parameters that it leaves out.

    Of a wrapper, the recipe inside is given it as well.

    Example:
        >>> from mobandits.orders import Lexicographic
        >>> from mobandits.policies import MolUcb
        >>> with_preference(MolUcb(scale=0.3), {"order": Lexicographic()}).order
        Lexicographic(tolerance=0.0)
    """
    given: dict[str, Any] = {}
    for field in dataclasses.fields(recipe):
        value = getattr(recipe, field.name)
        if value is None and field.name in preference:
            given[field.name] = preference[field.name]
        elif isinstance(value, Recipe):
            given[field.name] = with_preference(value, preference)

    return dataclasses.replace(recipe, **given)
