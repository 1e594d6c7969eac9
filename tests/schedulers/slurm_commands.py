"""sbatch, squeue and scancel as scripts that say what a test wants."""

from __future__ import annotations

from pathlib import Path

import pytest


class Commands:
    """sbatch, squeue and scancel as scripts; `squeue` prints the file `answer`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("sbatch", "cat >script; echo 17")
        self.write("squeue", "echo >>asked; cat answer")
        self.write("scancel", 'echo "$@" >>cancelled')
        self.answer("17 PENDING Resources\n")

    def write(self, name: str, code: str) -> None:
        path = self.folder / name
        path.write_text(f"#!/bin/sh\ncd '{self.folder}'\n{code}\n")
        path.chmod(0o755)

    def answer(self, text: str) -> None:
        (self.folder / "answer").write_text(text)

    def lines(self, name: str) -> list[str]:
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []


def commands_on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Commands:
    """Them, before the commands that the machine may have."""
    folder = tmp_path / "commands"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return Commands(folder)
