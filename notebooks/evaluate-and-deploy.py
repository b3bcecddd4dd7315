# %% [markdown]
# # Evaluate, then deploy
#
# A service routes prompts to one of three language models. It has a log: which model answered which prompt, how good
# the answer was, and how cheap. Would another policy have been better? This notebook estimates that from the log
# alone, deploys the policy that was chosen, and looks after it.
#
# Prompts, qualities and prices are real: 3,609 prompts that all three models answered (`LlmRouting`, with the extra
# `data`).

# %%
import numpy as np
import polars as pl

import mobandits as mob
from mobandits.evaluation import ConstantTarget, Feedback, LoggingPolicy, compare, dominance
from mobandits.monitoring import summary

# %% [markdown]
# ## The log
#
# The policy of today draws the cheap model in 60 % of the rounds, whatever the prompt. The log holds the probability
# of each choice, its *propensity*. Without propensities nothing can be said of other policies.

# %%
ROUNDS = 3000
rng = np.random.default_rng(0)
environment = mob.environments.LlmRouting()
problem = environment.problem(ROUNDS + 500, rng)
prompts = problem.block(0, ROUNDS, rng)
models = environment.models

probabilities = np.array([0.6, 0.25, 0.15])
arms = rng.choice(3, size=ROUNDS, p=probabilities)
log = Feedback(
    contexts=prompts.contexts[:, 0],
    arms=arms,
    rewards=prompts.rewards[np.arange(ROUNDS), arms],
    propensities=probabilities[arms],
    arm_names=models,
    objectives=("quality", "thrift"),
)
log

# %% [markdown]
# ## What would others have brought?
#
# Four policies: that of the log, each prompt to the same model (the middle one, the dear one), and MOL-UCB, which
# learns from one part of the log and is valued on another. Quality counts four times as much as thrift. `WithFloor`
# keeps a probability of at least 2 % for every model, so that what it does can be valued later in the same way.
#
# `dr` is doubly robust estimation: a model of the rewards, corrected by what was observed, weighted by the
# propensities. It is right wherever the propensities are.

# %%
order = mob.orders.Weighted([0.8, 0.2])
recipe = mob.policies.WithFloor(mob.policies.MolUcb(scale=0.05, order=order), epsilon=0.06)
comparison = compare(
    log,
    {
        "today": LoggingPolicy(),
        "always middle": ConstantTarget(models[1]),
        "always dear": ConstantTarget(models[2]),
        "learned": recipe,
    },
    progress=False,
)
table = comparison.table().filter(pl.col("estimator") == "dr")
columns = ["policy", "objective", "value", "low", "high"]
with pl.Config(tbl_rows=-1, float_precision=3, tbl_hide_dataframe_shape=True):
    print(table.select(columns))

# %% [markdown]
# Intervals hold for all objectives of a policy at once, with 95 % confidence. Every estimate also says where it
# should not be trusted: few effective rounds, heavy tails, propensities that do not add up.

# %%
learned = comparison["learned", "dr"]
print("warnings:", learned.warnings or "none")
print("effective rounds:", round(learned.diagnostics.effective_rounds))

# %% [markdown]
# Is it better than today in every objective, with at most 5 % risk of a wrong answer?

# %%
dominance(learned, comparison["today", "dr"]).decision

# %% [markdown]
# "incomparable" means that it is shown to be better in one objective and worse in another: quality costs money. That
# is a decision for people, or for weights. Under the weights above, in one number:

# %%
weights = np.array([0.8, 0.2])
for name in ("today", "always middle", "always dear", "learned"):
    print(f"{name:14} {comparison[name, 'dr'].value @ weights:.3f}")

# %% [markdown]
# ## Deploy
#
# The recipe becomes an agent that has learned all rounds of the log. From now on every decision is in `router.db`,
# with its propensity, before it is returned.

# %%
agent = comparison.agent("learned", log="router.db", propensity="exact")
new_prompts = problem.block(ROUNDS, 500, rng)
brought = []
for context, rewards in zip(new_prompts.contexts[:, 0], new_prompts.rewards, strict=True):
    decision = agent.decide(context)
    quality, thrift = rewards[models.index(decision.arm)]
    agent.learn(decision.id, {"thrift": thrift})  # known at once
    agent.learn(decision.id, {"quality": quality})  # graded later, in life
    brought.append([quality, thrift])
agent.close()

# %% [markdown]
# ## Look after it
#
# What did it do, and does something need a look? `mobandits monitor router.db --out monitor` writes a page of this.
# The numbers are at hand here, too. The rounds of the log are the first part of the agent's history; *recent* plays
# are those of the last window.

# %%
history = summary("router.db", calibration=False)
print("decisions:", history["decisions"])
print("to look at:", "; ".join(history["alarms"]) or "nothing")
pl.DataFrame(
    {
        "model": [arm["name"] for arm in history["arms"]],
        "plays": [arm["plays"] for arm in history["arms"]],
        "recent": [arm["recent"] for arm in history["arms"]],
    }
)

# %% [markdown]
# Did it bring what was promised? Here is the estimate from the log, beside the mean of the 500 decisions since, each
# with an interval:

# %%
box = learned.box(0.95)
means = np.mean(brought, axis=0)
half_widths = 1.96 * np.std(brought, axis=0, ddof=1) / np.sqrt(len(brought))
for i, objective in enumerate(log.objective_names):
    print(f"{objective}: estimated {box.low[i]:.3f} to {box.high[i]:.3f}", end=", ")
    print(f"brought {means[i]:.3f} ± {half_widths[i]:.3f}")

# %% [markdown]
# The policy that was valued had learned from a part of the log and stood still; the agent has learned all of it and
# goes on. So the two need not be equal, but they should be close. If they are not, the world has changed, or the log
# was not what it seemed.
#
# ## Next
#
# - `docs/tutorials/evaluate-before-you-deploy.md` explains the estimators and their warnings.
# - `docs/how-to/choose-from-a-log.md` chooses among several recipes, with a test that counts how many there are.
# - `docs/how-to/monitor.md` says what each sentence of the monitor means.
