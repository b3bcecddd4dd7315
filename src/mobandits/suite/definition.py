"""Definition of a suite: its environments and its seeds."""

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Metric, Recipe
from mobandits.metrics import resolve
from mobandits.spec.building import build
from mobandits.spec.specification import read_toml
from mobandits.suite.conditions import Late, Shuffled
from mobandits.support.checks import choice

FOLDER = Path(__file__).parent
SUITES = ("MOB-1",)
WORD = 8  # bytes of a seed


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
    """A suite of environments.

    Attributes:
        name: such as MOB-1.
        version: of its definition.
        trials: of a scoring.
        quick_trials: of a look.
        settings: the environments.
    """

    name: str
    version: int
    trials: int
    quick_trials: int
    settings: Sequence[Setting]

    def seeds(self, token: str, count: int) -> list[int]:
        """The seeds of the trials: 64-bit words of SHAKE-256 of the suite's name and a token.

        Args:
            token: a text that is published with a scoring, after entries were handed in.
            count: how many trials.

        Example:
            >>> suite = load_suite("MOB-1")
            >>> suite.seeds("a", 3) == suite.seeds("a", 100)[:3] != suite.seeds("b", 3)
            True
        """
        text = f"{self.name} {token}"
        digest = hashlib.shake_256(text.encode()).digest(WORD * count)
        words: list[int] = np.frombuffer(digest, "<u8").tolist()

        return words


def load_suite(name: str) -> Suite:
    """A suite of this library.

    Raises:
        ValueError: naming the suites, where there is none of this name.
    """
    choice("SUITE", name, SUITES)
    _, content = read_toml(FOLDER / f"{name}.toml")
    settings = [setting_of(entry) for entry in content.pop("environments")]
    return Suite(**content, settings=settings)


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
