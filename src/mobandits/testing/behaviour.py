"""The checks of every policy, each of which raises an AssertionError with the values it met."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mobandits.contracts.notes import Note, is_like, note_of
from mobandits.contracts.protocols import Array, Choice, IntArray, Recipe, Rng
from mobandits.contracts.states import declares
from mobandits.simulation.play import play
from mobandits.support.checks import require_complete
from mobandits.support.naming import quoted
from mobandits.testing.arena import (
    ROUNDS,
    copied,
    distance,
    leaves,
    same,
    snapshot,
    state_from_snapshot,
)
from mobandits.testing.case import difference_between, require
from mobandits.testing.rehearsal import BLOCK, Moment, Play, Rehearsal, play_rounds, trace

DRAWS = 1000  # of an arm from the same beliefs
BELIEFS = 200  # drawn in the same state, where they are random
SCRIPT = 40  # decisions whose rewards come in parts or late
SIGMAS = 5.0  # standard errors; a correct policy exceeds them once in a million comparisons
EXACT = 1e-9  # rounding errors of probabilities
PARTIAL = 1e-10  # rounding errors of states that were reached on two ways


def well_formed(rehearsal: Rehearsal) -> None:
    """States hold arrays; a choice is a position and a note; probabilities are a distribution."""
    # Some of the arms, in another order, strided: the eligible arms of an agent.
    subset = rehearsal.arms[::-2].copy()
    for moment in rehearsal.moments:
        _require_arrays(moment)
        for arms in (rehearsal.arms, subset):
            _require_decision(rehearsal, moment, arms)


def _require_arrays(moment: Moment) -> None:
    for leaf in leaves(moment.state):
        message = f"a state must be a NamedTuple of arrays, got {quoted(leaf)} {moment}"
        require(isinstance(leaf, np.ndarray), message)


def _require_decision(rehearsal: Rehearsal, moment: Moment, arms: IntArray) -> None:
    rng = rehearsal.stream(3, moment.round)
    context = _context_of(moment, arms)
    state = copied(moment.state)
    beliefs = rehearsal.policy.beliefs(state, context.copy(), arms.copy(), rng)
    probabilities = rehearsal.policy.probabilities(beliefs)
    choice = rehearsal.policy.draw(beliefs, rng)
    where = f"{moment}, eligible arms {arms.tolist()}"
    _require_distribution(probabilities, len(arms), where)
    template = note_of(rehearsal.policy)
    _require_choice(choice, len(arms), template, where)
    note_for = getattr(rehearsal.policy, "note_for", None)
    if note_for is None:
        return

    # Any arm may be chosen by something else, also one that `draw` never would.
    for arm in range(len(arms)):
        note = note_for(beliefs, arm, 0.5, rng)
        _require_choice(Choice(arm, note), len(arms), template, where)


def _require_distribution(probabilities: Array, arms: int, where: str) -> None:
    size = np.shape(probabilities)
    require(
        size == (arms,),
        f"probabilities must have shape ({arms},), got {size} {where}",
    )
    adds_up = abs(probabilities.sum() - 1.0) < EXACT
    not_negative = (probabilities >= 0).all()
    values = probabilities.tolist()
    require(
        adds_up and not_negative,
        f"probabilities must be at least 0 and sum to 1, got {values} {where}",
    )


def _require_choice(choice: Choice, arms: int, template: Note, where: str) -> None:
    require(
        choice.arm in range(arms),
        f"a choice must be a position below {arms}, got {choice.arm} {where}",
    )
    declared = f"as {quoted(template)} has, which the policy declares by note()"
    require(
        is_like(choice.note, template),
        f"a note must have finite numbers {declared}, got {quoted(choice.note)} {where}",
    )


def inputs_are_left_alone(rehearsal: Rehearsal) -> None:
    """Nothing writes into contexts, arms or rewards: all policies of a trial share them."""
    policy = rehearsal.policy
    for moment in rehearsal.moments:
        state = copied(moment.state)
        context = moment.context.copy()
        arms = rehearsal.arms.copy()
        rng = rehearsal.stream(4)
        beliefs = policy.beliefs(state, context, arms, rng)
        choice = policy.draw(beliefs, rng)
        row = choice.arm if len(context) > 1 else 0
        arm = int(arms[choice.arm])
        recorded = rehearsal.arena.rewards[moment.round % ROUNDS, choice.arm]
        reward = recorded.copy()
        policy.update(state, context[row], arm, choice.note, reward, rng)
        before = (moment.context, rehearsal.arms, recorded)
        after = (context, arms, reward)
        written = f"contexts, arms or rewards were written into {moment}"
        require_unchanged(before, after, written)


def beliefs_leave_the_state_alone(rehearsal: Rehearsal) -> None:
    """`beliefs` does not change the state."""
    for moment in rehearsal.moments:
        state = copied(moment.state)
        rng = rehearsal.stream(5)
        rehearsal.policy.beliefs(state, moment.context, rehearsal.arms, rng)
        require_unchanged(
            moment.state,
            state,
            f"`beliefs` changed the state {moment}",
        )


def draws_leave_the_beliefs_alone(rehearsal: Rehearsal) -> None:
    """`draw` and `probabilities` change neither beliefs nor state."""
    policy = rehearsal.policy
    for moment in rehearsal.moments:
        state = copied(moment.state)
        rng = rehearsal.stream(6)
        beliefs = policy.beliefs(state, moment.context, rehearsal.arms, rng)
        before = copied((beliefs, state))
        policy.draw(beliefs, rng)
        require_unchanged(before, (beliefs, state), f"`draw` changed {moment}")
        policy.probabilities(beliefs)
        require_unchanged(
            before,
            (beliefs, state),
            f"`probabilities` changed {moment}",
        )


def draws_match_probabilities(rehearsal: Rehearsal) -> None:
    """Arms are drawn as often as `probabilities` says, from the same beliefs."""
    for moment in rehearsal.moments:
        rng = rehearsal.stream(7, moment.round)
        beliefs = _beliefs_in(rehearsal, moment, moment.context, rehearsal.arms, rng)
        probabilities = rehearsal.policy.probabilities(beliefs)
        # A certain arm must be drawn every time: a few draws show it.
        draws = DRAWS if probabilities.max() < 1.0 else 20
        chosen = [rehearsal.policy.draw(beliefs, rng).arm for _ in range(draws)]
        counts = np.bincount(chosen, minlength=len(probabilities))
        expected = draws * probabilities
        deviations = np.sqrt(expected * (1.0 - probabilities))
        # Counts of rare arms are not normal: SIGMAS more. An arm of probability 0 is never drawn.
        slack = np.where(probabilities > 0.0, SIGMAS * deviations + SIGMAS, 0.0)
        fits = (np.abs(counts - expected) <= slack).all()
        stated = f"`probabilities` are {probabilities.tolist()} {moment}"
        require(fits, f"{draws} draws give {counts.tolist()}, {stated}")


def relabelling_moves_the_probabilities(rehearsal: Rehearsal) -> None:
    """The arms in another order, with their contexts, have the same probabilities.

    Where beliefs are sampled, the same mean probabilities up to chance.
    """
    for moment in rehearsal.moments:
        moved = rehearsal.stream(8, moment.round).permutation(rehearsal.arms)
        context = _context_of(moment, moved)
        base, base_error = mean_probabilities(
            rehearsal,
            moment,
            moment.context,
            rehearsal.arms,
        )
        other, other_error = mean_probabilities(rehearsal, moment, context, moved)
        expected = base[moved]
        slack = SIGMAS * np.hypot(base_error[moved], other_error) + EXACT
        fits = (np.abs(expected - other) <= slack).all()
        arms = moved.tolist()
        stated = expected.round(6).tolist()
        relabelled = other.round(6).tolist()
        require(
            fits,
            f"arms {arms} have probabilities {stated}, but {relabelled} when they come in that "
            f"order {moment}",
        )


def mean_probabilities(
    rehearsal: Rehearsal, moment: Moment, context: Array, arms: IntArray
) -> tuple[Array, Array]:
    """(arms,) probabilities and their standard error.

    Exact where beliefs use no chance, else the mean over many beliefs.
    """
    rng = rehearsal.stream(9, moment.round, int(arms[0]))
    before = rng.bit_generator.state
    beliefs = _beliefs_in(rehearsal, moment, context, arms, rng)
    probabilities = rehearsal.policy.probabilities(beliefs)
    if rng.bit_generator.state == before:
        return probabilities, np.zeros(len(arms))

    samples = np.empty((BELIEFS, len(arms)))
    for i in range(BELIEFS):
        beliefs = _beliefs_in(rehearsal, moment, context, arms, rng)
        samples[i] = rehearsal.policy.probabilities(beliefs)

    # 1 / BELIEFS more: an arm that is rarely the best may have the same probability in all samples.
    error = samples.std(0) / math.sqrt(BELIEFS) + 1.0 / BELIEFS

    return samples.mean(0), error


def partial_rewards_add_up(rehearsal: Rehearsal) -> None:
    """A reward in parts, in any order and late, teaches what the full reward does.

    A recipe that does not accept parts must be refused them by name. Where a part declares
    `FORGETS = True`, since older rewards count less, or `ORDERED = True`, only parts in order must
    add up.
    """
    recipe = rehearsal.case.recipe
    if not recipe.accepts_partial:
        refuses_parts(recipe, rehearsal.case.shape.objectives)
        return

    start = rehearsal.moments[2]
    rng = rehearsal.stream(10)
    decisions = list(rehearsal.script(start, SCRIPT))
    full = [(decision, decision.reward) for decision in decisions]
    parts = [part for decision in decisions for part in reward_in_parts(decision, rng)]
    late = [parts[i] for i in rng.permutation(len(parts))]
    expected = learned(rehearsal, start, full)
    _require_same_lesson(rehearsal, expected, parts, "")
    is_ordered = declares(rehearsal.policy, "FORGETS") or declares(rehearsal.policy, "ORDERED")
    if not is_ordered:
        _require_same_lesson(rehearsal, expected, late, ", late and out of order,")


def _require_same_lesson(
    rehearsal: Rehearsal, expected: Any, lessons: list[tuple[Play, Array]], how: str
) -> None:
    start = rehearsal.moments[2]
    state = learned(rehearsal, start, lessons)
    # Beliefs too: a small difference of states may be a large one of what they lead to.
    expected_beliefs = believed(rehearsal, start, expected)
    beliefs = believed(rehearsal, start, state)
    off = max(distance(expected, state), distance(expected_beliefs, beliefs))
    require(
        off <= PARTIAL,
        f"{SCRIPT} rewards in parts{how} teach otherwise than in full: off by {off:.2g}",
    )


def reward_in_parts(decision: Play, rng: Rng) -> Iterator[tuple[Play, Array]]:
    """The reward of a decision in three parts, some of which may be empty."""
    owner = rng.integers(3, size=len(decision.reward))
    for part in range(3):
        is_known = owner == part
        reward = np.where(is_known, decision.reward, np.nan)
        yield decision, reward


def learned(rehearsal: Rehearsal, start: Moment, lessons: list[tuple[Play, Array]]) -> Any:
    """The state after these lessons."""
    state = copied(start.state)
    rng = rehearsal.stream(11)
    for decision, reward in lessons:
        state = rehearsal.update(state, decision, reward, rng)

    return state


def believed(rehearsal: Rehearsal, start: Moment, state: Any) -> Any:
    """The policy's beliefs in that state."""
    moment = Moment(start.round, state, start.context)
    rng = rehearsal.stream(12)
    return _beliefs_in(rehearsal, moment, start.context, rehearsal.arms, rng)


def refuses_parts(recipe: Recipe, objectives: int) -> None:
    """The check before every update accepts full rewards, and refuses parts naming the recipe."""
    require_complete(recipe, np.ones(objectives))
    missing = np.full(objectives, np.nan)
    try:
        require_complete(recipe, missing)
    except ValueError as error:
        named = type(recipe).__name__ in str(error)
        require(named, f"a refusal must name the recipe, got {error}")
    else:
        raise AssertionError(
            "a recipe with accepts_partial = False must be refused partial rewards"
        )


def every_reward_is_learned(rehearsal: Rehearsal) -> None:
    """Every reward changes the state, and another reward changes it otherwise.

    Or the policy learns nothing at all.
    """
    start = rehearsal.moments[1]
    state = copied(start.state)
    rng = rehearsal.stream(13)
    missed = []
    distinguished = False
    for t, decision in enumerate(rehearsal.script(start, SCRIPT)):
        reward = decision.reward
        after = rehearsal.update(copied(state), decision, reward, rng)
        if not distinguished:
            other = rehearsal.update(copied(state), decision, 1.0 - reward, rng)
            distinguished = not same(after, other)
        if same(state, after):
            missed.append(t)

        state = after

    # A policy that never learns, such as uniform choice, is allowed to miss all of them.
    if len(missed) == SCRIPT:
        return

    count = f"{len(missed)} of {SCRIPT} rewards"
    require(
        not missed,
        f"{count} left no trace in the state: number {missed[:1]} first",
    )
    require(
        distinguished,
        f"the state is the same whatever {SCRIPT} rewards are",
    )


def plays_repeat(rehearsal: Rehearsal) -> None:
    """The same seed plays the same arms: all chance is the stream's, all memory the state's."""
    first = trace(rehearsal.case, play)
    second = trace(rehearsal.case, play)
    message = (
        difference_between(first, second, "the first time", "again") if first != second else ""
    )
    require(first == second, message)


def snapshots_continue(rehearsal: Rehearsal) -> None:
    """A saved and loaded state continues with the same choices, with a policy bound anew."""
    case = rehearsal.case
    # The last moment is the end of the problem: nothing can follow.
    for moment in rehearsal.moments[:-1]:
        loaded = state_from_snapshot(snapshot(moment.state), moment.state)
        anew = case.recipe.bind(case.shape)
        first = moment.round
        last = first + BLOCK
        rounds = rehearsal.arena
        rng = rehearsal.stream(14, first)
        again_rng = rehearsal.stream(14, first)
        state = copied(moment.state)
        going = play_rounds(play, rehearsal.policy, state, rounds, first, last, rng)
        again = play_rounds(play, anew, loaded, rounds, first, last, again_rng)
        parted = np.flatnonzero(going.chosen != again.chosen)
        saved = f"saved and loaded as arrays {moment}"
        if len(parted):
            raise AssertionError(f"{saved}: choices differ in round {first + parted[0]}")

        require(
            same(going.state, again.state),
            f"{saved}: the states differ in the end",
        )


def require_unchanged(before: Any, after: Any, message: str) -> None:
    """Fail unless two collections of arrays agree to the last bit, and say which array differs."""
    if not same(before, after):
        raise AssertionError(f"{message}: {changes(before, after)}")


def changes(before: Any, after: Any) -> str:
    """Which array changed, and how, for a message."""
    pairs = zip(leaves(before), leaves(after), strict=True)
    for i, (old, new) in enumerate(pairs):
        if not np.array_equal(old, new, equal_nan=True):
            old_values = np.asarray(old).tolist()
            new_values = np.asarray(new).tolist()
            return f"array {i} was {old_values}, is {new_values}"

    return "nothing"


def _context_of(moment: Moment, arms: IntArray) -> Array:
    """The rows of these arms, or the one row that all arms share."""
    if len(moment.context) == 1:
        return moment.context
    return moment.context[arms]


def _beliefs_in(
    rehearsal: Rehearsal, moment: Moment, context: Array, arms: IntArray, rng: Rng
) -> Any:
    # A copy: beliefs may refer to the state's arrays.
    state = copied(moment.state)
    return rehearsal.policy.beliefs(state, context, arms, rng)
