"""What a service counts and times, in the format of Prometheus."""

import functools
import importlib.metadata
import platform
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, Info, ProcessCollector
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from mobandits.agent import Decision
from mobandits.logs.store import SharedStore
from mobandits_client.messages import Decided, Rewarded
from mobandits_service.connection_limits import Connections
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.hosted_agents import HostedAgents
from mobandits_service.recent_arms import RECENT, RecentArms

MOST_LABELS = 100  # arms of an agent that are told apart; of more, a monitoring system chokes
OTHER = "other"
READINESS = "ready"  # the name of the call
SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
GROUPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PROPENSITIES = (0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 0.9, 1.0)
# What is looked up of every agent: its kind, its name, what it is, and its labels besides the agent.
OF_AGENTS: list[tuple[Any, ...]] = [
    (GaugeMetricFamily, "agent_ready", "1 where an agent can decide, else 0"),
    (
        GaugeMetricFamily,
        "agent_sound",
        "0 where a number of an agent's state is none (NaN), else 1",
    ),
    (GaugeMetricFamily, "waiting", "Decisions that wait for rewards"),
    (CounterMetricFamily, "learned", "Rewards, or parts of one, that were learned"),
    (CounterMetricFamily, "dropped", "Decisions that were dropped", "reason"),
    (
        GaugeMetricFamily,
        "budget_ratio",
        "What was spent of a budget, and is reserved, in parts of its limit",
        "objective",
        "per",
    ),
    (
        GaugeMetricFamily,
        "arms_entropy",
        f"Entropy of the arms' shares in the last {RECENT:,} decisions since the start, in bits",
    ),
    (
        GaugeMetricFamily,
        "snapshot_age_seconds",
        "Seconds since the last snapshot of an agent, from which it would be opened",
    ),
    (
        GaugeMetricFamily,
        "clock_ahead_seconds",
        "Seconds by which the time of an agent is ahead of the clock, and stands still",
    ),
    (
        CounterMetricFamily,
        "clock_ahead",
        "Times that the clock turned out to have been ahead for a minute or more",
    ),
]


@dataclass
class CallTotals:
    """How a call was answered since the start.

    Attributes:
        answered: how often.
        failed: of these, with a status of 500 or above.
        seconds: of all these together.
    """

    answered: int = 0
    failed: int = 0
    seconds: float = 0.0


class Telemetry:
    """The counters of a service.

    Args:
        agents: of the service.
        file: that they write into.

    Attributes:
        connections: of the server.
        started: when it began to count, in seconds since 1970.
    """

    def __init__(self, agents: HostedAgents, file: SharedStore) -> None:
        self.connections = Connections()
        self.started = time.time()
        registry = CollectorRegistry(auto_describe=False)
        self._registry = registry
        ProcessCollector(registry=registry)
        build = Info("mobandits_build", "The version that runs", registry=registry)
        version = importlib.metadata.version("mobandits")
        build.info({"version": version, "python": platform.python_version()})
        counter = functools.partial(Counter, registry=registry)
        histogram = functools.partial(Histogram, registry=registry)
        self._seconds = histogram(
            "mobandits_request_seconds",
            "Seconds until a request was answered",
            ["call", "status"],
            buckets=SECONDS,
        )
        decisions = counter(
            "mobandits_decisions", "Decisions that were made, by arm", ["agent", "arm"]
        )
        propensities = histogram(
            "mobandits_propensity",
            "Propensities of the decisions that were made",
            ["agent"],
            buckets=PROPENSITIES,
        )
        rewards = counter(
            "mobandits_rewards",
            "Calls that told rewards, by what became of the decision",
            ["agent", "outcome"],
        )
        self._of_workers = counter(
            "mobandits_from_workers",
            "Calls of workers: rewards that were learned, or came too late, and decisions refused",
            ["agent", "outcome"],
        )
        self._commits = histogram(
            "mobandits_commit_seconds",
            "Seconds that the disk took to confirm a group of calls",
            buckets=SECONDS,
        )
        self._groups = histogram(
            "mobandits_commit_calls", "Calls that were committed together", buckets=GROUPS
        )
        self.lags = histogram(
            "mobandits_loop_lag_seconds",
            "Seconds by which the event loop was late, asked ten times a second",
            buckets=SECONDS,
        )
        self._stalls = counter(
            "mobandits_stalls",
            "Moments of over 250 ms in which the loop or a commit stood still, by who held it up",
            ["what", "cause"],
        )
        file.committer.observer = self._count_commit
        # Of every call: to find the one of some labels takes longer than to count with it.
        self._seconds_of = functools.cache(self._seconds.labels)
        self._decisions_of = functools.cache(decisions.labels)
        self._propensities_of = functools.cache(propensities.labels)
        self._rewards_of = functools.cache(rewards.labels)
        self._arms = defaultdict[str, set[str]](set)
        self._recent = defaultdict[str, RecentArms](RecentArms)
        registry.register(_Present(agents, file, self.connections, self._recent))

    def count_request(self, call: str, status: int, seconds: float) -> None:
        """A request was answered."""
        self._seconds_of(call, str(status)).observe(seconds)

    def calls(self) -> dict[str, CallTotals]:
        """{name: how it was answered} of calls."""
        totals = defaultdict[str, CallTotals](CallTotals)
        for metric in self._seconds.collect():
            for sample in metric.samples:
                call = sample.labels["call"]
                # That an agent is not ready yet is an answer, and probes ask for it all the time.
                is_failure = int(sample.labels["status"]) >= 500 and call != READINESS
                if sample.name.endswith("_sum"):
                    totals[call].seconds += sample.value
                elif sample.name.endswith("_count"):
                    totals[call].answered += int(sample.value)
                    totals[call].failed += int(sample.value) * is_failure

        return totals

    def stalls(self) -> list[tuple[str, str, int]]:
        """(what, cause, how often) of stalls since the start."""
        found = []
        for metric in self._stalls.collect():
            for sample in metric.samples:
                if sample.name.endswith("_total"):
                    labels = sample.labels
                    found.append((labels["what"], labels["cause"], int(sample.value)))

        return found

    def count_decision(self, agent: str, decided: Decided | Decision) -> None:
        """A decision was made, or taken in; one that is replayed was counted before."""
        if decided.replayed:
            return

        known = self._arms[agent]
        arm = str(decided.arm)
        if arm not in known and len(known) >= MOST_LABELS:
            arm = OTHER
        else:
            known.add(arm)

        self._recent[agent].add(str(decided.arm))
        self._decisions_of(agent, arm).inc()
        if decided.propensity is not None:
            self._propensities_of(agent).observe(decided.propensity)

    def count_reward(self, agent: str, rewarded: Rewarded) -> None:
        """Rewards were told."""
        outcome = "repeated" if rewarded.repeated else rewarded.status
        self._rewards_of(agent, outcome).inc()

    def count_of_workers(self, agent: str, outcome: str, count: int) -> None:
        """Some calls of workers came to an end."""
        if count:
            self._of_workers.labels(agent, outcome).inc(count)

    def count_stall(self, what: str, cause: str) -> None:
        """The loop, or a commit, stood still."""
        self._stalls.labels(what, cause).inc()

    def _count_commit(self, calls: int, seconds: float) -> None:
        """A group was committed; told by the thread that did it."""
        self._commits.observe(seconds)
        self._groups.observe(calls)

    def exposition(self, agents: Collection[str] | None = None) -> tuple[bytes, str]:
        """All numbers as text, and its media type.

        Args:
            agents: of which the numbers are told, and no others; None: all, and the service's own.
        """
        registry: Any = self._registry if agents is None else _OfAgents(self._registry, agents)
        return generate_latest(registry), CONTENT_TYPE_PLAIN_0_0_4


class _OfAgents(Collector):
    """The numbers of some agents."""

    def __init__(self, registry: Collector, agents: Collection[str]) -> None:
        self._registry = registry
        self._agents = agents

    def collect(self) -> Iterator[Metric]:
        """What has the label of such an agent."""
        for metric in self._registry.collect():
            metric.samples = [
                sample for sample in metric.samples if sample.labels.get("agent") in self._agents
            ]
            if metric.samples:
                yield metric


class _Present(Collector):
    """What is looked up when somebody asks, in place of being counted."""

    def __init__(
        self,
        agents: HostedAgents,
        file: SharedStore,
        connections: Connections,
        recent: Mapping[str, RecentArms],
    ) -> None:
        self._agents = agents
        self._file = file
        self._connections = connections
        self._recent = recent

    def collect(self) -> Iterator[Metric]:
        """The present state of agents, file and connections."""
        waiting = self._file.committer.waiting()
        yield GaugeMetricFamily(
            "mobandits_commit_queue", "Calls that wait for the disk", value=waiting
        )
        families = {}
        for kind, name, text, *labels in OF_AGENTS:
            families[name] = kind(f"mobandits_{name}", text, labels=["agent", *labels])
        for hosted in self._agents:
            for name, number, *values in self._numbers(hosted):
                families[name].add_metric([hosted.name, *values], number)

        yield from families.values()
        yield from self._of_connections()

    def _of_connections(self) -> Iterator[Metric]:
        """The present connections, and those that were refused."""
        connections = self._connections
        yield GaugeMetricFamily(
            "mobandits_connections", "Connections that are open", value=connections.present
        )
        yield GaugeMetricFamily(
            "mobandits_connections_limit", "Connections that may be open", value=connections.most
        )
        refused = CounterMetricFamily(
            "mobandits_connections_refused",
            "Connections that were ended: too large headers, too slow, or too many",
            labels=["reason"],
        )
        for reason, count in connections.refused.items():
            refused.add_metric([reason], count)
        yield refused

    def _numbers(self, hosted: HostedAgent) -> Iterator[tuple[Any, ...]]:
        """The names of an agent's metrics, each with its number and the values of its labels."""
        yield "clock_ahead_seconds", hosted.seconds_ahead()
        yield "clock_ahead", hosted.times_ahead()
        taken = hosted.snapshot_time()
        if taken is not None:
            yield "snapshot_age_seconds", max(0.0, time.time() - taken)
        if hosted.name in self._recent:
            yield "arms_entropy", self._recent[hosted.name].entropy()

        state = hosted.state()
        yield "agent_ready", float(hosted.is_ready)
        yield "agent_sound", float(hosted.is_sound)
        yield "waiting", state.waiting
        yield "learned", state.learned
        for reason, count in state.dropped.items():
            yield "dropped", count, reason
        for balance in hosted.balances():
            limit = balance.budget
            ratio = (balance.spent + balance.reserved) / limit.limit
            yield "budget_ratio", ratio, str(limit.objective), limit.per
