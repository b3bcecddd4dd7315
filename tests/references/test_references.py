"""The registry of references, who names which, and BibTeX of runs."""

import re
from pathlib import Path

import pytest
from twins.tiny import Plain, Tiny

import mobandits_papers
from mobandits import datasets, environments, policies
from mobandits.contracts.protocols import Recipe
from mobandits.orders import Lexicographic
from mobandits.policies import Doubling, Forgetting, MolTs, MolUcb, RandomChoice
from mobandits.references import (
    REFERENCES,
    Citation,
    Reference,
    bibtex,
    citations,
    citations_of_names,
    references_of,
)
from mobandits.references.citing import classes, data_sets
from mobandits.simulation import PreferenceSweep, Results, simulate


@pytest.mark.parametrize("name", sorted(policies.RECIPES))
def test_every_policy_names_a_reference_or_says_that_it_is_ours(name):
    keys = policies.RECIPES[name].references
    assert keys
    assert set(keys) <= set(REFERENCES)
    # The docstring says where it is from: the key, or the family name of an author.
    text = policies.RECIPES[name].__doc__
    for key in keys:
        reference = REFERENCES[key]
        families = [author.partition(",")[0] for author in reference.authors]
        assert key == "mobandits" or key in text or any(family in text for family in families)


@pytest.mark.parametrize("name", [*environments.__all__])
def test_every_environment_names_a_reference(name):
    keys = getattr(environments, name).references
    assert keys
    assert set(keys) <= set(REFERENCES)


@pytest.mark.parametrize("name", sorted(data_sets()))
def test_every_data_set_names_a_reference(name):
    assert set(getattr(datasets, name).references) <= set(REFERENCES)
    assert getattr(datasets, name).references


def test_what_other_classes_name_is_known():
    for cls in classes().values():
        assert set(getattr(cls, "references", ())) <= set(REFERENCES)


def test_every_reference_is_complete_and_used():
    used = {"mobandits"}
    for member in [*classes().values(), *data_sets().values()]:
        used.update(getattr(member, "references", ()))
    papers = {name for name in mobandits_papers.__all__ if name in REFERENCES}
    assert set(REFERENCES) == used | papers
    for key, reference in REFERENCES.items():
        assert key == reference.key
        assert reference.title.strip() == reference.title
        assert 1900 < reference.year < 2100
        assert reference.kind == "misc" or reference.venue, key
        assert re.fullmatch(r"|\d{4}\.\d{4,5}", reference.arxiv), key
        assert re.fullmatch(r"|10\.\d{4,9}/\S+", reference.doi), key


def test_entries_are_bibtex():
    for reference in REFERENCES.values():
        entry = reference.bibtex()
        assert entry.isascii()
        assert entry.count("{") == entry.count("}")
        fields = re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE)
        assert len(fields) == len(entry.splitlines()) - 2
        assert {"author", "title", "year"} <= {name for name, _ in fields}


def test_teams_and_others_are_authors():
    team = Reference("t", "misc", ("The X team", "others"), "T", 2020).bibtex()
    assert "author = {{The X team} and others}" in team
    assert Reference("t", "misc", ("A, B.", "C, D."), "Why?", 2020).text() == (
        "B. A and D. C. Why? 2020."
    )


@pytest.fixture(scope="module")
def results():
    recipes = {"one": Doubling(MolTs(scale=0.3), first=8), "two": RandomChoice()}
    return simulate(recipes, environments.Linear(arms=4), rounds=20, trials=1, metrics=["reward"])


def test_a_run_cites_its_recipes_with_what_is_inside_of_them(results):
    text = results.cite()
    assert set(text.splitlines()[:4]) == {
        "% Doubling: mobandits",
        "% MolTs: molts2025",
        "% RandomChoice: mobandits",
        "% Linear: molts2025, moslb2024",
    }
    keys = re.findall(r"@\w+\{(\w+),", text)
    assert sorted(keys) == ["mobandits", "molts2025", "moslb2024"]


def test_results_that_were_read_cite_the_same(results, tmp_path):
    results.write(tmp_path / "run")
    assert Results.read(tmp_path / "run").cite() == results.cite()


def test_recipes_of_others_cite_what_they_name_or_say_that_nothing_is_known():
    found = citations({"policies": {"a": "Plain()", "b": "NobodyKnows(x=1)"}})
    assert found == [Citation("Plain", ()), Citation("NobodyKnows", ())]
    assert "% NobodyKnows: no reference is known" in bibtex(found)

    class Cited(Recipe):
        references = ("drugan2013",)

    assert citations({"policies": {"a": "Cited()"}}) == [Citation("Cited", ("drugan2013",))]
    assert simulate(Plain(), Tiny(), rounds=4, trials=1, metrics=["reward"]).cite()


def test_wrappers_and_maps_are_found_in_texts():
    text = repr(Forgetting(MolUcb(scale=0.3), discount=0.99))
    names = [each.name for each in citations({"policies": {"a": text}})]
    assert names == ["Forgetting", "MolUcb"]
    mapped = {"policies": {"a": "Features(map=Fourier(count=9, seed=0), recipe=MolUcb())"}}
    assert [each.name for each in citations(mapped)] == ["Features", "Fourier", "MolUcb"]


def test_sweeps_cite_what_they_play():
    text = repr(PreferenceSweep(MolUcb(scale=0.3), {"first": Lexicographic()}))
    found = citations({"policies": {"a": text}})
    assert Citation("PreferenceSweep", ("mobandits",)) in found
    assert Citation("MolUcb", ("molts2025", "moglb2019")) in found


def test_experiments_of_papers_cite_the_paper():
    run = {"experiment": "fig2", "policies": {"a": "Pcz()"}, "environment": "TwoRidges()"}
    found = citations({"experiment": "pcz2018/fig2", "runs": [run]})
    assert [each.name for each in found] == ["pcz2018/fig2", "Pcz", "TwoRidges"]


def test_names_are_those_of_the_command_line_and_of_python():
    assert citations_of_names(["mol-ts"]) == citations_of_names(["MolTs"])
    assert citations_of_names(["hillstrom"]) == [Citation("hillstrom", ("hillstrom2008",))]
    with pytest.raises(ValueError, match="did you mean mol-ts"):
        citations_of_names(["mol-tss"])


def test_each_reference_stands_once():
    found = citations_of_names(["cp-ucb1", "cs-ucb1", "moc-mab"])
    keys = [reference.key for reference in references_of(found)]
    assert keys == ["mobandits", "mocmab2018", "drugan2013"]


def test_links_are_those_of_the_identifiers():
    assert REFERENCES["mocmab2018"].links() == {
        "DOI": "https://doi.org/10.1109/TSP.2018.2841822",
        "arXiv": "https://arxiv.org/abs/1708.05655",
    }


def test_facts_are_those_of_the_citation_file():
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    own, _, papers = text.partition("\nreferences:\n")
    software = REFERENCES["mobandits"]
    assert f'title: "{software.title}"' in own
    assert f'name: "{software.authors[0]}"' in own
    assert f"date-released: {software.year}" in own
    known = {reference.title.lower(): reference for reference in REFERENCES.values()}
    entries = papers.split("  - type:")[1:]
    assert len(entries) == 5
    for entry in entries:
        reference = known[re.search(r'title: "(.*)"', entry)[1].lower()]
        assert f"year: {reference.year}" in entry
        pages = re.search(r"start: (\d+)\n +end: (\d+)", entry)
        assert pages is None or f"{pages[1]}-{pages[2]}" == reference.pages
