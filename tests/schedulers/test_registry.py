"""Schedulers by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from spearmint_int.config import Resource
from spearmint_int.errors import SchedulerError, UnknownNameError
from spearmint_int.schedulers import LocalScheduler, open_scheduler


def test_local_is_there(tmp_path: Path) -> None:
    scheduler = open_scheduler(Resource(), tmp_path)
    assert isinstance(scheduler, LocalScheduler)
    scheduler.close()


@pytest.mark.parametrize("name", ["slurm", "sge", "pbs"])
def test_a_cluster_without_its_commands_is_told_which_one_is_missing(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SchedulerError, match=r"(sbatch|qsub) is not on PATH; .* needs"):
        open_scheduler(Resource(scheduler=name), tmp_path)


def test_an_unknown_name_lists_the_valid_ones(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="there are local"):
        open_scheduler(Resource.model_construct(scheduler="dask"), tmp_path)


def test_a_typing_error_gets_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'local'"):
        open_scheduler(Resource.model_construct(scheduler="locl"), tmp_path)
