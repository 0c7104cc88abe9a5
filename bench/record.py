#!/usr/bin/python3
"""What recording costs, beside perf, in one run.

usage: record.py [--rounds N] [--work N] WICK DEEP

Runs DEEP (sixty calls deep, no frame pointers, two threads) unrecorded and
under wick and perf, one after the other in each round, so that they share what
else the machine does.  Printed, and appended to bench/results.csv: medians of
the target's CPU time against the unrecorded run of its round, the recorder's
own CPU time, bytes a sample, and the part of stacks that reach the thread's
start.
"""
import argparse
import csv
import datetime
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOTS = r"\b(_start|start_thread|clone3?|__libc_start\w*)\b"


class Run:
    """One run: the target's CPU seconds, the recorder's, and its file."""

    def __init__(self, command, path=None):
        r, w = os.pipe()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
            (os.POSIX_SPAWN_DUP2, w, 1),
            (os.POSIX_SPAWN_OPEN, 2, "/dev/null", os.O_WRONLY, 0)])
        os.close(w)
        with os.fdopen(r) as f:
            self.target = float(re.search(r"[\d.]+", f.read()).group())
        used = os.wait4(pid, 0)[2]
        self.recorder = used.ru_utime + used.ru_stime - self.target
        self.peak = used.ru_maxrss / 1024
        self.size = os.path.getsize(path) if path else 0


def perf_stacks(path):
    """How many samples there are, and how many reach a thread's start."""
    text = subprocess.run(["perf", "script", "--no-inline", "-i", path, "-F",
                           "comm,tid,ip,sym"], text=True, capture_output=True,
                          errors="replace").stdout
    samples = [s for s in text.split("\n\n") if s.strip()]
    whole = sum(bool(re.search(ROOTS, s.strip().splitlines()[-1]))
                for s in samples)
    return len(samples), whole


def wick_samples(said):
    return int(re.search(r"in (\d+) samples", said).group(1))


def recorders(wick, folder):
    """Name, command before the target, file."""
    for hertz in (99, 999):
        path = os.path.join(folder, f"w{hertz}.wick")
        yield f"wick {hertz}", [wick, "record", "-q", "-F", str(hertz), "-o",
                                path, "--"], path
    perf = shutil.which("perf")
    if not perf:
        return
    for name, hertz, graph in (("perf -g 99", 99, "fp"),
                               ("perf -g 999", 999, "fp"),
                               ("perf dwarf 999", 999, "dwarf")):
        path = os.path.join(folder, name.replace(" ", "") + ".data")
        yield name, [perf, "record", "-q", "-e", "cpu-clock", "-F", str(hertz),
                     "--call-graph", graph, "-o", path, "--"], path


class Table:
    def __init__(self):
        commit = subprocess.run(
            ["git", "-C", HERE, "rev-parse", "--short", "HEAD"], text=True,
            capture_output=True).stdout.strip()
        self.head = [datetime.date.today().isoformat(), commit,
                     f"{platform.machine()}-{os.cpu_count()}cpu"]
        self.rows = []

    def add(self, what, ours, theirs=None):
        known = theirs is not None
        ratio = f"{theirs / ours:.2f}" if known else ""
        print(f"{what}: {ours:.3f}" +
              (f" against {theirs:.3f}, {ratio}" if known else ""))
        self.rows.append([*self.head, what, f"{ours:.3f}",
                          f"{theirs:.3f}" if known else "", ratio])

    def save(self):
        with open(os.path.join(HERE, "results.csv"), "a") as f:
            csv.writer(f, lineterminator="\n").writerows(self.rows)


def measure(args, folder):
    target = [args.deep, str(args.work), "2"]
    all_recorders = list(recorders(args.wick, folder))
    runs = {name: [] for name, _, _ in all_recorders}
    slower = {name: [] for name in runs}
    for _ in range(args.rounds):
        base = Run(target)
        for name, before, path in all_recorders:
            run = Run([*before, *target], path)
            runs[name].append(run)
            slower[name].append(run.target / base.target)
    return runs, slower


def middle(values):
    return statistics.median(values)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work", type=int, default=1500000)
    parser.add_argument("wick")
    parser.add_argument("deep")
    args = parser.parse_args()
    table = Table()
    with tempfile.TemporaryDirectory() as folder:
        runs, slower = measure(args, folder)
        for name in runs:
            print(f"{name}: target {middle(slower[name]):.3f} "
                  f"({min(slower[name]):.3f} to {max(slower[name]):.3f}), "
                  f"recorder {middle([r.recorder for r in runs[name]]):.2f} s,"
                  f" {middle([r.peak for r in runs[name]]):.0f} MB, "
                  f"{runs[name][-1].size} bytes")
        perf = "perf -g 999" in runs
        for hertz in (99, 999):
            table.add(f"record {hertz} Hz, target's CPU time, to perf -g",
                      middle(slower[f"wick {hertz}"]),
                      middle(slower[f"perf -g {hertz}"]) if perf else None)
        table.add("record 999 Hz, recorder CPU s, to perf dwarf",
                  middle([r.recorder for r in runs["wick 999"]]),
                  middle([r.recorder for r in runs["perf dwarf 999"]])
                  if perf else None)
        table.add("record 999 Hz, peak MB",
                  middle([r.peak for r in runs["wick 999"]]))
        compare_stacks(table, args, folder, perf)
    table.save()


def compare_stacks(table, args, folder, perf):
    said = subprocess.run([args.wick, "record", "-F", "999", "-o",
                           os.path.join(folder, "s.wick"), "--", args.deep,
                           str(args.work), "4"], text=True,
                          capture_output=True).stderr
    samples = wick_samples(said)
    cut = re.search(r"(\d+) stacks? (?:is|are) cut", said)
    whole = 100 * (1 - (int(cut.group(1)) if cut else 0) / samples)
    size = os.path.getsize(os.path.join(folder, "s.wick")) / samples
    theirs = None
    if perf:
        path = os.path.join(folder, "perfdwarf999.data")
        count, good = perf_stacks(path)
        theirs = 100 * good / max(count, 1)
        table.add("record 999 Hz, bytes a sample, to perf dwarf", size,
                  os.path.getsize(path) / max(count, 1))
        count, good = perf_stacks(os.path.join(folder, "perf-g999.data"))
        table.add("record 999 Hz, % of whole stacks, to perf -g", whole,
                  100 * good / max(count, 1))
    table.add("record 999 Hz, % of whole stacks, to perf dwarf", whole, theirs)


if __name__ == "__main__":
    sys.exit(main())
