import math

import numpy as np


def branin(x, y):
    a = 5.1 / (4 * math.pow(math.pi, 2))
    result = np.square(y - a * np.square(x) + (5 / math.pi) * x - 6)
    result += 10 * (1 - 1.0 / (8 * math.pi)) * np.cos(x) + 10
    result = float(result)
    print("branin(%f, %f) = %f" % (x, y, result))
    return result


def main(job_id, params):
    print("This is in the output folder, for job #%d" % job_id)
    print(params)
    return branin(params["X"], params["Y"])
