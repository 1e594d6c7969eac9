"""The manager's small parts, each by itself."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from spearmint_int.chooser import Problem
from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.history import StoreHistory
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import JobStatus
from spearmint_int.manager.background_call import BackgroundCall
from spearmint_int.manager.estimate import Estimator
from spearmint_int.manager.events import Best, EndReason, StoreAway, StoreBack
from spearmint_int.manager.outage import LONGEST_SECONDS, Outage
from spearmint_int.manager.progress import ProgressTracker, ending_message
from spearmint_int.manager.shutdown import StopRequest, Urgency, stopped_by_signals
from spearmint_int.manager.trace import TraceFiles, best_text, trace_line
from spearmint_int.stores import Store
from spearmint_int.testing.drafts import add_and_claim
from tests.manager.experiments import Heard, experiment
from tests.places import Place

BEST = Best(3, 0.25, {"x": [0.5, 1.0], "kind": "relu"})
COUNTS = dict(zip(JobStatus, (1, 2, 5, 0), strict=True))


# --- the suggestion lock ---


def test_the_suggestion_lock_goes_from_one_to_the_next(store: Store) -> None:
    one, two = SuggestionLock(store, "one"), SuggestionLock(store, "two")
    assert one.take()
    assert not two.take()
    one.release()
    assert two.take()
    assert not one.take()


def test_a_lock_that_was_lost_is_noticed_when_it_is_renewed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = SuggestionLock(store, "one")
    assert one.take()
    store.unlock("suggestion", "one")  # as if its time had run out in an outage
    assert SuggestionLock(store, "two").take()
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 60)
    assert not one.take()


def test_releasing_what_one_does_not_have_does_nothing(store: Store) -> None:
    assert SuggestionLock(store, "one").take()
    SuggestionLock(store, "two").release()
    assert store.lock_holder("suggestion") == "one"


# --- progress ---


def test_a_job_that_the_run_has_not_told_of_yet_has_not_finished(
    place: Place, store: Store
) -> None:
    config = experiment(place)
    history = StoreHistory(store, tasks=["main"], dimensions=2, resources=config.resources)
    tracker = ProgressTracker(config, store, history)
    for _ in range(2):  # they end together, and are told of one after the other
        store.complete(add_and_claim(store).claim, {"main": 1.0})
    tracker.note_end(store.job(1))
    tracker.refresh()
    assert tracker.progress([2], None).finished == 1
    tracker.note_end(store.job(2))
    assert tracker.progress([], None).finished == 2


@pytest.mark.usefixtures("listens_to_ctrl_c")
def test_ctrl_c_ends_the_wait_for_the_last_estimate(place: Place, store: Store) -> None:
    store.complete(add_and_claim(store).claim, {"main": 1.0})

    def slow(problem: Problem) -> None:
        hashlib.pbkdf2_hmac("sha256", b"", b"", 20_000_000)  # it looks at no signal

    seen = StoredExperiment.read(experiment(place), store)
    estimator = Estimator(seen, recommender=slow, wake=lambda: None)
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        estimator.finish()
    assert time.monotonic() - begin < 2


def test_the_time_of_a_run_is_told_as_people_write_it(place: Place, store: Store) -> None:
    config = experiment(place, max_time="8h")
    history = StoreHistory(store, tasks=["main"], dimensions=2, resources=config.resources)
    tracker = ProgressTracker(config, store, history)
    message = ending_message(EndReason.TIME, tracker, config, "")
    assert message == "the time of 8 h 0 min is over: 0 complete, 0 broken"


# --- background ---


def test_a_background_call_gives_its_result_or_its_error() -> None:
    done = threading.Event()
    call = BackgroundCall(lambda: 42, done=done.set)
    assert done.wait(10)
    assert (call.is_finished, call.result()) == (True, 42)
    done.clear()
    failing = BackgroundCall(lambda: 1 // 0, done=done.set)
    assert done.wait(10)
    with pytest.raises(ZeroDivisionError):
        failing.result()


# --- outages and stops ---


def test_an_outage_is_told_with_growing_pauses_until_its_end() -> None:
    heard = Heard()
    outage = Outage(heard)
    assert not outage.note_success()
    for _ in range(8):
        outage.note_failure(ConnectionError("away"))
    assert outage.is_on
    assert 0 < outage.seconds_left <= LONGEST_SECONDS
    pauses = [event.retry_seconds for event in heard.of(StoreAway)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_SECONDS
    assert outage.note_success()
    assert len(heard.of(StoreBack)) == 1
    assert outage.seconds_left == 0


def test_a_stop_request_never_becomes_less_urgent() -> None:
    request = StopRequest()
    request.demand(Urgency.HAND_BACK)
    request.demand(Urgency.POLITE)
    assert request.urgency is Urgency.HAND_BACK


class Stopped:
    """Remembers how it was stopped."""

    def __init__(self) -> None:
        self.calls: list[bool] = []

    def stop(self, *, hand_back: bool = False) -> None:
        self.calls.append(hand_back)


def test_interrupts_become_more_urgent_and_sigterm_is_at_once() -> None:
    stopped = Stopped()
    before = signal.getsignal(signal.SIGINT)
    with stopped_by_signals(stopped):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert stopped.calls == [False, True, True, True]
    assert signal.getsignal(signal.SIGINT) is before


def test_signals_are_only_for_the_main_thread() -> None:
    entered = []

    def enter() -> None:
        with stopped_by_signals(Stopped()):
            entered.append(True)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [True]


# --- files in the folder ---


def test_the_trace_has_time_best_job_and_counts() -> None:
    assert trace_line(1700000000.4, BEST, COUNTS) == "1700000000,0.25,3,1,2,5\n"


def test_the_best_job_is_readable_text() -> None:
    expected = "Best result: 0.25\nJob-id: 3\nParameters:\nx: [0.5, 1.0]\nkind: relu\n"
    assert best_text(BEST) == expected


def test_the_record_writes_only_what_changed(tmp_path: Path) -> None:
    record = TraceFiles(tmp_path)
    record.update(None, COUNTS)
    assert list(tmp_path.iterdir()) == []
    for _ in range(3):
        record.update(BEST, COUNTS)
    assert len((tmp_path / "trace.csv").read_text().splitlines()) == 2


def test_a_folder_that_cant_be_written_does_not_end_a_run(tmp_path: Path) -> None:
    TraceFiles(tmp_path / "missing").update(BEST, COUNTS)
