"""MOB-LLM: a table of prompts, played after a uniform log within a row of budgets."""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Recipe
from mobandits.logs import Feedback
from mobandits.policies import Paced, SingleArm
from mobandits.simulation.run import RoundCounter
from mobandits.simulation.streams import ROUNDS, stream
from mobandits.simulation.threads import Threads
from mobandits.spec.specification import read_toml
from mobandits.suite.definition import FOLDER, Shown, Suite, with_preference
from mobandits.suite.entries import Entrant, entrants_of
from mobandits.suite.playing import DIGEST, REGRET, UNIFORM, Played, Trial, digest_of
from mobandits.suite.prompts import Prompts, built_in_prompts, prompts_of_file, routed
from mobandits.suite.references import KINDS, QUALITY_ALONE, Reference
from mobandits.support.progress import ProgressCallback

NAME = "MOB-LLM"
BUILT_IN = FOLDER / "built_in_llm.toml"
LARGE = 0.99  # the quantile of logged costs that is a large one
ROUNDING = 1e-9  # of quality
FREE = 1e-3  # of the dearest model's cost: where budgets begin if the cheapest one is free


class Budget(NamedTuple):
    """A budget, which is to this suite what an environment is to another one.

    Attributes:
        name: the budget in the table's unit of cost.
        tests: the same in words.
        rounds: the prompts that are played.
        environment: the table in words.
        allowed: cost per prompt.
        gap: what hindsight gains over the best mixture within the budget, in quality.
        unscored: why there is no score; empty where there is one.
    """

    name: str
    tests: str
    rounds: int
    environment: str
    allowed: float
    gap: float
    unscored: str


@dataclass(frozen=True)
class RoutingSuite(Suite):
    """The suite of a table of prompts.

    Attributes:
        prompts: the table.
    """

    word: ClassVar[str] = "budget"
    is_ranked: ClassVar[bool] = False  # budgets share the prompts, so that ranks would be no test
    lead: ClassVar[str] = (
        "The score is the gain in quality over the best fixed mixture of models for the money that "
        "the entry spent, as a share of what the best choice for each prompt would gain within the "
        "budget: 0 is a mixture, 1 is hindsight. Mixture and hindsight know the answers of the prompts "
        "that were played. An entry that cannot play scores 0, without decimals. A budget without a "
        "score leaves nothing to gain. ± is half of a 95 % interval."
    )
    columns: ClassVar[tuple[Shown, ...]] = (
        Shown("quality", "quality", 4),
        Shown("mixture", "mixture, same money", 4),
        Shown("hindsight", "hindsight, same money", 4),
        Shown("spent", "spent / budget", 3),
        Shown("below", "share of logs below the mixture", 2),
    )
    worst: ClassVar[tuple[Shown, ...]] = (
        Shown("spent", "spent / budget, most", 3),
        Shown("below", "share of logs below the mixture, most", 2),
    )

    prompts: Prompts

    def play(
        self,
        setting: Any,
        recipe: Recipe,
        seeds: Sequence[int],
        threads: Threads,
        progress: ProgressCallback | None = None,
    ) -> Played:
        """Play a recipe within a budget, a log and an order of the prompts per seed."""
        trials: dict[int, Trial] = {}
        after_rounds = RoundCounter(setting.rounds, len(seeds), len(seeds), progress)

        def play_one(number: int) -> None:
            threads.check()
            trials[number] = play_budget(self.prompts, setting, recipe, seeds[number])
            after_rounds(setting.rounds)

        played: Played = {"unscored": setting.unscored} if setting.unscored else {}
        try:
            threads.each(play_one, range(len(seeds)))
        except ValueError as error:
            return {**played, "reason": str(error)}

        return {**played, "trials": [trials[number] for number in range(len(seeds))]}

    def round_time(self, setting: Any, recipe: Recipe, seed: int) -> None:
        """None: agents answer one prompt at a time, and other measurements have their times."""
        return

    def references(self) -> list[Entrant]:
        """The entries that every table has: constants, mixtures, baselines and recipes."""
        models = enumerate(self.prompts.models)
        constants = [
            Entrant(f"always {model}", {"name": "single-arm", "arm": arm}) for arm, model in models
        ]
        made = [Entrant(kind, {"reference": kind}) for kind in KINDS]
        return [*constants, *made, *entrants_of(str(BUILT_IN))]


def load_routing_suite(
    token: str, *, table: str | Path | None = None, quick: bool = False
) -> RoutingSuite:
    """MOB-LLM on a table.

    Args:
        token: of the scoring; of a user's table the digest follows it.
        table: the file of a user's table; None: the built-in one.
        quick: whether few logs will do.

    Raises:
        ValueError: in one line, where the table does not fit.
        MissingExtraError: where the extra `data` is needed.
    """
    _, content = read_toml(FOLDER / f"{NAME}.toml")
    prompts = built_in_prompts() if table is None else prompts_of_file(table)
    trials = content["quick_trials" if quick else "trials"]
    budgets = budgets_of(prompts, content["budgets"], content["least_gap"])
    if all(each.unscored for each in budgets):
        reason = budgets[0].unscored
        raise ValueError(f"{table} must leave something to gain: at every budget {reason}")

    if prompts.digest and prompts.digest not in token:
        token = f"{token} {prompts.digest}"

    return RoutingSuite(NAME, content["version"], budgets, trials, token, prompts)


def budgets_of(prompts: Prompts, count: int, least_gap: float) -> list[Budget]:
    """Budgets in geometric steps from the cheapest to the dearest model's mean cost.

    Where the cheapest model is free, they begin at a thousandth of the dearest one's cost.

    Args:
        prompts: the table.
        count: of budgets.
        least_gap: of quality, between hindsight and mixture, for a score.
    """
    _, means = prompts.means
    dearest = float(means.max())
    cheapest = float(means.min()) or FREE * dearest
    rows = f"{len(prompts.models)} models, {prompts.logged:,} prompts logged"
    table = f"{rows}; contexts: {prompts.features}"
    budgets = []
    for allowed in np.geomspace(cheapest, dearest, count).tolist():
        gap = prompts.hindsight.at(allowed) - prompts.mixture.at(allowed)
        unscored = ""
        if gap < least_gap:
            unscored = f"hindsight is less than {least_gap:g} better than the best mixture"
        budgets.append(
            Budget(
                name=f"{allowed:.4g}",
                tests=f"cost of {allowed:.4g} per prompt",
                rounds=prompts.played,
                environment=table,
                allowed=allowed,
                gap=gap,
                unscored=unscored,
            )
        )

    return budgets


def play_budget(prompts: Prompts, budget: Budget, recipe: Recipe, seed: int) -> Trial:
    """What is kept of one log and one order: quality and cost beside mixture and hindsight.

    With s the cost per prompt that was paid, b the budget, Q the quality, M(.) and H(.) those of the
    best mixture and of hindsight for some cost,

        uniform = H(b) - M(b)    regret = uniform - (Q - M(s))

    so that the score of an entry is (Q - M(s)) / (H(b) - M(b)). The unit is that of the budget: that
    of what was spent is 0 for the cheapest model, so that a policy that buys next to nothing would
    have any score.

    Args:
        prompts: the table.
        budget: that is given.
        recipe: of the entry.
        seed: of the log, the order and the agent's draws.
    """
    rng = stream(seed, 0, ROUNDS)
    log = prompts.log(rng)
    order = prompts.logged + rng.permutation(prompts.played)
    made: Recipe | Array = recipe
    if isinstance(recipe, Reference):
        made = recipe.made(prompts, log, budget.allowed)

    if isinstance(made, Recipe) and not isinstance(made, SingleArm):
        agent = router(prompts, budget.allowed, made, log, seed)
        arms = routed(agent, prompts.contexts, prompts.answers, order, prompts.models)
        got = prompts.quality[order, arms]
        paid = prompts.cost[order, arms]
    else:
        shares = constant_of(prompts, made) if isinstance(made, SingleArm) else made
        got = prompts.quality[order] @ shares
        paid = prompts.cost[order] @ shares

    # Correctly rounded sums are the same on every machine, and in every order.
    quality = math.fsum(got.tolist()) / len(order)
    cost = math.fsum(paid.tolist()) / len(order)
    mixture = prompts.mixture.at(cost)
    gain = quality - mixture
    if abs(gain) < ROUNDING:
        gain = 0.0

    return {
        REGRET: budget.gap - gain,
        UNIFORM: budget.gap,
        "quality": quality,
        "mixture": mixture,
        "hindsight": prompts.hindsight.at(cost),
        "spent": cost / budget.allowed,
        "below": float(gain < 0.0),
        DIGEST: digest_of(paid.tolist()),
    }


def constant_of(prompts: Prompts, recipe: SingleArm) -> Array:
    """(models,) the shares of one model.

    Raises:
        ValueError: where there is no such model.
    """
    count = len(prompts.models)
    if recipe.arm >= count:
        raise ValueError(f"SingleArm.arm must be below the number of models, {count}")

    shares: Array = np.zeros(count)
    shares[recipe.arm] = 1.0

    return shares


def router(prompts: Prompts, allowed: float, recipe: Recipe, log: Feedback, seed: int) -> Any:
    """An agent within a budget for the rows that are played, which has learned a log.

    Args:
        prompts: the table.
        allowed: cost per prompt.
        recipe: with or without budgets.
        log: of the first rows.
        seed: of the agent.
    """
    # Only here: agents import much.
    from mobandits.agent import Agent  # noqa: PLC0415

    large = float(np.quantile(-log.rewards[:, 1], LARGE))
    given = {
        "budgets": {"cost": allowed},
        "largest": {"cost": large or allowed},
        "horizon": prompts.played,
    }
    agent: Agent[Any] = Agent(
        with_budgets(recipe, given),
        arms=prompts.models,
        features=prompts.contexts.shape[1],
        objectives=prompts.objectives,
        seed=seed,
    )
    agent.learn_log(log)

    return agent


def with_budgets(recipe: Recipe, given: Mapping[str, Any]) -> Recipe:
    """A recipe within a budget: its own budgets are replaced; where it has none, it is paced.

    A recipe that leaves out its order looks at quality alone.

    Args:
        recipe: of an entry.
        given: parameters of recipes with budgets: `budgets`, `largest`, `horizon`.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> given = {"budgets": {"cost": 0.2}, "largest": {"cost": 1.0}, "horizon": 100}
        >>> with_budgets(Paced(MolUcb(), {"cost": 1.0}), given).budgets
        (('cost', 0.2),)
        >>> with_budgets(MolUcb(), given).horizon
        100
    """
    preferring = with_preference(recipe, {"order": QUALITY_ALONE})
    replaced = _replaced(preferring, given)
    if replaced is None:
        return Paced(preferring, given["budgets"], horizon=given["horizon"])

    return replaced


def _replaced(recipe: Recipe, given: Mapping[str, Any]) -> Recipe | None:
    """A recipe with other budgets, its own or those of a recipe inside; None: there are none."""
    names = [field.name for field in dataclasses.fields(recipe)]
    if "budgets" in names:
        own = {name: value for name, value in given.items() if name in names}
        return dataclasses.replace(recipe, **own)

    for name in names:
        value = getattr(recipe, name)
        inside = _replaced(value, given) if isinstance(value, Recipe) else None
        if inside is not None:
            return dataclasses.replace(recipe, **{name: inside})

    return None
