"""Why an agent would decide as it did, by what it believes now."""

import contextlib

import numpy as np

from mobandits.agent import Agent, Decision
from mobandits.logs.store import Store
from mobandits.logs.store.lookup import RecordedDecision
from mobandits_client.messages import Estimate, Explained
from mobandits_service.problems import Problem
from mobandits_service.recent_rounds import asked_again


def explanation_of(agent: Agent, store: Store, found: RecordedDecision) -> Explained:
    """The explanation of a decision that an agent made.

    Args:
        agent: which made it.
        store: of the agent.
        found: the decision there.

    Raises:
        Problem: where it cannot be explained any more.
    """
    decision = decision_again(agent, store, found)
    explanation = agent.explain(decision)
    # No table: to import Polars takes a second, in which the service answers nobody.
    estimates = [Estimate(**row) for row in explanation.rows]

    return Explained(str(decision.id), explanation.sentence, estimates)


def rehearse_explanation(agent: Agent) -> None:
    """Explain a decision that was never made: what that needs is compiled or loaded afterwards.

    Nothing changes. An agent that has decided nothing does not know yet what it will play.
    """
    core = agent.core
    if core.bound.stage == 0:
        return

    rows = 1 if core.contexts.shared else len(agent.arms)
    context = np.ones((rows, agent.features))
    decision = Decision(0, agent.arms[0], None, context=context, eligible=agent.arms)
    # Some recipes cannot be explained: whoever asks for it is told so.
    with contextlib.suppress(Exception):
        agent.explain(decision)


def decision_again(agent: Agent, store: Store, found: RecordedDecision) -> Decision:
    """A decision as the agent made it; arguments and errors as of `explanation_of`."""
    event = found.event
    number = event.id
    for kind in ("add", "remove"):
        if store.first_change(kind, found.seq) is not None:
            raise Problem(409, f"decision {number} had other arms than there are now")

    asked = asked_again(agent.core, found, store.arm_names)
    assert asked is not None  # noqa: S101 - its arms are the present ones

    return Decision(
        number,
        asked.arm,
        event.propensity,
        context=asked.rows,
        eligible=asked.names,
        kept=event.kept,
    )
