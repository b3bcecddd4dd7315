"""What is said of a log that cannot be read, and of one that can be read only in part."""


class LogError(ValueError):
    """A log that cannot be used; the message names the file, the place in it and the rule. Nothing was changed."""


class LogWarning(UserWarning):
    """A log that was read, but not all of it; the message says what was passed over."""
