"""The folder of a library's run: a config and a job store, as the command line has them.

`spearmint-int status`, `jobs`, `best` and `export` work on it, and the next run goes on from it.
"""

from __future__ import annotations

import os
import time
import warnings
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from spearmint_int.errors import ConfigError, SpearmintError
from spearmint_int.experiment.history import CHAIN
from spearmint_int.launcher.liveness import new_owner, owner_is_dead
from spearmint_int.launcher.output import take_lock
from spearmint_int.library.folder_config import (
    NOT_WRITTEN,
    begun_config,
    gone_on_config,
    known_config,
)
from spearmint_int.library.optimizer import Optimizer
from spearmint_int.library.stored_optimizer import StoredOptimizer
from spearmint_int.stores import open_store

LOCK_FILE = ".minimize.lock"
FORKS_MOMENT = 5.0  # seconds that a fork may take to let go of a lock, on a busy machine


@contextmanager
def optimizer_in(
    path: str | Path,
    asked: Optimizer,
    *,
    given: Collection[str],
    initial: Iterable[Mapping[str, Any]] = (),
) -> Iterator[StoredOptimizer]:
    """What was asked for, with all that the folder knows; `given` are the options that the call
    names, and all others are the folder's. SpearmintError where another process has the folder,
    ConfigError where it can't be gone on from."""
    directory = _made(Path(path))
    with ExitStack() as stack:
        stack.enter_context(closing(FolderLock(directory)))
        known = known_config(directory)
        new = gone_on_config(known, asked, given) if known else begun_config(directory, asked)
        config, sentences = new.config, list(new.sentences)
        store = stack.enter_context(closing(open_store(config)))
        if known is not None and new.text is not None:
            store.save_chain(CHAIN, {})  # its numbers may mean something else now
        options = config.chooser_options()
        if NOT_WRITTEN in given:
            options = replace(options, threads=asked.options.threads)
        optimizer = StoredOptimizer(config, store, options=options, initial=initial)
        stack.enter_context(closing(optimizer))
        new.write()
        if "seed" in given and optimizer.seed != asked.seed:
            sentences.append(_ignored_seed(directory, asked.seed, optimizer.seed))
        for sentence in sentences:
            warnings.warn(sentence, stacklevel=4)  # above the `with` and minimize: its caller
        yield optimizer


def _made(directory: Path) -> Path:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise ConfigError(f"{directory}: must be a folder, is or lies in a file") from None
    except OSError as error:
        raise ConfigError(f"{directory}: can't be made: {error.strerror}") from None
    return directory


def _ignored_seed(directory: Path, given: int, seed: int) -> str:
    return (
        f"{directory}: its seed is {seed}, that of the first call; seed={given} has no effect: "
        "leave it out, or take another folder"
    )


# --- one at a time --------------------------------------------------------------------------------


class FolderLock:
    """Held while a run is at work in the folder; the kernel drops it with the process, however that
    ended."""

    def __init__(self, directory: Path) -> None:
        """SpearmintError where another run holds it, or nobody can."""
        file = directory / LOCK_FILE
        try:
            self._fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise SpearmintError(f"{file}: can't be written: {error.strerror}") from None
        if not self._take(file):
            self.close()
            raise SpearmintError(
                f"{directory}: another minimize is at work in it{_holder(file)}; wait until it has "
                "ended, or take another folder; to evaluate several points at a time, give it "
                "n_jobs, or make it an experiment for 'spearmint-int run'"
            )
        os.ftruncate(self._fd, 0)
        os.write(self._fd, new_owner().encode())
        _HELD.add(self)

    def _take(self, file: Path) -> bool:
        """Take the lock. A process that a killed holder has just forked has it for a moment more,
        until it runs `_let_go_in_fork`."""
        deadline = time.monotonic() + FORKS_MOMENT
        while not take_lock(self._fd):
            if time.monotonic() > deadline or not owner_is_dead(_owner(file)):
                return False
            time.sleep(0.02)
        return True

    def close(self) -> None:
        with suppress(OSError):  # a fork has closed it
            os.close(self._fd)


_HELD: weakref.WeakSet[FolderLock] = weakref.WeakSet()


def _let_go_in_fork() -> None:
    """A process that the function leaves behind must not hold the lock of one that was killed."""
    for lock in list(_HELD):
        lock.close()


os.register_at_fork(after_in_child=_let_go_in_fork)


def _owner(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _holder(file: Path) -> str:
    host, pid, *_ = (*_owner(file).split(":"), "", "")
    return f" (process {pid} on {host})" if pid else ""
