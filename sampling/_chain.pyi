import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

LAYOUT: dict[str, int]

def warp_outputs(y: FloatArray, power: float) -> FloatArray: ...
def warp_inputs(u: FloatArray, a: float, b: float) -> FloatArray: ...
def prior_log_density(row: FloatArray, x: float) -> float: ...

class Chain:
    evaluations: int
    stuck: int
    def __init__(
        self,
        d2: FloatArray,
        y: FloatArray,
        rows: NDArray[np.int64],
        counts: FloatArray,
        reference: FloatArray,
        warped: FloatArray,
        warped_groups: NDArray[np.int64],
        features: FloatArray,
        bowl: FloatArray,
        priors: FloatArray,
        kernel_capsule: object,
        bit_generator: np.random.BitGenerator,
        *,
        noiseless: bool,
        warps_outputs: bool,
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
