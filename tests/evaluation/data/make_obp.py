"""Writes obp.json: a small log, and what the estimators of Open Bandit Pipeline 0.5.7 say of two targets on it.

    pip download --no-deps --no-binary :all: --ignore-requires-python obp==0.5.7
    tar xf obp-0.5.7.tar.gz
    python tests/evaluation/data/make_obp.py obp-0.5.7

Python 3.10 with numpy 1.26.4, pandas 1.5.3, scipy 1.11.4, scikit-learn 1.1.3 and tqdm 4.70.1 runs it; torch, which only
other parts of the pipeline need, is replaced by nothing.
"""

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import numpy as np

FILE = Path(__file__).parent / "obp.json"
ROUNDS, ARMS, SEED, CLIP, THRESHOLD = 120, 4, 20231, 2.5, 3.0


def make_log():
    """Rounded to 6 decimals, so that the file holds exactly what was used."""
    rng = np.random.default_rng(SEED)
    logging = np.round(rng.dirichlet(np.full(ARMS, 2.0), ROUNDS), 6) * 0.8 + 0.05
    logging[:, -1] = 1.0 - logging[:, :-1].sum(1)
    target = np.round(rng.dirichlet(np.full(ARMS, 0.5), ROUNDS), 6)
    target[:, -1] = 1.0 - target[:, :-1].sum(1)
    target = np.round(target, 6)
    arms = np.array([rng.choice(ARMS, p=row) for row in logging])
    means = np.round(rng.random((ROUNDS, ARMS)), 6)
    rewards = np.round(means[np.arange(ROUNDS), arms] + rng.normal(scale=0.3, size=ROUNDS), 6)
    predictions = np.round(means + rng.normal(scale=0.2, size=(ROUNDS, ARMS)), 6)
    propensities = np.round(logging[np.arange(ROUNDS), arms], 6)
    fixed = np.eye(ARMS)[rng.integers(0, ARMS, ROUNDS)]
    tables = {
        "arms": arms,
        "rewards": rewards,
        "propensities": propensities,
        "predictions": predictions,
    }
    return tables, {"random": target, "fixed": fixed}


def main(source):
    package = ModuleType("obp")  # without what its __init__ imports: policies need torch
    package.__path__ = [str(Path(source) / "obp")]
    sys.modules |= {"obp": package, "torch": ModuleType("torch")}
    sys.modules["torch"].tensor = sys.modules["torch"].Tensor = object
    ope = importlib.import_module("obp.ope.estimators")

    estimators = {
        "ips": ope.InverseProbabilityWeighting(),
        "ips, clipped": ope.InverseProbabilityWeighting(lambda_=CLIP),
        "snips": ope.SelfNormalizedInverseProbabilityWeighting(),
        "dm": ope.DirectMethod(),
        "dr": ope.DoublyRobust(),
        "dr, clipped": ope.DoublyRobust(lambda_=CLIP),
        "switch-dr": ope.SwitchDoublyRobust(lambda_=THRESHOLD),
        "replay": ope.ReplayMethod(),
    }
    log, targets = make_log()
    values = {}
    for target, law in targets.items():
        given = {
            "reward": log["rewards"],
            "action": log["arms"],
            "pscore": log["propensities"],
            "action_dist": law[:, :, None],
            "estimated_rewards_by_reg_model": log["predictions"][:, :, None],
        }
        values[target] = {
            name: float(estimator.estimate_policy_value(**given))
            for name, estimator in estimators.items()
            if target == "fixed"
            or name != "replay"  # theirs takes rounds where the target is certain
        }
    content = {
        "made by": "obp 0.5.7, tests/evaluation/data/make_obp.py",
        "clip": CLIP,
        "threshold": THRESHOLD,
        "log": {name: table.tolist() for name, table in log.items()},
        "targets": {name: table.tolist() for name, table in targets.items()},
        "values": values,
    }
    FILE.write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
