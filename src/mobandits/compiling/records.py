"""The Numba type of `compiled` classes: a struct of their fields.

Both backends share it; they differ in how compiled code finds attributes and calls methods.
"""

from typing import Any, TypeAlias

from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, models, unbox

from mobandits.compiling.fingerprint import fingerprint

__all__ = ["FieldTypes", "Record", "RecordModel", "can_be_field", "refuse_edited"]

CLASSES: dict[str, type] = {}  # the classes of records, by how the names of their types begin

FieldTypes: TypeAlias = tuple[tuple[str, Any], ...]  # the name and the Numba type of each field


class Record(types.Type):  # type: ignore[misc]
    """The Numba type of a `compiled` class.

    Its name, by which Numba tells types apart, holds the fingerprint of the class's sources:
    Numba's cache looks only at the file of the outermost function, and would otherwise match after
    a method or a helper of it was edited.

    Args:
        cls: the class.
        fields: its fields.
        sources: the fingerprint of its sources; "" for that of the sources as they are now.
    """

    def __init__(self, cls: type, fields: FieldTypes, sources: str = "") -> None:
        self.cls = cls
        self.fields = dict(fields)
        self.sources = sources or fingerprint(cls)
        listed_fields = ", ".join(f"{name}={kind}" for name, kind in fields)
        start = f"{cls.__module__}.{cls.__qualname__}@{self.sources}"
        CLASSES[start] = cls
        super().__init__(f"{start}({listed_fields})")

    def __reduce__(self) -> Any:
        # By its constructor, so that `CLASSES` has what another process sends too.
        return Record, (self.cls, tuple(self.fields.items()), self.sources)


def refuse_edited() -> None:
    """Refuse records that another process sent, where their sources are others by now.

    Raises:
        RuntimeError: naming a class.
    """
    for start, cls in CLASSES.items():
        _, _, sources = start.rpartition("@")
        if sources != fingerprint(cls):
            raise RuntimeError(f"{cls.__qualname__} was edited since that process loaded it")


def can_be_field(kind: Any) -> bool:
    """Whether a field may be of this Numba type."""
    if isinstance(kind, types.BaseTuple):
        return all(map(can_be_field, kind))

    # Lists, sets, dicts and text own memory that a record cannot: it is a plain value, copied with
    # every call.
    return isinstance(kind, (types.Number, types.Boolean, types.Array, types.NoneType, Record))


class RecordModel(models.StructModel):  # type: ignore[misc]
    """The layout of a record in memory: its fields, one after the other."""

    def __init__(self, manager: Any, record: Record) -> None:
        super().__init__(manager, record, list(record.fields.items()))


@unbox(Record)
def unbox_record(record: Record, instance: Any, c: Any) -> NativeValue:
    """Code that reads an instance into a struct; Numba uses it for subclasses of `Record` too."""
    struct = cgutils.create_struct_proxy(record)(c.context, c.builder)
    for name, kind in record.fields.items():
        field = c.pyapi.object_getattr_string(instance, name)
        native = c.unbox(kind, field)
        setattr(struct, name, native.value)
        c.pyapi.decref(field)  # an unboxed array holds a reference of its own

    error = c.pyapi.err_occurred()
    failed = cgutils.is_not_null(c.builder, error)

    return NativeValue(struct._getvalue(), is_error=failed)
