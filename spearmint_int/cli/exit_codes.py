"""How the program ends."""

FINE = 0
ALL_BROKEN = 1  # a run stopped early, because every job broke
USERS_MISTAKE = 2  # told in one sentence on stderr
INTERRUPTED = 130  # Ctrl-C
PIPE_CLOSED = 141  # the reader of a pipe went away
