"""`initial-points`: points to begin with, each stored once as a job that runs before all others."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from spearmint_int.jobs import JobDraft, Source

if TYPE_CHECKING:
    from spearmint_int.config import Config
    from spearmint_int.jobs import Job
    from spearmint_int.space import Space
    from spearmint_int.stores.protocol import Store

META = "initial-points"


def add_initial_points(config: Config, store: Store, space: Space) -> list[Job]:
    """Add the points that are not there yet; call it under the suggestion lock.

    The note that all are there is written last: a manager that is killed in between is followed by
    one that looks through the jobs for those that are.
    """
    points = [space.plain(given) for given in config.initial_points]
    if not points or store.load_meta(META) == points:
        return []
    there = [job.params for job in store.jobs() if job.source is Source.INITIAL]
    added, has_room = [], True
    for given, resource in zip(points, cycle(config.resources), strict=False):
        if given in there:
            there.remove(given)  # the same point may stand in the config twice
            continue
        point = tuple(space.encode(given).tolist())
        draft = JobDraft(given, point, Source.INITIAL, resource=resource, tasks=config.tasks)
        job = store.add(draft, limit=config.resources[resource].max_finished_jobs)
        if job is None:
            has_room = False  # a larger budget may come
        else:
            added.append(job)
    if has_room:
        store.save_meta(META, points)
    return added
