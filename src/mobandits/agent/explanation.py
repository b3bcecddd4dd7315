"""Why an arm was played: what is believed of every arm, who dominates whom, as a table and as a sentence."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.agent import compiled_calls as compiled
from mobandits.agent.bound_policy import FAILURES
from mobandits.agent.decision import Decision
from mobandits.agent.parts import comparing, plain_explorer, unused_links, unwrapped
from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.composition import exchanged
from mobandits.contracts.protocols import Array, Beliefs
from mobandits.orders.order import in_words
from mobandits.support.naming import conjunction, quoted

if TYPE_CHECKING:
    import polars as pl

    from mobandits.agent.agent import Agent


@dataclass(frozen=True)
class Explanation:
    """What an agent believes now of the arms of a decision.

    Attributes:
        decision: which.
        estimates: (eligible arms, objectives) mean rewards in the objectives' own directions and units, also where
            the policy compares the linear predictors of generalized linear models.
        low: the lower ends of the intervals.
        high: their upper ends.
        dominated_by: per eligible arm, the arms whose estimates are at least as good in all and better in one.
        front: the eligible arms that the policy would play now, with positive probability.
        sentence: the same in words.
        objectives: the objectives.
    """

    decision: Decision
    estimates: Array
    low: Array
    high: Array
    dominated_by: tuple[tuple[Hashable, ...], ...]
    front: tuple[Hashable, ...]
    sentence: str
    objectives: tuple[Any, ...]

    @property
    def table(self) -> "pl.DataFrame":
        """A row per eligible arm and objective: arm, played, on_front, dominated_by, objective, estimate, low, high."""
        import polars as pl  # noqa: PLC0415 - agents run without it

        rows = [
            {
                "arm": str(arm),
                "played": arm == self.decision.arm,
                "on_front": arm in self.front,
                "dominated_by": ", ".join(map(str, self.dominated_by[a])),
                "objective": str(one.name),
                "estimate": float(self.estimates[a, l]),
                "low": float(self.low[a, l]),
                "high": float(self.high[a, l]),
                "unit": one.unit,
            }
            for a, arm in enumerate(self.decision.eligible)
            for l, one in enumerate(self.objectives)
        ]
        return pl.DataFrame(rows)

    def __str__(self) -> str:
        return self.sentence


def explain(agent: "Agent", decision: Decision) -> Explanation:
    """See `Agent.explain`."""
    if not isinstance(decision, Decision) or decision.context is None:
        raise ValueError(f"decision must be one that decide returned, got {quoted(decision)}")
    inner = comparing(agent._mind.policy)
    if inner is None:
        raise ValueError(
            f"{type(agent.recipe).__name__} has no estimates per arm and objective to explain it by"
        )
    gone = [name for name in decision.eligible if name not in agent.arms]
    if gone:
        raise ValueError(
            f"decision must be between arms that are still there, got {quoted(gone[0])}"
        )
    slots = np.array([agent._arms.slot(name) for name in decision.eligible], np.int64)
    mind = agent._mind
    rng = np.random.default_rng([agent.seed, 2])
    plain = exchanged(mind.policy, explorer=plain_explorer(inner))
    beliefs = unwrapped(_believe(plain, mind, decision.context, slots, rng))
    links = unused_links(inner)
    if links is not None:
        put_links = compile_loop(compiled.put_links, links)
        # Copies, since means and ends of intervals may be one array.
        beliefs = Beliefs(*(part.copy() for part in beliefs))
        for part in beliefs:
            put_links(links, part)
    mean, low, high = beliefs
    law = mind.probabilities(decision.context, slots, rng)
    said_of = agent._scales.outward
    ends = np.sort([said_of(low), said_of(high)], axis=0)
    dominated = _dominated(mean, decision.eligible)
    front = tuple(name for name, p in zip(decision.eligible, law, strict=True) if p > 0.0)
    said = _sentence(agent, decision, said_of(mean), dominated, front)
    return Explanation(
        decision, said_of(mean), ends[0], ends[1], dominated, front, said, agent.objectives
    )


def _believe(policy: Any, mind: Any, context: Array, slots: Any, rng: Any) -> Any:
    believe = compile_loop(compiled.believe, policy, mind.session)
    try:
        return believe(policy, mind.session, context, slots, rng)
    except FAILURES as failure:
        mind.refuse(failure)


def _dominated(mean: Array, names: tuple[Hashable, ...]) -> tuple[tuple[Hashable, ...], ...]:
    out = []
    for one in mean:  # a row at a time, so that many arms take no square of memory
        by = (mean >= one).all(axis=1) & (mean > one).any(axis=1)
        out.append(tuple(names[b] for b in np.flatnonzero(by)))
    return tuple(out)


def _sentence(
    agent: "Agent", decision: Decision, estimates: Array, dominated: Any, front: Any
) -> str:
    place = decision.eligible.index(decision.arm)
    chance = "" if decision.propensity is None else f" with probability {decision.propensity:.3g}"
    values = zip(agent.objectives, estimates[place].tolist(), strict=True)
    paid = ", ".join(f"{one.name} {one.say(value)}" for one, value in values)
    out = f"{decision.arm} was played{chance}, one of {len(decision.eligible)} eligible arms of {len(agent.arms)}. "
    out += f"It is now estimated at {paid}"
    if dominated[place]:
        out += f", and dominated by {_names(dominated[place])}"
    else:
        out += "; no arm is estimated to dominate it"
    beaten = [
        name for name, by in zip(decision.eligible, dominated, strict=True) if decision.arm in by
    ]
    out += f", and it dominates {_names(beaten)}" if beaten else ""
    others = [name for name in front if name != decision.arm]
    there = "On" if decision.arm in front else "No more on"
    words = in_words(agent.preference, [str(one.name) for one in agent.objectives])
    out += f". {there} the front within what is not known yet ({words})"
    return out + (
        f", with {_names(others)}." if others else ", alone." if decision.arm in front else "."
    )


def _names(names: Any) -> str:
    said = [str(name) for name in names]
    shown = said if len(said) <= 6 else [*said[:5], f"{len(said) - 5} more"]
    return conjunction(shown)
