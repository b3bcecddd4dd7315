"""Claims by kind: what each of them came to, in words, and how many came to what."""

from collections.abc import Mapping, Sequence
from typing import Any

KINDS = {
    "paper": "the paper's",
    "extension": "extensions",
    "ours": "ours",
    "stand-in": "stand-ins",
    "check": "checks",
}
MEANING = (
    "Reproduced, not reproduced and reported are the papers' own claims. The other columns have "
    "how many hold / do not hold / have no rule that decides: extensions are sentences of a paper "
    "on one figure, asked of another one; ours are statements that no paper makes; stand-ins are "
    "claims on data that are not here, asked of synthetic data; checks are theorems and "
    "identities, which no data can contradict."
)
HOLDS: Mapping[str, bool | None] = {"reproduced": True, "not reproduced": False, "reported": None}
RULED = {True: "holds", False: "does not hold", None: "no rule decides"}
CHECKED = RULED | {False: "violated"}


def kind_of(claim: Mapping[str, Any]) -> str:
    """The kind of a claim; files of earlier versions do not name it."""
    return str(claim.get("kind", "paper"))


def holds(claim: Mapping[str, Any]) -> bool | None:
    """What the rule of a claim gave; files of earlier versions have the verdict only.

    Example:
        >>> holds({"verdict": "reported", "kind": "ours", "holds": True})
        True
        >>> holds({"verdict": "not reproduced"})
        False
    """
    found: bool | None = claim.get("holds", HOLDS[claim["verdict"]])
    return found


def judgement(claim: Mapping[str, Any]) -> str:
    """The verdict of a paper's own claim; of another one its kind, and what the rule gave.

    Example:
        >>> judgement({"verdict": "reproduced"})
        'reproduced'
        >>> judgement({"verdict": "reported", "kind": "check", "holds": True})
        'check: holds'
    """
    kind = kind_of(claim)
    if kind == "paper":
        return str(claim["verdict"])
    if claim["verdict"] != "reported":  # a stand-in that decides whatever the data
        return f"{kind}: {claim['verdict']}"
    words = CHECKED if kind == "check" else RULED
    return f"{kind}: {words[holds(claim)]}"


def tally(claims: Sequence[Mapping[str, Any]]) -> dict[str, tuple[int, int, int]]:
    """{kind: how many claims of the kind hold, do not hold, have no rule that decides}.

    Example:
        >>> tally([{"verdict": "reproduced"}, {"verdict": "reported"}])["paper"]
        (1, 0, 1)
    """
    found = {}
    for kind in KINDS:
        given = [holds(claim) for claim in claims if kind_of(claim) == kind]
        found[kind] = (given.count(True), given.count(False), given.count(None))
    return found


def counted(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many of the paper's own claims have which verdict, and what other kinds came to.

    Example:
        >>> ours = {"verdict": "reported", "kind": "ours", "holds": True}
        >>> counted([{"verdict": "reproduced"}, {"verdict": "reported"}, ours])
        '1 reproduced, 1 reported. Ours: 1 holds.'
    """
    counts = tally(claims)
    own = _listed(counts.pop("paper"), tuple(HOLDS), tuple(HOLDS))
    one = ("holds", "does not", "without a rule")
    many = ("hold", "do not", "without a rule")
    others = [
        f"{KINDS[kind].capitalize()}: {_listed(numbers, one, many)}."
        for kind, numbers in counts.items()
        if any(numbers)
    ]
    first = [f"{own}."] if own else []
    return " ".join(first + others) or "none."


def _listed(numbers: Sequence[int], one: Sequence[str], many: Sequence[str]) -> str:
    words = [
        f"{number} {singular if number == 1 else plural}"
        for number, singular, plural in zip(numbers, one, many, strict=True)
        if number
    ]
    return ", ".join(words)


HEADER = (
    "paper",
    "experiments",
    *HOLDS,
    *(KINDS[kind] for kind in KINDS if kind != "paper"),
    "time of its experiments",
)


def by_paper(
    claims: Sequence[Mapping[str, Any]],
    experiments: Sequence[Mapping[str, Any]],
) -> list[list[str]]:
    """The rows below `HEADER`: one per paper, and one for all of them.

    Args:
        claims: entries of claims.json.
        experiments: `experiment` and `seconds` of each, from the manifest.

    Example:
        >>> claim = {"id": "a/x/low", "verdict": "reproduced"}
        >>> by_paper([claim], [{"experiment": "a/x", "seconds": 90.0}])[0]
        ['a', '1', '1', '0', '0', '–', '–', '–', '–', '1.5 min']
    """
    papers = dict.fromkeys(one["experiment"].partition("/")[0] for one in experiments)
    rows = []
    for paper in papers:
        start = f"{paper}/"
        of_paper = [one for one in experiments if one["experiment"].startswith(start)]
        rows.append(_row(paper, [one for one in claims if one["id"].startswith(start)], of_paper))
    return [*rows, _row("all", claims, experiments)]


def _row(
    name: str,
    claims: Sequence[Mapping[str, Any]],
    experiments: Sequence[Mapping[str, Any]],
) -> list[str]:
    counts = tally(claims)
    own = [str(number) for number in counts.pop("paper")]
    others = [_three(numbers) for numbers in counts.values()]
    minutes = sum(one["seconds"] for one in experiments) / 60.0
    return [name, str(len(experiments)), *own, *others, f"{minutes:.1f} min"]


def _three(numbers: Sequence[int]) -> str:
    return " / ".join(str(number) for number in numbers) if any(numbers) else "–"
