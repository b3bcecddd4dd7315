"""The base of what clients send and get."""

import msgspec


class Message(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=False):
    """The base of what is sent and answered: a field that nobody knows is refused."""
