"""What a plugin does for a request: decide, learn what it cost, and what its answer was worth."""

import logging
import time
import uuid
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mobandits_client.arguments import quoted
from mobandits_client.errors import ServiceError
from mobandits_client.integrations.attempts import AnswerBook, Attempt, AttemptBook, arms_to_try
from mobandits_client.integrations.failures import is_the_models_failure
from mobandits_client.integrations.requests import RoutedRequest
from mobandits_client.integrations.steps import Known, MadeDecision, Step, Steps

logger = logging.getLogger("mobandits_client")

Deployment = Mapping[str, Any]

MOST_OPEN = 10_000  # requests that are under way
WARN_EVERY = 60.0  # seconds, between two warnings of one kind


@dataclass(frozen=True)
class RoutingSettings:
    """What a user of a plugin may choose.

    Attributes:
        features: the context of a request; None: there is none.
        arm_of: the arm that a deployment is, or one of several that are.
        session: the session of a request, or None; None: there are none.
        groups: the model groups that are decided for; None: all that have arms of the agent.
        cost: the objective that learns what a call cost; None: that is not learned.
        latency: the objective that learns how many seconds it took; None likewise.
        failed: what a failed call is worth in other objectives; None: it teaches nothing.
        remembered: for how many answers rewards are waited for.
    """

    features: Callable[[RoutedRequest], Any] | None
    arm_of: Callable[[Deployment], str]
    session: Callable[[RoutedRequest], str | None] | None
    groups: Collection[str] | None
    cost: str | None
    latency: str | None
    failed: Mapping[str, float] | None
    remembered: int


class RequestRouting:
    """Decisions for requests, and what became of them.

    Its methods are generators of steps: see `steps`.

    Args:
        settings: of the plugin.
    """

    def __init__(self, settings: RoutingSettings) -> None:
        self.settings = settings
        self.attempts = AttemptBook(MOST_OPEN)
        self.answers = AnswerBook(settings.remembered)
        self._warned: dict[Hashable, float] = {}

    # --- before a call

    def choose(
        self,
        request: RoutedRequest,
        deployments: Sequence[Deployment],
        request_id: str,
        call_id: str,
    ) -> Steps[list[Deployment]]:
        """The deployments of the arm that the agent decides for.

        Where it cannot decide, they are as given, and the gateway chooses.

        Args:
            request: which waits.
            deployments: that could serve it now.
            request_id: the same for all attempts of a request.
            call_id: under which the end of this attempt will be told.

        Raises:
            ServiceError: where no arm fits the agent's budgets.
        """
        listed = list(deployments)
        groups = self.settings.groups
        if groups is not None and request.group not in groups:
            return listed
        try:
            return (yield from self._choose(request, listed, request_id, call_id))
        except ServiceError as error:
            if error.is_budget:
                raise
            self.warn("decide", f"the gateway chooses for {quoted(request.group)}: {error}")
        except Exception as error:  # noqa: BLE001 - features are a user's: requests go on
            self.warn("decide", f"the gateway chooses for {quoted(request.group)}: {quoted(error)}")

        return listed

    def _choose(
        self,
        request: RoutedRequest,
        deployments: list[Deployment],
        request_id: str,
        call_id: str,
    ) -> Steps[list[Deployment]]:
        known: Known = yield Step("known")
        by_arm = self._by_arm(deployments, known)
        if not by_arm:
            return deployments

        earlier = self.attempts.of_request(request_id)
        for attempt in earlier:
            # Gateways try again only what has failed.
            yield from self.fail(attempt, None)

        eligible = arms_to_try(list(by_arm), earlier)
        features = self.settings.features
        context = None if features is None else features(request)
        session_of = self.settings.session
        session = None if session_of is None else session_of(request)
        key = new_answer_id()
        made: MadeDecision = yield Step("decide", (context, eligible, key, session))
        if made.arm not in by_arm:
            # The fallback arm of a client, which is no arm of this group.
            yield from self._abandon(made)
            return deployments

        chosen = by_arm[made.arm]
        names = frozenset(deployment_id(deployment) for deployment in chosen)
        self.attempts.add(Attempt(request_id, call_id, made, key, names))

        return chosen

    def _by_arm(
        self, deployments: Sequence[Deployment], known: Known
    ) -> dict[str, list[Deployment]]:
        """The deployments of each arm that the agent has."""
        by_arm: dict[str, list[Deployment]] = {}
        unknown = set()
        for deployment in deployments:
            arm = self.settings.arm_of(deployment)
            if known.arms is None or arm in known.arms:
                by_arm.setdefault(arm, []).append(deployment)
            else:
                unknown.add(arm)
        if by_arm and unknown:
            names = quoted(sorted(unknown))
            self.warn(names, f"deployments are never chosen, as the agent has no arm of {names}")

        return by_arm

    # --- after a call

    def succeed(
        self,
        attempt: Attempt,
        answer: str | None,
        rewards: Mapping[str, float],
    ) -> Steps[None]:
        """An attempt was answered.

        Args:
            attempt: which.
            answer: the id of the answer; None where it has none.
            rewards: that were measured.
        """
        if not self.attempts.close(attempt):
            return

        self.attempts.forget(attempt)
        early = {} if answer is None else self.answers.name(answer, attempt.made)
        yield from self._reward(attempt.made, {**rewards, **early})

    def name(self, attempt: Attempt, answer: str) -> Steps[None]:
        """The id of the answer to an attempt is known, before the attempt has ended."""
        early = self.answers.name(answer, attempt.made)
        if early:
            yield from self._reward(attempt.made, early)

    def fail(
        self,
        attempt: Attempt,
        error: BaseException | None,
        cost: float = 0.0,
    ) -> Steps[None]:
        """An attempt has failed.

        Args:
            attempt: which.
            error: why; None where that is not known.
            cost: of what was generated before.
        """
        if not self.attempts.close(attempt):
            return

        failed = self.settings.failed
        if failed is None or not is_the_models_failure(error):
            yield from self._abandon(attempt.made)
            return

        seconds = time.monotonic() - attempt.started
        measured = self.measured(cost, seconds)
        yield from self._reward(attempt.made, {**measured, **failed})

    def drop(self, attempt: Attempt) -> Steps[None]:
        """An attempt was answered by no model, such as from a cache."""
        if self.attempts.close(attempt):
            self.attempts.forget(attempt)
            yield from self._abandon(attempt.made)

    def report(self, answer: str, rewards: Mapping[str, float]) -> Steps[bool]:
        """What an answer was worth.

        Returns:
            Whether it was learned; False where the answer is not known yet, and it will be learned
            once it is.

        Raises:
            ServiceError: where the agent's service refuses.
            ValueError: where the rewards do not fit the agent.
        """
        made = self.answers.find_or_keep(answer, rewards)
        if made is None:
            return False

        yield Step("reward", (made, dict(rewards)))

        return True

    def measured(self, cost: float | None, seconds: float | None) -> dict[str, float]:
        """The rewards that a gateway measures itself.

        Args:
            cost: of a call; None where the gateway knows no price.
            seconds: that it took; None where that is not known.
        """
        settings = self.settings
        rewards = {}
        if settings.cost is not None and cost is not None:
            rewards[settings.cost] = float(cost)
        if settings.latency is not None and seconds is not None:
            rewards[settings.latency] = float(seconds)

        return rewards

    def warn(self, kind: Hashable, message: str) -> None:
        """Warn, unless that was done within the last minute: requests come by the thousand."""
        now = time.monotonic()
        if now - self._warned.get(kind, -WARN_EVERY) >= WARN_EVERY:
            self._warned[kind] = now
            logger.warning("routing: %s", message)

    # ---

    def _reward(self, made: MadeDecision, rewards: Mapping[str, float]) -> Steps[None]:
        """Have the agent learn those rewards whose objectives it has."""
        known: Known = yield Step("known")
        names = known.objectives
        told = {name: value for name, value in rewards.items() if names is None or name in names}
        if not told:
            return
        try:
            yield Step("reward", (made, told))
        except Exception as error:  # noqa: BLE001 - of any agent: the request was answered
            self.warn("reward", f"a reward was not learned: {error}")

    def _abandon(self, made: MadeDecision) -> Steps[None]:
        try:
            yield Step("abandon", (made,))
        except Exception as error:  # noqa: BLE001 - likewise
            self.warn("abandon", f"a decision was not abandoned: {error}")


def arm_of_deployment(deployment: Deployment) -> str:
    """The arm of a deployment: `arm` of its `model_info`, or else the model that it calls.

    Example:
        >>> parameters = {"model": "openai/gpt-5-mini"}
        >>> arm_of_deployment({"litellm_params": parameters, "model_info": {"id": "7"}})
        'openai/gpt-5-mini'
        >>> arm_of_deployment({"litellm_params": parameters, "model_info": {"arm": "small"}})
        'small'
    """
    information = deployment.get("model_info") or {}
    arm = information.get("arm")
    if arm is not None:
        return str(arm)

    return str(deployment["litellm_params"]["model"])


def deployment_id(deployment: Deployment) -> str:
    """The gateway's own name of a deployment."""
    information = deployment.get("model_info") or {}
    return str(information.get("id"))


def new_answer_id() -> str:
    """An id that no answer has, in the form of OpenAI's."""
    return f"chatcmpl-{uuid.uuid4().hex}"
