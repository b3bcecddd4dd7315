"""At which scale an experiment was run, and what its own scale is, in words."""

from collections.abc import Mapping, Sequence

from mobandits.figures.formatting import join_words, quantity
from mobandits.papers.contents import ScaleEntry


def scale_of(changed: Mapping[str, int]) -> str:
    """What was asked for in place of an experiment's own scale.

    Example:
        >>> scale_of({"rounds": 50, "trials": 2})
        '50 rounds and 2 trials'
    """
    return join_words([quantity(value, name.removesuffix("s")) for name, value in changed.items()])


def own_scale(scale: Sequence[ScaleEntry]) -> str:
    """The scale of an experiment, with the names of its runs where they differ.

    Example:
        >>> own_scale([{"run": "a", "rounds": 10000, "trials": 1}])
        '10,000 rounds and 1 trial'
        >>> own_scale([{"run": name, "rounds": 0, "trials": len(name)} for name in ("a", "bb", "cc")])
        '1 trial in a; 2 trials in bb and cc'
    """
    runs_by_size: dict[str, list[str]] = {}
    for one in scale:
        known = {"rounds": one["rounds"], "trials": one["trials"]}
        size = scale_of({name: value for name, value in known.items() if value})
        runs_by_size.setdefault(size, []).append(one["run"])
    if len(runs_by_size) == 1:
        return next(iter(runs_by_size))
    return "; ".join(f"{size} in {join_words(runs)}" for size, runs in runs_by_size.items())
