"""The launcher: one job of an experiment in its own process, supervised by a worker."""
