"""Orders say which arms are best: the front drives learning, and the gap scores it."""

from mobandits.orders.chains_authors import pc_gap_authors
from mobandits.orders.gross_scalar import GrossScalar
from mobandits.orders.order import BaseOrder
from mobandits.support.discovery import public_classes

ORDERS = public_classes(__name__, BaseOrder)
__all__ = list(ORDERS)
__all__ += ["GrossScalar", "pc_gap_authors"]
globals().update(ORDERS)
