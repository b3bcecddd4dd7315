"""Estimators: the means and widths of every arm and objective, learned from rewards."""

from mobandits.estimators.alarmed import Alarmed, AlarmedState
from mobandits.estimators.cells import Cells
from mobandits.estimators.diagonal_ridge import DiagonalRidge, DiagonalState
from mobandits.estimators.discounted import Discounted
from mobandits.estimators.disjoint_ridge import DisjointRidge
from mobandits.estimators.fixed_ridge import FixedRidge, FixedState
from mobandits.estimators.linear import LinearEstimator, RidgeState
from mobandits.estimators.nearest_rounds import NearestRounds, NearestRoundsState
from mobandits.estimators.online_newton import NewtonState, OnlineNewton
from mobandits.estimators.priced import Priced, PricedState
from mobandits.estimators.ridge import Ridge
from mobandits.estimators.ridge_for import ridge_for
from mobandits.estimators.sample_mean import MeanState, SampleMean
from mobandits.estimators.scaled import Scaled, ScaledState

__all__ = [
    "Alarmed",
    "AlarmedState",
    "Cells",
    "DiagonalRidge",
    "DiagonalState",
    "Discounted",
    "DisjointRidge",
    "FixedRidge",
    "FixedState",
    "LinearEstimator",
    "MeanState",
    "NearestRounds",
    "NearestRoundsState",
    "NewtonState",
    "OnlineNewton",
    "Priced",
    "PricedState",
    "Ridge",
    "RidgeState",
    "SampleMean",
    "Scaled",
    "ScaledState",
    "ridge_for",
]
