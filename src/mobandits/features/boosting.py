"""Boosted trees grown on a log by scikit-learn, whose leaves become a map."""

import numpy as np

from mobandits.features.examples import LoggedExamples
from mobandits.features.leaves import Leaves
from mobandits.support.optional import missing_extra

LEAST_ROUNDS = 20  # of an output that trees are grown for
LEAST_PER_LEAF = 10  # rounds
RATE = 0.5  # of boosting: with the usual 0.1, so few trees would be nearly the same tree


def boosted_leaves(examples: LoggedExamples, trees: int, depth: int, seed: int) -> Leaves:
    """The leaves of gradient-boosted trees, grown for every output by itself.

    Outputs with fewer than 20 observed rewards get no trees.

    Args:
        examples: what to predict from what.
        trees: their number per output.
        depth: of a tree, which has at most 2^depth leaves.
        seed: of scikit-learn's choices between equal splits.

    Raises:
        MissingExtraError: where scikit-learn is not installed.
        ValueError: where no output has enough rewards.
    """
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.ensemble import GradientBoostingRegressor  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("mob.features.fit(log, 'trees')", "data") from error

    models = []
    for targets in examples.targets.T:
        observed = np.flatnonzero(~np.isnan(targets))
        if len(observed) < LEAST_ROUNDS:
            continue

        model = GradientBoostingRegressor(
            n_estimators=trees,
            max_depth=depth,
            learning_rate=RATE,
            min_samples_leaf=LEAST_PER_LEAF,
            random_state=seed,
        )
        model.fit(examples.rows[observed], targets[observed])
        models.append(model)

    if not models:
        rule = f"log must have {LEAST_ROUNDS} rewards of some arm and objective to grow trees on"
        raise ValueError(f"{rule}, got {len(examples.rows)} rounds")

    return Leaves.from_scikit_learn(*models)
