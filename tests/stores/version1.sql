-- A store as version 1 wrote it: a complete, a pending and a broken job.
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    status TEXT NOT NULL CHECK (status IN ('new', 'pending', 'complete', 'broken')),
    point TEXT NOT NULL,          -- JSON: [number, ...]
    result TEXT,                  -- JSON: {task: number or null}
    params TEXT NOT NULL,         -- JSON: {variable: value}
    source TEXT NOT NULL,
    resource TEXT NOT NULL,
    tasks TEXT NOT NULL,          -- JSON: [task, ...]
    attempts INTEGER NOT NULL,
    created REAL NOT NULL,        -- times: UTC seconds since 1970
    started REAL,
    ended REAL,
    lease_owner TEXT,
    lease_expires REAL,
    token TEXT,                   -- the claim that may change the job
    settled TEXT,                 -- how the last claim ended, and its token
    process TEXT,                 -- JSON: {host, pid, born, proc_id}
    failures TEXT NOT NULL,       -- JSON: [{kind, message, exit_status, stderr_tail}, ...]
    provenance TEXT NOT NULL      -- JSON: what the chooser knew
);
CREATE INDEX jobs_by_status ON jobs (status, id);
CREATE INDEX jobs_by_budget ON jobs (resource, source, status);
CREATE TABLE chains (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE locks (name TEXT PRIMARY KEY, owner TEXT NOT NULL, expires REAL NOT NULL);
INSERT INTO jobs VALUES (1, 'complete', '[0.5, 0.1]', '{"main": 1.5}', '{"x": 0.0, "k": 0}', 'chooser', 'Main', '["main"]', 1, 1.7e9, 1.7e9, 1700000002.0, NULL, NULL, NULL, 'complete a1', '{"host": "node7", "pid": 4711, "born": "123", "proc_id": null}', '[]', '{"acquisition": "ei"}');
INSERT INTO jobs VALUES (2, 'pending', '[0.25, 0.1]', NULL, '{"x": -0.5, "k": 0}', 'chooser', 'Main', '["main"]', 1, 1.7e9, 1.7e9, NULL, 'node7:1:1:x', 1700000030.0, 'b2', NULL, NULL, '[]', '{}');
INSERT INTO jobs VALUES (3, 'broken', '[0.75, 0.9]', NULL, '{"x": 0.5, "k": 4}', 'chooser', 'Main', '["main"]', 1, 1.7e9, 1.7e9, 1700000001.0, NULL, NULL, NULL, 'fail c3', NULL, '[{"kind": "exit", "message": "exit status 3", "exit_status": 3, "stderr_tail": ""}]', '{}');
INSERT INTO meta VALUES ('seed', '7');
PRAGMA application_id = 1399875950;
PRAGMA user_version = 1;
