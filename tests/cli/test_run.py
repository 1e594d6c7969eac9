"""`run` as people use it: real processes, to the end, interrupted, resumed, in a pipe."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from spearmint_int import value_text
from tests.cli.conftest import CONFIG, CommandLine

SLOW_OBJECTIVE = """import time
def main(job_id, params):
    time.sleep(1.5)
    return float(params["x"][0]) ** 2
"""


def start(folder: Path, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "spearmint_int", "run", str(folder), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_output(folder: Path, job_id: int) -> None:
    """Until the job has begun."""
    deadline = time.monotonic() + 60
    while not (folder / "output" / f"{job_id:08d}.out").exists():
        assert time.monotonic() < deadline, "the job did not start"
        time.sleep(0.05)


def test_a_run_goes_to_its_end_and_a_second_one_has_nothing_to_do(
    spearmint: CommandLine, experiment: Path
) -> None:
    first = spearmint("run", experiment)
    assert (first.code, first.err) == (0, "")
    lines = first.out.splitlines()
    assert "parabola: 0 of 3 jobs; kept in" in lines[0]
    assert [line.split()[1] for line in lines[1:4]] == ["[1/3]", "[2/3]", "[3/3]"]
    assert any(line.startswith("best: ") for line in lines)
    again = spearmint("run", experiment)
    assert again.code == 0
    assert "goes on: 3 of 3 jobs" in again.out
    assert spearmint("status", experiment, "--json").json["finished"] == 3


def test_a_main_file_that_is_away_for_a_while_is_waited_for_in_a_sentence(
    spearmint: CommandLine, experiment: Path
) -> None:
    main_file = experiment / "objective.py"
    text = main_file.read_text()
    main_file.write_text(text + "\nimport os\nos.remove(__file__)\n")

    def put_back() -> None:
        wait_for_output(experiment, 1)
        time.sleep(1.5)
        main_file.write_text(text)

    threading.Thread(target=put_back).start()
    answer = spearmint("run", experiment)
    assert answer.code == 0
    assert "can't be started, and is tried again: there is no main file objective.py" in answer.out
    assert "attempt 0" not in answer.out


def test_results_that_were_brought_cost_no_budget(
    spearmint: CommandLine, with_results: Path
) -> None:
    assert spearmint("run", with_results).code == 0
    assert spearmint("status", with_results, "--json").json["jobs"]["complete"] == 7


def test_json_lines_end_with_the_summary(spearmint: CommandLine, experiment: Path) -> None:
    events = [json.loads(line) for line in spearmint("run", experiment, "--json").out.splitlines()]
    assert events[0]["event"] == "run-started"
    assert events[-1]["event"] == "run-ended"
    assert events[-1]["summary"]["reason"] == "budget"
    assert sum(event["event"] == "job-ended" for event in events) == 3


def test_ctrl_c_waits_for_the_job_and_a_new_run_goes_on(
    spearmint: CommandLine, experiment: Path
) -> None:
    (experiment / "objective.py").write_text(SLOW_OBJECTIVE)
    process = start(experiment)
    wait_for_output(experiment, 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert "stopping: waiting for 1 running job" in out
    assert spearmint("jobs", experiment, "--json").json[0]["status"] == "complete"
    (experiment / "objective.py").write_text(SLOW_OBJECTIVE.replace("1.5", "0"))
    assert "goes on: 1 of 3 jobs" in spearmint("run", experiment).out


def test_ctrl_c_twice_hands_the_job_back(spearmint: CommandLine, experiment: Path) -> None:
    (experiment / "objective.py").write_text(SLOW_OBJECTIVE.replace("1.5", "600"))
    process = start(experiment)
    wait_for_output(experiment, 1)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    (job,) = spearmint("jobs", experiment, "--json").json
    assert (job["status"], job["attempts"]) == ("new", 0)


def test_a_run_outlives_the_reader_of_its_pipe(spearmint: CommandLine, experiment: Path) -> None:
    command = f"'{sys.executable}' -m spearmint_int run '{experiment}' | head -n 1"
    answer = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert answer.stdout.count("\n") == 1
    assert answer.stderr == ""
    assert spearmint("status", experiment, "--json").json["finished"] == 3


def test_all_broken_is_exit_code_one_and_retry_brings_the_jobs_back(
    spearmint: CommandLine, experiment: Path
) -> None:
    good = (experiment / "objective.py").read_text()
    (experiment / "objective.py").write_text("def main(job_id, params): raise ValueError('no')\n")
    config = CONFIG | {"max-attempts": 1}
    (experiment / "config.json").write_text(json.dumps(config))
    answer = spearmint("run", experiment)
    assert answer.code == 1
    assert "every job broke; the first was job 1: ValueError: no" in answer.out
    (experiment / "objective.py").write_text(good)
    assert spearmint("retry", experiment, "--all").code == 0
    assert spearmint("run", experiment).code == 0


def test_initial_points_run_first(spearmint: CommandLine, experiment: Path) -> None:
    guesses = [{"x": 0.5, "n": 3}, {"x": -1, "n": 4}]
    (experiment / "config.json").write_text(json.dumps(CONFIG | {"initial-points": guesses}))
    assert spearmint("run", experiment).code == 0
    jobs = spearmint("jobs", experiment, "--json").json
    assert [job["params"] for job in jobs[:2]] == [{"x": 0.5, "n": 3}, {"x": -1.0, "n": 4}]
    assert [job["source"] for job in jobs] == ["initial", "initial", "chooser"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a pseudo-terminal")
def test_a_terminal_gets_the_live_view(experiment: Path) -> None:
    leader, follower = os.openpty()
    environment = os.environ | {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
    command = [sys.executable, "-m", "spearmint_int", "run", str(experiment)]
    process = subprocess.Popen(command, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    shown = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data
    os.close(leader)
    assert process.wait(timeout=60) == 0
    text = shown.decode()
    assert "parabola: 0 of 3 jobs" in text
    assert "━" in text
    assert "best: " in text.replace("\x1b[1m", "").replace("\x1b[0m", "")


@pytest.mark.parametrize("budgets", [(6,), (5, 6)], ids=["one run", "after a resume of one job"])
def test_the_last_line_of_a_run_is_what_best_says(
    spearmint: CommandLine, experiment: Path, budgets: tuple[int, ...]
) -> None:
    config = json.loads((experiment / "config.json").read_text())
    for budget in budgets:
        keys = {"max-finished-jobs": budget, "likelihood": "GAUSSIAN"}
        (experiment / "config.json").write_text(json.dumps(config | keys))
        lines = spearmint("run", experiment).out.splitlines()
    told = next(line for line in lines if line.startswith("model: "))
    model = spearmint("best", experiment, "--json").json["model"]
    estimate = value_text.estimate(model["mean"], model["sd"])
    assert told == f"model: {estimate} at {value_text.params(model['params'])}"


METRICS = """def main(job_id, params):
    return {"main": params["x"] ** 2, "accuracy": 0.5 + job_id, "epochs": 3}
"""


def test_numbers_beside_the_task_are_kept_shown_and_exported(
    spearmint: CommandLine, experiment: Path, tmp_path: Path
) -> None:
    (experiment / "objective.py").write_text(METRICS)
    assert spearmint("run", experiment).code == 0
    assert spearmint("show", experiment, "2", "--json").json["metrics"] == {
        "accuracy": 2.5, "epochs": 3.0,
    }  # fmt: skip
    assert re.search("accuracy +2.5\n", spearmint("show", experiment, "2").out)
    for name in ("jobs.csv", "jobs.json"):
        file = tmp_path / name
        assert spearmint("export", experiment, "-o", file).code == 0
        other = tmp_path / f"other-{file.suffix[1:]}"
        other.mkdir()
        (other / "config.json").write_text(json.dumps(CONFIG))
        assert spearmint("add", other, file).code == 0
        jobs = spearmint("jobs", other, "--json").json
        assert [job["metrics"]["accuracy"] for job in jobs] == [1.5, 2.5, 3.5]


def test_a_nan_is_complete_however_it_came_and_nothing_but_nans_is_exit_code_one(
    spearmint: CommandLine, experiment: Path
) -> None:
    (experiment / "objective.py").write_text("def main(job_id, params): return float('nan')")
    answer = spearmint("run", experiment)
    assert answer.code == 1
    assert "no job gave a number: 3 have failed (NaN or infinite)" in answer.out
    results = experiment / "failed.csv"
    results.write_text("x,n,value\n0.5,1,\n")
    assert spearmint("add", experiment, results).code == 0
    statuses = [job["status"] for job in spearmint("jobs", experiment, "--json").json]
    assert statuses == ["complete"] * 4


def test_the_limits_of_a_run_can_be_given_for_this_run_alone(
    spearmint: CommandLine, experiment: Path
) -> None:
    assert spearmint("run", experiment, "--max-finished-jobs", "2").code == 0
    assert len(spearmint("jobs", experiment, "--json").json) == 2
    assert spearmint("run", experiment, "--max-time", "0.000001s").code == 0
    assert len(spearmint("jobs", experiment, "--json").json) == 2
    assert spearmint("run", experiment).code == 0
    assert len(spearmint("jobs", experiment, "--json").json) == 3


@pytest.mark.parametrize("limit", [["--max-time", "soon"], ["--max-finished-jobs", "0"]])
def test_an_impossible_limit_is_one_sentence(
    spearmint: CommandLine, experiment: Path, limit: list[str]
) -> None:
    answer = spearmint("run", experiment, *limit)
    assert answer.code == 2
    assert limit[0] in answer.err
    assert answer.err.count("\n") == 1


def test_the_objective_is_not_loaded_again_once_it_has_worked(
    spearmint: CommandLine, experiment: Path
) -> None:
    objective = experiment / "objective.py"
    objective.write_text("open('loads.txt', 'a').write('x')\n" + objective.read_text())
    assert spearmint("run", experiment).code == 0
    assert (experiment / "loads.txt").read_text() == "x" * 4  # once before three jobs
    spearmint("run", experiment, "--max-finished-jobs", "4")
    assert (experiment / "loads.txt").read_text() == "x" * 5


def test_an_environment_file_that_cant_be_read_costs_no_job(
    spearmint: CommandLine, with_results: Path
) -> None:
    (with_results / "job.env").write_text("A=$(date)\n")
    config = json.loads((with_results / "config.json").read_text())
    config["environment-file"] = "job.env"
    (with_results / "config.json").write_text(json.dumps(config))
    answer = spearmint("run", with_results)
    assert answer.code == 2
    assert "job.env:1: runs a command" in answer.err
    assert len(spearmint("jobs", with_results, "--json").json) == 4
