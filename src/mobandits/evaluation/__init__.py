"""The value of other decisions, from a log: vectors, confidence regions, and warnings.

`compare` evaluates targets on a log; `evaluate` one of them. See
docs/tutorials/evaluate-before-you-deploy.md. `tune` chooses a recipe on a log, or a policy for a
budget, and `sweep_weights` gives a front of policies. See docs/how-to/choose-from-a-log.md and
docs/how-to/budgets.md. `Monitor` decides between a target and the logging policy whenever one
looks: docs/how-to/promote-or-wait.md.
"""

from mobandits.evaluation.budget_tuned import BudgetTuned
from mobandits.evaluation.case import EvaluationCase
from mobandits.evaluation.comparison import ESTIMATORS, Comparison, compare, evaluate
from mobandits.evaluation.diagnostics import Diagnostics
from mobandits.evaluation.direct_method import DirectMethod
from mobandits.evaluation.dominance import Verdict, dominance
from mobandits.evaluation.doubly_robust import DoublyRobust
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.front import front, plot_front
from mobandits.evaluation.frozen import Frozen
from mobandits.evaluation.ips import Ips
from mobandits.evaluation.monitor import Look, Monitor, looks_on
from mobandits.evaluation.regions import Box, Ellipsoid
from mobandits.evaluation.replay import Replay
from mobandits.evaluation.replay_recipe import replay
from mobandits.evaluation.reward_model import RidgePerArm
from mobandits.evaluation.sensitivity import Robustness, Sensitivity
from mobandits.evaluation.sensitivity_table import sensitivity_table
from mobandits.evaluation.snips import Snips
from mobandits.evaluation.spread import Spread
from mobandits.evaluation.switch_dr import SwitchDr
from mobandits.evaluation.targets import ConstantTarget, LoggingPolicy, StoredProbabilities, Uniform
from mobandits.evaluation.terms import Terms
from mobandits.evaluation.training import Trained
from mobandits.evaluation.tuned import Candidate, Tuned
from mobandits.evaluation.tuning import tune
from mobandits.evaluation.weight_sweep import WeightSweep, sweep_weights
from mobandits.logs import Feedback

__all__ = [
    "ESTIMATORS",
    "Box",
    "BudgetTuned",
    "Candidate",
    "Comparison",
    "ConstantTarget",
    "Diagnostics",
    "DirectMethod",
    "DoublyRobust",
    "Ellipsoid",
    "Estimate",
    "EvaluationCase",
    "Feedback",
    "Frozen",
    "Ips",
    "LoggingPolicy",
    "Look",
    "Monitor",
    "Replay",
    "RidgePerArm",
    "Robustness",
    "Sensitivity",
    "Snips",
    "Spread",
    "StoredProbabilities",
    "SwitchDr",
    "Terms",
    "Trained",
    "Tuned",
    "Uniform",
    "Verdict",
    "WeightSweep",
    "compare",
    "dominance",
    "evaluate",
    "front",
    "looks_on",
    "plot_front",
    "replay",
    "sensitivity_table",
    "sweep_weights",
    "tune",
]
