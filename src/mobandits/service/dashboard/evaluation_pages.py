"""Pages of evaluations: what another policy, order or arm would have brought, by the log."""

from mobandits.service.dashboard.visitors import Page

PAGES: list[tuple[str, str, Page, str | None]] = []
