"""The error and the warning of clients that a program may want to catch."""

__all__ = ["ServiceError", "ServiceWarning"]


class ServiceError(Exception):
    """A call that the decision service refused, or could not answer.

    Args:
        message: one line.
        status: of HTTP; None where there was no answer.
        field: that does not fit, where the service names one.
        is_budget: whether a budget of the agent is used up.
    """

    def __init__(
        self,
        message: str,
        status: int | None = None,
        field: str | None = None,
        *,
        is_budget: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.field = field
        self.is_budget = is_budget


class ServiceWarning(UserWarning):
    """A client was closed before the service took all that it had to report."""
