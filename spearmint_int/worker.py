"""The worker's entry point, run by its path or as `python -m spearmint_int.worker`.

worker.py serve FD      start a worker for each order that comes through the socket FD
worker.py run FILE ID   be the worker of the order in the file, by its id in a batch system
"""

from __future__ import annotations

import socket
import sys
from pathlib import Path


def main(argv: list[str]) -> int | str:
    """Do what the arguments say; the exit status, or a sentence that says what is wrong."""
    from spearmint_int.launcher.forkserver import serve  # noqa: PLC0415 (after the path is set)
    from spearmint_int.launcher.order import Order  # noqa: PLC0415
    from spearmint_int.launcher.process import adopt_orphans, end_children  # noqa: PLC0415
    from spearmint_int.launcher.supervisor import supervise_after_queue  # noqa: PLC0415
    from spearmint_int.launcher.wakeup import QUEUE_SIGNALS, set_by_signals  # noqa: PLC0415

    if argv[1:2] == ["serve"]:
        with socket.socket(fileno=int(argv[2])) as channel:
            serve(channel)
    elif argv[1:2] == ["run"]:
        interrupt = set_by_signals(*QUEUE_SIGNALS)
        path = Path(argv[2])
        try:
            order = Order.from_json(path.read_text(encoding="utf-8"))
        except OSError as error:
            return f"no order for this worker: {path} can't be read ({error.strerror})"
        adopt_orphans()
        supervise_after_queue(
            order,
            interrupt,
            proc_id="".join(argv[3:4]) or None,
            attached=lambda: path.unlink(missing_ok=True),
        )
        end_children()
    else:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    return 0


if __name__ == "__main__":
    # Not the current folder: a `random.py` beside a config must not shadow Python's own.
    sys.path[0] = str(Path(__file__).resolve().parents[1])
    sys.exit(main(sys.argv))
