"""What was decided and what it brought: the form that is evaluated, and the files that hold it."""

from mobandits.logs.feedback import Feedback

__all__ = ["Feedback"]
