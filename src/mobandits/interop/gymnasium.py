"""Bandit problems as Gymnasium environments whose reward is a vector, in the form of MO-Gymnasium.

Importing this module registers `mobandits/linear-v0` and its like, one per environment with
finitely many arms::

    import gymnasium, mobandits.interop.gymnasium
    gymnasium.make("mobandits/linear-v0", arms=10)

A round is an episode of one step. It needs the extra `gym`; MO-Gymnasium is not needed.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mobandits import environments
from mobandits.contracts.protocols import Block, Environment, Problem, Rng, Shape
from mobandits.encoding.encoder import Encoder
from mobandits.simulation.plan import require_environment
from mobandits.support.checks import integer
from mobandits.support.naming import kebab, wrong_value
from mobandits.support.optional import missing_extra

try:
    import gymnasium
    from gymnasium.error import ResetNeeded
    from gymnasium.spaces import Box, Discrete
except ImportError as error:
    raise missing_extra("mobandits.interop.gymnasium", "gym") from error

__all__ = ["NAMES", "BanditEnv", "EncodedObservation", "make_env", "register"]

Floats = NDArray[np.float32]

ROUNDS = 1_000_000  # of a problem that does not end, before the next one is drawn

# Rounds that are drawn at once, for speed; fewer where they hold more than so many numbers.
BLOCK = 256
NUMBERS = 200_000

CONTINUA = {"TwoRidges"}  # environments with a continuum of arms, which `Discrete` cannot hold
NAMES: Mapping[str, str] = {
    kebab(name): name for name in environments.__all__ if name not in CONTINUA
}


class BanditEnv(gymnasium.Env[Floats, np.int64]):
    """A Gymnasium environment around any environment of mobandits with finitely many arms.

    `reset` shows the context of the next round, (arms, features), or (1, features) where all arms
    share it, or ``[[1.0]]`` where there is none. `step` plays an arm and returns the same context,
    the vector of its rewards, ``terminated=True``, ``truncated=False`` and ``{"means": (arms,
    objectives), "round": int}``. Contexts and rewards are rounded to single precision.

    ``reset(seed=...)`` draws an instance of the problem (its unknown parameters, the order of its
    data) and starts at its first round; after the last round `reset` draws the next instance. Where
    copies with different seeds must share one instance, as in a vector environment, `instance`
    names it.

    Args:
        environment: such as `Linear(arms=10)`.
        rounds: of an instance; None: as many as the data has, or a million.
        instance: a seed of the instance; None: drawn from the seed of `reset`.

    Attributes:
        observation_space: `Box` of the contexts, without bounds: environments do not tell them.
        action_space: `Discrete`, one action per arm.
        arms: the number of arms.
        reward_space: `Box` of shape (objectives,), without bounds.
        reward_dim: the number of objectives.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        MO-Gymnasium (Alegre et al., BNAIC 2022) for the vector reward, `reward_space` and
        `reward_dim`.

    Example:
        >>> from mobandits.environments import Linear
        >>> env = BanditEnv(Linear(arms=3, features=2, objectives=2))
        >>> context, info = env.reset(seed=1)
        >>> context, reward, terminated, truncated, info = env.step(2)
        >>> context.shape, reward.shape, reward.dtype.name, terminated, info["means"].shape
        ((3, 2), (2,), 'float32', True, (3, 2))
    """

    def __init__(
        self, environment: Environment, rounds: int | None = None, instance: int | None = None
    ) -> None:
        if rounds is not None:
            integer("BanditEnv.rounds", rounds, at_least=1)
        if instance is not None:
            integer("BanditEnv.instance", instance, at_least=0)

        require_environment("BanditEnv.environment", environment)
        self._longest = getattr(environment, "max_rounds", None)
        self._environment = environment
        self._rounds = rounds or self._longest or ROUNDS
        self._instance = instance
        # Spaces must be known before `reset`: the shape of an instance that is never played.
        shape: Any = self._draw(np.random.default_rng(0)).shape
        if not isinstance(shape, Shape):
            raise wrong_value("BanditEnv.environment must have finitely many arms", environment)

        space: Any = _context_space(shape)
        self.observation_space = space
        self.arms = shape.arms
        self.action_space = Discrete(shape.arms)
        self.reward_space = Box(-math.inf, math.inf, (shape.objectives,))
        self.reward_dim = shape.objectives
        numbers = shape.arms * (shape.features + 2 * shape.objectives)  # of a round
        self._size = max(1, min(BLOCK, NUMBERS // numbers))
        self._problem: Problem | None = None
        self._round = 0
        self._first = 0
        self._last = 0
        self._open = False  # whether a round waits for its action

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Floats, dict[str, Any]]:
        """The context of the next round, or of the first round of a new instance.

        Args:
            seed: of the instance, where none was named, and of its rounds.
            options: none are known.

        Returns:
            The context, and ``{"round": int}``, counted from 0.
        """
        super().reset(seed=seed, options=options)
        ended = self._round + 1 >= self._rounds
        if seed is not None or self._problem is None or ended:
            rng = self.np_random
            if self._instance is not None:
                rng = np.random.default_rng(self._instance)

            self._problem = self._draw(rng)
            self._round = -1
            self._first = 0
            self._last = 0

        self._round += 1
        if self._round == self._last:
            self._next_block(self._problem)

        self._open = True

        return self._context(), {"round": self._round}

    def step(self, action: np.int64 | int) -> tuple[Floats, Floats, bool, bool, dict[str, Any]]:
        """Play an arm: the round's context again, its rewards, and the end of the episode.

        Raises:
            ValueError: where there is no such arm.
            gymnasium.error.ResetNeeded: where no round is open.
        """
        if action not in self.action_space:
            raise wrong_value(f"action must be an integer from 0 to {self.arms - 1}", action)
        if not self._open:
            raise ResetNeeded("a round is an episode: call reset before each step")

        self._open = False
        row = self._round - self._first
        rewards = self._block.rewards[row, int(action)]
        means = self._block.means
        means = means[row if len(means) > 1 else 0]
        # A copy: the block is of the environment, and the caller may keep the means.
        info = {"means": means.copy(), "round": self._round}

        return self._context(), rewards.astype(np.float32), True, False, info

    def _draw(self, rng: Rng) -> Problem:
        return self._environment.problem(self._rounds, rng)

    def _next_block(self, problem: Problem) -> None:
        size = self._size
        # Data that end are drawn to their last round, and no further.
        if self._longest is not None:
            remaining = self._longest - self._round
            size = min(size, remaining)

        self._block: Block = problem.block(self._round, size, self.np_random)
        self._first = self._round
        self._last = self._round + size

    def _context(self) -> Floats:
        contexts = self._block.contexts
        if not contexts.shape[2]:
            return np.ones((1, 1), np.float32)  # learners expect at least one number

        row = 0
        if len(contexts) > 1:
            row = self._round - self._first

        context: Floats = contexts[row].astype(np.float32)

        return context


class EncodedObservation(gymnasium.ObservationWrapper[Floats, Any, Any]):
    """A Gymnasium environment whose observations of named values become numbers, by an encoder.

    For environments with observations {column: value}, as those of the space `Dict` are: of
    `Discrete`, `Text`, and `Box` of one number.

    Args:
        env: such an environment.
        encoder: fitted.

    Attributes:
        observation_space: `Box` of the encoder's features, without bounds.

    Raises:
        ValueError: where the encoder is none, or not fitted; by `reset` and `step`, naming the
            column and what was expected.

    Example:
        >>> from gymnasium.spaces import Dict, Text
        >>> class Visits(gymnasium.Env):
        ...     observation_space = Dict({"city": Text(9), "age": Box(0, 99, ())})
        ...     action_space = Discrete(2)
        ...     def reset(self, seed=None, options=None):
        ...         return {"city": "Rome", "age": np.float32(40.0)}, {}
        >>> encoder = Encoder.fit({"city": ["Rome", "Oslo"], "age": [20, 40]})
        >>> EncodedObservation(Visits(), encoder).reset()[0].tolist()
        [1.0, 0.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, env: gymnasium.Env[Any, Any], encoder: Encoder) -> None:
        if not isinstance(encoder, Encoder):
            raise wrong_value("EncodedObservation.encoder must be an Encoder", encoder)

        super().__init__(env)
        self.encoder = encoder
        self.observation_space = Box(-math.inf, math.inf, (len(encoder),))

    def observation(self, observation: Any) -> Floats:
        """(features,) the numbers of an observation, in single precision."""
        row = {name: _single_value(value) for name, value in observation.items()}
        return self.encoder.encode(row).astype(np.float32)


def _single_value(value: Any) -> Any:
    # `Box` has arrays, also of one number.
    is_one = isinstance(value, np.ndarray) and value.size == 1
    return value.item() if is_one else value


def _context_space(shape: Shape) -> Any:
    if not shape.features:
        return Box(0.0, 1.0, (1, 1))
    rows = 1 if shape.shared else shape.arms
    return Box(-math.inf, math.inf, (rows, shape.features))


def make_env(
    name: str, rounds: int | None = None, instance: int | None = None, **parameters: Any
) -> BanditEnv:
    """The entry point of the registered environments.

    Args:
        name: one of `NAMES`.
        rounds: as in `BanditEnv`.
        instance: as in `BanditEnv`.
        parameters: of the environment.

    Example:
        >>> make_env("multi-armed", means=[[0.5, 0.2], [0.1, 0.9]]).reset(seed=0)
        (array([[1.]], dtype=float32), {'round': 0})
    """
    cls = getattr(environments, NAMES[name])
    environment = cls(**parameters)
    return BanditEnv(environment, rounds, instance)


def register() -> None:
    """Register one Gymnasium environment per name; importing this module calls it.

    Gymnasium's own checker is off for them, as MO-Gymnasium turns it off: it wants a scalar reward.

    Example:
        >>> env = gymnasium.make("mobandits/linear-v0", arms=4, objectives=3)
        >>> env.action_space, env.unwrapped.reward_dim
        (Discrete(4), 3)
    """
    for name in NAMES:
        identifier = f"mobandits/{name}-v0"
        # Gymnasium warns of a second registration.
        if identifier not in gymnasium.registry:
            gymnasium.register(
                identifier,
                f"{__name__}:make_env",
                kwargs={"name": name},
                disable_env_checker=True,
            )


register()
