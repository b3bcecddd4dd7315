"""The small Open Bandit Dataset: clicks on a shop's items, with the true propensities."""

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mobandits.datasets.dataset import About, Column, DataSet, RecordedObjective
from mobandits.datasets.published import Published, from_user
from mobandits.datasets.tables import indicators
from mobandits.logs import Feedback
from mobandits.support.checks import choice
from mobandits.support.naming import wrong_value

if TYPE_CHECKING:
    import polars as pl

PACKAGE = "obp"
VERSION = "0.4.1"
ROWS = 10_000
ITEMS = {"all": 80, "men": 34, "women": 46}  # the arms of each campaign
# SHA-256 of the files, which are the same in both distributions, in the order of the table.
DIGESTS = {
    ("random", "all"): "7168295b6e0a9eabcf3392320a5dd434e542b68e705d5cd9491499af589812f1",
    ("random", "men"): "ede6d08c6877f99cd3770f7d09e26c738e6aa6de4445ccccfb1356ba5d06b1eb",
    ("random", "women"): "e65f3bd3beb17664fa69cc129bf7bf852a775f8ffa630506e505fc905315bb34",
    ("bts", "all"): "0ad874e4dbf6902f0845dd478ad8dde5ef6903583d3ffaace78411bdad064106",
    ("bts", "men"): "db6d1f7ed2d591ba521533e45286d4c1fba7fe57a8ad2e80342210335f43c527",
    ("bts", "women"): "e5d1b49a39b608585a2f3014a3f54970430cd37a495c1b73fceb85cdf428a5b8",
}
POLICIES = ("random", "bts")
POSITIONS = (1, 2, 3)
USER = tuple(f"user_{i}" for i in range(4))


class OpenBanditSmall(DataSet):
    """Clicks on fashion items that two known policies showed: 6 logs, with true propensities.

    A visitor of a shop sees three items at a time; each is a round of its own. In every campaign
    (all, men, women) a part of the visitors was served by a policy that draws items uniformly, a
    part by Bernoulli Thompson sampling (bts). There are 38 to 69 clicks in a log: few, and
    estimates from them are rough.

    Reference:
        Y. Saito, S. Aihara, M. Matsutani, Y. Narita, Open Bandit Dataset and Pipeline, NeurIPS 2021
        Datasets and Benchmarks; the small version that the Python package obp carries, 0.4.1's
        wheel and 0.5.7's source the same files. Read, never imported: the package does not install
        on current Pythons.

    Example:
        >>> from mobandits.datasets import open_bandit_small
        >>> open_bandit_small.load("no-such-file.whl")
        Traceback (most recent call last):
        ValueError: no-such-file.whl cannot be read: No such file or directory
    """

    references = ("saito2021",)
    about = About(
        name="open_bandit_small",
        title="Clicks on fashion items that two known policies showed: 6 logs, with true"
        " propensities.",
        rows=ROWS * len(DIGESTS),
        columns=(
            Column(
                "policy",
                "text",
                "who chose: uniform at random, or Bernoulli Thompson sampling",
                values=POLICIES,
            ),
            Column(
                "campaign",
                "text",
                "whose items: 80 of all, 34 for men, 46 for women",
                values=tuple(ITEMS),
            ),
            Column("timestamp", "time", "of the impression, 24 to 30 November 2019"),
            Column("item", "integer", "the item that was shown, from 0", least=0),
            Column(
                "position", "integer", "where it was shown: left, centre, right", values=POSITIONS
            ),
            Column("click", "integer", "1 where it was clicked on", values=(0, 1)),
            Column(
                "propensity", "number", "of this item at this position, under the policy", least=0
            ),
            *(Column(name, "text", "a hashed category of the visitor") for name in USER),
            Column(
                "affinity", "numbers", "past clicks of such visitors on each item of the campaign"
            ),
        ),
        arms="the items of a campaign",
        objectives=(RecordedObjective("click", "1 where the item was clicked on"),),
        propensities="recorded: of the item at its position; 1 / items for random, 0.000001 to"
        " 0.9628 for bts",
        licence="Apache-2.0, the distribution's",
        source=f"{PACKAGE} {VERSION} (wheel) or 0.5.7 (source), obp/dataset/obd; Y. Saito et al.,"
        " ZOZO Research",
        obtain=f"pip download --no-deps {PACKAGE}=={VERSION}, then path=<the wheel>",
        derived="names are ours; the six files are one table, in their order; the items' own"
        " features are left out",
    )

    def load(self, path: str | Path | None = None) -> "pl.DataFrame":
        """The table of all six logs.

        Args:
            path: obp's wheel (0.4.1) or source archive (0.5.7), or a folder that holds what is in
                one; None: the installed package.

        Returns:
            60,000 rows: policy, campaign, timestamp (UTC), item, position, click, propensity,
            user_0 to user_3, and affinity, a list with a number for each of the campaign's items.

        Raises:
            ValueError: in one line, where there is no such file or one is not the published one,
                byte for byte.
        """
        import polars as pl  # noqa: PLC0415 - importing the package stays light

        return pl.concat(_log(path, policy, campaign) for policy, campaign in DIGESTS)

    __call__ = load

    def feedback(
        self,
        path: str | Path | None = None,
        *,
        policy: str = "random",
        campaign: str = "all",
        position: int | None = None,
    ) -> Feedback:
        """One of the six logs, as decisions to evaluate other policies on.

        The arms are the campaign's items, the only objective is the click. The propensity is as
        recorded, which is that of the item given its position: so the position belongs to the
        context, or is fixed. The features are indicators of the visitor's four categories, of
        positions 2 and 3 where no position is given, and a constant 1; the first category of each
        kind, in the order of their names in all six logs, is the one without an indicator, so that
        logs of both policies have the same features. The affinities are left out. The three items
        that one visitor saw are three rounds, which are not independent.

        Args:
            path: as in `load`.
            policy: who chose: "random" or "bts".
            campaign: "all", "men" or "women".
            position: only the rounds at this position, 1, 2 or 3; None: all 10,000.

        Raises:
            ValueError: naming parameter, rule and value; and as in `load`.
        """
        choice("open_bandit_small.policy", policy, POLICIES)
        choice("open_bandit_small.campaign", campaign, ITEMS)
        if position is not None and position not in POSITIONS:
            raise wrong_value("open_bandit_small.position must be 1, 2, 3 or None", position)

        table = self.load(path)
        log = table.filter(policy=policy, campaign=campaign)
        if position is not None:
            log = log.filter(position=position)

        columns = []
        for name in USER:
            # Of all six logs: those of both policies must have the same features.
            categories = sorted(table[name].unique())
            columns.append(indicators(log, name, categories))

        if position is None:
            columns.append(indicators(log, "position", POSITIONS))

        constant = np.ones((log.height, 1))
        clicks = log.select("click").to_numpy()

        return Feedback(
            contexts=np.hstack([*columns, constant]),
            arms=log["item"].to_numpy(),
            rewards=clicks.astype(np.float64),
            propensities=log["propensity"].to_numpy(),
            arm_names=tuple(range(ITEMS[campaign])),
            objectives=("click",),
        )


def _log(path: str | Path | None, policy: str, campaign: str) -> "pl.DataFrame":
    import polars as pl  # noqa: PLC0415

    member = f"obp/dataset/obd/{policy}/{campaign}/{campaign}.csv"
    file = Published(PACKAGE, VERSION, member, ROWS, DIGESTS[policy, campaign])
    content = from_user(file, path, "datasets.open_bandit_small")
    raw = pl.read_csv(io.BytesIO(content), infer_schema_length=1000)
    timestamp = pl.col("timestamp").str
    user = [pl.col(f"user_feature_{i}").alias(name) for i, name in enumerate(USER)]
    affinities = [f"user-item_affinity_{i}" for i in range(ITEMS[campaign])]

    return raw.select(
        pl.lit(policy).alias("policy"),
        pl.lit(campaign).alias("campaign"),
        timestamp.to_datetime("%Y-%m-%d %H:%M:%S%.f%z", time_unit="us"),
        pl.col("item_id").alias("item"),
        "position",
        "click",
        pl.col("propensity_score").alias("propensity"),
        *user,
        pl.concat_list(affinities).alias("affinity"),
    )


open_bandit_small = OpenBanditSmall()
