"""What clients send and get, as types: they check bodies, and describe the interface."""

from mobandits.service.messages.agents import (
    AgentList,
    AgentState,
    BudgetList,
    BudgetState,
    NewArm,
    ObjectiveState,
    Share,
)
from mobandits.service.messages.base import Message
from mobandits.service.messages.deciding import (
    Decide,
    DecideBatch,
    Decided,
    DecidedBatch,
    DecideQuery,
)
from mobandits.service.messages.evaluations import (
    Evaluation,
    EvaluationList,
    EvaluationResult,
    EvaluationWanted,
    EvaluationWarning,
    JointRegion,
    LogDiagnostics,
    TargetValue,
)
from mobandits.service.messages.health import Live, Ready
from mobandits.service.messages.looking_up import (
    DecisionList,
    DecisionsQuery,
    Estimate,
    Explained,
    ExportQuery,
    Recorded,
)
from mobandits.service.messages.observing import Adopted, Observed, ObservedOutcome
from mobandits.service.messages.preferences import (
    ArmShare,
    MeanReward,
    Preference,
    PreferenceState,
    Preview,
    PreviewWanted,
    ValueEstimate,
)
from mobandits.service.messages.rewarding import RefusedItem, Rewarded, RewardOutcome, RewardsOf

__all__ = [
    "Adopted",
    "AgentList",
    "AgentState",
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
    "ObjectiveState",
    "Observed",
    "ObservedOutcome",
    "Preference",
    "PreferenceState",
    "Preview",
    "PreviewWanted",
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
