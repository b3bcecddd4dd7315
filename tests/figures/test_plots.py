"""Plots for papers: options, what is drawn, and files."""

import itertools
import re
import shutil

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest

from mobandits.figures import curves
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.plots import plot, plot_data
from mobandits.figures.style import looks, save
from mobandits.simulation import Results

METRIC = "pareto_regret"


def names_in(figure):
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    return sorted(texts + [text.get_text() for legend in legends for text in legend.get_texts()])


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("size", "wide", "size must be 'column', 'page' or .width, height. in inches, got 'wide'"),
        ("size", (3.0,), "size must be 'column', 'page' or"),
        ("size", (3.0, 0.0), "size's height in inches must be at least 1, got 0.0"),
        ("size", (float("nan"), 2.0), "size's width in inches must be a finite number, got nan"),
        ("log", "z", "log must be one of both, x, y, got 'z'"),
        ("band", "ci", "band must be one of deviation, interval, quantiles, got 'ci'"),
        ("legend", "left", "legend must be one of auto, below, ends, inside, got 'left'"),
        ("style", "Paper", "style: 'Paper' is unknown; did you mean paper"),
        ("policies", "a", "policies must be a list of names, got 'a'"),
        ("policies", [], "policies must name at least one policy, got none"),
    ],
)
def test_options_that_do_not_fit_are_refused(option, value, error):
    with pytest.raises(ValueError, match=error):
        PlotOptions(**{option: value})


def test_unknown_policies_are_refused_with_the_nearest(table):
    with pytest.raises(ValueError, match="policies: 'aa' is unknown; did you mean a"):
        plot(table, METRIC, PlotOptions(policies=["aa"]))


@pytest.mark.long
def test_without_options_the_figure_is_that_of_the_pages(table, tmp_path):
    results = Results(table, {})
    save(results.plot(METRIC), tmp_path / "one", "figure")
    save(curves(table, METRIC), tmp_path / "two", "figure")
    for name in ("figure.svg", "figure.png"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize(("size", "width"), [("column", 3.25), ("page", 6.75), ((4.0, 3.0), 4.0)])
def test_figures_have_the_size_that_was_asked_for(table, size, width):
    figure = plot(table, METRIC, PlotOptions(size=size))
    assert figure.get_figwidth() == width
    if not isinstance(size, str):
        assert figure.get_figheight() == size[1]


def test_policies_are_drawn_in_the_order_that_was_asked_for(table):
    figure = plot(table, METRIC, PlotOptions(policies=["a", "b"], size="column"))
    assert [line.get_label() for line in figure.axes[0].get_lines()] == ["a", "b"]
    figure = Results(table, {}).plot(METRIC, ["a"])
    assert [line.get_label() for line in figure.axes[0].get_lines()] == ["a"]
    assert names_in(figure) == ["a"]


@pytest.mark.parametrize("legend", ["ends", "below", "inside", "auto"])
@pytest.mark.parametrize("style", ["page", "paper", "paper-mono"])
def test_every_line_is_named_once(table, legend, style):
    figure = plot(table, METRIC, PlotOptions(size="page", legend=legend, style=style))
    assert names_in(figure) == ["a", "b"]


def test_names_may_be_left_out(table):
    assert names_in(plot(table, METRIC, PlotOptions(size="column", legend=None))) == []


@pytest.mark.parametrize(
    ("log", "scales"),
    [("x", "log linear"), ("y", "linear log"), ("both", "log log"), (None, "linear linear")],
)
def test_axes_have_the_scales_that_were_asked_for(table, log, scales):
    axes = plot(table, METRIC, PlotOptions(size="column", log=log)).axes[0]
    assert f"{axes.get_xscale()} {axes.get_yscale()}" == scales


def test_a_logarithmic_axis_of_nothing_above_zero_is_refused(table):
    zeros = table.with_columns(value=pl.lit(0.0))
    with pytest.raises(ValueError, match="log must be None or 'x' for pareto_regret"):
        plot(zeros, METRIC, PlotOptions(log="y"))


def test_a_policy_of_which_a_logarithmic_axis_shows_nothing_leaves_the_others(table, tmp_path):
    is_first = pl.col("policy") == table["policy"][0]
    rows = table.with_columns(value=pl.when(is_first).then(0.0).otherwise(pl.col("value")))
    plot(rows, METRIC, PlotOptions(log="both")).savefig(tmp_path / "a.png")


def test_bands_are_what_they_are_called(table):
    values = np.array([10.0, 20.0, 30.0])  # of b in round 10
    b = {"policy": "b", "round": 10}
    deviation = plot_data(table, METRIC, PlotOptions(band="deviation")).filter(**b)
    assert deviation.select("low", "mean", "high").row(0) == pytest.approx(
        (20.0 - values.std(ddof=1), 20.0, 20.0 + values.std(ddof=1))
    )
    quantiles = plot_data(table, METRIC, PlotOptions(band="quantiles")).filter(**b)
    assert quantiles.select("low", "mean", "high").row(0) == pytest.approx(
        tuple(np.quantile(values, [0.1, 0.5, 0.9]))
    )
    # of another policy and panel, each in its place
    several = pl.concat(
        [table, table.with_columns(pl.col("value") * 7, component=pl.lit(1, pl.Int64))]
    )
    data = plot_data(several, METRIC, PlotOptions(band="quantiles"))
    row = data.filter(panel="component 1", policy="a", round=20)
    assert row["mean"][0] == pytest.approx(7 * 80.0)
    figure = plot(table, METRIC, PlotOptions(size="column", band=None))
    assert not figure.axes[0].collections


def test_bands_are_those_of_their_environment_in_any_order(table):
    """Panels follow the table, where bands once followed the alphabet."""
    later = table.with_columns(pl.col("value") * 7, environment=pl.lit("Before()"))
    for band in ("deviation", "quantiles"):
        data = plot_data(pl.concat([table, later]), METRIC, PlotOptions(band=band))
        assert data["panel"].unique(maintain_order=True).to_list() == ["World()", "Before()"]
        row = data.filter(panel="Before()", policy="a", round=20)
        assert row["mean"][0] == pytest.approx(7 * 80.0)
        assert row["low"][0] < 7 * 80.0 < row["high"][0]


def test_there_is_a_panel_per_component(table):
    several = pl.concat([table, table.with_columns(component=pl.lit(1, pl.Int64))])
    figure = plot(several, METRIC, PlotOptions(size="column", style="paper"))
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["component 0", "component 1"]
    one = several.filter(pl.col("round") == 20)
    figure = plot(one, METRIC, PlotOptions(size="page", log="y"))
    assert figure.axes[0].get_xlabel() == "Pareto regret after 20 rounds"
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["b", "a"]


def test_black_lines_differ_in_dash_or_marker():
    every = list(looks([str(i) for i in range(28)], "paper-mono").values())
    assert len({(str(look.dash), look.marker) for look in every}) == 28
    assert {look.colour for look in every} == {"#000000"}
    for one, next_one in itertools.pairwise(every):
        assert one.dash != next_one.dash
    for i in range(0, 28, 4):
        assert len({look.marker for look in every[i : i + 4]}) == 4


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"size": "column", "style": "paper"}])
@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_the_same_data_gives_the_same_bytes(table, tmp_path, options, kind):
    files = []
    for i, settings in enumerate(({}, {"font.size": 20.0, "svg.fonttype": "none"})):
        with mpl.rc_context(settings):
            file = tmp_path / f"{i}.{kind}"
            plot(table, METRIC, PlotOptions(**options)).savefig(file)
            files.append(file.read_bytes())
    assert files[0] == files[1]


@pytest.mark.long
@pytest.mark.parametrize("options", [{}, {"size": "column", "style": "paper"}])
def test_pdf_files_hold_truetype_fonts_and_no_date(table, tmp_path, options):
    Results(table, {}).plot(METRIC, **options).savefig(tmp_path / "a.pdf")
    data = (tmp_path / "a.pdf").read_bytes()
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert b"CreationDate" not in data
    font = b"STIXGeneral" if options else b"DejaVu"
    assert font in re.sub(rb"\s", b"", data)


@pytest.mark.long
def test_names_may_hold_anything(table, tmp_path):
    odd = table.with_columns(policy=pl.col("policy") + pl.lit("_$x$ & 50 % \\alpha {y}"))
    odd = odd.with_columns(policy=pl.concat_str(pl.lit("_"), "policy"))
    for style in ("page", "paper"):
        figure = plot(odd, METRIC, PlotOptions(size="page", style=style))
        figure.savefig(tmp_path / "a.pdf")
        assert len(names_in(figure)) == 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX sets the letters of PGF files")
def test_pgf_files_are_set_by_latex_whatever_names_hold(table, tmp_path):
    odd = table.with_columns(policy=pl.col("policy") + pl.lit("_1 & 50 % $"))
    for rows in (odd, odd.filter(pl.col("round") == 20)):
        figure = plot(rows, METRIC, PlotOptions(size="column", style="paper"))
        figure.savefig(tmp_path / "a.pgf")
        assert r"a\_1 \& 50 \% \textdollar{}" in (tmp_path / "a.pgf").read_text()
        figure.savefig(tmp_path / "a.svg")  # names are as they were
    assert names_in(plot(odd, METRIC, PlotOptions(size="column")))[0] == r"a_1 & 50 % \$"


def test_plotting_leaves_no_trace(table, tmp_path):
    before = dict(mpl.rcParams)
    plot(table, METRIC, PlotOptions(style="paper-mono")).savefig(tmp_path / "a.pdf")
    assert dict(mpl.rcParams) == before
