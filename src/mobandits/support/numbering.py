"""Numbers of decisions: an agent counts its own, and each of its workers counts in a range apart.

A worker needs a number for a decision without asking anybody. So the numbers below `SPAN` are those
of the agent itself, and every incarnation of a worker, which is 1, 2, 3 ..., has the next `SPAN`.
Among the numbers of one range, the larger one is the later one; between ranges, nothing follows.
"""

# At 5,000 decisions per second an agent counts so far in seven years, and 900,000 incarnations have
# numbers of at most 18 digits, which are the longest that clients may send.
SPAN = 2**40


def number_of_worker(incarnation: int, n: int) -> int:
    """The number of a decision that a worker made.

    Args:
        incarnation: of the worker, from 1.
        n: how many it had made then, from 1.

    Example:
        >>> number = number_of_worker(3, 7)
        >>> is_of_worker(number), incarnation_of(number), number % SPAN
        (True, 3, 7)
    """
    return incarnation * SPAN + n


def is_of_worker(number: int) -> bool:
    """Whether a worker made the decision of a number."""
    return number >= SPAN


def incarnation_of(number: int) -> int:
    """The incarnation of the worker that made a decision; 0: the agent itself did."""
    return number // SPAN


def range_of(number: int) -> tuple[int, int]:
    """The first number of the range that a number is in, and the first one after it."""
    start = number - number % SPAN
    return start, start + SPAN
