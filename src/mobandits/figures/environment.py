"""The reader of templates, for pages in files and those of a service."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment_of(*folders: Path) -> Environment:
    """The templates of some folders, which escape every text.

    Args:
        folders: with the templates; the first one that has a name counts.

    Example:
        >>> environment_of(Path()).from_string("{{ name }}").render(name="a < b")
        'a &lt; b'
    """
    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not an empty place in a page
        trim_blocks=True,
        lstrip_blocks=True,
    )
