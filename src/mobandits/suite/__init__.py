"""Benchmark suites: fixed environments, seeds that nobody can tune on, scores, a leaderboard.

`MOB-1.toml` is the suite and `built_in.toml` are entries of this library. `definition` reads both,
`playing` plays an entry, `conditions` holds what environments of the library lack, `entries` keeps
and verifies what was played, and `page` shows it.

`routing` is the suite MOB-LLM (`MOB-LLM.toml`, `built_in_llm.toml`): `prompts` reads a table, and
`references` are entries that are made of a log. See docs/reference/suite.md.
"""
