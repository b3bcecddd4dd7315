"""Settings of Python itself that keep the event loop from waiting long."""

import gc
import sys

# A thread that computes keeps the others waiting for so long; Python's own choice is 0.005.
SWITCH_SECONDS = 0.001
# Garbage in cycles is looked for after so many new objects. Python's own choice is 700, which is
# less than what sixteen calls that wait for the disk have, all of it in use.
NEW_OBJECTS = 5000


def share_among_threads() -> None:
    """Have threads that compute let the event loop go on soon."""
    sys.setswitchinterval(SWITCH_SECONDS)


def spare_what_stays() -> None:
    """Have garbage looked for among what is made from now on.

    What was loaded so far stays until the process ends: hundreds of thousands of objects, and to
    look through them takes a tenth of a second, in which nobody is answered.
    """
    gc.collect()
    gc.freeze()
    _, younger, older = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, younger, older)
