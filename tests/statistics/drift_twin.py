"""The drift alarm in plain Python: every gambler as an object, capitals as logarithms."""

import math
from dataclasses import dataclass

import numpy as np


@dataclass
class Gambler:
    capital: float  # its logarithm
    start: int
    size: int
    count: int = 0
    total: float = 0.0

    def bet(self, reward):
        chance = (self.total + 0.5) / (self.count + 1)
        self.capital += reward * math.log(chance) + (1 - reward) * math.log(1 - chance)
        self.count += 1
        self.total += reward


def log_sum(logarithms):
    top = max(logarithms)
    return top + math.log(sum(math.exp(each - top) for each in logarithms))


def merge(gamblers, kept):
    """Merge the two oldest of a size, from the smallest size on, while there are more than `kept` of it."""
    for size in (2**power for power in range(64)):
        of_size = [each for each in gamblers if each.size == size]
        if len(of_size) <= kept:
            return
        older, newer = of_size[:2]
        newer.capital = log_sum([older.capital, newer.capital])
        newer.size *= 2
        gamblers.remove(older)


def capitals(rewards, kept):
    """The logarithm of the whole capital after every reward, and the start of the richest gambler."""
    first = Gambler(0.0, 0, 0)
    others = []
    for n, reward in enumerate(rewards, 1):
        for each in (first, *others):
            each.bet(reward)
        logarithms = [each.capital for each in (first, *others)]
        yield log_sum(logarithms), (first, *others)[int(np.argmax(logarithms))].start
        expects = 1 / (1 + math.log(n))
        expects_later = 1 / (1 + math.log(n + 1))
        others.append(Gambler(first.capital + math.log(1 - expects_later / expects), n, 1))
        first.capital += math.log(expects_later / expects)
        merge(others, kept)


def best_constant(rewards):
    """The logarithm of the capital of the best constant prediction."""
    mean = sum(rewards) / len(rewards)
    if mean in (0.0, 1.0):
        return 0.0
    return len(rewards) * (mean * math.log(mean) + (1 - mean) * math.log(1 - mean))


def watch_twin(rewards, threshold, kept):
    """As `watch`."""
    largest = -math.inf
    for n, (capital, start) in enumerate(capitals(rewards, kept), 1):
        evidence = capital - best_constant(rewards[:n])
        largest = max(largest, evidence)
        if evidence >= threshold:
            return n, True, start, largest
    return len(rewards), False, 0, largest
