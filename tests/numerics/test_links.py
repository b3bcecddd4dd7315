"""Links against SciPy, and how they are named and combined."""

import numpy as np
import pytest
from scipy import special, stats

from mobandits.compiling.compiled import compile_loop
from mobandits.numerics.links import (
    LINKS,
    Identity,
    Logit,
    Probit,
    check_links,
    combined_links,
    named_links,
)

Z = np.linspace(-40.0, 40.0, 401)


def means(links, objective, z, out):
    for i in range(len(z)):
        out[i] = links.mean(objective, z[i])


@pytest.mark.parametrize(("link", "mean"), [(Logit(), special.expit), (Probit(), stats.norm.cdf)])
def test_means(link, mean):
    np.testing.assert_allclose([link.mean(z) for z in Z], mean(Z), rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("link", LINKS.values(), ids=str)
def test_least_slope(link):
    z = np.linspace(-2.0, 2.0, 2001)
    slopes = np.diff([link.mean(v) for v in z]) / np.diff(z)
    assert slopes.min() == pytest.approx(link.least_slope(2.0), rel=5e-3)


def test_joined_links_are_those_of_the_list():
    links = [Probit(), Logit(), Identity(), Logit(), Probit()]
    part = combined_links(links)
    for objective, link in enumerate(links):
        out = np.empty(len(Z))
        compile_loop(means, part)(part, objective, Z, out)
        np.testing.assert_allclose(out, [link.mean(z) for z in Z], rtol=1e-14)


def test_one_link_for_all():
    assert named_links("Recipe.links", "logit", 3) == (Logit(),) * 3
    assert named_links("Recipe.links", Probit(), 2) == (Probit(),) * 2


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            "logti",
            "Recipe.links: 'logti' is unknown; did you mean logit. It must be one of identity, logit, probit",
        ),
        (["logit"], "Recipe.links must have one entry per objective, 2, got 1"),
        ([Logit, "logit"], "Recipe.links must be names or @compiled links"),
        (3.0, "Recipe.links must be names or @compiled links"),
    ],
)
def test_refused(links, message):
    with pytest.raises(ValueError, match=message):
        named_links("Recipe.links", links, 2)


def test_a_list_becomes_a_tuple():
    assert check_links("Recipe.links", ["logit", Probit()]) == ("logit", Probit())
