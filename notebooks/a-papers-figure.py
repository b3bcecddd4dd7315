# %% [markdown]
# # A paper's figure
#
# Park, Ann and Oh, *Thompson Sampling for Multi-Objective Linear Contextual Bandit* (NeurIPS 2025), propose MOL-TS
# and compare it with two other policies in their Figure 2: 50 arms, 5 features, 4 objectives. This notebook plays the
# setting of that figure by hand, and then as the library reproduces it, with a verdict for every sentence of the
# paper about it.
#
# Everything here is smaller than in the paper, so that it takes seconds. The last section says how to run the whole.

# %%
# %matplotlib inline
import json
from pathlib import Path

import polars as pl

import mobandits as mob
import mobandits_papers
from mobandits_papers.catalogue import find
from mobandits_papers.reproduce import reproduce

# %% [markdown]
# ## By hand
#
# The defaults of `Linear` are the setting of the paper: parameters of norm 1, new arms in every round, standard
# normal noise. The paper does not say with which constant $c$ its policies explore. Here it is 0.3 for all.

# %%
environment = mob.environments.Linear(arms=50, features=5, objectives=4)
policies = {
    "MOL-TS": mob.policies.MolTs(scale=0.3),
    "MOL-TS, one sample": mob.policies.MolTs(scale=0.3, draws=1),
    "MOL-UCB": mob.policies.MolUcb(scale=0.3),
    "MOL-eps-Greedy": mob.policies.MolEpsGreedy(),
}
results = mob.simulate(policies, environment, rounds=2000, trials=5, seed=0, progress=False)
results.plot("effective_pareto_regret")

# %% [markdown]
# MOL-TS draws several samples of every parameter and takes the best for each arm. With one sample it is plain
# Thompson sampling. How many samples does it draw, and what is that number for? With $L$ objectives an arm must be
# optimistic in all of them at once. Lemma 1 takes as many samples as make this likely enough:

# %%
theory = mobandits_papers.molts2025.theory
{objectives: theory.draws_needed(objectives) for objectives in (1, 2, 4, 8)}

# %% [markdown]
# ## As data
#
# In this library a figure of a paper is data: what is played, what is drawn, and what the paper says about it. A
# claim of kind `paper` is a sentence of the paper. The others are questions of ours.

# %%
(figure,) = find(["molts2025/fig2"])
claims = pl.DataFrame(
    {
        "claim": [claim.claim for claim in figure.claims],
        "kind": [claim.kind for claim in figure.claims],
    }
)
with pl.Config(tbl_rows=-1, fmt_str_lengths=120, tbl_width_chars=160):
    print(claims)

# %% [markdown]
# `reproduce` plays all of it. Constants are chosen on trials of another seed, so that no verdict rests on trials that
# also chose a constant. Here it plays 200 rounds and 5 trials in place of 10,000 and 10:

# %%
page = reproduce(["molts2025/fig2"], "figure", rounds=200, trials=5)
entries = json.loads((Path("figure") / "claims.json").read_text())
verdicts = pl.DataFrame(
    {
        "claim": [entry["id"].removeprefix("molts2025/fig2/") for entry in entries],
        "verdict": [entry["verdict"] for entry in entries],
        "measured": [entry["measured"] for entry in entries],
        "trials": [entry["trials"] for entry in entries],
    }
)
with pl.Config(tbl_rows=-1, fmt_str_lengths=60, float_precision=2):
    print(verdicts)

# %% [markdown]
# A verdict is computed from a rule, a bootstrap interval over the trials, and the number of trials. With 200 rounds
# it says little: policies have hardly learned, and a claim may fail here that holds in the paper's 10,000 rounds.
# `figure/report.html` shows the curves, each claim with its interval, and that the scale is not the paper's.

# %%
page.name, sorted(path.name for path in Path("figure").iterdir())

# %% [markdown]
# ## The whole figure
#
#     mobandits reproduce molts2025/fig2 --out runs/papers
#
# plays the paper's own scale in some minutes. `docs/results/README.md` has the verdicts of all papers at their own
# scale, and `docs/papers/molts2025.md` says what the paper leaves open and what was chosen here.
