"""An agent: a recipe at work in an application."""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mobandits.agent.core import AgentCore, Propensity
from mobandits.agent.decision import Decision
from mobandits.compiling.tracebacks import shorten
from mobandits.contracts.protocols import Recipe
from mobandits.support.naming import quoted

if TYPE_CHECKING:
    from mobandits.agent.explanation import Explanation

# Services are imported by the calls that need them: most agents never save, log or explain.


class Agent:
    """Decides, and learns from rewards that arrive late, in part, and in any order.

    Contexts are (features,), one for all arms, or (arms, features), a row per arm; the first one
    settles which. Where the arms share it, recipes that learn from features give every arm a model
    of its own (disjoint models).

    Inputs are checked in every call. A decision costs what the policy's compiled round costs, and
    about three microseconds; the first one compiles it, in seconds, once per machine (`mobandits
    warm`). The same seed and the same calls give the same decisions. What a call that raises would
    have decided, learned or written did not happen.

    Threads may share an agent: each call is done before the next one begins. In the child of a fork
    calls are refused; `save` and `load` take an agent to another process.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: their number, or their names.
        features: length d of a context row; 0 where there is no context.
        objectives: their number, their names, or `Objective`s, which say direction, unit, range and
            default.
        seed: of all decisions.
        rounds: the horizon, for recipes that need one.
        propensity: "exact", "sampled" or "none": `Decision` says what each is and costs.
        samples: beliefs per sampled propensity, at most a million.
        pending: how many decisions may wait for rewards; beyond it the oldest is dropped, and
            learned from no more.
        max_age: seconds after which a decision that waits is dropped; None: never.
        remembered: of how many settled decisions the rewards are kept, so that a repeat is known as
            one.
        log: a folder or a `logs.Journal`: every decision and reward is written there before the
            call returns; one that has entries is replayed first, which ends in the state of the
            agent that wrote it.
        clock: seconds, such as `time.time`; asked only where times are needed.

    Attributes:
        core: its arms, policy, pending decisions and clock, for services; not part of the public
            interface.

    Raises:
        ValueError: naming parameter, rule and value, also where the recipe does not fit; where it
            would need more memory than the machine has, or more than 64 GiB.

    Example:
        >>> from mobandits.agent import Objective
        >>> from mobandits.policies import MolUcb
        >>> cost = Objective("cost", minimise=True, unit="USD")
        >>> options = {"arms": ["small", "large"], "objectives": ["quality", cost]}
        >>> agent = Agent(MolUcb(scale=0.3), features=2, **options)
        >>> decision = agent.decide([0.5, 0.1])
        >>> agent.learn(decision.id, {"cost": 0.0006})
        >>> agent.learn(decision.id, {"quality": 0.9})
        >>> decision.arm in ("small", "large"), agent.waiting
        (True, 0)
    """

    core: AgentCore

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Hashable],
        features: int,
        objectives: int | Sequence[Any],
        seed: int = 0,
        rounds: int | None = None,
        propensity: Propensity = "none",
        samples: int = 200,
        pending: int = 1_000_000,
        max_age: float | None = None,
        remembered: int = 100_000,
        log: Any = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.core = AgentCore(
            recipe,
            arms=arms,
            features=features,
            objectives=objectives,
            seed=seed,
            rounds=rounds,
            propensity=propensity,
            samples=samples,
            pending=pending,
            max_age=max_age,
            remembered=remembered,
            clock=clock,
        )
        if log is not None:
            # After all arguments were checked: a folder is made and claimed here.
            from mobandits.agent.recording import attach  # noqa: PLC0415

            attach(self.core, log)

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy would go on from the same stream, and make the same decisions as this one.
        raise TypeError(
            "Agent cannot be copied or pickled: write it with `save`, and make another with "
            "`Agent.load`"
        )

    @property
    def recipe(self) -> Recipe:
        """The recipe that it plays."""
        return self.core.recipe

    @property
    def objectives(self) -> tuple[Any, ...]:
        """The objectives of its rewards."""
        return self.core.objectives

    @property
    def features(self) -> int:
        """The length of a context row."""
        return self.core.features

    @property
    def seed(self) -> int:
        """The seed of all decisions."""
        return self.core.seed

    @property
    def rounds(self) -> int | None:
        """The horizon, or None."""
        return self.core.rounds

    @property
    def propensity(self) -> Propensity:
        """How propensities are found: "exact", "sampled" or "none"."""
        return self.core.propensity

    @property
    def samples(self) -> int:
        """How many beliefs a sampled propensity takes."""
        return self.core.samples

    @property
    def lessons(self) -> int:
        """How many rewards, or parts of one, were learned."""
        return self.core.lessons

    @property
    def arms(self) -> tuple[Hashable, ...]:
        """The arms that there are now."""
        return self.core.arms.names

    @property
    def waiting(self) -> int:
        """How many decisions wait for rewards."""
        pending = self.core.pending
        return len(pending.open)

    @property
    def dropped(self) -> dict[str, int]:
        """How many decisions were dropped for their age, and how many because too many waited."""
        pending = self.core.pending
        return dict(pending.dropped)

    def decide(self, context: Any = None, eligible: Iterable[Hashable] | None = None) -> Decision:
        """The arm to play now.

        Args:
            context: (features,) or (arms, features), rows in the order of `arms`; or {arm: row},
                which are then the eligible arms; None where there are no features.
            eligible: the arms that may be played; None: all.

        Raises:
            ValueError: where it has another shape, or a number that is not finite or not what the
                recipe needs; where arms are unknown, or none are left.
        """
        # An author's mistake in a policy shows the author's lines: here, where no frame of ours is
        # added any more.
        try:
            return self.core.decide(context, eligible)
        except BaseException as error:
            shorten(error)
            raise

    def decide_batch(
        self, contexts: Any, eligible: Iterable[Hashable] | None = None
    ) -> list[Decision]:
        """A decision per context, all in one moment.

        Rewards are learned before the first one, or after the last.

        The decisions are those that as many calls of `decide` make in which nothing is learned,
        whatever the agent writes or says of them.

        Args:
            contexts: (n, features) or (n, arms, features).
            eligible: the arms that may be played, in all of them; None: all.

        Raises:
            ValueError: as `decide`; then no decision is made.
        """
        try:
            return self.core.decide_batch(contexts, eligible)
        except BaseException as error:
            shorten(error)
            raise

    def learn(self, decision_id: int, rewards: Any) -> None:
        """Learn the rewards of a decision, or some of them: the rest may follow, in any order.

        What is repeated with the same value changes nothing. A recipe that cannot learn from a part
        learns when the last part is there.

        Args:
            decision_id: `Decision.id`.
            rewards: (objectives,), NaN where not observed, or {objective: number} of some.

        Raises:
            ValueError: where no such decision waits; where the rewards are not finite numbers of
                known objectives, or not what the recipe needs; where an objective is repeated with
                another value. Nothing is learned then.
        """
        self.core.learn(decision_id, rewards)

    def add_arm(self, name: Hashable, like: Hashable | None = None) -> None:
        """One arm more, from now on.

        Arms with models of their own start from the prior, or from what is believed of the arm
        `like`; parameters of the recipe that depend on the number of arms are resolved anew.

        Raises:
            ValueError: where there is such an arm, none called `like`, or the recipe cannot play on
                with more arms.
        """
        self.core.add_arm(name, like)

    def remove_arm(self, name: Hashable) -> None:
        """One arm less.

        Rewards that are still to come teach nothing about an arm that has a model of its own.

        Raises:
            ValueError: where there is no such arm, or no other.
        """
        self.core.remove_arm(name)

    @property
    def preference(self) -> Any:
        """The order by which arms are compared, or None where the policy has none of its own.

        Setting it changes what is played from now on, and nothing of what was learned; None goes
        back to the recipe's. An order of a class that was not played before is compiled first, in
        seconds, once per machine; only then it is played. The logger "mobandits" warns where that
        takes more than a second; `mobandits warm --agents` spares it.
        """
        bound = self.core.bound
        return bound.preference()

    @preference.setter
    def preference(self, order: Any) -> None:
        try:
            self.core.set_preference(order)
        except BaseException as error:
            shorten(error)
            raise

    def explain(self, decision: Decision) -> "Explanation":
        """An `Explanation` of a decision: the agent's present estimates of its arms.

        It is a table and a sentence.

        Raises:
            ValueError: where the policy has no estimates per arm and objective.
        """
        from mobandits.agent.explanation import explain  # noqa: PLC0415

        return explain(self.core, decision)

    def merge(self, other: "Agent") -> None:
        """Learn all that another agent has learned apart from this one, such as on another shard.

        Ends where one agent would be that saw everything, up to rounding. Decisions that wait stay
        with the agent that made them: merge when their rewards are in, and once, since no agent
        knows what was merged before.

        Raises:
            ValueError: where the agents differ, or where what was learned cannot be added up.
        """
        from mobandits.agent.merging import merge  # noqa: PLC0415

        if type(other) is not type(self) or other is self:
            raise ValueError(f"merge needs another agent, got {quoted(other)}")

        merge(self.core, other.core)

    def save(self, path: str | Path) -> None:
        """Write the whole state into one file, which replaces an older one at once or not at all.

        Raises:
            ValueError: where a name or a parameter is of a kind that files do not keep.
        """
        from mobandits.agent.saving import save_core  # noqa: PLC0415

        save_core(self.core, path)

    def close(self) -> None:
        """Let go of the log, where there is one: later calls are refused.

        Nothing is lost without it.
        """
        writer = self.core.writer
        if writer is not None:
            writer.close()

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        recipe: Recipe | None = None,
        log: Any = None,
        clock: Callable[[], float] = time.time,
    ) -> "Agent":
        """The agent that was saved; it goes on exactly as the one that saved would have.

        Files hold numbers and names only: reading one runs nothing of it.

        Args:
            path: the file.
            recipe: the recipe, where it is not one of this library.
            log: the folder of the agent's log; what was logged after the file was written is
                replayed.
            clock: as for a new agent.

        Raises:
            ValueError: where the file is not a whole one of this kind and version.
        """
        from mobandits.agent.loading import load_core  # noqa: PLC0415

        # The core is ready: the constructor would make another one.
        agent = cls.__new__(cls)
        agent.core = load_core(path, recipe, log, clock)

        return agent
