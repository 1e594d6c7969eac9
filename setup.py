"""The build: Cython extensions, and the root folders that install below `spearmint_int`."""

from __future__ import annotations

import sys

import numpy as np
from Cython.Build import cythonize
from setuptools import Extension, find_packages, setup

# The folders that stand at the root and install as subpackages (nothing generic in site-packages).
ROOT_FOLDERS = ("kernels", "sampling", "acquisition")

# No -ffast-math: NaN and inf must survive. What the vectoriser needs of it is asked for by name.
C_FLAGS = (
    []
    if sys.platform == "win32"
    else ["-O3", "-fno-math-errno", "-fno-trapping-math", "-std=gnu11"]
)

EXTENSIONS = [
    Extension("spearmint_int.kernels._stationary", ["kernels/_stationary.pyx"]),
    Extension("spearmint_int.model._predict", ["spearmint_int/model/_predict.pyx"]),
    Extension("spearmint_int.acquisition._tail", ["acquisition/_tail.pyx"]),
    Extension("spearmint_int.sampling._chain", ["sampling/_chain.pyx"]),
]

for extension in EXTENSIONS:
    extension.include_dirs = [np.get_include(), "kernels"]
    extension.define_macros = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
    extension.extra_compile_args = C_FLAGS

setup(
    packages=[
        *find_packages(
            include=["spearmint_int", "spearmint_int.*"],
            exclude=[f"spearmint_int.{folder}*" for folder in ROOT_FOLDERS],
        ),
        *(f"spearmint_int.{folder}" for folder in ROOT_FOLDERS),
        "spearmint_int.dashboard.assets",
    ],
    package_dir={f"spearmint_int.{folder}": folder for folder in ROOT_FOLDERS},
    package_data={
        "": ["*.pyi", "py.typed", "*.json"],
        "spearmint_int.dashboard.assets": ["*"],
    },
    ext_modules=cythonize(
        EXTENSIONS,
        include_path=["kernels"],  # where _pointwise.pxd is found
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
        },
    ),
)
