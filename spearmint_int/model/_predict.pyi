import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

def inverse_of_factor(L: FloatArray) -> bool: ...
def predict(
    columns: list[FloatArray],
    weights: FloatArray,
    features: list[FloatArray],
    factors: list[FloatArray],
    alpha: FloatArray,
    rows: list[FloatArray],
    own: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray, NDArray[np.int64]]: ...
def predict_bound(
    columns: list[FloatArray],
    weights: FloatArray,
    features: list[FloatArray],
    precisions: FloatArray,
    alpha: FloatArray,
    rows: list[FloatArray],
    own: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray]: ...
def predict_with_gradient(
    columns: list[FloatArray],
    weights: FloatArray,
    features: list[FloatArray],
    factors: list[FloatArray],
    alpha: FloatArray,
    rows: list[FloatArray],
    own: FloatArray,
    capsule: object,
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, FloatArray]: ...
