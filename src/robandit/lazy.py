"""Classes of a package of parts, imported when first used: `robandit.policies.Samba` without a list to keep."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any


def modules_in(package: str, folders: Iterable[str], likely: str = "") -> Iterator[ModuleType]:
    """Import and yield each module of a package and of the packages inside it, first those named like a class."""
    names = [item.name for item in pkgutil.walk_packages(folders, f"{package}.")]
    for name in sorted(names, key=lambda name: name.rpartition(".")[2].replace("_", "") not in likely.lower()):
        yield importlib.import_module(name)


def find_class(package: str, folders: Iterable[str], name: str) -> Any:
    """Return the class that one of the package's modules defines; raises AttributeError where none does."""
    if name[:1].isupper():  # other names are submodules, or what an interpreter looks for
        for module in modules_in(package, folders, name):
            cls = vars(module).get(name)
            if inspect.isclass(cls) and cls.__module__ == module.__name__:
                return cls
    raise AttributeError(f"module {package!r} has no attribute {name!r}")


def part_names(package: str, folders: Iterable[str]) -> list[str]:
    """Return the names of the catalogued classes of a package, sorted."""
    return sorted(
        name
        for module in modules_in(package, folders)
        for name, cls in inspect.getmembers(module, inspect.isclass)
        if cls.__module__ == module.__name__ and "about" in vars(cls)
    )
