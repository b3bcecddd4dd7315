"""The numbers of a window in plain Python, from the events of a store."""

import math

import msgspec
import numpy as np
from scipy import stats

from mobandits.logs import Store


def decisions_of(path):
    """Decisions in order, each with its rewards, their times, and what happened to it."""
    with Store(path) as store:
        events = list(store.events())
        arms = len(store.description["arms"])
    decisions = {}
    for event in events:
        kind = event.kind
        arms += (kind == "add") - (kind == "remove")
        if kind == "decide":
            own = {"rewards": {}, "times": {}, "present": arms, "activated": None}
            fields = msgspec.structs.asdict(event)
            known = {name: value for name, value in fields.items() if value is not None}
            decisions[event.id] = {"propensity": None, "abandoned": None} | known | own
        elif kind == "learn":
            own = decisions[event.id]
            own["rewards"] |= event.rewards
            own["times"] |= dict.fromkeys(event.rewards, event.time)
        elif kind == "abandon":
            decisions[event.id]["abandoned"] = event.time
        elif kind == "activate":
            decisions[event.id]["activated"] = event.time
    now = max((event.time for event in events if event.time is not None), default=-math.inf)
    return list(decisions.values()), now


def settled(decision, objectives, now, max_age=math.inf):
    """Rewards and defaults by objective, those that count in means, and which are defaults."""
    since = decision.get("time", math.nan)
    if decision.get("active") is False:
        moments = [*decision["times"].values(), decision["activated"]]
        since = min((at for at in moments if at is not None), default=math.inf)
    known, counted, by_default = {}, {}, set()
    for name, (default, after) in objectives.items():
        if name in decision["rewards"]:
            known[name] = decision["rewards"][name]
        elif default is not None:
            due = since + after
            ends = [now, decision.get("time", math.nan) + max_age]
            if decision["abandoned"] is not None:
                ends.append(decision["abandoned"])
            if all(due <= end for end in ends):
                known[name] = default
                by_default.add(name)
        young = default is not None and since + after > now
        if name in known and not young:
            counted[name] = known[name]
    return known, counted, by_default, since


def status(decision, known, objectives, since, now, max_age):
    if len(known) == len(objectives):
        return "complete"
    if decision["abandoned"] is not None:
        return "abandoned"
    if decision.get("time", math.nan) + max_age < now:
        return "dropped"
    return "inactive" if since == math.inf else "waiting"


def mean_with_interval(values):
    if not values:
        return None, None, None
    mean = sum(values) / len(values)
    if len(values) == 1:
        return mean, None, None
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    if spread == 0.0:
        return mean, mean, mean
    low, high = stats.t.interval(0.95, len(values) - 1, mean, spread / math.sqrt(len(values)))
    return mean, low, high


def window_twin(decisions, arms, objectives, now, max_age=math.inf):
    """As a `WindowSummary` without its place and its calibration."""
    rows = [settled(decision, objectives, now, max_age) for decision in decisions]
    found = {
        "decisions": len(decisions),
        "observed": sum(decision.get("made_by") == "observed" for decision in decisions),
        "plays": [sum(decision["arm"] == a for decision in decisions) for a in range(arms)],
    }
    found["rewards"] = []
    for name in objectives:
        values = [counted[name] for _, counted, _, _ in rows if name in counted]
        mean, low, high = mean_with_interval(values)
        count = sum(name in by_default for _, _, by_default, _ in rows)
        found["rewards"].append(
            {"count": len(values), "by_default": count, "mean": mean, "low": low, "high": high}
        )
    known = [each["propensity"] for each in decisions if each["propensity"] is not None]
    several = [
        each["propensity"]
        for each in decisions
        if each["propensity"] is not None
        and len(each.get("eligible") or range(each["present"])) > 1
    ]
    found["propensities"] = {
        "known": len(known),
        "smallest": min(known, default=None),
        "entropy": -sum(math.log2(p) for p in known) / len(known) if known else None,
        "choices": len(several),
        "certain": sum(p == 1.0 for p in several),
    }
    found["status"] = dict.fromkeys(("complete", "waiting", "inactive", "abandoned", "dropped"), 0)
    for decision, (known_rewards, _, _, since) in zip(decisions, rows, strict=True):
        kind = status(decision, known_rewards, objectives, since, now, max_age)
        found["status"][kind] += 1
    found["ages"] = [age_twin(decisions, name) for name in objectives]
    return found


def age_twin(decisions, objective):
    ages = []
    for decision in decisions:
        at = decision["times"].get(objective)
        if at is not None and "time" in decision:
            ages.append(at - decision["time"])
    return {
        "count": len(ages),
        "median": float(np.quantile(ages, 0.5)) if ages else None,
        "ninety": float(np.quantile(ages, 0.9)) if ages else None,
    }
