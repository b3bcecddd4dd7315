"""An agent: a recipe at work in an application."""

import itertools
import math
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.agent import rounds as compiled
from mobandits.agent.guard import Guard
from mobandits.agent.inputs import members, merged, reward_list
from mobandits.kernel.checks import doubles, integer, is_ready
from mobandits.kernel.protocols import Array, Recipe, Shape
from mobandits.kernel.session import open_session, run


class Decision(NamedTuple):
    """What to do, and the number under which its rewards will be reported.

    Attributes:
        id: pass it to `Agent.learn`.
        arm: the arm's name.
    """

    id: int
    arm: Hashable


class Pending(NamedTuple):
    """What is kept of a decision until all its rewards are there: a few numbers, whatever the number of arms."""

    x: Array
    arm: int
    note: float
    stage: int
    rewards: list[float] | None = None


class Agent:
    """Decides, and learns from rewards that arrive late, in part, and in any order.

    Contexts are (features,), one for all arms, or (arms, features), a row per arm; the first one settles which. Where
    the arms share it, recipes that learn from features give every arm a model of its own (disjoint models).

    Inputs are checked in every call. A decision costs what the policy's compiled round costs, and about two
    microseconds; the first one compiles it, in seconds, once per machine (`mobandits warm`). The same seed and the same
    calls give the same decisions. Calls from several threads need a lock.

    Args:
        recipe: such as `MolUcb(scale=0.3)`.
        arms: their number, or their names.
        features: length d of a context row; 0 where there is no context.
        objectives: their number, or their names; all are maximised.
        seed: of all decisions.
        rounds: the horizon, for recipes that need one.
        pending: how many decisions may wait for rewards; beyond it the oldest is forgotten, and learned from no more.

    Raises:
        ValueError: naming parameter, rule and value, also where the recipe does not fit.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> agent = Agent(MolUcb(scale=0.3), arms=["small", "large"], features=2, objectives=["quality", "saving"])
        >>> decision = agent.decide([0.5, 0.1])
        >>> agent.learn(decision.id, {"saving": 0.8})
        >>> agent.learn(decision.id, {"quality": 0.9})
        >>> decision.arm in ("small", "large"), agent.waiting
        (True, 0)
    """

    def __init__(
        self,
        recipe: Recipe,
        *,
        arms: int | Sequence[Hashable],
        features: int,
        objectives: int | Sequence[Hashable],
        seed: int = 0,
        rounds: int | None = None,
        pending: int = 1_000_000,
    ) -> None:
        if not isinstance(recipe, Recipe):
            raise ValueError(f"recipe must be a recipe such as MolUcb(scale=0.3), got {recipe!r}")  # noqa: TRY004
        for name, value, least in (("features", features, 0), ("seed", seed, 0), ("pending", pending, 1)):
            integer(name, value, at_least=least)
        if rounds is not None:
            integer("rounds", rounds, at_least=1)
        self.recipe, self.arms, self.objectives = recipe, members("arms", arms), members("objectives", objectives)
        self._shape = Shape(len(self.arms), int(features), len(self.objectives), rounds)
        self._refuse_misfit()
        self._everyone, self._rng, self._guard = np.arange(len(self.arms)), np.random.default_rng(seed), Guard(recipe)
        self._places = {name: i for i, name in enumerate(self.objectives)}
        self._ids, self._pending, self._limit, self.forgotten = itertools.count(), dict[int, Pending](), int(pending), 0
        self._wanted: tuple[int, ...] | None = None  # the contexts' shape, once it is settled
        self._stage = 0
        self._left: int | None = None  # decisions that the stage has left

    @property
    def waiting(self) -> int:
        """How many decisions wait for rewards."""
        return len(self._pending)

    def decide(self, context: Any = None) -> Decision:
        """The arm to play now.

        Args:
            context: (features,) or (arms, features); None where there are no features.

        Raises:
            ValueError: where it has another shape, or a number that is not finite or not what the recipe needs.
        """
        given = context if is_ready(context) else self._doubles("context", context)
        if given.shape != self._wanted:
            self._settle("context", given.shape)
        rows = given if given.ndim == 2 else given[None]
        if self._left == 0:
            self._begin()
        guard = self._guard
        arm, note, norm = self._decide(self._session, rows, self._everyone, guard.low, guard.high)
        if arm < 0:
            guard.refuse(rows)
        return self._keep(rows[arm if len(rows) > 1 else 0].copy(), arm, note, norm)

    def decide_batch(self, contexts: Any) -> list[Decision]:
        """A decision per context, all of them in the present state: their rewards are learned afterwards.

        Args:
            contexts: (n, features) or (n, arms, features).

        Raises:
            ValueError: as `decide`; then no decision is made.
        """
        given = self._doubles("contexts", contexts)
        if given.shape[1:] != self._wanted or given.ndim < 2:
            self._settle("contexts", given.shape, batch=True)
        if not len(given):
            return []
        tables = given if given.ndim == 3 else given[:, None]
        if self._left == 0:
            self._begin()
        guard, chosen, said = self._guard, np.empty(len(tables), np.int64), np.empty((len(tables), 2))
        self._decide_many(self._session, tables, self._everyone, guard.low, guard.high, chosen, said)
        if chosen[0] < 0:
            guard.refuse(tables)
        played = tables[np.arange(len(tables)), chosen if tables.shape[1] > 1 else 0]
        return [self._keep(*each) for each in zip(played, chosen.tolist(), *said.T.tolist(), strict=True)]

    def learn(self, decision_id: int, rewards: Any) -> None:
        """Learn what a decision brought, or some of it: the rest may follow.

        A recipe that cannot learn from a part learns when the last part is there.

        Args:
            decision_id: `Decision.id`.
            rewards: (objectives,), NaN where not observed, or {objective: number} of some.

        Raises:
            ValueError: where no such decision waits; where the rewards are not finite numbers of known objectives, or
                not what the recipe needs; where an objective is told again with another value. Nothing is learned then.
        """
        kept = self._pending.get(decision_id)
        if kept is None:
            raise ValueError(f"decision_id must be of a decision that waits for rewards, got {decision_id!r}")
        new = known = reward_list(rewards, self._places)
        self._guard.look_at_rewards(new)
        if kept.rewards is not None:
            new, known = merged(kept.rewards, new, self.objectives)
        complete = not math.isnan(sum(known))
        if kept.stage == self._stage and (complete or self.recipe.accepts_partial):
            lesson = np.array(new if self.recipe.accepts_partial else known)
            self._learn(self._session, kept.x, kept.arm, kept.note, lesson)
        if complete:
            del self._pending[decision_id]
        else:
            self._pending[decision_id] = kept._replace(rewards=known)

    def _keep(self, x: Array, arm: int, note: float, norm: float) -> Decision:
        self._guard.look_at_features(x, norm)
        if len(self._pending) >= self._limit:
            del self._pending[next(iter(self._pending))]
            self.forgotten += 1
        if self._left is not None:
            self._left = max(0, self._left - 1)  # a batch is not cut where a stage ends
        number = next(self._ids)
        self._pending[number] = Pending(x, arm, note, self._stage)
        return Decision(number, self.arms[arm])

    def _doubles(self, name: str, value: Any) -> Array:
        if value is None and self._shape.features > 0:
            raise ValueError(f"{name} must be numbers, got None")
        return np.empty(0) if value is None else doubles(name, value)

    def _settle(self, name: str, shape: tuple[int, ...], *, batch: bool = False) -> None:
        """Begin with the first context, which says whether the arms share one; refuse all shapes but its own."""
        n, one = (shape[:1] or (0,), shape[1:]) if batch else ((), shape)
        layouts = {self._shape[1:2]: ("features",), self._shape[:2]: ("arms", "features")}
        if self._wanted is None and one in layouts and shape:
            self._wanted = one
            self._stages = self.recipe.stages(self._shape._replace(shared=len(one) == 1 and self._shape.features > 0))
            self._begin()
            return
        known = layouts if self._wanted is None else {self._wanted: layouts[self._wanted]}
        said = [((*("n",) * batch, *axes), (*n, *sizes)) for sizes, axes in known.items()]
        wanted = " or ".join(f"({', '.join(axes)}{',' * (len(axes) == 1)}) = {sizes}" for axes, sizes in said)
        because = "" if self._wanted is None else ", as the first one had"
        raise ValueError(f"{name} must have shape {wanted}{because}, got {shape}")

    def _begin(self) -> None:
        """The next stage: a policy that has seen nothing."""
        policy, self._left = next(self._stages)
        self._session, self._stage = open_session(policy, self._rng), self._stage + 1
        self._decide, self._decide_many = (
            run(function, self._session) for function in (compiled.decide, compiled.decide_many)
        )
        self._learn = run(compiled.learn, self._session, keeps=True)

    def _refuse_misfit(self) -> None:
        """Bind both layouts; which one it will be is not known yet, but one of them must work."""
        said = []
        for shared in (False, True):
            try:
                self.recipe.bind(self._shape._replace(shared=shared))
            except ValueError as error:
                said.append(error)
        if len(said) == 2:
            raise said[0]
