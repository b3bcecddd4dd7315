"""Parameters of an agent: what its constructor is given, and how events of the log describe it."""

from typing import Any

from mobandits.agent.core import AgentCore
from mobandits.logs.events import Description
from mobandits.logs.log_description import objectives_as_data, objectives_of_data
from mobandits.logs.objectives import Names, Objectives
from mobandits.logs.parts_as_data import described, made
from mobandits.support.naming import short_repr

# Arguments of the constructor, by name.
Parameters = dict[str, Any]
# What `retune` changes, by the names of `parameters_of`.
CHANGEABLE = ("recipe", "pending", "max_age", "propensity", "objectives")


def parameters_of(core: AgentCore) -> Parameters:
    """The arguments that make an agent like this one; see `new_parts` for the others."""
    pending = core.pending
    return {
        "recipe": core.recipe,
        "objectives": core.objectives,
        "features": core.declared_features,
        "seed": core.seed,
        "propensity": core.propensity,
        "samples": core.samples,
        "rounds": core.rounds,
        "pending": pending.limit,
        "max_age": pending.max_age,
        "remembered": pending.remembered,
    }


def new_parts(core: AgentCore, arms: Names) -> Parameters:
    """The arguments beside `parameters_of` that make an agent which begins with these arms."""
    budgets = [account.budget for account in core.ledger.accounts]
    sticky = core.sessions.seconds
    return {"arms": arms, "clock": core.clock, "budgets": budgets, "sticky": sticky}


def as_described(parameters: Parameters) -> Description:
    """The parameters that `retune` changes, as the description of a store has them."""
    return {
        "recipe": short_repr(parameters["recipe"]),
        "limit": int(parameters["pending"]),
        "max_age": parameters["max_age"],
        "propensity": parameters["propensity"],
        **objectives_as_data(parameters["objectives"]),
    }


def as_recorded(parameters: Parameters) -> Description:
    """The same as an event of `retune` has them; see `parameters_in`."""
    return as_described(parameters) | {"recipe": described(parameters["recipe"], "recipe")}


def parameters_in(recorded: Description, core: AgentCore) -> Parameters:
    """The parameters of an agent when an event recorded some of them."""
    return parameters_of(core) | {
        "recipe": made(recorded["recipe"], "recipe"),
        "objectives": objectives_in(recorded, core),
        "pending": recorded["limit"],
        "max_age": recorded["max_age"],
        "propensity": recorded["propensity"],
    }


def objectives_in(recorded: Description, core: AgentCore) -> Objectives:
    """The objectives that an event records; else those of the agent."""
    if "objectives" not in recorded:
        return core.objectives
    return objectives_of_data(recorded, "event")
