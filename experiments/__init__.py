"""The paper's experiments, the comparison with peers, and the benchmark. Not installed."""
