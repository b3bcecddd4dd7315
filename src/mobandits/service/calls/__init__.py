"""The calls of version 1: what each takes, does and answers, one module per subject."""

from mobandits.service.calls import agents, deciding, exports, health, looking_up, rewarding

OPERATIONS = [
    *agents.OPERATIONS,
    *deciding.OPERATIONS,
    *looking_up.OPERATIONS,
    *rewarding.OPERATIONS,
    *exports.OPERATIONS,
    *health.OPERATIONS,
]
