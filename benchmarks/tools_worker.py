"""Make one measurement for tools.py: `python tools_worker.py SECONDS ours|grading|gem CALLERS`."""

import json
import statistics
import sys
import threading
import time


def main():
    seconds, what, callers = float(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    start_ms, call = {"ours": ours, "grading": grading, "gem": gem}[what](callers)
    spent = []
    end = time.perf_counter() + seconds

    def work():
        while (start := time.perf_counter()) < end:
            call()
            spent.append(time.perf_counter() - start)

    start = time.perf_counter()
    threads = [threading.Thread(target=work) for _ in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result = {
        "calls_per_s": len(spent) / (time.perf_counter() - start),
        "p50_ms": statistics.median(spent) * 1e3,
        "start_ms": start_ms,
    }
    print(json.dumps(result))


def ours(workers):
    from gem_ma.sandbox import Sandbox
    from gem_ma.tools import PythonTool

    start = time.perf_counter()
    tool = PythonTool(Sandbox(workers=workers))
    start = time.perf_counter() - start

    def call():
        assert tool.call({"code": "print(1)"}) == "1"

    return start * 1e3, call


def grading(workers):
    from gem_ma.sandbox import Sandbox

    start = time.perf_counter()
    box = Sandbox(workers=workers, preload=("fractions",))
    start = time.perf_counter() - start
    args = _fractions()

    def call():
        assert box.call("fractions:Fraction.__eq__", *args) is True

    return start * 1e3, call


def _fractions():
    from fractions import Fraction

    return Fraction("0.25"), Fraction(1, 4)


def gem(_):
    from gem.utils.sandbox import run_python

    def call():
        assert run_python("print(1)", "none", timeout=5)[1].strip() == "1"

    return 0.0, call


if __name__ == "__main__":
    main()
