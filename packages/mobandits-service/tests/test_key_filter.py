"""The filter of clients' keys: it misses none, and seldom takes a new one for a known one."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits_service.postgres import key_filter
from mobandits_service.postgres.key_filter import KeyFilter

# As clients may send them: texts that files can hold.
KEYS = st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=30)


@pytest.mark.long
@given(KEYS, KEYS, st.integers(1, 8))
def test_no_key_is_missed(first, later, least):
    digests = b"".join(hashlib.md5(key.encode()).digest()[:8] for key in first)
    before = key_filter.LEAST_KEYS
    key_filter.LEAST_KEYS = least  # so that layers fill up
    try:
        keys = KeyFilter(digests)
        for key in later:
            keys.add(key)
    finally:
        key_filter.LEAST_KEYS = before
    assert all(keys.may_have(key) for key in first + later)


@pytest.mark.long
def test_few_new_keys_look_known():
    keys = KeyFilter()
    for n in range(80_000):
        keys.add(f"known {n}")
    looks_known = sum(keys.may_have(f"new {n}") for n in range(20_000))
    assert looks_known < 200
