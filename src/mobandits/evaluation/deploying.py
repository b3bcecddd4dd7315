"""An agent of what was evaluated: the recipe of a target, taught by the whole log."""

from collections.abc import Mapping, Sequence
from typing import Any

from mobandits.agent.agent import Agent
from mobandits.contracts.terms import with_preference
from mobandits.errors import LogError
from mobandits.evaluation.targets import Target, learner_of
from mobandits.logs import Feedback
from mobandits.logs.streams import ParquetTable, Stream, beginning_of
from mobandits.support.naming import wrong_value


def deployed(
    target: Target,
    feedback: Feedback | Stream | None,
    log: Any,
    objectives: Sequence[Any] | None,
    options: Mapping[str, Any],
) -> Agent:
    """The agent of a target; see `Comparison.agent`."""
    learns = learner_of(target)
    if learns is None:
        raise wrong_value("an agent needs a recipe such as MolUcb()", target)
    if feedback is None:
        raise ValueError("an agent needs the log that was compared on, got a Comparison without")
    if isinstance(feedback, ParquetTable):
        raise ValueError("an agent needs a log with arms and contexts, got a table without")

    first = beginning_of(feedback)
    encoder = first.encoder
    parameters: dict[str, Any] = {
        "arms": first.arm_names,
        "features": first.contexts.shape[-1] if encoder is None else encoder,
        "objectives": first.objectives if objectives is None else objectives,
        "propensity": first.propensity_mode,
        **options,
    }
    recipe = with_preference(learns.recipe, first.preference)
    if log is not None:
        # Without it first: a recipe that cannot learn from a log must not leave a file behind.
        without_store = {key: parameters[key] for key in parameters if key != "durability"}
        Agent(recipe, **without_store).learn_log(first[:1])

    agent = Agent(recipe, **parameters, log=log)
    try:
        _refuse_events(agent)
        agent.learn_log(feedback)
    except BaseException:
        agent.close()
        raise

    return agent


def _refuse_events(agent: Agent) -> None:
    """Refuse a store in which something was learned: it would be another agent than that of the log."""
    writer = agent.core.writer
    events = 0 if writer is None else writer.position()
    if events:
        raise LogError(f"log must be a new store, got one with {events} events")
