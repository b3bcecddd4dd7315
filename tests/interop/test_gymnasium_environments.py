"""Bandit environments in Gymnasium's form: against a twin that asks the problem itself, and inside other wrappers."""

import gymnasium
import mo_gymnasium as mo_gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box, Dict, Discrete, Text
from gymnasium.utils import seeding
from gymnasium.utils.env_checker import check_env
from mo_gymnasium.wrappers import (
    LinearReward,
    MOClipReward,
    MONormalizeReward,
    MORecordEpisodeStatistics,
)
from mo_gymnasium.wrappers.vector import MOSyncVectorEnv

from mobandits import Encoder, environments
from mobandits.environments import Bumps, Linear, Logged, MultiArmed, TwoRidges
from mobandits.interop import gymnasium as interop
from mobandits.interop.gymnasium import BLOCK, NAMES, ROUNDS, BanditEnv, EncodedObservation

NEEDS = {"llm-routing": {"text_features": 0}, "logged": {"rewards": [[[0.5, 1.0], [0.0, 2.0]]] * 5}}
SMALL = Linear(arms=4, features=3, objectives=2)


def rounds_of(env, n, seed=None):
    """(contexts, rewards, infos) of n rounds that play the arms in turn."""
    out = []
    for i in range(n):
        context, _ = env.reset(seed=seed if i == 0 else None)
        out.append((context, *env.step(i % env.action_space.n)[1::3]))
    return [np.array(part) for part in list(zip(*out, strict=True))[:2]] + [
        [info for *_, info in out]
    ]


def test_every_environment_with_finitely_many_arms_is_registered():
    assert set(environments.__all__) - set(NAMES.values()) == {"TwoRidges"}
    assert {f"mobandits/{name}-v0" for name in NAMES} <= set(gymnasium.registry)


@pytest.mark.parametrize("name", NAMES)
def test_made_by_name(name):
    try:
        env = mo_gym.make(f"mobandits/{name}-v0", **NEEDS.get(name, {}))
    except ValueError as error:
        if "no path was given" in str(error):
            pytest.skip("its data are the user's to get")
        raise
    assert isinstance(env.unwrapped.reward_space, gymnasium.spaces.Box)
    assert env.unwrapped.reward_space.shape == (env.unwrapped.reward_dim,)
    context, info = env.reset(seed=3)
    for arm in range(3):
        assert context in env.observation_space
        same, reward, terminated, truncated, info = env.step(arm % env.action_space.n)
        np.testing.assert_array_equal(same, context)
        assert (terminated, truncated) == (True, False)
        assert reward in env.unwrapped.reward_space
        assert info["means"].shape == (env.action_space.n, env.unwrapped.reward_dim)
        context, info = env.reset()
        assert info == {"round": arm + 1}


@pytest.mark.parametrize(
    "environment", [SMALL, Linear(arms=4, features=3, objectives=2, fixed_arms=True), Bumps()]
)
def test_rounds_are_those_of_the_problem(environment):
    contexts, rewards, infos = rounds_of(BanditEnv(environment), BLOCK + 10, seed=7)
    rng = seeding.np_random(7)[0]
    problem = environment.problem(ROUNDS, rng)
    blocks = [problem.block(first, BLOCK, rng) for first in (0, BLOCK)]
    for t in range(BLOCK + 10):
        block, at = blocks[t // BLOCK], t % BLOCK
        arm = t % problem.shape.arms
        np.testing.assert_array_equal(
            contexts[t], np.float32(block.contexts[at if len(block.contexts) > 1 else 0])
        )
        np.testing.assert_array_equal(rewards[t], np.float32(block.rewards[at, arm]))
        np.testing.assert_array_equal(
            infos[t]["means"], block.means[at if len(block.means) > 1 else 0]
        )
        assert infos[t]["round"] == t


def test_seeds_and_instances():
    one, same, other = (rounds_of(BanditEnv(SMALL), 5, seed)[1].tolist() for seed in (1, 1, 2))
    assert one == same != other

    def means(seed, instance):
        env = BanditEnv(Linear(arms=4, fixed_arms=True), instance=instance)
        env.reset(seed=seed)
        return env.step(0)[4]["means"].tolist()

    assert means(1, None) != means(2, None)
    assert means(1, 5) == means(2, 5) != means(2, 6)
    noise = [rounds_of(BanditEnv(SMALL, instance=5), 5, seed)[1].tolist() for seed in (1, 2)]
    assert noise[0] != noise[1]


def test_the_next_instance_follows_the_last_round():
    rewards = np.arange(12.0).reshape(3, 2, 2)
    env = BanditEnv(Logged(rewards))
    for t in range(7):
        assert env.reset(seed=0 if t == 0 else None)[1] == {"round": t % 3}
        np.testing.assert_array_equal(env.step(1)[1], rewards[t % 3, 1])
    env = BanditEnv(Linear(arms=3, fixed_arms=True), rounds=2)
    contexts = rounds_of(env, 4, seed=1)[0]
    np.testing.assert_array_equal(contexts[0], contexts[1])
    assert (contexts[1] != contexts[2]).any()


def test_rewards_have_their_means():
    env = BanditEnv(MultiArmed([[0.2, 0.9], [0.6, 0.1]]))
    rewards = rounds_of(env, 2000, seed=1)[1]
    np.testing.assert_allclose(
        [rewards[0::2].mean(0), rewards[1::2].mean(0)], [[0.2, 0.9], [0.6, 0.1]], atol=0.06
    )


class Total(BanditEnv):
    """The same with a scalar reward: the checker refuses vectors, and warns of wrappers."""

    def step(self, action):
        context, reward, *rest = super().step(action)
        return context, float(reward.sum()), *rest


@pytest.mark.filterwarnings("ignore:.*A Box observation space m.*imum value is:UserWarning")
@pytest.mark.parametrize("name", ["linear", "bumps", "multi-armed", "llm-routing"])
def test_gymnasium_checks_all_but_the_vector(name):
    check_env(
        Total(getattr(environments, NAMES[name])(**NEEDS.get(name, {}))), skip_render_check=True
    )


def test_mo_gymnasium_wrappers():
    weights = np.array([0.25, 0.75])
    env = LinearReward(MORecordEpisodeStatistics(BanditEnv(SMALL)), weights)
    env.reset(seed=1)
    _, scalar, _, _, info = env.step(2)
    assert scalar == pytest.approx(info["vector_reward"] @ weights)
    np.testing.assert_array_equal(info["episode"]["r"], info["vector_reward"])
    assert info["episode"]["l"] == 1

    plain = rounds_of(BanditEnv(SMALL), 300, seed=1)[1]
    both = MONormalizeReward(MONormalizeReward(BanditEnv(SMALL), idx=0), idx=1)
    normalised = rounds_of(both, 300, seed=1)[1]
    # Every round ends an episode, so that a round's reward is divided by the deviation of all rewards so far.
    np.testing.assert_allclose(normalised[-1], plain[-1] / plain.std(0), rtol=0.01)

    clipped = rounds_of(MOClipReward(BanditEnv(SMALL), 1, -0.5, 0.5), 300, seed=1)[1]
    np.testing.assert_array_equal(
        clipped, np.stack([plain[:, 0], plain[:, 1].clip(-0.5, 0.5)], axis=1)
    )


def test_vectors_of_environments_can_share_an_instance():
    envs = MOSyncVectorEnv(
        [lambda: mo_gym.make("mobandits/linear-v0", arms=9, objectives=2, instance=1)] * 2
    )
    contexts, _ = envs.reset(seed=1)
    assert (contexts[0] != contexts[1]).any()
    _, rewards, terminated, _, infos = envs.step([0, 1])
    assert rewards.shape == (2, 2)
    assert terminated.all()
    theta = np.linalg.lstsq(contexts[0], infos["means"][0], rcond=None)[0]
    np.testing.assert_allclose(contexts[1] @ theta, infos["means"][1], atol=1e-5)
    envs.close()


def test_what_is_returned_belongs_to_the_caller():
    env = BanditEnv(Linear(arms=3, fixed_arms=True))
    context, _ = env.reset(seed=1)
    kept = context.copy()
    context[:] = 0.0
    same, reward, _, _, info = env.step(0)
    np.testing.assert_array_equal(same, kept)
    reward[:] = info["means"][:] = 0.0
    env.reset()
    assert env.step(0)[4]["means"].any()


@pytest.mark.parametrize("action", [-1, 4, 1.0, "0", None])
def test_bad_actions(action):
    env = BanditEnv(SMALL)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=f"action must be an integer from 0 to 3, got {action!r}"):
        env.step(action)


def test_a_round_has_one_step():
    env = BanditEnv(SMALL)
    with pytest.raises(ResetNeeded, match="call reset before each step"):
        env.step(0)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            {"environment": TwoRidges()},
            r"BanditEnv.environment must have finitely many arms, got TwoRidges\(",
        ),
        ({"rounds": 0}, "BanditEnv.rounds must be an integer of at least 1, got 0"),
        ({"instance": -1}, "BanditEnv.instance must be an integer of at least 0, got -1"),
        ({"environment": Logged([[[1.0]]]), "rounds": 2}, "rounds must be at most 1"),
    ],
)
def test_bad_environments(arguments, said):
    with pytest.raises(ValueError, match=said):
        BanditEnv(**{"environment": SMALL, **arguments})


def test_registering_twice_changes_nothing():
    before = dict(gymnasium.registry)
    interop.register()
    assert gymnasium.registry == before


@pytest.mark.parametrize("given", [Linear, "linear", None])
def test_what_is_no_environment(given):
    with pytest.raises(
        ValueError, match=r"BanditEnv.environment must be an environment such as Linear"
    ):
        BanditEnv(given)


class Visits(gymnasium.Env):
    """Visitors as dictionaries; a visit is an episode."""

    observation_space = Dict({"city": Text(9), "age": Box(0.0, 99.0, (1,))})
    action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self._visit(), {}

    def step(self, action):
        return self._visit(), float(action), True, False, {}

    def _visit(self):
        city = ["Rome", "Oslo"][self.np_random.integers(2)]
        age = self.np_random.uniform(18, 80, 1).astype(np.float32)
        return {"city": city, "age": age}


def test_observations_of_named_values_are_encoded():
    encoder = Encoder.fit({"city": ["Rome", "Oslo"], "age": [20.0, 60.0]})
    env = EncodedObservation(Visits(), encoder)
    plain = Visits()
    numbers, _ = env.reset(seed=3)
    assert numbers in env.observation_space
    seen, _ = plain.reset(seed=3)
    for action in (0, 1, 1):
        row = {"city": seen["city"], "age": float(seen["age"][0])}
        assert numbers.tolist() == encoder.encode(row).astype(np.float32).tolist()
        numbers, reward, *_ = env.step(action)
        seen, *_ = plain.step(action)
        assert reward == action
    with pytest.raises(ValueError, match="encoder must be an Encoder, got 3"):
        EncodedObservation(Visits(), 3)
    lacking = Encoder.fit({"city": ["Rome", "Oslo"], "age": [20.0, 60.0], "zip": [1, 2]})
    with pytest.raises(ValueError, match="row must have the column 'zip', got 'city', 'age'"):
        EncodedObservation(Visits(), lacking).reset(seed=0)
