"""Names of the built-in parts, and what is not loaded for them."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from spearmint_int.errors import PluginError, UnknownNameError, alternatives
from spearmint_int.registry import KERNELS, PLOTS, REGISTRIES, Entry, Registry

ALL = pytest.mark.parametrize("registry", REGISTRIES.values(), ids=lambda r: r.kind)


@ALL
def test_every_built_in_name_stands_for_something(registry: Registry[Any]) -> None:
    for name in registry:
        assert registry[name] is not None
        assert registry.about(name)


@ALL
def test_an_unknown_name_is_refused(registry: Registry[Any]) -> None:
    assert "qqqq" not in registry
    with pytest.raises(UnknownNameError, match=f"unknown {registry.kind} 'qqqq'; there are "):
        registry["qqqq"]


def test_names_are_known_without_an_import_of_what_they_stand_for() -> None:
    code = (
        "import sys; from spearmint_int.registry import REGISTRIES; "
        "names = [list(registry) for registry in REGISTRIES.values()]; "
        "sys.exit(bool({'numpy', 'pymongo'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_config_of_built_in_names_is_read_without_a_look_at_other_packages() -> None:
    """That costs 20 ms; whether pydantic has imported the means for it is not ours to say."""
    code = (
        "from pathlib import Path; from spearmint_int.config import load_config; "
        "from spearmint_int.registry import REGISTRIES; load_config(Path('configs/branin-int')); "
        "raise SystemExit(any('_installed' in vars(r) for r in REGISTRIES.values()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_registered_name_is_there_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KERNELS, "_values", {})
    KERNELS.register("mine", KERNELS["matern32"])
    assert "mine" in KERNELS
    assert KERNELS["mine"] is KERNELS["matern32"]


def test_names_have_the_order_of_their_table_and_those_of_others_come_last() -> None:
    names: Registry[str] = Registry("letter", {"b": Entry("m:b", "b"), "a": Entry("m:a", "a")})
    names.register("c", "c")
    names.register("B", "B")
    assert list(names) == ["b", "a", "B", "c"]
    assert next(iter(PLOTS)) == "progress"


def test_a_package_cant_take_a_built_in_name() -> None:
    registry = Registry[Any]("kernel", {"sqrt": Entry("math:sqrt", "a root")})
    registry.__dict__["_installed"] = {"sqrt": [entry("sqrt", "math:floor")]}
    assert registry["sqrt"](4.0) == 2.0


def test_a_name_in_two_packages_is_refused() -> None:
    registry = Registry[Any]("kernel", {})
    registry.__dict__["_installed"] = {"k": [entry("k", "math:floor"), entry("k", "math:ceil")]}
    with pytest.raises(PluginError, match=r"kernel 'k' is in .* and .*; uninstall one of them"):
        registry["k"]


def entry(name: str, value: str) -> EntryPoint:
    return EntryPoint(name, value, "spearmint_int.kernels")


def test_one_known_name_is_told_in_the_singular_and_several_in_the_plural() -> None:
    assert alternatives("zzz", ["depth"]) == "; there is depth"
    assert alternatives("zzz", ["depth", "rate"]) == "; there are depth, rate"
