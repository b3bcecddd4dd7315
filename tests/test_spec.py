"""TOML files: what they can say, and how mistakes in them are told."""

from pathlib import Path

import pytest

from mobandits import environments, metrics, orders, policies
from mobandits.errors import SpecError
from mobandits.metrics import Violation
from mobandits.policies import Conservative, MolTs, MolUcb, MoslbPl, Paced, PrimalDual, Within
from mobandits.spec import KINDS, build, catalogue, convert, load, recipe_named
from mobandits.support.naming import kebab, short_repr

EXAMPLES = Path(__file__).parent.parent / "examples"
GOOD = """
rounds = 20
trials = 2
[environment]
name = "linear"
arms = 5
[[policies]]
name = "random-choice"
"""


@pytest.fixture
def spec(tmp_path):
    def write(text):
        (tmp_path / "s.toml").write_text(text)
        return tmp_path / "s.toml"

    return write


def test_the_example_says_what_it_shows():
    specification = load(EXAMPLES / "linear.toml")
    assert specification.environment == environments.Linear(arms=20, features=5, objectives=4)
    levels = ((0, 1), (2, 3))
    scales = [policies.MolTs(scale=scale) for scale in (0.1, 0.3, 1.0)]
    assert specification.policies == {
        short_repr(recipe): recipe for recipe in [*scales, policies.RandomChoice()]
    } | {
        "MOL-UCB, Pareto front": policies.MolUcb(scale=0.3),
        "MOL-UCB, priority levels": policies.MolUcb(scale=0.3, order=orders.Levels(levels)),
    }
    assert specification.options["metrics"][-1] == metrics.LevelRegret(levels)
    plan = specification.plan(rounds=30, trials=None, seed=9)
    assert (plan.setup.rounds, plan.trials, plan.setup.seed) == (30, 5, 9)
    assert plan.setup.experiment == "linear"


def test_defaults(spec):
    plan = load(spec(GOOD)).plan()
    defaults = metrics.default_metrics(continuum=False, changing=True)
    assert [metric.name for metric in plan.setup.metrics] == list(defaults)
    assert plan.setup.experiment == "s"
    assert plan.setup.seed == 0
    assert list(plan.setup.policies) == ["RandomChoice()"]


def test_grids_are_rows(spec):
    text = (
        GOOD
        + '[[policies]]\nname = "mol-ucb"\nlabel = "ucb"\n[policies.grid]\nscale = [1, 2]\npenalty = [0.5, 1]\n'
    )
    rows = load(spec(text)).policies
    assert list(rows)[1:] == [
        f"ucb scale={scale}, penalty={penalty}" for scale in (1, 2) for penalty in (0.5, 1)
    ]
    assert rows["ucb scale=2, penalty=0.5"] == policies.MolUcb(scale=2.0, penalty=0.5)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "rounds = 20",
            "round = 20",
            "key: 'round' is unknown; did you mean rounds. It must be one of ",
        ),
        ("rounds = 20", "", "rounds is required"),
        ("rounds = 20", "rounds = -20", "rounds must be an integer of at least 1, got -20"),
        ("rounds = 20", 'rounds = "many"', "rounds must be an integer of at least 1, got 'many'"),
        ("trials = 2", "trials = true", "trials must be an integer of at least 1, got True"),
        ("trials = 2", "record = [30]", "record must name rounds from 1 to 20, got 30"),
        ("trials = 2", "name = 3", "name must be a string, got 3"),
        (
            "trials = 2",
            'metrics = "reward"',
            r"metrics must be a list, got 'reward'; write \['reward'\]",
        ),
        (
            "trials = 2",
            'metrics = ["pareto-regret"]',
            "metric: 'pareto-regret' is unknown; did you mean pareto_regret. It must be",
        ),
        ("trials = 2", 'metrics = [{name = "level_regret"}]', r"metrics\[0\].levels is required"),
        (
            "trials = 2",
            'metrics = [{name = "reward", x = 1}]',
            r"metrics\[0\]: reward has no parameters, got 'x'",
        ),
        (
            '"linear"',
            '"linar"',
            "environment.name: 'linar' is unknown; did you mean linear. It must be one of ",
        ),
        (
            "arms = 5",
            "arm = 5",
            "environment: a parameter of linear: 'arm' is unknown; did you mean arms. It must be one of ",
        ),
        ("arms = 5", "arms = 5.5", "environment.arms must be an integer, got 5.5"),
        (
            "arms = 5",
            "arms = 0",
            "environment: Linear.arms must be an integer of at least 1, got 0",
        ),
        ("arms = 5", 'theta = "cube"', "environment.theta must be one of .*, got 'cube'"),
        (
            "random-choice",
            "random",
            r"policies\[0\].name: 'random' is unknown; did you mean random-choice\? It must be one of ",
        ),
        (
            "random-choice",
            'mol-ts"\nscale = "big',
            r"policies\[0\].scale must be a number or .data. or .theory., got 'big'",
        ),
        (
            "random-choice",
            'mol-ts"\nscale = -1\nlabel = "a',
            r"policies\[0\]: MolTs.scale must be .*, got -1.0",
        ),
        (
            "random-choice",
            'mol-ucb"\norder = "paretoo',
            r"policies\[0\].order.name: .* mean pareto\? It must be one of ",
        ),
        (
            "random-choice",
            'mol-ts"\ngrid = "all',
            r"policies\[0\].grid must be a table of lists, got 'all'",
        ),
        ("[[policies]]", "[policies]", "policies must be a list of names, or of tables"),
        (
            "[[policies]]",
            '[[policies]]\nname = "random-choice"\n[[policies]]',
            "policies must have distinct rows",
        ),
        ("rounds = 20", "rounds 20", "s.toml:2: this is not TOML: .*line 2"),
    ],
)
def test_mistakes_are_one_line_with_file_and_key(spec, old, new, message):
    assert old in GOOD
    file = spec(GOOD.replace(old, new))
    with pytest.raises(SpecError, match=message) as caught:
        load(file).plan()
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SpecError, match=r"none.toml cannot be read: No such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(
        SpecError, match=r"binary.toml must be a TOML file such as .*, found a binary file"
    ):
        load(tmp_path / "binary.toml")


def test_policies_may_be_names(spec):
    text = 'rounds = 20\nenvironment = "linear"\npolicies = ["random-choice", "mol-ucb"]\n'
    assert load(spec(text)).policies == {
        "RandomChoice()": policies.RandomChoice(),
        "MolUcb()": policies.MolUcb(),
    }
    with pytest.raises(SpecError, match=r"policies\[0\] must be a name or a table, got 3"):
        load(spec(text.replace('"random-choice"', "3")))


def test_every_member_of_every_catalogue_is_documented_and_named():
    for kind in KINDS:
        for name, member in catalogue(kind).items():
            assert member.__doc__, name
            assert name == name.lower()
    assert catalogue("policies")["mol-eps-greedy"] is policies.MolEpsGreedy
    assert catalogue("orders")["effective-pareto"] is orders.EffectivePareto
    assert "gross-scalar" not in catalogue("orders")
    assert catalogue("environments")["llm-routing"] is environments.LlmRouting
    assert "llm-routing" in catalogue("datasets")


def test_orders_may_nest():
    entry = {
        "name": "explore-wide",
        "epsilon": 1,
        "order": {"name": "chains", "chains": [[0], [1]]},
    }
    assert build("orders", entry, "order") == orders.ExploreWide(orders.Chains([[0], [1]]), 1.0)


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (float, 1, 1.0),
        (float | None, 2, 2.0),
        (int | float, 2, 2),
        (bool, True, True),
        (Path | None, "a/b", Path("a/b")),
        (tuple[tuple[int, ...], ...], [[1], [2, 3]], ((1,), (2, 3))),
        (tuple[float, ...], [1], (1.0,)),
    ],
)
def test_conversions(hint, value, expected):
    converted = convert(hint, value, "x")
    assert converted == expected
    assert type(converted) is type(expected)


@pytest.mark.parametrize(
    ("hint", "value", "message"),
    [
        (int, True, "x must be an integer, got True"),
        (float | None, "1", "x must be a number, got '1'"),
        (tuple[int, ...], [1, 2.5], r"x\[1\] must be an integer, got 2.5"),
        (int | str, [1], r"x must be an integer or a string, got \[1\]"),
    ],
)
def test_conversions_that_fail(hint, value, message):
    with pytest.raises(ValueError, match=message):
        convert(hint, value, "x")


def test_limits_of_objectives_are_tables():
    """Their keys are text in TOML, also where they are numbers."""
    entry = {"name": "within", "recipe": "mol-ucb", "limits": {"0": 0.5, "2": 1}}
    assert build("policies", entry, "policy") == Within(MolUcb(), {0: 0.5, 2: 1.0})
    entry = {"name": "paced", "recipe": "mol-ucb", "budgets": [[1, 0.5]]}
    assert build("policies", entry, "policy") == Paced(MolUcb(), {1: 0.5})
    for withdrawn in ({"largest": {"1": 2}}, {"step": 10}):
        with pytest.raises(ValueError, match=r"policy: Paced\.\w+ must be left out"):
            build("policies", entry | withdrawn, "policy")
    entry = {"name": "primal-dual", "budgets": {"1": 0.5}, "largest": {"1": 2}, "horizon": 9}
    entry["recipe"] = {"name": "mol-ucb", "order": {"name": "weighted", "weights": [1, 0]}}
    recipe = PrimalDual(MolUcb(order=orders.Weighted([1.0, 0.0])), {1: 0.5}, {1: 2.0}, horizon=9)
    assert build("policies", entry, "policy") == recipe
    entry = {"name": "conservative", "recipe": "mol-ucb", "baseline": 0, "loss": 0.1}
    entry["objective"] = 1
    assert build("policies", entry, "policy") == Conservative(MolUcb(), 0, 0.1, 1)
    metric = build("metrics", {"name": "violation", "budgets": {"dollars": 0.5}}, "metric")
    assert metric == Violation({"dollars": 0.5})


def test_kebab():
    assert [kebab(n) for n in ("MolTs", "ParetoUcb1", "PfiRls", "llm_routing")] == [
        "mol-ts",
        "pareto-ucb1",
        "pfi-rls",
        "llm-routing",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mol-uc", "did you mean mol-ucb"),
        ("mol-ucb:scal=1", "did you mean scale"),
        ("mol-ucb:scale=", "NAME:key=value"),
        ("mol-ucb:scale=-1.0", "MolUcb.scale must be above 0"),
        ("mol-ucb:order=pareta", "did you mean pareto"),
    ],
)
def test_a_recipe_from_a_line_says_what_is_wrong(text, says):
    with pytest.raises(ValueError, match=says):
        recipe_named(text)


def test_a_recipe_from_a_line():
    assert recipe_named("mol-ucb:scale=0.3,check=false") == MolUcb(scale=0.3, check=False)
    assert recipe_named("moslb-pl:levels=[[0,1],[2]],alpha=0.2") == MoslbPl(
        levels=((0, 1), (2,)), alpha=0.2
    )
    assert recipe_named("mol-ts") == MolTs()
    assert recipe_named("mol-ts:links=logit") == MolTs(links="logit")
    assert recipe_named('mol-ts:links=["logit","probit"]') == MolTs(links=("logit", "probit"))
