"""The pipe to oneself."""

from __future__ import annotations

import os
import threading
import time

from spearmint_int.launcher.wakeup import Wakeup


def test_a_wakeup_wakes_at_once_also_when_woken_before() -> None:
    wakeup = Wakeup()
    wakeup.set()
    begin = time.monotonic()
    wakeup.wait([], 10)
    threading.Timer(0.05, wakeup.set).start()
    wakeup.wait([], 10)
    assert time.monotonic() - begin < 5


def test_a_wakeup_notices_readable_files() -> None:
    read_fd, write_fd = os.pipe()
    os.close(write_fd)
    begin = time.monotonic()
    Wakeup().wait([read_fd], 10)
    assert time.monotonic() - begin < 5
    os.close(read_fd)
