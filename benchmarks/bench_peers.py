"""A decision and a lesson of every library that README.md compares with, side by side: 50 arms, 20 features.

A round is what an application does: a context arrives, an arm is chosen, its rewards are learned. All arms share the
context, as formats of all peers can say. Libraries that are not installed are skipped with a note.
"""

import harness

if __name__ == "__main__":
    harness.in_environment("peers", "vowpalwabbit==9.11.9", "mabwiser==2.7.4", "pybandits==8.4.1")

import datetime as dt
import importlib.metadata
import importlib.util
import itertools
import os
import random
from collections.abc import Callable
from typing import NamedTuple

import linucb
import numpy as np

import mobandits as mob

ARMS, FEATURES, OBJECTIVES = 50, 20, 3
ROUNDS = 1000
# A round of pybandits takes long: so many are timed, and as many are played before.
SLOW_ROUNDS = 3
Round = Callable[[], None]


class Peer(NamedTuple):
    """A library, as rows and notes name it."""

    package: str
    title: str
    rewards: str  # how many rewards of a decision it learns from
    make: Callable[[np.ndarray, np.ndarray], tuple[Round, str]]
    slow: bool = False


def data() -> tuple[np.ndarray, np.ndarray]:
    """Contexts (rounds, features) and yes-or-no rewards (rounds, arms, objectives), which all peers can learn."""
    rng = np.random.default_rng(0)
    contexts = rng.normal(size=(ROUNDS, FEATURES)) / np.sqrt(FEATURES)
    theta = rng.normal(size=(ARMS, OBJECTIVES, FEATURES))
    means = 1.0 / (1.0 + np.exp(-3.0 * np.einsum("tf,alf->tal", contexts, theta)))
    return contexts, (rng.random(means.shape) < means).astype(float)


def our_round(contexts: np.ndarray, clicks: np.ndarray, objectives: int) -> Round:
    recipe = mob.policies.MolUcb(scale=1.0)
    agent = mob.Agent(recipe, arms=ARMS, features=FEATURES, objectives=objectives, seed=0)
    learned = np.ascontiguousarray(clicks[:, :, :objectives])
    rows = itertools.cycle(list(zip(contexts, learned, strict=True)))

    def once() -> None:
        x, rewards = next(rows)
        number, arm, *_ = agent.decide(x)
        agent.learn(number, rewards[arm])

    return once


def vowpal_wabbit(contexts: np.ndarray, clicks: np.ndarray) -> tuple[Round, str]:
    """With a fixed number of arms that share the context: its fastest format for this problem."""
    from vowpalwabbit import Workspace  # noqa: PLC0415

    options = f"--cb_explore {ARMS} --epsilon 0.05 --quiet"
    learner = Workspace(options)
    # Names that are numbers would be taken as positions, where the weights of several arms meet.
    pattern = "| " + " ".join(f"x{feature}:%.6g" for feature in range(FEATURES))
    arms = range(ARMS)

    def play(x: np.ndarray, rewards: np.ndarray) -> float:
        text = pattern % tuple(x.tolist())
        probabilities = learner.predict(text)
        arm = random.choices(arms, probabilities)[0]
        cost = -rewards[arm]
        # Its arms count from 1.
        label = f"{arm + 1}:{cost}:{probabilities[arm]}"
        learner.learn(f"{label} {text}")
        return float(rewards[arm])

    return its_round(play, contexts, clicks, options)


def vowpal_wabbit_adf(contexts: np.ndarray, clicks: np.ndarray) -> tuple[Round, str]:
    """With a line per arm, so that arms may come and go."""
    from bench_vowpalwabbit import OPTIONS, Wabbit  # noqa: PLC0415

    rival = Wabbit(ARMS, FEATURES, own=False)

    def play(x: np.ndarray, rewards: np.ndarray) -> float:
        text = rival.text(x)
        arm, probability = rival.decide(text)
        rival.learn(text, arm, probability, rewards[arm])
        return float(rewards[arm])

    return its_round(play, contexts, clicks, f"{OPTIONS} -q UA")


def its_round(
    play: Callable[[np.ndarray, np.ndarray], float],
    contexts: np.ndarray,
    clicks: np.ndarray,
    options: str,
) -> tuple[Round, str]:
    """A round of Vowpal Wabbit, after it was seen to learn."""
    random.seed(0)
    rows = itertools.cycle(list(zip(contexts, clicks[:, :, 0], strict=True)))
    received = [play(*next(rows)) for _ in range(ROUNDS)]
    late = slice(ROUNDS // 2, ROUNDS)
    mean = np.mean(received[late])
    uniform = clicks[late, :, 0].mean()
    assert mean > uniform + 0.05

    def once() -> None:
        play(*next(rows))

    note = (
        f"its options are `{options}`, and texts are formatted inside the clock. Checked first: in the second "
        f"half of {ROUNDS} rounds its mean reward is {mean:.2f}, that of uniform play {uniform:.2f}"
    )
    return once, note


def mabwiser(contexts: np.ndarray, clicks: np.ndarray) -> tuple[Round, str]:
    from bench_mabwiser import MabWiser  # noqa: PLC0415

    stream = linucb.Stream(contexts, clicks[:, :, 0])
    ours = linucb.agent(ARMS, FEATURES)
    clear = linucb.check(MabWiser(ARMS, FEATURES), ours, stream, linucb.TIE)
    once = linucb.their_round(MabWiser(ARMS, FEATURES), stream)
    for _ in range(ROUNDS):
        once()
    note = (
        f"its LinUCB. Checked first, for {ROUNDS} rounds in which both learn from our arms: ours has its largest "
        f"bound, and is its own choice in the {clear} rounds without a tie"
    )
    return once, note


def open_bandit_pipeline(contexts: np.ndarray, clicks: np.ndarray) -> tuple[Round, str]:
    from obp.policy import LinUCB  # noqa: PLC0415

    rival = LinUCB(dim=FEATURES, n_actions=ARMS, epsilon=1.0, random_state=0)
    rows = itertools.cycle(list(zip(contexts, clicks[:, :, 0], strict=True)))

    def once() -> None:
        x, rewards = next(rows)
        (arm,) = rival.select_action(x[None])
        rival.update_params(action=arm, reward=rewards[arm], context=x[None])

    for _ in range(ROUNDS):
        once()
    return once, "its LinUCB, which is beside the point: it is made to evaluate logs"


def pybandits(contexts: np.ndarray, clicks: np.ndarray) -> tuple[Round, str]:
    # Otherwise every lesson draws bars of progress, which take time.
    os.environ["TQDM_DISABLE"] = "1"
    from pybandits.cmab import CmabBernoulliMO  # noqa: PLC0415

    names = {str(arm) for arm in range(ARMS)}
    rival = CmabBernoulliMO.cold_start(
        action_ids=names, n_objectives=OBJECTIVES, n_features=FEATURES, random_seed=0
    )
    rows = itertools.cycle(list(zip(contexts, clicks.astype(int), strict=True)))

    def once() -> None:
        x, rewards = next(rows)
        actions, *_ = rival.predict(context=x[None])
        arm = int(actions[0])
        assert 0 <= arm < ARMS
        rival.update(context=x[None], actions=actions, rewards=[rewards[arm].tolist()])

    for _ in range(SLOW_ROUNDS):
        once()
    decision = min(harness.batch(lambda: rival.predict(context=contexts[:1]), 1) for _ in range(7))
    note = (
        "its CmabBernoulliMO with default parameters, a Bayesian logistic regression per arm and objective with "
        "Thompson sampling, updated by variational inference in every lesson; it is made for lessons of many decisions "
        f"at once. A decision alone takes {harness.duration(decision)}. Checked first: it chooses among all arms and "
        "learns all objectives"
    )
    return once, note


PEERS = [
    Peer("vowpalwabbit", "Vowpal Wabbit", "1 cost", vowpal_wabbit),
    Peer("vowpalwabbit", "Vowpal Wabbit (a line per arm)", "1 cost", vowpal_wabbit_adf),
    Peer("mabwiser", "MABWiser", "1", mabwiser),
    Peer("obp", "Open Bandit Pipeline", "1", open_bandit_pipeline),
    Peer("pybandits", "pybandits", "several, in [0, 1]", pybandits, slow=True),
]


def measured(peer: Peer) -> tuple[list[dict], str]:
    """The rows of a peer against mobandits with as many rewards, in turn, and what there is to say."""
    contexts, clicks = data()
    objectives = OBJECTIVES if peer.slow else 1
    theirs, note = peer.make(contexts, clicks)
    version = importlib.metadata.version(peer.package)
    case = f"{peer.title} {version}, rewards: {peer.rewards}"
    rows = []
    for count in sorted({objectives, OBJECTIVES}):
        ours = our_round(contexts, clicks, count)
        for _ in range(ROUNDS):
            ours()
        if peer.slow:
            turns = slow_turns(theirs, ours)
        else:
            turns = harness.in_turn({"theirs": theirs, "ours": ours})
        row = harness.row(
            f"{case}; ours: {count}", "peer", turns["theirs"], "mob.Agent, MolUcb", turns["ours"]
        )
        rows.append(row)
    return rows, f"{peer.title} {version}: {note}."


def slow_turns(theirs: Round, ours: Round) -> dict[str, list[float]]:
    """Turns of one round of theirs: harness.in_turn would play more to find out how long one takes."""
    sides = {
        "theirs": lambda: harness.batch(theirs, 1),
        "ours": lambda: harness.batch(ours, ROUNDS),
    }
    return harness.readings(sides, repeats=SLOW_ROUNDS)


def main() -> None:
    rows, notes = [], []
    today = dt.datetime.now(tz=dt.UTC).date()
    for peer in PEERS:
        if importlib.util.find_spec(peer.package) is None:
            notes.append(f"{peer.title} ({peer.package}) is not installed here, and was left out.")
            print(notes[-1])
            continue
        found, note = measured(peer)
        rows += found
        notes.append(note)
    title = f"A decision and a lesson, {ARMS} arms that share {FEATURES} features: other libraries"
    notes.insert(0, f"Run on {today}. A lesson has as many rewards as each side is said to take.")
    harness.write("peers", title, rows, notes)


if __name__ == "__main__":
    main()
