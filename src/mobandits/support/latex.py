"""Any text as LaTeX that pdflatex sets as it stands, and as BibTeX keeps it."""

import re
import unicodedata

SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
}
SIGNS = {
    "−": "$-$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "·": r"$\cdot$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "≈": r"$\approx$",
    "∞": r"$\infty$",
    "→": r"$\rightarrow$",
    "°": r"$^{\circ}$",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`",
    "’": "'",
    "“": "``",
    "”": "''",
    "ß": r"\ss{}",
    "ı": r"\i{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "€": r"\texteuro{}",
    "£": r"\pounds{}",
    "§": r"\S{}",
    "\u00a0": "~",
}
SOURCES = SPECIAL | SIGNS
# Combining characters, as the commands that put them on a letter.
ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0327": "c",
    "\u0328": "k",
}
GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "o",
    "pi",
    "rho",
    "sigma",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
CAPITALS = "ΓΔΘΛΞΠΣΥΦΨΩ"  # others look like Latin letters
FIRST_GREEK = "α"


def escaped(text: str) -> str:
    r"""A text as LaTeX source: on one line, and nothing in it is a command.

    Accents, Greek letters and common signs become commands; a character that none of the standard
    fonts has becomes its code point.

    Example:
        >>> escaped("scale_0.5 & 95 %"), escaped("Öner ≤ μ")
        ('scale\\_0.5 \\& 95 \\%', '\\"{O}ner $\\leq$ $\\mu$')
        >>> escaped("界")
        '[U+754C]'
    """
    line = re.sub(r"[\n\r\t]+", " ", text)
    sources = []
    before = ""
    for character in line:
        # Two hyphens would become a dash.
        if character == before == "-":
            sources.append("{}")
        sources.append(_character(character))
        before = character

    return "".join(sources)


def _character(character: str) -> str:
    if character in SOURCES:
        return SOURCES[character]
    if character.isascii():
        return character if character.isprintable() else ""

    accented = _accented(character)
    if accented:
        return accented

    greek = _greek(character)

    return greek or f"[U+{ord(character):04X}]"


def _accented(character: str) -> str:
    """A letter with an accent, or nothing."""
    parts = unicodedata.normalize("NFD", character)
    if len(parts) != 2:
        return ""

    letter = parts[0]
    accent = parts[1]
    if accent not in ACCENTS or not letter.isascii():
        return ""

    if letter in "ij":  # without their dots
        letter = rf"\{letter}"

    command = ACCENTS[accent]

    return rf"\{command}{{{letter}}}"


def _greek(character: str) -> str:
    """A Greek letter as a formula, or nothing."""
    small = character.lower()
    position = ord(small) - ord(FIRST_GREEK) if len(small) == 1 else -1
    if not 0 <= position < len(GREEK):
        return ""

    name = GREEK[position]
    if character == small:
        return f"${name}$" if name == "o" else rf"$\{name}$"
    if character in CAPITALS:
        return rf"$\{name.capitalize()}$"

    return ""
