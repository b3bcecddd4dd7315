"""Every rule of caution, broken and kept."""

import dataclasses

import numpy as np
import pytest
from logs_for_tests import make_law, make_log

from mobandits.evaluation import (
    ConstantTarget,
    DirectMethod,
    Feedback,
    Ips,
    LoggingPolicy,
    Replay,
    Snips,
    Uniform,
    compare,
    evaluate,
)


def even(rounds=2000, arms=4, seed=0, **changes):
    """A log without any fault."""
    rng = np.random.default_rng(seed)
    kept = {
        "contexts": np.ones((rounds, 1)),
        "arms": rng.integers(0, arms, rounds),
        "rewards": rng.random((rounds, 2)),
        "propensities": np.full(rounds, 1.0 / arms),
        "arm_names": tuple("abcdefgh"[:arms]),
        "objectives": ("quality", "thrift"),
    }
    return Feedback(**{**kept, **changes})


def rules(estimate):
    return [text.split(":")[0] for text in estimate.warnings]


@pytest.mark.parametrize("estimator", ["ips", "snips", "dr", "switch-dr", "replay"])
def test_nothing_is_said_where_nothing_is_wrong(estimator):
    for target in (Uniform(), ConstantTarget("b"), LoggingPolicy()):
        assert evaluate(even(), target, estimator).warnings == ()


def test_the_direct_method_is_never_trusted_alone():
    assert rules(evaluate(even(), Uniform(), DirectMethod())) == ["model alone"]


@pytest.mark.parametrize(("rounds", "said"), [(99, True), (101, False)])
def test_few_rounds(rounds, said):
    log = even(rounds, arms=1)
    assert ("few rounds" in rules(evaluate(log, Uniform(), Ips()))) == said
    assert ("few rounds" in rules(evaluate(log, Uniform(), Replay()))) == said


@pytest.mark.parametrize(("weight", "said"), [(100.0, False), (115.0, True)])
def test_one_round(weight, said):
    """One weight among 2000 ones is 5 % of all at 105.2."""
    law = np.tile([0.5, 0.5], (2000, 1))
    propensities = np.full(2000, 0.5)
    propensities[7] = 0.5 / weight
    log = even(arms=2, propensities=propensities)
    assert ("one round" in rules(evaluate(log, law, Snips()))) == said


def test_wrong_propensities():
    log = even()
    halved = dataclasses.replace(log, propensities=0.5 * log.propensities)
    found = evaluate(halved, ConstantTarget("a"), Ips())
    assert rules(found) == ["wrong propensities"]
    assert f"the mean weight is {found.diagnostics.mean_weight:.3g}, " in found.warnings[0]
    assert found.diagnostics.mean_weight == pytest.approx(8.0 * (log.arms == 0).mean())


def test_overlap_is_known_from_all_probabilities_or_from_arms_that_never_occur():
    log = even()
    logging = np.tile([0.0, 1 / 3, 1 / 3, 1 / 3], (2000, 1))
    found = evaluate(log, Uniform(), Ips(), logging=logging)
    assert rules(found) == ["overlap"]
    assert found.diagnostics.uncovered_mass == 0.25
    assert found.diagnostics.uncovered_rounds == 1.0
    wider = dataclasses.replace(log, arm_names=(*log.arm_names, "new"))
    law = np.tile([0.2, 0.2, 0.2, 0.2, 0.2], (2000, 1))
    law[1000:] = [0.25, 0.25, 0.25, 0.25, 0.0]
    found = evaluate(wider, law, Ips())
    assert "overlap" in rules(found)
    assert found.diagnostics.uncovered_mass == pytest.approx(0.1)
    assert found.diagnostics.uncovered_rounds == 0.5


@pytest.mark.parametrize(("largest", "said"), [(1.0, False), (200.0, True)])
@pytest.mark.parametrize("estimator", ["ips", "snips", "dr", "replay"])
def test_heavy_tails(estimator, largest, said):
    """One reward that is far larger than all others, where every round weighs the same."""
    log = even()
    rewards = log.rewards.copy()
    rewards[7, 0] *= largest
    found = evaluate(dataclasses.replace(log, rewards=rewards), Uniform(), estimator)
    assert rules(found) == ["heavy tails"] * said
    if said:
        assert f"the standard error has {found.freedom:.2g} degrees of freedom" in found.warnings[0]
        assert found.freedom < 10.0


@pytest.mark.parametrize(("clicks", "said"), [(29, True), (31, False)])
def test_few_events(clicks, said):
    rewards = np.column_stack(
        [np.arange(2000) < clicks, np.random.default_rng(0).random(2000)]
    ).astype(float)
    found = evaluate(even(rewards=rewards), Uniform(), Ips())
    assert rules(found) == ["few events"] * said
    if said:
        assert "in quality, only 29 effective of 2000 rounds with a weight" in found.warnings[0]


def test_events_count_by_their_weight():
    log = even(
        rewards=np.column_stack(
            [np.arange(2000) < 200, np.random.default_rng(0).random(2000)]
        ).astype(float)
    )
    clicked = np.flatnonzero(log.rewards[:, 0])
    law = np.full((2000, 4), 0.25)
    law[clicked] = 0.001 / 3
    law[clicked, (log.arms[clicked] + 1) % 4] = 0.999
    law[clicked[:5]] = 0.25
    found = evaluate(log, law, Ips())  # five clicks weigh 1, the others 1 / 750
    weights = np.array([1.0] * 5 + [0.004 / 3] * 195)
    assert f"only {weights.sum() ** 2 / (weights**2).sum():.3g} effective" in found.warnings[-1]


def test_events_of_rounds_that_do_not_count_do_not_count():
    log = even()
    rewards = np.where(log.arms[:, None] == 0, 0.0, log.rewards)
    found = evaluate(dataclasses.replace(log, rewards=rewards), ConstantTarget("a"), Snips())
    assert rules(found) == ["few events", "few events"]


@pytest.mark.parametrize(("share", "said"), [(0.05, False), (0.3, True)])
def test_missing_rewards_that_depend_on_the_arm(share, said):
    log = even(8000)
    rewards = log.rewards.copy()
    rewards[(log.arms == 2) & (np.random.default_rng(1).random(8000) < share), 1] = np.nan
    found = evaluate(dataclasses.replace(log, rewards=rewards), Uniform(), Ips())
    assert rules(found) == ["missing rewards"] * said


def test_clipping_that_moves_more_than_a_standard_error():
    log = make_log(1, rounds=3000)
    law = make_law(log, 1, sharp=0.2)
    assert "clipping" in rules(evaluate(log, law, Ips(clip=1.0)))
    assert "clipping" not in rules(evaluate(log, law, Ips(clip=1e4)))


def test_uneven_logging():
    log = make_log(2, rounds=3000)
    assert rules(evaluate(log, Uniform(), Replay())) == ["uneven logging"]
    unknown = even(propensities=np.full(2000, np.nan))
    assert rules(evaluate(unknown, Uniform(), Replay())) == ["uneven logging"]


def test_diagnostics_are_their_formulas():
    log = make_log(3, rounds=500)
    law = make_law(log, 3)
    found = evaluate(log, law, Ips()).diagnostics
    weights = [law[t, log.arms[t]] / log.propensities[t] for t in range(500)]
    assert found.effective_rounds == pytest.approx(sum(weights) ** 2 / sum(w * w for w in weights))
    assert found.largest_weight == pytest.approx(max(weights))
    assert found.largest_share == pytest.approx(max(weights) / sum(weights))
    assert found.strayed == pytest.approx(
        abs(np.mean(weights) - 1.0) / (np.std(weights) / 500**0.5)
    )
    assert found.matched == pytest.approx(np.mean([law[t, log.arms[t]] for t in range(500)]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda log: compare(log[:0], {"u": Uniform()}),
            r"^log must have at least one round, got none$",
        ),
        (lambda log: compare(log, {}), r"^targets must name at least one target, got none$"),
        (
            lambda log: compare(log, {"u": Uniform()}, []),
            r"^estimators must be some, each once, got none$",
        ),
        (
            lambda log: compare(log, {"u": Uniform()}, ["ips", Ips()]),
            r"^estimators must be some, each once, got Ips",
        ),
        (
            lambda log: compare(log, {"u": Uniform()}, ["ipss"]),
            r"^estimator: .* is unknown; did you mean s?n?ips\? It must be one of ",
        ),
        (
            lambda log: compare(log, {"u": Uniform()}, [Ips]),
            r"^estimator must be a name or an estimator such as Ips\(\)",
        ),
        (
            lambda log: compare(log, {"u": Uniform()}, ["dr"], folds=1),
            r"^folds must be an integer of at least 2, got 1$",
        ),
        (
            lambda log: compare(log, {"u": Uniform()}, logging=np.ones((2, 2))),
            r"must have shape \(rounds, arms\)",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(even(rounds=50))


def test_two_of_a_kind_are_told_apart():
    found = compare(even(), {"u": Uniform()}, [Ips(), Ips(clip=2.0), "snips"])
    assert found.estimators == ["Ips()", "Ips(clip=2.0)", "snips"]
    assert found.table()["estimator"].unique(maintain_order=True).to_list() == found.estimators


def test_the_same_seed_gives_the_same_numbers():
    one, same, other = (
        compare(make_log(4), {"u": Uniform()}, ["dr"], seed=seed).table() for seed in (0, 0, 1)
    )
    assert one.equals(same)
    assert not one.equals(other)
