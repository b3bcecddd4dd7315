"""The plugin for LiteLLM: an agent that chooses the model of each request, and learns from it."""

import uuid
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mobandits_client.arguments import check_count, quoted
from mobandits_client.errors import ServiceError
from mobandits_client.integrations.attempts import Attempt
from mobandits_client.integrations.deciders import (
    ServiceDecider,
    WaitingServiceDecider,
    decider_of,
)
from mobandits_client.integrations.requests import RoutedRequest, prompt_features
from mobandits_client.integrations.routing import (
    Deployment,
    RequestRouting,
    RoutingSettings,
    arm_of_deployment,
    deployment_id,
)
from mobandits_client.integrations.steps import Steps, run_awaiting, run_waiting

try:
    import litellm
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.router_utils.cooldown_handlers import get_cooldown_deployments
except ModuleNotFoundError as error:
    remedy = "pip install 'mobandits-client[litellm]'"
    message = f"mobandits_client.integrations.litellm needs the extra `litellm`: {remedy}"
    raise ImportError(message) from error

__all__ = [
    "BanditRouting",
    "RoutedRequest",
    "arm_of_deployment",
    "litellm_session",
    "prompt_features",
]

MARK = "mobandits_request"  # in a request's metadata, which LiteLLM hands on to further attempts
METADATA = ("metadata", "litellm_metadata")
# What LiteLLM itself leaves out of a further attempt, after plugins were asked.
LEFT_OUT = ("_excluded_deployment_ids", "_retry_skipped_deployment_ids")
# LiteLLM copies what is in the first list into the others.
CALLBACK_LISTS = (
    "callbacks",
    "input_callback",
    "success_callback",
    "failure_callback",
    "_async_input_callback",
    "_async_success_callback",
    "_async_failure_callback",
)
FAILED = MappingProxyType({"quality": 0.0})


class BanditRouting(CustomLogger):  # type: ignore[misc] # LiteLLM need not be installed
    """LiteLLM's plugin for routing and for logging in one: an agent chooses the models.

    The arms of the agent are models: `model_info.arm` of LiteLLM's deployments, or else
    `litellm_params.model`. Several deployments may be one arm: LiteLLM chooses among them.

    For each request the agent decides among the arms that LiteLLM would call now. It learns by
    itself what the call cost, by LiteLLM's prices, and how many seconds it took; streams count to
    their end. What the answer was worth is reported by its id, with `report`; or, where the agent
    is one of a service, by anybody with `POST /v1/agents/{agent}/rewards` and the id as the `key`.

    A call that fails is learned with quality 0. When LiteLLM tries again, the agent decides among
    the arms that have not failed, those on the front of its first decision before others. Failures
    that no other model would have avoided, and answers from a cache, teach nothing.

    Where the agent cannot decide, such as in a group without its arms, or while its service is
    down and the client has no fallback, LiteLLM chooses as it does without the plugin. Where a
    budget of the agent is used up, the request is refused with LiteLLM's `BudgetExceededError`;
    LiteLLM's `fallbacks` may then name a group that the plugin does not decide for.

    With `litellm.Router` use `install`. In a proxy name the object in the configuration, under
    `litellm_settings: callbacks`.

    Args:
        decider: an `Agent` of mobandits in this process, or the `AsyncClient` or `Client` of a service. Calls
            of LiteLLM that wait, such as `Router.completion`, need an `Agent` or a `Client`.
        features: a function of the `RoutedRequest` that returns a context for the agent; None:
            there is none. By default three numbers, see `prompt_features`.
        arm_of: a function of a deployment that returns its arm.
        session: a function of the `RoutedRequest` that returns its session or None, such as
            `litellm_session`, for an agent with `sticky`: a session then keeps its model while the
            model has the prompt cached. None: there are no sessions.
        groups: the model groups to decide for; None: all that have arms of the agent.
        cost: the objective for the cost in dollars; None: it is not learned, as where the agent
            has no such objective.
        latency: the objective for the seconds; None likewise.
        failed: what a failed call is worth, besides its cost and latency; None: it teaches nothing.
        measure: a function of LiteLLM's details of a call and of the response, which returns
            further rewards, such as {"tokens": 1200.0}.
        rename: whether a proxy gives answers the key of their decision as their id, so that a
            service finds the decision by it, also where several proxies ask one service; None:
            where the agent is one of a service. Ids of providers are then seen in logs only.
        remembered: for how many answers reports are waited for.

    Raises:
        ValueError: where a parameter does not fit.

    Example:
        >>> from mobandits_client import Client
        >>> client = Client("http://127.0.0.1:8787", agent="router")
        >>> BanditRouting(client)
        BanditRouting(WaitingServiceDecider, 0 requests under way)
        >>> client.close()
    """

    def __init__(
        self,
        decider: Any,
        *,
        features: Callable[[RoutedRequest], Any] | None = prompt_features,
        arm_of: Callable[[Deployment], str] = arm_of_deployment,
        session: Callable[[RoutedRequest], str | None] | None = None,
        groups: Collection[str] | None = None,
        cost: str | None = "cost",
        latency: str | None = "latency",
        failed: Mapping[str, float] | None = FAILED,
        measure: Callable[[Mapping[str, Any], Any], Mapping[str, float]] | None = None,
        rename: bool | None = None,
        remembered: int = 100_000,
    ) -> None:
        super().__init__()
        check_count("remembered", remembered)
        self.decider = decider_of(decider)
        settings = RoutingSettings(
            features, arm_of, session, groups, cost, latency, failed, remembered
        )
        self.routing = RequestRouting(settings)
        self._measure = measure
        is_of_service = isinstance(self.decider, ServiceDecider | WaitingServiceDecider)
        self._renames = is_of_service if rename is None else rename

    def __repr__(self) -> str:
        name = type(self.decider).__name__
        return f"{type(self).__name__}({name}, {len(self.routing.attempts)} requests under way)"

    def install(self, router: Any) -> None:
        """Have a `litellm.Router` of this process ask the plugin.

        Args:
            router: which asks, in all its calls.
        """
        if self not in litellm.callbacks:
            litellm.callbacks.append(self)

        # Calls that wait ask no callback which deployment to use.
        router.set_custom_routing_strategy(WaitingStrategy(self, router))

    def uninstall(self) -> None:
        """Have LiteLLM ask the plugin no more; routers that were given to `install` stay as is."""
        for name in CALLBACK_LISTS:
            callbacks = getattr(litellm, name)
            while self in callbacks:
                callbacks.remove(self)

    # --- what applications call

    def report(self, response_id: str, **rewards: float) -> bool:
        """What an answer was worth, such as `report(response.id, quality=0.9)`.

        Args:
            response_id: `id` of LiteLLM's response, or of the chunks of a stream.
            rewards: of the agent's objectives.

        Returns:
            Whether it was learned. False where LiteLLM has not told the plugin of the answer yet,
            as it may be with streams: it is then learned as soon as it has.

        Raises:
            ServiceError: where a service refuses.
            ValueError: where the rewards do not fit, or the agent is that of an `AsyncClient`.
        """
        return run_waiting(self.decider, self.routing.report(response_id, rewards))

    async def areport(self, response_id: str, **rewards: float) -> bool:
        """As `report`, to be awaited."""
        return await run_awaiting(self.decider, self.routing.report(response_id, rewards))

    # --- what LiteLLM calls before a model

    async def async_filter_deployments(
        self,
        model: str,
        healthy_deployments: list[Any],
        messages: list[Any] | None,
        request_kwargs: dict[str, Any] | None = None,
        parent_otel_span: Any = None,
    ) -> list[Any]:
        """The deployments of the arm that the agent chooses, of those that are healthy."""
        steps = self._choice_of(model, healthy_deployments, messages, request_kwargs)
        try:
            return await run_awaiting(self.decider, steps)
        except ServiceError as error:
            raise _budget_exceeded(error) from error

    def choose_waiting(
        self,
        model: str,
        deployments: list[Any],
        messages: list[Any] | None,
        options: dict[str, Any] | None,
    ) -> list[Any]:
        """As `async_filter_deployments`, for calls that wait."""
        steps = self._choice_of(model, deployments, messages, options)
        try:
            return run_waiting(self.decider, steps)
        except ServiceError as error:
            raise _budget_exceeded(error) from error

    def _choice_of(
        self,
        model: str,
        deployments: list[Any],
        messages: list[Any] | None,
        options: dict[str, Any] | None,
    ) -> Steps[list[Deployment]]:
        options = {} if options is None else options
        request_id = _request_id(options)
        # LiteLLM reports under this id how the call ends. A proxy has given it one for all
        # attempts; otherwise LiteLLM would give one to each.
        call_id = str(options.setdefault("litellm_call_id", str(uuid.uuid4())))
        request = RoutedRequest(model, messages or (), options.get("input"), options)
        callable_now = _not_left_out(deployments, options)

        return self.routing.choose(request, callable_now, request_id, call_id)

    # --- what LiteLLM calls after a model

    async def async_post_call_success_deployment_hook(
        self, request_data: Mapping[str, Any], response: Any, call_type: Any
    ) -> None:
        """A model has answered; its client has not got the answer yet."""
        attempt = self._attempt_of(request_data)
        answer = _id_of(response)
        if attempt is not None and answer is not None:
            await run_awaiting(self.decider, self.routing.name(attempt, answer))

    async def async_post_call_failure_deployment_hook(
        self,
        request_data: Mapping[str, Any],
        exception: Exception,
        call_type: Any,
        fallback_depth: int | None = None,
    ) -> None:
        """A model has failed; LiteLLM has not tried another one yet."""
        attempt = self._attempt_of(request_data)
        if attempt is not None:
            await run_awaiting(self.decider, self.routing.fail(attempt, exception))

    async def async_log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """An answer is complete."""
        steps = self._ended_well(kwargs, response_obj, start_time, end_time)
        await run_awaiting(self.decider, steps)

    async def async_log_failure_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """A call has failed, perhaps in the middle of a stream."""
        steps = self._ended_badly(kwargs)
        await run_awaiting(self.decider, steps)

    def log_success_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """As `async_log_success_event`, of calls that wait."""
        steps = self._ended_well(kwargs, response_obj, start_time, end_time)
        run_waiting(self.decider, steps)

    def log_failure_event(
        self, kwargs: dict[str, Any], response_obj: Any, start_time: Any, end_time: Any
    ) -> None:
        """As `async_log_failure_event`, of calls that wait."""
        steps = self._ended_badly(kwargs)
        run_waiting(self.decider, steps)

    def _ended_well(
        self, details: Mapping[str, Any], response: Any, start: Any, end: Any
    ) -> Steps[None]:
        attempt = self._attempt_of(details)
        if attempt is None:
            return
        if details.get("cache_hit"):
            yield from self.routing.drop(attempt)
            return

        seconds = (end - start).total_seconds()
        rewards = self.routing.measured(details.get("response_cost"), seconds)
        if self._measure is not None:
            try:
                rewards |= self._measure(details, response)
            except Exception as error:  # noqa: BLE001 - a user's function: the rest is learned
                self.routing.warn("measure", f"measure failed: {quoted(error)}")

        yield from self.routing.succeed(attempt, _id_of(response), rewards)

    def _ended_badly(self, details: Mapping[str, Any]) -> Steps[None]:
        attempt = self._attempt_of(details)
        if attempt is None:
            return

        # A proxy has one id for all attempts, and this may be about an earlier one.
        logged = details.get("standard_logging_object") or {}
        deployment = logged.get("model_id")
        if deployment and deployment not in attempt.deployments:
            return

        cost = details.get("response_cost") or 0.0

        yield from self.routing.fail(attempt, details.get("exception"), cost)

    def _attempt_of(self, details: Mapping[str, Any]) -> Attempt | None:
        call_id = details.get("litellm_call_id")
        return None if call_id is None else self.routing.attempts.of_call(str(call_id))

    # --- what a proxy calls before its client gets the answer

    async def async_post_call_success_hook(
        self, data: Mapping[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """An answer, which gets the key of its decision as its id."""
        self._rename(data, response)
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: AsyncIterator[Any], request_data: Mapping[str, Any]
    ) -> AsyncIterator[Any]:
        """The chunks of a stream, which get the key of the decision as their id."""
        async for chunk in response:
            self._rename(request_data, chunk)
            yield chunk

    def _rename(self, data: Mapping[str, Any], response: Any) -> None:
        if not self._renames:
            return
        key = self.routing.attempts.key_of(str(data.get("litellm_call_id")))
        # Ids of other kinds of answers say where LiteLLM finds them again.
        is_chat = str(getattr(response, "object", "")).startswith(("chat.completion", "text_comp"))
        if key is not None and is_chat:
            response.id = key


def litellm_session(request: RoutedRequest) -> str | None:
    """The `litellm_session_id` of a request; None where its client gave none.

    Example:
        >>> litellm_session(RoutedRequest("chat", options={"litellm_session_id": "chat 17"}))
        'chat 17'
    """
    session = request.options.get("litellm_session_id")
    return None if session is None else str(session)


class WaitingStrategy:
    """How a `litellm.Router` finds a deployment for calls that wait: it asks a plugin.

    Args:
        plugin: which is asked.
        router: which asks.
    """

    def __init__(self, plugin: BanditRouting, router: Any) -> None:
        self._plugin = plugin
        self._router = router

    async def async_get_available_deployment(self, *arguments: Any, **options: Any) -> Any:
        """The router's own deployment: it asks the plugin as one of its callbacks."""
        router = self._router
        return await type(router).async_get_available_deployment(router, *arguments, **options)

    def get_available_deployment(
        self,
        model: str,
        messages: list[Any] | None = None,
        input: Any = None,  # noqa: A002 - LiteLLM's name
        specific_deployment: bool | None = False,
        request_kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """The router's own deployment among those of the arm that the agent chooses."""
        router = self._router
        options = {} if request_kwargs is None else request_kwargs
        listed = router.get_model_list(model_name=model) or []
        if not specific_deployment and listed:
            cooling = get_cooldown_deployments(
                litellm_router_instance=router, parent_otel_span=None
            )
            healthy = [each for each in listed if deployment_id(each) not in cooling]
            chosen = self._plugin.choose_waiting(model, healthy, messages, options)
            kept = {deployment_id(each) for each in chosen}
            others = {deployment_id(each) for each in listed} - kept
            if kept and others:
                options["_excluded_deployment_ids"] = sorted(others)

        return type(router).get_available_deployment(
            router,
            model=model,
            messages=messages,
            input=input,
            specific_deployment=specific_deployment,
            request_kwargs=options,
        )


def _request_id(options: dict[str, Any]) -> str:
    """What all attempts of a request have in common."""
    call_id = options.get("litellm_call_id")
    if call_id is not None:
        return str(call_id)

    # Without a proxy each attempt has an id of its own, but all have the metadata and the trace. An
    # application may use either for several requests.
    trace = str(options.get("litellm_trace_id"))
    for name in METADATA:
        metadata = options.get(name)
        if isinstance(metadata, dict):
            token = str(metadata.setdefault(MARK, uuid.uuid4().hex))
            return f"{token} {trace}"

    return f"{uuid.uuid4().hex} {trace}"


def _not_left_out(deployments: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    """The deployments without those that LiteLLM will leave out of a further attempt."""
    left_out: set[str] = set()
    for name in LEFT_OUT:
        left_out.update(options.get(name) or ())

    kept = [each for each in deployments if deployment_id(each) not in left_out]

    return kept or list(deployments)


def _id_of(response: Any) -> str | None:
    """The id of a response; None where it has none."""
    answer = getattr(response, "id", None)
    return answer if isinstance(answer, str) else None


def _budget_exceeded(error: ServiceError) -> Exception:
    """LiteLLM's error where a budget of the agent is used up."""
    refused: Exception = litellm.BudgetExceededError(0.0, 0.0, message=str(error))
    return refused
