#!/usr/bin/python3
"""What profiling from inside costs, beside gperftools, in one run.

usage: agent.py [--rounds N] [--work N] WICK LIBWICK DEEP

Runs DEEP (sixty calls deep, no frame pointers, two threads) without a profiler,
with libwick and with gperftools' libprofiler, at 100 and 1000 Hz, one after the
other in each round, so that they share what else the machine does.  Printed,
and appended to bench/results.csv: medians of the target's CPU time against the
run without in its round, samples a second of CPU time, CPU time that a sample
costs, and the part of the CPU time that the profile accounts for.
"""
import argparse
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Table, middle

GPERFTOOLS = "/usr/lib/x86_64-linux-gnu/libprofiler.so.0"


class Run:
    """The target's own CPU seconds, without what is done when it ends."""

    def __init__(self, target, library=None, hertz=0, path=None):
        environment = dict(os.environ)
        if library:
            environment.update(LD_PRELOAD=library, CPUPROFILE=path,
                               CPUPROFILE_FREQUENCY=str(hertz))
        out = subprocess.run(target, env=environment, text=True, check=True,
                             stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
        self.cpu = float(re.search(r"[\d.]+", out).group())


def wick_contents(wick, path):
    """Stacks taken, and CPU seconds that the profile has."""
    out = subprocess.run([wick, "pprof", "-top", "-unit=ms", path], text=True,
                         stdout=subprocess.PIPE).stdout
    total = re.search(r"Total samples = ([\d.]+)(ms|s)", out)
    return float(total[1]) / (1000 if total[2] == "ms" else 1)


def gperftools_contents(path):
    with open(path, "rb") as f:
        words = f.read()
    words = struct.unpack(f"{len(words) // 8}Q", words[:len(words) // 8 * 8])
    period, at, count = words[3], 5, 0
    while words[at] or words[at + 1] != 1:
        count += words[at]
        at += 2 + words[at + 1]
    return count, count * period / 1e6


def measure(args, folder):
    target = [args.deep, str(args.work), "2"]
    found = {}
    for _ in range(args.rounds):
        base = Run(target).cpu
        for hertz in (100, 1000):
            for name, library in (("wick", args.libwick),
                                  ("gperftools", GPERFTOOLS)):
                path = os.path.join(folder, f"{name}{hertz}")
                run = Run(target, library, hertz, path)
                if name == "wick":
                    seconds = wick_contents(args.wick, path)
                    # A sample for each period is what the engine delivers.
                    count = seconds * hertz
                else:
                    count, seconds = gperftools_contents(path)
                found.setdefault((name, hertz), []).append(
                    (run.cpu / base, count / run.cpu,
                     (run.cpu - base) / max(count, 1) * 1e6,
                     seconds / run.cpu))
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work", type=int, default=1500000)
    parser.add_argument("wick")
    parser.add_argument("libwick")
    parser.add_argument("deep")
    args = parser.parse_args()
    if not os.path.exists(GPERFTOOLS):
        print("no libprofiler; see scripts/packages.txt")
        return 77
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(args, folder)
    for (name, hertz), rows in found.items():
        columns = list(zip(*rows))
        print(f"{name} {hertz} Hz: target {middle(columns[0]):.3f} "
              f"({min(columns[0]):.3f} to {max(columns[0]):.3f}), "
              f"{middle(columns[1]):.0f} samples a CPU second, "
              f"{middle(columns[2]):.1f} us each, "
              f"{middle(columns[3]):.3f} of the CPU time")
    # What a sample costs is a small difference of large numbers: printed
    # above, and only worth keeping from a machine that does nothing else.
    whats = {0: "target's CPU time", 1: "samples a CPU second",
             3: "part of the CPU time in the profile"}
    for hertz in (100, 1000):
        for i, what in whats.items():
            ours, theirs = (statistics.median(r[i] for r in found[n, hertz])
                            for n in ("wick", "gperftools"))
            table.add(f"agent {hertz} Hz, {what}, to gperftools", ours, theirs)
    table.save()
    return 0


if __name__ == "__main__":
    sys.exit(main())
