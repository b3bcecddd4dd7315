"""At which scale an experiment was run, and what its own scale is, in words."""

from collections.abc import Mapping, Sequence

from mobandits.figures.formatting import join_words
from mobandits.support.naming import quantity
from mobandits_papers.contents import ScaleEntry


def scale_of(changed: Mapping[str, int]) -> str:
    """What was asked for in place of an experiment's own scale.

    Example:
        >>> scale_of({"rounds": 50, "trials": 2})
        '50 rounds and 2 trials'
    """
    sizes = []
    for name, value in changed.items():
        noun = name.removesuffix("s")
        sizes.append(quantity(value, noun))

    return join_words(sizes)


def own_scale(scale: Sequence[ScaleEntry]) -> str:
    """The scale of an experiment, with the names of its runs where they differ.

    Example:
        >>> own_scale([{"run": "a", "rounds": 10000, "trials": 1}])
        '10,000 rounds and 1 trial'
        >>> runs = ("a", "bb", "cc")
        >>> own_scale([{"run": run, "rounds": 0, "trials": len(run)} for run in runs])
        '1 trial in a; 2 trials in bb and cc'
    """
    runs_by_size: dict[str, list[str]] = {}
    for entry in scale:
        known = {"trials": entry["trials"]}
        if entry["rounds"]:  # what is computed may have none
            known = {"rounds": entry["rounds"], **known}

        size = scale_of(known)
        runs_by_size.setdefault(size, []).append(entry["run"])

    if len(runs_by_size) == 1:
        (size,) = runs_by_size
        return size

    sizes = []
    for size, runs in runs_by_size.items():
        sizes.append(f"{size} in {join_words(runs)}")

    return "; ".join(sizes)
