"""Which arms are on the Pareto front, and which can be dropped, with a guarantee.

`identify` plays a policy until every arm is decided, or reads a log; `certify` decides from counts
and means. See docs/how-to/identify.md.
"""

from mobandits.identification.certificate import Certificate, certify
from mobandits.identification.identifying import identify

__all__ = ["Certificate", "certify", "identify"]
