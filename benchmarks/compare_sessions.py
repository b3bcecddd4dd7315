"""Bills of routers in sessions whose prompts are cached: with a column of sessions, and without.

`python benchmarks/compare_sessions.py` plays for about ten minutes and writes a table into
docs/measurements.md. In a session an agent calls a model 100 times. Its context begins with 8,000
tokens and grows at every turn. A model reads what it has read in this session less than five
minutes ago at a tenth of the price. Routers see how long the context is and whether a turn is hard.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mobandits as mob
from mobandits.encoding import Category, Encoder, Number
from mobandits.features import Crosses
from mobandits.orders import Weighted
from mobandits.policies import Features, MolUcb

SEEDS = 20
SESSIONS = 100
WINDOW = 20  # sessions whose bill is shown: the first ones, and the last ones
TURNS = 100
FIRST_TOKENS = 8_000
GROWTH = (400, 1_200)  # tokens that a turn adds, uniform
OUTPUT = (100, 500)  # tokens that a model writes, uniform
OUTPUT_PRICE = 5.0  # of an output token, as a multiple of an input token's
TTL = 300.0  # seconds
TURN_SECONDS = 15.0
PAUSE_SECONDS = 900.0
PAUSES = 0.02  # share of turns before which the user is away, so that all caches are cold
HARD = 0.3  # share of turns that are hard
NOISE = 0.05  # standard deviation of the quality of one turn
UNIT = 50_000  # tokens
OBJECTIVES = ("quality", mob.Objective("cost", minimise=True, unit="USD"))
START = "<!-- sessions: benchmarks/compare_sessions.py writes this table -->"
END = "<!-- end -->"
PAGE = Path(__file__).parent.parent / "docs" / "measurements.md"


class Model(NamedTuple):
    """A model.

    Attributes:
        price: dollars for a million input tokens.
        cached: share of the price that cached tokens cost.
        easy: mean quality of easy turns.
        hard: likewise, of hard ones.
    """

    price: float
    cached: float
    easy: float
    hard: float


# Models of nearly one price, each better at something, a little or much; and a dearer one, which
# alone has a cache.
SIMILAR = {
    "small": Model(1.0, 0.1, 0.80, 0.65),
    "medium": Model(1.05, 0.1, 0.76, 0.72),
    "large": Model(1.1, 0.1, 0.74, 0.80),
}
SPECIALISTS = {
    "easy": Model(1.0, 0.1, 0.80, 0.30),
    "hard": Model(1.1, 0.1, 0.50, 0.80),
}
ONE_CACHES = {
    "small": Model(1.0, 1.0, 0.80, 0.65),
    "large": Model(1.5, 0.1, 0.80, 0.65),
}


class Problem(NamedTuple):
    """A problem of the table.

    Attributes:
        title: in the table.
        models: {name: model}.
        single: whether a switch loses the cache of the model before.
        dollar: quality that a dollar is worth.
    """

    title: str
    models: dict
    single: bool
    dollar: float

    @property
    def order(self):
        return Weighted({"quality": 1.0, "cost": self.dollar})


PROBLEMS = (
    Problem("similar models, a switch loses the cache", SIMILAR, single=True, dollar=25.0),
    Problem("similar models, each keeps its cache", SIMILAR, single=False, dollar=25.0),
    Problem("specialists, a switch loses the cache", SPECIALISTS, single=True, dollar=12.0),
    Problem("only the dearer model has a cache", ONE_CACHES, single=True, dollar=25.0),
)


class Turn(NamedTuple):
    """A turn of a session; all routers see the same ones.

    Attributes:
        session: its name.
        time: seconds.
        tokens: that the model reads.
        output: that it writes.
        hard: whether it is hard.
        noise: of the quality.
    """

    session: str
    time: float
    tokens: int
    output: int
    hard: bool
    noise: float


class Caches:
    """What models have read of each session; a switch leaves the caches of other models warm.

    Args:
        models: {name: model}.
        single: whether only the model that answered last has its cache: a switch loses it.
    """

    def __init__(self, models, *, single):
        self._models = models
        self._single = single
        self._read = {}

    def bill(self, turn, arm):
        """Dollars of a turn."""
        model = self._models[arm]
        read = self._read.setdefault(turn.session, {})
        cached = 0
        if arm in read:
            tokens, time = read[arm]
            if turn.time - time < TTL:
                cached = tokens
        if self._single:
            read.clear()

        read[arm] = (turn.tokens, turn.time)
        fresh = turn.tokens - cached
        in_tokens = fresh + model.cached * cached + OUTPUT_PRICE * turn.output

        return model.price * in_tokens / 1e6


def trace(seed, sessions):
    """The turns of sessions, one session after the other."""
    rng = np.random.default_rng(seed)
    turns = []
    now = 0.0
    for number in range(sessions):
        tokens = FIRST_TOKENS
        for _ in range(TURNS):
            now += PAUSE_SECONDS if rng.random() < PAUSES else TURN_SECONDS
            tokens += int(rng.integers(*GROWTH))
            output = int(rng.integers(*OUTPUT))
            hard = bool(rng.random() < HARD)
            noise = float(rng.normal(0.0, NOISE))
            turns.append(Turn(f"session {number}", now, tokens, output, hard, noise))

    return turns


def mean_quality(model, turn):
    return model.hard if turn.hard else model.easy


class Fixed:
    """Always one model.

    Args:
        arm: the model.
    """

    def __init__(self, arm):
        self._arm = arm

    def choose(self, _turn):
        return self._arm

    def learn(self, _turn, quality, dollars):
        pass


class Rule:
    """The best model for each turn, of known quality and list price: nothing of caches.

    Args:
        problem: of the table.
    """

    def __init__(self, problem):
        self._models = problem.models
        self._dollar = problem.dollar

    def choose(self, turn):
        def worth(arm):
            model = self._models[arm]
            list_price = model.price * (turn.tokens + OUTPUT_PRICE * turn.output) / 1e6
            return mean_quality(model, turn) - self._dollar * list_price

        return max(self._models, key=worth)

    def learn(self, _turn, quality, dollars):
        pass


class PerTurn:
    """An agent that decides at every turn.

    Args:
        problem: of the table.
        seed: of the agent.
        column: whether a column of its contexts is the model that answered the session last, where
            that was less than five minutes ago, else "none".
    """

    def __init__(self, problem, seed, *, column):
        arms = list(problem.models)
        raw = Number(standardise=False, mean=0.0, indicator=False)
        columns = {"tokens": raw, "hard": raw}
        if column:
            columns["last"] = Category(arms)

        self._column = column
        self._answered = {}
        # Costs are products: cached tokens are those of the context, if the model has read them.
        recipe = Features(Crosses(2, constant=True), MolUcb(order=problem.order))
        self._agent = mob.Agent(
            recipe,
            arms=arms,
            features=Encoder(columns, intercept=False),
            objectives=OBJECTIVES,
            propensity="none",
            seed=seed,
        )
        self._decision = None

    def choose(self, turn):
        context = {"tokens": turn.tokens / UNIT, "hard": float(turn.hard)}
        if self._column:
            arm, time = self._answered.get(turn.session, ("none", 0.0))
            is_warm = turn.time - time < TTL
            context["last"] = arm if is_warm else "none"

        self._decision = self._agent.decide(context)
        arm = self._decision.arm
        self._answered[turn.session] = (arm, turn.time)

        return arm

    def learn(self, _turn, quality, dollars):
        self._agent.learn(self._decision.id, {"quality": quality, "cost": dollars})


class PerSession:
    """An agent that decides once for a session, and learns the means over its turns.

    Args:
        problem: of the table.
        seed: of the agent.
    """

    def __init__(self, problem, seed):
        self._agent = mob.Agent(
            MolUcb(order=problem.order),
            arms=list(problem.models),
            features=1,
            objectives=OBJECTIVES,
            propensity="none",
            seed=seed,
        )
        self._session = None
        self._decision = None
        self._rewards = []

    def choose(self, turn):
        if turn.session != self._session:
            if self._rewards:
                quality, cost = np.mean(self._rewards, axis=0)
                self._agent.learn(self._decision.id, {"quality": quality, "cost": cost})

            self._session = turn.session
            self._rewards = []
            self._decision = self._agent.decide([1.0])

        return self._decision.arm

    def learn(self, _turn, quality, dollars):
        self._rewards.append((quality, dollars))


class Sticky:
    """An agent whose sessions keep their model while its cache is warm; it learns from every turn.

    It sees how long the context is, since costs follow from that, and not whether a turn is hard: a
    session keeps the model of its first turn.

    Args:
        problem: of the table.
        seed: of the agent.
    """

    def __init__(self, problem, seed):
        self._now = 0.0
        self._agent = mob.Agent(
            MolUcb(order=problem.order),
            arms=list(problem.models),
            features=2,
            objectives=OBJECTIVES,
            propensity="none",
            seed=seed,
            sticky=TTL,
            clock=lambda: self._now,
        )
        self._decision = None

    def choose(self, turn):
        self._now = turn.time
        context = [1.0, turn.tokens / UNIT]
        self._decision = self._agent.decide(context, session=turn.session)
        return self._decision.arm

    def learn(self, _turn, quality, dollars):
        self._agent.learn(self._decision.id, {"quality": quality, "cost": dollars})


class Played(NamedTuple):
    """What a router did, session by session.

    Attributes:
        dollars: (sessions,) the bills.
        quality: (sessions,) the means over turns.
        switches: (sessions,) how often another model answered than the turn before.
    """

    dollars: np.ndarray
    quality: np.ndarray
    switches: np.ndarray

    def worth(self, dollar):
        """(sessions,) per turn: quality, less what the dollars are worth."""
        return self.quality - dollar * self.dollars / TURNS


def played(problem, turns, router):
    """What a router does with all turns."""
    caches = Caches(problem.models, single=problem.single)
    last = {}
    rows = []
    for turn in turns:
        arm = router.choose(turn)
        dollars = caches.bill(turn, arm)
        quality = mean_quality(problem.models[arm], turn) + turn.noise
        router.learn(turn, quality, dollars)
        is_switch = last.get(turn.session, arm) != arm
        last[turn.session] = arm
        rows.append((dollars, quality, is_switch))

    by_session = np.array(rows, float).reshape(-1, TURNS, 3)

    return Played(
        by_session[..., 0].sum(axis=1),
        by_session[..., 1].mean(axis=1),
        by_session[..., 2].sum(axis=1),
    )


def routers_of(problem, seed):
    """The routers that are compared with the best fixed model."""
    return {
        "per turn by list price": Rule(problem),
        "agent, per turn": PerTurn(problem, seed, column=False),
        "agent, last model as a column": PerTurn(problem, seed, column=True),
        "agent, once a session": PerSession(problem, seed),
        "agent, sticky": Sticky(problem, seed),
    }


def compared(problem, seeds):
    """{router: (seeds, 5) excess of the bill first and last, quality, switches, worth}."""
    rows = {}
    for seed in range(seeds):
        turns = trace(seed, SESSIONS)
        fixed = {}
        for arm in problem.models:
            fixed[arm] = played(problem, turns, Fixed(arm))

        best = max(fixed, key=lambda arm: fixed[arm].worth(problem.dollar).mean())
        results = {f"best fixed: {best}": fixed[best]}
        for name, router in routers_of(problem, seed).items():
            results[name] = played(problem, turns, router)
        for name, result in results.items():
            rows.setdefault(name, []).append(row_of(problem, result, fixed[best]))

    return {name: np.array(each) for name, each in rows.items()}


def row_of(problem, result, best):
    """Excess of the bill in the first sessions and the last ones, and means over the last ones."""
    early = slice(None, WINDOW)
    late = slice(-WINDOW, None)
    return (
        result.dollars[early].sum() / best.dollars[early].sum() - 1.0,
        result.dollars[late].sum() / best.dollars[late].sum() - 1.0,
        result.quality[late].mean(),
        result.switches[late].mean(),
        result.worth(problem.dollar)[late].mean(),
    )


def lines_of(seeds):
    """The table."""
    header = "| problem | router | bill, first 20 sessions | last 20 | worst seed | quality "
    header += "| switches | worth of a turn |"
    lines = [header, "|---|---|---:|---:|---:|---:|---:|---:|"]
    for problem in PROBLEMS:
        for name, rows in compared(problem, seeds).items():
            early, late, quality, switches, worth = rows.mean(axis=0)
            error = rows[:, 1].std(ddof=1) / len(rows) ** 0.5
            worst = rows[:, 1].max()
            bills = f"{early:+.1%} | {late:+.1%} ± {1.96 * error:.1%} | {worst:+.1%}"
            lines.append(
                f"| {problem.title} | {name} | {bills} | {quality:.3f} | {switches:.1f} "
                f"| {worth:.3f} |"
            )

    return lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=SEEDS)
    seeds = parser.parse_args().seeds
    lines = lines_of(seeds)
    print("\n".join(lines))
    page = PAGE.read_text()
    start = page.index(START) + len(START)
    end = page.index(END, start)
    PAGE.write_text(page[:start] + "\n" + "\n".join(lines) + "\n" + page[end:])


if __name__ == "__main__":
    main()
