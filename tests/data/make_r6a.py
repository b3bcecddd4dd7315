"""Writes r6a_sample.gz: invented events in the public line format of Yahoo! Webscope R6A. No line of it is Yahoo!'s.

python tests/data/make_r6a.py
"""

import gzip
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent / "r6a_sample.gz"
EVENTS = 400
MALFORMED = {  # line number: what is wrong with it
    7: "the displayed article has no features",
    20: "another article has no features, which does no harm",
    33: "the user has no features",
    100: "the user has five features",
    150: "the displayed article is not in the pool",
    151: "a feature is not a number",
    200: "the click is not 0 or 1",
    399: "an empty line",
}


def pairs(values):
    """Six pairs; the constant 1 has index 1 and comes last."""
    return " ".join(
        f"{i}:{value:.6f}" for i, value in zip((2, 3, 4, 5, 6, 1), (*values, 1.0), strict=True)
    )


def lines():
    rng = np.random.default_rng(2009)
    articles = {109500 + 7 * k: pairs(row) for k, row in enumerate(rng.dirichlet(np.ones(5), 12))}
    for number in range(EVENTS):
        pool = [int(name) for name in rng.choice(list(articles), 4, replace=False)]
        shown, click, user = pool[0], int(rng.random() < 0.1), pairs(rng.dirichlet(np.full(5, 0.2)))
        texts = {name: articles[name] for name in sorted(pool)}
        if number == 7:
            texts[shown] = ""
        if number == 20:
            texts[pool[1]] = ""
        if number == 33:
            user = ""
        if number == 100:
            user = user.partition(" ")[2]
        if number == 150:
            del texts[shown]
        if number == 151:
            texts[shown] = texts[shown].replace("2:", "2:x", 1)
        if number == 200:
            click = 2
        line = f"{1241160900 + 3 * number} {shown} {click} |user {user} "
        line += " ".join(f"|{name} {text}" for name, text in texts.items())
        yield ("" if number == 399 else line) + "\n"


if __name__ == "__main__":
    with FILE.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
        file.write("".join(lines()).encode())
