"""A neural network trained on a log by scikit-learn, whose hidden layers become a map.

It predicts all objectives at once: where arms share the context, an output per arm and objective.
A log holds one arm's rewards per round. The outputs without a reward are given the network's own
prediction before every pass over the rounds: the squared error with these targets touches the one
of the observed rewards from above, so that a step that lowers the former lowers the latter too
(majorisation and minimisation).
"""

from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.features.examples import LoggedExamples
from mobandits.features.layers import Layers
from mobandits.support.optional import missing_extra

PASSES = 200  # over the rounds: 2,000 steps of 200 rounds where a log has 2,000
ROUNDING = 1e-12  # of a deviation that would be 0, relative to the mean


class Standard(NamedTuple):
    """Means and standard deviations of columns, over the numbers that are not NaN."""

    mean: Array
    deviation: Array


def trained_layers(examples: LoggedExamples, hidden: tuple[int, ...], seed: int) -> Layers:
    """The hidden layers of a network with ReLU, trained on examples.

    Rows and targets are standardised for training; the first matrix is then changed so that it
    takes rows as they are. The last layer is divided by one number, so that its activations have a
    mean squared norm of 1 on these rows, a size that penalties and radii of policies suit.

    Args:
        examples: what to predict from what.
        hidden: units of the hidden layers.
        seed: of the first weights, and of the order of the rounds.

    Raises:
        MissingExtraError: where scikit-learn is not installed.
    """
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.neural_network import MLPRegressor  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("mob.features.fit(log, 'net')", "data") from error

    inputs = _standard(examples.rows)
    outputs = _standard(examples.targets)
    rows = (examples.rows - inputs.mean) / inputs.deviation
    targets = (examples.targets - outputs.mean) / outputs.deviation
    # One generator for all passes: with a number, every pass would visit rounds in one order.
    rng = np.random.RandomState(seed)
    network = MLPRegressor(hidden_layer_sizes=hidden, activation="relu", random_state=rng)
    with threadpool_limits(1):  # sums split over threads differ in their last bits
        _train(network, rows, targets)

    layers = Layers.from_scikit_learn(network)

    return _on_rows_as_they_are(layers, inputs, examples.rows)


def _train(network: Any, rows: Array, targets: Array) -> None:
    """Pass over the rounds some times."""
    missing = np.isnan(targets)
    some_missing = bool(missing.any())
    filled = np.where(missing, 0.0, targets)
    for _ in range(PASSES):
        # One column is given to scikit-learn without its second axis, or it warns.
        one_column = filled.shape[1] == 1
        learned = filled.ravel() if one_column else filled
        network.partial_fit(rows, learned)
        if some_missing:
            predicted = network.predict(rows).reshape(filled.shape)
            filled = np.where(missing, predicted, targets)


def _standard(table: Array) -> Standard:
    """Means and deviations of what is observed of each column; 0 and 1 where nothing is."""
    observed = ~np.isnan(table)
    counts = np.maximum(observed.sum(0), 1)
    filled = np.where(observed, table, 0.0)
    mean = filled.sum(0) / counts

    differences = np.where(observed, table - mean, 0.0)
    squares = differences**2
    deviation = np.sqrt(squares.sum(0) / counts)
    # A constant column is left as it is: there is nothing to divide by, but rounding.
    rounding = ROUNDING * np.maximum(np.abs(mean), 1.0)
    deviation[deviation <= rounding] = 1.0

    return Standard(mean, deviation)


def _on_rows_as_they_are(layers: Layers, inputs: Standard, rows: Array) -> Layers:
    """The same layers for rows as they are, with activations of mean squared norm 1."""
    weights = [weight.copy() for weight in layers.weights]
    biases = [bias.copy() for bias in layers.biases]
    # ((x - mean) / deviation) W + b = x W' + b - mean W', where W' = W / deviation, row by row.
    weights[0] /= inputs.deviation[:, None]
    biases[0] -= inputs.mean @ weights[0]

    phi = Layers(weights, biases)(rows)
    activations = phi[:, 1:]
    squares = np.vecdot(activations, activations)
    norm = np.sqrt(squares.mean())
    if norm > 0.0:
        # ReLU passes positive factors on: the last layer's weights and biases carry this one.
        weights[-1] /= norm
        biases[-1] /= norm

    return Layers(weights, biases)
