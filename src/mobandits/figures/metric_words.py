"""What each metric means, in a clause, and which of its values is the best."""

from typing import Literal

from mobandits.statistics.metric_traits import traits_of

Best = Literal["lowest", "highest"]

# Here and not at the metrics' classes, because a page is also made from the folder of a run whose
# metrics this process has never seen.
MEANINGS = {
    "adversarial_pareto_regret": (
        "how much must be added to the sums of rewards so that no single arm has larger sums in "
        "every objective"
    ),
    "bin_ratio": "the plays of each bin of the Pareto front",
    "budget_regret": "how much less was earned than by the best mixture of arms that keeps the budget",
    "chain_regret": (
        "the sum of gaps under priority chains, several lexicographic orders side by side: digit "
        "by digit, the first one counts most"
    ),
    "dollars": "the dollars spent so far",
    "effective_pareto_regret": (
        "the sum over rounds of how far the arm that was played lies below what mixtures of arms "
        "reach in every objective at once"
    ),
    "front_plays": "how often each arm of the Pareto front was played",
    "front_recall": "the share of the arms of the Pareto front that were played at least once",
    "front_rounds": "the rounds whose arm was on the Pareto front",
    "hypervolume": "the volume that the mean rewards of the arms played so far dominate",
    "jaccard": "how well the set that arms are drawn from agrees with the true front, from 0 to 1",
    "jain_index": "how evenly the arms of the Pareto front were played: 1 is evenly",
    "level_regret": (
        "the sum of gaps under priority levels, groups of objectives by importance: the first "
        "level counts most"
    ),
    "max_min_regret": (
        "the sum over rounds of how far the worst objective of the arm that was played lies below "
        "the best worst objective of any arm"
    ),
    "objective_regret": (
        "per objective, the sum of what the best arm has more than the one that was played; "
        "negative where it has less"
    ),
    "pareto_regret": (
        "the sum over rounds of the gap of the arm that was played: by how much another arm is "
        "better in every objective at once; zero on the Pareto front, the arms that no other arm "
        "dominates"
    ),
    "play_entropy": "how evenly the arms of the Pareto front were played, from 0, one arm only, to 1, evenly",
    "play_ratio": "the plays of the most played arm of the Pareto front over those of the least played one",
    "plays": "how often each arm was played",
    "reward": "per objective, the sum over rounds of the mean reward of the arm that was played",
    "unfairness": "the variance of the plays of the arms of the Pareto front",
    "violation": "how far a budget was overspent",
}


def meaning_in_words(metric: str) -> str:
    """What a metric means, in a clause; empty of one that is not in `MEANINGS`.

    Example:
        >>> meaning_in_words("plays"), meaning_in_words("time")
        ('how often each arm was played', '')
    """
    if metric.startswith("chain_regret"):  # a family of metrics
        return MEANINGS["chain_regret"]
    return traits_of(metric).meaning or MEANINGS.get(metric, "")


def best_value(metric: str) -> Best | None:
    """Which value of a metric is the best one; None: neither, or it is not known.

    Example:
        >>> best_value("chain_regret_authors"), best_value("reward"), best_value("plays")
        ('lowest', 'highest', None)
    """
    better = traits_of(metric).better
    if better is None:
        return None

    return "lowest" if better == "smaller" else "highest"
