"""Layers: the hidden layers of a neural network that was trained before, and stays as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import (
    ArrayMap,
    refuse_many_features,
    refuse_other_features,
)
from mobandits.support.checks import as_float_array
from mobandits.support.naming import wrong_value


@compiled
class LayersMap:
    """See `Layers`.

    Attributes:
        weights: of all layers, one after the other, row by row.
        biases: of all layers, one after the other.
        widths: (layers + 1,) the numbers of inputs and of units per layer.
        widest: the largest of them.
        size: the length of phi, 1 + the units of the last layer.
    """

    weights: Floats
    biases: Floats
    widths: Ints
    widest: int
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """1, and the activations of the last layer."""
        values = np.empty(self.widest)
        sums = np.empty(self.widest)
        for i in range(len(x)):
            values[i] = x[i]

        weight = 0
        bias = 0
        for layer in range(len(self.widths) - 1):
            inputs = self.widths[layer]
            units = self.widths[layer + 1]
            for j in range(units):
                sums[j] = self.biases[bias + j]

            # Units innermost: their weights stand side by side in memory.
            for i in range(inputs):
                value = values[i]
                for j in range(units):
                    sums[j] += value * self.weights[weight + j]

                weight += units

            bias += units
            for j in range(units):
                values[j] = max(sums[j], 0.0)

        out[0] = 1.0
        for j in range(self.size - 1):
            out[1 + j] = values[j]


@dataclass(frozen=True, eq=False, repr=False)
class Layers(ArrayMap):
    """A dense network with ReLU: phi(x) = (1, h), with h the activations of its last hidden layer.

    With h_0 = x, layer k computes h_k = max(0, h_(k-1) W_k + b_k). A linear policy on phi learns
    the output layer, online; the hidden layers are frozen. `fit(log, "net")` trains them on a log.

    Args:
        weights: per hidden layer W_k, (inputs, units).
        biases: per hidden layer b_k, (units,).

    Raises:
        ValueError: where the shapes do not fit together, or a number is not finite; on `bind`,
            where contexts have another number of features than the first layer has inputs.

    Example:
        >>> net = Layers(weights=[[[1.0, -1.0]]], biases=[[0.0, 0.5]])
        >>> net([[0.25], [2.0]]).tolist()
        [[1.0, 0.25, 0.25], [1.0, 2.0, 0.0]]
        >>> net
        Layers(1-2, 31a95d13)
    """

    weights: Sequence[Array]
    biases: Sequence[Array]

    def __post_init__(self) -> None:
        weights = _arrays("Layers.weights", self.weights, 2)
        biases = _arrays("Layers.biases", self.biases, 1)
        if len(weights) != len(biases):
            rule = f"Layers.biases must be as many as the weights, {len(weights)}"
            raise ValueError(f"{rule}, got {len(biases)}")

        inputs = weights[0].shape[0]
        for k, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
            units = len(bias)
            if weight.shape != (inputs, units):
                rule = f"Layers.weights[{k}] must have shape (inputs, units) = {(inputs, units)}"
                raise ValueError(f"{rule}, got {weight.shape}")

            inputs = units

        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "biases", biases)

    @classmethod
    def from_scikit_learn(cls, network: Any) -> "Layers":
        """The hidden layers of a fitted `MLPRegressor` or `MLPClassifier` with ReLU.

        Raises:
            ValueError: where it is not fitted, or has another activation.
        """
        if not hasattr(network, "coefs_"):
            raise wrong_value("network must be a fitted MLPRegressor or MLPClassifier", network)
        if network.activation != "relu":
            raise wrong_value("network must have the activation 'relu'", network.activation)

        # The last matrix is the output layer, which policies learn themselves.
        return cls(network.coefs_[:-1], network.intercepts_[:-1])

    def sizes_text(self) -> str:
        """The numbers of inputs and units, such as 4-32-16."""
        widths = map(str, self._widths())
        return "-".join(widths)

    def bind(self, features: int) -> LayersMap:
        """The map for contexts of so many features."""
        widths = self._widths()
        refuse_other_features("Layers.weights", widths[0], features)
        size = 1 + widths[-1]
        refuse_many_features("Layers.weights", size)
        flat_weights = np.concatenate([weight.ravel() for weight in self.weights])
        flat_biases = np.concatenate(self.biases)

        return LayersMap(flat_weights, flat_biases, widths, max(widths), size)

    def _widths(self) -> list[int]:
        units = [len(bias) for bias in self.biases]
        return [self.weights[0].shape[0], *units]


def _arrays(name: str, given: Any, axes: int) -> tuple[Array, ...]:
    """Read-only arrays of finite numbers, none of them empty."""
    rule = f"{name} must be a list of arrays with {axes} axes, one per hidden layer"
    is_list = isinstance(given, list | tuple)
    if not is_list or len(given) == 0:
        raise wrong_value(rule, given)

    arrays = []
    for k, each in enumerate(given):
        array = as_float_array(f"{name}[{k}]", each).copy()
        if array.ndim != axes or array.size == 0:
            raise ValueError(f"{rule}, got shape {array.shape} at {k}")
        if not np.isfinite(array).all():
            raise ValueError(f"{name}[{k}] must be finite, got a number that is not")

        array.setflags(write=False)
        arrays.append(array)

    return tuple(arrays)
