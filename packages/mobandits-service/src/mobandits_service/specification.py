"""What the file of a service says: its address, its store, and its agents."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from mobandits.agent import Agent, Budget, Objective
from mobandits.contracts.protocols import Recipe
from mobandits.encoding import Encoder
from mobandits.errors import SpecError
from mobandits.policies import Rollout
from mobandits.spec import build
from mobandits.support.describe_path import describe_path
from mobandits.support.naming import check_name, quoted
from mobandits_service.addresses import is_loopback
from mobandits_service.context_columns import ContextSpecification

PORT = 8787
NEVER = 2**62  # events: the service takes the snapshots, beside the calls


class ObjectiveSpecification(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An objective of an agent's rewards; see `mobandits.Objective`."""

    name: str
    minimise: bool = False
    unit: str = ""
    low: float | None = None
    high: float | None = None
    default: float | None = None
    after: float | None = None
    outside: Literal["warn", "reject"] = "warn"


class BudgetSpecification(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A hard limit on what decisions cost together; see `mobandits.Budget`."""

    objective: str
    limit: float
    per: Literal["total", "month", "day", "hour"] = "total"
    most: float | dict[str, float] | None = None


class AgentSpecification(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An agent of a service.

    Attributes:
        policy: the name of a recipe, or a table of its name and parameters.
        arms: their names.
        objectives: names, or tables.
        features: the length of a context row.
        seed: of all decisions.
        propensity: as of `mobandits.Agent`.
        samples: likewise.
        pending: likewise.
        max_age: likewise.
        remembered: likewise.
        sticky: likewise.
        budgets: hard limits.
        context: named columns, in place of `features`; None: contexts are numbers.
        baseline: the arm that is played where the policy does not decide; with `share`.
        share: of the decisions, the policy's; None: all. See `mobandits.policies.Rollout`.
    """

    policy: str | dict[str, Any]
    arms: list[str]
    objectives: list[str | ObjectiveSpecification]
    features: int = 0
    seed: int = 0
    propensity: Literal["exact", "sampled", "none"] = "exact"
    samples: int = 200
    pending: int = 1_000_000
    max_age: float | None = None
    remembered: int = 100_000
    sticky: float | None = None
    budgets: list[BudgetSpecification] = []
    context: ContextSpecification | None = None
    baseline: str | None = None
    share: float | None = None

    def check_names(self) -> None:
        """Refuse names that pages, logs and addresses cannot have.

        Raises:
            ValueError: naming the first.
        """
        for arm in self.arms:
            check_name("arm", arm)
        for objective in self.objectives:
            check_name("objective", objective if isinstance(objective, str) else objective.name)

    def recipe(self) -> Recipe:
        """The recipe that the agent plays.

        Raises:
            ValueError: where there is none of that name, or a parameter does not fit.
        """
        recipe: Recipe = build("policies", self.policy, "policy")
        if self.share is None and self.baseline is None:
            return recipe
        if self.share is None or self.baseline is None:
            given = "share alone" if self.baseline is None else "baseline alone"
            raise ValueError(f"share and baseline must be given together, got {given}")

        return Rollout(recipe, self.baseline, self.share)

    def declared_features(self) -> int | Encoder:
        """The length of a context row, or what makes one of named columns.

        Raises:
            ValueError: where columns do not fit, or both are given.
        """
        if self.context is None:
            return self.features
        if self.features:
            rule = "features must be left out where context has columns"
            raise ValueError(f"{rule}, got {self.features}")

        return self.context.encoder()

    def shown(self) -> "AgentSpecification":
        """The same without what was fitted to data, which may be large."""
        if self.context is None:
            return self

        context = msgspec.structs.replace(self.context, fitted=None, rows=None)
        return msgspec.structs.replace(self, context=context)

    def agent(self, log: Any = None, recipe: Recipe | None = None) -> Agent:
        """The agent, new or gone on from its log.

        Args:
            log: as of `mobandits.Agent`.
            recipe: in place of that of the specification; None: that one.

        Raises:
            ValueError: where something does not fit.
        """
        objectives = [
            each if isinstance(each, str) else Objective(**msgspec.structs.asdict(each))
            for each in self.objectives
        ]
        budgets = [Budget(**msgspec.structs.asdict(budget)) for budget in self.budgets]

        return Agent(
            self.recipe() if recipe is None else recipe,
            arms=self.arms,
            features=self.declared_features(),
            objectives=objectives,
            seed=self.seed,
            propensity=self.propensity,
            samples=self.samples,
            pending=self.pending,
            max_age=self.max_age,
            remembered=self.remembered,
            sticky=self.sticky,
            budgets=budgets,
            log=log,
            snapshot_every=NEVER,
        )


class ServiceSpecification(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A service.

    Attributes:
        agents: {name: specification}.
        host: the address that it listens on.
        port: likewise; 0: any that is free.
        store: the file of the decisions; None: beside the file of the service, with its name.
        durability: what an answered call survives; see `mobandits.logs.Store`.
        keys: "required", or "auto": as soon as the store has one, or others can reach the address.
        requests_per_second: of one key, and at once twice as many; None: no limit.
        log_requests: whether each request has a line of JSON on stderr.
        log_format: of everything else on stderr: "text", or "json" for lines of JSON as well.
        snapshot_every: events of an agent after which its state is written, so that starting again
            need not replay what was before.
        keep_days: decisions that are older leave the store, whole days at a time; None: none do.
        archives: the folder for Parquet files of what left the store, from that of the service's
            file; None: it is deleted without one.
    """

    agents: dict[str, AgentSpecification]
    host: str = "127.0.0.1"
    port: int = PORT
    store: str | None = None
    durability: Literal["disk", "system"] = "disk"
    keys: Literal["auto", "required"] = "auto"
    requests_per_second: Annotated[float, msgspec.Meta(gt=0.0)] | None = None
    log_requests: bool = True
    log_format: Literal["text", "json"] = "text"
    snapshot_every: Annotated[int, msgspec.Meta(ge=1)] = 10_000
    keep_days: Annotated[float, msgspec.Meta(ge=1.0, le=36500.0)] | None = None
    archives: str | None = None

    def at(self, host: str | None, port: int | None) -> "ServiceSpecification":
        """The same at another address; None: where it is now."""
        changes = {"host": host, "port": port}
        given = {name: value for name, value in changes.items() if value is not None}

        return msgspec.structs.replace(self, **given)

    @property
    def is_open_without_keys(self) -> bool:
        """Whether a store without keys is served to whoever is on this machine."""
        return self.keys == "auto" and is_loopback(self.host)


def read_specification(file: str | Path) -> ServiceSpecification:
    """The service of a TOML file.

    Raises:
        SpecError: one line with the file, the place and the rule.
    """
    path = Path(file)
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (IsADirectoryError, UnicodeDecodeError) as error:
        raise SpecError(f"{path} must be a TOML file, found {describe_path(path)}") from error
    except OSError as error:
        raise SpecError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise SpecError(f"{path} is not TOML: {error}") from error

    try:
        return _checked(content, path.parent)
    except ValueError as error:
        raise SpecError(f"{path}: {error}") from error


def _checked(content: dict[str, Any], folder: Path) -> ServiceSpecification:
    """The service that the content of a file in a folder describes."""
    specification = msgspec.convert(content, ServiceSpecification)
    if not specification.agents:
        raise ValueError("agents must have at least one table [agents.NAME], got none")

    agents = {}
    for name, agent in specification.agents.items():
        try:
            check_name("agent", name)
            agents[name] = _fitted(agent, folder)
            agents[name].check_names()
            agents[name].agent()
        except ValueError as error:
            raise ValueError(f"agents.{quoted(name)}: {error}") from error

    archives = _archives(specification, folder)

    return msgspec.structs.replace(specification, agents=agents, archives=archives)


def _fitted(agent: AgentSpecification, folder: Path) -> AgentSpecification:
    """The same agent, with its columns fitted to the file that it names."""
    if agent.context is None:
        return agent

    context = agent.context.fitted_beside(folder)
    return msgspec.structs.replace(agent, context=context)


def _archives(specification: ServiceSpecification, folder: Path) -> str | None:
    """Where archives go, from whatever folder the service is started in.

    Raises:
        ValueError: where nothing is archived.
    """
    if specification.archives is None:
        return None
    if specification.keep_days is None:
        raise ValueError("archives must be given with keep_days, got none")

    return str(folder.resolve() / specification.archives)
