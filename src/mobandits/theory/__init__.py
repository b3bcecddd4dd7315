"""Every theorem's bound, and the event that it holds on, as functions: one module per paper.

At the papers' horizons and with their constants all of the bounds are larger than the regret of any policy: draw them
on logarithmic axes. The events are informative; `mobandits coverage` counts how often they fail.
"""

from mobandits.theory import drugan2013, mocmab2018, moglb2019, molts2025, moslb2024, pcz2018, zooming

__all__ = ["drugan2013", "mocmab2018", "moglb2019", "molts2025", "moslb2024", "pcz2018", "zooming"]
