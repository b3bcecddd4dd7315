"""The Numba type of `compiled` classes: a struct of their fields, taken apart where Python hands one over."""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import NativeValue, models, unbox

from mobandits.compiling.fingerprint import fingerprint

NOT_INLINED = "_mobandits_not_inlined"  # an attribute of methods that are called, not put in line


class Record(types.Type):  # type: ignore[misc]
    """Numba type of a `compiled` class: the class, its field types, the fingerprint of its sources.

    Args:
        cls: the class.
        fields: name and Numba type of each field.
        sources: the fingerprint of the class's sources; "" to take it now.
    """

    def __init__(self, cls: type, fields: tuple[tuple[str, Any], ...], sources: str = "") -> None:
        self.cls = cls
        self.fields = dict(fields)
        self.sources = sources or fingerprint(cls)
        listed = ", ".join(f"{name}={kind}" for name, kind in fields)
        super().__init__(f"{cls.__module__}.{cls.__qualname__}@{self.sources}({listed})")


def can_be_field(kind: Any) -> bool:
    """Whether a field may be of this type: lists, sets, dicts and text are memory that records cannot own."""
    if isinstance(kind, types.BaseTuple):
        return all(map(can_be_field, kind))
    return isinstance(kind, (types.Number, types.Boolean, types.Array, types.NoneType, Record))


class RecordModel(models.StructModel):  # type: ignore[misc]
    """How a record lies in memory: its fields, one after the other."""

    def __init__(self, manager: Any, record: Record) -> None:
        super().__init__(manager, record, list(record.fields.items()))


@unbox(Record)
def unbox_record(record: Record, obj: Any, c: Any) -> NativeValue:
    """Code that takes an instance apart, field by field; Numba looks here for subclasses of `Record` too."""
    struct = cgutils.create_struct_proxy(record)(c.context, c.builder)
    for name, kind in record.fields.items():
        field = c.pyapi.object_getattr_string(obj, name)
        setattr(struct, name, c.unbox(kind, field).value)
        c.pyapi.decref(field)
    failed = cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    return NativeValue(struct._getvalue(), is_error=failed)
