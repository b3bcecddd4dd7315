"""A log of decisions that were made elsewhere: checked as a whole, then learned in blocks."""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent.adoption import check_adoptable
from mobandits.agent.change import Change
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Adoption, Decision
from mobandits.agent.first_prices import (
    begin_with,
    last_rounds,
    prices_by,
    rewards_in_order,
    slots_of,
    teaches,
)
from mobandits.agent.objectives import check_range_of
from mobandits.agent.resize_state import copy_of_state
from mobandits.contracts.protocols import Array, IntArray
from mobandits.contracts.terms import has_prices
from mobandits.errors import LogError
from mobandits.logs.events import FirstPrices
from mobandits.logs.feedback import Feedback, together
from mobandits.logs.objectives import Names, learned_rewards, refuse_contradiction
from mobandits.logs.store.store import Store
from mobandits.logs.streams import LogStream, steady
from mobandits.support.naming import quoted, wrong_value

CHUNK = 10_000  # rounds at a time: with 50 arms of 20 features, 80 MB

Chunks = Callable[[], Iterator[Feedback]]


class Rounds(NamedTuple):
    """Rounds of a log in the terms of an agent.

    Attributes:
        x: (rounds, features) of the arms that were played.
        slots: (rounds,) of these arms.
        rewards: (rounds, objectives) in the application's terms, NaN where not observed.
        lessons: the same as the policy learns them.
    """

    x: Array
    slots: IntArray
    rewards: Array
    lessons: Array


def learn_log(core: AgentCore, log: Any, *, add_arms: bool, columns: dict[str, Any]) -> int:
    """Adopt all rounds of a log; see `Agent.learn_log`."""
    with core.lock:
        # Twice through the log: what is in its last row must be known before the first is learned.
        chunks = _chunks_of(log, _columns_of(core, columns))
        unknown = _check_log(core, chunks, add_arms=add_arms)
        first = next(chunks(), None)
        for name in unknown:
            core.add_arm(name, None)

        lessons = core.lessons
        if first is None:
            return 0

        with Change(core) as change:
            _settle_layout(change, first)
            check_adoptable(core.recipe, core.bound, "adopt")
            last = _learn_chunks(change, chunks())
            if core.writer is None:
                core.log_at_hand = last

            # Begin with the prices that the log tells.
            prices = prices_by(core, core.bound, last)
            if prices is not None:
                change.write(FirstPrices(prices=prices))
                begin_with(core.bound, prices)

        return core.lessons - lessons


def _columns_of(core: AgentCore, columns: dict[str, Any]) -> dict[str, Any]:
    """The meanings of columns; what they do not say is as the agent that asks has it."""
    is_table = "arm" in columns  # logs of other kinds say themselves what they hold
    if not is_table:
        return columns

    known: dict[str, Any] = {"objectives": core.objectives}
    if core.encoder is not None:
        known["context"] = core.encoder

    return {**known, **columns}


def _chunks_of(log: Any, columns: dict[str, Any]) -> Chunks:
    """Function that iterates over a log, as often as it is called."""
    # Tables take a tenth of a second to load, and most agents learn from no log.
    from mobandits.logs.frames import feedback_of_frame, is_frame  # noqa: PLC0415
    from mobandits.logs.reading import scan  # noqa: PLC0415

    if isinstance(log, str | Path):
        return lambda: scan(log, chunk=CHUNK, **columns)
    if isinstance(log, LogStream) and not columns:
        read = steady(log.chunks)
        return lambda: _blocks(read())
    if isinstance(log, Store):
        log.flush()
        return lambda: scan(log.path, chunk=CHUNK, agent=log.agent)
    if is_frame(log):
        log = feedback_of_frame(log, **columns)
        columns = {}
    if not isinstance(log, Feedback) or columns:
        rule = "Feedback, a LogStream, a path, a Store, or a table with names of columns"
        got = quoted(log) + (f" and {', '.join(columns)}" if columns else "")
        raise ValueError(f"log must be {rule}, got {got}")

    return lambda: _slices(log)


def _blocks(chunks: Iterable[Feedback]) -> Iterator[Feedback]:
    """The rounds of chunks of any length, in the blocks that the whole log in memory has."""
    waiting: list[Feedback] = []
    count = 0
    for chunk in chunks:
        waiting.append(chunk)
        count += len(chunk)
        if count < CHUNK:
            continue

        *blocks, rest = _slices(together(waiting))
        yield from blocks
        waiting = [rest]
        count = len(rest)

    if waiting:
        yield together(waiting)


def _slices(log: Feedback) -> Iterator[Feedback]:
    if len(log) <= CHUNK:
        yield log
        return

    for start in range(0, len(log), CHUNK):
        yield log[start : start + CHUNK]


def _check_log(core: AgentCore, chunks: Chunks, *, add_arms: bool) -> list[Hashable]:
    """Refuse a log that does not fit, before anything is learned; return the arms to add."""
    unknown: dict[Hashable, None] = {}
    choices: dict[int, int] = {}
    for feedback in chunks():
        played = np.unique(feedback.arms).tolist()
        names = [feedback.arm_names[position] for position in played]
        new = [name for name in names if name not in core.arms.names]
        unknown |= dict.fromkeys(new)
        if unknown and not add_arms:
            core.arms.rows(list(unknown), "log")

        # For what it refuses.
        _kept_since(feedback, 0, choices)
        _check_objectives(core, feedback)
        check_contexts(core, feedback)
        rounds = _rounds_of(core, feedback)
        core.guard.check_rounds(rounds.x, rounds.lessons)
        check_range_of(core.expectations, rounds.rewards)
        # Replay would refuse it, so that the log could never be read again.
        least = np.fmin.reduce(rounds.rewards, axis=0, initial=np.inf)
        core.ledger.check_bills(least)

    return list(unknown)


def _check_objectives(core: AgentCore, feedback: Feedback) -> None:
    theirs = feedback.objective_names
    if set(theirs) != set(core.objective_names):
        mine = list(core.objective_names)
        raise wrong_value(f"log must have the agent's objectives, {quoted(mine)}", list(theirs))

    described = {each.name: each for each in feedback.objectives}
    for objective in core.objectives:
        refuse_contradiction(objective, described[objective.name])


def check_contexts(core: AgentCore, feedback: Feedback) -> None:
    """Refuse a log whose contexts are not those of the agent."""
    theirs = feedback.encoder
    if None not in (theirs, core.encoder) and theirs != core.encoder:
        rule = "log must have contexts of the agent's encoder"
        raise wrong_value(f"{rule}, {quoted(core.encoder)}", theirs)

    shape = feedback.contexts.shape
    if shape[-1] != core.features:
        raise ValueError(f"log must have {core.features} features, got {shape[-1]}")

    is_shared = len(shape) == 2 and core.features > 0
    if core.contexts.shared is not None and core.contexts.shared != is_shared and core.features:
        wanted = "one row for all arms" if core.contexts.shared else "a row per arm"
        raise ValueError(f"log must have contexts with {wanted}, got shape {shape}")

    # All rows and not those of played arms alone, as `adopt` does, so that both refuse the same.
    core.guard.check_context(feedback.contexts)


def _settle_layout(change: Change, feedback: Feedback) -> None:
    """Begin, where the agent has seen no context."""
    core = change.core
    if core.bound.stage > 0:
        return

    contexts = feedback.contexts
    is_shared = contexts.ndim == 2 and core.features > 0
    core.contexts.set_layout(shared=is_shared)
    row = contexts[:1] if contexts.ndim == 2 else contexts[0]
    change.begin_stage([row])


def _learn_chunks(change: Change, chunks: Iterable[Feedback]) -> Feedback | None:
    """Write and learn the rounds of a log that fits; the last ones, where they may be needed.

    Args:
        change: the call. With a log, every block of rounds is written and learned before the next
            one: where one fails, those before stay learned. Without one, all of them are undone.
        chunks: the rounds.
    """
    core = change.core
    bound = core.bound
    pending = core.pending
    before = None if change.writer is not None else copy_of_state(bound.state())
    started = pending.next_id
    lessons = core.lessons
    settled = pending.settled.copy()
    # An agent with a store finds the rounds there, where they are ever needed.
    is_kept = core.writer is None or has_prices(core.recipe)
    last = None
    choices: dict[int, int] = {}
    try:
        for feedback in chunks:
            if is_kept:
                last = last_rounds(last, feedback, core.features)

            rounds = _rounds_of(core, feedback)
            _refuse_unchecked(rounds)
            is_first = pending.next_id == started
            if change.writer is not None:
                adoptions = list(_adoptions(core, feedback, rounds.rewards, choices))
                change.writer.write_adoptions(adoptions, change.now, begun=not is_first)
                change.is_written = True

            # Each round takes a place among those that wait and gives it back: one must be free.
            if is_first and len(pending.open) >= pending.limit:
                pending.drop_oldest("limit")
            _teach_rounds(core, rounds)
            if change.writer is not None:
                change.writer.done(core)
    except BaseException:
        if before is not None:
            bound.load_state(bound.recipe_policy, before)
            pending.next_id = started
            pending.settled = settled
            core.lessons = lessons
        raise

    change.is_written = True

    return last


def _refuse_unchecked(rounds: Rounds) -> None:
    """Refuse rounds of a log that has changed since it was checked."""
    if (rounds.slots < 0).any():
        rule = "log must have the same rounds whenever it is read"
        raise LogError(f"{rule}, got one with an arm that was not there when it was checked")


def _rounds_of(core: AgentCore, feedback: Feedback) -> Rounds:
    contexts = feedback.contexts
    if contexts.ndim == 3:
        contexts = contexts[np.arange(len(feedback)), feedback.arms]

    rewards = rewards_in_order(core, feedback)

    return Rounds(
        # Arrays that may not be written to, as tables give them, would be compiled for once more.
        np.require(contexts, requirements=("C", "W")),
        slots_of(core, feedback)[feedback.arms],
        rewards,
        learned_rewards(core.objectives, rewards),
    )


def _teach_rounds(core: AgentCore, rounds: Rounds) -> None:
    """Learn some rounds, none of which waits for anything any more."""
    bound = core.bound
    pending = core.pending
    is_lesson = teaches(core, rounds.rewards)
    x = rounds.x
    slots = rounds.slots
    lessons = rounds.lessons
    if not is_lesson.all():
        x = x[is_lesson]
        slots = slots[is_lesson]
        lessons = lessons[is_lesson]

    with bound.accounts_kept():
        bound.learn_many(x, slots, lessons)

    core.lessons += len(slots)
    first = pending.next_id
    pending.next_id = first + len(rounds.slots)
    complete = np.flatnonzero(~np.isnan(rounds.rewards).any(axis=1))
    # Those before the last `remembered` would be forgotten at once.
    start = max(0, len(complete) - pending.remembered)
    for position in complete[start:].tolist():
        known = rounds.rewards[position].tolist()
        pending.settle(first + position, known)


def _adoptions(
    core: AgentCore, feedback: Feedback, rewards: Array, choices: dict[int, int]
) -> Iterator[Adoption]:
    """Adoptions of some rounds, as the log gets them; `choices` as of `_kept_since`."""
    names, places = _common_arms(core, feedback)
    ranks = feedback.ranks
    number_of_first = core.pending.next_id
    kept_since = _kept_since(feedback, number_of_first, choices)
    is_known: Any = ~np.isnan(rewards)
    columns = zip(
        feedback.arms.tolist(),
        feedback.propensities.tolist(),
        rewards.tolist(),
        is_known.any(axis=1).tolist(),
        is_known.all(axis=1).tolist(),
        strict=True,
    )
    for t, (arm, propensity, known, has_rewards, is_complete) in enumerate(columns):
        eligible = names
        rows = feedback.contexts[t : t + 1]
        at = places
        if feedback.eligible is not None:
            allowed = feedback.eligible[t]
            kept = [i for i, place in enumerate(places) if allowed[place]]
            eligible = tuple(names[i] for i in kept)
            at = [places[i] for i in kept]
        if feedback.contexts.ndim == 3:
            rows = feedback.contexts[t, at]

        decision = Decision(
            number_of_first + t,
            feedback.arm_names[arm],
            None if math.isnan(propensity) else propensity,
            context=rows,
            eligible=eligible,
            kept=kept_since[t],
        )
        rewards_or_none = known if has_rewards else None
        rank = 0 if ranks is None else int(ranks[t])
        yield Adoption(decision, rewards_or_none, is_over=not is_complete, rank=rank)


def _kept_since(
    feedback: Feedback, number_of_first: int, choices: dict[int, int]
) -> list[int | None]:
    """(rounds,) the agent's number of the decision that chose the arm; None where the round did.

    Args:
        feedback: some rounds.
        number_of_first: the agent's number of the first of them.
        choices: {number in the log: the agent's} of decisions that chose arms, which grows.

    Raises:
        ValueError: where that decision is not in the log before.
    """
    if feedback.sessions is None or feedback.ids is None:
        return [None] * len(feedback)

    kept_since: list[int | None] = []
    pairs = zip(feedback.ids.tolist(), feedback.sessions.tolist(), strict=True)
    for number, (own, choice) in enumerate(pairs, number_of_first):
        if own == choice:
            choices[own] = number
            kept_since.append(None)
        elif choice in choices:
            kept_since.append(choices[choice])
        else:
            rule = "log must have the decisions that chose the arms of its sessions"
            raise ValueError(f"{rule}, got none with the id {choice}")

    return kept_since


def _common_arms(core: AgentCore, feedback: Feedback) -> tuple[Names, list[int]]:
    """The agent's arms that the log knows, in the agent's order, and their positions there."""
    position_of = {name: position for position, name in enumerate(feedback.arm_names)}
    present = core.arms.names
    common = tuple(name for name in present if name in position_of)
    # The very names of the agent where these are all: a decision between all arms says no more.
    names = present if len(common) == len(present) else common
    positions = [position_of[name] for name in names]

    return names, positions
