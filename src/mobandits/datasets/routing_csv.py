"""Long tables of prompts: a row per prompt and model, with quality, cost and numbers of the prompt."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.datasets.dataset import Column
from mobandits.datasets.routing_files import COST, RoutingTable
from mobandits.datasets.tables import header, scan_table
from mobandits.support.naming import quoted, shortened

if TYPE_CHECKING:
    import polars as pl

ID = "prompt_id"
MODEL = "model"
PROMPT = "prompt"
QUALITY = "quality"  # what names of judges begin with


class NumberedTable(NamedTuple):
    """Prompts with answers, and what else is known of each prompt.

    Attributes:
        table: prompts and answers; texts are empty where the file has none.
        names: of the other columns.
        numbers: (prompts, names) their values.
    """

    table: RoutingTable
    names: tuple[str, ...]
    numbers: Array


def read_routing_csv(path: str | Path) -> NumberedTable:
    r"""The table of a CSV file with the columns `prompt_id`, `model`, `cost` and quality.

    Columns whose names begin with "quality" are judges. `prompt` has the text, where there is one.
    Every other column is a number that is known when the prompt arrives. Each prompt has a row per
    model. Prompts and models stand in the order in which they first appear.

    Args:
        path: of a file in UTF-8 with names in its first row.

    Raises:
        ValueError: in one line that names file, column, row or prompt.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "prompts.csv"
        >>> _ = path.write_text("prompt_id,model,quality,cost,words\n1,a,0.5,0.1,7\n1,b,0.9,2,7\n")
        >>> found = read_routing_csv(path)
        >>> found.table.models, found.table.dollars.tolist(), found.numbers.tolist()
        (('a', 'b'), [[0.1, 2.0]], [[7.0]])
    """
    names = header(path)
    judges = [name for name in names if name.startswith(QUALITY)]
    if not judges:
        listed = shortened(", ".join(map(quoted, names)))
        raise ValueError(f"{path} must have a column that begins with {QUALITY}, got {listed}")

    of_prompts = [PROMPT] if PROMPT in names else []
    texts = [ID, MODEL, *of_prompts]
    others = [name for name in names if name not in (*texts, *judges, COST)]
    columns = [
        *(Column(name, "text", "of the prompt or the model") for name in texts),
        *(Column(name, "number", "of the answer") for name in judges),
        Column(COST, "number", "of the answer", least=0.0),
        *(Column(name, "number", "of the prompt") for name in others),
    ]
    rows = scan_table(path, columns).collect()
    ids = rows[ID].unique(maintain_order=True)
    models = rows[MODEL].unique(maintain_order=True)
    places = _places(path, rows, ids.to_list(), models.to_list())
    shape = places.shape
    # Text and numbers of a prompt stand in each of its rows.
    for name in (*of_prompts, *others):
        values = rows[name].to_numpy()[places]
        varies = np.flatnonzero((values != values[:, :1]).any(axis=1))
        if len(varies):
            where = f"{path}: prompt {quoted(ids[int(varies[0])])}"
            raise ValueError(f"{where} must have one value of {name} in all rows, got several")

    first = places[:, 0]
    prompts = rows[PROMPT].to_numpy()[first].tolist() if of_prompts else [""] * shape[0]
    table = RoutingTable(
        prompts=tuple(prompts),
        sources=("",) * shape[0],
        models=tuple(models.to_list()),
        judges=tuple(judges),
        grades=rows.select(judges).to_numpy()[places],
        dollars=rows[COST].to_numpy()[places],
    )
    numbers = rows.select(others).to_numpy() if others else np.empty((len(rows), 0))

    return NumberedTable(table, tuple(others), numbers[first])


def _places(path: str | Path, rows: "pl.DataFrame", ids: list[str], models: list[str]) -> Array:
    """(prompts, models) the row of each answer.

    Raises:
        ValueError: where a prompt has not one row per model.
    """
    number = {name: place for place, name in enumerate(ids)}
    column = {name: place for place, name in enumerate(models)}
    prompt = np.array([number[name] for name in rows[ID]])
    model = np.array([column[name] for name in rows[MODEL]])
    counts = np.zeros((len(ids), len(models)), np.int64)
    np.add.at(counts, (prompt, model), 1)
    wrong = np.argwhere(counts != 1)
    if len(wrong):
        which, missing = wrong[0].tolist()
        where = f"{path}: prompt {quoted(ids[which])}"
        rule = f"must have one row of model {quoted(models[missing])}"
        raise ValueError(f"{where} {rule}, got {counts[which, missing]}")

    places: Array = np.empty(counts.shape, np.int64)
    places[prompt, model] = np.arange(len(rows))

    return places
