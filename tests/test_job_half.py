"""The job half: which way its imports point."""

from __future__ import annotations

import pytest

from tests.test_public_face import imported_parts, sources

# Each may import what stands before it; in a line of their own, each other.
LAYERS = [
    ["atomic", "errors", "plain_json", "registry", "variables", "space", "config"],
    ["jobs"],
    ["stores"],
    ["launcher"],
    ["worker"],
    ["schedulers"],
    ["manager"],
]
JOB_HALF = ["jobs", "stores", "launcher", "worker", "schedulers"]
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}


@pytest.mark.parametrize("part", JOB_HALF)
def test_imports_of_the_job_half_point_one_way(part: str) -> None:
    assert sources(part)
    for path in sources(part):
        for other in imported_parts(path) - {part}:
            assert other in RANK, f"{path.name} imports {other}, which is not of the job half"
            assert RANK[other] <= RANK[part], f"{path.name} imports {other}, which stands above it"


def test_what_tests_use_is_not_used_by_the_program() -> None:
    for part in [*JOB_HALF, "manager", "cli", "config", "check"]:
        for path in sources(part):
            assert "testing" not in imported_parts(path)
