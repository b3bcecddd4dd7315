"""The scikit-learn estimator: scikit-learn's own checks, and a slow twin that calls the policy's methods in Python."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

from mobandits.contracts.protocols import Choice, Recipe, Shape
from mobandits.errors import InputWarning
from mobandits.interop.scikit_learn import MultiObjectiveBandit
from mobandits.policies import (
    CsUcb1,
    Doubling,
    Exp3P,
    MocMab,
    MoglbUcb,
    MolEpsGreedy,
    MolUcb,
    ParetoTs,
    ParetoUcb1,
    Pcz,
    PfiRls,
    RandomChoice,
    ScalarizedUcb1,
)

N, D, K, L = 60, 3, 4, 2
NAN = np.nan
NOT_APPLICABLE = {
    "check_array_api_input": "arrays of other libraries: loops are compiled for NumPy's",
    "check_methods_sample_order_invariance": "draws belong to rows by position; holds where nothing is drawn",
    "check_methods_subset_invariance": "draws belong to rows by position; holds where nothing is drawn",
}


class Paid(MultiObjectiveBandit):
    """The checks call ``fit(X, y)``: y are the arms, each of which paid 1."""

    def fit(self, X, y, rewards=None):
        return super().fit(X, y, np.ones(np.shape(y)[:1]) if rewards is None else rewards)

    def partial_fit(self, X, y, rewards=None):
        return super().partial_fit(X, y, np.ones(np.shape(y)[:1]) if rewards is None else rewards)


DRAWS_NOTHING, DRAWS = Paid(MolUcb(scale=0.3), random_state=1), Paid(RandomChoice(), random_state=1)


def checks_of(estimator, leave_out):
    return [
        pytest.param(
            one,
            check,
            id=f"{one.recipe.__class__.__name__}-{getattr(check, 'func', check).__name__}",
        )
        for one, check in estimator_checks_generator(estimator)
        if getattr(check, "func", check).__name__ not in leave_out
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("estimator", "check"),
    checks_of(DRAWS_NOTHING, {"check_array_api_input"}) + checks_of(DRAWS, NOT_APPLICABLE),
)
def test_scikit_learn_accepts(estimator, check):
    check(estimator)


def rows(seed=0, n=N):
    rng = np.random.default_rng(seed)
    return rng.uniform(-0.5, 0.5, (n, D)), rng.integers(K, size=n), rng.normal(size=(n, L))


def twin_of(recipe, X, arms, rewards):
    policy, rng = recipe.bind(Shape(K, D, L, shared=True)), np.random.default_rng(0)
    state = policy.init()
    for x, arm, reward in zip(X, arms, rewards, strict=True):
        state = policy.update(state, x, arm, 0.0, reward, rng)
    return policy, state


def assert_same(state, other):
    for one, two in zip(state, other, strict=True):
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_learns_and_decides_as_the_policy_does():
    recipe, (X, arms, rewards) = MolUcb(scale=0.3), rows()
    bandit = MultiObjectiveBandit(recipe, random_state=5).fit(X, arms, rewards)
    policy, state = twin_of(recipe, X, arms, rewards)
    assert_same(bandit.state_, state)
    rng, other = np.random.default_rng(5), rows(1)[0]
    beliefs = [policy.beliefs(state, x[None], np.arange(K), rng) for x in other]
    assert bandit.predict(other).tolist() == [policy.draw(one, rng).arm for one in beliefs]
    np.testing.assert_array_equal(
        bandit.predict_proba(other), [policy.probabilities(one) for one in beliefs]
    )


def test_in_pieces_and_in_part():
    X, arms, rewards = rows()
    rewards[::3, 0] = rewards[1::5, 1] = NAN
    whole = MultiObjectiveBandit(MolUcb(scale=0.3)).fit(X, arms, rewards)
    pieces = MultiObjectiveBandit(MolUcb(scale=0.3), arms=range(K))
    for part in np.split(np.arange(N), [1, 20, 21]):
        assert pieces.partial_fit(X[part], arms[part], rewards[part]) is pieces
    assert_same(pieces.state_, whole.state_)
    assert_same(whole.state_, twin_of(MolUcb(scale=0.3), X, arms, rewards)[1])
    other = rows(2)
    assert_same(pieces.fit(*other).state_, whole.fit(*other).state_)


def test_finds_the_arm_that_pays():
    rng = np.random.default_rng(3)
    X, arms = rng.uniform(-0.5, 0.5, (2000, 2)), rng.choice(["left", "right"], 2000)
    X[:, 1] = 1.0
    best = np.where(X[:, 0] < 0, "left", "right")
    rewards = np.where(arms == best, 1.0, 0.0)[:, None] + 0.1 * rng.standard_normal((2000, 2))
    bandit = MultiObjectiveBandit(MolUcb(scale=0.1), random_state=0).fit(
        X[:1500], arms[:1500], rewards[:1500]
    )
    assert bandit.arms_.tolist() == ["left", "right"]
    assert (bandit.predict(X[1500:]) == best[1500:]).mean() > 0.95


@pytest.mark.long
@pytest.mark.parametrize("recipe", [ParetoTs(), MolEpsGreedy(epsilon=0.3), RandomChoice()], ids=str)
def test_probabilities_are_frequencies(recipe):
    rng = np.random.default_rng(4)
    X, arms, rewards = rng.random((N, D)), rng.integers(K, size=N), np.round(rng.random((N, L)))
    bandit = MultiObjectiveBandit(recipe, random_state=np.random.default_rng(6)).fit(
        X, arms, rewards
    )
    law = bandit.predict_proba(X[:2], samples=2000)
    np.testing.assert_allclose(law.sum(1), 1.0)
    drawn = np.array([bandit.predict(X[:2]) for _ in range(2000)])
    frequencies = np.stack([(drawn == arm).mean(0) for arm in range(K)], axis=1)
    np.testing.assert_allclose(law, frequencies, atol=0.06)


def test_random_states():
    X, arms, rewards = rows()
    fixed = MultiObjectiveBandit(RandomChoice(), random_state=1).fit(X, arms, rewards)
    assert fixed.predict(X).tolist() == fixed.predict(X).tolist()
    for random_state in (None, np.random.default_rng(1)):
        bandit = fixed.set_params(random_state=random_state)
        assert bandit.predict(X).tolist() != bandit.predict(X).tolist()


def test_parameters_and_copies():
    recipe = MolUcb(scale=0.3)
    bandit = MultiObjectiveBandit(recipe, arms=["a", "b"], rounds=7, random_state=3)
    assert bandit.get_params() == {
        "recipe": recipe,
        "arms": ["a", "b"],
        "encoder": None,
        "rounds": 7,
        "random_state": 3,
    }
    assert bandit.recipe is recipe
    twin = clone(bandit.set_params(recipe=RandomChoice()))
    assert twin.get_params() == bandit.get_params()
    X, _, rewards = rows()
    bandit.fit(X, ["a"] * N, rewards)
    again = pickle.loads(pickle.dumps(bandit))
    assert again.predict(X).tolist() == bandit.predict(X).tolist()
    with pytest.raises(NotFittedError):
        clone(bandit).predict(X)


def test_in_a_pipeline():
    X, arms, rewards = rows()
    pipeline = make_pipeline(
        MinMaxScaler(), MultiObjectiveBandit(MolUcb(scale=0.3), random_state=1)
    )
    pipeline.fit(X, arms, multiobjectivebandit__rewards=rewards)
    scaled = MinMaxScaler().fit_transform(X)
    alone = MultiObjectiveBandit(MolUcb(scale=0.3), random_state=1).fit(scaled, arms, rewards)
    assert pipeline.predict(X).tolist() == alone.predict(scaled).tolist()


def test_a_policy_in_plain_python():
    class Keeps:
        def init(self):
            return ()

        def beliefs(self, state, context, arms, rng):
            return len(state)

        def draw(self, beliefs, rng):
            return Choice(beliefs % K, 0.0)

        def probabilities(self, beliefs):
            return np.eye(K)[beliefs % K]

        def update(self, state, x, arm, note, reward, rng):
            return (*state, (x.tolist(), int(arm), reward.tolist()))

    class KeepsAll(Recipe):
        def bind(self, shape):
            return Keeps()

    X, arms, rewards = rows()
    bandit = MultiObjectiveBandit(KeepsAll()).fit(X, arms, rewards)
    assert bandit.state_ == tuple(zip(X.tolist(), arms.tolist(), rewards.tolist(), strict=True))
    assert bandit.predict(X[:1]).tolist() == [N % K]


@pytest.mark.parametrize(
    "recipe",
    [
        Exp3P(check=False),
        ScalarizedUcb1(check=False),
        CsUcb1(per_side=2, check=False),
        Pcz(positions=[[0.0], [0.1], [0.2], [0.3]], check=False),
        MocMab(period=5, check=False),
        MocMab(boundary="random", check=False),
    ],
    ids=str,
)
def test_refuses_what_needs_its_own_choices(recipe):
    bandit = MultiObjectiveBandit(recipe, rounds=100)
    with pytest.raises(
        ValueError, match="recipe must be able to learn from choices that it did not make, got"
    ):
        bandit.fit(*rows())
    assert not hasattr(bandit, "state_")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"recipe": MolUcb}, "recipe must be a recipe such as"),
        (
            {"recipe": Doubling(MocMab(check=False))},
            r"recipe must not begin anew, got Doubling\(.*after 1024 rounds",
        ),
        ({"recipe": MocMab(check=False)}, "MocMab must know the number of rounds"),
        ({"recipe": PfiRls()}, "PfiRls needs arms whose features never change"),
        (
            {"recipe": MocMab(), "rounds": 10},
            r"MocMab needs contexts in \[0, 1\], because .*, got -0",
        ),
        ({"rounds": 0}, "rounds must be an integer of at least 1, got 0"),
        ({"random_state": -1}, "random_state must be an integer of at least 0, got -1"),
        ({"random_state": "one"}, "random_state must be an integer of at least 0, got 'one'"),
        ({"arms": []}, "arms must be different labels, at least one, got"),
        ({"arms": [1, 1]}, "arms must be different labels, at least one, got"),
        ({"arms": [0, 1, 2]}, "arms must be among 0, 1, 2, got 3"),
        ({"arms": 4}, r"arms must have shape \(rows,\), got \(\)"),
    ],
)
def test_bad_parameters(changed, said):
    bandit = MultiObjectiveBandit(**{"recipe": MolUcb(scale=0.3), **changed})
    with pytest.raises(ValueError, match=said):
        bandit.fit(*rows())


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({0: rows()[0][:5]}, "inconsistent numbers of samples"),
        ({0: np.zeros((N, 2))}, "X has 2 features, but MultiObjectiveBandit is expecting 3"),
        ({0: np.full((N, D), np.inf)}, "Input X contains infinity"),
        ({1: np.zeros((N, 1), int)}, r"arms must have shape \(rows,\), got \(60, 1\)"),
        ({1: np.full(N, 9)}, "arms must be among 0, 1, 2, 3, got 9"),
        ({2: np.full((N, L), np.inf)}, "Input rewards contains infinity"),
        ({2: np.zeros((N, L, 1))}, "Found array with dim 3"),
        ({2: np.zeros((N, 3))}, "rewards must have 2 objectives, got 3"),
        ({2: [["x"] * L] * N}, "could not convert string"),
    ],
)
def test_bad_rows_teach_nothing(changed, said):
    given = rows()
    bandit = MultiObjectiveBandit(MolUcb(scale=0.3)).fit(*given)
    with pytest.raises(ValueError, match=said):
        bandit.partial_fit(*[changed.get(i, one) for i, one in enumerate(given)])
    assert_same(bandit.state_, twin_of(MolUcb(scale=0.3), *given)[1])


def test_what_a_recipe_assumes():
    X, arms, rewards = rows()
    with pytest.warns(InputWarning, match=r"ParetoUcb1 needs rewards in \[0, 1\]"):
        MultiObjectiveBandit(ParetoUcb1()).fit(X, arms, rewards)
    rewards[3] = NAN
    with pytest.raises(
        ValueError, match="MoglbUcb must observe all objectives of a reward at once"
    ):
        MultiObjectiveBandit(MoglbUcb(scale=0.1)).fit(X, arms, rewards)


def test_names_of_features_are_kept():
    polars = pytest.importorskip("polars")
    X, arms, rewards = rows()
    bandit = MultiObjectiveBandit(RandomChoice()).fit(
        polars.DataFrame(X, schema=["a", "b", "c"]), arms, rewards
    )
    assert bandit.feature_names_in_.tolist() == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        bandit.predict(polars.DataFrame(X, schema=["a", "c", "b"]))


def test_named_columns_by_an_encoder():
    import polars as pl  # noqa: PLC0415 - of this test only

    from mobandits.encoding import Encoder  # noqa: PLC0415

    table = pl.DataFrame({"age": [20.0, 40.0, 20.0, 40.0], "city": ["a", "b", "a", "b"]})
    encoder = Encoder.fit(table)
    arms = ["x", "x", "y", "y"]
    rewards = [0.0, 1.0, 1.0, 0.0]
    recipe = MolUcb(scale=0.01)
    bandit = MultiObjectiveBandit(recipe, random_state=1, encoder=encoder)
    plain = MultiObjectiveBandit(recipe, random_state=1)
    fitted = clone(bandit).fit(table, arms, rewards)
    numbers = encoder.encode_table(table)
    assert (
        fitted.predict(table).tolist()
        == plain.fit(numbers, arms, rewards).predict(numbers).tolist()
    )
    assert fitted.n_features_in_ == len(encoder)
    assert pickle.loads(pickle.dumps(fitted)).encoder == encoder
    with pytest.raises(ValueError, match="column 'age', row 1: expected a number, got 'old'"):
        fitted.predict([{"age": "old", "city": "a"}])
