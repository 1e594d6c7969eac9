"""The README and the guide: every block of code in them runs as pasted, and the pages build."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import pytest

from spearmint_int.cli.program import exit_code, program
from spearmint_int.config import config_from
from spearmint_int.config.document import Document
from spearmint_int.config.reference import reference_text

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page: Path, language: str) -> list[str]:
    pattern = rf"^```{language}\n(.*?)^```"
    return re.findall(pattern, page.read_text(encoding="utf-8"), flags=re.M | re.S)


def all_blocks(language: str) -> list[tuple[str, str]]:
    return [(f"{p.stem}-{i}", text) for p in PAGES for i, text in enumerate(blocks(p, language))]


PYTHON = all_blocks("python")
JSON = all_blocks("json")


@pytest.mark.parametrize("text", [t for _, t in PYTHON], ids=[name for name, _ in PYTHON])
def test_every_python_block_runs_as_pasted(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "document", "exec"), {"__name__": "document"})


@pytest.mark.parametrize("text", [t for _, t in JSON], ids=[name for name, _ in JSON])
def test_every_json_block_is_a_config_or_part_of_one(text: str, tmp_path: Path) -> None:
    needed = {"main-file": "f", "variables": {"x": {"type": "INT", "min": 0, "max": 1}}}
    config_from(needed | json.loads(text), tmp_path)


def test_the_readmes_experiment_runs_to_its_end(tmp_path: Path) -> None:
    (config,) = blocks(ROOT / "README.md", "json")
    (tmp_path / "config.json").write_text(config)
    (tmp_path / json.loads(config)["main-file"]).write_text(blocks(ROOT / "README.md", "python")[0])
    assert exit_code(["check", str(tmp_path)]) == 0
    assert exit_code(["run", str(tmp_path), "--plain"]) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_command_that_a_page_names_is_there(page: Path) -> None:
    named = re.findall(r"spearmint-int ([a-z]+)", page.read_text(encoding="utf-8"))
    assert set(named) <= set(program.commands)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_link_to_a_file_of_ours_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8")):
        assert target.startswith("http") or (page.parent / target).exists(), target


def test_the_config_reference_has_every_key() -> None:
    text = reference_text()
    for name, field in Document.model_fields.items():
        assert f"`{(field.alias or name).replace('_', '-')}`" in text


def test_every_key_of_the_config_reference_has_a_meaning() -> None:
    rows = [line for line in reference_text().splitlines() if line.startswith("| `")]
    assert [row for row in rows if row.endswith("|  |")] == []


def test_the_pages_build_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    pytest.importorskip("mkdocstrings")
    source = tmp_path / "guide"
    shutil.copytree(ROOT / "docs", source / "docs")
    shutil.copy(ROOT / "mkdocs.yml", source)
    (source / "docs" / "config.md").write_text(reference_text(), encoding="utf-8")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],  # with --quiet nothing is counted
        cwd=source, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr


@pytest.mark.slow
def test_the_readmes_commands_run_on_a_fresh_clone(tmp_path: Path) -> None:
    subprocess.run(["git", "clone", "--quiet", str(ROOT), "clone"], cwd=tmp_path, check=True)
    (commands,) = blocks(ROOT / "README.md", "sh")
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    for command in commands.splitlines():
        subprocess.run(command.split(), cwd=tmp_path / "clone", check=True, env=environment)
    assert (tmp_path / "clone" / "my-experiment" / "spearmint.sqlite").exists()


def test_the_table_of_extras_has_all_of_them() -> None:
    table = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    extras = metadata("spearmint-int").get_all("Provides-Extra") or []
    assert extras
    assert [extra for extra in extras if f"`{extra}`" not in table] == []
