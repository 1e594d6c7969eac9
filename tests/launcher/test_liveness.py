"""Who is known to be dead, and who is not."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from spearmint_int.launcher.liveness import (
    is_known_alive,
    is_known_dead,
    new_owner,
    owner_is_dead,
    process_start,
)


def test_a_live_manager_is_not_dead_and_names_are_unique() -> None:
    assert not owner_is_dead(new_owner())
    assert new_owner() != new_owner()


def test_a_manager_that_ended_here_is_dead() -> None:
    code = "from spearmint_int.launcher.liveness import new_owner; print(new_owner())"
    owner = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert owner_is_dead(owner.stdout.strip())


def test_a_pid_that_was_given_away_is_another_process() -> None:
    host, pid, start, nonce = new_owner().split(":")
    numbering, _, tick = start.rpartition(".")
    assert owner_is_dead(f"{host}:{pid}:{numbering}.{int(tick) - 1}:{nonce}")


@pytest.mark.parametrize("part", [0, 1], ids=["boot", "namespace"])
def test_a_pid_of_another_boot_or_container_with_our_hostname_is_not_known_to_be_dead(
    part: int,
) -> None:
    host, _, start, nonce = new_owner().split(":")
    parts = start.split(".")
    parts[part] = "another"
    assert not owner_is_dead(f"{host}:4000000:{'.'.join(parts)}:{nonce}")


def test_a_process_whose_start_is_not_known_is_not_known_to_be_dead() -> None:
    assert not is_known_dead(4_000_000, "")


def test_a_process_is_known_to_live_until_it_has_ended_and_not_as_a_zombie() -> None:
    with subprocess.Popen(["sleep", "100"]) as process:
        start = process_start(process.pid)
        assert is_known_alive(process.pid, start)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert process_start(process.pid) == start, "a zombie has its number still"
        assert not is_known_alive(process.pid, start)
    assert not is_known_alive(process.pid, start)


def test_what_can_not_be_compared_is_not_known_to_live() -> None:
    assert not is_known_alive(os.getpid(), "")
    assert not is_known_alive(os.getpid(), f"another.{process_start(os.getpid())}")


def test_a_container_with_our_hostname_can_not_see_us_and_does_not_take_us_for_dead() -> None:
    ours = new_owner()
    code = (
        f"from spearmint_int.launcher.liveness import owner_is_dead; print(owner_is_dead({ours!r}))"
    )
    words = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", code]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        pytest.skip(f"no PID namespace can be made here: {answer.stderr.strip()}")
    assert answer.stdout.strip() == "False"


@pytest.mark.parametrize("owner", ["elsewhere:1:1:x", "somebody", ""])
def test_of_other_machines_nothing_is_known(owner: str) -> None:
    assert not owner_is_dead(owner)
