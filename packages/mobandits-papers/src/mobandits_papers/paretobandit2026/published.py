"""The numbers that paretobandit2026 gives for its router, on 1,824 prompts in 20 orders.

The router had learned 8,374 prompts with the answers of all three models. Qualities are means of
graded answers in [0, 1]; spending is a share of the budget.

Reference:
    paretobandit2026, section 4: figure 1 (budgets), figures 2 and 3 (a price cut, a regression),
    and the newcomer of section 4.5. Its abstract, and these numbers, were at hand.
"""

from typing import NamedTuple


class BudgetResult(NamedTuple):
    """The result of one budget.

    Attributes:
        budget: US dollars per 1,000 prompts.
        quality: of the answers.
        spending: as a share of the budget.
    """

    budget: float
    quality: float
    spending: float


BUDGETS = (
    BudgetResult(0.029, 0.793, 0.98),
    BudgetResult(0.083, 0.813, 1.00),
    BudgetResult(0.235, 0.859, 1.00),
    BudgetResult(0.664, 0.898, 0.98),
    BudgetResult(1.88, 0.917, 0.91),
    BudgetResult(5.31, 0.924, 0.89),
    BudgetResult(15.0, 0.929, 0.74),
)
PROMPTS = 1824
SEEDS = 20
# "mean per-request cost never exceeds the target by more than 0.4%"
MOST_OVERSPENT = 1.004
# "a three-model portfolio spanning a ~530x cost range"
COST_RANGE = 530.0

# Scenarios: three phases of 608 prompts, of which the third repeats the first; {budget in US
# dollars per 1,000 prompts: quality in each phase}.
PHASE = 608
SCENARIO_BUDGETS = (0.3, 0.66, 1.9)
PRICE_CUT = {0.3: (0.862, 0.933, 0.854), 0.66: (0.882, 0.926, 0.891)}
REGRESSION = {
    0.3: (0.863, 0.800, 0.818),
    0.66: (0.885, 0.795, 0.863),
    1.9: (0.910, 0.794, 0.898),
}
# The dearest model's price falls from $1.25 (input) and $10 (output) to $0.10 per million tokens.
PRICE_FACTOR = 0.10 / ((1.25 + 10.0) / 2.0)
DEGRADED = 0.75  # what every answer of the middle model is worth in the second phase
# Rounds until a model that is added has 5 % of the last 100 choices, and keeps them.
ADOPTION = {0.3: 142.0, 0.66: 121.0, 1.9: 121.0}
FORCED = 20  # plays of a model that is added
LEAST_SHARE = 0.05
WINDOW = 100
