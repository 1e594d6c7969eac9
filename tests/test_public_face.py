"""What is installed, what is public, and which way imports point."""

from __future__ import annotations

import ast
import importlib
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution, distributions
from pathlib import Path

import pytest

import spearmint_int

ROOT = Path(spearmint_int.__file__).parent
PUBLIC_MODULES = [
    "spearmint_int",
    "spearmint_int.acquisition",
    "spearmint_int.kernels",
    "spearmint_int.sampling",
]
# Each may import what stands before it (DESIGN: imports point one way).
LAYERS = [
    ["arrays", "errors", "blas", "registry", "value_text"],
    ["variables"],
    ["space"],
    ["kernels"],
    ["model"],
    ["sampling"],
    ["acquisition"],
    ["chooser"],
    ["analysis"],
]
# It has the names of parts that stand above it, for type checkers, and loads them by name.
NAMES_OTHERS = {"registry"}
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


def sources(part: str) -> list[Path]:
    package = ROOT / part
    return sorted(package.glob("*.py")) if package.is_dir() else sorted(ROOT.glob(f"{part}.py"))


def imported_parts(path: Path) -> set[str]:
    """The parts of spearmint_int that a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module == "spearmint_int":
            names.update(f"spearmint_int.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.split(".")[1] for name in names if name.startswith("spearmint_int.")}


@pytest.mark.parametrize("module", PUBLIC_MODULES)
def test_public_names_are_sorted_and_can_be_imported(module: str) -> None:
    names = importlib.import_module(module).__all__
    assert list(names) == sorted(names, key=lambda name: (name.upper() != name, name))
    for name in names:
        assert getattr(importlib.import_module(module), name) is not None


def test_public_names_are_listed_by_dir() -> None:
    assert set(spearmint_int.__all__) <= set(dir(spearmint_int))


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'maximise'"):
        _ = spearmint_int.maximise


def test_a_checkout_that_is_not_compiled_says_so_where_it_comes_first(tmp_path: Path) -> None:
    source = Path(spearmint_int.__file__).parent
    shutil.copytree(source, tmp_path / source.name, ignore=shutil.ignore_patterns("*.so"))
    code = [sys.executable, "-c", "from spearmint_int import minimize"]
    ended = subprocess.run(code, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = ended.stderr.splitlines()[-1]
    assert told.startswith(f"ImportError: {tmp_path} has the source of spearmint_int, not compiled")
    assert "pip install --editable" in told


def test_the_version_is_that_of_the_distribution() -> None:
    assert distribution("spearmint-int").version == spearmint_int.__version__


def test_nothing_but_spearmint_int_is_installed() -> None:
    """PyPI has a `kernels` of its own: a bare top-level name would clash."""
    # by its folder: beside a checkout the build's own metadata lists the sources
    installed = distributions(name="spearmint-int", path=[sysconfig.get_path("platlib")])
    files = [file for found in installed for file in found.files or []]
    assert files
    tops = {file.parts[0] for file in files if file.parts[0] != ".."}
    ours = {
        top for top in tops if not top.startswith(("spearmint_int", "__editable__", "__pycache__"))
    }
    assert ours == set()
    top_level = distribution("spearmint-int").read_text("top_level.txt") or "spearmint_int"
    assert top_level.split() == ["spearmint_int"]


@pytest.mark.parametrize("name", ["kernels", "sampling", "acquisition"])
def test_the_root_folders_are_not_importable_by_their_bare_names(name: str, tmp_path: Path) -> None:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is not None)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0


def test_every_part_of_the_numeric_half_is_where_this_test_looks_for_it() -> None:
    for part in RANK:
        assert sources(part)


@pytest.mark.parametrize("part", [p for p in RANK if p not in NAMES_OTHERS])
def test_imports_of_the_numeric_half_point_one_way(part: str) -> None:
    for path in sources(part):
        for other in imported_parts(path) - {part}:
            assert other in RANK, f"{path.name} imports {other}, which is not of the numeric half"
            assert RANK[other] <= RANK[part], f"{path.name} imports {other}, which stands above it"


@pytest.mark.parametrize("part", ["experiment", "library"])
def test_what_is_asked_knows_nothing_of_those_who_ask(part: str) -> None:
    above = {"cli", "dashboard", "integrations", "manager", "report"}
    above |= {"library", "plots", "snapshot"} if part == "experiment" else set()
    for path in sources(part):
        others = imported_parts(path) & above
        assert not others, f"{path.name} imports {others}, which stand above {part}"


def test_nothing_imports_the_command_line() -> None:
    for path in ROOT.rglob("*.py"):
        if path.parent.name != "cli" and path.name != "__main__.py":
            assert "cli" not in imported_parts(path), f"{path.relative_to(ROOT)} imports cli"


def test_the_chooser_loads_no_database_and_no_config() -> None:
    code = (
        "import sys, spearmint_int.chooser; "
        "sys.exit(bool({'pymongo', 'sqlite3', 'pydantic', 'click'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_importing_the_package_loads_no_linear_algebra() -> None:
    code = "import sys, spearmint_int; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_compiled_modules_have_stubs() -> None:
    root = ROOT.parent
    for folder in ("kernels", "sampling", "acquisition", "spearmint_int/model"):
        for source in (root / folder).glob("*.pyx"):
            assert source.with_suffix(".pyi").exists()
