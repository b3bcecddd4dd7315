"""What pages say of a claim: its numbers, its verdict, and the sentences below it."""

from collections.abc import Sequence

from mobandits.figures.formatting import digits_after_point, format_number, join_words
from mobandits.figures.page import Table
from mobandits_papers.contents import ClaimEntry, PartEntry, Ruling
from mobandits_papers.formulas.prose import with_formulas
from mobandits_papers.pages.claim_counts import judgement

NAMED = 3  # so many names are listed, more are counted
FEW = 4  # so many numbers of a claim fit into one cell
DIGITS = 3  # of a measured number and its interval
UNKNOWN = "–"
BADGES = {
    "reproduced": "yes",
    "not reproduced": "no",
    "reported": "said",
    "not at the paper's scale": "said",
}
AS_CLAIMED = {True: "yes", False: "no", None: UNKNOWN}


def parts_table(parts: Sequence[PartEntry]) -> Table:
    """A row per number of a claim."""
    rows = []
    for part in parts:
        as_claimed = AS_CLAIMED[part["holds"]]
        trials = str(part["trials"])
        rows.append([with_formulas(part["said"]), measured(part), as_claimed, trials])

    return Table(("number", "mean and interval", "as claimed", "trials"), rows)


def badge_of(claim: ClaimEntry) -> str:
    """The style of a verdict; what is not a verdict is grey, except a violated check.

    Example:
        >>> badge_of({"verdict": "reproduced", "kind": "paper"})
        'yes'
        >>> badge_of({"verdict": "reported", "kind": "check", "holds": False})
        'no'
    """
    # A violated check is a mistake in the program, and stands out.
    if claim["kind"] == "check" and claim["holds"] is False:
        return "no"
    return BADGES[claim["verdict"]]


def shown_numbers(claim: ClaimEntry) -> list[tuple[str, str]]:
    """The numbers to show of a claim, as (name, number).

    These are the one that decides; where no rule decides, all of them, or their range.

    Example:
        >>> number = {"measured": 1.0, "interval": None}
        >>> parts = [{"said": "a", **number}, {"said": "b", **number}]
        >>> shown_numbers({"holds": None, "of": "a", **number, "parts": parts})
        [('a', '1.00'), ('b', '1.00')]
    """
    parts = claim["parts"]
    is_decided = claim["holds"] is not None
    if is_decided or len(parts) < 2:
        deciding = (claim["of"], measured(claim))
        return [deciding, *on_papers_trials(claim)]
    if len(parts) <= FEW:
        return [(part["said"], measured(part)) for part in parts]

    name = f"{len(parts)} numbers, listed on the experiment's page"

    return [(name, range_of(parts))]


def range_of(parts: Sequence[PartEntry]) -> str:
    """The smallest and the largest number of a claim; a dash where none could be read."""
    values = [part["measured"] for part in parts if part["measured"] is not None]
    if not values:
        return UNKNOWN

    # Each end with digits of its own: they may be of different sizes.
    (low,) = rounded([min(values)])
    (high,) = rounded([max(values)])

    return f"{low} to {high}"


def on_papers_trials(claim: ClaimEntry) -> list[tuple[str, str]]:
    """The same on as many trials as the paper has, where a claim is judged on more.

    Example:
        >>> few = {"of": "a less b, d = 5", "measured": 2.0, "interval": None, "trials": 10}
        >>> on_papers_trials({"papers_trials": few}), on_papers_trials({})
        ([('a less b, d = 5, on 10 trials', '2.00')], [])
    """
    few = claim.get("papers_trials")
    if few is None:  # the claim is judged on them
        return []
    return [(f"{few['of']}, on {few['trials']} trials", measured(few))]


def measured(claim: Ruling | PartEntry) -> str:
    """A measured number with its interval; a dash where it could not be read.

    Example:
        >>> measured({"measured": 12.346, "interval": [10.0, 15.0]})
        '12.3 [10.0, 15.0]'
        >>> measured({"measured": None, "interval": None})
        '–'
    """
    value = claim["measured"]
    interval = claim["interval"]
    if value is None:
        return UNKNOWN
    if not interval:
        return rounded([value])[0]

    number, low, high = rounded([value, *interval])

    return f"{number} [{low}, {high}]"


def rounded(values: Sequence[float]) -> list[str]:
    """Numbers with so many digits after the point that the largest one has three in all.

    There are at most five after the point.

    Example:
        >>> rounded([-0.004, 12.346])
        ['0.0', '12.3']
    """
    largest = max(abs(value) for value in values)
    # A zero has no logarithm to count digits with.
    digits = digits_after_point(largest or 1.0, DIGITS, most=5)
    return [format_number(value, digits) for value in values]


def remarks(claim: ClaimEntry) -> str:
    """The sentences below a claim: its notes, and, unless it holds, where and why ours differ.

    Example:
        >>> part = {"said": "b less a", "holds": False, "interval": [-3.0, -1.0]}
        >>> texts = {"note": "", "differs": "Trials are few."}
        >>> claim = {"holds": False, "parts": [part], **texts}
        >>> remarks(claim)
        'The opposite is clear for b less a. Trials are few.'
        >>> remarks(claim | {"holds": True})
        ''
    """
    # The note is always shown; the rest, only of a claim that does not hold.
    sentences = [claim["note"]]
    if claim["holds"] is not True:
        opposite: list[str] = []
        undecided: list[str] = []
        for part in claim["parts"]:
            if part["holds"] is False:
                # An ordering whose whole interval is below 0 is the other way round.
                clear = part["interval"] and part["interval"][1] < 0.0
                (opposite if clear else undecided).append(part["said"])

        if undecided and len(claim["parts"]) > 1:
            sentences.append(f"Not shown for {join_words(first_few(undecided, NAMED))}.")
        if opposite:
            clear_for = join_words(first_few(opposite, NAMED))
            sentences.append(f"The opposite is clear for {clear_for}.")

        sentences.append(claim["differs"])

    return " ".join(filter(None, sentences))


def first_few(names: Sequence[str], most: int) -> list[str]:
    """The first of some names, and how many more there are.

    Example:
        >>> first_few(["a", "b", "c", "d"], 3), first_few(["a"], 3)
        (['a', 'b', 'c', '1 more'], ['a'])
    """
    more = len(names) - most
    return [*names[:most], f"{more} more"] if more > 0 else list(names)


def otherwise(claim: ClaimEntry) -> str:
    """What the paper's own rule for constants, or as many trials, would give, if something else.

    Example:
        >>> claim = {"verdict": "reproduced", "kind": "paper"}
        >>> rule = {"verdict": "not reproduced", "kind": "paper"}
        >>> otherwise(claim | {"papers_rule": rule})
        'with the best constants of the reported trials: not reproduced'
        >>> few = {"verdict": "reported", "kind": "paper", "trials": 10}
        >>> otherwise(claim | {"papers_trials": few})
        'on 10 trials: reported'
    """
    own = judgement(claim)
    others = []
    papers_rule = claim.get("papers_rule")
    if papers_rule is not None and judgement(papers_rule) != own:
        where = "with the best constants of the reported trials"
        others.append(f"{where}: {judgement(papers_rule)}")

    papers_trials = claim.get("papers_trials")
    if papers_trials is not None and judgement(papers_trials) != own:
        others.append(f"on {papers_trials['trials']} trials: {judgement(papers_trials)}")

    return "; ".join(others)
