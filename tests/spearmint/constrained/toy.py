import math

import numpy as np


def evaluate(job_id, params):
    x = float(params["X"])
    y = float(params["Y"])
    print("Evaluating at (%f, %f)" % (x, y))
    branin = math.pow(y - 0.129 * x * x + 1.59 * x - 6, 2) + 9.6 * math.cos(x) + 10
    if x < -4.9 and y > 14.9:
        return np.nan
    return {"branin": branin, "disk": 50 - math.pow(x - 2.5, 2) - math.pow(y - 7.5, 2)}


def main(job_id, params):
    try:
        return evaluate(job_id, params)
    except Exception as ex:
        print(ex)
        print("An error occurred in toy.py")
        return np.nan
