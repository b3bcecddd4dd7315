"""A reference: the facts about one publication, data set or program, as BibTeX and as a line."""

from dataclasses import dataclass
from typing import Literal

from mobandits.support.latex import escaped
from mobandits.support.naming import conjunction

Kind = Literal["article", "inproceedings", "book", "misc"]
# The field that has the venue, by kind; of other kinds it is `howpublished`.
VENUES = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}


@dataclass(frozen=True)
class Reference:
    r"""The facts about one publication, data set or program; what is not known is empty.

    Args:
        key: names it, here and in BibTeX.
        kind: of the entry.
        authors: "Family, Given" each, in their order; a team has no comma; "others" for the rest.
        title: without markup.
        year: of publication.
        venue: the journal, or the proceedings.
        volume: of a journal.
        number: of the volume.
        pages: such as "235-256".
        arxiv: the identifier of a version on arXiv.
        doi: the identifier of the publication.
        url: where it is, if neither of these says so.
        note: anything else.

    Example:
        >>> print(Reference("a2026", "misc", ("Ada, A.",), "On x_1", 2026, arxiv="1.2").bibtex())
        @misc{a2026,
          author = {Ada, A.},
          title = {{On x\_1}},
          howpublished = {arXiv:1.2},
          year = {2026},
          eprint = {1.2},
          archiveprefix = {arXiv},
        }
    """

    key: str
    kind: Kind
    authors: tuple[str, ...]
    title: str
    year: int
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    arxiv: str = ""
    doi: str = ""
    url: str = ""
    note: str = ""

    def bibtex(self) -> str:
        """The entry, with every text escaped."""
        fields = self._fields()
        lines = [f"@{self.kind}{{{self.key},"]
        lines += [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        lines.append("}")

        return "\n".join(lines)

    def _fields(self) -> dict[str, str]:
        authors = [_author(name) for name in self.authors]
        # Old styles of BibTeX print no `eprint`.
        venue = self.venue
        if not venue and self.arxiv:
            venue = f"arXiv:{self.arxiv}"

        return {
            "author": " and ".join(authors),
            "title": f"{{{escaped(self.title)}}}",  # twice in braces: capitals stay
            VENUES.get(self.kind, "howpublished"): escaped(venue),
            "volume": escaped(self.volume),
            "number": escaped(self.number),
            "pages": escaped(self.pages).replace("-", "--"),
            "year": str(self.year),
            "doi": self.doi,
            "eprint": self.arxiv,
            "archiveprefix": "arXiv" if self.arxiv else "",
            "url": self.url,
            "note": escaped(self.note),
        }

    def links(self) -> dict[str, str]:
        """{name: address} of where it is."""
        addresses = {}
        if self.doi:
            addresses["DOI"] = f"https://doi.org/{self.doi}"
        if self.arxiv:
            addresses["arXiv"] = f"https://arxiv.org/abs/{self.arxiv}"
        if self.url:
            addresses["link"] = self.url

        return addresses

    def spoken_authors(self) -> tuple[str, ...]:
        """The authors as they are spoken of: given names first."""
        return tuple(_given_first(name) for name in self.authors)

    def text(self) -> str:
        """One sentence: authors, title, where, year.

        Example:
            >>> Reference("a", "article", ("Ada, A.", "Bo, B."), "On x", 2026, "J. of X").text()
            'A. Ada and B. Bo. On x. J. of X, 2026.'
        """
        people = conjunction(self.spoken_authors())
        title = self.title
        if not title.endswith(("?", "!")):
            title += "."

        pages = f"pages {self.pages}" if self.pages else ""
        parts = [self.venue, self._volume(), pages, str(self.year)]
        place = ", ".join(part for part in parts if part)
        sentences = f"{people}. {title} {place}."
        if self.note:
            sentences += f" {self.note}."

        return sentences

    def _volume(self) -> str:
        return f"{self.volume}({self.number})" if self.number else self.volume


def _author(name: str) -> str:
    """A name as BibTeX takes it."""
    if "," in name or name == "others":
        return escaped(name)
    # A team is one name: without braces its last word would be the family name.
    return f"{{{escaped(name)}}}"


def _given_first(name: str) -> str:
    """A name as it is spoken."""
    family, comma, given = name.partition(", ")
    return f"{given} {family}" if comma else family
