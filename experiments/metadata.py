"""What a result has to carry to be repeated: seed, versions, the class of machine."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PACKAGES = ("numpy", "scipy", "scikit-learn", "spearmint-int")


def metadata(packages: Iterable[str] = PACKAGES, **facts: Any) -> dict[str, Any]:
    """The facts given, with versions and the machine's class (no names, no paths)."""
    return {
        **facts,
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in packages},
        "machine": {
            "system": platform.system(),
            "architecture": platform.machine(),
            "processor": _processor(),
            "cores": len(os.sched_getaffinity(0)),
        },
    }


def write_metadata(path: Path, facts: dict[str, Any]) -> None:
    """As readable JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    """The model that Linux tells, or what Python knows."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [
                line.split(":", 1)[1].strip() for line in file if line.startswith("model name")
            ]
    except OSError:
        names = []
    return names[0] if names else platform.processor()
