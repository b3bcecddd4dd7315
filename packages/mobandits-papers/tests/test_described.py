"""The files with titles, plots and claims: all of them are read, and nothing in them is without use."""

import re

import pytest

from mobandits_papers.catalogue import EXPERIMENTS
from mobandits_papers.described import TEXTS, described, filled, texts_of

FILES = sorted(file.stem for file in TEXTS.glob("*.toml"))
EVERY = pytest.mark.parametrize("name", FILES)


def strings(content):
    if isinstance(content, dict):
        for each in content.values():
            yield from strings(each)
    elif isinstance(content, list):
        for each in content:
            yield from strings(each)
    elif isinstance(content, str):
        yield content


def test_a_file_per_paper():
    papers = {name.partition("/")[0] for name in EXPERIMENTS}
    assert set(FILES) == papers | {"shared"}


@EVERY
def test_every_word_is_used(name):
    files = FILES if name == "shared" else [name]
    used = {
        word
        for file in files
        for text in strings(texts_of(file))
        for word in re.findall(r"\{(\w+)\}", text)
    }
    # Words that code puts into others.
    used |= {"accumulates", "open_width"}
    assert set(texts_of(name).get("words", ())) <= used


@EVERY
def test_every_claim_is_judged_somewhere(name):
    tables = texts_of(name)
    texts = {entry["claim"] for table in tables.values() for entry in table.get("claims", ())}
    judged = [claim.claim for one in EXPERIMENTS.values() for claim in one.claims]
    for text in texts:
        pattern = ".*".join(map(re.escape, re.split(r"\{\w+\}", text)))
        assert any(re.fullmatch(pattern, claim) for claim in judged), text


def test_no_name_of_a_word_is_left_in_a_text():
    for one in EXPERIMENTS.values():
        texts = [one.title, one.source, *one.about, *(plot.caption for plot in one.plots)]
        for claim in one.claims:
            texts += [claim.claim, claim.target, claim.rule, claim.differs, claim.note]
        for text in texts:
            assert not re.search(r"\{[a-z_]+\}", text), (one.id, text)


def test_words_are_filled_in():
    assert filled("{a} and {b}", {"a": "{b}", "b": "c"}) == "c and c"
    assert filled(["{rows}", 3], {"rows": ["x", "y"]}) == [["x", "y"], 3]


def test_a_claim_without_numbers_is_refused():
    with pytest.raises(KeyError, match="flat"):
        described("moglb2019/cost", [])
