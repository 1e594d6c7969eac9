import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

def improvement_ratios(gamma: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]: ...
