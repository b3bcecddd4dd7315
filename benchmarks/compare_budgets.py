"""Quality under seven budgets on real prompts, of what learned from a log, beside published results.

`python benchmarks/compare_budgets.py` plays for some minutes and writes `results/budgets.json`, from
which `page.py` makes a table. It needs the extra `data`.

The log is of the first file of prompts: for each a model was drawn, all with the same probability,
and its one answer was seen. Then the second file comes, in a random order. All is said by public
calls with default arguments; nothing was chosen on the second file.
"""

import harness
import numpy as np

import mobandits as mob
from mobandits.demo.deployment import COST, MODELS, QUALITY, files_of, uniform_log
from mobandits.environments import LlmRouting
from mobandits.environments.llm_routing import PROMPTS
from mobandits.metrics import best_within_budgets
from mobandits.orders import Weighted
from mobandits.policies import MolEpsGreedy, MolUcb, Paced

LOGS = 20
SEED = 0
# US dollars per 1,000 prompts, with ParetoBandit's quality and spending (arXiv 2604.00136): it has
# learned 8,374 fully labelled prompts, and the same 1,824 came in 20 orders.
PUBLISHED = {
    0.029: (0.793, 0.98),
    0.083: (0.813, 1.00),
    0.235: (0.859, 1.00),
    0.664: (0.898, 0.98),
    1.88: (0.917, 0.91),
    5.31: (0.924, 0.89),
    15.0: (0.929, 0.74),
}
QUALITY_ALONE = Weighted([1.0, 0.0])
LEARNER = MolEpsGreedy(epsilon=0.0, penalty=10.0)
SIDES = {
    "horizon known": (LEARNER, True),
    "open-ended": (LEARNER, False),
    "open-ended, `MolUcb()`": (MolUcb(order=QUALITY_ALONE), False),
}


def deploy(recipe, log, prompts, order, budget, *, is_horizon_known):
    """Quality and dollars of the prompts in this order, by an agent that has learned the log."""
    horizon = len(order) if is_horizon_known else None
    paced = Paced(recipe, {"cost": budget}, horizon=horizon)
    features = log.contexts.shape[1]
    agent = mob.Agent(paced, arms=MODELS, features=features, objectives=[QUALITY, COST])
    agent.preference = QUALITY_ALONE
    agent.learn_log(log)
    rewards = np.empty((len(order), 2))
    for i, prompt in enumerate(order):
        decision = agent.decide(prompts.contexts[prompt])
        arm = MODELS.index(decision.arm)
        rewards[i] = prompts.quality[prompt, arm], prompts.dollars[prompt, arm]
        agent.learn(decision.id, {"quality": rewards[i, 0], "cost": rewards[i, 1]})

    return rewards.mean(axis=0)


def measured(first, second, side):
    """(logs, budgets, 2) mean quality, and the share of the budget that was spent."""
    recipe, is_horizon_known = SIDES[side]
    found = np.empty((LOGS, len(PUBLISHED), 2))
    for trial in range(LOGS):
        rng = np.random.default_rng([SEED, trial])
        log = uniform_log(first, rng)
        order = rng.permutation(len(second.contexts))
        for j, thousandth in enumerate(PUBLISHED):
            budget = thousandth / 1000.0
            quality, dollars = deploy(
                recipe, log, second, order, budget, is_horizon_known=is_horizon_known
            )
            found[trial, j] = quality, dollars / budget

    return found


def main():
    problem = LlmRouting().problem(PROMPTS, np.random.default_rng(SEED))
    first, second = files_of(problem)
    gains = second.quality.mean(axis=0)
    dollars = second.dollars.mean(axis=0)[:, None]
    rows = []
    mixtures = [best_within_budgets(gains, dollars, [each / 1000.0]).value for each in PUBLISHED]
    rows.append(["best fixed mixture in hindsight", *(f"{each:.4f}" for each in mixtures)])
    rows.append(["ParetoBandit", *(f"{each:.3f}" for each, _ in PUBLISHED.values())])
    rows.append(["its spending", *(f"{each:.2f}" for _, each in PUBLISHED.values())])
    for side in SIDES:
        found = measured(first, second, side)
        quality = found[:, :, 0]
        spent = found[:, :, 1]
        error = quality.std(axis=0, ddof=1) / np.sqrt(LOGS)
        cells = [f"{q:.4f} ± {e:.4f}" for q, e in zip(quality.mean(0), error, strict=True)]
        rows.append([f"Paced, {side}", *cells])
        ends = zip(spent.mean(axis=0), spent.max(axis=0), strict=True)
        rows.append(["its spending", *(f"{mean:.3f} ({worst:.3f})" for mean, worst in ends)])
        print(*rows[-2:], sep="\n", flush=True)

    header = ["budget, $ per 1,000 prompts", *(f"{each:g}" for each in PUBLISHED)]
    notes = [
        f"Means over {LOGS} logs of 1,785 answers and as many orders, ± their standard errors.",
        "Spending is a share of the budget; in brackets that of the worst log.",
        "The recipe is `Paced(MolEpsGreedy(epsilon=0, penalty=10), {'cost': budget})`.",
        "The preference is `Weighted([1, 0])`. With `MolUcb()` the agent goes on exploring.",
        "ParetoBandit (arXiv 2604.00136) learned 8,374 prompts with the answers of all models.",
    ]
    harness.write(
        "budgets",
        "Budgets after a log: quality on 1,824 prompts",
        [],
        notes,
        table={"header": header, "rows": rows},
    )


if __name__ == "__main__":
    main()
