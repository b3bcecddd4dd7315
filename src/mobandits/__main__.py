"""`python -m mobandits` is `mobandits`."""

from mobandits.cli.program import main

main()
