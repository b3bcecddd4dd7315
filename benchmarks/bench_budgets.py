"""Budgets on six problems with known outcomes: `tune` and others after a log, beside methods by hand.

`--quick` plays 2 logs of 20, and writes nothing. Problems and budgets were fixed before anything was
played. `Conservative` has no column: it guards what is maximised, refuses costs, and knows no budget.
"""

import sys
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import harness
import numpy as np
import polars as pl
from scipy.fft import dctn, idctn
from sklearn import datasets, linear_model, naive_bayes, neighbors, svm, tree
from sklearn.decomposition import PCA
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mobandits as mob
from mobandits.errors import InputWarning
from mobandits.logs import Feedback
from mobandits.orders import Weighted
from mobandits.policies import MolEpsGreedy, MolUcb, Paced, PrimalDual, Rollout, Within
from mobandits.statistics.quantiles import student_quantile

LOGS = 20
BUDGETS = 4  # geometric, between the mean costs of the cheapest and the dearest arm
FOLDS = 5
HALVINGS = 40
LARGE = 0.99  # the quantile of costs that is a large one

OBJECTIVES = [mob.Objective("quality", low=0.0, high=1.0), mob.Objective("cost", minimise=True)]
ON_QUALITY = Weighted([1.0, 0.0])
LINE = MolEpsGreedy(epsilon=0, penalty=10, intercept=30, order=ON_QUALITY)
OPTIMIST = MolUcb(order=ON_QUALITY)

KNOWN = "tune, horizon known"
OPEN = "tune, open-ended"
DEFAULTS = (KNOWN, OPEN)
OF_LOG = "mixture of the log"
IN_HINDSIGHT = "mixture in hindsight"
BY_HAND = {  # models of so many rounds
    "ridge, one price": lambda _: linear_model.Ridge(alpha=10.0),
    "30 nearest, one price": lambda rounds: neighbors.KNeighborsRegressor(min(30, rounds)),
}
MIXTURES = (OF_LOG, IN_HINDSIGHT)
QUESTIONS = {  # what is asked, the least and the most that is allowed
    "gain_high": ("gain at equal spending, upper end of its interval", 0.0, np.inf),
    "above_high": ("quality over the log's mixture, upper end of its interval", 0.0, np.inf),
    "spent": ("share of a budget spent, mean", 0.0, 1.02),
    "most": ("share of a budget spent, worst log", 0.0, 1.02),
}


class Rounds(NamedTuple):
    """Rounds whose outcomes, quality and cost, are all known."""

    contexts: np.ndarray  # (rounds, features)
    outcomes: np.ndarray  # (rounds, arms, 2)


class Log(NamedTuple):
    """A log of a uniform policy, which saw the outcomes of one arm per round."""

    contexts: np.ndarray  # (rounds, features)
    arms: np.ndarray  # (rounds,) that were played
    seen: np.ndarray  # (rounds, 2)
    count: int  # of arms

    @property
    def means(self):
        """(arms, 2) the mean outcomes of every arm, where it was played."""
        return np.array([self.seen[self.arms == arm].mean(axis=0) for arm in range(self.count)])


def problem(features, quality, costs):
    """Rounds with standardised features behind a constant 1."""
    contexts = StandardScaler().fit_transform(features)
    contexts = np.column_stack([np.ones(len(contexts)), contexts])
    outcomes = np.stack([quality, np.broadcast_to(costs, quality.shape)], axis=-1)
    return Rounds(contexts, outcomes)


def digits():
    """Four classifiers that were trained on 297 digits, at a price each: is the answer right?"""
    pixels, labels = datasets.load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(labels))
    trained, others = order[:297], order[297:]
    small = tree.DecisionTreeClassifier(max_depth=4, random_state=0)
    logistic = linear_model.LogisticRegression(max_iter=5000)
    models = [small, naive_bayes.GaussianNB(var_smoothing=1e-2), logistic, svm.SVC()]
    answers = [model.fit(pixels[trained], labels[trained]).predict(pixels) for model in models]
    is_right = np.column_stack(answers)[others] == labels[others, None]
    components = PCA(12, random_state=0).fit(pixels[trained]).transform(pixels[others])
    return problem(components, is_right.astype(float), [1.0, 4.0, 15.0, 60.0])


def prompts():
    """Three language models, paid by the token; the published first file comes first."""
    found = mob.environments.LlmRouting().problem(3609, np.random.default_rng(0))
    outcomes = np.stack([found.rewards[:, :, 0], found.dollars], axis=-1)
    return Rounds(found.contexts[:, 0], outcomes)


def biopsies():
    """A diagnosis by 2, 10 or 30 measurements, at a price each; two measurements are there before."""
    measured, labels = datasets.load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), linear_model.LogisticRegression())
    found = [
        cross_val_predict(model, measured[:, :count], labels, method="predict_proba")[:, 1]
        for count in (2, 10, 30)
    ]
    is_right = (np.column_stack(found) > 0.5) == labels[:, None]
    certainty = np.abs(found[0] - 0.5)
    known = np.column_stack([measured[:, :2], certainty])
    return problem(known, is_right.astype(float), [2.0, 10.0, 30.0])


def doses():
    """Five doses of a drug, paid by the body mass: how near is one to what a patient needs?"""
    data = datasets.load_diabetes(scaled=False)
    need = (data.target - data.target.min()) / np.ptp(data.target)
    dose = np.linspace(0.1, 1.0, 5)
    body_mass = data.data[:, 2:3]
    return problem(data.data, 1.0 - np.abs(need[:, None] - dose), dose * body_mass)


def photographs():
    """Blocks of two photographs in four codes: how exact are they, and how many numbers do they keep?"""
    size = 16
    images = np.stack(datasets.load_sample_images().images).mean(axis=3)
    count, rows, columns = images.shape[0], images.shape[1] // size, images.shape[2] // size
    cut = images[:, : rows * size, : columns * size].reshape(count, rows, size, columns, size)
    pixels = cut.swapaxes(2, 3).reshape(-1, size, size)
    exact = dctn(pixels, axes=(1, 2), norm="ortho")
    steps = np.array([200.0, 80.0, 30.0, 10.0])[:, None, None, None]
    kept = np.round(exact / steps)
    error = idctn(kept * steps, axes=(2, 3), norm="ortho") - pixels
    deviation = np.sqrt((error**2).mean(axis=(2, 3))).T
    quality = np.clip(1.0 - deviation / 32.0, 0.0, 1.0)
    costs = 1.0 + (kept != 0.0).sum(axis=(2, 3)).T
    # A glance at every fourth pixel is known before.
    small = pixels[:, ::4, ::4]
    slopes = [np.abs(np.diff(small, axis=axis)).mean(axis=(1, 2)) for axis in (1, 2)]
    looks = [small.mean(axis=(1, 2)), small.std(axis=(1, 2)), *slopes]
    return problem(np.column_stack(looks), quality, costs)


def synthetic():
    """Jobs whose quality is linear, and whose bills grow with a feature and have a long tail."""
    rng = np.random.default_rng(0)
    features = rng.standard_normal((4000, 6))
    slopes = 0.1 * rng.standard_normal((6, 4))
    mean = np.array([0.35, 0.5, 0.6, 0.65]) + features @ slopes
    quality = np.clip(mean + 0.1 * rng.standard_normal(mean.shape), 0.0, 1.0)
    tail = 0.7 * features[:, :1] + 0.8 * rng.standard_normal(mean.shape)
    return problem(features, quality, np.array([0.1, 0.4, 1.6, 6.4]) * np.exp(tail))


PROBLEMS = {
    each.__name__: each for each in (digits, prompts, biopsies, doses, photographs, synthetic)
}


def budgets_of(rounds):
    """Costs per round, to three digits."""
    costs = rounds.outcomes.mean(axis=0)[:, 1]
    grid = np.geomspace(costs.min(), costs.max(), BUDGETS + 2)
    return [float(f"{budget:.3g}") for budget in grid[1:-1]]


def log_and_stream(name, rounds, seed):
    """A uniform log, and the rounds that come then: half of them each, drawn where no split is published."""
    rng = np.random.default_rng([seed, 1])
    total, count, _ = rounds.outcomes.shape
    logged = (total + 1) // 2
    order = rng.permutation(total)
    if name == "prompts":
        logged = 1785
        order = np.append(np.arange(logged), logged + rng.permutation(total - logged))

    first, others = order[:logged], order[logged:]
    arms = rng.integers(count, size=logged)
    log = Log(rounds.contexts[first], arms, rounds.outcomes[first, arms], count)
    return log, Rounds(rounds.contexts[others], rounds.outcomes[others])


def predicted(model, log, which, contexts):
    """(rounds, arms, 2) outcomes by a model per arm, which learns some rounds of a log."""
    parts = []
    for arm in range(log.count):
        is_its = which & (log.arms == arm)
        fitted = model(is_its.sum()).fit(log.contexts[is_its], log.seen[is_its])
        parts.append(fitted.predict(contexts))

    return np.stack(parts, axis=1)


def choices(means, price):
    """(rounds,) the arms with the largest quality less the price of their cost."""
    return np.argmax(means[:, :, 0] - price * np.maximum(means[:, :, 1], 0.0), axis=1)


def bisected_price(model, log, budget):
    """The least price at which the log's doubly robust spending is within the budget."""
    rows = np.arange(len(log.arms))
    means = np.empty((len(rows), log.count, 2))
    for fold in range(FOLDS):
        is_out = rows % FOLDS == fold
        means[is_out] = predicted(model, log, ~is_out, log.contexts[is_out])

    excess = log.count * (log.seen[:, 1] - means[rows, log.arms, 1])
    unit = np.quantile(log.seen[:, 1], LARGE)
    low, high = np.log([1e-6 / unit, 1e6 / unit])
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        chosen = choices(means, np.exp(middle))
        spent = means[rows, chosen, 1] + (chosen == log.arms) * excess
        if spent.mean() > budget:
            low = middle
        else:
            high = middle

    return np.exp(high)


def by_hand(model, log, stream, budget):
    """(rounds,) the arms at one price."""
    everything = np.ones(len(log.arms), bool)
    means = predicted(model, log, everything, stream.contexts)
    return choices(means, bisected_price(model, log, budget))


def agents(log, rounds, budget, seed):
    """Agents that have learned the log, by name."""
    # All rewards of a log are maximised: costs are negated.
    rewards = log.seen * [1.0, -1.0]
    shares = np.full(len(log.arms), 1.0 / log.count)
    names = list(range(log.count))
    told = Feedback(log.contexts, log.arms, rewards, shares, names, OBJECTIVES)
    allowed = {"cost": budget}
    large = {"cost": float(np.quantile(log.seen[:, 1], LARGE))}
    tuned = mob.tune(told, budget=allowed, horizon=rounds, fallback="mixture", progress=False)
    # Also where the mixture is played in its place.
    learned = tuned.recipe.recipe if isinstance(tuned.recipe, Rollout) else tuned.recipe
    recipes = {
        KNOWN: learned,
        OPEN: replace(learned, horizon=None),
        "Paced, on a line": Paced(LINE, allowed, horizon=rounds),
        "PrimalDual": PrimalDual(OPTIMIST, allowed, largest=large, horizon=rounds),
        # Its limit is on the mean of every arm it plays: it mixes no dear arm with cheap ones.
        "Within": Within(OPTIMIST, allowed),
    }
    features = log.contexts.shape[1]
    for name, recipe in recipes.items():
        agent = mob.Agent(recipe, arms=names, features=features, objectives=OBJECTIVES, seed=seed)
        agent.learn_log(told)
        yield name, agent

    yield "tune, fallback mixture", tuned.agent(seed=seed)


def played(agent, stream):
    """(rounds,) the arms that an agent plays, which goes on learning."""
    arms = np.empty(len(stream.contexts), np.int64)
    for t, context in enumerate(stream.contexts):
        decision = agent.decide(context)
        agent.learn(decision.id, stream.outcomes[t, decision.arm])
        arms[t] = decision.arm

    return arms


def best_path(means):
    """The arms of the best mixtures of two, cheapest first, by (arms, 2) quality and cost."""
    quality, cost = means.T
    path = [int(np.lexsort((-quality, cost))[0])]
    while True:
        gain = quality - quality[path[-1]]
        price = cost - cost[path[-1]]
        is_ahead = (gain > 0.0) & (price > 0.0)
        if not is_ahead.any():
            return path

        slopes = np.where(is_ahead, gain, -1.0) / np.where(is_ahead, price, 1.0)
        path.append(int(np.argmax(slopes)))


def mixed(by, means, budget):
    """(2,) outcomes by `means` of the mixture that is the best within the budget by others."""
    best = mob.metrics.best_within_budgets(by[:, 0], by[:, 1:], [budget])
    return best.weights @ means


def one_log(name, seed):
    """Rows of a table: every method under every budget, on one log."""
    warnings.simplefilter("ignore", InputWarning)
    whole = PROBLEMS[name]()
    log, stream = log_and_stream(name, whole, seed)
    rows = np.arange(len(stream.contexts))
    means = stream.outcomes.mean(axis=0)
    path = best_path(log.means)
    path_quality, path_costs = means[path].T
    # Where estimates of the log are wrong, a further mixture may spend less.
    path_costs = np.maximum.accumulate(path_costs)
    lines = []
    for budget in budgets_of(whole):
        playing = agents(log, len(rows), budget, seed)
        arms = {each: played(agent, stream) for each, agent in playing}
        arms |= {each: by_hand(model, log, stream, budget) for each, model in BY_HAND.items()}
        outcomes = {each: stream.outcomes[rows, those].mean(axis=0) for each, those in arms.items()}
        outcomes[OF_LOG] = mixed(log.means, means, budget)
        outcomes[IN_HINDSIGHT] = mixed(means, means, budget)
        for method, (quality, paid) in outcomes.items():
            beside = np.interp(paid, path_costs, path_quality)
            line = {"place": f"{name}, {budget:g}", "method": method, "quality": quality}
            line["spent"] = paid / budget
            line["gain"] = quality - beside
            line["above"] = quality - outcomes[OF_LOG][0]
            lines.append(line)

    return lines


def summary(lines, logs):
    """Means over logs, the largest share spent, and 95 % intervals of gains."""
    half = student_quantile(0.975, logs - 1) / np.sqrt(logs)
    gains = pl.col("gain", "above")
    return (
        pl.DataFrame(lines)
        .group_by("place", "method", maintain_order=True)
        .agg(
            pl.col("quality", "spent", "gain", "above").mean(),
            gains.std().mul(half).name.suffix("_half"),
            (gains.mean() + half * gains.std()).name.suffix("_high"),
            pl.col("spent").max().alias("most"),
        )
    )


def table(found, title, form):
    """A row per problem and budget, a column per method."""
    rows = {}
    for row in found.to_dicts():
        rows.setdefault(row["place"], {})[row["method"]] = form.format(**row)

    methods = found["method"].unique(maintain_order=True).to_list()
    body = [[place, *(cells[method] for method in methods)] for place, cells in rows.items()]
    return {"header": [title, *methods], "rows": body}


def goals(found):
    """What is asked of the defaults, and the worst that was found over problems and budgets."""
    asked = []
    for method in DEFAULTS:
        mine = found.filter(pl.col("method") == method)
        for key, (what, least, most) in QUESTIONS.items():
            has_most = most < np.inf
            row = mine.sort(key, descending=has_most).row(0, named=True)
            goal = {"id": f"B{len(asked) + 1}", "what": f"{method}: {what}"}
            goal["goal"] = f"at most {most}" if has_most else f"at least {least:g}"
            goal["found"] = f"{row[key]:.4f} ({row['place']})"
            goal["met"] = least <= row[key] <= most
            asked.append(goal)

    return asked


def main():
    """Play all logs on two processes, and keep the numbers."""
    is_quick = "--quick" in sys.argv
    logs = 2 if is_quick else LOGS
    start = time.perf_counter()
    names = np.repeat(list(PROBLEMS), logs).tolist()
    seeds = [*range(logs)] * len(PROBLEMS)
    with ProcessPoolExecutor(2) as pool:
        lines = [line for log in pool.map(one_log, names, seeds) for line in log]

    found = summary(lines, logs)
    played_ones = found.filter(~pl.col("method").is_in(MIXTURES))
    shown = [
        table(found, "quality", "{quality:.4f}"),
        table(played_ones, "gain at equal spending", "{gain:+.4f} ± {gain_half:.4f}"),
        table(played_ones, "share spent, mean (worst log)", "{spent:.3f} ({most:.3f})"),
    ]
    asked = goals(found)
    for each in shown:
        print(*("\t".join(row) for row in (each["header"], *each["rows"])), "", sep="\n")
    print(*asked, f"{time.perf_counter() - start:.0f} s", sep="\n")
    if not is_quick:
        more = {"goals": asked, "tables": shown, "values": found.to_dicts()}
        note = f"Means over {logs} logs, with 95 % intervals over logs, which share rows; seeded."
        harness.write("budgets", "Budgets on six problems", [], [note], **more)


if __name__ == "__main__":
    harness.one_thread()
    main()
