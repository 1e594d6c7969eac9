"""qsub, qstat and qdel as scripts that start real processes and speak as PBS does: no PBS is in
Debian."""

from __future__ import annotations

from pathlib import Path

QSUB = """
number=$(ls | grep -c '^job\\.'); touch "job.$number"; cat >"script.$number"
export PBS_JOBID="$number.server.example"
(
    setsid sh "script.$number" &
    echo $! >"job.$number"; wait $!; rm "job.$number"
) </dev/null >log 2>&1 &
touch "job.x$number"
echo "$PBS_JOBID"
"""
QSTAT = """
shift; status=0
for id in "$@"; do
    number=${id%%.*}
    if [ -e "job.$number" ]; then
        printf 'Job Id: %s.server.example\\n    Job_Name = name\\n    job_state = R\\n\\n' "$number"
    else
        echo "qstat: Unknown Job Id $id.server.example" >&2; status=153
    fi
done
exit $status
"""
QDEL = """
for id in "$@"; do kill -TERM $(cat "job.${id%%.*}"); done
"""


def write_pbs_commands(folder: Path) -> None:
    """Put them into the folder, where they also keep their queue."""
    folder.mkdir()
    for name, code in {"qsub": QSUB, "qstat": QSTAT, "qdel": QDEL}.items():
        path = folder / name
        path.write_text(f"#!/bin/bash\ncd '{folder}'\n{code}")
        path.chmod(0o755)
