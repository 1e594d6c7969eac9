"""When a process began: with its id, the only sure way to tell it from a later one."""

from __future__ import annotations


def birth_of(pid: int) -> str:
    """The start time in the kernel's ticks since boot; empty where it can't be known."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            # The name, in parentheses, may hold anything; field 22 counts from before it.
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
