"""The names of choosers, kernels and acquisitions that a config may give."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from spearmint_int.config.showing import show
from spearmint_int.errors import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spearmint_int.config.document import Document

# The built-in names stand here as well, so that a config without plugins is read without numpy.
BUILT_IN = {
    "chooser": ("default_chooser", "random_chooser", "sequential_chooser"),
    "acquisition": ("auto", "ei", "lcb", "nei", "pi", "thompson"),
    "kernel": ("matern52", "squared_exponential"),
}
REGISTRIES = {
    "chooser": ("spearmint_int.chooser", "CHOOSERS"),
    "acquisition": ("spearmint_int.acquisition", "ACQUISITIONS"),
    "kernel": ("spearmint_int.kernels", "KERNELS"),
}


def unknown_names(document: Document) -> Iterator[tuple[list[str | int], str]]:
    """A fault for each name that is in no registry."""
    for key, built_in in BUILT_IN.items():
        name = getattr(document, key)
        if name not in built_in and name not in (known := sorted({*built_in, *registered(key)})):
            near = nearest(name, known)
            hint = f"did you mean {near!r}?" if near else f"there is {', '.join(known)}"
            yield [key], f"no such {key}, got {show(name)}; {hint}"


def registered(key: str) -> list[str]:
    """Every name in the registry of `key`, plugins too."""
    module, registry = REGISTRIES[key]
    return sorted(getattr(import_module(module), registry))
