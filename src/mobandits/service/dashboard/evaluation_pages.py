"""Pages of evaluations: what another policy, order or arm would have brought, by the log."""

PAGES: list = []
