"""Problems to play: each draws its rounds a block at a time, in plain NumPy."""

from mobandits.environments.bumps import Bumps, PeriodicBumps
from mobandits.environments.display_ads import DisplayAds
from mobandits.environments.generalized_linear import GeneralizedLinear
from mobandits.environments.linear import Linear
from mobandits.environments.llm_routing import LlmRouting
from mobandits.environments.logged import Logged
from mobandits.environments.medical_diagnosis import MedicalDiagnosis
from mobandits.environments.multi_armed import MultiArmed
from mobandits.environments.multichannel import Multichannel
from mobandits.environments.multilabel import Multilabel
from mobandits.environments.network_routing import NetworkRouting
from mobandits.environments.recommendation import Recommendation
from mobandits.environments.two_ridges import TwoRidges, TwoRidgesGrid

__all__ = [
    "Bumps",
    "DisplayAds",
    "GeneralizedLinear",
    "Linear",
    "LlmRouting",
    "Logged",
    "MedicalDiagnosis",
    "MultiArmed",
    "Multichannel",
    "Multilabel",
    "NetworkRouting",
    "PeriodicBumps",
    "Recommendation",
    "TwoRidges",
    "TwoRidgesGrid",
]
