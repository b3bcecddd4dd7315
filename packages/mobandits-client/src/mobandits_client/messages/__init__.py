"""What clients send and get, as types: they check bodies, and describe the interface."""

from mobandits_client.messages.agents import (
    AgentList,
    AgentState,
    ArmPrice,
    BudgetList,
    BudgetState,
    NewArm,
    NewPrice,
    ObjectiveState,
    PriceList,
    Share,
)
from mobandits_client.messages.base import Message
from mobandits_client.messages.deciding import (
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    DecideQuery,
)
from mobandits_client.messages.evaluations import (
    Evaluation,
    EvaluationList,
    EvaluationResult,
    EvaluationWanted,
    EvaluationWarning,
    JointRegion,
    LogDiagnostics,
    TargetValue,
)
from mobandits_client.messages.health import Live, Ready
from mobandits_client.messages.looking_up import (
    DecisionList,
    DecisionsQuery,
    Estimate,
    Explained,
    ExportQuery,
    Recorded,
)
from mobandits_client.messages.observing import Adopted, Observed, ObservedOutcome
from mobandits_client.messages.preferences import (
    ArmShare,
    MeanReward,
    Preference,
    PreferenceState,
    Preview,
    PreviewWanted,
    ValueEstimate,
)
from mobandits_client.messages.problems import BUDGET, ProblemDetails
from mobandits_client.messages.rewarding import RefusedItem, Rewarded, RewardOutcome, RewardsOf

__all__ = [
    "BUDGET",
    "Adopted",
    "AgentList",
    "AgentState",
    "ArmPrice",
    "ArmShare",
    "BudgetList",
    "BudgetState",
    "Decide",
    "DecideBatch",
    "DecideQuery",
    "Decided",
    "DecidedBatch",
    "DecisionList",
    "DecisionsQuery",
    "Estimate",
    "Evaluation",
    "EvaluationList",
    "EvaluationResult",
    "EvaluationWanted",
    "EvaluationWarning",
    "Explained",
    "ExportQuery",
    "JointRegion",
    "Live",
    "LogDiagnostics",
    "MeanReward",
    "Message",
    "NewArm",
    "NewPrice",
    "ObjectiveState",
    "Observed",
    "ObservedOutcome",
    "Preference",
    "PreferenceState",
    "Preview",
    "PreviewWanted",
    "PriceList",
    "ProblemDetails",
    "Ready",
    "Recorded",
    "RefusedItem",
    "RewardOutcome",
    "Rewarded",
    "RewardsOf",
    "Share",
    "TargetValue",
    "ValueEstimate",
]
