"""Compilation: the only room that knows Numba.

- `compiled` has `@compiled` (frozen dataclasses that loops can call), `@kernel` (functions) and
  `loop_for`; `backend` says which backend this process uses, and loads Numba at the first need.
- `optimised` is fast, and uses private parts of Numba, so it runs only with the versions that it was
  tested with; `inner`, `borrowing` and `memory` are its parts, and `translations` keeps inner
  functions for other processes. `plain` uses Numba's public interface only: the same bits in more
  time.
- `records`, `part_types` and `fields` are the Numba types of parts, and the values of their fields;
  `notes` and `compiled_notes` are notes as flat numbers.
- `fingerprint` has digests of the sources that a compilation rests on, so that a cached one is never
  stale.
- `session` and `session_struct` keep a policy, its state and its stream in compiled form between
  calls of an agent. `at_once` plays simulations in Python until they are compiled; `at_hand` and
  `child` look for a loop in memory and in the cache, and compile it in child processes.
- `first_round`, `tracebacks` and `compiler_errors`: mistakes in parts of yours are found in Python
  first, with your line and a remedy.
"""
