"""Why an agent would decide as it did, by what it believes now."""

from mobandits.agent import Agent, Decision
from mobandits.logs.store import Store
from mobandits.logs.store.lookup import RecordedDecision
from mobandits.service.messages import Estimate, Explained
from mobandits.service.problems import Problem


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
    rows = explanation.table.to_dicts()
    estimates = [Estimate(**row) for row in rows]

    return Explained(str(decision.id), explanation.sentence, estimates)


def decision_again(agent: Agent, store: Store, found: RecordedDecision) -> Decision:
    """A decision as the agent made it; arguments and errors as of `explanation_of`."""
    event = found.event
    number = event["id"]
    for kind in ("add", "remove"):
        if store.first_change(kind, found.seq) is not None:
            raise Problem(409, f"decision {number} had other arms than there are now")

    names = store.arm_names
    arms = agent.arms
    context = event.get("context")
    eligible = arms
    if "eligible" in event:
        eligible = tuple(names[place] for place in event["eligible"])
    if context is not None and len(context) == len(arms) > 1:
        # The store has a row for every arm, and explanations are of the eligible ones.
        places = [arms.index(name) for name in eligible]
        context = context[places]

    return Decision(
        number,
        names[event["arm"]],
        event["propensity"],
        context=context,
        eligible=eligible,
    )
