"""What classes and frozen dataclasses are called: in tables, figures, random streams, and on the command line."""

import dataclasses
import re
from typing import Any

import numpy as np


def concise(part: Any) -> str:
    """The class and the fields that differ from their defaults; other objects as they print.

    Example:
        >>> from mobandits.policies import MolTs
        >>> concise(MolTs(scale=0.3)), concise(MolTs())
        ('MolTs(scale=0.3)', 'MolTs()')
    """
    if not dataclasses.is_dataclass(part) or isinstance(part, type):
        return repr(part)
    said = [(f, getattr(part, f.name)) for f in dataclasses.fields(part) if f.repr]
    differing = [
        f"{f.name}={plain(value, whole='float' not in str(f.type))!r}"
        for f, value in said
        if f.default is dataclasses.MISSING or value != f.default
    ]
    return f"{type(part).__qualname__}({', '.join(differing)})"


def plain(value: Any, *, whole: bool = True) -> Any:
    """NumPy's numbers as Python's, and integers as floats where not `whole`: equal values have one text.

    Example:
        >>> plain((np.int64(0), (np.float64(0.5),))), plain(1, whole=False)
        ((0, (0.5,)), 1.0)
    """
    if isinstance(value, (tuple, list)):
        return tuple(plain(one, whole=whole) for one in value)
    if isinstance(value, np.generic):
        return plain(value.item(), whole=whole)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and not whole else value


def kebab(name: str) -> str:
    """A Python name as on the command line.

    Example:
        >>> kebab("MolEpsGreedy"), kebab("Exp3P"), kebab("llm_routing")
        ('mol-eps-greedy', 'exp3p', 'llm-routing')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])", "-", name).lower().replace("_", "-")
