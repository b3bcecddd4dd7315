# %% [markdown]
# # First steps
#
# A decision often brings several rewards at once: an answer has a quality and a price, an advertisement has clicks
# and revenue. This notebook shows which options are best when rewards are vectors, lets policies learn it from their
# own decisions, and ends with an agent that an application would call.
#
# It runs in a few seconds. The first run on a machine compiles the policies, which takes up to a minute.

# %%
# %matplotlib inline
import mobandits as mob

# %% [markdown]
# ## Which options are best?
#
# Here are four options with a mean reward in two objectives. Larger is better in both.
#
# An option *dominates* another one if it is at least as good in every objective and better in one. Those that none
# dominates are the Pareto front.

# %%
means = [
    [1.0, 0.0],
    [0.0, 1.0],
    [0.4, 0.4],
    [0.5, 0.5],
]
mob.front(means)

# %% [markdown]
# The third option is dominated by the fourth. The *gap* says how far an option is behind: what must be added to its
# rewards so that nothing dominates it.

# %%
mob.gaps(means).ravel()

# %% [markdown]
# Other preferences are other orders. With priorities, the first objective decides, and the second only among ties:

# %%
mob.front(means, mob.orders.Lexicographic())

# %% [markdown]
# ## Learn which are best
#
# Means are not known in advance. A *policy* sees a context, plays an option (an *arm*), and observes the rewards of
# that arm only. Below, 10 arms have 4 features each, drawn anew in every round, and rewards in 3 objectives that are
# linear in the features. Three policies play the same 1,000 rounds, in 6 trials with different parameters.

# %%
environment = mob.environments.Linear(arms=10, features=4, objectives=3)
policies = {
    "MOL-TS": mob.policies.MolTs(scale=0.3),
    "MOL-UCB": mob.policies.MolUcb(scale=0.3),
    "random": mob.policies.RandomChoice(),
}
results = mob.simulate(policies, environment, rounds=1000, trials=6, seed=1, progress=False)
results.summary().filter(metric="effective_pareto_regret")

# %% [markdown]
# *Regret* is the sum of the gaps of the arms that were played, so less is better. The effective gap compares an arm
# with mixtures of arms, because playing two arms in turn can be better in every objective than a third. The interval
# is for the mean over trials.
#
# Random play loses the same in every round. The other two learn, and their curves bend:

# %%
results.plot("effective_pareto_regret")

# %% [markdown]
# ## Decide in an application
#
# In an application nobody draws rewards: they arrive later, one objective at a time. An agent keeps what it needs
# until then. Here requests go to a small or a large model, and the context is a constant and the length of the
# request.

# %%
agent = mob.Agent(
    mob.policies.MolUcb(scale=0.3),
    arms=["small", "large"],
    features=2,
    objectives=["quality", mob.Objective("cost", minimise=True)],
    propensity="exact",
    seed=1,
)
decision = agent.decide([1.0, 0.2])
decision

# %% [markdown]
# The propensity is the probability with which this arm was chosen. A log with propensities is what later answers
# "what would another policy have brought?".
#
# The cost is known at once, the quality when somebody has graded the answer:

# %%
agent.learn(decision.id, {"cost": 0.002})
agent.waiting  # decisions whose rewards are not complete

# %%
agent.learn(decision.id, {"quality": 0.9})
agent.waiting

# %% [markdown]
# After some more requests, in which the large model is better and costs more, the agent can say why it decides as it
# does.

# %%
qualities = {"small": 0.55, "large": 0.85}
costs = {"small": 0.05, "large": 0.4}
for request in range(60):
    length = (request % 10) / 10
    chosen = agent.decide([1.0, length])
    rewards = {
        "quality": qualities[chosen.arm] - 0.2 * length,
        "cost": costs[chosen.arm] * (1 + length),
    }
    agent.learn(chosen.id, rewards)

explained = agent.decide([1.0, 0.5])
print(agent.explain(explained))

# %% [markdown]
# Both arms are on the Pareto front, so both are played. If quality comes first from now on, say so. Nothing is
# trained again:

# %%
agent.preference = mob.orders.Lexicographic()
[agent.decide([1.0, 0.5]).arm for _ in range(5)]

# %% [markdown]
# ## Next
#
# - `docs/choose.md` helps to choose a policy and an order.
# - `a-papers-figure.ipynb` repeats a figure of a paper.
# - `evaluate-and-deploy.ipynb` values policies on a log before one of them is deployed.
