"""SQL of the store in the words of PostgreSQL and psycopg.

The store writes what both databases understand, wherever there is such a thing. The rest is here:
placeholders, and the few functions that have another name or meaning.
"""

import functools
import re

# (pattern, replacement): SQLite's words, and PostgreSQL's.
RULES = (
    # psycopg's own placeholders begin with it.
    (re.compile(r"%"), r"%%"),
    (re.compile(r"(?<!:):([a-z_]+)"), r"%(\1)s"),
    (re.compile(r"\?"), r"%s"),
    # The order of the tables is for SQLite's planner, which has no statistics.
    (re.compile(r"\bCROSS JOIN (\w+ \w+) ON\b"), r"JOIN \1 ON"),
    # SQLite cuts the fraction off, and PostgreSQL rounds; its INTEGER has 32 bits.
    (re.compile(r"\bCAST\((.+?) AS INTEGER\)"), r"CAST(trunc(\1) AS bigint)"),
    # Of two values rather than of rows: PostgreSQL has other names for it.
    (re.compile(r"\bmax\(min\("), r"greatest(least("),
)


@functools.lru_cache(maxsize=256)
def translated(sql: str) -> bytes:
    """A statement of the store in the words of psycopg.

    Example:
        >>> translated("SELECT seq FROM changes WHERE agent = ? AND kind = :kind")
        b'SELECT seq FROM changes WHERE agent = %s AND kind = %(kind)s'
        >>> translated("SELECT CAST(at / 60.0 AS INTEGER) FROM decisions")
        b'SELECT CAST(trunc(at / 60.0) AS bigint) FROM decisions'
    """
    if sql == "BEGIN IMMEDIATE":
        return b"BEGIN"

    text = sql
    for pattern, replacement in RULES:
        text = pattern.sub(replacement, text)

    return text.encode()
