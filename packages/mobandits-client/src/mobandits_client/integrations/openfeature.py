"""The OpenFeature provider: agents of a service decide flags, tracking events are their rewards."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, NoReturn

from mobandits_client.choice import Choice
from mobandits_client.client import Client
from mobandits_client.errors import ServiceError
from mobandits_client.integrations.attempts import Latest

try:
    from openfeature.evaluation_context import EvaluationContext
    from openfeature.exception import FlagNotFoundError, GeneralError, TypeMismatchError
    from openfeature.flag_evaluation import FlagResolutionDetails, Reason
    from openfeature.provider import AbstractProvider, Metadata
    from openfeature.track import TrackingEventDetails
except ModuleNotFoundError as error:
    message = "mobandits_client.integrations.openfeature needs: pip install openfeature-sdk"
    raise ImportError(message) from error

__all__ = ["BanditProvider"]

LOG = logging.getLogger("mobandits_client")
CONTEXT = "context"  # the attribute whose value is the context, as numbers
DECISION = "decision"  # of a tracking event: the number of the decision that it rewards


class BanditProvider(AbstractProvider):  # type: ignore[misc] # OpenFeature need not be installed
    """OpenFeature's provider for agents of a service: a flag is an agent, its value an arm.

    A string flag is the name of the arm, an object flag ``{"arm", "front", "propensity"}``; other
    types are a mismatch. Every evaluation is a decision, whose number is ``decision`` in the
    metadata of the flag. Where the service refuses, or does not answer and the client has no
    fallback, OpenFeature returns the default value.

    A tracking event with the name of an agent is a reward: its attributes are objectives. It
    belongs to the attribute ``decision``, if there is one, or else to the last decision of this
    process for the same targeting key. Events with other names are not the provider's.

    Args:
        clients: one per agent; `shutdown` closes them.
        remembered: the number of targeting keys whose last decision is remembered.

    Example:
        >>> provider = BanditProvider(Client("http://127.0.0.1:8787", agent="banner"))
        >>> provider.get_metadata().name
        'mobandits'
        >>> provider.shutdown()
    """

    def __init__(self, *clients: Client, remembered: int = 100_000) -> None:
        super().__init__()
        self._clients = {client.agent: client for client in clients}
        self._choices = Latest[tuple[str, str], Choice](remembered)

    def get_metadata(self) -> Metadata:
        """The name of the provider."""
        return Metadata(name="mobandits")

    def shutdown(self) -> None:
        """Report what is left, and close the clients."""
        for client in self._clients.values():
            client.close()

    def resolve_string_details(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """The arm to play."""
        choice = self._decide(flag_key, evaluation_context)
        return _resolution(choice.arm, choice)

    async def resolve_string_details_async(
        self,
        flag_key: str,
        default_value: str,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[str]:
        """The arm to play, asked for in a thread."""
        return await asyncio.to_thread(
            self.resolve_string_details, flag_key, default_value, evaluation_context
        )

    def resolve_object_details(
        self,
        flag_key: str,
        default_value: Any,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Any]:
        """The arm to play, the arms that could have been played, and the arm's probability."""
        choice = self._decide(flag_key, evaluation_context)
        front = None if choice.front is None else list(choice.front)
        value = {"arm": choice.arm, "front": front, "propensity": choice.propensity}

        return _resolution(value, choice)

    async def resolve_object_details_async(
        self,
        flag_key: str,
        default_value: Any,
        evaluation_context: EvaluationContext | None = None,
    ) -> FlagResolutionDetails[Any]:
        """Likewise, asked for in a thread."""
        return await asyncio.to_thread(
            self.resolve_object_details, flag_key, default_value, evaluation_context
        )

    def resolve_boolean_details(
        self,
        flag_key: str,
        default_value: bool,
        evaluation_context: EvaluationContext | None = None,
    ) -> NoReturn:
        """Refused: an arm is a name."""
        raise TypeMismatchError(f"flag {flag_key} must be read as a string or an object")

    resolve_integer_details = resolve_boolean_details
    resolve_float_details = resolve_boolean_details

    def track(
        self,
        tracking_event_name: str,
        evaluation_context: EvaluationContext | None = None,
        tracking_event_details: TrackingEventDetails | None = None,
    ) -> None:
        """Report the attributes of an event as the rewards of a decision."""
        client = self._clients.get(tracking_event_name)
        if client is None or tracking_event_details is None:
            return

        rewards = dict(tracking_event_details.attributes)
        number = rewards.pop(DECISION, None)
        if number is not None:
            choice = Choice(arm="", key="", decision=str(number))
        else:
            found = self._choices.get((tracking_event_name, _subject(evaluation_context)))
            if found is None:
                LOG.warning("rewards of %s belong to no known decision", tracking_event_name)
                return
            choice = found

        try:
            client.reward(choice, rewards)
        except ServiceError as error:
            # An event may not fail the application that reports it.
            LOG.warning("rewards of %s were refused: %s", tracking_event_name, error)

    def _decide(self, flag_key: str, evaluation_context: EvaluationContext | None) -> Choice:
        client = self._clients.get(flag_key)
        if client is None:
            raise FlagNotFoundError(f"flag must be one of {sorted(self._clients)}, got {flag_key}")

        try:
            choice = client.decide(_context(evaluation_context))
        except ServiceError as error:
            raise GeneralError(str(error)) from error

        subject = _subject(evaluation_context)
        if subject:
            self._choices[flag_key, subject] = choice

        return choice


def _subject(evaluation_context: EvaluationContext | None) -> str:
    key = None if evaluation_context is None else evaluation_context.targeting_key
    return key or ""


def _context(evaluation_context: EvaluationContext | None) -> Any:
    """The context of a decision: the attribute `context`, or else the attributes as columns."""
    attributes: Mapping[str, Any] = (
        {} if evaluation_context is None else evaluation_context.attributes
    )
    return attributes.get(CONTEXT, dict(attributes) or None)


def _resolution(value: Any, choice: Choice) -> FlagResolutionDetails[Any]:
    metadata: dict[str, Any] = {}
    if choice.decision is not None:
        metadata[DECISION] = choice.decision
    if choice.propensity is not None:
        metadata["propensity"] = choice.propensity

    reason = Reason.DEFAULT if choice.is_fallback else Reason.SPLIT
    return FlagResolutionDetails(value, reason=reason, variant=choice.arm, flag_metadata=metadata)
