"""The arms of an agent that are on the Pareto front, and those that can be dropped."""

import numpy as np

from mobandits.identification import certify
from mobandits.logs.address import Place
from mobandits.logs.objectives import Objective
from mobandits.logs.store.connection import reading
from mobandits_client.messages import ArmCertificate, CertificateQuery
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.rollup_reading import RolledSums, agent_numbers, arm_names, sums_between

ROUNDING = 1e-9
FOREVER = 2**52  # minutes
GROUPS = ("inside", "outside", "undecided", "front")  # of arms


def certificate_of(path: Place, hosted: HostedAgent, query: CertificateQuery) -> ArmCertificate:
    """The certificate of an agent's present arms, by the sums of its rewards; see `certify`.

    Objectives are compared in shares of their ranges, or of [0, 1] where they have none. The sums
    have a reward a second after it came, and go on having it when its decision is deleted, or the
    reward is corrected.

    Args:
        path: of the store.
        hosted: the agent.
        query: what is asked.

    Raises:
        ValueError: where rewards lie outside of that range.
    """
    core = hosted.agent.core
    present = core.arms.names
    objectives = core.objectives
    with reading(path) as connection:
        number = agent_numbers(connection)[hosted.name]
        names = arm_names(connection, number)
        sums = sums_between(connection, number, 0, FOREVER, FOREVER)

    rewards = {(names[each.arm], each.objective): each for each in sums}
    shape = (len(present), len(objectives))
    counts = np.zeros(shape)
    means = np.zeros(shape)
    for l, objective in enumerate(objectives):
        for a, arm in enumerate(present):
            observed = rewards.get((arm, objective.name))
            if observed is not None:
                counts[a, l] = observed.n
                means[a, l] = _mean_share(objective, observed)

    found = certify(counts, means, delta=query.delta, epsilon=query.epsilon, names=present)

    arms = {group: [str(arm) for arm in getattr(found, group)] for group in GROUPS}

    return ArmCertificate(**arms, rounds=found.rounds, delta=found.delta, epsilon=found.epsilon)


def _mean_share(objective: Objective, rewards: RolledSums) -> float:
    """The mean reward of an arm, from 0 at the worst end of the range to 1 at the best."""
    low, high = objective.bounded_range
    width = high - low
    mean = (rewards.total / rewards.n - low) / width
    mean_square = (rewards.squares - 2.0 * low * rewards.total) / rewards.n + low * low
    mean_square /= width * width
    # Of numbers in [0, 1] no square is larger than the number.
    if not mean_square <= mean + ROUNDING:
        rule = f"in [{low:g}, {high:g}], or have another range"
        raise ValueError(f"rewards of {objective.name} must lie {rule}, got others")

    return 1.0 - mean if objective.minimise else mean
