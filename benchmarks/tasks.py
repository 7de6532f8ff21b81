"""Measure the grading of mathematics with answers that hang the grader, and ReasoningGym in an Env.

    python benchmarks/tasks.py

It needs pip install -e '.[math,reasoning-gym]'.
"""

import statistics
import time
from concurrent.futures import ThreadPoolExecutor

import gem_ma
from gem_ma.envs.tasks import grading
from gem_ma.envs.tasks.mathematics import Math

ANSWERS = 1_000
PAIRS = (  # right answer and given answer; every hundredth given answer is one of the bombs below
    ("42", "42"),
    ("42", "41"),
    ("1,000", "1000"),
    (r"\frac{1}{2}", "0.5"),
    (r"\frac{3}{7}", r"\frac{7}{3}"),
    ("12", r"12\text{ cm}"),
    ("5", "x=5"),
    ("120", "121"),
    (r"2\sqrt{3}", r"\sqrt{12}"),
    ("(1,2)", "(1, 2)"),
)
BOMBS = ("9^{9^{9^{9}}}", r"\prod_{n=1}^{99999999} n", "10000000!")


def grade_all():
    """Grade answers in one environment per thread; return seconds and reports."""
    rows = [{"problem": "?", "answer": r"\sqrt{2}"}]
    rows += [{"problem": "?", "answer": gold} for gold, _ in PAIRS]
    jobs = []
    for number in range(ANSWERS):
        if number % 100 == 50:
            jobs.append((0, BOMBS[number // 100 % len(BOMBS)]))
        else:
            jobs.append((1 + number % len(PAIRS), PAIRS[number % len(PAIRS)][1]))

    def grade(job):
        index, said = job
        env = gem_ma.Env(Math(rows))
        env.reset(seed=0, options={"index": index})
        env.submit({"player": rf"\boxed{{{said}}}"})
        return env.info("player")

    grading.mathematics(r"\sqrt{12}", [r"2\sqrt{3}"])  # starts the pool
    begun = time.perf_counter()
    with ThreadPoolExecutor(16) as threads:
        reports = list(threads.map(grade, jobs))
    return time.perf_counter() - begun, reports


def over_the_library(name, rounds=9, many=300):
    """Return microseconds of a question and its score, alone and behind an Env."""
    import reasoning_gym

    dataset = reasoning_gym.create_dataset(name, size=500, seed=42)
    env = gem_ma.make(f"rg:{name}")
    order = [(37 * i) % 500 for i in range(many)]

    def alone():
        for index in order:
            dataset.score_answer("17", dataset[index])

    def behind():
        env.game.item.cache_clear()
        for index in order:
            env.reset(seed=index, options={"index": index})
            env.step("17")

    times = {alone: [], behind: []}
    for _ in range(rounds):
        for run in times:
            begun = time.process_time()
            run()
            times[run].append((time.process_time() - begun) / many * 1e6)
    return min(times[alone]), statistics.median(times[alone]), min(times[behind])


def main():
    seconds, reports = grade_all()
    hung = sum(report.get("grader") == "timed out" for report in reports)
    right = sum(report["right"] for report in reports)
    print(f"{len(reports)} answers in {seconds:.1f} s: {right} right, {hung} timed out")
    for name in ("chain_sum", "letter_counting", "lcm", "spell_backward", "sudoku"):
        alone, _, behind = over_the_library(name, many=300 if name != "sudoku" else 20)
        allowed = max(0.1 * alone, 20)
        print(f"rg:{name}: {alone:.1f} us, +{behind - alone:.1f} us (allowed {allowed:.0f})")


if __name__ == "__main__":
    main()
