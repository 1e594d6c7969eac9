"""`check`: main files that can't be loaded, and advice on those that can."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from spearmint_int.check import check_experiment
from spearmint_int.check.advice import IF_NOISELESS
from spearmint_int.config import Config, load_config
from spearmint_int.errors import ObjectiveError

GOOD = "def main(job_id, params):\n    return 0.0\n"
X = {"type": "FLOAT", "min": 0, "max": 1}


def experiment(folder: Path, source: str = GOOD, **keys: Any) -> Config:
    """A folder with this objective; one variable and a budget unless the keys say otherwise."""
    document = {"main-file": "objective", "variables": {"x": X}, "max-finished-jobs": 10} | keys
    (folder / "config.json").write_text(json.dumps(document))
    (folder / "objective.py").write_text(source)
    return load_config(folder)


def advice(folder: Path, source: str = GOOD, **keys: Any) -> list[str]:
    return [str(a) for a in check_experiment(experiment(folder, source, **keys))]


def test_a_good_experiment_gets_no_advice(tmp_path: Path) -> None:
    assert advice(tmp_path) == []


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "import nonesuch\n",
            "can't be loaded: No module named 'nonesuch' (line 1); install it for the Python of "
            f"the jobs, {sys.executable}, or put it beside objective.py",
        ),
        ("raise OSError('a\\n\\nb')\n", "can't be loaded: OSError: a … b (line 1)"),
        ("def main(:\n", "can't be loaded: SyntaxError: invalid syntax (objective.py, line 1)"),
        ("1 / 0\n", "can't be loaded: ZeroDivisionError: division by zero (line 1)"),
        ("def mian(job_id, params): return 0\n", "has no function main(job_id, params)"),
        ("def main(params): return 0\n", "must define main(job_id, params), but has main(params)"),
        ("import sys\nsys.exit(3)\n", "calls sys.exit(3) when it is loaded; move that into main()"),
        ("import os\nos._exit(4)\n", "left Python with status 4 while it was loaded"),
        ("import os\nos.kill(os.getpid(), 9)\n", "died of signal 9 while it was loaded"),
    ],
)  # fmt: skip
def test_a_main_file_that_cannot_be_loaded_is_one_sentence(
    tmp_path: Path, source: str, sentence: str
) -> None:
    with pytest.raises(ObjectiveError) as caught:
        check_experiment(experiment(tmp_path, source))
    assert str(caught.value) == f"objective.py: {sentence}"


def test_a_resource_without_a_task_is_told(tmp_path: Path) -> None:
    experiment(tmp_path)
    document = json.loads((tmp_path / "config.json").read_text())
    budget = {"max-finished-jobs": document.pop("max-finished-jobs")}
    document["resources"] = {"cpu": budget, "gpu": budget}
    document["tasks"] = {"main": {"type": "OBJECTIVE", "resources": ["gpu"]}}
    (tmp_path / "config.json").write_text(json.dumps(document))
    (told,) = map(str, check_experiment(load_config(tmp_path)))
    assert told == "resources.cpu: tasks.main.resources leaves it out: no job runs there"


def test_an_environment_file_that_cant_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "job.env").write_text("A=1\nunset A\n")
    with pytest.raises(ObjectiveError, match=r"job.env:2: expected NAME=value, got 'unset A'"):
        advice(tmp_path, **{"environment-file": "job.env"})


def test_a_main_file_is_loaded_with_the_environment_of_jobs(tmp_path: Path) -> None:
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "ours.py").touch()
    (tmp_path / "job.env").write_text(f"PYTHONPATH=$PYTHONPATH:{tmp_path}/modules\n")
    assert advice(tmp_path, f"import ours\n{GOOD}", **{"environment-file": "job.env"}) == []
    assert advice(tmp_path, **{"environment-file": ""}) == []


def test_what_a_main_file_prints_is_not_taken_for_an_answer(tmp_path: Path) -> None:
    assert advice(tmp_path, "print('hello')\n" + GOOD) == []


def test_a_main_file_that_forks_is_loaded_once(tmp_path: Path) -> None:
    assert advice(tmp_path, "import os\nos.fork()\n" + GOOD) == []


def test_a_module_of_the_folder_does_not_shadow_pythons(tmp_path: Path) -> None:
    (tmp_path / "random.py").write_text("raise RuntimeError\n")
    (tmp_path / "json.py").write_text("raise RuntimeError\n")
    assert advice(tmp_path) == []


@pytest.mark.parametrize(
    "body",
    [
        "int(params['x'])",
        "int(params['x'][0])",
        "round(float(params['x']))",
        "np.rint(params['x'])",
        "params['x'].astype(int)",
        "math.floor(params['x'][0])",
        "x = params['x'][0]\n    return int(x)",
    ],
)
def test_a_float_that_the_objective_rounds_should_be_an_int(tmp_path: Path, body: str) -> None:
    body = body if "return" in body else f"return {body}"
    found = advice(tmp_path, f"def main(job_id, params):\n    {body}\n")
    assert len(found) == 1
    assert found[0].startswith("variables.x: the objective rounds it (objective.py, line ")


@pytest.mark.parametrize("body", ["round(params['x'], 2)", "float(params['x'])", "int(job_id)"])
def test_a_float_that_is_used_as_a_real_gets_no_advice(tmp_path: Path, body: str) -> None:
    assert advice(tmp_path, f"def main(job_id, params):\n    return {body}\n") == []


def test_a_parameter_that_is_not_declared_is_told(tmp_path: Path) -> None:
    source = "def main(job_id, params):\n    return params['depht']\n"
    found = advice(tmp_path, source, variables={"depth": X})
    assert found == [
        "objective.py: line 2 reads params['depht'], but no variable has that name; "
        "did you mean 'depth'?"
    ]


def test_bounds_that_look_like_a_log_scale_are_told(tmp_path: Path) -> None:
    rate = {"type": "FLOAT", "min": 1e-5, "max": 1}
    assert advice(tmp_path, variables={"rate": rate}) == [
        'variables.rate: 1e-05 to 1 looks like a log scale; if it is, add "log": true'
    ]
    units = {"type": "INT", "min": 1, "max": 5000}
    assert advice(tmp_path, variables={"units": units}) == [
        'variables.units: 1 to 5000 looks like a log scale; if it is, add "log": true'
    ]
    assert advice(tmp_path, variables={"units": {**units, "log": True}}) == []
    assert advice(tmp_path, variables={"units": {**units, "max": 4096, "base": 2}}) == []
    assert advice(tmp_path, variables={"rate": rate | {"log": True}}) == []


@pytest.mark.parametrize(
    ("likelihood", "end"),
    [("NOISELESS", "the run ends there"), ("GAUSSIAN", f"the rest are repeats; {IF_NOISELESS}")],
)
def test_a_budget_beyond_an_all_integer_space_is_told(
    tmp_path: Path, likelihood: str, end: str
) -> None:
    depth = {"type": "INT", "min": 1, "max": 5}
    (found,) = advice(tmp_path, variables={"depth": depth}, likelihood=likelihood)
    assert "with 5 combinations in all, fewer than the budget of 10" in found
    assert found.endswith(end)


def test_a_run_without_an_end_is_told(tmp_path: Path) -> None:
    (found,) = advice(tmp_path, GOOD, **{"max-finished-jobs": None})
    assert found == "max-finished-jobs: there is no budget: a run goes on until Ctrl-C"


def test_a_run_that_only_stop_when_ends_is_told(tmp_path: Path) -> None:
    keys = {"max-finished-jobs": None, "stop-when": "regret below 0.1 with 95 %"}
    (found,) = advice(tmp_path, GOOD, **keys)
    assert found.endswith("a run goes on until stop-when holds, which may never be, or Ctrl-C")


def test_a_budget_that_is_spent_before_the_model_chooses_is_told(tmp_path: Path) -> None:
    (found,) = advice(tmp_path, GOOD, **{"num-initial-points": 10, "max-finished-jobs": 10})
    assert found == "num-initial-points: the model chooses no job: 10, and a budget of 10"


@pytest.mark.parametrize(("likelihood", "advised"), [("GAUSSIAN", 1), ("NOISELESS", 0)])
def test_only_without_noise_does_a_run_over_integers_end_by_itself(
    tmp_path: Path, likelihood: str, advised: int
) -> None:
    keys = {"max-finished-jobs": None, "variables": {"n": {"type": "INT", "min": 1, "max": 5}}}
    assert len(advice(tmp_path, GOOD, likelihood=likelihood, **keys)) == advised


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("echo 1\n", "its first line must be like '#!/bin/sh'; there is none"),
        ("#!/no/such/shell\necho 1\n", "its first line names /no/such/shell, which does not exist"),
        ("#!\necho 1\n", "its first line must name an interpreter, like '#!/bin/sh'"),
        ("#!/bin/sh -e\r\necho 1\r\n", "its lines end in a carriage return, as on Windows"),
    ],
)
def test_a_script_without_an_interpreter_is_told(tmp_path: Path, text: str, sentence: str) -> None:
    script = tmp_path / "run.sh"
    script.write_text(text)
    script.chmod(0o755)
    config = experiment(tmp_path, language="SHELL", **{"main-file": "run.sh"})
    with pytest.raises(ObjectiveError, match=r"^run\.sh: ") as caught:
        check_experiment(config)
    assert sentence in str(caught.value)


def test_options_that_a_constraint_has_no_use_for_are_told(tmp_path: Path) -> None:
    tasks = {"main": {}, "c": {"type": "CONSTRAINT", "mcmc_iters": 3, "likelihood": "NOISELESS"}}
    assert advice(tmp_path, tasks=tasks) == [
        "tasks.c.mcmc-iters: has no effect: the models of constraints have no options"
    ]


def test_a_confidence_that_the_objective_has_no_use_for_is_told(tmp_path: Path) -> None:
    tasks = {"main": {"min_confidence": 0.9}, "c": {"type": "CONSTRAINT", "min-confidence": 0.9}}
    assert advice(tmp_path, tasks=tasks) == [
        "tasks.main.min-confidence: has no effect on an OBJECTIVE: say it in the tasks of type "
        "CONSTRAINT"
    ]


def test_a_disk_without_room_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)
    full = usage._replace(free=12_345)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: full)
    assert advice(tmp_path) == ["the folder's disk has 12 kB left: a run waits until there is more"]
