"""Entries of a suite: what was played, as one JSON file each; its scores, and its verification."""

import dataclasses
import importlib
import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.errors import FolderError
from mobandits.simulation.manifest import machine, versions
from mobandits.simulation.threads import Threads
from mobandits.spec.building import build, recipe_named
from mobandits.spec.describing import part_table
from mobandits.spec.registries import catalogue
from mobandits.spec.specification import load_recipes
from mobandits.statistics.bands import interval_factor
from mobandits.suite.definition import Suite
from mobandits.suite.playing import DIGEST, REGRET, UNIFORM, Played
from mobandits.support.files import write_atomically
from mobandits.support.naming import quoted
from mobandits.support.progress import ProgressCallback

BUILT_IN = Path(__file__).with_name("built_in.toml")
VERIFIED = 3  # trials of an environment that are played again
KEYS = ("suite", "version", "token", "trials")
REPLACED = re.compile(r"[^\w.=-]+")  # in names of files


class Entrant(NamedTuple):
    """A recipe that enters a suite.

    Attributes:
        name: in tables.
        table: what `recipe_of` makes the recipe of.
    """

    name: str
    table: Mapping[str, Any]


def entrants_of(text: str) -> list[Entrant]:
    """The entrants that a text names.

    Args:
        text: a TOML file with `[[policies]]`; a policy of this library, as `recipe_named` takes it;
            or MODULE:NAME of a recipe of another package.

    Raises:
        ValueError: where the text names none.
        SpecError: a line per mistake in the file.

    Example:
        >>> entrants_of("mol-ucb:scale=0.3")
        [Entrant(name='mol-ucb:scale=0.3', table={'name': 'mol-ucb', 'scale': 0.3})]
    """
    if text.endswith(".toml"):
        recipes = load_recipes(Path(text))
    elif ":" not in text or text.partition(":")[0] in catalogue("policies"):
        recipes = {text: recipe_named(text)}
    else:
        imported(text)
        return [Entrant(text, {"import": text})]

    return [Entrant(name, part_table("policies", each, name)) for name, each in recipes.items()]


def imported(path: str) -> Recipe:
    """A recipe of another package, from MODULE:NAME.

    Raises:
        ValueError: where there is none.
    """
    module, _, name = path.partition(":")
    try:
        recipe = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"--policy must name a recipe, got {quoted(path)}: {error}") from error

    if not isinstance(recipe, Recipe):
        raise ValueError(f"--policy must name a recipe, got {quoted(recipe)} at {path}")

    return recipe


def recipe_of(table: Mapping[str, Any]) -> Recipe:
    """The recipe of an entrant.

    Raises:
        ValueError: where it cannot be made here.
    """
    if "import" in table:
        return imported(table["import"])
    if "reference" in table:
        # Only here: what makes references imports data sets, which other suites do not need.
        from mobandits.suite.references import Reference  # noqa: PLC0415

        return Reference(table["reference"])

    recipe: Recipe = build("policies", dict(table), "recipe")
    return recipe


def interval(values: Array) -> tuple[float, float, float]:
    """The mean of some values, one per trial, and its 95 % interval by Student's t.

    Example:
        >>> interval(np.array([0.5]))
        (0.5, 0.5, 0.5)
    """
    mean = float(values.mean())
    count = len(values)
    half_width = 0.0
    if count > 1:
        half_width = interval_factor(count) * float(values.std(ddof=1))

    return mean, mean - half_width, mean + half_width


@dataclass(frozen=True)
class Entry:
    """What an entrant reached in a suite; its fields are those of its file.

    Attributes:
        suite: the name of the suite.
        version: of the suite.
        token: that its seeds are made of.
        trials: in every environment.
        entry: the entrant's name.
        recipe: its table.
        environments: {name: what was played}, as of `play_setting`.
        times: {name: nanoseconds per round}; no digest covers them.
        versions: of what computed it.
        machine: that it ran on.
    """

    suite: str
    version: int
    token: str
    trials: int
    entry: str
    recipe: Mapping[str, Any]
    environments: Mapping[str, Played]
    times: Mapping[str, float]
    versions: Mapping[str, str]
    machine: Mapping[str, Any]

    def is_of(self, entrant: Entrant) -> bool:
        """Whether this is what an entrant reaches: its recipe, played by these versions."""
        same_recipe = json.loads(json.dumps(entrant.table)) == self.recipe
        return same_recipe and self.versions == versions()

    @property
    def present(self) -> list[str]:
        """The environments that were there, whether the entry could play them or not."""
        return [name for name, played in self.environments.items() if "absent" not in played]

    @property
    def scored(self) -> list[str]:
        """Those of the present environments that have a score."""
        return [name for name in self.present if "unscored" not in self.environments[name]]

    def scores(self, name: str) -> Array:
        """(trials,) scores in an environment; 0 where the entry cannot play it.

            score   = 1 - sum_t R_t / sum_t U_t
            score_t = score - (R_t - (1 - score) U_t) / mean U

        R_t is the regret of the entry in trial t, and U_t that of uniform play. The mean of score_t
        is the score, and its variance that of a ratio of means, to first order.
        """
        trials = self.environments[name].get("trials")
        if trials is None:
            return np.zeros(self.trials)

        regrets = np.array([trial[REGRET] for trial in trials])
        uniform = np.array([trial[UNIFORM] for trial in trials])
        # Uniform play without regret, as in a single round, leaves nothing to gain.
        unit = uniform.mean() or 1.0
        share = regrets.mean() / unit
        scores: Array = 1.0 - share - (regrets - share * uniform) / unit

        return scores

    def score(self, names: Sequence[str]) -> tuple[float, float, float]:
        """The mean score over some environments, which count equally, and its interval."""
        by_environment = np.array([self.scores(name) for name in names])
        return interval(by_environment.mean(axis=0))

    def means(self, name: str) -> dict[str, float]:
        """{metric: mean over trials} of an environment; empty where the entry cannot play it."""
        trials = self.environments[name].get("trials", [])
        means = {}
        for metric in trials[0] if trials else ():
            values = [trial[metric] for trial in trials]
            if metric not in (UNIFORM, DIGEST) and None not in values:
                means[metric] = float(np.mean(values))

        return means

    def refusal(self, suite: Suite) -> str:
        """Why this entry does not belong to a scoring; empty where it does."""
        wanted = [suite.name, suite.version, suite.token, suite.trials]
        own = [self.suite, self.version, self.token, self.trials]
        for key, value, needed in zip(KEYS, own, wanted, strict=True):
            if value != needed:
                return f"its {key} must be {quoted(needed)}, got {quoted(value)}"

        return ""

    def write(self, folder: Path) -> Path:
        """Write the entry as a file, and return its path."""
        path = file_of(folder, self.entry)
        text = json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False)
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, f"{text}\n".encode())

        return path

    @classmethod
    def read(cls, path: Path) -> Self:
        """The entry of a file.

        Raises:
            FolderError: where the file does not hold one.
        """
        try:
            entry = cls(**json.loads(path.read_text(encoding="utf-8")))
            lengths = {len(entry.scores(name)) for name in entry.present}
            # What cannot be a mean is found here, and not on the page.
            _ = [entry.means(name) for name in entry.present]
        except OSError as error:
            raise FolderError(f"{path} cannot be read: {error.strerror}") from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise FolderError(f"{path} is no entry of a suite: {error}") from error

        if lengths != {entry.trials}:
            raise FolderError(f"{path} is no entry of a suite: trials must be {entry.trials}")

        return entry


def file_of(folder: Path, name: str) -> Path:
    """The file of an entry in a folder.

    Example:
        >>> file_of(Path("out"), "mol-ucb:scale=0.3").name
        'mol-ucb-scale=0.3.json'
    """
    return folder / f"{REPLACED.sub('-', name)}.json"


def play_entry(
    suite: Suite,
    entrant: Entrant,
    threads: Threads,
    progress: ProgressCallback | None = None,
) -> Entry:
    """Play an entrant in all environments of a suite.

    Args:
        suite: with the scoring.
        entrant: it.
        threads: that play the trials.
        progress: called with the rounds played and those of all trials in all environments.
    """
    recipe = recipe_of(entrant.table)
    seeds = suite.seeds
    all_rounds = suite.trials * sum(setting.rounds for setting in suite.settings)
    before = 0
    environments = {}
    times = {}
    for setting in suite.settings:

        def report(done: int, _: int, before: int = before) -> None:
            if progress is not None:
                progress(before + done, all_rounds)

        played = suite.play(setting, recipe, seeds, threads, report)
        environments[setting.name] = played
        before += suite.trials * setting.rounds
        time = suite.round_time(setting, recipe, seeds[0]) if "trials" in played else None
        if time is not None:
            times[setting.name] = round(time)

    return Entry(
        suite=suite.name,
        version=suite.version,
        token=suite.token,
        trials=suite.trials,
        entry=entrant.name,
        recipe=entrant.table,
        environments=environments,
        times=times,
        versions=versions(),
        machine=machine(),
    )


def differences(suite: Suite, entry: Entry, threads: Threads) -> list[str]:
    """What of an entry is not what its recipe reaches here, environments above all; none: it verifies.

    Three trials of each environment are played again, which nobody can foresee.

    Args:
        suite: with the scoring that the entry belongs to.
        entry: of anyone.
        threads: that play the trials.

    """
    refusal = entry.refusal(suite)
    if refusal:
        return [refusal]

    try:
        recipe = recipe_of(entry.recipe)
    except ValueError as error:
        return [str(error)]

    seeds = suite.seeds
    count = min(VERIFIED, suite.trials)
    found = []
    for setting in suite.settings:
        # No random stream of ours: what is a function of a seed can be foreseen.
        chosen = random.SystemRandom().sample(range(suite.trials), count)
        played = suite.play(setting, recipe, [seeds[i] for i in chosen], threads)
        if not agree(entry.environments.get(setting.name, {}), played, chosen):
            found.append(setting.name)

    return found


def agree(claimed: Played, played: Played, chosen: Sequence[int]) -> bool:
    """Whether what an entry claims of an environment is what was played again.

    Args:
        claimed: by the entry.
        played: here, the trials `chosen` alone.
        chosen: numbers of trials.

    Example:
        >>> agree({"reason": "no context"}, {"reason": "there is no context"}, [2, 7])
        True
        >>> agree({"absent": "no data"}, {"trials": []}, [])
        False
    """
    # Without the data nothing can be said here. But an entry may not leave out what others play.
    if "absent" in played:
        return True
    if "reason" in played:
        return "reason" in claimed

    trials = claimed.get("trials", [])
    return bool(trials) and [trials[i] for i in chosen] == played["trials"]
