"""Decisions over HTTP follow the propensities that are answered and logged with them."""

import asyncio
from collections import Counter

import pytest
from scipy.stats import chi2
from services import ROUTER, client_of, served, specification

from mobandits.logs import Store

AGENT = "/v1/agents/router"
ARMS = ["a", "b", "c", "d", "e"]
# Three contexts and sets of arms; each is a law of its own, since nothing is learned meanwhile.
ASKED = [
    {"context": [1.0, 0.2, 0.7], "eligible": None},
    {"context": [0.1, 0.9, -0.4], "eligible": ["a", "c", "e"]},
    {"context": [-0.5, 0.3, 0.8], "eligible": ["b", "d"]},
]
BATCH = 500
LEAST = 1e-4  # of the p-values; the seed is fixed, so that it is met always or never


def statistic(counts, probabilities, total):
    """The p-value of Pearson's statistic of counts against probabilities."""
    expected = {arm: total * p for arm, p in probabilities.items() if p > 0.0}
    assert set(counts) <= set(expected)
    pearson = sum((counts[arm] - mean) ** 2 / mean for arm, mean in expected.items())
    return chi2.sf(pearson, len(expected) - 1) if len(expected) > 1 else 1.0


def check_law(path, total):
    """Decide often in one state; compare frequencies with propensities, per set of arms."""
    spec = specification(router={**ROUTER, "arms": ARMS})
    counts = [Counter() for _ in ASKED]
    probabilities = [{} for _ in ASKED]

    async def talk(running):
        async with client_of(running) as client:
            await learn(client)
            for turn in range(total // BATCH):
                place = turn % len(ASKED)
                asked = ASKED[place]
                body = {"contexts": [asked["context"]] * (BATCH - 1)}
                body["eligible"] = asked["eligible"]
                made = (await client.post(f"{AGENT}/decide_batch", json=body)).json()["decisions"]
                # One call alone, too: both draw from the same stream.
                made.append((await client.post(f"{AGENT}/decide", json=asked)).json())
                for each in made:
                    counts[place][each["arm"]] += 1
                    known = probabilities[place].setdefault(each["arm"], each["propensity"])
                    assert each["propensity"] == known
                    assert each["error"] == 0.0

    with served(path, spec) as running:
        asyncio.run(talk(running))

    for place, asked in enumerate(ASKED):
        count = counts[place].total()
        found = probabilities[place]
        # With a floor all arms that may be played are played.
        assert set(found) == set(asked["eligible"] or ARMS)
        assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
        assert statistic(counts[place], found, count) > LEAST

    return counts, probabilities


async def learn(client):
    """A state in which arms differ."""
    for number in range(60):
        context = [1.0, number / 60, 0.5 - number / 60]
        answer = (await client.post(f"{AGENT}/decide", json={"context": context})).json()
        quality = ARMS.index(answer["arm"]) / 5
        rewards = {"quality": quality, "cost": quality * context[1]}
        await client.post(f"{AGENT}/decisions/{answer['decision']}/rewards", json=rewards)


@pytest.mark.long
def test_frequencies_are_the_propensities(tmp_path):
    counts, probabilities = check_law(tmp_path / "log", 21_000)
    assert sum(each.total() for each in counts) >= 20_000
    # The log has the same ones.
    logged = [Counter() for _ in ASKED]
    with Store(tmp_path / "log", agent="router") as store:
        names = store.arm_names
        for event in store.events():
            if event.kind == "decide" and event.id >= 60:
                place = [each["context"] for each in ASKED].index(event.context[0].tolist())
                arm = names[event.arm]
                logged[place][arm] += 1
                assert event.propensity == probabilities[place][arm]
    assert logged == counts


def test_a_wrong_law_would_be_noticed():
    counts = Counter(a=1050, b=950)
    assert statistic(counts, {"a": 0.5, "b": 0.5}, 2000) > LEAST
    assert statistic(counts, {"a": 0.6, "b": 0.4}, 2000) < LEAST
