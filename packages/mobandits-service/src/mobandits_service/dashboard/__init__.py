"""The dashboard: pages on what agents do, made on the server, complete without script.

A page is a frozen dataclass of texts, tables and pictures, in the module that gathers them; the
template of the same name says how they are laid out, and escapes every text. Numbers over time come
from the store's sums, never from its events.
"""
