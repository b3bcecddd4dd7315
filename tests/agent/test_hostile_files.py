"""Files that are damaged, or made to do harm: refused by name, or taken for exactly what they say."""

import contextlib
import json
import math
import warnings

import every_recipe
import numpy as np
import pytest
from slow_twin import Clock
from state_files import (
    DECISIONS,
    START,
    D,
    changed,
    forged,
    parts,
    places,
    rich_agent,
    sealed,
    start_of,
)

import mobandits as mob
from mobandits.agent.file_layout import MAGIC
from mobandits.agent.loading import REFUSED
from mobandits.errors import StateError
from mobandits.logs.parts_as_data import described, made
from mobandits.policies import Doubling, Exp3P, MocMab, MolUcb, Pcz, ScalarizedUcb1

ODD = [
    None,
    True,
    False,
    -1,
    0,
    1.5,
    "x",
    "1",
    [],
    {},
    [None],
    {"value": 1},
    2**63,
    10**400,
    math.nan,
    -math.inf,
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bytes of its file."""
    path = tmp_path_factory.mktemp("whole") / "agent"
    rich_agent(Clock()).save(path)
    return path.read_bytes()


@pytest.fixture
def load(tmp_path):
    """Load bytes: those that the agent writes itself, or None where the file is refused by its name."""

    def load(data, play=False):
        path, again = tmp_path / "hostile", tmp_path / "again"
        path.write_bytes(data)
        try:
            agent = mob.Agent.load(path)
        except StateError as error:
            return None if str(error).startswith(f"{path} ") else error
        agent.save(again)
        if play:
            size = (
                (agent.features,)
                if agent.core.contexts.shared
                else (len(agent.arms), agent.features)
            )
            with contextlib.suppress(ValueError):  # numbers may be so large that no arm is best
                agent.learn(agent.decide(np.full(size, 0.5)).id, [0.0] * len(agent.objectives))
        return again.read_bytes()

    return load


def test_a_whole_file_is_loaded(whole, load):
    assert load(whole) == whole
    assert forged(*parts(whole)) == whole


def test_every_truncation_is_refused(whole, load):
    assert [n for n in range(len(whole)) if load(whole[:n]) is not None] == []
    assert load(whole + b"\0") is None


def test_flipped_bits_are_refused(whole, load):
    rng = np.random.default_rng(0)
    for place in [*range(START), *rng.integers(0, len(whole), 3000).tolist()]:
        flipped = bytearray(whole)
        flipped[place] ^= 1 << int(rng.integers(8))
        assert load(bytes(flipped)) is None


def test_random_bytes_are_refused(load):
    rng = np.random.default_rng(1)
    for n in [0, 1, 15, 16, 24, 56, 57, 1000]:
        noise = rng.bytes(n)
        assert load(noise) is None
        assert load(MAGIC + noise) is None
        assert load(sealed(MAGIC + noise)) is None


TOO_LONG = [list(range(2000)), "x" * 3000, {f"k{i}": i for i in range(500)}, 10**600]


def refusal_of(data):
    """What is said of a file; an empty text where it is loaded."""
    try:
        mob.Agent.from_bytes(data)
    except StateError as error:
        return str(error)
    return ""


def test_messages_quote_the_beginning_of_what_a_file_holds(whole):
    header, arrays = parts(whole)
    # Of a list, its first element stands for the others.
    paths = [path for path in places(header) if not any(type(key) is int and key for key in path)]
    for path in paths:
        for long in TOO_LONG:
            replaced = changed(header, path, lambda _, long=long: long)
            assert len(refusal_of(forged(replaced, arrays))) < 500, path

        def widened(old):
            return {**old, "q" * 3000: 1} if isinstance(old, dict) else old

        assert len(refusal_of(forged(changed(header, path, widened), arrays))) < 500, path


def test_what_is_changed_in_the_header_is_refused_or_what_the_agent_is(whole, load):
    header, arrays = parts(whole)
    taken = []
    for path in places(header):
        for odd in ODD:
            data = forged(changed(header, path, lambda _, odd=odd: odd), arrays)
            again = load(data)
            if (
                again is not None
                and data != whole
                and path != ("by",)
                and (path, odd) != (("recipe", "with"), {})
            ):
                assert again == data, (path, odd)
                taken.append(path)
    # What is left are other names, ranges and seeds, and options that fit as well.
    free = {
        "recipe",
        "options",
        "objectives",
        "arms",
        "preference",
        "streams",
        "waiting",
        "lessons",
        "dropped",
    }
    assert {path[0] for path in taken} <= free


def test_what_is_missing_or_too_much_is_refused(whole, load):
    header, arrays = parts(whole)
    for path in places(header):

        def without(parent, key=path[-1]):
            parent = parent.copy()
            del parent[key]
            return parent

        data = forged(changed(header, path[:-1], without), arrays)
        again = load(data)
        if again is not None and path[:2] != ("recipe", "with"):  # parameters have defaults
            assert again == data, path
        if isinstance(path[-1], str) and path[0] != "by":
            assert (
                load(
                    forged(
                        changed(header, path[:-1], lambda parent: {**parent, "surplus": 1}), arrays
                    )
                )
                is None
            )


def test_flipped_bits_under_a_right_checksum_are_refused_or_what_the_agent_is(whole, load):
    header, arrays = parts(whole)
    rng, taken = np.random.default_rng(2), 0
    for place in rng.integers(0, len(arrays), 400).tolist():
        flipped = bytearray(arrays)
        flipped[place] ^= 1 << int(rng.integers(8))
        data = forged(header, bytes(flipped))
        again = load(data, play=True)
        taken += again is not None
        assert again in (None, data)
    assert taken > 10  # a number is a number
    text = json.dumps(header, separators=(",", ":")).encode()
    by = text.index(b'"by"'), text.index(b'"recipe"')
    for place in rng.integers(0, len(text), 400).tolist():
        flipped = bytearray(text)
        flipped[place] ^= 1 << int(rng.integers(8))
        again = load(forged(bytes(flipped), arrays))
        if again is not None and (place < by[0] or place > by[1]):
            assert json.dumps(parts(again)[0]) == json.dumps(json.loads(bytes(flipped)))


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (
            ("version",),
            99,
            r"is an agent of version 99 \(mobandits [0-9.]+\): mobandits [0-9.]+ understands version 7 only",
        ),
        (("version",), 0, r"Expected `int` >= 1 - at `\$.version`"),
        (("version",), -3, r"Expected `int` >= 1 - at `\$.version`"),
        (
            ("recipe",),
            {"other": "os.system"},
            "recipe must be given: a os.system, as when the file was written",
        ),
        (
            ("recipe", "class"),
            "os.system",
            "recipe must name a public class of mobandits, got 'os.system'",
        ),
        (
            ("recipe", "class"),
            "policies.__builtins__",
            "recipe must name a public class of mobandits",
        ),
        (
            ("recipe", "class"),
            "policies.mol_ucb.MolUcb",
            "recipe must name a public class of mobandits",
        ),
        (
            ("recipe", "class"),
            "policies.MolUcb.__init__",
            "recipe must name a public class of mobandits",
        ),
        (("recipe", "class"), "orders.Pareto", "recipe must be a recipe|recipe does not fit"),
        (
            ("recipe", "with", "scale"),
            {"value": "x"},
            "MolUcb.scale must be a number, .data. or .theory., got 'x'",
        ),
        (("recipe", "with", "scale"), {"value": -1.0}, "MolUcb.scale must be above 0"),
        (
            ("recipe", "with", "scale"),
            {"value": math.nan},
            "is damaged: numbers must be finite, got NaN",
        ),
        (
            ("recipe", "with", "check"),
            {"value": "no"},
            "recipe.check must be of type .*bool.*, got 'no'",
        ),
        (
            ("preference", "with", "levels", "array"),
            [[0, 1], [7]],
            "Levels.levels must name objectives below 3",
        ),
        (
            ("preference", "with", "levels", "array"),
            [[0, 1]],
            "Levels.levels must name each of the 3 objectives",
        ),
        (
            ("options", "features"),
            10**5 + 1,
            r"Expected `int` <= 100000 - at `\$.options.features`",
        ),
        (("options", "features"), 3, "decisions must be rows|state"),
        (("options", "seed"), -1, "seed must be an integer of at least 0"),
        (("options", "samples"), 0, "samples must be an integer of at least 1"),
        (("options", "propensity"), "always", "propensity must be one of exact, none, sampled"),
        (("options", "rounds"), 2**63, "rounds must be at most"),
        (("arms", 0), math.nan, "is damaged: numbers must be finite, got NaN"),
        (("arms", 0), "b", "arms must be .* different names"),
        (("arms", 0), ["a"], "arms must be .* names in a list that can be hashed"),
        (("arms",), ["a"], "arms must have a slot each"),
        (("slots", 0), 99, "arms must have a slot each"),
        (("slots", 0), 3, "arms must have a slot each"),
        (("slots", 0), 0.0, r"Expected `int`, got `float` - at `\$.slots\[0\]`"),
        (("arms_ever",), 2, "arms must have a slot each"),
        (("stage",), 0, "decisions must be of arms and stages that there are"),
        (("stage",), 2, "stage must be one that MolUcb has, got 2"),
        (("stage",), 10**9, r"Expected `int` <= 10000 - at `\$.stage`"),
        (("left",), 5, "left must be what is left of stage 1"),
        (("left",), "x", r"Expected `int \| null`, got `str` - at `\$.left`"),
        (("shared",), False, "state"),
        (("shared",), 1, r"Expected `bool \| null`, got `int` - at `\$.shared`"),
        (("lessons",), 2.0, r"Expected `int`, got `float` - at `\$.lessons`"),
        (("now",), math.inf, "is damaged: numbers must be finite, got Infinity"),
        (("now",), 1.0, "decisions must come in order, at times up to now"),
        (("next_id",), 3, "ids of decisions must be different, and below the next one"),
        (("next_id",), 2**63, r"Expected `int` <= 4611686018427387904 - at `\$.next_id`"),
        (("logged",), "x", r"Expected `int`, got `str` - at `\$.logged`"),
        (("options", "pending"), 2, "decisions must not be more than may wait"),
        (
            ("options", "remembered"),
            2,
            "decisions must not be more than may wait, or are remembered",
        ),
        (("options", "max_age"), -1.0, "max_age must be above 0"),
        (("dropped", "age"), -1, r"Expected `int` >= 0 - at `\$.dropped"),
        (
            ("streams", 0, "bit_generator"),
            "MT19937",
            r"'MT19937' - at `\$.streams\[0\].bit_generator`",
        ),
        (("streams", 0, "state", "inc"), 2, "streams must have an odd inc"),
        (("streams", 0, "state", "inc"), "3", r"Expected `int`, got `str` - at `\$.streams\[0\]"),
        (("streams", 0, "state", "state"), 2**128, "too large"),
        (("objectives", 0, "after"), 1.0, "Objective.default and after must be given together"),
        (
            ("objectives", 0, "name"),
            {"tuple": ["click", 2]},
            "objectives must be .* different names",
        ),
        (("arrays", 0, 1), [-1, 4], r"Expected `int` >= 0 - at `\$.arrays\[0\]\[1\]\[0\]`"),
        (("arrays", 0, 1), [2**62, 2**62], "arrays must not be longer than the file"),
        (("arrays", 0, 0), "|O", r"Expected `str` matching regex .* - at `\$.arrays\[0\]\[0\]`"),
        (("arrays", 0, 0), "<f8", "arrays must fill the file"),
        (("arrays", 0), ["|V8", [0]], "arrays must fill the file"),
        (("objectives", 0, "minimise"), 1, "Objective.minimise must be True or False"),
        (("dropped",), {"limit": 0, "age": 0, "age\n": 0}, "Expected `str` matching regex"),
        (("adopted",), [2**40], "adopted must be .*, got "),
        (("unseen",), [["a", "missing", 1], ["a", "missing", 1]], "unseen must be"),
        (("arrays", 0), ["<i8", [1] * 100], "arrays|axes|dimension"),
    ],
    ids=str,
)
def test_harm_is_refused_by_name(whole, tmp_path, path, value, said):
    path_of_file = tmp_path / "hostile"
    header, arrays = parts(whole)
    path_of_file.write_bytes(forged(changed(header, path, lambda _: value), arrays))
    with pytest.raises(StateError, match=f"^{path_of_file} .*({said})"):
        mob.Agent.load(path_of_file)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_states_hold_numbers(whole, load, bad):
    header, arrays = parts(whole)
    for number in range(DECISIONS, len(header["arrays"])):  # those of the policy
        place = start_of(header, number)
        assert (
            load(forged(header, arrays[:place] + np.float64(bad).tobytes() + arrays[place + 8 :]))
            is None
        )


LONG = b'{"version":1' + b"0" * 5000 + b"}"


@pytest.mark.parametrize("text", [b"[]", b"1", b'"x"', b"", b"{", b"\xff\xfe", b"[" * 10**5, LONG])
def test_headers_that_are_none_are_refused(load, text):
    assert load(forged(text, b"")) is None


def test_a_log_is_asked_for_no_more_than_it_has(whole, tmp_path):
    header, arrays = parts(whole)
    (tmp_path / "agent").write_bytes(forged({**header, "logged": 5}, arrays))
    with pytest.raises(ValueError, match="has 0 events, and the agent knew 5: it is not its log"):
        mob.Agent.load(tmp_path / "agent", log=tmp_path / "log")


def row(features):
    """Bytes of a decision that waits, of two objectives."""
    return 8 * (7 + features + 2)


def test_memory_is_taken_for_what_the_file_holds_only(tmp_path, load):
    mob.Agent(MolUcb(scale=0.3), arms=3, features=D, objectives=2).save(tmp_path / "agent")
    header, _ = parts((tmp_path / "agent").read_bytes())
    assert (header["arrays"], header["stage"]) == ([[f"|V{row(D)}", [0]], ["|V24", [0]]], 0)
    for shared in (True, False):
        large = {
            **header,
            "stage": 1,
            "shared": shared,
            "arrays": [[f"|V{row(90_000)}", [0]], header["arrays"][1], ["<f8", [4]]],
        }
        large["options"] = {**header["options"], "features": 90_000}
        assert load(forged(large, bytes(32))) is None


@pytest.mark.parametrize(
    ("recipe", "bad"),
    [
        (ScalarizedUcb1(check=False), [-1.0, 4.0, 0.5, 1e300, math.nan, math.inf]),
        (Pcz(), [-1.0, 40.0, 0.5, math.nan]),
        (Exp3P(check=False), [0.0, -0.5, 1.5, math.nan]),
        (
            MocMab(per_side=2, boundary="random", period=7, check=False),
            [-1.0, 1000.0, 2.0**40, 0.5],
        ),
        (MolUcb(scale=0.3), [1.0, math.nan]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_notes_are_those_that_the_policy_gives(tmp_path, load, recipe, bad):
    agent, rng = (
        mob.Agent(recipe, arms=3, features=D, objectives=3, rounds=100),
        np.random.default_rng(0),
    )
    for _ in range(8):
        agent.learn(agent.decide(rng.random((3, D))).id, rng.random(3))
    agent.decide(rng.random((3, D)))
    agent.save(tmp_path / "agent")
    data = (tmp_path / "agent").read_bytes()
    header, arrays = parts(data)
    assert load(data) == data
    place = 8 * (1 + D + 1)  # of the first row: its number, the features, the arm, then the note
    for note in bad:
        assert (
            load(forged(header, arrays[:place] + np.float64(note).tobytes() + arrays[place + 8 :]))
            is None
        )


@pytest.mark.parametrize("case", every_recipe.CASES, ids=str)
def test_parameters_are_refused_or_what_the_recipe_is(case):
    description = json.loads(json.dumps(described(case.recipe, "recipe")))
    assert made(description, "recipe") == case.recipe
    for path in places(description):
        for odd in ODD:
            hostile = changed(description, path, lambda _, odd=odd: odd)
            try:
                recipe = made(hostile, "recipe")
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    mob.Agent(
                        recipe,
                        arms=every_recipe.K,
                        features=case.features,
                        objectives=every_recipe.L,
                        rounds=50,
                    )
            except REFUSED:
                continue
            assert described(recipe, "recipe") == described(
                made(described(recipe, "recipe"), "recipe"), "recipe"
            )


def test_stages_are_bounded(tmp_path, load):
    agent = mob.Agent(
        Doubling(ScalarizedUcb1(check=False), first=2), arms=2, features=0, objectives=2
    )
    for _ in range(5):
        agent.decide()
    agent.save(tmp_path / "agent")
    data = (tmp_path / "agent").read_bytes()
    header, arrays = parts(data)
    assert load(data) == data
    assert (header["stage"], header["left"]) == (2, 1)
    for change in ({"left": 5}, {"left": None}, {"stage": 10**6}, {"stage": 1, "left": 1}):
        assert load(forged({**header, **change}, arrays)) is None
