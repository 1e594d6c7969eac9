"""Python objectives in real processes: what they get, what they give, and how they fail."""

from __future__ import annotations

import math
import threading
from pathlib import Path

import pytest

from spearmint_int.jobs import FailureKind
from spearmint_int.launcher import process
from spearmint_int.launcher.outcome import Outcome
from spearmint_int.launcher.output import KEPT_END, LARGEST_OUTPUT, output_path
from spearmint_int.launcher.wakeup import Wakeup
from spearmint_int.testing.orders import launch
from tests.launcher.launches import (
    ARGUMENTS,
    call,
    eventually,
    failure,
    is_running,
    printed,
    result,
    run,
)

pytestmark = pytest.mark.timeout(60)


# --- what an objective gets ---


def test_params_are_arrays_of_their_size_and_lists_of_strings(tmp_path: Path) -> None:
    code = """
        import numpy as np
        def main(job_id, params):
            assert job_id == 7
            assert params["x"].tolist() == [2.0] and params["x"].dtype == np.float64
            assert params["layers"].tolist() == [3, 4] and params["layers"].dtype == np.int64
            assert params["kind"] == ["relu"]
            return params["x"][0]
    """
    assert result(tmp_path, code, arguments=ARGUMENTS) == {"main": 2.0}


def test_it_runs_in_its_folder_which_is_on_the_path(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("VALUE = 4.5")
    code = """
        import os, helper
        def main(job_id, params):
            assert os.path.exists("objective.py")
            return helper.VALUE
    """
    assert result(tmp_path, code) == {"main": 4.5}


def test_py_at_the_end_of_the_main_file_is_optional(tmp_path: Path) -> None:
    code = "def main(job_id, params): return 1"
    assert result(tmp_path, code, main_file="objective.py") == {"main": 1.0}


def test_a_main_file_may_have_the_name_of_a_module_of_python(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("def main(job_id, params): return 3")
    (tmp_path / "random.py").write_text("raise RuntimeError('not meant')")
    code = "def main(job_id, params): return 1"
    assert result(tmp_path, code, main_file="json") == {"main": 3.0}


def test_the_job_id_and_the_environment_file_are_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "job.env").write_text("# for jobs\nexport SCALE='2.5'\n")
    code = """
        import os
        def main(job_id, params):
            return float(os.environ["SCALE"]) * int(os.environ["SPEARMINT_JOB_ID"])
    """
    assert result(tmp_path, code, environment_file="job.env") == {"main": 17.5}


# --- results ---


@pytest.mark.parametrize(
    "expression",
    [
        "2",
        "2.0",
        "np.float32(2)",
        "np.int64(2)",
        "np.array(2.0)",
        "np.array([[2.0]])",
        "{'main': 2}",
    ],
)
def test_a_number_is_taken_in_every_usual_form(tmp_path: Path, expression: str) -> None:
    code = f"""
        import numpy as np
        def main(job_id, params): return {expression}
    """
    assert result(tmp_path, code) == {"main": 2.0}


def test_a_dict_has_a_number_for_each_task(tmp_path: Path) -> None:
    code = "def main(job_id, params): return {'loss': 1.5, 'cost': 2}"
    assert result(tmp_path, code, tasks=("cost", "loss")) == {"cost": 2.0, "loss": 1.5}


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("'0.5'", "str '0.5'"),
        ("None", "is a `return` missing?"),
        ("[1.0]", "list [1.0]"),
        ("np.zeros(3)", "shape (3,)"),
        ("1j", "complex"),
        ("{'other': 1}", 'return a number, or {"main": …}'),
        ("{'main': 'x'}", "for 'main', str 'x' instead of a number"),
        ("{'main': 3, 'note': 'hi'}", "for 'note', str 'hi' instead of a number; every value"),
        ("object()", "instead of a number"),
        ("10**5000", "returned a number beyond the largest float, 1.8e308"),
    ],
)
def test_anything_else_is_a_bad_result(tmp_path: Path, expression: str, words: str) -> None:
    code = f"""
        import numpy as np
        def main(job_id, params): return {expression}
    """
    assert words in failure(result(tmp_path, code), FailureKind.BAD_RESULT).message


@pytest.mark.parametrize(
    "expression",
    [
        "float('nan')",
        "float('inf')",
        "{'main': -np.inf}",
        "np.ma.array([1.0, 2.0], mask=True).mean()",
        "{'main': np.ma.array([5.0], mask=True)}",
    ],
)
def test_nan_and_infinity_mean_failed_here(tmp_path: Path, expression: str) -> None:
    code = f"""
        import numpy as np
        def main(job_id, params): return {expression}
    """
    values = result(tmp_path, code)
    assert isinstance(values, dict)
    assert not math.isfinite(values["main"])


def test_numbers_beside_the_task_are_metrics(tmp_path: Path) -> None:
    code = """
        def main(job_id, params): return {"accuracy": 0.5, "main": 2.0, "seen": 3}
    """
    assert result(tmp_path, code) == {"main": 2.0, "accuracy": 0.5, "seen": 3.0}


def test_a_result_counts_although_the_interpreter_crashes_at_its_end(tmp_path: Path) -> None:
    code = """
        import atexit, os, signal
        def main(job_id, params):
            atexit.register(os.kill, os.getpid(), signal.SIGSEGV)
            return 5.0
    """
    assert result(tmp_path, code) == {"main": 5.0}


def test_what_it_prints_is_never_taken_for_the_result(tmp_path: Path) -> None:
    code = """
        import os, sys
        def main(job_id, params):
            os.write(1, bytes(range(256)) * 10)
            print('{"number": 99}')
            sys.stdout.close()
            os.close(2)
            return 1.0
    """
    assert result(tmp_path, code) == {"main": 1.0}


# --- failures ---


def test_an_exception_is_told_with_its_last_line_and_its_place(tmp_path: Path) -> None:
    code = """
        def main(job_id, params):
            raise ValueError("no such dataset")
    """
    found = failure(result(tmp_path, code), FailureKind.EXCEPTION)
    assert found.message == "ValueError: no such dataset (objective.py, line 3)"
    assert found.exit_status == 1
    assert "Traceback" in found.stderr_tail


def test_an_exception_of_many_lines_is_told_in_one_with_the_cause_at_its_end(
    tmp_path: Path,
) -> None:
    code = """
        def main(job_id, params):
            raise ValueError("\\nAll fits failed.\\nBelow:\\n----\\nTypeError: got ['gini']\\n")
    """
    found = failure(result(tmp_path, code), FailureKind.EXCEPTION)
    said = "ValueError: All fits failed. … TypeError: got ['gini'] (objective.py, line 3)"
    assert found.message == said
    assert "Below:" in found.stderr_tail


def test_a_long_exception_keeps_its_beginning_and_its_place(tmp_path: Path) -> None:
    found = failure(
        result(tmp_path, "def main(job_id, params): raise ValueError('x' * 9999)"),
        FailureKind.EXCEPTION,
    )
    assert found.message.startswith("ValueError: xxx")
    assert found.message.endswith("xxx (objective.py, line 1)")
    assert len(found.message) <= 500


def test_an_exception_within_a_library_is_told_with_the_users_line(tmp_path: Path) -> None:
    code = """
        import json
        def main(job_id, params):
            return json.loads("no json")
    """
    found = failure(result(tmp_path, code), FailureKind.EXCEPTION)
    assert found.message.endswith("(objective.py, line 4)")


def test_the_traceback_in_the_output_has_only_the_users_frames(tmp_path: Path) -> None:
    result(tmp_path, "def main(job_id, params): return 1 / 0")
    text = printed(tmp_path)
    assert "ZeroDivisionError" in text
    assert text.count("File ") == 1


def test_sys_exit_is_told_apart(tmp_path: Path) -> None:
    code = """
        import sys
        def main(job_id, params): sys.exit(3)
    """
    found = failure(result(tmp_path, code), FailureKind.EXIT)
    assert (found.message, found.exit_status) == ("main() called sys.exit(3)", 3)


def test_an_exit_without_goodbye_keeps_its_status_and_last_words(tmp_path: Path) -> None:
    code = """
        import os
        def main(job_id, params):
            os.write(2, b"licence server not found")
            os._exit(4)
    """
    found = failure(result(tmp_path, code), FailureKind.EXIT)
    assert found.exit_status == 4
    assert "exit status 4: licence server not found" in found.message


def test_a_signal_is_told_by_its_name(tmp_path: Path) -> None:
    code = """
        import os, signal
        def main(job_id, params): os.kill(os.getpid(), signal.SIGSEGV)
    """
    found = failure(result(tmp_path, code), FailureKind.SIGNAL)
    assert "SIGSEGV" in found.message
    assert found.exit_status == -11


def test_want_of_memory_is_told_apart(tmp_path: Path) -> None:
    code = """
        import resource
        def main(job_id, params):
            resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
            return len(bytearray(2**31))
    """
    failure(result(tmp_path, code), FailureKind.OUT_OF_MEMORY)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def main(job_id, params) return 1", "SyntaxError"),
        ("import no_such_module_here", "No module named 'no_such_module_here'"),
        ("raise RuntimeError('at import')", "RuntimeError: at import (objective.py, line 1)"),
        ("exit(1)", "SystemExit"),
        ("def Main(job_id, params): return 1", "has no function main(job_id, params)"),
        ("main = 3", "has no function main(job_id, params)"),
    ],
)
def test_a_main_file_that_cant_be_loaded_says_why(tmp_path: Path, code: str, words: str) -> None:
    assert words in failure(result(tmp_path, code), FailureKind.LAUNCH).message


def test_a_missing_main_file_is_named(tmp_path: Path) -> None:
    launched = launch(tmp_path, "", main_file="nowhere")
    assert "no main file nowhere.py" in failure(call(launched), FailureKind.START).message


def test_a_folder_with_the_name_of_another_module_is_told(tmp_path: Path) -> None:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "o.py").write_text("def main(job_id, params): return 1\n")
    found = failure(call(launch(tmp_path, "", main_file="code.o")), FailureKind.LAUNCH)
    assert found.message.startswith("code.o can't be imported: 'code' is another module (")
    assert found.message.endswith("code.py); rename the folder")


def test_a_bad_environment_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "job.env").write_text("A=1\nmodule load cuda\n")
    outcome = result(tmp_path, "", environment_file="job.env")
    assert "job.env:2: expected NAME=value" in failure(outcome, FailureKind.LAUNCH).message


# --- time, output and children ---


def test_a_hanging_objective_ends_at_the_time_limit_with_its_children(tmp_path: Path) -> None:
    code = """
        import subprocess, time
        def main(job_id, params):
            child = subprocess.Popen(["sleep", "100"])
            open("child.pid", "w").write(str(child.pid))
            time.sleep(100)
    """
    found = failure(result(tmp_path, code, time_limit=1.0), FailureKind.TIME_LIMIT)
    assert found.message == "ended after the time limit of 1 s"
    child = int((tmp_path / "child.pid").read_text())
    assert eventually(lambda: not is_running(child))


def test_an_objective_that_ignores_sigterm_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.2)
    code = """
        import signal, time
        def main(job_id, params):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(100)
    """
    found = failure(result(tmp_path, code, time_limit=1.0), FailureKind.TIME_LIMIT)
    assert found.exit_status == -9


def test_an_interrupted_objective_has_no_outcome(tmp_path: Path) -> None:
    interrupt = Wakeup()
    launched = launch(tmp_path, "import time\ndef main(job_id, params): time.sleep(100)")
    assert run(launched, interrupt, started=lambda _: interrupt.set()) is None


SAYS_GOODBYE = """
import signal, sys, time
def main(job_id, params):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("told to end"))
    print("ready", flush=True)
    time.sleep(100)
"""


def test_an_objective_that_answers_an_interrupt_by_an_exit_has_no_outcome(tmp_path: Path) -> None:
    interrupt = Wakeup()
    outcomes: list[Outcome | None] = []
    launched = launch(tmp_path, SAYS_GOODBYE)
    thread = threading.Thread(target=lambda: outcomes.append(run(launched, interrupt)))
    thread.start()
    assert eventually(lambda: output_path(tmp_path, 7).exists() and "ready" in printed(tmp_path))
    interrupt.set()
    thread.join()
    assert outcomes == [None]


def test_an_objective_that_answers_the_time_limit_by_an_exit_was_too_slow(tmp_path: Path) -> None:
    failure(result(tmp_path, SAYS_GOODBYE, time_limit=2.0), FailureKind.TIME_LIMIT)


def test_a_child_that_keeps_the_output_open_is_not_waited_for(tmp_path: Path) -> None:
    code = """
        import subprocess
        def main(job_id, params):
            child = subprocess.Popen(["sleep", "100"])
            open("child.pid", "w").write(str(child.pid))
            return 1.0
    """
    assert result(tmp_path, code) == {"main": 1.0}
    assert eventually(lambda: not is_running(int((tmp_path / "child.pid").read_text())))


def test_output_appears_while_the_objective_runs(tmp_path: Path) -> None:
    code = """
        import sys, time
        def main(job_id, params):
            print("epoch 1")
            print("a warning", file=sys.stderr)
            time.sleep(100)
    """
    interrupt = Wakeup()
    launched = launch(tmp_path, code)
    thread = threading.Thread(target=run, args=(launched, interrupt))
    thread.start()
    try:
        assert eventually((tmp_path / "output" / "00000007.out").exists)
        assert eventually(lambda: "epoch 1" in printed(tmp_path) and "warning" in printed(tmp_path))
    finally:
        interrupt.set()
        thread.join()


def test_an_objective_that_fills_the_output_fills_neither_disk_nor_memory(tmp_path: Path) -> None:
    code = """
        import sys
        def main(job_id, params):
            for _ in range(300):
                sys.stdout.write("x" * 100_000)
            print("the last word")
            return 1.0
    """
    assert result(tmp_path, code) == {"main": 1.0}
    text = printed(tmp_path)
    assert len(text) < LARGEST_OUTPUT + KEPT_END + 200
    assert "bytes left out here" in text
    assert text.endswith("the last word\n")


def test_a_second_attempt_adds_to_the_output_of_the_first(tmp_path: Path) -> None:
    code = "def main(job_id, params): print('hello'); return 1"
    result(tmp_path, code)
    result(tmp_path, code, attempt=2)
    assert printed(tmp_path) == "hello\n[spearmint-int: attempt 2]\nhello\n"


def test_an_output_that_cant_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "output").write_text("not a folder")
    outcome = result(tmp_path, "def main(job_id, params): return 1")
    assert "00000007.out can't be written" in failure(outcome, FailureKind.START).message


def test_a_result_that_is_too_large_is_told_as_such(tmp_path: Path) -> None:
    code = """
        def main(job_id, params):
            return {"main": 1.0, "x" * 10_000_000: 2.0}
    """
    ended = failure(result(tmp_path, code), FailureKind.BAD_RESULT)
    assert ended.message == "main() returned more than 10 MB; return numbers, not data"


def test_a_result_is_not_written_into_a_file_that_took_the_number_of_a_closed_one(
    tmp_path: Path,
) -> None:
    code = """
        import os
        def main(job_id, params):
            os.closerange(3, 1000)
            globals()["logs"] = [open(f"{n}.log", "w") for n in range(8)]
            return 1.0
    """
    ended = failure(result(tmp_path, code), FailureKind.EXIT)
    assert "the objective has closed files that it did not open" in ended.message
    assert [log.read_text() for log in tmp_path.glob("*.log")] == 8 * [""]


@pytest.mark.parametrize(
    "code",
    [
        "import os\nCHILD = os.fork() == 0\ndef main(job_id, params): return 2 if CHILD else 1",
        "import os\ndef main(job_id, params): return 2 if os.fork() == 0 else 1",
    ],
)
def test_of_an_objective_that_forks_the_process_itself_has_the_result(
    tmp_path: Path, code: str
) -> None:
    assert result(tmp_path, code) == {"main": 1.0}


def test_a_thread_that_keeps_the_job_from_ending_is_named_in_its_output(tmp_path: Path) -> None:
    code = """
        import threading, time

        def main(job_id, params):
            threading.Thread(target=time.sleep, args=[4.5], name="upload").start()
            return 1
    """
    assert result(tmp_path, code) == {"main": 1.0}
    said = "[spearmint-int: main() has returned; the job ends with upload]"
    assert said in printed(tmp_path)


def test_threads_that_end_by_themselves_are_not_told(tmp_path: Path) -> None:
    code = """
        from concurrent.futures import ThreadPoolExecutor

        def main(job_id, params):
            return ThreadPoolExecutor(2).submit(lambda: 1).result()
    """
    assert result(tmp_path, code) == {"main": 1.0}
    assert "spearmint-int" not in printed(tmp_path)
