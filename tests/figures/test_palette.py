"""Colours can be seen on their paper, and told apart, also by readers with colour blindness."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest

from mobandits.figures import palette, style
from mobandits.figures.page import templates

OKABE_AND_ITO = ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9")
# What dichromats see, on linear RGB: Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "full": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
# linear sRGB to XYZ, and the white of D65
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def linear(colour):
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """The contrast ratio of WCAG 2.2."""
    dark, bright = sorted(float(linear(each) @ XYZ[1]) for each in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def lab(colour, vision):
    xyz = XYZ @ np.clip(np.array(VISION[vision]) @ linear(colour), 0, 1) / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def least_distance(colours):
    """Between any two, in CIELAB, to the eyes that tell them apart least."""
    return min(
        np.linalg.norm(lab(one, vision) - lab(other, vision))
        for vision in VISION
        for one, other in itertools.combinations(colours, 2)
    )


@pytest.fixture
def css():
    """What pages declare: {theme: {name: colour}}, and their rules."""
    source = templates().from_string(
        '{{ declarations("light") }}\n{{ declarations("dark") }}\n{% include "style.css" %}'
    )
    light, dark, rules = source.render().split("\n", 2)
    found = [dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", line)) for line in (light, dark)]
    return dict(zip(("light", "dark"), found, strict=True)), rules


def test_contrast_is_measured_as_wcag_does():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_and_texts_can_be_seen(css, theme):
    themes, _ = css
    colours = themes[theme]
    paper = colours["paper"]
    for line in palette.LINES:
        assert contrast(colours[line.name], paper) >= 3.0, line
    for text in palette.TEXTS:
        assert contrast(colours[text.name], paper) >= 4.5, text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_are_told_apart_as_well_as_those_of_okabe_and_ito(css, theme):
    themes, _ = css
    ink = palette.INK.light
    lines = [themes[theme][line.name] for line in palette.LINES]
    assert least_distance(lines) >= least_distance([*OKABE_AND_ITO, ink])


def test_pages_and_figures_take_their_colours_from_one_place(css):
    themes, rules = css
    assert set(themes["light"]) == set(themes["dark"]) == {each.name for each in palette.COLOURS}
    assert set(re.findall(r"var\(--([\w-]+)\)", rules)) <= set(themes["light"])
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b", rules)
    # Text has no other colour than those whose contrast is measured as that of text.
    texts = {text.name for text in palette.TEXTS}
    assert set(re.findall(r"(?<![-\w])color: var\(--([\w-]+)\)", rules)) <= texts
    lights = [each.light for each in palette.COLOURS]
    assert len(set(lights)) == len(lights)  # each stands for one property
    assert list(style.COLOURS) == [line.light for line in palette.LINES]


def test_no_figure_has_colours_of_its_own():
    package = Path(style.__file__).parents[1]
    for path in package.rglob("*.py"):
        if path.name != "palette.py":
            # Examples in docstrings apart: no module draws in another colour.
            code = re.sub(r">>>.*|'.*var\(.*'", "", path.read_text(encoding="utf-8"))
            assert not re.search(r"\"#[0-9a-f]{6}\"", code), path
