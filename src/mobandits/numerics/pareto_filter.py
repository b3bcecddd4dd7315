"""The Pareto front of a table: an archive for few arms, a k-d tree for many on or near the front.

`nondominated` is the archive alone: policies call it every round with some ten to some hundred arms, and every policy
that can ask for a front compiles it. `front_of_many` gives all but the strongest arms to the tree when the table is
large: subquadratic, and too much code to compile into every policy. Both see each arm as a point, its row of `values`.

This file needs no other kernel, so that a cached compilation of it is never stale.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask

Marks = NDArray[np.uint8]  # masks in bytes, for arithmetic
BLOCK = 64  # points of the archive compared at a time: enough for vector instructions, few enough to stop early
LEAF = 32  # points in a leaf of the tree, at most
FEW = 250  # up to so many arms the archive alone is the fastest
ARCHIVE = (
    64  # of more arms, so many go through the archive; the rest of the front is the tree's work
)


@kernel
def chosen_objectives(objectives: int, on: IntArray) -> IntArray:
    """The objectives that `on` stands for, without padding."""
    n = 0 if len(on) > 0 else objectives
    for objective in on:
        n += objective >= 0
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = on[i] if len(on) > 0 else i
    return out


@kernel
def nondominated(values: Array, on: IntArray, among: Mask) -> Mask:
    """(arms,) the Pareto front of the arms of `among` in the objectives `on`; equal arms stay or go together.

    At most arms times front comparisons; for tables of thousands of arms on the front see `front_of_many`.
    """
    which = chosen_objectives(values.shape[1], on)
    arms = np.empty(len(values), np.int64)
    size, _ = through_archive(values, which, among, len(values), arms)
    return marked(len(values), arms, size)


def front_of_many(values: Array, on: IntArray) -> Mask:
    """(arms,) what `nondominated` says of all arms, in far fewer comparisons where many are on the front.

    The archive takes the first arms and drops what they dominate; when it is full, the k-d tree sorts out the rest. A
    loop of its own: call it through ``compile_loop(front_of_many)``.
    """
    which = chosen_objectives(values.shape[1], on)
    arms = np.empty(len(values), np.int64)
    among = np.empty(len(values), np.bool_)
    for a in range(len(values)):
        among[a] = True
    room = ARCHIVE if len(values) > FEW and len(which) > 0 else len(values)
    size, later = through_archive(values, which, among, room, arms)
    if later > 0:
        for j in range(later):
            arms[size + j] = arms[len(arms) - later + j]
        size = through_tree(values, which, arms, size + later)
    return marked(len(values), arms, size)


@kernel
def marked(arms: int, members: IntArray, size: int) -> Mask:
    """(arms,) the mask of the first `size` of `members`."""
    out = np.empty(arms, np.bool_)
    for a in range(arms):
        out[a] = False
    for j in range(size):
        out[members[j]] = True
    return out


# --- the archive: the points that nothing has dominated so far


@kernel
def through_archive(  # noqa: C901, PLR0912 - a call per block is too dear
    values: Array, which: IntArray, among: Mask, room: int, arms: IntArray
) -> tuple[int, int]:
    """Compare the arms of `among` one by one with an archive of at most `room` of them, which the survivors join.

    The archive has one row per objective, and a block of it is compared at a time. Whoever dominates moves ahead,
    because strong arms decide most comparisons, and the foremost is asked before all others. A full archive still
    drops whom it dominates, unless it filled up at once: then it is too weak to be worth asking.

    Args:
        values: (arms, objectives).
        which: the objectives that count.
        among: (arms,) the arms that count.
        room: the archive's capacity.
        arms: (arms,) filled: the archive's arms come first, at the end those that found it full.

    Returns:
        How many arms are in the archive, and how many found it full.
    """
    # a literal 0 would compile `drop_beaten` twice
    size = 0 * room
    later = 0
    asked = len(which) > 0
    archive = np.empty((len(which), room))
    point = np.empty(len(which))
    above = np.empty(room, np.uint8)
    below = np.empty(room, np.uint8)
    for a in range(len(values)):
        if not among[a]:
            continue
        beaten = 0
        beats = 0
        first = 0
        less = size == 0
        more = False
        for i in range(len(which)):
            point[i] = values[a, which[i]]
            less |= archive[i, 0] < point[i]
            more |= archive[i, 0] > point[i]
        if more and not less:
            continue
        while first < size and asked and not beaten:
            n = min(BLOCK, size - first)
            # at least, at most `point`
            high = above[first : first + n]
            low = below[first : first + n]
            row = archive[0, first : first + n]
            value = point[0]
            for j in range(n):
                high[j] = row[j] >= value
                low[j] = row[j] <= value
            for i in range(1, len(which)):
                row = archive[i, first : first + n]
                value = point[i]
                for j in range(n):
                    high[j] &= row[j] >= value
                    low[j] &= row[j] <= value
            for j in range(n):
                beaten |= high[j] & (1 - low[j])
                beats |= low[j] & (1 - high[j])
            first += n
        if beaten:  # then arm a dominates nobody in the archive: it would be dominated in turn
            bring_ahead(archive, arms, first - n, above, below)
            continue
        if beats:
            size = drop_beaten(archive, arms, size, above, below)
        if size == room:
            asked &= a >= 3 * room
            later += 1
            arms[len(arms) - later] = a
            continue
        arms[size] = a
        for i in range(len(which)):
            archive[i, size] = point[i]
        size += 1
    return size, later


@kernel
def bring_ahead(archive: Array, arms: IntArray, j: int, above: Marks, below: Marks) -> None:
    """Move the first arm from j on that is marked as dominating halfway to the front of the archive."""
    while above[j] <= below[j]:
        j += 1
    k = j // 2
    arms[j], arms[k] = arms[k], arms[j]
    for i in range(len(archive)):
        archive[i, j], archive[i, k] = archive[i, k], archive[i, j]


@kernel
def drop_beaten(archive: Array, arms: IntArray, size: int, above: Marks, below: Marks) -> int:
    """Remove the arms that are marked as dominated; returns the new size of the archive."""
    kept = 0
    for j in range(size):
        if below[j] > above[j]:
            continue
        arms[kept] = arms[j]
        for i in range(len(archive)):
            archive[i, kept] = archive[i, j]
        kept += 1
    return kept


# --- the tree: a balanced k-d tree whose node v has the children 2 v and 2 v + 1


class Tree(NamedTuple):
    """A k-d tree over some points, whose leaves hold consecutive columns of `points`.

    Attributes:
        points: (objectives, points).
        starts: (leaves + 1,) the column where each leaf starts, and the end.
        top: (2 leaves, objectives) the largest entries of every node's points.
        bottom: (2 leaves, objectives) the smallest ones.
        left: (2 leaves,) how many points of a leaf, children of a node, are not known to be dominated or empty.
    """

    points: Array
    starts: IntArray
    top: Array
    bottom: Array
    left: IntArray


@kernel
def through_tree(values: Array, which: IntArray, arms: IntArray, n: int) -> int:
    """Move those of the first n `arms` that none of them dominates to the front of `arms`; returns how many they are.

    A node can dominate points of another only where none of its largest entries is below, and one is above, the other's
    smallest. Pairs that pass are split, from the root and itself down to pairs of leaves, whose points are compared.
    What is dominated need not dominate, because its dominator does.

    Reference:
        In the spirit of J. L. Bentley, Multidimensional divide-and-conquer, Communications of the ACM 23 (1980).
    """
    tree = plant(values, which, arms, n)
    leaves = len(tree.left) >> 1
    marks = np.empty(LEAF, np.uint8)
    pairs = np.empty((200, 2), np.int64)
    size = 1
    pairs[0, 0] = 1
    pairs[0, 1] = 1
    while size > 0:
        size -= 1
        b = pairs[size, 0]
        a = pairs[size, 1]
        if not may_dominate(tree, b, a):
            continue
        if b >= leaves:
            strike(tree, arms, b, a, marks)
            continue
        for child in range(4):  # the last is the next: the larger half of b first
            pairs[size, 0] = 2 * b + (child >> 1)
            pairs[size, 1] = 2 * a + (child & 1)
            size += 1
    kept = 0
    for j in range(n):
        if arms[j] >= 0:
            arms[kept] = arms[j]
            kept += 1
    return kept


@kernel
def may_dominate(tree: Tree, b: int, a: int) -> bool:
    """Whether a point of node b might dominate a point of node a that is not known to be dominated."""
    more = False
    less = tree.left[b] == 0 or tree.left[a] == 0
    for i in range(tree.top.shape[1]):
        more |= tree.top[b, i] > tree.bottom[a, i]
        less |= tree.top[b, i] < tree.bottom[a, i]
    return more and not less


@kernel
def strike(tree: Tree, arms: IntArray, b: int, a: int, marks: Marks) -> None:  # noqa: C901 - a call per point is too dear
    """Overwrite by -1 the arms of leaf a that a point of leaf b dominates; `marks` is work space."""
    leaves = len(tree.left) >> 1
    points = tree.points
    first = tree.starts[b - leaves]
    last = tree.starts[b - leaves + 1]
    high = marks[: last - first]
    for j in range(tree.starts[a - leaves], tree.starts[a - leaves + 1]):
        less = arms[j] < 0
        for i in range(len(points)):
            less |= tree.top[b, i] < points[i, j]
        if less:
            continue
        row = points[0, first:last]
        value = points[0, j]
        for k in range(len(high)):
            high[k] = row[k] >= value
        for i in range(1, len(points)):
            row = points[i, first:last]
            value = points[i, j]
            for k in range(len(high)):
                high[k] &= row[k] >= value
        beaten = False
        for k in range(len(high)):
            if high[k]:
                for i in range(len(points)):
                    beaten |= points[i, first + k] > points[i, j]
        if beaten:
            arms[j] = -1
            tree.left[a] -= 1
    while a > 1 and tree.left[a] == 0:  # a leaf died, perhaps its parents with it
        a >>= 1
        tree.left[a] -= 1


@kernel
def plant(values: Array, which: IntArray, arms: IntArray, n: int) -> Tree:
    """The tree over the first n `arms`, which it puts in the order of the leaves: medians by one objective a level."""
    levels = 0
    while n > LEAF << levels:
        levels += 1
    leaves = 1 << levels
    points = np.empty((len(which), n))
    key = np.empty(n)
    for level in range(levels):
        objective = which[level % len(which)]
        for j in range(n):
            key[j] = values[arms[j], objective]
        for v in range(1 << level):
            split(key, arms, v * n >> level, (v + 1) * n >> level, (2 * v + 1) * n >> (level + 1))
    starts = np.empty(leaves + 1, np.int64)
    left = np.empty(2 * leaves, np.int64)
    for leaf in range(leaves + 1):
        starts[leaf] = leaf * n >> levels
    for v in range(2 * leaves):
        left[v] = 2 if v < leaves else starts[v - leaves + 1] - starts[v - leaves]
    top = np.empty((2 * leaves, len(which)))
    bottom = np.empty((2 * leaves, len(which)))
    for i in range(len(which)):
        for j in range(n):
            points[i, j] = values[arms[j], which[i]]
        enclose(points[i], starts, top[:, i], bottom[:, i])
    return Tree(points, starts, top, bottom, left)


@kernel
def enclose(row: Array, starts: IntArray, top: Array, bottom: Array) -> None:
    """Fill in the largest and the smallest entry of every node in one objective, from the leaves to the root."""
    leaves = len(starts) - 1
    for v in range(leaves, 2 * leaves):
        high = low = row[starts[v - leaves]]
        for j in range(starts[v - leaves] + 1, starts[v - leaves + 1]):
            high = max(high, row[j])
            low = min(low, row[j])
        top[v] = high
        bottom[v] = low
    for v in range(leaves - 1, 0, -1):
        top[v] = max(top[2 * v], top[2 * v + 1])
        bottom[v] = min(bottom[2 * v], bottom[2 * v + 1])


@kernel
def split(key: Array, arms: IntArray, first: int, last: int, middle: int) -> None:
    """Reorder places `first` to `last` until no key before `middle` is larger than one from there on.

    Quickselect without branches on keys, which no processor could predict.
    """
    while last - first > 1:
        a = key[first]
        b = key[(first + last) >> 1]
        c = key[last - 1]
        pivot = max(min(a, b), min(max(a, b), c))
        below = partition(key, arms, first, last, pivot, False)
        if middle < below:
            last = below
            continue
        first = partition(key, arms, below, last, pivot, True)
        if middle < first or first == below:
            return


@kernel
def partition(key: Array, arms: IntArray, first: int, last: int, pivot: float, equal: bool) -> int:
    """Bring the places whose key is below `pivot` (or equal to it) before the others; returns where these begin."""
    for j in range(first, last):
        value = key[j]
        arm = arms[j]
        key[j] = key[first]
        arms[j] = arms[first]
        key[first] = value
        arms[first] = arm
        first += value < pivot or (equal and value == pivot)
    return first
