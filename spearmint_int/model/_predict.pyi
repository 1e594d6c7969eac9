import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

def inverse_of_factor(L: FloatArray) -> bool: ...
def predict(
    X: FloatArray,
    weights: FloatArray,
    R: FloatArray,
    alpha: FloatArray,
    Z: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]: ...
def predict_bound(
    X: FloatArray,
    weights: FloatArray,
    precisions: FloatArray,
    alpha: FloatArray,
    Z: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray]: ...
def predict_with_gradient(
    columns: list[FloatArray],
    weights: FloatArray,
    factors: list[FloatArray],
    alpha: FloatArray,
    Z: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]: ...
