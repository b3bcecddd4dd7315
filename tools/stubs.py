"""Write the type stubs of packages whose public names are found in their modules: `make stubs`.

Type checkers, editors and the reference read `__init__.pyi`, because they do not run what finds the names.
"""

import importlib
import inspect
from pathlib import Path
from types import ModuleType

import mobandits
from mobandits.support.discovery import modules_of

PACKAGES = ("environments", "metrics", "orders", "policies")
ROOT = Path(mobandits.__file__).parent


def main() -> None:
    """Write every stub."""
    for package in PACKAGES:
        path_of(package).write_text(stub(package))


def path_of(package: str) -> Path:
    """Where a package's stub lies."""
    return ROOT / package / "__init__.pyi"


def stub(package: str) -> str:
    """The stub of a package: its docstring, an import per public name, and the names."""
    module = importlib.import_module(f"mobandits.{package}")
    homes = {name: home_of(module, name) for name in module.__all__}
    imports = [
        f"from {home} import {name} as {name}"
        for name, home in sorted(homes.items(), key=lambda row: row[::-1])
    ]
    # Constants first, as the linter sorts them.
    ordered = sorted(module.__all__, key=lambda name: (not name.isupper(), name))
    names = [f'    "{name}",' for name in ordered]
    return "\n".join([f'"""{module.__doc__}"""', "", *imports, "", "__all__ = [", *names, "]", ""])


def home_of(package: ModuleType, name: str) -> str:
    """The module that a public name of a package comes from."""
    home = inspect.getmodule(getattr(package, name))
    if home is not None:
        return home.__name__

    # A constant does not know its module.
    modules = modules_of(package.__name__)
    return next(module.__name__ for module in modules if name in vars(module))


if __name__ == "__main__":
    main()
