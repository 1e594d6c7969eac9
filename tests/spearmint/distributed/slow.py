import time


def main(job_id, params):
    time.sleep(0.1)
    offset = {"a": 0, "b": 1}[params["K"][0]]
    return {"main": (params["X"] - 0.3) ** 2 + offset}
