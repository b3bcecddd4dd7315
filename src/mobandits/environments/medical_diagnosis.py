"""Which expert should diagnose this patient? Classifiers on real biopsies: accuracy against sensitivity."""

import functools
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, IntArray, Rng, Shape
from mobandits.datasets.breast_cancer import FEATURES, breast_cancer
from mobandits.environments.principal import principal
from mobandits.environments.tables import flag, read_only, with_constant
from mobandits.support.checks import integer, number
from mobandits.support.optional import missing_extra

if TYPE_CHECKING:
    import polars as pl

FOLDS = 5
SIZE = ("mean_radius", "mean_perimeter", "mean_area")
SHAPE = ("mean_compactness", "mean_concavity", "mean_concave_points")
EXPERTS = {  # name: what it looks at, and how many missed healthy patients one missed tumour is worth to it
    "size": (SIZE, 1.0),
    "texture": (("mean_texture", "mean_smoothness"), 1.0),
    "shape": (SHAPE, 1.0),
    "wary of size": (SIZE, 5.0),
    "wary of shape": (SHAPE, 5.0),
    "irregularity": (tuple(name for name in FEATURES if name.startswith("error_")), 1.0),
}
_ONCE = threading.Lock()


@dataclass(frozen=True)
class MedicalDiagnosis:
    """Assign each patient to one of six experts, who differ in what they look at and in what they fear.

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

    The paper describes this application without running it. It says that patients arrive with a
    context, that the arms are experts, systems or humans, whose performance depends on the context,
    and what both objectives pay. Data, classifiers, features, the split and the law of arrivals are
    not stated: they are ours.

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

    components: int = 2
    constant: bool = True

    experts: ClassVar[tuple[str, ...]] = tuple(EXPERTS)

    def __post_init__(self) -> None:
        integer("MedicalDiagnosis.components", self.components, at_least=1)
        number("MedicalDiagnosis.components", self.components, at_most=len(FEATURES))
        flag("MedicalDiagnosis.constant", self.constant)

    def problem(self, rounds: int, rng: Rng) -> "Patients":
        """The patients and what the experts say of them; nothing is drawn.

        Raises:
            MissingExtraError: where the extra `data` is not installed.
            ValueError: where the data file is damaged.
        """
        with _ONCE:  # threads that start together would otherwise each train the experts
            contexts = _contexts(self.components, self.constant)
            rewards = _rewards()
        return Patients(
            Shape(len(self.experts), contexts.shape[2], 2, rounds, shared=True), contexts, rewards
        )


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
        who = rng.integers(len(self.contexts), size=rounds)
        rewards = self.rewards[who]
        return Block(self.contexts[who], rewards, rewards.copy())


@functools.cache
def _table() -> "pl.DataFrame":
    return breast_cancer()


@functools.cache
def _contexts(components: int, constant: bool) -> Array:
    measured = _table().select(*FEATURES).to_numpy()
    standard = (measured - measured.mean(axis=0)) / measured.std(axis=0)
    contexts = principal(standard, standard, components).of(standard)[:, None]
    return read_only(with_constant(contexts) if constant else contexts)


@functools.cache
def _rewards() -> Array:
    malignant = _table()["malignant"].to_numpy()
    found = np.stack([_diagnoses(malignant, *expert) for expert in EXPERTS.values()], axis=1)
    right = found == malignant[:, None]
    return read_only(np.stack([right, found & right], axis=2).astype(np.float64))


def _diagnoses(malignant: IntArray, looks_at: tuple[str, ...], fear: float) -> IntArray:
    """(patients,) 1 for malignant, by an expert who has not seen the patient."""
    try:  # here, because importing scikit-learn takes most of a second
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415
        from sklearn.pipeline import make_pipeline  # noqa: PLC0415
        from sklearn.preprocessing import StandardScaler  # noqa: PLC0415
        from threadpoolctl import threadpool_limits  # noqa: PLC0415
    except ImportError as error:
        raise missing_extra("MedicalDiagnosis", "data") from error

    measured = _table().select(looks_at).to_numpy()
    fold = np.arange(len(malignant)) % FOLDS
    said = np.zeros_like(malignant)
    with threadpool_limits(1):  # sums split over threads differ in their last bits
        for one in range(FOLDS):
            expert: Any = make_pipeline(
                StandardScaler(), LogisticRegression(class_weight={0: 1.0, 1: fear})
            )
            expert.fit(measured[fold != one], malignant[fold != one])
            said[fold == one] = expert.predict(measured[fold == one])
    return said
