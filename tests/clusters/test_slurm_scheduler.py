"""The scheduler's contract, on a real Slurm."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from spearmint_int.config import Resource
from spearmint_int.errors import SchedulerError
from spearmint_int.schedulers import Scheduler, WorkerState, open_scheduler
from spearmint_int.stores import Store
from spearmint_int.testing import SchedulerContract
from spearmint_int.testing.orders import claimed_order
from spearmint_int.testing.scheduler_contract import SLEEP, SQUARE, state, wait_until
from tests.clusters.slurm import SlurmCluster
from tests.places import Place

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(180)]


def opened(place: Place, **keys: object) -> Scheduler:
    resource = Resource.model_validate({"scheduler": "SLURM", **keys})
    return open_scheduler(resource, place.directory, poll_seconds=0.5)


@pytest.fixture
def scheduler(place: Place, slurm: SlurmCluster) -> Iterator[Scheduler]:
    scheduler = opened(place)
    yield scheduler
    scheduler.close()


@pytest.fixture
def another_scheduler(place: Place, slurm: SlurmCluster) -> Callable[[], Scheduler]:
    return lambda: opened(place)


class TestSlurm(SchedulerContract):
    """It keeps what every scheduler promises."""


def test_a_job_is_named_and_its_output_is_where_a_local_jobs_is(
    place: Place, store: Store, slurm: SlurmCluster, scheduler: Scheduler
) -> None:
    code = "def main(job_id, params): print('said'); return 1"
    proc_id = scheduler.submit(claimed_order(place, store, code)[1])
    assert wait_until(lambda: state(scheduler, proc_id).is_over)
    name = slurm.run("squeue", "--states=all", "-h", "-j", proc_id, "-o", "%j")
    assert name == f"spearmint-int-{place.experiment_name.replace(' ', '_')}-1"
    assert (place.directory / "output" / "00000001.out").read_text() == "said\n"
    assert list((place.directory / "output" / "queue").iterdir()) == []


def test_scheduler_args_are_options_of_sbatch(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    scheduler = opened(place, **{"scheduler-args": "--time 7 --comment 'of ours'"})
    proc_id = scheduler.submit(claimed_order(place, store, SQUARE)[1])
    told = slurm.run("squeue", "--states=all", "-h", "-j", proc_id, "-o", "%l %k")
    assert told == "7:00 of ours"
    assert wait_until(lambda: state(scheduler, proc_id).is_over)
    scheduler.close()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("-p nowhere", "Invalid partition name"),
        ("--mem=900G", "Requested node configuration is not available"),
        (["--time", "soon"], "Invalid --time specification"),
        ("--nonsense", "unrecognized option"),
    ],
)
def test_what_sbatch_refuses_is_told_in_its_words(
    place: Place, store: Store, slurm: SlurmCluster, options: object, complaint: str
) -> None:
    scheduler = opened(place, **{"scheduler-args": options})
    with pytest.raises(SchedulerError, match=f"sbatch failed: .*{complaint}"):
        scheduler.submit(claimed_order(place, store, SQUARE)[1])
    assert list((place.directory / "output" / "queue").iterdir()) == []
    scheduler.close()


def test_a_job_that_no_node_is_large_enough_for_is_held(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    scheduler = opened(place, **{"scheduler-args": ["--cpus-per-task", "99"]})
    proc_id = scheduler.submit(claimed_order(place, store, SQUARE)[1])
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.HELD)
    scheduler.cancel(proc_id)
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.GONE)
    scheduler.close()


def test_a_queued_worker_is_told_apart_and_can_be_cancelled(
    place: Place, store: Store, slurm: SlurmCluster
) -> None:
    scheduler = opened(place, **{"scheduler-args": "--begin=now+1hour"})
    proc_id = scheduler.submit(claimed_order(place, store, SLEEP)[1])
    assert not wait_until(lambda: state(scheduler, proc_id) is not WorkerState.QUEUED, 2.0)
    scheduler.cancel(proc_id)
    assert wait_until(lambda: state(scheduler, proc_id) is WorkerState.GONE)
    scheduler.close()
