"""One experiment as the pages read it: as little as possible, and only when it has changed."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from spearmint_int import value_text
from spearmint_int.arrays import FloatArray
from spearmint_int.config.declaration import Era, eras, eras_until, of_today, params_of_today
from spearmint_int.errors import (
    DamagedJob,
    JobNotFound,
    SpearmintError,
    StoreMissing,
    StoreUnavailable,
)
from spearmint_int.experiment.history import FEW_JOBS
from spearmint_int.experiment.identity import open_own_store
from spearmint_int.goal import Goal, load_goal
from spearmint_int.jobs import FINISHED, UNFINISHED, JobStatus, unfulfilled
from spearmint_int.plots import plot
from spearmint_int.reserved import reserved_ids
from spearmint_int.snapshot import Snapshot, Trial
from spearmint_int.stores import open_store

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from spearmint_int.config import Config
    from spearmint_int.config.variables import Variable
    from spearmint_int.experiment.explanation import Explanation
    from spearmint_int.jobs import Job, JobPoint, Tally
    from spearmint_int.space import Space
    from spearmint_int.stores import Store
    from spearmint_int.variables import Params

PATIENCE_SECONDS = 1.0  # for a server that is away: the next look comes soon
VALUE = "value"  # the cell of a result
OUTPUT_CHARACTERS = 20_000  # the end of a job's output, where the reason stands
# A figure of the model is drawn again only after a rest of so many times what it took: however
# large the experiment, that is a fiftieth of one core.
REST = 50.0
MOST_MODELLED = 2000  # jobs; a model of more takes longer than a page is waited for


@dataclass(frozen=True)
class State:
    """The jobs at one moment, without their heavy parts."""

    counts: dict[JobStatus, int]
    rows: tuple[Trial, ...]
    goal: Goal | None = None
    finished: int = 0  # jobs that count against the budget and have ended, as `status` counts them

    @property
    def version(self) -> str:
        """A text that changes whenever the number of jobs in a status does."""
        return "-".join(str(self.counts[status]) for status in JobStatus)

    @property
    def outside(self) -> int:
        """The number of ended jobs that don't count: results from elsewhere."""
        return sum(self.counts[status] for status in FINISHED) - self.finished


NOTHING = State(dict.fromkeys(JobStatus, 0), ())


@dataclass(frozen=True)
class Drawn:
    """A figure (None where the sentence says why not), and which version it shows."""

    figure: go.Figure | None
    version: str
    sentence: str
    again_at: float = 0.0  # when it is worth drawing again

    def is_of(self, version: str) -> bool:
        """Whether there is nothing newer to draw. A figure that failed is drawn again, since its
        fault may have passed."""
        return self.figure is not None and self.version == version


class Source:
    """An experiment's config, its store (opened when there is one), and what was read of it.

    `load` reads the config; where that fails it is tried again at the next look. Of several
    requests at once one reads at a time; whatever takes long has a lock of its own, so that the
    live page goes on.
    """

    def __init__(self, load: Callable[[], Config], *, name: str) -> None:
        self._load, self.name = load, name
        self.away: StoreUnavailable | None = None  # the fault while the server is known to be away
        self._reading, self._thinking = threading.Lock(), threading.Lock()
        self._opened: Store | None = None
        self._state = NOTHING
        self._finished: dict[int, Trial] = {}
        self._eras: list[Era] = []
        self._drawn: dict[tuple[str, str], Drawn] = {}
        self._shared: tuple[str, Snapshot] | None = None
        self._being_drawn: set[tuple[str, str]] = set()

    @classmethod
    def of(cls, config: Config) -> Source:
        """The source of a config that is read already."""
        return cls(lambda: config, name=config.experiment_name)

    @cached_property
    def config(self) -> Config:
        return self._load()

    @cached_property
    def space(self) -> Space:
        return self.config.space()

    def state(self) -> State:
        """All jobs as they are now; read again only when a count has changed."""
        if self.away is not None:
            raise self.away
        with self._reading:
            try:
                store = self._store()
            except StoreMissing:
                return NOTHING
            tally = store.tally(self.config.resources)
            if tally.counts != self._state.counts:
                goal = load_goal(store) if self.config.stop_when else None
                rows = self._rows(store, tally)
                self._state = State(tally.counts, rows, goal, tally.finished)
            return self._state

    def figure(self, kind: str, theme: str) -> Drawn | None:
        """The figure of a kind, as new as the run can afford; None while the first is drawn."""
        key, version = (kind, theme), self.state().version
        drawn = self._drawn.get(key)
        current = drawn and (drawn.is_of(version) or time.monotonic() < drawn.again_at)
        if not current and key not in self._being_drawn:
            self._being_drawn.add(key)
            threading.Thread(target=self._draw, args=(key, version), daemon=True).start()
        return drawn

    def _draw(self, key: tuple[str, str], version: str) -> None:
        """Draw a figure in a thread of its own. One that fails rests too, or it would be tried all
        the time."""
        with self._thinking:
            began = _clocks()
            figure, sentence = self._drawing(*key, version)
            took = float(np.max(_clocks() - began))
            self._drawn[key] = Drawn(figure, version, sentence, time.monotonic() + REST * took)
            self._being_drawn.discard(key)

    def _drawing(self, kind: str, theme: str, version: str) -> tuple[go.Figure | None, str]:
        try:
            snapshot = self._snapshot(version)
            drawn = plot(snapshot, kind, theme=theme)
        except SpearmintError as error:
            return None, str(error)
        except Exception as error:  # kinds of others are drawn here too
            logging.getLogger(__name__).exception("the figure %r", kind)
            return None, f"it can't be drawn: {error!r}"
        return drawn, f"of {len(snapshot.trials)} jobs, at {time.strftime('%H:%M:%S')}"

    def job(self, job_id: int) -> Job:
        """Everything about one job; raises JobNotFound, or StoreMissing where there is no store."""
        return self._store().job(job_id)

    def output(self, job_id: int) -> str:
        """The end of what the job printed; empty where its output is on another machine."""
        from spearmint_int.launcher.output import output_path  # noqa: PLC0415

        return _end_of(output_path(self.config.directory, job_id))

    def explanation(self, job_id: int) -> Explanation | None:
        """Why the job was chosen."""
        from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415
        from spearmint_int.experiment.explanation import explain  # noqa: PLC0415

        with self._thinking:
            store = self._store()
            experiment = StoredExperiment.read(self.config, store)
            return explain(experiment, store.job_points(list(JobStatus)), store.job(job_id))

    def choice(self, job_id: int, theme: str) -> go.Figure | None:
        """The figure of what the job and its neighbours promised when it was chosen; None where no
        model chose it."""
        from spearmint_int.analysis.choice import next_choice  # noqa: PLC0415
        from spearmint_int.experiment.experiment import StoredExperiment  # noqa: PLC0415
        from spearmint_int.experiment.replay import problem_before  # noqa: PLC0415
        from spearmint_int.plots.choice import figure  # noqa: PLC0415

        store = self._store()
        job = store.job(job_id)
        if job.provenance.get("hyperparameters") is None:
            return None
        with self._thinking:
            experiment = StoredExperiment.read(self.config, store)
            problem = problem_before(experiment, store.job_points(list(JobStatus)), job)
            found = next_choice(problem)
        anew = "" if problem.space == experiment.space else " (variables as declared then)"
        title = f"Where job {job_id} was chosen, and what its neighbours promised{anew}"
        return found and figure(found, problem.space, title=title, theme=theme)

    def cells(self) -> dict[str, str]:
        """The cells of a result that `add` takes: one for each element, with what may be in it."""
        from spearmint_int.experiment.results_file import parameter_columns  # noqa: PLC0415

        variables = self.config.variables.values()
        hints = [_hint(variable) for variable in variables for _ in range(variable.size)]
        columns = parameter_columns(self.config)
        beside = dict.fromkeys(self.config.constraints, "a constraint: at least 0")
        return {**dict(zip(columns, hints, strict=True)), VALUE: "the result", **beside}

    def close(self) -> None:
        """Close the store, until the next request."""
        store, self._opened = self._opened, None
        if store is not None:
            store.close()

    # --- what changes something; the app asks only where that is allowed ---

    def retry(self, job_id: int) -> Job:
        return self._store().retry(job_id)

    def stop_job(self, job_id: int) -> None:
        from spearmint_int.stopping import stop_job  # noqa: PLC0415

        stop_job(self._store(), job_id)

    def stop_run(self) -> None:
        from spearmint_int.stopping import stop_runs  # noqa: PLC0415

        stop_runs(self._store())

    def reserve(self) -> int:
        """Reserve the next point; its job's number."""
        from spearmint_int.experiment.reservation import reserve  # noqa: PLC0415

        with closing(open_store(self.config, patience=PATIENCE_SECONDS)) as store:
            return reserve(self._load(), store, 1)[0].id

    def tell(self, job_id: int, words: Sequence[str]) -> None:
        """Add the result of a reserved job: a number, and `name=number` for each constraint."""
        from spearmint_int.experiment.reservation import tell, told_values  # noqa: PLC0415

        tell(self._store(), job_id, told_values(words, self.config))

    def add(self, cells: Mapping[str, Any]) -> int | None:
        """Add a result from elsewhere, in the cells of `add`'s files; its job's number, or None
        where the result is known already."""
        from spearmint_int.experiment.imported_results import add_results  # noqa: PLC0415
        from spearmint_int.experiment.results_file import Row, result_of  # noqa: PLC0415

        config = self._load()
        written = {name: str(cell or "").strip() for name, cell in cells.items()}
        if not written.get(VALUE):
            raise SpearmintError("give the result too; 'nan' says that it failed there")
        result = result_of(Row("the result", written), config, config.space(), value_column=VALUE)
        with closing(open_store(config, patience=PATIENCE_SECONDS)) as store:
            return next((job.id for job in add_results(config, store, [result])), None)

    # --- reading ---

    def _store(self) -> Store:
        if self._opened is None:
            self._opened = open_own_store(self.config, patience=PATIENCE_SECONDS)
        return self._opened

    def _rows(self, store: Store, tally: Tally) -> tuple[Trial, ...]:
        """The table's rows. Finished jobs are read once, and unfinished ones, which are few, each
        time.

        Where others are found than were counted (some were removed, or can't be read), all are read
        anew, so that those that are left are shown.
        """
        self._eras = eras(store)
        waiting = {e.id: self._row(e, None) for e in store.job_points(UNFINISHED) if self._fits(e)}
        for job_id in reserved_ids(store) & waiting.keys():
            waiting[job_id] = replace(waiting[job_id], is_reserved=True)
        for job_id in waiting:  # a broken one may be tried again
            self._finished.pop(job_id, None)
        known = self._finished.keys() | waiting.keys()
        self._read_each(store, [i for i in range(1, tally.last_id + 1) if i not in known])
        if len(self._finished) + len(waiting) != sum(tally.counts.values()):
            self._read_all(store)
        rows = self._finished | waiting
        return tuple(rows[job_id] for job_id in sorted(rows))

    def _read_each(self, store: Store, ids: Sequence[int]) -> None:
        """Read one by one those of a few jobs that have ended; many are left to `_read_all`."""
        for job_id in ids if len(ids) <= FEW_JOBS else ():
            with suppress(JobNotFound, DamagedJob):
                job = store.job(job_id)
                if job.is_finished and self._fits(job):
                    self._finished[job_id] = self._trial(job)

    def _read_all(self, store: Store) -> None:
        broken = {job.id: job for job in store.jobs(JobStatus.BROKEN)}
        ended = [self._row(e, broken.get(e.id)) for e in store.job_points() if self._fits(e)]
        self._finished = {row.id: row for row in ended}

    def _trial(self, job: Job) -> Trial:
        return Trial.of_job(of_today(job, self.config), self.config.task_name)

    def _row(self, point: JobPoint, broken: Job | None) -> Trial:
        """The row of a job, without its times, which its own page has."""
        seconds = point.seconds
        return Trial(
            id=point.id,
            params=self._params(point),
            value=point.value(self.config.task_name),
            status=point.status.value,
            started=None if seconds is None else 0.0,
            ended=seconds,
            failure=broken.failures[-1].message if broken and broken.failures else None,
            unfulfilled=()
            if point.values is None
            else unfulfilled(point.values, self.config.constraints),
        )

    def _params(self, point: JobPoint) -> Params:
        decoded = self._space_of(point.id).decode(np.array(point.point))
        return params_of_today(decoded, self.config)

    def _fits(self, job: Job | JobPoint) -> bool:
        """Whether the point is one of its space: somebody may have edited it."""
        return len(job.point) == self._space_of(job.id).dimensions

    def _space_of(self, job_id: int) -> Space:
        """The space of the variables as they were declared when the job was added."""
        known = eras_until(self._eras, job_id)
        return known[-1].space if known else self.space

    def _snapshot(self, version: str) -> Snapshot:
        """The snapshot of a version, so that all its figures share one model."""
        if self._shared is None or self._shared[0] != version:
            self._shared = version, self._read_snapshot()
        return self._shared[1]

    def _read_snapshot(self) -> Snapshot:
        store = self._store()
        jobs = sum(store.tally().counts.values())
        if jobs > MOST_MODELLED:
            raise SpearmintError(
                f"figures of {jobs} jobs take too long for a page: "
                f"'spearmint-int plot {self.config.directory}' draws them"
            )
        return Snapshot.of_store(self.config, store)


def _clocks() -> FloatArray:
    """The time by the wall clock, which shows how busy the machine is, and the processor time, of
    which several threads take several times as much."""
    return np.array([time.monotonic(), time.process_time()])


def _hint(variable: Variable) -> str:
    if variable.type == "ENUM":
        return " | ".join(map(str, variable.options))
    return f"{variable.min} to {variable.max}"


def _end_of(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return text[-OUTPUT_CHARACTERS:]


def sorted_rows(rows: Sequence[Trial], column: str, *, descending: bool) -> list[Trial]:
    """The rows sorted by a column; those without a value in it come last in either order."""
    keys = [(_key(row, column), row) for row in rows]
    there = [(key, row) for key, row in keys if key is not None]
    missing = [row for key, row in keys if key is None]
    try:
        there.sort(key=lambda pair: pair[0], reverse=descending)
    except TypeError:  # options of several types
        there.sort(key=lambda pair: str(pair[0]), reverse=descending)
    return [row for _, row in there] + missing


def _key(row: Trial, column: str) -> Any:
    if column in row.params:
        return row.params[column]
    value = {"job": row.id, "value": row.value, "status": row.outcome, "seconds": row.seconds,
             "failure": row.failure}.get(column)  # fmt: skip
    return None if isinstance(value, float) and math.isnan(value) else value


def matching(rows: Sequence[Trial], wanted: str) -> list[Trial]:
    """The rows that have every word of the text somewhere."""
    words = wanted.lower().split()
    if not words:
        return list(rows)
    return [row for row in rows if all(word in _text_of(row) for word in words)]


def _text_of(row: Trial) -> str:
    params = " ".join(f"{name}={value}" for name, value in row.params.items())
    value = value_text.number(row.value)
    return f"{row.id} {row.outcome} {value} {params} {row.failure or ''}".lower()
