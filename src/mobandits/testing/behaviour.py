"""What every policy promises, whatever world it runs in; a check raises an AssertionError that says what is wrong."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mobandits.contracts.notes import is_like, note_of
from mobandits.contracts.protocols import Array, IntArray, Recipe, Rng
from mobandits.contracts.states import declares
from mobandits.simulation.play import play
from mobandits.support.checks import whole
from mobandits.support.naming import quoted
from mobandits.testing.arena import ROUNDS, copied, distance, leaves, restored, same, snapshot
from mobandits.testing.case import difference, require
from mobandits.testing.rehearsal import BLOCK, Moment, Play, Rehearsal, run, trace

DRAWS = 1000
BELIEFS = 200
SCRIPT = 40
SIGMAS = 5.0
EXACT = 1e-9
PARTIAL = 1e-10


def well_formed(r: Rehearsal) -> None:
    """States hold arrays; a choice is a position with a note; probabilities are a law: for all arms and for some."""
    for moment in r.moments:
        for leaf in leaves(moment.state):
            require(
                isinstance(leaf, np.ndarray),
                f"a state must be a NamedTuple of arrays, got {quoted(leaf)} {moment}",
            )
        for arms in (r.arms, r.arms[::-2].copy()):
            context = moment.context[arms] if len(moment.context) > 1 else moment.context
            rng = r.stream(3, moment.round)
            beliefs = r.policy.beliefs(copied(moment.state), context.copy(), arms.copy(), rng)
            law = r.policy.probabilities(beliefs)
            choice = r.policy.draw(beliefs, rng)
            where = f"{moment}, eligible arms {arms.tolist()}"
            n = len(arms)
            require(
                np.shape(law) == (n,),
                f"probabilities must have shape ({n},), got {np.shape(law)} {where}",
            )
            adds_up = (law >= 0).all() and abs(law.sum() - 1.0) < EXACT
            require(
                adds_up,
                f"probabilities must be at least 0 and sum to 1, got {law.tolist()} {where}",
            )
            require(
                choice.arm in range(n),
                f"a choice must be a position below {n}, got {choice.arm} {where}",
            )
            template = note_of(r.policy)
            require(
                is_like(choice.note, template),
                f"a note must have finite numbers as {quoted(template)} has, which the policy "
                f"declares by note(), got {quoted(choice.note)} {where}",
            )


def inputs_are_left_alone(r: Rehearsal) -> None:
    """Nothing writes into contexts, arms or rewards: all policies of a trial share them."""
    for moment in r.moments:
        state = copied(moment.state)
        context = moment.context.copy()
        arms = r.arms.copy()
        rng = r.stream(4)
        choice = r.policy.draw(r.policy.beliefs(state, context, arms, rng), rng)
        x = context[choice.arm if len(context) > 1 else 0]
        reward = r.arena.rewards[moment.round % ROUNDS, choice.arm]
        given = reward.copy()
        r.policy.update(state, x, int(arms[choice.arm]), choice.note, given, rng)
        before = (moment.context, r.arms, reward)
        after = (context, arms, given)
        require(
            same(before, after),
            f"contexts, arms or rewards were written into {moment}: {changes(before, after)}",
        )


def beliefs_leave_the_state_alone(r: Rehearsal) -> None:
    """`beliefs` does not change the state."""
    for moment in r.moments:
        state = copied(moment.state)
        r.policy.beliefs(state, moment.context, r.arms, r.stream(5))
        require(
            same(state, moment.state),
            f"`beliefs` changed the state {moment}: {changes(moment.state, state)}",
        )


def draws_leave_the_beliefs_alone(r: Rehearsal) -> None:
    """`draw` and `probabilities` change neither beliefs nor state."""
    for moment in r.moments:
        state = copied(moment.state)
        rng = r.stream(6)
        beliefs = r.policy.beliefs(state, moment.context, r.arms, rng)
        before = copied((beliefs, state))
        r.policy.draw(beliefs, rng)
        require(
            same(before, (beliefs, state)),
            f"`draw` changed {moment}: {changes(before, (beliefs, state))}",
        )
        r.policy.probabilities(beliefs)
        require(
            same(before, (beliefs, state)),
            f"`probabilities` changed {moment}: {changes(before, (beliefs, state))}",
        )


def draws_match_probabilities(r: Rehearsal) -> None:
    """Arms are drawn as often as `probabilities` says, from the same beliefs."""
    for moment in r.moments:
        rng = r.stream(7, moment.round)
        beliefs = r.policy.beliefs(copied(moment.state), moment.context, r.arms, rng)
        law = r.policy.probabilities(beliefs)
        draws = DRAWS if law.max() < 1.0 else 20
        counts = np.bincount(
            [r.policy.draw(beliefs, rng).arm for _ in range(draws)], minlength=len(law)
        )
        slack = np.where(law > 0.0, SIGMAS * np.sqrt(draws * law * (1.0 - law)) + SIGMAS, 0.0)
        fits = (np.abs(counts - draws * law) <= slack).all()
        require(
            fits,
            f"{draws} draws give {counts.tolist()}, `probabilities` are {law.tolist()} {moment}",
        )


def relabelling_moves_the_probabilities(r: Rehearsal) -> None:
    """The arms in another order, with their contexts, have the same probabilities; in law where beliefs are sampled."""
    for moment in r.moments:
        moved = r.stream(8, moment.round).permutation(r.arms)
        context = moment.context[moved] if len(moment.context) > 1 else moment.context
        base, error = law_of(r, moment, moment.context, r.arms)
        other, other_error = law_of(r, moment, context, moved)
        fits = (
            np.abs(base[moved] - other) <= SIGMAS * np.hypot(error[moved], other_error) + EXACT
        ).all()
        one = base[moved].round(6).tolist()
        two = other.round(6).tolist()
        require(
            fits,
            f"arms {moved.tolist()} have probabilities {one}, but {two} when they come in that order {moment}",
        )


def law_of(r: Rehearsal, moment: Moment, context: Array, arms: IntArray) -> tuple[Array, Array]:
    """(arms,) probabilities and their standard error: exact where beliefs use no chance, else the mean over many."""
    rng = r.stream(9, moment.round, int(arms[0]))
    before = rng.bit_generator.state
    law = r.policy.probabilities(r.policy.beliefs(copied(moment.state), context, arms, rng))
    if rng.bit_generator.state == before:
        return law, np.zeros(len(arms))
    asked = (r.policy.beliefs(copied(moment.state), context, arms, rng) for _ in range(BELIEFS))
    laws = np.array([r.policy.probabilities(beliefs) for beliefs in asked])
    return laws.mean(0), laws.std(0) / math.sqrt(BELIEFS) + 1.0 / BELIEFS


def partial_rewards_add_up(r: Rehearsal) -> None:
    """A reward in parts, in any order and late, teaches what the full one does; or the recipe refuses parts by name.

    A part that declares `FORGETS = True` makes older rewards count less, so that only parts in order must add up.
    """
    if not r.case.recipe.accepts_partial:
        refuses_parts(r.case.recipe, r.case.shape.objectives)
        return
    start = r.moments[2]
    rng = r.stream(10)
    plays = [*r.script(start, SCRIPT)]
    parts = [part for one in plays for part in split(one, rng)]
    full = learned(r, start, [(one, one.reward) for one in plays])
    orders = {
        "": parts,
        ", late and out of order,": [parts[i] for i in rng.permutation(len(parts))],
    }
    if declares(r.policy, "FORGETS"):
        orders = {"": parts}
    for how, lessons in orders.items():
        state = learned(r, start, lessons)
        off = max(
            distance(full, state), distance(believed(r, start, full), believed(r, start, state))
        )
        require(
            off <= PARTIAL,
            f"{SCRIPT} rewards in parts{how} teach otherwise than in full: off by {off:.2g}",
        )


def split(one: Play, rng: Rng) -> Iterator[tuple[Play, Array]]:
    """The reward of a decision in three parts, some of which may be empty."""
    owner = rng.integers(3, size=len(one.reward))
    for part in range(3):
        yield one, np.where(owner == part, one.reward, np.nan)


def learned(r: Rehearsal, start: Moment, lessons: list[tuple[Play, Array]]) -> Any:
    """The state after these lessons."""
    state = copied(start.state)
    rng = r.stream(11)
    for one, reward in lessons:
        state = r.update(state, one, reward, rng)
    return state


def believed(r: Rehearsal, start: Moment, state: Any) -> Any:
    """What the policy believes in that state."""
    return r.policy.beliefs(copied(state), start.context, r.arms, r.stream(12))


def refuses_parts(recipe: Recipe, objectives: int) -> None:
    """The check that every face makes lets full rewards through, and refuses parts naming the recipe."""
    whole(recipe, np.ones(objectives))
    try:
        whole(recipe, np.full(objectives, np.nan))
    except ValueError as error:
        require(type(recipe).__name__ in str(error), f"a refusal must name the recipe, got {error}")
    else:
        raise AssertionError(
            "a recipe with accepts_partial = False must be refused partial rewards"
        )


def every_reward_is_learned(r: Rehearsal) -> None:
    """Every reward changes the state, and another reward changes it otherwise; or the policy learns nothing at all."""
    state = copied(r.moments[1].state)
    rng = r.stream(13)
    missed = list[int]()
    told_apart = False
    for t, one in enumerate(r.script(r.moments[1], SCRIPT)):
        after = r.update(copied(state), one, one.reward, rng)
        told_apart = told_apart or not same(
            after, r.update(copied(state), one, 1.0 - one.reward, rng)
        )
        if same(state, after):
            missed.append(t)
        state = after
    if len(missed) < SCRIPT:
        require(
            not missed,
            f"{len(missed)} of {SCRIPT} rewards left no trace in the state: number {missed[:1]} first",
        )
        require(told_apart, f"the state is the same whatever {SCRIPT} rewards are")


def plays_repeat(r: Rehearsal) -> None:
    """The same seed plays the same arms: chance comes from the stream only, and memory is in the state."""
    first = trace(r.case, play)
    second = trace(r.case, play)
    require(first == second, difference(first, second, "the first time", "again"))


def snapshots_continue(r: Rehearsal) -> None:
    """A state that was saved as arrays, and loaded beside a policy bound anew, continues with the same choices."""
    for moment in r.moments[:-1]:
        loaded = restored(snapshot(moment.state), moment.state)
        anew = r.case.recipe.bind(r.case.shape)
        first = moment.round
        last = moment.round + BLOCK
        going = run(play, r.policy, copied(moment.state), r.arena, first, last, r.stream(14, first))
        again = run(play, anew, loaded, r.arena, first, last, r.stream(14, first))
        apart = np.flatnonzero(going.chosen != again.chosen).tolist()
        how = (
            f"choices differ in round {first + apart[0]}"
            if apart
            else "the states differ in the end"
        )
        require(
            not apart and same(going.state, again.state),
            f"saved and loaded as arrays {moment}: {how}",
        )


def changes(before: Any, after: Any) -> str:
    """Which array changed, and how, for a message."""
    for i, (a, b) in enumerate(zip(leaves(before), leaves(after), strict=True)):
        if not np.array_equal(a, b, equal_nan=True):
            return f"array {i} was {np.asarray(a).tolist()}, is {np.asarray(b).tolist()}"
    return "nothing"
