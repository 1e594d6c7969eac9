"""Every broken config ends `run` and `check` with one sentence, exit code 2 and nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.cli.program import exit_code
from tests.broken.configs import BROKEN_CONFIGS, GOOD


@pytest.fixture(params=BROKEN_CONFIGS)
def broken(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A folder with a broken config, and the sentence that it must get."""
    text, sentence = BROKEN_CONFIGS[request.param]
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    (tmp_path / "objective.py").write_text("def main(job_id, params):\n    return 1.0\n")
    return tmp_path, sentence


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_broken_config_is_one_sentence(
    broken: tuple[Path, str], command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    folder, sentence = broken
    files = sorted(folder.iterdir())
    assert exit_code([command, str(folder)]) == 2
    out, err = capfd.readouterr()
    assert err.startswith(f"error: {sentence}")
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    assert sorted(folder.iterdir()) == files


def test_the_config_that_they_are_made_from_is_good(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(GOOD)
    (tmp_path / "objective.py").write_text("def main(job_id, params):\n    return 1.0\n")
    assert exit_code(["check", str(tmp_path)]) == 0
    assert capfd.readouterr().err == ""
