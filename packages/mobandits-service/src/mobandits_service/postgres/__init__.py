"""Stores in a PostgreSQL database: the tables of `logs.store.schema`, and who may write them.

It needs the extra `postgres`. The rest of the store speaks SQL that both databases understand, to
connections of one shape.
"""
