"""The command line: it parses, calls, and prints a user's mistakes in a line each.

Every command imports what it needs when it runs: `mobandits --help` loads neither a compiler nor
tables. `program` has the program and its table of commands; the modules beside it have the
commands, and so have those of other distributions.
"""
