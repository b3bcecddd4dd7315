"""Gain of every recipe with a scale over random play, on real problems whose outcomes are all known.

`python benchmarks/compare_defaults.py` plays for some minutes and writes the table into
docs/measurements.md. The data come with scikit-learn and with the package of the demo's prompts.

A gain is the mean weighted reward over all rounds, less that of random play, as a share of what the
best of all learners gains on that problem: 1 is as good as the best, 0 is random play.
"""

import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn import datasets

import mobandits as mob
from mobandits.datasets import llm_routing
from mobandits.errors import InputWarning
from mobandits.policies import HypervolumeUcb, MoglbUcb, MolTs, MolUcb

ROUNDS = 1500
ORDERS = 4  # random orders of the rows of each problem
PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"
START = "<!-- defaults: benchmarks/compare_defaults.py writes this table -->"
END = "<!-- end -->"
CONSTANTS = (0.1, 0.3, 1.0)
WEIGHTS = (0.5, 0.5)


class Problem(NamedTuple):
    """A real problem.

    Attributes:
        contexts: (rows, features) or (rows, arms, features).
        outcomes: (rows, arms, 2) the rewards of every arm, in [0, 1], more is better.
    """

    contexts: np.ndarray
    outcomes: np.ndarray


def standardised(features):
    """Features of mean 0 and deviation 1, a constant 1 before them."""
    spread = features.std(0)
    scaled = (features - features.mean(0)) / np.where(spread > 0.0, spread, 1.0)
    return np.column_stack([np.ones(len(scaled)), scaled])


def classes(data):
    """An arm for each class: whether it is the right one, and how near it is."""
    labels = data.target
    arms = np.arange(labels.max() + 1)
    is_right = (labels[:, None] == arms).astype(float)
    distance = np.abs(labels[:, None] - arms) / max(len(arms) - 1, 1)
    outcomes = np.stack([is_right, 1.0 - distance], axis=-1)
    return Problem(standardised(data.data), outcomes)


def biopsies():
    """Send a patient home or to surgery: what is found, and what it costs."""
    data = datasets.load_breast_cancer()
    is_malignant = data.target == 0
    home = np.column_stack([1.0 - is_malignant, np.ones(len(is_malignant))])
    surgery = np.column_stack([np.ones(len(is_malignant)), np.full(len(is_malignant), 0.2)])
    return Problem(standardised(data.data), np.stack([home, surgery], axis=1))


def doses():
    """One of five doses: how near it is to what a patient needs, and how small it is."""
    data = datasets.load_diabetes()
    need = (data.target - data.target.min()) / np.ptp(data.target)
    dose = np.linspace(0.0, 1.0, 5)
    fit = 1.0 - np.abs(need[:, None] - dose)
    saved = np.broadcast_to(1.0 - 0.5 * dose, fit.shape)
    return Problem(standardised(data.data), np.stack([fit, saved], axis=-1))


def prompts(*, rows_of_arms):
    """A model for a prompt: the quality of its answer, and what is saved of two cents."""
    table = llm_routing()
    models = [name.removeprefix("cost_") for name in table.columns if name.startswith("cost_")]
    quality = table.select([f"quality_{model}" for model in models]).to_numpy()
    cost = table.select([f"cost_{model}" for model in models]).to_numpy()
    saved = 1.0 - np.minimum(cost / 0.02, 1.0)
    encoder = mob.Encoder.fit(table, {"source": "category", "prompt": "text:16"})
    contexts = encoder.encode_table(table.select("source", "prompt"))
    if rows_of_arms:
        # One model of all arms: which arm it is, and its mean price times the prompt's features.
        price = cost.mean(0) / cost.mean(0).max()
        which = np.broadcast_to(np.eye(len(models)), (len(contexts), len(models), len(models)))
        priced = price[:, None] * contexts[:, None, -16:]
        contexts = np.concatenate([which, priced], axis=-1)

    return Problem(np.ascontiguousarray(contexts), np.stack([quality, saved], axis=-1))


PROBLEMS = {
    "digits, 10 arms": lambda: classes(datasets.load_digits()),
    "wine, 3 arms": lambda: classes(datasets.load_wine()),
    "iris, 3 arms": lambda: classes(datasets.load_iris()),
    "biopsies, 2 arms": biopsies,
    "doses, 5 arms": doses,
    "prompts, 3 arms": lambda: prompts(rows_of_arms=False),
    "prompts, a model shared by arms": lambda: prompts(rows_of_arms=True),
}


def recipes():
    """{(recipe, scale): recipe}; the first scale of each recipe is its default."""
    found = {}
    for kind in (MolUcb, MolTs, HypervolumeUcb):
        for scale in ("data", "theory", *CONSTANTS):
            found[kind.__name__, scale] = kind(scale=scale, check=False)

    for scale in ("theory", 0.03, *CONSTANTS):
        found["MoglbUcb", scale] = MoglbUcb(scale=scale, check=False)

    for scale in ("theory", *CONSTANTS):
        found['MolTs(links="logit")', scale] = MolTs(scale=scale, links="logit", check=False)

    return found


def value_of(recipe, problem, seed):
    """The mean weighted reward of an agent that meets the rows in a random order, again and again."""
    rng = np.random.default_rng(seed)
    rows = np.concatenate([rng.permutation(len(problem.contexts)) for _ in range(ROUNDS)])[:ROUNDS]
    features = problem.contexts.shape[-1]
    arms = problem.outcomes.shape[1]
    agent = mob.Agent(recipe, arms=arms, features=features, objectives=2, seed=seed)
    if not isinstance(recipe, HypervolumeUcb):  # which has no order to exchange
        agent.preference = mob.orders.Weighted(WEIGHTS)

    total = 0.0
    for row in rows:
        decision = agent.decide(problem.contexts[row])
        rewards = problem.outcomes[row, decision.arm]
        agent.learn(decision.id, rewards)
        total += rewards @ WEIGHTS

    return total / ROUNDS


def gains(problem):
    """{(recipe, scale): (orders,) gain over random play}."""
    random = (problem.outcomes @ np.array(WEIGHTS)).mean()
    found = {}
    for key, recipe in recipes().items():
        values = [value_of(recipe, problem, seed) for seed in range(ORDERS)]
        found[key] = np.array(values) - random

    best = max(values.mean() for values in found.values())
    return {key: values / best for key, values in found.items()}


def table_of(found):
    """The lines of the table: a row per recipe and scale, a column per problem."""
    names = list(found)
    lines = [f"| recipe | scale | mean | worst order | {' | '.join(names)} |"]
    lines.append("|---|---|" + "---|" * (2 + len(names)))
    for recipe, scale in next(iter(found.values())):
        values = np.array([found[name][recipe, scale] for name in names])
        cells = [f"{value:.2f}" for value in values.mean(1)]
        said = f'`"{scale}"`' if isinstance(scale, str) else f"{scale:g}"
        summary = f"**{values.mean():.2f}** | {values.min():.2f}"
        lines.append(f"| `{recipe}` | {said} | {summary} | {' | '.join(cells)} |")

    return "\n".join(lines)


def main():
    """Play all of it, and write the table into the page."""
    warnings.simplefilter("ignore", InputWarning)
    found = {name: gains(make()) for name, make in PROBLEMS.items()}
    table = table_of(found)
    print(table)
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(f"{page[:start]}\n{table}\n{page[end:]}")


if __name__ == "__main__":
    main()
