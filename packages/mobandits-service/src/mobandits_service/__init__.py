"""The decision service: agents behind HTTP, on one store.

A call is parsed, handed to its agent, written into the group of calls that is committed next, and
answered once that is on disk. One event loop owns all agents, and one thread commits.
"""
