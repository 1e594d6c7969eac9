"""What the fuzzers throw: JSON of any shape, and text of any kind."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# `make fuzz` asks for more, and for others each time.
EXAMPLES = int(os.environ.get("SPEARMINT_INT_FUZZ_EXAMPLES", "150"))
fuzzing = settings(
    max_examples=EXAMPLES,
    derandomize="SPEARMINT_INT_FUZZ_EXAMPLES" not in os.environ,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

# Surrogates too: they come out of undecodable file names and JSON escapes.
TEXT = st.text(st.characters(codec=None), max_size=30)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXT
    | st.sampled_from([1e9, 10**400, -1, 0, "", "\0", "NaN", "inf", "1e999", "\ud800", "x" * 300])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=8,
)
