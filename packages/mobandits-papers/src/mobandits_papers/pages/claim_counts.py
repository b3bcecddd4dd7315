"""Claims by kind: what each of them came to, in words, and how many came to what."""

from collections import Counter
from collections.abc import Mapping, Sequence

from mobandits.figures.words import Definition
from mobandits_papers.contents import ClaimEntry, ClaimKind, ExperimentSummary, Ruling, Verdict
from mobandits_papers.publications import paper_of

# How many claims of a kind hold, do not hold, have no rule that decides.
Counts = tuple[int, int, int]

KINDS: dict[ClaimKind, str] = {
    "paper": "the paper's",
    "extension": "extensions",
    "ours": "ours",
    "stand-in": "stand-ins",
    "check": "checks",
}
MEANING = (
    "Reproduced, not reproduced and reported are the papers' own claims. The other columns have "
    "how many hold / do not hold / have no rule that decides: extensions are sentences of a paper "
    "on one figure, asked of another one or of another policy, or under another reading of what it "
    "leaves open; ours are statements that no paper makes; stand-ins are claims on data that are not here, asked of "
    "synthetic data; checks are theorems and identities, which no data can contradict."
)
# The same, one by one, for pages that have claims of some kinds only.
KIND_MEANINGS: Mapping[ClaimKind, str] = {
    "extension": (
        "a sentence of the paper on one figure, asked of another one or of another policy, or under "
        "another reading of what it leaves open"
    ),
    "ours": "a statement that no paper makes",
    "stand-in": "a claim on data that are not here, asked of synthetic data",
    "check": "a theorem or an identity, which no data can contradict",
}
VERDICT_MEANINGS: Mapping[Verdict, str] = {
    "reproduced": (
        "the whole 95 % interval over trials lies on the side that the paper claims, or its "
        "percentage is within 3 points"
    ),
    "not reproduced": "some part of the claim is not so here",
    "reported": "the paper leaves the claim too open for a rule to decide",
    "not at the paper's scale": (
        "the claim fails after fewer rounds than the paper has, which does not contradict it"
    ),
}
# A table has a column for each of them; what is not at the paper's scale is counted as reported.
COLUMNS: tuple[Verdict, ...] = ("reproduced", "not reproduced", "reported")
RULED = {True: "holds", False: "does not hold", None: "no rule decides"}
# What no data can contradict is violated by a mistake in the program.
CHECKED = {True: "holds", False: "violated", None: "no rule decides"}
HEADER = (
    "paper",
    "experiments",
    *COLUMNS,
    *(name for kind, name in KINDS.items() if kind != "paper"),
    "time of its experiments",
)


def judgement(claim: Ruling) -> str:
    """The verdict of a paper's own claim; of another one its kind, and what the rule gave.

    Example:
        >>> judgement({"verdict": "reproduced", "kind": "paper"})
        'reproduced'
        >>> judgement({"verdict": "reported", "kind": "check", "holds": True})
        'check: holds'
    """
    kind = claim["kind"]
    if kind == "paper":
        return claim["verdict"]

    words = CHECKED if kind == "check" else RULED

    ruled = words[claim["holds"]]

    return f"{kind}: {ruled}"


def group_of(claim: Ruling) -> str:
    """What readers choose claims by: the verdict of a paper's own claim, or what the rule gave.

    Example:
        >>> group_of({"verdict": "reproduced", "kind": "paper"})
        'reproduced'
        >>> group_of({"verdict": "reported", "kind": "check", "holds": False})
        'does not hold'
    """
    if claim["kind"] == "paper":
        return claim["verdict"]
    return RULED[claim["holds"]]


def count_by_group(claims: Sequence[ClaimEntry]) -> dict[str, int]:
    """How many claims there are of each group that has some, those of papers first.

    Example:
        >>> ours = {"verdict": "reported", "kind": "ours", "holds": True}
        >>> count_by_group([ours, {"verdict": "reproduced", "kind": "paper"}])
        {'reproduced': 1, 'holds': 1}
    """
    counts = Counter(map(group_of, claims))
    return {
        group: counts[group] for group in (*VERDICT_MEANINGS, *RULED.values()) if group in counts
    }


def words_of_claims(claims: Sequence[ClaimEntry]) -> list[Definition]:
    """The verdicts and kinds of some claims, with what they mean.

    Example:
        >>> words_of_claims([{"verdict": "reported", "kind": "ours", "holds": True}])
        [Definition(word='ours', meaning='a statement that no paper makes')]
    """
    verdicts = {claim["verdict"] for claim in claims if claim["kind"] == "paper"}
    kinds = {claim["kind"] for claim in claims}
    return [
        *(
            Definition(each, VERDICT_MEANINGS[each])
            for each in VERDICT_MEANINGS
            if each in verdicts
        ),
        *(Definition(KINDS[each], KIND_MEANINGS[each]) for each in KIND_MEANINGS if each in kinds),
    ]


def count_by_kind(claims: Sequence[ClaimEntry]) -> dict[ClaimKind, Counts]:
    """How many claims of each kind hold, do not hold, have no rule that decides.

    Example:
        >>> answers = [True, None]
        >>> count_by_kind([{"kind": "paper", "holds": answer} for answer in answers])["paper"]
        (1, 0, 1)
    """
    answers = Counter((claim["kind"], claim["holds"]) for claim in claims)
    # Every kind has a column, also one that no claim has.
    return {
        kind: (answers[kind, True], answers[kind, False], answers[kind, None]) for kind in KINDS
    }


def counted(claims: Sequence[ClaimEntry]) -> str:
    """How many of the paper's own claims have which verdict, and what other kinds came to.

    Example:
        >>> ours = {"verdict": "reported", "kind": "ours", "holds": True}
        >>> papers = {"verdict": "reproduced", "kind": "paper", "holds": True}
        >>> counted([papers, ours])
        '1 reproduced. Ours: 1 holds.'
    """
    # The paper's own claims first; what other kinds came to is said in sentences of their own.
    sentences = []
    for kind, counts in count_by_kind(claims).items():
        if not any(counts):
            continue
        if kind == "paper":
            verdicts = Counter(claim["verdict"] for claim in claims if claim["kind"] == kind)
            names = tuple(VERDICT_MEANINGS)
            words = _counts_in_words([verdicts[name] for name in names], names, names)
            sentences.append(f"{words}.")
        else:
            singular = ("holds", "does not", "without a rule")
            plural = ("hold", "do not", "without a rule")
            words = _counts_in_words(counts, singular, plural)
            sentences.append(f"{KINDS[kind].capitalize()}: {words}.")

    return " ".join(sentences) or "none."


def _counts_in_words(counts: Sequence[int], singular: Sequence[str], plural: Sequence[str]) -> str:
    words = []
    for count, one, several in zip(counts, singular, plural, strict=True):
        if count:
            words.append(f"{count} {one if count == 1 else several}")

    return ", ".join(words)


def claims_of(name: str, claims: Sequence[ClaimEntry]) -> list[ClaimEntry]:
    """The claims of one paper, or of one experiment.

    Example:
        >>> claims = [{"id": "p/x/low"}, {"id": "p/x2/low"}, {"id": "p2/x/low"}]
        >>> claims_of("p", claims), claims_of("p/x", claims)
        ([{'id': 'p/x/low'}, {'id': 'p/x2/low'}], [{'id': 'p/x/low'}])
    """
    # With the slash, or one name could begin like another.
    return [claim for claim in claims if claim["id"].startswith(f"{name}/")]


def experiments_by_paper(
    experiments: Sequence[ExperimentSummary],
) -> dict[str, list[ExperimentSummary]]:
    """{paper: its experiments}, in order."""
    papers: dict[str, list[ExperimentSummary]] = {}
    for one in experiments:
        papers.setdefault(paper_of(one["experiment"]), []).append(one)

    return papers


def by_paper(
    claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]
) -> list[list[str]]:
    """The rows below `HEADER`: one per paper, and one for all of them.

    Args:
        claims: entries of claims.json.
        experiments: `experiment` and `seconds` of each, from the manifest.

    Example:
        >>> claim = {"id": "a/x/low", "verdict": "reproduced", "kind": "paper", "holds": True}
        >>> by_paper([claim], [{"experiment": "a/x", "seconds": 90.0}])[0]
        ['a', '1', '1', '0', '0', '–', '–', '–', '–', '1.5 min']
    """
    rows = []
    for paper, own in experiments_by_paper(experiments).items():
        rows.append(_row(paper, claims_of(paper, claims), own))

    rows.append(_row("all", claims, experiments))

    return rows


def _row(
    name: str, claims: Sequence[ClaimEntry], experiments: Sequence[ExperimentSummary]
) -> list[str]:
    cells = [name, str(len(experiments))]
    for kind, counts in count_by_kind(claims).items():
        if kind == "paper":  # which has a column per verdict
            cells += map(str, counts)
        else:
            cells.append(_with_slashes(counts))

    minutes = sum(one["seconds"] for one in experiments) / 60.0
    cells.append(f"{minutes:.1f} min")

    return cells


def _with_slashes(counts: Counts) -> str:
    if not any(counts):
        return "–"
    return " / ".join(map(str, counts))
