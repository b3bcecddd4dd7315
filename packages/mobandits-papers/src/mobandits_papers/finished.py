"""Whether experiments were reproduced before, so that the same command is answered at once."""

from collections.abc import Sequence
from pathlib import Path

from mobandits.simulation.finished import is_finished
from mobandits.simulation.manifest import read_manifest
from mobandits_papers.collection import RUNS
from mobandits_papers.experiment import Experiment, RunOptions
from mobandits_papers.pages.write import CLAIMS
from mobandits_papers.reproduce import COLLECTION, specification


def are_finished(experiments: Sequence[Experiment], out: Path, options: RunOptions) -> bool:
    """Whether a folder has the tables, the verdicts and the pages of all these experiments.

    Args:
        experiments: from `catalogue.find`.
        out: the folder, which need not exist.
        options: what is asked for.

    Raises:
        FolderError: where the folder holds something that cannot be read.
    """
    if not is_finished(out, {"experiment": COLLECTION}) or not (out / CLAIMS).exists():
        return False

    manifest = read_manifest(out)
    listed = manifest["specification"]["experiments"] if manifest is not None else []
    known = {entry["experiment"] for entry in listed}
    for experiment in experiments:
        folder = out / RUNS / experiment.id
        wanted = dict(specification(experiment, options, ()))
        # Which constants were chosen is what a run finds out.
        of_run = is_finished(folder, wanted, unless=["rows"])
        if experiment.id not in known or not of_run or not (folder / CLAIMS).exists():
            return False

    return True
