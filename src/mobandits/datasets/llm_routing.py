"""Quality and cost of the answers of three language models to 3,609 prompts."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.published import Published, from_extra
from mobandits.datasets.routing_files import parsed_routing
from mobandits.support.optional import how_to_install

if TYPE_CHECKING:
    import polars as pl

PACKAGE = "paretobandit"
VERSION = "0.1.1"
FOLDER = "pareto_bandit/data/examples"

# The files name models with their vendors, tables and arms without; cheapest first.
VENDORS = {
    "llama-3.1-8b-instruct": "meta-llama",
    "mistral-large-2512": "mistralai",
    "gemini-2.5-pro": "google",
}
MODELS = tuple(VENDORS)

# Rows and SHA-256 of each file, in the order of the table.
SPLITS = {
    "val": (1785, "9590556ee832bb8e27b0e838eb4fd6b656e69e39c99ef067fc6379abc7f168ef"),
    "test_holdout": (1824, "b2f7e0e034902d254b3620770d98824cb932ad9cbecd38b9ce00345620a70665"),
}


class LlmRoutingData(DataSet):
    """Quality and cost of three language models on every one of 3,609 benchmark prompts.

    Every model's answer to every prompt was graded and paid for, so the reward of each choice is
    known and any policy can be replayed without correction. Two thirds of the prompts hold a real
    conflict: the cheapest model's answer is not as good as the best one's. No prompt appears twice.

    Reference:
        A. Taberner-Miller, ParetoBandit: Budget-Paced Adaptive Routing for Non-Stationary LLM
        Serving; the evaluation files of the Python package paretobandit 0.1.1, licence Apache-2.0.
        They are read from the installed package, whose code is not imported.

    Example:
        >>> from mobandits.datasets import llm_routing
        >>> table = llm_routing()
        >>> dearest = table["cost_llama-3.1-8b-instruct"].max()
        >>> table.height, dearest < table["cost_gemini-2.5-pro"].min()
        (3609, True)
    """

    references = ("paretobandit2026",)
    about = About(
        name="llm_routing",
        title="Quality and cost of three language models on every one of 3,609 benchmark prompts.",
        rows=sum(rows for rows, _ in SPLITS.values()),
        columns=(
            Column("split", "text", "the file that the row comes from", values=tuple(SPLITS)),
            Column(
                "source",
                "text",
                "the benchmark that the prompt comes from (mmlu, gsm8k, bbh/snarks, ...)",
            ),
            Column("prompt", "text", "20 to 4,860 characters"),
            *(
                Column(f"quality_{model}", "number", "graded quality of the answer, 0 to 1")
                for model in MODELS
            ),
            *(
                Column(f"cost_{model}", "number", "price of the answer", "US dollars")
                for model in MODELS
            ),
        ),
        arms=f"the models {', '.join(MODELS)}",
        objectives=(
            RecordedObjective("quality", "graded quality of the answer, 0 to 1"),
            RecordedObjective("cost", "price of the answer", "US dollars", minimise=True),
        ),
        propensities="none needed: every choice's outcome is known",
        licence="Apache-2.0",
        source=f"{PACKAGE} {VERSION}, {FOLDER}/val.jsonl and test_holdout.jsonl, by A."
        " Taberner-Miller",
        obtain=how_to_install("data"),
        derived="nothing; what the files derive from the values (best model, difficulty, spread) is"
        " left out",
    )

    def load(self) -> "pl.DataFrame":
        """The table.

        Returns:
            3,609 rows, the 1,785 of the file "val" first, then the 1,824 of "test_holdout", each in
            the order of its file:

            - `split` str: "val" or "test_holdout".
            - `source` str: the benchmark that the prompt comes from (mmlu, gsm8k, bbh/snarks, ...).
            - `prompt` str: the text, 20 to 4,860 characters.
            - `quality_<model>` float in [0, 1]: the graded quality of the answer.
            - `cost_<model>` float: the price of the answer in US dollars, from 0.0000038 to 0.16.

            The models are llama-3.1-8b-instruct, mistral-large-2512 and gemini-2.5-pro, and in
            every row the first costs least. All values are as recorded.

        Raises:
            MissingExtraError: where the extra `data` is not installed.
            ValueError: where a file is not the published one, byte for byte.
        """
        import polars as pl  # noqa: PLC0415 - importing the package stays light

        return pl.concat([_table(split) for split in SPLITS])

    __call__ = load


def _table(split: str) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415 - importing the package stays light

    names = [f"{vendor}/{model}" for model, vendor in VENDORS.items()]
    # What the files derive from the values is left out.
    table = parsed_routing(_content(split), f"{split}.jsonl").of_models(names)
    columns: dict[str, Any] = {
        "split": [split] * len(table.prompts),
        "source": list(table.sources),
        "prompt": list(table.prompts),
    }
    for column, values in (("quality", table.grades[:, :, 0]), ("cost", table.dollars)):
        for place, model in enumerate(MODELS):
            columns[f"{column}_{model}"] = np.ascontiguousarray(values[:, place])

    return pl.DataFrame(columns)


def _content(split: str) -> bytes:
    rows, digest = SPLITS[split]
    file = Published(PACKAGE, VERSION, f"{FOLDER}/{split}.jsonl", rows, digest)

    return from_extra(file, "datasets.llm_routing")


llm_routing = LlmRoutingData()
