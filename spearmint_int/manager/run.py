"""The loop of a run: notice ended jobs, take back lost ones, fill the slots, decide to end."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from spearmint_int.config.stop_rule import StopRule
from spearmint_int.errors import GoalReached, SpaceExhausted, StoreUnavailable
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.identity import keep_in_folder
from spearmint_int.experiment.repeats import RepeatWatch
from spearmint_int.goal import Goal, keep_goal
from spearmint_int.launcher.liveness import new_owner
from spearmint_int.manager.ended_elsewhere import EndedElsewhere
from spearmint_int.manager.estimate import Estimator
from spearmint_int.manager.events import (
    EndReason,
    JobEnded,
    JobLost,
    Notice,
    Progress,
    ProgressMade,
    RunEnded,
    RunStarted,
    Stopping,
    Summary,
)
from spearmint_int.manager.job_context import JobContext
from spearmint_int.manager.outage import Outage
from spearmint_int.manager.progress import ProgressTracker, ending_message
from spearmint_int.manager.reaper import Reaper
from spearmint_int.manager.running_jobs import RunningJobs
from spearmint_int.manager.shutdown import StopRequest, Urgency
from spearmint_int.manager.start_backoff import StartBackoff
from spearmint_int.manager.stop_rule import stopping_chooser
from spearmint_int.manager.suggestion import Readiness, Suggester
from spearmint_int.manager.trace import TraceFiles
from spearmint_int.stopping import must_stop

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.chooser import Chooser
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.manager.estimate import Recommender
    from spearmint_int.manager.events import Listener
    from spearmint_int.schedulers import Scheduler
    from spearmint_int.stores.protocol import Store

LOCK_LOOK_SECONDS = 0.1  # between tries while another manager suggests
ORPHAN_LOOK_SECONDS = 0.5  # between looks at jobs that a killed manager has left running
HAND_BACK_SECONDS = 12.0  # for workers to end their objectives, by force if need be


class Run:
    """The loop and its parts; `Manager.run` makes one."""

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        chooser: Chooser,
        recommender: Recommender,
        schedulers: Mapping[str, Scheduler],
        listener: Listener,
        stop: StopRequest,
    ) -> None:
        owner = new_owner()
        rule = StopRule.of(config.stop_when) if config.stop_when else None
        if rule is not None:
            chooser = stopping_chooser(chooser, rule, tell=self._note_goal)
        experiment = StoredExperiment.begin(config, store, chooser=chooser)
        keep_in_folder(config, experiment.id)  # its jobs' outputs will be there
        self._config, self._store, self._tell, self._stop = config, store, listener, stop
        self._began = store.now()
        self._goal: Goal | None = None
        damaged = store.damaged()
        self._history = experiment.history
        self._history.leave_out(damage.job_id for damage in damaged)
        self._tracker = ProgressTracker(config, store, self._history, damaged)
        self._trace = TraceFiles(config.directory)
        self._outage = Outage(listener)
        context = JobContext(config, store, schedulers, owner, experiment.id, listener)
        self._reaper, self._jobs = Reaper(context), RunningJobs(context)
        self._elsewhere = EndedElsewhere(store, self._history)
        self._suggester = Suggester(
            config, store, experiment, owner=owner, listener=listener, wake=stop.wakeup.set
        )
        self._estimator = Estimator(experiment, recommender=recommender, wake=stop.wakeup.set)
        self._repeats = RepeatWatch(config)
        self._starts = {name: StartBackoff() for name in config.resources}
        self._notices = [*experiment.notices, *(damage.sentence for damage in damaged)]
        self._obeyed = Urgency.GO_ON
        self._leave_at = float("inf")
        self._next_look = 0.0
        self._no_more_points: tuple[EndReason, str] | None = None  # and the sentence that says why
        self._lock_is_taken = False
        self._is_stale = True  # the store may have changed since it was read
        self._has_news = True  # there is something to tell the listener
        self._decide_again = False  # what was decided in this turn was based on old numbers

    def loop(self) -> Summary:
        """Run until there is a reason to end."""
        self._tracker.refresh()
        self._elsewhere.begin()
        resumed = self._history.total > 0
        self._tell(RunStarted(self._progress(), resumed, self._store.location))
        for notice in self._notices:
            self._tell(Notice(notice))
        while (reason := self._step()) is None:
            self._stop.wakeup.wait(self._jobs.wakeups(), self._pause())
        return self._end(reason)

    # --- one turn of the loop ---

    def _step(self) -> EndReason | None:
        """One turn; the reason to end, if there is one."""
        some_run = self._jobs.notice_exits()
        self._obey()
        if time.monotonic() >= self._leave_at or (self._outage.is_on and self._is_free(some_run)):
            return EndReason.STOPPED
        if self._outage.seconds_left > 0:
            return None
        try:
            reason = self._work()
        except StoreUnavailable as error:
            self._outage.note_failure(error)
            self._reaper.suspend()
            return None
        if self._outage.note_success():
            self._reaper.forgive()
        return reason

    def _work(self) -> EndReason | None:
        """The part of a turn that needs the store. After an outage it is simply done again.

        The next job comes first; what is only for people is read while that job is starting.
        """
        for ended in self._jobs.settle():
            self._tracker.note_end(ended.job)
            self._elsewhere.note(ended.job)
            self._starts[ended.job.resource].note_end(ended.failure)
            self._is_stale = self._has_news = True
        self._look_around()
        if self._is_stale and not self._has_work():  # else a claim or a new point reads the store
            self._read()
        self._decide_again = False
        reason = self._reason_to_drain()
        if reason is None:
            self._fill()
        else:
            self._suggester.abandon()
        self._jobs.keep_claims()
        self._inform()
        return None if self._jobs.ids else reason

    def _look_around(self) -> None:
        """From time to time: obey requests to stop, take back lost jobs, adopt queued ones."""
        if time.monotonic() < self._next_look:
            return
        if must_stop(self._store, since=self._began):
            self._stop.demand(Urgency.POLITE)
        for job in self._reaper.look(self._jobs.ids):
            self._tell(JobLost(job))
            self._jobs.let_go(job)
        self._jobs.let_go_of_lingering()
        for job in self._reaper.in_queues:
            self._adopt(job)
        self._is_stale = True
        often = ORPHAN_LOOK_SECONDS if self._reaper.orphans else self._config.heartbeat_time
        self._next_look = time.monotonic() + min(self._config.polling_time, often)

    def _adopt(self, job: Job) -> None:
        self._jobs.adopt(job)
        if job.id in self._jobs.ids:
            self._reaper.orphans.pop(job.id)

    def _inform(self) -> None:
        """Tell the listener where the run stands, when that has changed."""
        if self._is_stale:
            self._read()
            self._decide_again = True
        if self._has_news:
            self._has_news = False
            self._tracker.look_for_best()
            self._update_trace()
            self._tell_of_others()
            self._tell(ProgressMade(self._progress()))
            self._tell_of_repeats()
        if self._suggester.is_busy:
            return  # the chooser needs the processor more
        if self._estimator.update(job_seconds=self._tracker.job_seconds.value):
            self._tell(ProgressMade(self._progress()))

    def _tell_of_others(self) -> None:
        for job in self._elsewhere.look(self._jobs.ids):
            self._tell(JobEnded(job))

    def _tell_of_repeats(self) -> None:
        hint = self._repeats.look(self._history)
        if hint is not None:
            self._tell(Notice(f"likelihood: {hint}"))

    def _fill(self) -> None:
        """Start new jobs in free slots; where no new job waits, ask for the next point."""
        self._collect()
        for name, resource in self._config.resources.items():
            is_shared = resource.max_concurrent_in_all is not None
            while self._has_room(name):
                is_there = self._tracker.may_start(name)
                if is_there and (job := self._start_next(name)) is not None:
                    self._note_change(job)
                    continue
                waits_for_others = is_there and is_shared
                if waits_for_others or not self._ask(name, unless_new=not is_there):
                    break
        self._suggester.rest()

    def _start_next(self, resource: str) -> Job | None:
        return self._jobs.start_next(resource, budget=self._tracker.passed_budget(resource))

    def _has_room(self, resource: str) -> bool:
        limit = self._config.resources[resource].max_concurrent
        has_slot = self._used(resource) < limit and not self._starts[resource].seconds_left
        return has_slot and self._jobs.can_start(resource)

    def _collect(self) -> None:
        try:
            answer = self._suggester.collect()
        except SpaceExhausted as error:
            self._no_more_points = EndReason.EXHAUSTED, str(error)
            return
        except GoalReached as reached:
            self._no_more_points = EndReason.GOAL, str(reached)
            return
        if answer is not None:
            self._has_news = True
            self._tracker.suggestion_seconds.add(answer.seconds)
            if answer.job is not None:
                self._note_change(answer.job)
            else:
                self._is_stale = True

    def _note_change(self, job: Job) -> None:
        self._is_stale |= not self._tracker.note_change(job)
        self._has_news = True

    def _has_work(self) -> bool:
        """Whether, by what was read last, there is a job to start or a point to ask for."""
        return any(
            self._has_room(name) and (self._tracker.may_start(name) or self._wants_point(name))
            for name in self._config.resources
        )

    def _wants_point(self, resource: str) -> bool:
        is_free = not self._suggester.is_busy and not self._no_more_points
        return is_free and self._tracker.may_add(resource)

    def _ask(self, resource: str, *, unless_new: bool) -> bool:
        """Begin on a new point; True when others have added a job that can be started instead."""
        self._lock_is_taken = False
        if not self._wants_point(resource):
            return False
        readiness = self._suggester.prepare()
        self._lock_is_taken = readiness is Readiness.LOCKED
        if readiness is not Readiness.READY:
            self._is_stale |= readiness is Readiness.INITIAL_POINTS
            return False
        self._is_stale, self._has_news = False, True
        if unless_new and self._tracker.may_start(resource):
            return True
        if self._tracker.may_add(resource):
            self._suggester.begin(resource)
        else:
            self._decide_again = True  # others have used up the budget meanwhile
        return False

    def _read(self) -> None:
        self._tracker.refresh()
        self._is_stale, self._has_news = False, True

    def _used(self, resource: str) -> int:
        left_behind = sum(1 for name in self._reaper.orphans.values() if name == resource)
        return self._jobs.used(resource) + left_behind

    # --- the end ---

    def _obey(self) -> None:
        """Act on a request to stop that is more urgent than the last one."""
        if self._stop.urgency <= self._obeyed:
            return
        self._obeyed = self._stop.urgency
        hand_back = self._obeyed >= Urgency.HAND_BACK
        self._tell(Stopping(self._jobs.ids, hand_back))
        if not hand_back:
            self._jobs.cancel_queued()
        else:
            self._jobs.cancel()
            patience = HAND_BACK_SECONDS if self._obeyed is Urgency.HAND_BACK else 0.0
            self._leave_at = time.monotonic() + patience

    def _is_free(self, some_run: bool) -> bool:
        """Whether every job was handed back, so that the run may end although the store is away."""
        return self._obeyed >= Urgency.HAND_BACK and not some_run

    def _reason_to_drain(self) -> EndReason | None:
        """Why no more jobs are started; the run ends when this manager's jobs have ended."""
        tracker = self._tracker
        if self._obeyed is not Urgency.GO_ON:
            return EndReason.STOPPED
        if (failing := self._reason_to_give_up()) is not None:
            return failing
        if tracker.is_spent():
            return EndReason.BUDGET
        if self._no_more_points and not tracker.unfinished:
            return self._no_more_points[0]
        return EndReason.TIME if tracker.is_over_time() else None

    def _reason_to_give_up(self) -> EndReason | None:
        """The reason to end where going on would only waste the budget, or None."""
        if self._tracker.every_job_breaks():
            return EndReason.ALL_BROKEN
        if self._nothing_can_start() or self._tracker.jobs_keep_breaking():
            return EndReason.FAILING
        return None

    def _nothing_can_start(self) -> bool:
        """Whether no resource that has something to do can start a job."""
        wanted = [name for name in self._config.resources if self._has_to_do(name)]
        return bool(wanted) and all(self._starts[name].is_hopeless for name in wanted)

    def _has_to_do(self, resource: str) -> bool:
        wants_points = not self._no_more_points and self._tracker.may_add(resource)
        return wants_points or self._tracker.may_start(resource)

    def _end(self, reason: EndReason) -> Summary:
        with suppress(StoreUnavailable):  # the summary is then of what was read last
            self._suggester.abandon()
            self._tracker.refresh()
            self._tracker.count_reserved()
            self._tell_of_others()
            if reason is not EndReason.STOPPED and self._tracker.nothing_worked():
                reason = EndReason.ALL_BROKEN
            if self._obeyed < Urgency.HAND_BACK:
                self._estimator.finish()
            else:
                self._estimator.forget()
            self._update_trace()
        why = self._no_more_points[1] if self._no_more_points else ""
        summary = Summary(
            reason=reason,
            message=ending_message(reason, self._tracker, self._config, why),
            progress=self._progress(),
            first_failure=self._tracker.first_failure,
        )
        self._tell(RunEnded(summary))
        return summary

    def _pause(self) -> float:
        """Seconds until the next turn, unless a wakeup file becomes readable before."""
        now = time.monotonic()
        if self._outage.is_on:
            return min(self._outage.seconds_left, self._leave_at - now)
        if self._jobs.has_news or self._decide_again:
            return 0.0
        look = LOCK_LOOK_SECONDS if self._lock_is_taken else self._next_look - now
        until = [look, self._leave_at - now, self._tracker.seconds_left]
        return min(*until, *(starts.seconds_left or look for starts in self._starts.values()))

    def _note_goal(self, goal: Goal) -> None:
        """Keep how far the goal is. Called in the chooser's thread, which must not fail because the
        store is away."""
        self._goal = goal
        with suppress(StoreUnavailable):
            keep_goal(self._store, goal)

    def _update_trace(self) -> None:
        tracker = self._tracker
        self._trace.update(tracker.best, tracker.counts, none_fulfils=tracker.none_fulfils)

    def _progress(self) -> Progress:
        progress = self._tracker.progress(self._jobs.ids, self._estimator.latest)
        return replace(progress, goal=self._goal)
