#!/usr/bin/python3
"""How long a wick that does next to nothing takes, from fork to exit.

usage: startup.py WICK [RUNS]
"""
import os
import statistics
import sys
import time


def once(program, *args):
    start = time.perf_counter()
    pid = os.posix_spawn(program, [program, *args], os.environ, file_actions=[
        (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    os.waitpid(pid, 0)
    return (time.perf_counter() - start) * 1e3


def main():
    wick = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    for program, *args in (("/bin/true",), (wick, "version"),
                           (wick, "--help")):
        times = [once(program, *args) for _ in range(runs)]
        name = " ".join([os.path.basename(program), *args])
        print(f"{name:14} median {statistics.median(times):.2f} ms, "
              f"least {min(times):.2f} ms, {runs} runs")


main()
