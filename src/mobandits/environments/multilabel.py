"""A multi-label data set as a bandit: relevance against rarity of the label that is named."""

import functools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.dataset import Column
from mobandits.datasets.tables import header, scan_table
from mobandits.datasets.yeast import FEATURES, LABELS, yeast
from mobandits.environments.principal import principal
from mobandits.environments.tables import read_only, with_constant
from mobandits.support.checks import horizon, integer
from mobandits.support.naming import wrong_value

OBJECTIVES = 2

_ONCE = threading.Lock()


@dataclass(frozen=True)
class Multilabel:
    """The choice of one label for each example, of which alone the relevance is observed.

    The arms are the labels. Objective 0 pays 1 where the chosen label is relevant. Objective 1,
    rarity, pays 1 - f_a where it is relevant, else 0, for the share f_a of the data set's examples
    that have label a: a common label is a safe answer that says little. The record is also
    the mean. A trial is one random order of all examples.

    The context is one row for all labels: an example's first principal components, fitted on all
    examples without their labels and scaled to [0, 1], and a constant 1; or, without `components`,
    its features and a constant 1, together divided by the square root of 2.

    Without `labels` the data are river's yeast (`mobandits.datasets.yeast`): 2,417 genes, 14
    classes, 103 features. With them they are a file of your own: a CSV table whose columns are the
    labels, 0 or 1, and features, numbers.

    Args:
        path: where yeast is, as in `datasets.yeast`, None: the installed package; or a CSV file of
            your own.
        labels: the columns of your own file that are labels, at least two; () for yeast.
        components: number of principal components; None: all features as they are.

    Attributes:
        max_rounds: the number of examples, which is the longest horizon.

    Raises:
        ValueError: naming parameter, rule and value; `problem` and `max_rounds`, in one line, where
            a file is absent or broken.

    Reference:
        The reduction: A. Beygelzimer, J. Langford, The offset tree for learning with partial
        labels, KDD 2009, for one objective. Rarity as the second one is ours.

    Example:
        >>> Multilabel(components=3)
        Multilabel(path=None, labels=(), components=3)
    """

    references = ("beygelzimer2009", "elisseeff2001", "tsoumakas2011")

    path: str | None = None
    labels: tuple[str, ...] = ()
    components: int | None = 2

    def __post_init__(self) -> None:
        if not isinstance(self.path, str | Path | None):
            raise wrong_value("Multilabel.path must be a path or None", self.path)

        path = None if self.path is None else str(self.path)
        object.__setattr__(self, "path", path)
        labels = _checked_labels(self.labels, path)
        object.__setattr__(self, "labels", labels)
        if self.components is not None:
            integer("Multilabel.components", self.components, at_least=1)

    @property
    def max_rounds(self) -> int:
        """The longest horizon."""
        tables = _examples(self)
        return len(tables.relevant)

    def problem(self, rounds: int, rng: Rng) -> "Examples":
        """One random order of the examples, of which the first `rounds` are played.

        Raises:
            ValueError: where there are fewer, or the file is absent or broken.
        """
        horizon(rounds, self.max_rounds, self)
        tables = _examples(self)
        count, labels = tables.relevant.shape
        features = tables.contexts.shape[2]
        shape = Shape(
            arms=labels,
            features=features,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        order = rng.permutation(count)
        frequency = tables.relevant.mean(axis=0)

        return Examples(
            shape=shape,
            order=order,
            contexts=tables.contexts,
            relevant=tables.relevant,
            frequency=frequency,
        )


class Examples(NamedTuple):
    """One trial: round t shows example `order[t]`.

    The tables are in the data set's order, and all trials share them.

    Attributes:
        shape: one context for all labels, two objectives.
        order: (examples,) a permutation.
        contexts: (examples, 1, features).
        relevant: (examples, labels) 1 or 0.
        frequency: (labels,) f_a.
    """

    shape: Shape
    order: IntArray
    contexts: Array
    relevant: Array
    frequency: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`.

        Draws nothing: other block borders are the same rounds.
        """
        examples = self.order[first : first + rounds]
        contexts = self.contexts[examples]
        relevance = self.relevant[examples]
        rarity = relevance * (1.0 - self.frequency)
        rewards = np.stack([relevance, rarity], axis=2)

        return Block(
            contexts=contexts,
            means=rewards,
            rewards=rewards.copy(),
        )


class Tables(NamedTuple):
    """A data set in the form that policies play on: contexts, and which labels are relevant."""

    contexts: Array
    relevant: Array


def _checked_labels(labels: Any, path: str | None) -> tuple[str, ...]:
    """The labels as a tuple; they must be different columns of a file of the user's own."""
    is_list = isinstance(labels, Sequence) and not isinstance(labels, str)
    if not is_list or not all(isinstance(label, str) for label in labels):
        raise wrong_value("Multilabel.labels must be names of columns", labels)

    repeated = len(set(labels)) < len(labels)
    without_file = len(labels) > 0 and path is None
    # A single label would be a problem with one arm.
    if len(labels) == 1 or repeated or without_file:
        raise wrong_value(
            "Multilabel.labels must be at least two different columns of path", labels
        )

    return tuple(labels)


def _examples(environment: Multilabel) -> Tables:
    path = environment.path
    changed = 0
    if path is not None and Path(path).exists():
        changed = Path(path).stat().st_mtime_ns

    with _ONCE:  # threads that start together would otherwise each read it
        return _prepared(path, environment.labels, environment.components, changed)


@functools.lru_cache(maxsize=4)
def _prepared(
    path: str | None,
    labels: tuple[str, ...],
    components: int | None,
    changed: int,  # noqa: ARG001 - a file that changed is read again
) -> Tables:
    if path is not None and labels:
        features, relevant = _own_table(path, labels)
    else:
        features, relevant = _yeast_table(path)

    count = features.shape[1]
    if components is not None and components > count:
        rule = f"at most the {count} features of the data"
        raise wrong_value(f"Multilabel.components must be {rule}", components)
    if components is None:
        # Rows of norm 1, as yeast's are, and a constant 1: divided, they have norm 1 again.
        contexts = with_constant(features) / np.sqrt(2.0)
    else:
        projection = principal(features, features, components)
        contexts = with_constant(projection.of(features))

    relevance = relevant.astype(np.float64)

    return Tables(read_only(contexts[:, None]), read_only(relevance))


def _yeast_table(path: str | None) -> tuple[Array, Array]:
    try:
        table = yeast(path)
    except ValueError as error:
        advice = "" if path is None else "; a table of your own needs labels=(...)"
        raise ValueError(f"{error}{advice}") from error

    features = table.select(FEATURES).to_numpy()
    relevant = table.select(LABELS).to_numpy()

    return features, relevant


def _own_table(path: str, labels: tuple[str, ...]) -> tuple[Array, Array]:
    names = [name for name in header(path) if name not in labels]
    if not names:
        raise ValueError(f"{path} must have columns that are not labels, got none")

    columns = [Column(name, "number", "a feature") for name in names]
    columns += [Column(name, "integer", "a label", values=(0, 1)) for name in labels]
    table = scan_table(path, columns).collect()
    features = table.select(names).to_numpy()
    relevant = table.select(labels).to_numpy()

    return features, relevant
