"""The reader of templates, for pages in files and those of a service."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def environment_of(folder: Path) -> Environment:
    """The templates of a folder, which escape every text.

    Args:
        folder: with the templates.

    Example:
        >>> environment_of(Path()).from_string("{{ name }}").render(name="a < b")
        'a &lt; b'
    """
    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name is an error, not an empty place in a page
        trim_blocks=True,
        lstrip_blocks=True,
    )
