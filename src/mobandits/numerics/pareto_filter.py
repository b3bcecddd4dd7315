"""The Pareto front of a table: an archive for few arms, a k-d tree for many on or near the front.

`nondominated` is the archive alone: policies call it every round with some ten to some hundred
arms, and every policy that can ask for a front compiles it. `front_of_many` gives all but the
strongest arms to the tree when the table is large: subquadratic, and too much code to compile into
every policy. Both see each arm as a point, its row of `values`, and of a large table only the
contenders.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask
from mobandits.numerics.dominance_prefilter import MANY, contenders

# Masks in bytes, for arithmetic: truth values would be branches.
Marks = NDArray[np.uint8]
# Points of the archive compared at a time: enough for vector instructions, few enough to stop
# early.
BLOCK = 64
# Points in a leaf of the tree, at most: below, comparing all pairs is faster than splitting
# further.
LEAF = 32
# Up to so many arms the archive alone is the fastest.
FEW = 250
# Of more arms, so many go through the archive; the rest of the front is the tree's work.
ARCHIVE = 64


@kernel
def chosen_objectives(objectives: int, on: IntArray) -> IntArray:
    """The objectives that `on` stands for, without padding."""
    every = len(on) == 0
    n = objectives if every else 0
    for objective in on:
        n += objective >= 0

    out = np.empty(n, np.int64)
    # Padding is at the end, so the first n entries are the objectives.
    for i in range(n):
        out[i] = i if every else on[i]

    return out


@kernel
def nondominated(values: Array, on: IntArray, among: Mask) -> Mask:
    """(arms,) the Pareto front of the arms of `among` in the objectives `on`.

    Equal arms stay or go together. At most arms times front comparisons; for tables of thousands of
    arms on the front see `front_of_many`.
    """
    count = len(values)
    which = chosen_objectives(values.shape[1], on)
    arms = np.empty(count, np.int64)
    if count >= MANY:
        among = contenders(values, which, among)

    # Room for all: nothing finds the archive full.
    size, _ = through_archive(values, which, among, count, arms)

    return mask_of(count, arms, size)


def front_of_many(values: Array, on: IntArray) -> Mask:
    """(arms,) the front that `nondominated` finds, in far fewer comparisons where it is large.

    The archive takes the first arms and drops what they dominate; when it is full, the k-d tree
    sorts out the rest. A loop of its own: call it through ``compile_loop(front_of_many)``.
    """
    which = chosen_objectives(values.shape[1], on)
    arms = np.empty(len(values), np.int64)
    among = np.empty(len(values), np.bool_)
    for a in range(len(values)):
        among[a] = True

    if len(values) >= MANY:
        among = contenders(values, which, among)

    is_large = len(values) > FEW and len(which) > 0
    room = ARCHIVE if is_large else len(values)
    size, later = through_archive(values, which, among, room, arms)
    if later > 0:
        # The tree gets the archive's arms too: once nothing is compared with a weak archive any
        # more, arms of either kind may dominate the other.
        for j in range(later):
            arms[size + j] = arms[len(arms) - later + j]

        size = through_tree(values, which, arms, size + later)

    return mask_of(len(values), arms, size)


@kernel
def mask_of(arms: int, members: IntArray, size: int) -> Mask:
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
    """Compare the arms of `among` one by one with an archive, which the survivors join.

    The archive has one row per objective, and a block of it is compared at a time. An arm that
    dominates another moves ahead, because strong arms decide most comparisons, and the foremost is
    compared before all others. A full archive still drops the arms that it dominates, unless it
    filled up at once: then it is too weak to be worth comparing with.

    Args:
        values: (arms, objectives).
        which: the objectives that count.
        among: (arms,) the arms that count.
        room: the archive's capacity.
        arms: (arms,) filled: the archive's arms come first, at the end those that came when it was
            full.

    Returns:
        How many arms are in the archive, and how many came when it was full.
    """
    objectives = len(which)
    # A literal 0 would compile `drop_dominated` twice.
    size = 0 * room
    later = 0
    # Without objectives nothing dominates: all arms are equal.
    compared = objectives > 0
    archive = np.empty((objectives, room))
    point = np.empty(objectives)
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
        for i in range(objectives):
            point[i] = values[a, which[i]]
            less |= archive[i, 0] < point[i]
            more |= archive[i, 0] > point[i]

        if more and not less:
            continue

        while first < size and compared and not beaten:
            n = min(BLOCK, size - first)
            # For each point of the block: whether it is nowhere less, nowhere more than this arm.
            # The first objective fills the marks, so that nothing has to be reset.
            high = above[first : first + n]
            low = below[first : first + n]
            row = archive[0, first : first + n]
            value = point[0]
            for j in range(n):
                high[j] = row[j] >= value
                low[j] = row[j] <= value

            for i in range(1, objectives):
                row = archive[i, first : first + n]
                value = point[i]
                for j in range(n):
                    high[j] &= row[j] >= value
                    low[j] &= row[j] <= value

            # An equal point is marked in both, and neither beats the other.
            for j in range(n):
                beaten |= high[j] & (1 - low[j])
                beats |= low[j] & (1 - high[j])

            first += n

        if beaten:
            # Arm a dominates nothing in the archive: it would be dominated in turn, by what
            # dominates arm a.
            move_ahead(archive, arms, first - n, above, below)
            continue

        if beats:
            size = drop_dominated(archive, arms, size, above, below)
        if size == room:
            # Of fewer arms than three times its size: it hardly dominates any.
            compared &= a >= 3 * room
            later += 1
            arms[len(arms) - later] = a
            continue

        arms[size] = a
        for i in range(objectives):
            archive[i, size] = point[i]

        size += 1

    return size, later


@kernel
def move_ahead(archive: Array, arms: IntArray, j: int, above: Marks, below: Marks) -> None:
    """Move the first arm from j on that is marked as dominating halfway to the front."""
    while above[j] <= below[j]:
        j += 1

    # Halfway, and not to the front: one lucky arm would displace one that has proved itself.
    k = j // 2
    arms[j], arms[k] = arms[k], arms[j]
    for i in range(len(archive)):
        archive[i, j], archive[i, k] = archive[i, k], archive[i, j]


@kernel
def drop_dominated(archive: Array, arms: IntArray, size: int, above: Marks, below: Marks) -> int:
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
        left: (2 leaves,) how many points of a leaf, children of a node, are not known to be
            dominated or empty.
    """

    points: Array
    starts: IntArray
    top: Array
    bottom: Array
    left: IntArray


@kernel
def through_tree(values: Array, which: IntArray, arms: IntArray, n: int) -> int:
    """Move those of the first n `arms` that none of them dominates to the front of `arms`.

    A node can dominate points of another only where none of its largest entries is below, and one
    is above, the other's smallest. Pairs that pass are split, from the root and itself down to
    pairs of leaves, whose points are compared. What is dominated need not dominate, because its
    dominator does.

    Returns:
        How many they are.

    Reference:
        In the spirit of J. L. Bentley, Multidimensional divide-and-conquer, Communications of the
        ACM 23 (1980).
    """
    tree = build_tree(values, which, arms, n)
    leaves = len(tree.left) >> 1
    marks = np.empty(LEAF, np.uint8)
    # The stack of pairs still to be looked at. A pair leaves at most three behind on each of at
    # most 63 levels, so it cannot overflow.
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
        # All leaves are on one level, so a is a leaf where b is.
        if b >= leaves:
            mark_dominated(tree, arms, b, a, marks)
            continue

        # The last child pair is the next: the larger half of b first, which dominates most.
        for child in range(4):
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
    """Whether a point of node b might dominate one of node a that is not known to be dominated."""
    objectives = tree.top.shape[1]
    more = False
    # Where one of the two has no points left, the answer is no.
    less = tree.left[b] == 0 or tree.left[a] == 0
    for i in range(objectives):
        largest = tree.top[b, i]
        smallest = tree.bottom[a, i]
        more |= largest > smallest
        less |= largest < smallest

    return more and not less


@kernel
def mark_dominated(  # noqa: C901 - a call per point is too dear
    tree: Tree, arms: IntArray, b: int, a: int, marks: Marks
) -> None:
    """Overwrite by -1 the arms of leaf a that leaf b dominates; `marks` is work space."""
    leaves = len(tree.left) >> 1
    points = tree.points
    objectives = len(points)
    first = tree.starts[b - leaves]
    last = tree.starts[b - leaves + 1]
    high = marks[: last - first]
    for j in range(tree.starts[a - leaves], tree.starts[a - leaves + 1]):
        # The box of leaf b settles most points, and those that are marked already.
        less = arms[j] < 0
        for i in range(objectives):
            less |= tree.top[b, i] < points[i, j]

        if less:
            continue

        row = points[0, first:last]
        value = points[0, j]
        for k in range(len(high)):
            high[k] = row[k] >= value

        for i in range(1, objectives):
            row = points[i, first:last]
            value = points[i, j]
            for k in range(len(high)):
                high[k] &= row[k] >= value

        # Few points are nowhere less; only these are tested for being somewhere more.
        beaten = False
        for k in range(len(high)):
            if high[k]:
                for i in range(objectives):
                    beaten |= points[i, first + k] > points[i, j]

        if beaten:
            arms[j] = -1
            tree.left[a] -= 1

    # A leaf without points is struck off its parent, which may have been its last child.
    while a > 1 and tree.left[a] == 0:
        a >>= 1
        tree.left[a] -= 1


@kernel
def build_tree(values: Array, which: IntArray, arms: IntArray, n: int) -> Tree:
    """The tree over the first n `arms`, which it puts in the order of the leaves.

    Every level halves its nodes at the median of one objective, and the objectives take turns.
    """
    objectives = len(which)
    levels = 0
    while n > LEAF << levels:
        levels += 1

    leaves = 1 << levels
    nodes = 2 * leaves
    points = np.empty((objectives, n))
    key = np.empty(n)
    for level in range(levels):
        objective = which[level % objectives]
        for j in range(n):
            key[j] = values[arms[j], objective]

        for v in range(1 << level):
            first = v * n >> level
            last = (v + 1) * n >> level
            middle = (2 * v + 1) * n >> (level + 1)
            place_median(key, arms, first, last, middle)

    starts = np.empty(leaves + 1, np.int64)
    left = np.empty(nodes, np.int64)
    for leaf in range(leaves + 1):
        starts[leaf] = leaf * n >> levels

    for v in range(nodes):
        left[v] = 2 if v < leaves else starts[v - leaves + 1] - starts[v - leaves]

    top = np.empty((nodes, objectives))
    bottom = np.empty((nodes, objectives))
    for i in range(objectives):
        for j in range(n):
            points[i, j] = values[arms[j], which[i]]

        enclose(points[i], starts, top[:, i], bottom[:, i])

    return Tree(points, starts, top, bottom, left)


@kernel
def enclose(row: Array, starts: IntArray, top: Array, bottom: Array) -> None:
    """Fill in the largest and the smallest entry of every node in one objective."""
    leaves = len(starts) - 1
    for v in range(leaves, 2 * leaves):
        first = starts[v - leaves]
        last = starts[v - leaves + 1]
        high = row[first]
        low = high
        for j in range(first + 1, last):
            high = max(high, row[j])
            low = min(low, row[j])

        top[v] = high
        bottom[v] = low

    # From the leaves to the root: a parent needs both of its children.
    for v in range(leaves - 1, 0, -1):
        one = 2 * v
        other = one + 1
        top[v] = max(top[one], top[other])
        bottom[v] = min(bottom[one], bottom[other])


@kernel
def place_median(key: Array, arms: IntArray, first: int, last: int, middle: int) -> None:
    """Reorder places `first` to `last`: no key before `middle` is larger than one from there on.

    Quickselect without branches on keys, which no processor could predict.
    """
    while last - first > 1:
        # The median of three keeps sorted tables, which are common, from being the worst case.
        a = key[first]
        b = key[(first + last) >> 1]
        c = key[last - 1]
        smaller = min(a, b)
        larger = min(max(a, b), c)
        pivot = max(smaller, larger)
        below = partition(key, arms, first, last, pivot, False)
        if middle < below:
            last = below
            continue

        # Keys that equal the pivot are put aside at once: with many ties, halves would not shrink.
        first = partition(key, arms, below, last, pivot, True)
        if middle < first or first == below:
            return


@kernel
def partition(key: Array, arms: IntArray, first: int, last: int, pivot: float, equal: bool) -> int:
    """Bring the places whose key is below `pivot` before the others; returns where these begin.

    With `equal`, those whose key equals it too.
    """
    # Every place is swapped, also with itself, and only the border depends on the comparison: there
    # is no branch on a key.
    for j in range(first, last):
        value = key[j]
        arm = arms[j]
        key[j] = key[first]
        arms[j] = arms[first]
        key[first] = value
        arms[first] = arm
        first += value < pivot or (equal and value == pivot)

    return first
