"""What an agent would have learned under another description, from all that is in its log."""

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

from mobandits.agent.core import AgentCore
from mobandits.agent.parameters import new_parts, objectives_in, parameters_in, parameters_of
from mobandits.agent.pending import Pending
from mobandits.agent.replayed_events import replay
from mobandits.agent.repricing import EVERY_CHANGE
from mobandits.contracts.protocols import Recipe
from mobandits.errors import LogError
from mobandits.logs.events import Correct, Retune
from mobandits.logs.objectives import Objective, Objectives


class Relearning(AgentCore):
    """The core of an agent that learns a log once more, as its present description has it.

    Rewards of objectives that the agent has no more are passed over. Objectives that came later
    were not observed before, and by default nothing is learned of them either. Corrected rewards
    are learned where the wrong ones were.

    Attributes:
        corrected: {decision: (objectives,) rewards, NaN where the first was right}.
        present: the places of the objectives that there were at the time of the events.
    """

    corrected: dict[int, list[float]]
    present: list[int]

    def correct(self, corrections: Iterable[Correct]) -> None:
        """Learn the rewards of these events, later ones above earlier ones."""
        by_name: dict[int, dict[Any, float]] = {}
        for event in corrections:
            by_name.setdefault(event.id, {}).update(event.rewards)

        self.corrected = {}
        for number, rewards in by_name.items():
            right = [rewards.get(name, math.nan) for name in self.objective_names]
            self.corrected[number] = right

    def describe(self, objectives: Objectives) -> None:
        """The agent had these objectives from now on."""
        names = [each.name for each in objectives]
        self.present = [place for place, name in enumerate(self.objective_names) if name in names]
        # Of the others nothing was due.
        timed = []
        for objective in self.objectives:
            is_present = objective.name in names
            timed.append(objective if is_present else Objective(objective.name))

        self.pending.set_timers(timed)

    def learn(self, decision_id: int, rewards: Any) -> None:
        """The rewards of an event, as far as the agent still has their objectives."""
        known = {name: each for name, each in rewards.items() if name in self.reward_places}
        if known:
            super().learn(decision_id, known)

    def abandon(self, decision_id: int) -> None:
        """Likewise; a decision may have all its rewards where there are fewer objectives."""
        if decision_id in self.pending.open:
            super().abandon(decision_id)

    def teach(
        self,
        number: int,
        pending: Pending,
        new: list[float],
        known: list[float],
        inward: list[float],
    ) -> None:
        """Rewards as they are known by now."""
        right = self.corrected.get(number)
        if right is not None:
            new = replaced(new, right)
            known = replaced(known, right)
            inward = self.scales.inward(new)

        super().teach(number, pending, new, known, inward)
        is_open = number in self.pending.open
        if is_open and not any(math.isnan(known[place]) for place in self.present):
            self.pending.settle(number, known)


def relearned(
    core: AgentCore,
    recipe: Recipe,
    objectives: Objectives,
    corrections: Sequence[Correct],
    call: str,
) -> Any:
    """The state that a recipe comes to when it adopts all that is in the log.

    Args:
        core: of the agent.
        recipe: that learns.
        objectives: in which it learns.
        corrections: beside those of the log.
        call: what errors say that needs it.

    Raises:
        ValueError: where there is no log, it does not have everything, or the recipe cannot adopt.
    """
    writer = core.writer
    if writer is None:
        raise ValueError(f"{call} needs an agent with a log, to learn from it again")

    store = writer.store
    last = writer.replayed if writer.silent else writer.position()
    arms = store.arms_after(0)
    # With the limits of each time: what was dropped then was not learned from.
    parameters = parameters_of(core)
    first = store.first_change("retune")
    if first is not None:
        parameters = parameters_in(first.before, core)

    at_first = parameters["objectives"]
    parameters |= {"recipe": recipe, "objectives": objectives, "propensity": "none"}
    again = Relearning(**parameters, **new_parts(core, tuple(arms.names)))
    again.is_timed = True
    # A reward outside of another range was learned all the same.
    again.expectations.any = False
    again.describe(at_first)
    if len(again.present) < len(objectives) and not recipe.accepts_partial:
        raise ValueError(
            f"{call} needs a recipe that learns rewards in part, since not all objectives "
            "were there from the beginning"
        )

    events = itertools.islice(store.events(), last)
    logged = store.last_changes(["correct"], before=last + 1, limit=EVERY_CHANGE)
    again.correct([*reversed(logged), *corrections])
    for position, event in enumerate(events, 1):
        if isinstance(event, Retune):
            after = event.after
            again.pending.set_limits(after["limit"], after["max_age"])
            again.describe(objectives_in(after, core))
            continue

        where = f"{store.path}: event {position}"
        replay(again, event, arms, where, adopting=True)

    # What time has brought since the last event is in no event.
    again.clock = lambda: core.now
    again.advance_clock()
    if again.pending.next_id != core.pending.next_id or again.arms.slots != core.arms.slots:
        raise LogError(
            f"{store.path} does not have all that the agent has learned: {call} would lose it"
        )
    return again.bound.state()


def replaced(rewards: Sequence[float], right: Sequence[float]) -> list[float]:
    """Rewards, of which those that are observed are the right ones."""
    replaced = []
    for first, corrected in zip(rewards, right, strict=True):
        is_wrong = not math.isnan(first) and not math.isnan(corrected)
        replaced.append(corrected if is_wrong else first)

    return replaced
