"""The syntax trees of the modules of all packages, each parsed once per process for all tests that look into them."""

import ast
import functools
from pathlib import Path

import mobandits
import mobandits_client
import mobandits_papers
import mobandits_service

PACKAGE = Path(mobandits.__file__).parent
CLIENT = Path(mobandits_client.__file__).parent
PAPERS = Path(mobandits_papers.__file__).parent
SERVICE = Path(mobandits_service.__file__).parent


@functools.cache
def module_files():
    """Every module of mobandits, sorted."""
    return sorted(PACKAGE.rglob("*.py"))


@functools.cache
def client_files():
    """Every module of mobandits_client, sorted."""
    return sorted(CLIENT.rglob("*.py"))


@functools.cache
def paper_files():
    """Every module of mobandits_papers, sorted."""
    return sorted(PAPERS.rglob("*.py"))


@functools.cache
def service_files():
    """Every module of mobandits_service, sorted."""
    return sorted(SERVICE.rglob("*.py"))


def everything():
    """The modules of all distributions."""
    return [*module_files(), *client_files(), *paper_files(), *service_files()]


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
