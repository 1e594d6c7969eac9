import math
import sys

import numpy as np


def main(job_id, params):
    x, y = params["X"][0], params["X"][1]
    mean = math.pow(y - 0.129 * x * x + 1.59 * x - 6, 2) + 9.6 * math.cos(x) + 10
    draws = [np.random.randn() for _ in range(params["N"])]
    sys.stderr.write("%d draws of noise\n" % params["N"])
    return mean + np.array([sum(draws)]) / math.sqrt(params["N"])
