"""The tables of docs/measurements.md: budgets on real prompts, and a baseline that is kept.

    python tools/budgets.py logs
    python tools/budgets.py prompts
    python tools/budgets.py capped
    python tools/budgets.py dual
    python tools/budgets.py baseline

The first four need the extra `data`; each takes some minutes.
"""

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import polars as pl

import mobandits as mob
from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import FIRST, PROMPTS
from mobandits.metrics import BudgetRegret, Violation, best_within_budgets
from mobandits.orders import Weighted
from mobandits.policies import Conservative, MolUcb, Paced, PrimalDual, SingleArm
from mobandits_papers.paretobandit2026 import published, routing

BUDGETS = (0.0003, 0.001, 0.002, 0.004)  # dollars per prompt
QUALITY = Weighted([1.0, 0.0])
SCALES = ("data", 1.0, 0.3)
ORDERS = 20  # of the prompts
ANSWERS = (600, 1000, 1785)  # in a log
LINEAR_BUDGETS = (0.02, 0.05, 0.1, 0.2)  # per round, in large costs
LINEAR_ROUNDS = 10_000
FAST = 1.0  # a rate of the dual player, where that of the theory is about 0.01

LOSS = 0.1
DELTA = 0.01
NOISE = 0.1
RUNS = 1000
ROUNDS = 500


@dataclass(frozen=True)
class RoutingInDollars:
    """`LlmRouting` with costs that add up: minus dollars, in units of a large one."""

    max_rounds = PROMPTS

    def problem(self, rounds: int, rng: Rng) -> "DollarProblem":
        """One random order of the prompts."""
        return DollarProblem(LlmRouting().problem(rounds, rng))


class DollarProblem(NamedTuple):
    """A trial of `LlmRouting` whose second reward is the cost in dollars."""

    inner: Any

    @property
    def shape(self) -> Shape:
        """Three arms, one context for all of them, two objectives."""
        shape: Shape = self.inner.shape
        return shape

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The rounds of the inner problem, with dollars."""
        block: Block = self.inner.block(first, rounds, rng)
        dollars = self.quantities(first, rounds)["dollars"]
        rewards = np.stack([block.rewards[:, :, 0], -dollars / large_cost()], axis=2)

        return Block(block.contexts, rewards, rewards)

    def quantities(self, first: int, rounds: int) -> dict[str, Array]:
        """The dollars."""
        quantities: dict[str, Array] = self.inner.quantities(first, rounds)
        return quantities


def large_cost() -> float:
    """The 99 % quantile of the dollars of an answer, in the first file."""
    return float(np.quantile(LlmRouting().costs[:FIRST], 0.99))


def last(results: Any, policy: str, metric: str, component: int = 0) -> Array:
    """(trials,) the last value of a metric."""
    rows = results.table.filter(
        (pl.col("policy") == policy)
        & (pl.col("metric") == metric)
        & (pl.col("component") == component)
        & (pl.col("round") == pl.col("round").max())
    )
    values: Array = rows.sort("trial")["value"].to_numpy()

    return values


def logs() -> None:
    """Print the quality after logs of some sizes, under the budgets of paretobandit2026."""
    budgets = [each.budget for each in published.BUDGETS]
    heads = " | ".join(f"${budget:g}" for budget in budgets)
    print(f"| answers in the log | {heads} | largest share spent |")
    print("|---|" + "---|" * (len(budgets) + 1))
    for answers in ANSWERS:
        ends = np.array([ends_after(answers, order) for order in range(ORDERS)])
        quality, spent = ends.mean(axis=0)
        cells = " | ".join(f"{mean:.4f}" for mean in quality)
        print(f"| {answers:,} | {cells} | {spent.max():.3f} |")


def ends_after(answers: int, order: int) -> tuple[list[float], list[float]]:
    """The quality under every budget, and the share of it that is spent, of one log and order."""
    rng = np.random.default_rng(order)
    problem = routing.published_routing()
    whole = routing.uniform_log(problem, rng)
    log = whole[rng.permutation(FIRST)[:answers]]
    prompts_order = rng.permutation(PROMPTS - FIRST)
    quality = []
    spent = []
    for each in published.BUDGETS:
        allowed = each.budget / routing.THOUSAND
        agent = routing.router(problem, log, allowed)
        outcomes = routing.play(agent, problem, problem.second, prompts_order)
        quality.append(float(outcomes.quality.mean()))
        spent.append(float(outcomes.dollars.mean()) / allowed)

    return quality, spent


def prompts() -> None:
    """Print what is spent and earned under four budgets, beside mixtures in hindsight."""
    large = large_cost()
    print(f"A large cost is ${large:.4f}; {ORDERS} orders of {PROMPTS:,} prompts.\n")
    print(
        "| scale | budget per prompt | spent of it | overspent on the way | quality "
        "| best fixed mixture | no budget | which spends |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for scale in SCALES:
        for budget in BUDGETS:
            print(row_of(scale, budget, large))


def row_of(scale: Any, budget: float, large: float) -> str:
    """The row of one scale and budget."""
    free = MolUcb(scale=scale, order=QUALITY)
    paced = Paced(free, {1: budget / large})
    allowed = {"dollars": budget}
    results = mob.simulate(
        {"paced": paced, "free": free},
        RoutingInDollars(),
        rounds=PROMPTS,
        trials=ORDERS,
        metrics=["reward", "dollars", Violation(allowed), BudgetRegret(0, allowed)],
    )
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(0))
    quality = problem.rewards[:, :, 0].mean(axis=0)
    dollars = LlmRouting().costs.mean(axis=0)
    mixture = best_within_budgets(quality, dollars[:, None], [budget])
    whole = PROMPTS * budget
    spent = last(results, "paced", "dollars") / whole
    earned = last(results, "paced", "reward") / PROMPTS
    free_spent = last(results, "free", "dollars") / whole
    free_earned = last(results, "free", "reward") / PROMPTS
    is_violation = (pl.col("policy") == "paced") & (pl.col("metric") == "violation")
    violations = results.table.filter(is_violation)
    largest = violations.group_by("trial").agg(pl.col("value").max())["value"].to_numpy() / whole

    return (
        f"| {scale} | ${budget:g} | {spent.mean():.3f} (largest {spent.max():.3f}) "
        f"| {largest.mean():.3f} | {earned.mean():.3f} ± {earned.std(ddof=1):.3f} "
        f"| {mixture.value:.3f} | {free_earned.mean():.3f} | {free_spent.mean():.1f} times as much |"
    )


class Ending(NamedTuple):
    """What an agent has spent and earned at the end of an order of the prompts.

    Attributes:
        spent: of the whole budget.
        quality: of the average answer.
        refused: prompts for which nothing was left, so that the cheapest model answered them.
    """

    spent: float
    quality: float
    refused: int


def capped() -> None:
    """Print the same for agents whose budget is hard, and paced."""
    print("| budget per prompt | spent of it | quality | prompts for which nothing was left |")
    print("|---|---|---|---|")
    for budget in BUDGETS:
        ends = [run_capped(budget, order) for order in range(ORDERS)]
        spent = np.array([end.spent for end in ends])
        quality = np.array([end.quality for end in ends])
        refused = max(end.refused for end in ends)
        print(
            f"| ${budget:g} | {spent.mean():.3f} (largest {spent.max():.3f}) "
            f"| {quality.mean():.3f} ± {quality.std(ddof=1):.3f} | at most {refused} |"
        )


def run_capped(budget: float, order: int) -> Ending:
    """One order of the prompts, answered by an agent that knows the most that a model may cost."""
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(order))
    whole = PROMPTS * budget
    most = dict(zip(LlmRouting.models, problem.dollars.max(axis=0).tolist(), strict=True))
    free = MolUcb(scale="data", order=QUALITY)
    agent = mob.Agent(
        Paced(free, {"cost": budget}, horizon=PROMPTS),
        arms=LlmRouting.models,
        features=problem.shape.features,
        objectives=["quality", mob.Objective("cost", minimise=True, unit="USD")],
        seed=order,
        budgets=[mob.Budget("cost", whole, most=most)],
    )
    spent = 0.0
    earned = 0.0
    refused = 0
    for prompt in problem.order:
        try:
            decision = agent.decide(problem.contexts[prompt, 0])
        except mob.errors.BudgetError:
            arm = 0
            refused += 1
        else:
            arm = LlmRouting.models.index(decision.arm)
            bill = float(problem.dollars[prompt, arm])
            grade = float(problem.rewards[prompt, arm, 0])
            agent.learn(decision.id, {"quality": grade, "cost": bill})

        spent += problem.dollars[prompt, arm]
        earned += problem.rewards[prompt, arm, 0]

    return Ending(spent / whole, earned / PROMPTS, refused)


def dual() -> None:
    """Print what the primal-dual algorithm spends and earns, beside `Paced`, in two problems."""
    large = large_cost()
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(0))
    gains = problem.rewards[:, :, 0].mean(axis=0)
    dollars = LlmRouting().costs.mean(axis=0)[:, None]
    head = "| in large costs | policy | spent of it | earned per round | best fixed mixture |"
    print(f"{ORDERS} orders of {PROMPTS:,} prompts.\n")
    print(f"| budget per prompt {head}\n|---|---|---|---|---|---|")
    for budget in BUDGETS:
        mixture = best_within_budgets(gains, dollars, [budget]).value
        results = played_within(budget / large, RoutingInDollars(), PROMPTS)
        print_ends(results, f"${budget:g}", budget / large, mixture)

    print(f"\n{ORDERS} linear problems of {LINEAR_ROUNDS:,} rounds.\n")
    print(f"| budget per round {head}\n|---|---|---|---|---|---|")
    for budget in LINEAR_BUDGETS:
        results = played_within(budget, LinearCosts(), LINEAR_ROUNDS)
        print_ends(results, f"{budget:g}", budget, None)


def played_within(allowed: float, environment: Any, rounds: int) -> Any:
    """Both algorithms within one budget, in large costs per round."""
    quality = MolUcb(scale="data", order=QUALITY)
    budgets = {1: allowed}
    largest = {1: 1.0}

    return mob.simulate(
        {
            "`Paced`": Paced(quality, budgets),
            "`PrimalDual`": PrimalDual(quality, budgets, largest),
            f"`PrimalDual(rate={FAST:g})`": PrimalDual(quality, budgets, largest, rate=FAST),
        },
        environment,
        rounds=rounds,
        trials=ORDERS,
        metrics=["reward", BudgetRegret(0, budgets)],
    )


def print_ends(results: Any, name: str, allowed: float, mixture: float | None) -> None:
    """Print a row per policy, of one budget; None: the best mixture is that of the regret."""
    rounds = results.table["round"].max()
    for policy in results.table["policy"].unique(maintain_order=True):
        earned = last(results, policy, "reward") / rounds
        spent = -last(results, policy, "reward", 1) / (rounds * allowed)
        behind = last(results, policy, "budget_regret") / rounds
        best = (earned + behind).mean() if mixture is None else mixture
        print(
            f"| {name} | {rounds * allowed:,.0f} | {policy} "
            f"| {spent.mean():.3f} (largest {spent.max():.3f}) "
            f"| {earned.mean():.3f} ± {earned.std(ddof=1):.3f} | {best:.3f} |"
        )


@dataclass(frozen=True)
class LinearCosts:
    """Ten fixed arms of four features with a reward and a cost between 0 and 1; arm 0 has neither."""

    def problem(self, rounds: int, rng: Rng) -> "LinearCostsProblem":
        """Positive parameters of norm 1, and positive arms in the unit ball."""
        theta = np.abs(rng.standard_normal((2, 4)))
        theta /= np.linalg.norm(theta, axis=1, keepdims=True)
        arms = np.abs(rng.standard_normal((10, 4)))
        arms /= np.linalg.norm(arms, axis=1, keepdims=True)
        arms *= rng.random((10, 1))
        arms[0] = 0.0
        shape = Shape(10, 4, 2, rounds, fixed_arms=arms)

        return LinearCostsProblem(shape, arms, arms @ theta.T * [1.0, -1.0])


class LinearCostsProblem(NamedTuple):
    """One instance; rewards are means and normal noise."""

    shape: Shape
    arms: Array
    means: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds with the same arms."""
        noise = NOISE * rng.standard_normal((rounds, 1, 2))
        means = self.means[None]

        return Block(self.arms[None], means, means + noise)


@dataclass(frozen=True)
class SmallLinear:
    """Twenty fixed arms of four features, one reward; arm 0, the baseline, has the mean 0.5."""

    def problem(self, rounds: int, rng: Rng) -> "SmallProblem":
        """Positive parameters of norm 1, and arms with means between 0 and 1."""
        theta = np.abs(rng.standard_normal(4))
        theta /= np.linalg.norm(theta)
        directions = np.abs(rng.standard_normal((20, 4)))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        arms = directions * rng.random((20, 1))
        aside = rng.standard_normal(4)
        aside -= (aside @ theta) * theta
        arms[0] = 0.5 * theta + 0.3 * aside / np.linalg.norm(aside)
        shape = Shape(20, 4, 1, rounds, fixed_arms=arms)

        return SmallProblem(shape, arms, arms @ theta)


class SmallProblem(NamedTuple):
    """One instance; rewards are means and normal noise."""

    shape: Shape
    arms: Array
    means: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds with the same arms."""
        noise = NOISE * rng.standard_normal((rounds, 1, 1))
        means = self.means[None, :, None]

        return Block(self.arms[None], means, means + noise)


def baseline() -> None:
    """Print in how many runs the baseline's level was broken in some round."""
    equal = Weighted([1.0])
    linear = MolUcb(scale="theory", delta=DELTA, noise=NOISE, order=equal)
    policies = {
        "LinUCB": linear,
        "CLUCB, baseline unknown": Conservative(linear, 0, LOSS, 0),
        "CLUCB, baseline known": Conservative(linear, 0, LOSS, 0, 0.5),
        "always the baseline": SingleArm(0),
    }
    results = mob.simulate(
        policies,
        SmallLinear(),
        rounds=ROUNDS,
        trials=RUNS,
        metrics=["reward"],
        record=range(1, ROUNDS + 1),
    )
    wide = results.table.select("policy", "trial", "round", "value")
    level = wide.filter(pl.col("policy") == "always the baseline").drop("policy")
    level = level.rename({"value": "level"})
    rows = wide.join(level, on=["trial", "round"])
    print(f"{RUNS:,} runs of {ROUNDS} rounds, loss {LOSS}, delta {DELTA}.\n")
    print("| policy | runs in which the level was broken | reward per round, of the baseline's |")
    print("|---|---|---|")
    for name in policies:
        mine = rows.filter(pl.col("policy") == name)
        below = mine.filter(pl.col("value") < (1.0 - LOSS) * pl.col("level") - 1e-9)
        ends = mine.filter(pl.col("round") == ROUNDS)
        gain = (ends["value"] / ends["level"]).mean()
        print(f"| {name} | {below['trial'].n_unique():,} | {gain:.3f} |")


if __name__ == "__main__":
    tables = {
        "prompts": prompts,
        "capped": capped,
        "dual": dual,
        "baseline": baseline,
        "logs": logs,
    }
    tables[sys.argv[1]]()
