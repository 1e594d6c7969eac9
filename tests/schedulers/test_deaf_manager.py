"""A worker whose manager is killed at any moment of its start still does its job."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from spearmint_int import worker
from spearmint_int.jobs import JobStatus
from spearmint_int.launcher.forkserver import send_order
from spearmint_int.stores import Store
from spearmint_int.testing.orders import claimed_order
from tests.launcher.launches import eventually
from tests.places import Place

pytestmark = pytest.mark.timeout(60)

SQUARE = "def main(job_id, params): return params['x'][0] ** 2"


def test_a_worker_that_nobody_listens_to_keeps_its_result(place: Place, store: Store) -> None:
    _, order = claimed_order(place, store, SQUARE)
    ours, theirs = socket.socketpair()
    words = [sys.executable, str(Path(worker.__file__)), "serve", str(theirs.fileno())]
    with theirs, subprocess.Popen(words, pass_fds=[theirs.fileno()]) as server, ours:
        read_fd, write_fd = os.pipe()
        send_order(ours, order, write_fd)
        os.close(write_fd)
        os.close(read_fd)  # as the kernel does when the manager dies
        assert eventually(lambda: store.job(1).status is not JobStatus.PENDING, 20.0)
        ours.close()
        assert server.wait(20.0) == 0
    assert (store.job(1).values, store.job(1).failures) == ({"main": 4.0}, ())
