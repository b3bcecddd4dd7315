"""What each metric means, in a clause, and which of two values of it is better."""

from typing import Literal, NamedTuple

Better = Literal["lowest", "highest"]


class MetricWords(NamedTuple):
    """What a page says of a metric.

    Attributes:
        meaning: a clause; empty: not known, as of metrics of others.
        better: which values are better; None: neither, or it depends.
    """

    meaning: str
    better: Better | None


# Here and not at the metrics' classes, because a page is also made from the folder of a run whose
# metrics this process has never seen.
METRICS = {
    "adversarial_pareto_regret": MetricWords(
        "how much must be added to the sums of rewards so that no single arm has larger sums in "
        "every objective",
        "lowest",
    ),
    "bin_ratio": MetricWords("the plays of each bin of the Pareto front", None),
    "budget_regret": MetricWords(
        "how much less was earned than by the best mixture of arms that keeps the budget", "lowest"
    ),
    "chain_regret": MetricWords(
        "the sum of gaps under priority chains, several lexicographic orders side by side: digit "
        "by digit, the first one counts most",
        "lowest",
    ),
    "dollars": MetricWords("the dollars spent so far", "lowest"),
    "effective_pareto_regret": MetricWords(
        "the sum over rounds of how far the arm that was played lies below what mixtures of arms "
        "reach in every objective at once",
        "lowest",
    ),
    "front_plays": MetricWords("how often each arm of the Pareto front was played", None),
    "front_recall": MetricWords(
        "the share of the arms of the Pareto front that were played at least once", "highest"
    ),
    "front_rounds": MetricWords("the rounds whose arm was on the Pareto front", "highest"),
    "hypervolume": MetricWords(
        "the volume that the mean rewards of the arms played so far dominate", "highest"
    ),
    "jaccard": MetricWords(
        "how well the set that arms are drawn from agrees with the true front, from 0 to 1",
        "highest",
    ),
    "jain_index": MetricWords(
        "how evenly the arms of the Pareto front were played: 1 is evenly", "highest"
    ),
    "level_regret": MetricWords(
        "the sum of gaps under priority levels, groups of objectives by importance: the first "
        "level counts most",
        "lowest",
    ),
    "max_min_regret": MetricWords(
        "the sum over rounds of how far the worst objective of the arm that was played lies below "
        "the best worst objective of any arm",
        "lowest",
    ),
    "objective_regret": MetricWords(
        "per objective, the sum of what the best arm has more than the one that was played; "
        "negative where it has less",
        "lowest",
    ),
    "pareto_regret": MetricWords(
        "the sum over rounds of the gap of the arm that was played: by how much another arm is "
        "better in every objective at once; zero on the Pareto front, the arms that no other arm "
        "dominates",
        "lowest",
    ),
    "play_entropy": MetricWords(
        "how evenly the arms of the Pareto front were played, from 0, one arm only, to 1, evenly",
        "highest",
    ),
    "play_ratio": MetricWords(
        "the plays of the most played arm of the Pareto front over those of the least played one",
        "lowest",
    ),
    "plays": MetricWords("how often each arm was played", None),
    "reward": MetricWords(
        "per objective, the sum over rounds of the mean reward of the arm that was played",
        "highest",
    ),
    "unfairness": MetricWords(
        "the variance of the plays of the arms of the Pareto front", "lowest"
    ),
    "violation": MetricWords("how far a budget was overspent", "lowest"),
}
NO_WORDS = MetricWords("", None)


def words_of(metric: str) -> MetricWords:
    """What a page says of a metric; nothing of one that is not in `METRICS`.

    Example:
        >>> words_of("chain_regret_authors").better, words_of("time")
        ('lowest', MetricWords(meaning='', better=None))
    """
    if metric.startswith("chain_regret"):  # a family of metrics
        return METRICS["chain_regret"]
    return METRICS.get(metric, NO_WORDS)
