"""Results that were computed elsewhere: added as complete jobs, where the store lacks them."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from spearmint_int.experiment.experiment import StoredExperiment
from spearmint_int.experiment.results_file import parameter_cells
from spearmint_int.experiment.suggestion_lock import SuggestionLock
from spearmint_int.jobs import FINISHED, checked_values
from spearmint_int.launcher.liveness import new_owner

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spearmint_int.config import Config
    from spearmint_int.experiment.results_file import Result
    from spearmint_int.jobs import Job
    from spearmint_int.stores.protocol import Store
    from spearmint_int.variables import Params


def add_results(
    config: Config, store: Store, results: list[Result], *, again: bool = False
) -> list[Job]:
    """Add the results that the store does not have yet, or with `again` all of them; their jobs.

    It takes the suggestion lock: another `add` at the same moment sees what this one has added, and
    nobody declares the variables anew in between.
    """
    experiment = StoredExperiment.begin(config, store)
    with SuggestionLock(store, new_owner()).held():
        experiment.check_declaration()
        new = results if again else _without_known(results, config, store)
        return store.add_all_complete(new)


def _without_known(results: list[Result], config: Config, store: Store) -> list[Result]:
    """The results that no job has. One that is given twice is known once for each job that has it.
    A void job has no result: that its point fails is news."""
    ended = [job for status in FINISHED for job in store.jobs(status) if not job.is_void]
    failed = {config.task_name: math.nan}  # what `export` and `add` make of a broken job
    known = Counter(_identity(job.params, job.values or failed, config) for job in ended)
    new = []
    for draft, values in results:
        key = _identity(draft.params, values, config)
        if known[key]:
            known[key] -= 1
        else:
            new.append((draft, values))
    return new


def _identity(params: Params, values: Mapping[str, float], config: Config) -> tuple[object, ...]:
    """What two equal results have in common: the parameters as an export writes them (3 is 3.0),
    and all numbers as stores keep them (as text, in which NaN equals NaN)."""
    return *parameter_cells(params, config), repr(sorted(checked_values(values).items()))
