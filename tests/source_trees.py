"""The syntax trees of the modules of both packages, each parsed once per process for all tests that look into them."""

import ast
import functools
from pathlib import Path

import mobandits
import mobandits_client

PACKAGE = Path(mobandits.__file__).parent
CLIENT = Path(mobandits_client.__file__).parent


@functools.cache
def module_files():
    """Every module of mobandits, sorted."""
    return sorted(PACKAGE.rglob("*.py"))


@functools.cache
def client_files():
    """Every module of mobandits_client, sorted."""
    return sorted(CLIENT.rglob("*.py"))


@functools.cache
def source(path):
    """The text of a module."""
    return path.read_text()


@functools.cache
def tree(path):
    """The syntax tree of a module."""
    return ast.parse(source(path))


@functools.cache
def nodes(path):
    """All nodes of a module's syntax tree."""
    return list(ast.walk(tree(path)))
