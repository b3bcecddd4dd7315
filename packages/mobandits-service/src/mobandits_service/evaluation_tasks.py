"""What a process is to evaluate, and what it answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from mobandits.agent.parts import with_order
from mobandits.contracts.protocols import Assumption, Policy, Recipe, Shape, Stage
from mobandits.spec import build
from mobandits.support.checks import choice
from mobandits_client.messages import EvaluationResult, EvaluationWanted
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.preferences import fitting_order
from mobandits_service.specification import AgentSpecification

TARGETS = ("policy", "preference", "arm")  # fields, of which one is given


class EvaluationTask(msgspec.Struct, forbid_unknown_fields=True):
    """What a process is to evaluate.

    Attributes:
        store: the path of the file, or the URL of the database; it may hold a password, and is not
            kept with the task.
        agent: whose log it is.
        specification: of the agent.
        wanted: what the client asked for.
    """

    store: str
    agent: str
    specification: AgentSpecification
    wanted: EvaluationWanted


class EvaluationAnswer(msgspec.Struct):
    """What a process answers: a result, or why there is none."""

    result: EvaluationResult | None = None
    error: str | None = None


@dataclass(frozen=True)
class WithPreference(Recipe):
    """A recipe whose policies compare arms by another order."""

    recipe: Recipe
    order: Any

    def bind(self, shape: Shape) -> Policy:
        """The recipe's policy, with the order."""
        policy = self.recipe.bind(shape)
        ordered: Policy = with_order(policy, self.order)
        return ordered

    def stages(self, shape: Shape) -> Iterator[Stage]:
        """The recipe's stages, each with the order."""
        for stage in self.recipe.stages(shape):
            policy = with_order(stage.policy, self.order)
            yield Stage(policy, stage.rounds)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the recipe."""
        return self.recipe.assumptions()


def wanted_recipe(task: EvaluationTask) -> Recipe | None:
    """The recipe that was asked for; None where that is an arm.

    Raises:
        ValueError: where there is no such policy or order.
    """
    wanted = task.wanted
    if wanted.policy is not None:
        recipe: Recipe = build("policies", wanted.policy, "policy")
        return recipe
    if wanted.preference is not None:
        order = build("orders", wanted.preference, "preference")
        return WithPreference(task.specification.recipe(), order)

    return None


def check_task(hosted: HostedAgent, task: EvaluationTask) -> None:
    """Refuse what cannot be evaluated, before it waits.

    Raises:
        ValueError: naming the field.
    """
    wanted = task.wanted
    given = [name for name in TARGETS if getattr(wanted, name) is not None]
    if len(given) != 1:
        shown = " and ".join(given) or "none"
        raise ValueError(f"policy, preference or arm must be given, one of them, got {shown}")
    if not wanted.estimators:
        raise ValueError("estimators must have at least one, got none")
    if wanted.arm is not None:
        choice("arm", wanted.arm, [str(name) for name in hosted.arm_names])
    if wanted.preference is not None:
        core = hosted.agent.core
        order = fitting_order(core, wanted.preference, "preference")
        with_order(core.bound.any_policy(), order)

    wanted_recipe(task)
