"""The words of pages, each defined in a clause, as in the README's table of words."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Definition(NamedTuple):
    """A word or a symbol, and what it means on a page."""

    word: str
    meaning: str


SYMBOLS: Mapping[str, str] = {
    "K": "arms, the options",
    "d": "features of a context, which is known before the choice",
    "L": "objectives, the rewards of a round; larger is better",
    "T": "rounds",
    "M": "draws per objective of a policy that samples",
    "c": "the scale of a policy's confidence radius: a smaller one explores less",
    "scale": "the factor of a policy's confidence radius: a smaller one explores less",
}
WORDS: Mapping[str, str] = {
    "arm": "an option",
    "objective": "one of the rewards; larger is better",
    "front": (
        "the arms, or policies, that no other one dominates: is at least as good in every "
        "objective, and better in one"
    ),
    "regret": "the sum of the gaps of the arms that were played; a gap is how far an arm is behind",
    "propensity": "the probability with which a policy chose the arm that it played",
    "interval": (
        "where the mean of unlimited trials lies with 95 % confidence; ± is half of its width"
    ),
    "trial": "one run from the first round to the last, with random numbers of its own",
    "mean rank": "the policy's rank in a trial, averaged over the trials; 1 is best",
    "better than ranks": (
        "the ranks of policies that are significantly worse in the same trials: signed-rank tests, "
        "at 5 % for all pairs together"
    ),
    "effective rounds": (
        "how many rounds of the policy's own the log is worth, also called the effective sample "
        "size"
    ),
    "weight": "the policy's probability of the logged arm over its propensity",
}


def definitions(*words: str) -> list[Definition]:
    """The definitions of some words or symbols.

    Example:
        >>> definitions("K", "arm")[1]
        Definition(word='arm', meaning='an option')
    """
    known = {**WORDS, **SYMBOLS}
    return [Definition(word, known[word]) for word in words]


def symbols_in(texts: Iterable[str]) -> list[str]:
    """The symbols of `SYMBOLS` that some texts give numbers to, such as "d = 5", in fixed order.

    Example:
        >>> symbols_in(["MOL-TS, c = 0.1", "K = 20, d = 5"]), symbols_in(["d_p = 1"])
        (['K', 'd', 'c'], [])
    """
    joined = "\n".join(texts)
    # What is part of a longer name, such as d_p, is another symbol.
    given = set(re.findall(r"(?<![\w\\])(\w+) = ", joined))
    return [symbol for symbol in SYMBOLS if symbol in given]
