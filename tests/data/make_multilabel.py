"""Writes multilabel.csv: 600 invented examples with four features and three labels, common to rare.

python tests/data/make_multilabel.py
"""

from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "multilabel.csv"
LABELS = ("common", "usual", "rare")


def lines():
    rng = np.random.default_rng(14)
    features = rng.standard_normal((600, 4))
    scores = features @ rng.standard_normal((4, 3)) + [1.0, 0.0, -3.0]
    labels = (rng.random((600, 3)) < 1 / (1 + np.exp(-2 * scores))).astype(int)
    yield "length,weight,width,age,common,usual,rare\n"
    for row, belongs in zip(features.round(3), labels, strict=True):
        yield ",".join(map(str, [*row.tolist(), *belongs.tolist()])) + "\n"


if __name__ == "__main__":
    FILE.write_text("".join(lines()))
