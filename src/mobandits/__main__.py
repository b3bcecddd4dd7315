"""`python -m mobandits` is `mobandits`."""

from mobandits.cli import main

main()
