"""Diagnosis of biopsies by one of several classifiers: accuracy against sensitivity."""

import functools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.breast_cancer import FEATURES, breast_cancer
from mobandits.environments.principal import principal
from mobandits.environments.tables import read_only, with_constant
from mobandits.support.checks import flag, integer
from mobandits.support.optional import missing_extra

if TYPE_CHECKING:
    import polars as pl

FOLDS = 5
OBJECTIVES = 2
SIZE = ("mean_radius", "mean_perimeter", "mean_area")
SHAPE = ("mean_compactness", "mean_concavity", "mean_concave_points")
TEXTURE = ("mean_texture", "mean_smoothness")
IRREGULARITY = tuple(name for name in FEATURES if name.startswith("error_"))

# Per expert the measurements that it uses, and the weight of a malignant case in its training.
EXPERTS = {
    "size": (SIZE, 1.0),
    "texture": (TEXTURE, 1.0),
    "shape": (SHAPE, 1.0),
    "wary of size": (SIZE, 5.0),
    "wary of shape": (SHAPE, 5.0),
    "irregularity": (IRREGULARITY, 1.0),
}

_ONCE = threading.Lock()


@dataclass(frozen=True)
class MedicalDiagnosis:
    """Assignment of patients to one of six experts: accuracy against sensitivity.

    An expert is a logistic regression on standardised measurements of 569 biopsies: on the nuclei's
    size, texture or shape, on their irregularity (the ten standard errors), or on size or shape
    with a malignant case counted five times. Each patient is diagnosed by experts that were trained
    without the fifth of the patients that he belongs to (his row modulo 5). Every round draws one
    of the 569 patients, each equally likely.

    Objective 0 (accuracy, the dominant one) pays 1 where the diagnosis is right, objective 1
    (sensitivity) pays 1 where the tumour is malignant and was found to be: its sum over the number
    of malignant patients is 1 - the false negative rate. What was recorded is also the mean. The
    context, the same for all experts, is a patient's first principal components of all 30
    standardised measurements, scaled to [0, 1].

    The paper describes this application without running it. It states that patients arrive with a
    context, that the arms are experts, systems or humans, whose performance depends on the context,
    and what both objectives pay. Data, classifiers, features, the split and the distribution of
    arrivals are not stated: they are ours.

    Args:
        components: number of principal components, 1 to 30.
        constant: whether the context ends with a constant 1, which linear policies need and
            policies in cells do not.

    Attributes:
        experts: the names of the arms.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, section III-C, application 2; the data: `mobandits.datasets.breast_cancer`. It
        needs the extra `data`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = MedicalDiagnosis().problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.rewards.shape
        ((100, 1, 3), (100, 6, 2))
    """

    references = ("mocmab2018", "street1993")

    components: int = 2
    constant: bool = True

    experts = tuple(EXPERTS)

    def __post_init__(self) -> None:
        most = len(FEATURES)
        integer("MedicalDiagnosis.components", self.components, at_least=1, at_most=most)
        flag("MedicalDiagnosis.constant", self.constant)

    def problem(self, rounds: int, rng: Rng) -> "Patients":
        """The patients with the experts' diagnoses; nothing is drawn.

        Raises:
            MissingExtraError: where the extra `data` is not installed.
            ValueError: where the data file is damaged.
        """
        with _ONCE:  # threads that start together would otherwise each train the experts
            contexts = _contexts(self.components, self.constant)
            rewards = _rewards()

        features = contexts.shape[2]
        shape = Shape(
            arms=len(self.experts),
            features=features,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )

        return Patients(shape, contexts, rewards)


class Patients(NamedTuple):
    """One trial of `MedicalDiagnosis`; all trials share the tables.

    Attributes:
        shape: six experts, one context for all, two objectives.
        contexts: (patients, 1, features).
        rewards: (patients, experts, 2).
    """

    shape: Shape
    contexts: Array
    rewards: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` patients; other block borders are the same patients."""
        patients = rng.integers(len(self.contexts), size=rounds)
        contexts = self.contexts[patients]
        rewards = self.rewards[patients]

        return Block(
            contexts=contexts,
            means=rewards,
            rewards=rewards.copy(),
        )


# Cached: all trials of a process share the data and the trained experts.
@functools.cache
def _table() -> "pl.DataFrame":
    return breast_cancer()


@functools.cache
def _contexts(components: int, constant: bool) -> Array:
    measurements = _table().select(*FEATURES).to_numpy()
    # Standardised: an area has values near 650, a smoothness near 0.1.
    residuals = measurements - measurements.mean(axis=0)
    standard = residuals / measurements.std(axis=0)
    projection = principal(standard, standard, components)
    contexts = projection.of(standard)[:, None]
    if constant:
        contexts = with_constant(contexts)

    return read_only(contexts)


@functools.cache
def _rewards() -> Array:
    malignant = _table()["malignant"].to_numpy()
    each = [_diagnoses(malignant, names, weight) for names, weight in EXPERTS.values()]
    diagnoses = np.stack(each, axis=1)
    right = diagnoses == malignant[:, None]
    detected = diagnoses & right
    rewards = np.stack([right, detected], axis=2)

    return read_only(rewards.astype(np.float64))


def _diagnoses(malignant: IntArray, names: tuple[str, ...], weight: float) -> IntArray:
    """(patients,) 1 for malignant, by an expert that was trained without the patient."""
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from sklearn.pipeline import make_pipeline  # noqa: PLC0415
        from sklearn.preprocessing import StandardScaler  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("MedicalDiagnosis", "data") from error

    measurements = _table().select(names).to_numpy()
    folds = np.arange(len(malignant)) % FOLDS
    diagnoses = np.zeros_like(malignant)
    with threadpool_limits(1):  # sums split over threads differ in their last bits
        for fold in range(FOLDS):
            held_out = folds == fold
            training = ~held_out
            regression = LogisticRegression(class_weight={0: 1.0, 1: weight})
            expert: Any = make_pipeline(StandardScaler(), regression)
            expert.fit(measurements[training], malignant[training])
            diagnoses[held_out] = expert.predict(measurements[held_out])

    return diagnoses
