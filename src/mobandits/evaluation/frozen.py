"""An agent as a target: what it has learned by now, frozen, and evaluated on a log."""

from typing import TYPE_CHECKING

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.training import DRAWS, add_laws, contexts_of, eligible_of
from mobandits.logs import Feedback
from mobandits.support.checks import integer
from mobandits.support.naming import quoted, wrong_value

if TYPE_CHECKING:
    from mobandits.agent.agent import Agent


class Frozen:
    """The policy that an agent plays now, which learns no more.

    In a round it chooses among those of the eligible arms that it has. Its probabilities depend on
    nothing but the round, so that a log may be read in pieces; where beliefs are drawn, also on the
    draws, which each piece has for itself. Hard budgets are left out of account.

    Args:
        agent: which has learned from other rounds than those that it is evaluated on. What it learns
            later changes nothing.
        draws: as of `Trained`.
        seed: of the draws.

    Raises:
        ValueError: where it is no agent, or has neither decided nor learned anything.

    Example:
        >>> from mobandits.agent import Agent
        >>> from mobandits.policies import MolUcb
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> agent = Agent(MolUcb(scale=0.1), arms=["b", "a"], features=1, objectives=["q"])
        >>> agent.learn_log(log)
        2
        >>> Frozen(agent)(log).tolist()
        [[0.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, agent: "Agent", *, draws: int = DRAWS, seed: int = 0) -> None:
        # Whoever evaluates no agent loads none.
        from mobandits.agent.resize_state import copy_of_state  # noqa: PLC0415

        integer("Frozen.draws", draws, at_least=1)
        integer("Frozen.seed", seed, at_least=0)
        self.draws = draws
        self.seed = seed
        core = getattr(agent, "core", None)
        if core is None:
            raise wrong_value("Frozen.agent must be an Agent", agent)

        self._core = core
        with core.lock:
            bound = core.bound
            if not bound.stage:
                rule = "Frozen.agent must have decided or learned something"
                raise wrong_value(rule, agent)

            self._text = quoted(agent)
            self._policy = bound.policy
            self._state = copy_of_state(bound.state())
            self._arms = bound.shape.arms
            self._slot_of = dict(zip(core.arms.names, core.arms.everyone.tolist(), strict=True))

    def __repr__(self) -> str:
        return f"Frozen({self._text})"

    def __call__(self, log: Feedback) -> Array:
        """(rounds, arms) probabilities; errors as `law`."""
        return self.law(log, 0)

    def law(self, log: Feedback, number: int) -> Array:
        """(rounds, arms) probabilities in a piece of a log.

        Args:
            log: the piece.
            number: of the piece: others have other draws, whose errors average out, and the piece
                the same ones whenever it is read.

        Raises:
            ValueError: where contexts do not fit the agent, or it has none of a round's arms.
        """
        from mobandits.agent.log_learning import check_contexts  # noqa: PLC0415

        check_contexts(self._core, log)
        places = [i for i, name in enumerate(log.arm_names) if name in self._slot_of]
        slots = [self._slot_of[log.arm_names[place]] for place in places]
        offered = eligible_of(log)
        eligible = np.zeros((len(offered), self._arms), bool)
        eligible[:, slots] = offered[:, places]
        is_empty = ~eligible.any(1)
        if is_empty.any():
            rule = "log must have one of the agent's arms eligible in every round"
            # Of a log in memory there is one piece.
            piece = f" of piece {number}" if number else ""
            raise ValueError(f"{rule}, got none in round {is_empty.argmax()}{piece}")

        contexts = contexts_of(log)
        if contexts.shape[1] > 1:
            # Rows in the order of the agent's slots; those of other slots are never looked at.
            row_of_slot = np.zeros(self._arms, np.int64)
            row_of_slot[slots] = places
            contexts = np.ascontiguousarray(contexts[:, row_of_slot])

        table = np.zeros((len(log), self._arms))
        rounds = np.arange(len(log))
        rng = np.random.default_rng([self.seed, number])
        add_laws(self._policy, self._state, rounds, contexts, eligible, self.draws, rng, table)
        law = np.zeros((len(log), len(log.arm_names)))
        law[:, places] = table[:, slots]

        return law
