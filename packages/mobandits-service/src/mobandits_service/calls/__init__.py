"""The calls of version 1: what each takes, does and answers, one module per subject."""

from mobandits_service.calls import (
    agents,
    deciding,
    evaluations,
    exports,
    health,
    hosting,
    looking_up,
    rewarding,
)

OPERATIONS = [
    *agents.OPERATIONS,
    *hosting.OPERATIONS,
    *deciding.OPERATIONS,
    *looking_up.OPERATIONS,
    *evaluations.OPERATIONS,
    *rewarding.OPERATIONS,
    *exports.OPERATIONS,
    *health.OPERATIONS,
]
