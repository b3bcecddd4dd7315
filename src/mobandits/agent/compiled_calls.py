"""What an agent does in compiled form: a decision, many decisions, a lesson. Inputs are checked on the way."""

import math
from typing import Any

from mobandits.compiling.compiled import kernel
from mobandits.compiling.notes import note_like, numbers_of
from mobandits.compiling.session import Session
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Policy, Rng
from mobandits.numerics.linalg import dot

OUTSIDE = -1  # in place of an arm: the context has a number that is not allowed


@kernel
def allowed(context: Array, low: float, high: float) -> bool:
    """Whether all coordinates lie in [low, high]; NaN does not."""
    inside = True
    for row in range(len(context)):
        for i in range(context.shape[1]):
            inside &= (
                low <= context[row, i] <= high
            )  # no early exit: most contexts are as they should be
    return inside


def decide(
    session: Session, context: Array, arms: IntArray, low: float, high: float
) -> tuple[int, tuple[float, ...], float]:
    """The position of the arm to play (or `OUTSIDE`), the numbers of its note, and the norm of the arm's features.

    Args:
        session: of the policy.
        context: (arms or 1, features).
        arms: the eligible arms.
        low: the least coordinate that a context may have.
        high: the largest one.
    """
    if not allowed(context, low, high):
        return OUTSIDE, numbers_of(session.note), 0.0
    policy = session.policy
    rng = session.rng
    choice = policy.draw(policy.beliefs(session.state, context, arms, rng), rng)
    x = context[choice.arm if len(context) > 1 else 0]
    return choice.arm, numbers_of(choice.note), math.sqrt(dot(x, x))


def decide_openly(
    session: Session,
    context: Array,
    arms: IntArray,
    low: float,
    high: float,
    law: Array,
    scores: Array | None,
) -> tuple[int, tuple[float, ...], float]:
    """As `decide`, and what the decision rests on.

    Args:
        session: of the policy.
        context: (arms or 1, features).
        arms: the eligible arms.
        low: the least coordinate that a context may have.
        high: the largest one.
        law: (arms,) out: the probabilities of the arms, given the beliefs.
        scores: (arms, objectives) out: the means believed in; None where beliefs are of another kind.
    """
    if not allowed(context, low, high):
        return OUTSIDE, numbers_of(session.note), 0.0
    policy = session.policy
    rng = session.rng
    beliefs = policy.beliefs(session.state, context, arms, rng)
    choice = policy.draw(beliefs, rng)
    if choice.arm < 0:  # nothing is best where beliefs are no numbers
        return OUTSIDE, numbers_of(session.note), 0.0
    law[:] = policy.probabilities(beliefs)
    if scores is not None:
        scores[:] = beliefs.mean
    x = context[choice.arm if len(context) > 1 else 0]
    return choice.arm, numbers_of(choice.note), math.sqrt(dot(x, x))


def law_of(
    session: Session,
    context: Array,
    arms: IntArray,
    rng: Rng,
    draws: int,
    total: Array,
    squares: Array,
) -> None:
    """Add to `total` and `squares` (arms,) the probabilities given `draws` beliefs, drawn anew, and their squares."""
    for _ in range(draws):
        law = session.policy.probabilities(
            session.policy.beliefs(session.state, context, arms, rng)
        )
        for a in range(len(law)):
            total[a] += law[a]
            squares[a] += law[a] * law[a]


def believe(policy: Policy, session: Session, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
    """What `policy` would act on if it knew what the session's knows."""
    beliefs: Beliefs = policy.beliefs(session.state, context, arms, rng)
    return beliefs


def put_links(links: Any, values: Array) -> None:
    """Replace linear predictors (arms, objectives) by mean rewards: `links.mean(objective, predictor)`."""
    for a in range(values.shape[0]):
        for l in range(values.shape[1]):
            values[a, l] = links.mean(l, values[a, l])


def decide_many(
    session: Session,
    contexts: Array,
    arms: IntArray,
    low: float,
    high: float,
    chosen: IntArray,
    said: Array,
) -> None:
    """Independent decisions in the present state: `chosen` (contexts,) and `said` out.

    `contexts` is (contexts, arms or 1, features); where one of them is not allowed, no decision is made.
    """
    for t in range(len(contexts)):
        if not allowed(contexts[t], low, high):
            chosen[0] = OUTSIDE
            return
    policy = session.policy
    state = session.state
    rng = session.rng
    for t in range(len(contexts)):
        choice = policy.draw(policy.beliefs(state, contexts[t], arms, rng), rng)
        x = contexts[t, choice.arm if contexts.shape[1] > 1 else 0]
        chosen[t] = choice.arm
        said[t, 0] = math.sqrt(dot(x, x))
        numbers = numbers_of(choice.note)
        for i in range(len(numbers)):
            said[t, 1 + i] = numbers[i]


def learn(session: Session, x: Array, arm: int, numbers: tuple[float, ...], reward: Array) -> None:
    """Teach the policy a reward, (objectives,), NaN where it was not observed; `numbers` are those of the note."""
    note = note_like(session.note, numbers)
    session.state = session.policy.update(session.state, x, arm, note, reward, session.rng)
