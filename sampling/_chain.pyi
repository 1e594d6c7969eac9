import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

def prior_log_density(
    kind: int, a: float, b: float, lower: float, upper: float, x: float
) -> float: ...

class Chain:
    evaluations: int
    stuck: int
    def __init__(
        self,
        d2: FloatArray,
        y: FloatArray,
        counts: FloatArray,
        scatter: float,
        priors: FloatArray,
        kernel_capsule: object,
        bit_generator: np.random.BitGenerator,
        noiseless: bool,
        jitter: float,
    ) -> None: ...
    def set_state(self, state: FloatArray, widths: FloatArray) -> float: ...
    @property
    def state(self) -> FloatArray: ...
    @property
    def slice_widths(self) -> FloatArray: ...
    @property
    def log_posterior(self) -> float: ...
    def factor(self) -> FloatArray: ...
    def sweep(self, count: int, adapt: bool) -> None: ...
