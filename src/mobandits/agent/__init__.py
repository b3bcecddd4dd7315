"""The stateful face for applications: decide now, learn when rewards arrive.

Three layers, each of which imports only those before it; `tests/test_structure.py` lists them:

- The core is what an agent is (`agent_state`, `pending`, `ledger`, ...), and what calls do to it
  (`core`, `batches`, `keyed`, ...). It reads and writes no files.
- Services are functions of a core: files (`saving`, `loading`), the log (`recording`, `replaying`),
  `retuning`, `merging`, `explanation`, `adoption`, copies for workers.
- The face, `agent`, has the documentation, and calls the two others.

A call does all or nothing: it decides, writes, and then keeps (`change`). Its log holds the calls,
and the same calls from the same seed give the same state and streams, so no policy needs a log
format of its own. Each rank of `decide(top=k)` is a decision among the arms that are left, so no
policy knows of rankings. A decision reserves budget and its bill settles it, so files keep only what
was spent. First prices of a budget are an event, so that replaying does not look them up again. An
objective with a range is learned on [0, 1], and shown in its unit. Files are not trusted: a checksum
finds accidents, and what is read must have the shapes and limits of the policy's state
(`restoring`).
"""

from mobandits.agent.agent import Agent
from mobandits.agent.budget import Balance, Budget
from mobandits.agent.decision import Decision
from mobandits.logs.objectives import Objective

__all__ = ["Agent", "Balance", "Budget", "Decision", "Objective"]
