"""Problems to play: each draws its rounds a block at a time, in plain NumPy."""

from mobandits.environments.bumps import Bumps as Bumps
from mobandits.environments.bumps import PeriodicBumps as PeriodicBumps
from mobandits.environments.display_ads import DisplayAds as DisplayAds
from mobandits.environments.generalized_linear import GeneralizedLinear as GeneralizedLinear
from mobandits.environments.linear import Linear as Linear
from mobandits.environments.llm_routing import LlmRouting as LlmRouting
from mobandits.environments.logged import Logged as Logged
from mobandits.environments.medical_diagnosis import MedicalDiagnosis as MedicalDiagnosis
from mobandits.environments.multi_armed import MultiArmed as MultiArmed
from mobandits.environments.multichannel import Multichannel as Multichannel
from mobandits.environments.multilabel import Multilabel as Multilabel
from mobandits.environments.network_routing import NetworkRouting as NetworkRouting
from mobandits.environments.recommendation import Recommendation as Recommendation
from mobandits.environments.rough_linear import RoughLinear as RoughLinear
from mobandits.environments.two_ridges import TwoRidges as TwoRidges
from mobandits.environments.two_ridges import TwoRidgesGrid as TwoRidgesGrid

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
    "RoughLinear",
    "TwoRidges",
    "TwoRidgesGrid",
]
