"""An agent: a recipe at work in an application."""

import time
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeAlias

from mobandits.agent.agent_state import Propensity
from mobandits.agent.batches import decide_batch, decide_batch_once
from mobandits.agent.budget import Balance, Budget
from mobandits.agent.core import AgentCore
from mobandits.agent.decision import Arm, Decision
from mobandits.agent.error_hints import warn_of_units
from mobandits.agent.inputs import UNCHANGED, Context, HasColumns, Rewards, check_counts
from mobandits.agent.keyed import decide_once
from mobandits.agent.ranking import decide_ranking
from mobandits.compiling.tracebacks import shorten
from mobandits.contracts.protocols import Order, Recipe
from mobandits.encoding.encoder import Encoder
from mobandits.support.naming import quoted, wrong_value

if TYPE_CHECKING:
    from mobandits.agent.explanation import Explanation
    from mobandits.logs.feedback import Feedback
    from mobandits.logs.objectives import Objective
    from mobandits.logs.store.store import Store
    from mobandits.logs.store.store_writing import Durability
    from mobandits.logs.streams import LogStream

    LogPlace: TypeAlias = str | Path | Store

# Services are imported by the calls that need them: most agents never save, log or explain.


class Agent(Generic[Arm]):
    """Decides, and learns from rewards that arrive late, in part, and in any order.

    Contexts are (features,), one for all arms, or (arms, features), a row per arm; the first one
    settles which. Where the arms share it, recipes that learn from features give every arm a model
    of its own (disjoint models).

    Inputs are checked in every call. A decision costs what the policy's compiled round costs, and
    about three microseconds. A machine that never played the policy makes its first calls in
    Python, within a millisecond or so each, until a child process has compiled it. The same seed
    and the same calls give the same decisions. What a call that raises would have decided, learned
    or written did not happen.

    Threads may share an agent: each call is done before the next one begins. In the child of a fork
    calls are refused; `save` and `load` take an agent to another process.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: their number, or their names.
        features: length d of a context row, 0 where there is no context; or an `Encoder`, which is
            fitted: contexts are then rows of named columns, such as {"age": 31, "city": "Rome"}.
            It is kept in the agent's files and in its log, whose contexts are the encoded numbers.
        objectives: their number, their names, or `Objective`s, which say direction, unit, range and
            default.
        seed: of all decisions.
        rounds: the horizon, for recipes that need one.
        propensity: "exact", "sampled" or "none": `Decision` says what each is and costs. By default
            that of the log; of a new log "exact" where the recipe has it, else "sampled", since
            other policies can be evaluated on no log without; without a log "none".
        samples: beliefs per sampled propensity, at most a million.
        pending: how many decisions may wait for rewards; beyond it the oldest is dropped, and
            learned from no more.
        max_age: seconds after which a decision that waits is dropped; None: never.
        remembered: of how many settled decisions the rewards are kept, so that a repeat is known as
            one.
        log: the path of a store, which is made where there is none, or a `logs.Store`: every
            decision and reward is written there before the call returns. A store that has events is
            caught up with first, which ends in the state of the agent that wrote them, bit for bit:
            from its last snapshot, and the events after it.
        durability: of the log's writes, "disk", "system" (the default) or "buffered": see
            `logs.Store`, which is given it itself where `log` is one.
        snapshot_every: events after which the whole state is written into the log, so that opening
            it need not replay what was before. Where more decisions wait or are remembered, a tenth
            of their number, since writing them takes as long.
        clock: seconds, such as `time.time`; asked only where times are needed.
        budgets: hard limits on costs, such as `Budget("cost", 5.0, per="day")`: arms that do not fit
            are not eligible, and where none fits a `BudgetError` says when there is room again.
            With a log, they may be others at every opening; what was spent of budgets of the same
            objective and period counts on.
        sticky: seconds for which a session keeps its arm after each of its decisions, while what the
            arm has cached of it is warm; None: there are no sessions. See `session` of `decide`. With
            a log, it may be another at every opening.

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
        >>> agent
        Agent(MolUcb(scale=0.3), 2 arms, 2 features, 2 objectives, 2 learned, 0 waiting)
    """

    core: AgentCore

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Arm],
        features: int | Encoder,
        objectives: int | Sequence[Hashable],
        seed: int = 0,
        rounds: int | None = None,
        propensity: Propensity | None = None,
        samples: int = 200,
        pending: int = 1_000_000,
        max_age: float | None = None,
        remembered: int = 100_000,
        log: "LogPlace | None" = None,
        durability: "Durability | None" = None,
        snapshot_every: int = 10_000,
        clock: Callable[[], float] = time.time,
        budgets: Iterable[Budget] = (),
        sticky: float | None = None,
    ) -> None:
        self.core = AgentCore(
            recipe,
            arms=arms,
            features=features,
            objectives=objectives,
            seed=seed,
            rounds=rounds,
            propensity="none" if propensity is None else propensity,
            samples=samples,
            pending=pending,
            max_age=max_age,
            remembered=remembered,
            clock=clock,
            budgets=budgets,
            sticky=sticky,
        )
        check_counts(snapshot_every=(snapshot_every, 1))
        if log is None and durability is not None:
            raise ValueError(f"durability must go with a log, got {quoted(durability)} without one")
        if log is not None:
            # After all arguments were checked: a file is made and claimed here.
            from mobandits.agent.replaying import attached  # noqa: PLC0415

            self.core = attached(
                self.core,
                log,
                durability=durability,
                every=int(snapshot_every),
                settles_propensity=propensity is None,
            )

        self.core.ledger.warn_of_unknown_arms()
        warn_of_units(self.core.recipe, self.core.objectives)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        # A copy would go on from the same stream, and make the same decisions as this one.
        raise TypeError(
            "Agent cannot be copied or pickled: write it with `save`, and make another with "
            "`Agent.load`"
        )

    def __repr__(self) -> str:
        from mobandits.agent.display import agent_text  # noqa: PLC0415

        return agent_text(self.core)

    def _repr_html_(self) -> str:
        from mobandits.agent.display import agent_html  # noqa: PLC0415

        return agent_html(self.core)

    @property
    def recipe(self) -> Recipe:
        """The recipe that it plays."""
        return self.core.recipe

    @property
    def objectives(self) -> "tuple[Objective, ...]":
        """The objectives of its rewards."""
        return self.core.objectives

    @property
    def features(self) -> int:
        """The length of a context row."""
        return self.core.features

    @property
    def encoder(self) -> Encoder | None:
        """Encoder of named columns; None where contexts are numbers."""
        return self.core.encoder

    @property
    def unseen(self) -> dict[str, dict[str, int]]:
        """Number of values that the encoder's fit has not seen, per column.

        "unknown" are categories, and texts without a known word; "missing" is what was missing.
        Files and snapshots keep the counts. Decisions that are replayed from a log, after its last
        snapshot, are not counted, since a log holds numbers.

        Example:
            >>> from mobandits.encoding import Encoder
            >>> from mobandits.policies import MolUcb
            >>> encoder = Encoder.fit({"city": ["Rome", "Paris"]}, "city:category")
            >>> agent = Agent(MolUcb(scale=0.3), arms=2, features=encoder, objectives=1)
            >>> _ = agent.decide({"city": "Oslo"})
            >>> agent.unseen
            {'city': {'unknown': 1}}
        """
        counts: dict[str, dict[str, int]] = {}
        for (column, word), count in self.core.contexts.unseen.items():
            counts.setdefault(column, {})[word] = count

        return counts

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
        """Mode of propensities: "exact", "sampled" or "none"."""
        return self.core.propensity

    @property
    def samples(self) -> int:
        """Number of beliefs that a sampled propensity takes."""
        return self.core.samples

    @property
    def lessons(self) -> int:
        """Number of rewards, or parts of one, that were learned."""
        return self.core.lessons

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms that there are now."""
        return self.core.arms.names

    @property
    def is_logged(self) -> bool:
        """Whether its calls are written to a log, for which they may wait."""
        return self.core.writer is not None

    @property
    def waiting(self) -> int:
        """Number of decisions that wait for rewards."""
        pending = self.core.pending
        return len(pending.open)

    @property
    def dropped(self) -> dict[str, int]:
        """Numbers of decisions dropped for their age, and because too many waited."""
        pending = self.core.pending
        return dict(pending.dropped)

    @property
    def balances(self) -> tuple[Balance, ...]:
        """Balances of the budgets, by now.

        Example:
            >>> from mobandits.agent import Budget, Objective
            >>> from mobandits.policies import MolUcb
            >>> cost = Objective("cost", minimise=True, unit="USD", high=0.25)
            >>> options = {"arms": 3, "features": 2, "objectives": ["quality", cost]}
            >>> agent = Agent(MolUcb(scale=0.3), **options, budgets=[Budget("cost", 0.75)])
            >>> agent.learn(agent.decide([0.5, 0.1]).id, {"cost": 0.125, "quality": 1.0})
            >>> _ = agent.decide([0.5, 0.1])
            >>> balance = agent.balances[0]
            >>> balance.spent, balance.reserved, balance.left
            (0.125, 0.25, 0.375)
        """
        core = self.core
        with core.lock:
            now = core.advance_clock()
            core.ledger.turn(now)
            return tuple(account.balance() for account in core.ledger.accounts)

    def decide(
        self,
        context: Context | None = None,
        eligible: Iterable[Hashable] | None = None,
        *,
        key: str | None = None,
        active: bool = True,
        top: int | None = None,
        session: str | None = None,
    ) -> Decision[Arm]:
        """The arm to play now, or the `top` ones in order.

        With ``top=k`` k different arms are drawn, each by the policy in its present state among the
        arms that are left: the first k arms come from the front, then from the front of what is
        left. Each is a decision of its own: the first one is returned, with the others in
        `Decision.further`, and rewards are told per arm, with ``learn(each.id, ...)`` for each of
        ``decision.ranking``. Their propensities are conditional on the ranks before, and
        `Decision.ranking_propensity`, their product, is that of the order. Where the agent samples
        propensities it is refused, because that product is not known exactly then, and so are
        recipes that play in stages. Values of other policies are estimated from first ranks only.

        Args:
            context: (features,) or (arms, features), rows in the order of `arms`; or {arm: row},
                which are then the eligible arms; None where there are no features. With an encoder
                a row is {column: value}, and (arms, features) a list or a table of such rows.
            eligible: the arms that may be played; None: all.
            key: a text of the caller's, so that a call whose answer was lost can be tried again:
                with the same key and the same context it is the same decision, marked `replayed`,
                and nothing happens. With a log, keys are known as long as their decisions are in
                it; without one, the last `remembered` are, in memory: files of `save` hold none.
            active: False where it is not yet sure that the arm will be played, such as a page that
                is prepared: no default reward is learned until `activate`, or a reward.
            top: how many arms, at most as many as are eligible; None: one.
            session: a text, such as the id of a conversation. Where the last decision of the session
                is less than `sticky` seconds old and its arm may be played, no other arm is eligible,
                so that the propensity is 1; else the decision is as any other. Each has a context
                and rewards of its own. Files and logs keep sessions; of 100,000 sessions, those
                without a decision for longest are forgotten.

        Raises:
            ValueError: where it has another shape, or a number that is not finite or not what the
                recipe needs; where arms are unknown, or none are left; where the key was used with
                another context, `active`, `top` or `session`; where `top` or `session` does not go
                with the agent.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> first = agent.decide([0.5, 0.1], key="request 17")
            >>> again = agent.decide([0.5, 0.1], key="request 17")
            >>> again == first, again.replayed, agent.waiting
            (True, True, 1)
            >>> options = {"arms": ["a", "b", "c"], "features": 2, "objectives": 2}
            >>> agent = Agent(MolUcb(scale=0.3), **options, propensity="exact")
            >>> decision = agent.decide([0.5, 0.1], top=2)
            >>> len(decision.arms), round(decision.ranking_propensity, 4), agent.waiting
            (2, 0.1667, 2)
            >>> for each in decision.ranking:
            ...     agent.learn(each.id, [0.5, 0.25])
            >>> agent.lessons
            2
            >>> agent = Agent(MolUcb(scale=0.3), **options, sticky=300)
            >>> first = agent.decide([0.5, 0.1], session="chat 17")
            >>> second = agent.decide([0.7, 0.2], session="chat 17")
            >>> second.arm == first.arm, second.kept == first.id
            (True, True)
        """
        # An author's mistake in a policy shows the author's lines: here, where no frame of ours is
        # added any more.
        try:
            if top is not None:
                return decide_ranking(self.core, context, eligible, top, key, active, session)
            if key is None and active is True and session is None:
                return self.core.decide(context, eligible)
            return decide_once(self.core, context, eligible, key, active, session)
        except BaseException as error:
            shorten(error)
            raise

    def decide_batch(
        self,
        contexts: Context,
        eligible: Iterable[Hashable] | None = None,
        *,
        keys: Iterable[str | None] | None = None,
    ) -> list[Decision[Arm]]:
        """A decision per context, all in one moment.

        Rewards are learned before the first one, or after the last.

        The decisions are those that as many calls of `decide` make in which nothing is learned,
        whatever the agent writes or says of them.

        Args:
            contexts: (n, features) or (n, arms, features). With an encoder a table with a row for
                each, of Polars or pandas or a list of dictionaries; or a list of tables.
            eligible: the arms that may be played, in all of them; None: all.
            keys: a `key` of `decide` per context, or None for contexts without one. A context whose
                key is known, from this batch or an earlier call, gets the decision that was made
                then; only the others are decided.

        Raises:
            ValueError: as `decide`; then no decision is made.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> contexts = [[0.5, 0.1], [0.2, 0.3], [0.5, 0.1]]
            >>> made = agent.decide_batch(contexts, keys=["x", None, "x"])
            >>> [each.id for each in made], agent.decide([0.5, 0.1], key="x").id
            ([0, 1, 0], 0)
        """
        try:
            if keys is None:
                return decide_batch(self.core, contexts, eligible)
            return decide_batch_once(self.core, contexts, eligible, keys)
        except BaseException as error:
            shorten(error)
            raise

    def learn(self, decision_id: int, rewards: Rewards) -> None:
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

    def adopt(
        self,
        context: Context | None,
        arm: Hashable,
        propensity: float | None = None,
        rewards: Rewards | None = None,
        key: str | None = None,
        *,
        compare: bool = False,
    ) -> Decision[Arm]:
        """Take over a decision that somebody else made, and learn from it.

        It ends where the agent would be that had decided and learned the same, except that nothing
        was drawn; later rewards go to `learn`, under the id of what is returned. Recipes whose
        updates need to know how they chose, such as Exp3P, and those that play in stages, are
        refused.

        Args:
            context: as of `decide`.
            arm: that was played.
            propensity: the probability with which it was played, in (0, 1]; None: not known.
            rewards: as of `learn`; None: they are still to come.
            key: as of `decide`; what is new of the rewards is learned.
            compare: whether to say in `Decision.counterfactual`, and in the log, what the agent itself
                would have done. It costs about as much as a decision; where the agent was made with
                propensity="none", nothing is said.

        Raises:
            ValueError: as `decide` and `learn`; then nothing has happened.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=["small", "large"], features=2, objectives=2)
            >>> _ = agent.adopt([0.5, 0.1], "large", propensity=0.8, rewards=[0.9, 0.2])
            >>> agent.lessons, agent.waiting
            (1, 0)
            >>> agent = Agent(MolUcb(), arms=4, features=2, objectives=2, propensity="exact")
            >>> agent.adopt([0.5, 0.1], 3, compare=True).counterfactual
            Counterfactual(arm=0, propensity=0.25)
        """
        from mobandits.agent.adoption import adopt  # noqa: PLC0415

        try:
            return adopt(self.core, context, arm, propensity, rewards, key, compare=compare)
        except BaseException as error:
            shorten(error)
            raise

    def learn_log(
        self,
        log: "Feedback | LogStream | LogPlace | HasColumns",
        *,
        add_arms: bool = False,
        **columns: Any,
    ) -> int:
        """Learn from a log of decisions that were made elsewhere, in compiled blocks.

        It ends where `adopt` ends, called for one round after the other, except that no round waits
        for rewards that the log does not have. Everything is checked before anything is learned:
        logs in files and streams are read twice. With a log of its own, the agent writes the rounds
        into it, in blocks of 10,000: where the disk fails, the blocks before were learned.

        Args:
            log: `Feedback`; a path of what `logs.scan` reads, such as a CSV or dsjson file or a
                store; a `logs.Store`; a `logs.LogStream`, which is never held whole; or a table of
                Polars or pandas.
            add_arms: whether arms of the log that the agent does not have are added; else they are
                refused.
            columns: of a CSV file or a table: `arm`, `rewards`, `context` and others, see
                `logs.csv.scan`. With an encoder `context` is that, and need not be given.

        Returns:
            How many rounds taught something.

        Raises:
            ValueError: where the log does not fit the agent, or the recipe cannot adopt.

        Example:
            >>> from mobandits.logs import Feedback
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=["a", "b"], features=1, objectives=["click"])
            >>> contexts = [[0.5], [0.2]]
            >>> log = Feedback(contexts, ["b", "a"], [[1.0], [0.0]], [0.5, 0.5], "ab", ["click"])
            >>> agent.learn_log(log)
            2
        """
        from mobandits.agent.log_learning import learn_log  # noqa: PLC0415

        try:
            return learn_log(self.core, log, add_arms=add_arms, columns=columns)
        except BaseException as error:
            shorten(error)
            raise

    def activate(self, decision_id: int) -> None:
        """Let an inactive decision take effect: rewards by default are due from now on.

        A reward activates as well; of a decision that is active, or has its rewards, nothing
        changes.

        Args:
            decision_id: `Decision.id`.

        Raises:
            ValueError: where no such decision waits.

        Example:
            >>> from mobandits.agent import Objective
            >>> from mobandits.policies import MolUcb
            >>> now = [0.0]
            >>> click = Objective("click", default=0.0, after=60.0)
            >>> options = {"arms": 3, "features": 2, "objectives": [click]}
            >>> agent = Agent(MolUcb(scale=0.3), **options, clock=lambda: now[0])
            >>> prepared = agent.decide([0.5, 0.1], active=False)
            >>> now[0] = 300.0
            >>> agent.activate(prepared.id)
            >>> agent.tick()
            >>> agent.lessons
            0
            >>> now[0] = 360.0
            >>> agent.tick()
            >>> agent.lessons
            1
        """
        self.core.activate(decision_id)

    def abandon(self, decision_id: int) -> None:
        """Wait for a decision no more, such as one whose arm was never played.

        Nothing is learned of it from now on, not even a default; what was learned stays.

        Args:
            decision_id: `Decision.id`.

        Raises:
            ValueError: where no such decision waits.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> agent.abandon(agent.decide([0.5, 0.1]).id)
            >>> agent.waiting
            0
        """
        self.core.abandon(decision_id)

    def tick(self) -> None:
        """Learn the rewards by default that are due, and drop what is too old, without a call.

        Every other call does so first, so that it matters only where there are none for long. What
        an agent decides does not depend on how often it is called.
        """
        self.core.tick()

    def reset_clock(self) -> float:
        """Go on at the time of the clock, where it was ahead for a while.

        Times of decisions never fall: after a clock that was ahead, the agent's time stands still
        until the clock has caught up, and budgets do not renew. Where the clock is right now, this
        ends that. What decisions cost while it was ahead counts in the present period, with what a
        log knows was spent in it before. Defaults that were learned meanwhile, and decisions that
        were dropped for their age, stay so.

        Returns:
            how many seconds the agent's time was ahead; 0.0 where it was not, and nothing changed.

        Example:
            >>> from mobandits.agent import Budget, Objective
            >>> from mobandits.policies import MolUcb
            >>> cost = Objective("cost", minimise=True, high=0.25)
            >>> now = [90_000.0]
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=["quality", cost],
            ...     budgets=[Budget("cost", 0.75, per="hour")], clock=lambda: now[0])
            >>> _ = agent.decide([0.5, 0.1])
            >>> now[0] = 3600.0
            >>> agent.reset_clock(), agent.balances[0].renews
            (86400.0, 7200.0)
        """
        from mobandits.agent.clock import reset_clock  # noqa: PLC0415

        return reset_clock(self.core)

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

    def rename_arm(self, arm: Hashable, to: Hashable) -> None:
        """Call an arm by another name from now on; what was learned of it stays.

        A log records the change, and reads past decisions with the new name. An agent that is made
        with the log may name its arms as they were or as they are. Archives keep the old name.

        Args:
            arm: its name until now.
            to: the new one, which no arm of the agent ever had.

        Raises:
            ValueError: where there is no such arm, the new name was used before, or the recipe
                names the arm.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=["v1", "v2"], features=1, objectives=1)
            >>> agent.rename_arm("v1", "v3")
            >>> agent.arms
            ('v3', 'v2')
        """
        self.core.rename_arm(arm, to)

    def reprice(self, arm: Hashable, factor: float, objective: Hashable | None = None) -> None:
        """Take in that an arm costs `factor` times what it did, from the next decision on.

        What is predicted of its cost is multiplied at once, and costs that come are divided before
        they are learned, so that nothing need be learned anew; 0.5 is half the price. Bills of
        decisions that were made before are taken for the old price, also where they come later.
        Spending counts what is paid. Where the agent has a store, or has learned a log, the price of
        a unit of cost with which the budget is kept is looked up again on its last rounds, at the
        new costs. A log records the change.

        Args:
            arm: whose price changes.
            factor: the new price over the old one, above 0.
            objective: the cost; None: the one that has a budget.

        Raises:
            ValueError: where there is no such arm or cost, or the recipe has no prices of costs, as
                `Paced` has them.

        Example:
            >>> from mobandits.agent import Objective
            >>> from mobandits.policies import MolEpsGreedy, Paced
            >>> recipe = Paced(MolEpsGreedy(epsilon=0.0, penalty=1e-9), {"cost": 0.5})
            >>> objectives = ["quality", Objective("cost", minimise=True)]
            >>> agent = Agent(recipe, arms=["small", "large"], features=1, objectives=objectives)
            >>> for arm, cost in (("small", 0.1), ("large", 2.0)):
            ...     _ = agent.adopt([1.0], arm, rewards={"quality": 0.5, "cost": cost})
            >>> agent.reprice("large", 0.25)
            >>> explanation = agent.explain(agent.decide([1.0]))
            >>> explanation.estimates[:, 1].round(6).tolist()
            [0.1, 0.5]
        """
        from mobandits.agent.repricing import reprice  # noqa: PLC0415

        reprice(self.core, arm, factor, objective)

    @property
    def preference(self) -> Order | None:
        """The order by which arms are compared, or None where the policy has none of its own.

        Setting it changes what is played from now on, and nothing of what was learned; None goes
        back to the recipe's. An order of a class that this machine has not played before is played
        in Python until a child process has compiled it.
        """
        order: Order | None = self.core.bound.preference()
        return order

    @preference.setter
    def preference(self, order: Order | None) -> None:
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

    def retune(
        self,
        recipe: Recipe | None = None,
        *,
        pending: int | None = None,
        max_age: Any = UNCHANGED,
        propensity: Propensity | None = None,
        objectives: Sequence[Any] | None = None,
    ) -> None:
        """Go on with another recipe, other objectives or limits, and with what was learned.

        Statistics are kept where the estimators agree, as those of MolUcb and MolTs of one penalty
        do. Else the new recipe learns all decisions of the agent's log again, as `adopt` does; it
        ends where an agent would be that had it from the start. Decisions that wait keep waiting,
        and what is drawn goes on in the same stream. A log records the change, and asks for the new
        recipe and objectives when it is opened next.

        Objectives of the same name may have another direction, unit, range, default or delay: the
        log is learned again with these. An objective that is not in the list is dropped, with its
        rewards. One that is new counts as not observed until now, so that the recipe must learn
        rewards in part where there is a past.

        Args:
            recipe: the new one; None: as it is.
            pending: as for a new agent, like the others; beyond a smaller limit the oldest waiting
                decisions are dropped.
            max_age: seconds, or None, which is without a limit.
            propensity: "exact", "sampled" or "none"; None: as it is, and "sampled" in place of
                "exact" where the new recipe draws beliefs.
            objectives: all of them, as for a new agent; None: as they are. Where one is dropped or
                changes its place, the recipe must be given too: it may have numbers of objectives.

        Raises:
            ValueError: where a parameter does not fit; where statistics cannot be kept, and there
                is no log, or not all of it, to learn from again; where a recipe plays in stages.
                Nothing has changed then.

        Example:
            >>> from mobandits.policies import MolTs, MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> agent.learn(agent.decide([0.5, 0.1]).id, [1.0, 0.5])
            >>> agent.retune(MolTs(scale=0.1), max_age=3600.0)
            >>> type(agent.recipe).__name__, agent.lessons
            ('MolTs', 1)
        """
        from mobandits.agent.retuning import retune  # noqa: PLC0415

        retune(self.core, recipe, pending, max_age, propensity, objectives)

    def correct(self, decision_id: int, rewards: Rewards) -> None:
        """Take back rewards of a decision, and have learned these in their place.

        Not every estimator can take back a reward, so the agent learns all decisions of its log
        again, as `adopt` does: it ends where an agent would be that was told the right rewards at
        the time. Decisions that were made meanwhile stay as they were. What is spent of a budget in
        the present period changes with the bill. The log keeps both rewards, and whoever reads
        decisions from it finds the right ones.

        Args:
            decision_id: `Decision.id`, of any decision in the log.
            rewards: as of `learn`; objectives that are not named stay as they were. A default
                that was learned can be corrected while the decision is remembered.

        Raises:
            ValueError: where there is no log, or not all of it; where the decision was told nothing
                of an objective; where the recipe cannot learn from a log. Nothing has changed then.

        Example:
            >>> import tempfile
            >>> from mobandits.policies import MolUcb
            >>> log = tempfile.mkdtemp() + "/router.db"
            >>> with Agent(MolUcb(scale=0.3), arms=2, features=1, objectives=1, log=log) as agent:
            ...     decision = agent.decide([1.0])
            ...     agent.learn(decision.id, [100.0])
            ...     agent.correct(decision.id, [1.0])
            ...     agent.explain(decision).estimates[decision.arm].tolist()
            [0.5]
        """
        from mobandits.agent.correcting import correct  # noqa: PLC0415

        correct(self.core, decision_id, rewards)

    def branch(self, path: str | Path) -> "Agent[Arm]":
        """Another agent that goes on from here, with a log of its own, to try something.

        Both would decide the same on the same calls; neither knows of the other from now on.

        Args:
            path: of the new log, a copy of this agent's where it has one.

        Raises:
            ValueError: where there is such a file, or the agent cannot be saved.

        Example:
            >>> import tempfile
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> with agent.branch(tempfile.mkdtemp() + "/what-if.db") as fork:
            ...     fork.retune(MolUcb(scale=0.1))
            ...     fork.decide([0.5, 0.1]).id, agent.waiting
            (0, 0)
        """
        from mobandits.agent.replaying import branched  # noqa: PLC0415

        agent = type(self).__new__(type(self))
        agent.core = branched(self.core, path)

        return agent

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
            raise wrong_value("merge needs another agent", other)

        merge(self.core, other.core)

    def save(self, path: str | Path) -> None:
        """Write the whole state into one file, which replaces an older one at once or not at all.

        Raises:
            ValueError: where a name or a parameter is of a kind that files do not keep.
        """
        from mobandits.agent.saving import save_core  # noqa: PLC0415

        save_core(self.core, path)

    def to_bytes(self) -> bytes:
        """The whole state as bytes, those of the file that `save` writes; see `from_bytes`.

        Raises:
            ValueError: as `save`.
        """
        from mobandits.agent.saving import core_bytes  # noqa: PLC0415

        return core_bytes(self.core)

    def close(self) -> None:
        """Take a last snapshot and let go of the log, where there is one: later calls are refused.

        Without it nothing is lost, unless the log's durability is "buffered"; the next opening has
        more to replay. An agent is a context manager, which closes it.
        """
        writer = self.core.writer
        if writer is not None:
            writer.close(self.core)

    def checkpoint(self) -> None:
        """Write the whole state into the log now: the next opening replays only what comes after.

        Snapshots are taken by themselves every `snapshot_every` events and by `close`; this is for
        moments when somebody waits for nothing, or before old decisions are exported and deleted.

        Raises:
            ValueError: where there is no log.
            LogError: where it cannot be written.

        Example:
            >>> import tempfile
            >>> from mobandits.policies import MolUcb
            >>> log = tempfile.mkdtemp() + "/router.db"
            >>> options = {"arms": ["small", "large"], "features": 2, "objectives": ["quality"]}
            >>> with Agent(MolUcb(scale=0.3), **options, log=log) as agent:
            ...     agent.learn(agent.decide([0.5, 0.1]).id, [0.9])
            ...     agent.checkpoint()
            >>> with Agent(MolUcb(scale=0.3), **options, log=log) as agent:
            ...     agent.lessons
            1
        """
        core = self.core
        writer = core.writer
        if writer is None:
            raise ValueError(
                "checkpoint needs an agent with a log, such as log='router.db': `save` writes the "
                "state of any agent into a file"
            )

        with core.lock:
            writer.snapshot(core)

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        *,
        recipe: Recipe | None = None,
        log: "LogPlace | None" = None,
        clock: Callable[[], float] = time.time,
    ) -> "Agent":
        """The agent whose `to_bytes` these are, or the content of a file of `save`.

        Args:
            data: the bytes.
            recipe: as of `load`, like `log` and `clock`.
            log: of the agent.
            clock: of the agent.

        Raises:
            ValueError: where they are not the whole ones of an agent.

        Example:
            >>> from mobandits.policies import MolUcb
            >>> agent = Agent(MolUcb(scale=0.3), arms=3, features=2, objectives=2)
            >>> again = Agent.from_bytes(agent.to_bytes())
            >>> again.decide([0.5, 0.1]) == agent.decide([0.5, 0.1])
            True
        """
        from mobandits.agent.loading import core_of_bytes  # noqa: PLC0415

        if not isinstance(data, bytes | bytearray | memoryview):
            raise wrong_value("data must be bytes of `Agent.to_bytes`", data)

        core, logged = core_of_bytes(bytes(data), recipe, clock, "the data")

        return cls._going_on(core, log, logged)

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        recipe: Recipe | None = None,
        log: "LogPlace | None" = None,
        clock: Callable[[], float] = time.time,
    ) -> "Agent":
        """The agent that was saved; it goes on exactly as the one that saved would have.

        Files hold numbers and names only: reading one runs nothing of it.

        Args:
            path: the file.
            recipe: the recipe, where it is not one of this library.
            log: the agent's log, a path or a `logs.Store`; what was logged after the file was
                written is caught up with.
            clock: as for a new agent.

        Raises:
            ValueError: where the file is not a whole one of this kind and version.
        """
        from mobandits.agent.loading import load_core  # noqa: PLC0415

        core, logged = load_core(path, recipe, clock)

        return cls._going_on(core, log, logged)

    @classmethod
    def _going_on(cls, core: AgentCore, log: Any, logged: int) -> "Agent":
        """The agent of a core that was read, caught up with its log where there is one."""
        if log is not None:
            from mobandits.agent.replaying import attached  # noqa: PLC0415

            core = attached(core, log, after=logged)

        # The core is ready: the constructor would make another one.
        agent = cls.__new__(cls)
        agent.core = core

        return agent
