"""The compiled calls of an agent: a decision, many decisions, an update.

Inputs are checked on the way.
"""

import math
from typing import Any

from mobandits.compiling.compiled import kernel
from mobandits.compiling.notes import note_like, numbers_of
from mobandits.compiling.session import Session, stores_arguments
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Policy, Rng
from mobandits.numerics.linalg import dot

OUTSIDE = -1  # in place of an arm: the context has a number that is not allowed

# The position of an arm, the numbers of the choice's note, and the norm of the arm's features.
CompiledDecision = tuple[int, tuple[float, ...], float]


@kernel
def is_within(context: Array, low: float, high: float) -> bool:
    """Whether all coordinates lie in [low, high]; NaN does not."""
    # One loop over all numbers: rows are too short for vector instructions.
    numbers = context.ravel()
    inside = True
    for i in range(len(numbers)):
        # No early exit: most contexts are as they should be, and a loop without one is faster.
        inside &= (low <= numbers[i]) & (numbers[i] <= high)

    return inside


def decide(
    session: Session, context: Array, arms: IntArray, low: float, high: float
) -> CompiledDecision:
    """A decision: position of the arm (or `OUTSIDE`), numbers of the note, norm of the features.

    Args:
        session: of the policy.
        context: (arms or 1, features).
        arms: the eligible arms.
        low: the least coordinate that a context may have.
        high: the largest one.
    """
    # Checked here and not in Python, where a pass over the context costs a microsecond.
    if not is_within(context, low, high):
        return OUTSIDE, numbers_of(session.note), 0.0

    policy = session.policy
    rng = session.rng
    beliefs = policy.beliefs(session.state, context, arms, rng)
    choice = policy.draw(beliefs, rng)
    x = context[choice.arm if len(context) > 1 else 0]

    return choice.arm, numbers_of(choice.note), math.sqrt(dot(x, x))


def decide_with_probabilities(
    session: Session,
    context: Array,
    arms: IntArray,
    low: float,
    high: float,
    probabilities: Array,
    scores: Array | None,
) -> CompiledDecision:
    """As `decide`, and what the decision rests on.

    Args:
        session: of the policy.
        context: (arms or 1, features).
        arms: the eligible arms.
        low: the least coordinate that a context may have.
        high: the largest one.
        probabilities: (arms,) out: of the arms, given the beliefs.
        scores: (arms, objectives) out: the means believed in; None where beliefs are of another
            kind.
    """
    if not is_within(context, low, high):
        return OUTSIDE, numbers_of(session.note), 0.0

    policy = session.policy
    rng = session.rng
    beliefs = policy.beliefs(session.state, context, arms, rng)
    choice = policy.draw(beliefs, rng)
    if choice.arm < 0:  # nothing is best where beliefs are no numbers
        return OUTSIDE, numbers_of(session.note), 0.0

    probabilities[:] = policy.probabilities(beliefs)
    if scores is not None:
        scores[:] = beliefs.mean

    x = context[choice.arm if len(context) > 1 else 0]

    return choice.arm, numbers_of(choice.note), math.sqrt(dot(x, x))


def add_probabilities(
    session: Session,
    context: Array,
    arms: IntArray,
    rng: Rng,
    draws: int,
    total: Array,
    squares: Array,
) -> None:
    """Add up probabilities of arms, given beliefs that are drawn anew, and their squares.

    Args:
        session: of the policy.
        context: (arms or 1, features).
        arms: the eligible arms.
        rng: that beliefs are drawn from.
        draws: how many beliefs.
        total: (arms,) out: the probabilities are added.
        squares: (arms,) out: their squares are.
    """
    policy = session.policy
    for _ in range(draws):
        beliefs = policy.beliefs(session.state, context, arms, rng)
        probabilities = policy.probabilities(beliefs)
        for a in range(len(probabilities)):
            p = probabilities[a]
            total[a] += p
            squares[a] += p * p


def all_break_limits(session: Session, context: Array, arms: IntArray) -> bool:
    """Whether every arm breaks a limit of the policy, so that the least bad ones are played.

    Args:
        session: of a policy with limits.
        context: (arms or 1, features).
        arms: the eligible arms.
    """
    policy: Any = session.policy
    eases: bool = policy.eases(session.state, context, arms, session.rng)
    return eases


def beliefs_in_state(
    session: Session, policy: Policy, context: Array, arms: IntArray, rng: Rng
) -> Beliefs:
    """Beliefs that `policy` would act on if it had the session's state."""
    beliefs: Beliefs = policy.beliefs(session.state, context, arms, rng)
    return beliefs


def apply_links(session: Session, links: Any, values: Array) -> None:  # noqa: ARG001 - as all
    """Replace linear predictors, (arms, objectives), by mean rewards."""
    arms, objectives = values.shape
    for a in range(arms):
        for l in range(objectives):
            predictor = values[a, l]
            values[a, l] = links.mean(l, predictor)


def decide_many(
    session: Session,
    contexts: Array,
    arms: IntArray,
    low: float,
    high: float,
    chosen: IntArray,
    norms_and_notes: Array,
) -> None:
    """Independent decisions in the present state, none of them where a context is not allowed.

    Args:
        session: of the policy.
        contexts: (contexts, arms or 1, features).
        arms: the eligible arms, in all of them.
        low: the least coordinate that a context may have.
        high: the largest one.
        chosen: (contexts,) out: positions of arms; the first is `OUTSIDE` where no decision is
            made.
        norms_and_notes: (contexts, 1 and numbers of a note) out: the norm of the arm's features,
            and the note.
    """
    # All of them before the first decision: none is made where one context is refused, and no
    # number has been drawn then.
    for t in range(len(contexts)):
        if not is_within(contexts[t], low, high):
            chosen[0] = OUTSIDE
            return

    policy = session.policy
    state = session.state
    rng = session.rng
    for t in range(len(contexts)):
        beliefs = policy.beliefs(state, contexts[t], arms, rng)
        choice = policy.draw(beliefs, rng)
        x = contexts[t, choice.arm if contexts.shape[1] > 1 else 0]
        chosen[t] = choice.arm
        norms_and_notes[t, 0] = math.sqrt(dot(x, x))
        note = numbers_of(choice.note)
        for i in range(len(note)):
            norms_and_notes[t, 1 + i] = note[i]


@stores_arguments
def update_many(session: Session, x: Array, arms: IntArray, rewards: Array) -> None:
    """Teach the policy many rewards, one after the other, of a policy whose notes mean nothing.

    Args:
        session: of the policy.
        x: (rounds, features) of the arms that were played.
        arms: (rounds,) their slots.
        rewards: (rounds, objectives), NaN where not observed.
    """
    policy = session.policy
    note = session.note
    rng = session.rng
    state = session.state
    for t in range(len(arms)):
        state = policy.update(state, x[t], arms[t], note, rewards[t], rng)

    session.state = state


@stores_arguments
def update_state(
    session: Session, x: Array, arm: int, numbers: tuple[float, ...], reward: Array
) -> None:
    """Teach the policy a reward.

    Args:
        session: of the policy.
        x: (features,) of the arm that was played.
        arm: its slot.
        numbers: of the note of its choice.
        reward: (objectives,), NaN where it was not observed.
    """
    policy = session.policy
    note = note_like(session.note, numbers)
    # An update consumes the state that it is given: the session holds the new one only.
    session.state = policy.update(
        session.state,
        x,
        arm,
        note,
        reward,
        session.rng,
    )
