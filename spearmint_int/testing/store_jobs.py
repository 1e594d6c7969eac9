"""The store contract: jobs come in and are read; every test runs on each kind of store."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from spearmint_int.errors import JobNotFound, StoreError
from spearmint_int.jobs import Failure, FailureKind, JobPoint, JobStatus, Source
from spearmint_int.stores import Store
from spearmint_int.testing.drafts import FAILURE, LATER, OpenStore, add, add_and_claim, claim, draft

NEW, PENDING, COMPLETE, BROKEN = JobStatus

AWKWARD: dict[str, Any] = {
    "integer": 7,
    "big": 2**62,
    "integral float": 2.0,
    "tiny": 5e-324,
    "third": 1 / 3,
    "minus zero": -0.0,
    "text": "Größe ≤ 3\n\ttab",
    "flag": True,
    "nothing": None,
    "list": [3, 1.5, "a"],
    "nested": {"z": 1, "a": {"deep": [[]]}},
    "dotted.name": 1,
}


class JobsContract:
    """Jobs come in and are read."""

    def test_ids_are_one_two_three(self, store: Store) -> None:
        assert [add(store).id for _ in range(3)] == [1, 2, 3]

    def test_an_added_job_is_new_and_unclaimed(self, store: Store) -> None:
        job = add(store)
        assert (job.status, job.attempts, job.values, job.lease_owner) == (NEW, 0, None, None)

    def test_what_add_answers_is_what_the_store_holds(self, store: Store) -> None:
        job = add(store, source=Source.INITIAL, provenance={"ei": 0.25}, tasks=("main", "memory"))
        assert store.job(1) == job

    def test_values_come_back_as_they_went_in(self, store: Store) -> None:
        add(store, params=AWKWARD, provenance=AWKWARD)
        job = store.job(1)
        assert repr(job.params) == repr(job.provenance) == repr(AWKWARD)

    def test_a_point_comes_back_to_the_last_bit(self, store: Store) -> None:
        point = tuple(np.random.default_rng(0).random(20))
        add(store, point=point)
        assert store.job(1).point == point

    def test_numpy_values_come_back_as_plain_ones(self, store: Store) -> None:
        add(store, params={"depth": np.int64(3), "sizes": np.array([1, 2])})
        assert repr(store.job(1).params) == "{'depth': 3, 'sizes': [1, 2]}"

    def test_numbers_that_are_not_finite_come_back_as_none_in_the_provenance(
        self, store: Store
    ) -> None:
        add(store, provenance={"ei": math.inf, "sd": [math.nan]})
        assert store.job(1).provenance == {"ei": None, "sd": [None]}

    def test_a_value_that_is_not_json_is_refused_with_its_place(self, store: Store) -> None:
        with pytest.raises(StoreError, match=r"provenance\.model\[0\]: a object can't be stored"):
            store.add(draft(provenance={"model": [object()]}))
        assert store.jobs() == []

    def test_undecodable_text_is_stored_with_marks(self, store: Store) -> None:
        add(store, provenance={"stderr": "caf\udce9"})
        assert store.job(1).provenance == {"stderr": "caf?"}

    def test_add_stops_at_the_limit(self, store: Store) -> None:
        ids = [job.id if (job := store.add(draft(), limit=2)) else None for _ in range(3)]
        assert ids == [1, 2, None]

    def test_broken_jobs_count_for_the_limit(self, store: Store) -> None:
        store.fail(add_and_claim(store).claim, FAILURE, max_attempts=1)
        assert store.add(draft(), limit=1) is None

    def test_results_that_were_brought_do_not_count_for_the_limit(self, store: Store) -> None:
        store.add_complete(draft(source=Source.USER), {"main": 1.0})
        assert store.add(draft(), limit=1) is not None

    def test_each_resource_has_its_own_limit(self, store: Store) -> None:
        add(store, resource="Main")
        assert store.add(draft(resource="cluster"), limit=1) is not None
        assert store.add(draft(resource="cluster"), limit=1) is None

    def test_the_limit_can_be_raised(self, store: Store) -> None:
        assert store.add(draft(), limit=0) is None
        assert store.add(draft(), limit=1) is not None

    def test_a_brought_result_is_complete_at_once(self, store: Store) -> None:
        job = store.add_complete(draft(source=Source.USER), {"main": 2})
        assert job == store.job(1)
        assert (job.status, job.values, job.seconds) == (COMPLETE, {"main": 2.0}, None)

    def test_brought_results_keep_their_order(self, store: Store) -> None:
        jobs = store.add_all_complete(
            [(draft(k, source=Source.USER), {"main": k}) for k in range(700)]
        )
        assert [job.id for job in jobs] == list(range(1, 701))
        assert [job.params["depth"] for job in store.jobs()] == list(range(700))

    def test_nothing_brought_is_nothing_stored(self, store: Store) -> None:
        assert store.add_all_complete([]) == []

    def test_a_result_that_is_not_finite_comes_back_as_nan(self, store: Store) -> None:
        store.add_complete(draft(), {"main": math.inf, "memory": 3.0})
        assert str(store.job(1).values) == "{'main': nan, 'memory': 3.0}"

    @pytest.mark.parametrize("values", [{}, {"main": "3"}, {"main": True}])
    def test_a_result_without_numbers_is_refused(
        self, store: Store, values: dict[str, Any]
    ) -> None:
        with pytest.raises((TypeError, ValueError), match=r"must be a number|at least one task"):
            store.add_complete(draft(), values)
        assert store.jobs() == []

    def test_a_job_that_is_not_there_is_told_so(self, store: Store) -> None:
        with pytest.raises(JobNotFound, match="no job 9"):
            store.job(9)

    @pytest.mark.parametrize("method", ["job", "raw", "retry"])
    def test_a_number_that_no_database_can_hold_is_of_no_job(
        self, store: Store, method: str
    ) -> None:
        add(store)
        with pytest.raises(JobNotFound, match=f"no job {2**63}"):
            getattr(store, method)(2**63)

    def test_jobs_can_be_read_by_status_and_in_pages(self, store: Store) -> None:
        for _ in range(5):
            add(store)
        claim(store)
        assert [job.id for job in store.jobs(NEW)] == [2, 3, 4, 5]
        assert [job.id for job in store.jobs(after_id=1, limit=2)] == [2, 3]
        assert [job.id for job in store.jobs(NEW, after_id=3)] == [4, 5]
        assert store.jobs(limit=0) == []

    def test_counts_have_every_status(self, store: Store) -> None:
        assert store.tally().counts == {NEW: 0, PENDING: 0, COMPLETE: 0, BROKEN: 0}
        for _ in range(3):
            add(store)
        store.complete(claim(store).claim, {"main": 1.0})
        claim(store)
        assert store.tally().counts == {NEW: 1, PENDING: 1, COMPLETE: 1, BROKEN: 0}

    def test_a_tally_has_the_last_id(self, store: Store) -> None:
        assert store.tally().last_id == 0
        for _ in range(3):
            add(store)
        assert store.tally().last_id == store.last_id() == 3

    def test_the_budget_leaves_brought_results_and_other_resources_out(self, store: Store) -> None:
        add(store)
        add(store, resource="cluster")
        store.add_complete(draft(source=Source.USER), {"main": 1.0})
        tally = store.tally(["Main", "none"])
        assert tally.budgets["Main"] == {NEW: 1, PENDING: 0, COMPLETE: 0, BROKEN: 0}
        assert tally.budgets["none"] == dict.fromkeys(tally.counts, 0)
        assert sum(tally.counts.values()) == 3

    def test_the_budget_of_a_resource_with_an_odd_name_counts(self, store: Store) -> None:
        for name in ("$resource", "a.b", "", "Main"):
            add(store, resource=name)
            assert store.tally([name]).budgets[name][NEW] == 1

    def test_evaluations_are_the_finished_jobs(self, store: Store) -> None:
        store.add_complete(draft(), {"main": 1.5})
        store.fail(add_and_claim(store).claim, FAILURE, max_attempts=1)
        add(store)
        point = (0.5, 0.1)
        seconds = store.job(2).seconds
        assert store.job_points() == [
            JobPoint(1, COMPLETE, point, {"main": 1.5}),
            JobPoint(2, BROKEN, point, None, seconds),
        ]

    def test_an_evaluation_that_says_nothing_of_its_point_is_void(self, store: Store) -> None:
        for kind in (FailureKind.EXCEPTION, FailureKind.STOPPED, FailureKind.LOST_WORKER):
            failure = Failure(kind, "it broke")
            store.fail(add_and_claim(store).claim, failure, max_attempts=1)
        assert [one.is_void for one in store.job_points()] == [False, True, True]
        assert [job.is_void for job in store.jobs()] == [False, True, True]
        store.retry(2)
        assert [one.is_void for one in store.job_points([NEW, BROKEN])] == [False, False, True]

    def test_evaluations_of_chosen_statuses_come_by_id(self, store: Store) -> None:
        for _ in range(3):
            add(store)
        claim(store)
        assert [(one.id, one.status) for one in store.job_points([NEW, PENDING])] == [
            (1, PENDING),
            (2, NEW),
            (3, NEW),
        ]

    def test_another_connection_sees_the_same_jobs(self, store: Store, reopen: OpenStore) -> None:
        job = add_and_claim(store)
        other = reopen()
        assert other.jobs() == [job]
        assert other.complete(other.job(1).claim, {"main": 1.0})
        other.close()
        assert store.job(1).values == {"main": 1.0}

    def test_ids_go_on_after_a_restart(self, store: Store, reopen: OpenStore) -> None:
        add(store)
        store.close()
        again = reopen()
        assert add(again).id == 2
        again.close()

    def test_expired_and_retried_jobs_keep_their_ids(self, store: Store) -> None:
        add_and_claim(store)
        store.expire(LATER, max_attempts=1)
        store.retry(1)
        assert add(store).id == 2

    def test_a_job_that_was_chosen_before_others_were_added_is_not_added(
        self, store: Store
    ) -> None:
        add(store)
        assert store.add(draft(), after=0) is None
        assert store.add(draft(), after=2) is None
        job = store.add(draft(), after=1)
        assert job is not None
        assert job.id == 2
