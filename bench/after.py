#!/usr/bin/python3
"""How long it takes from a program's end to its flame graph, beside perf.

usage: after.py [--rounds N] [--limit S] [--flamegraph FOLDER] WICK FOLDER
                PROGRAM [ARGUMENT...]

Each round records PROGRAM with wick and with perf (--call-graph dwarf).  Of
wick that is the time from the program's end, which a shell notes, to the end
of the recorder, which has found all names then, and `wick flame` after it.  Of
perf it is `perf script --no-inline`, through stackcollapse-perf.pl and
flamegraph.pl where --flamegraph says they are, and `perf script` with inlines,
alone.  What takes longer than --limit seconds is stopped there, and the ratio
is a lower bound.  Appends to bench/results.csv.
"""
import argparse
import os
import shlex
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the source tree stays as it is
from pprof import Results, middle, spread  # noqa: E402


def after_wick(args):
    end, recording = args.path("end"), args.path("after.wick")
    noting = f"{shlex.join(args.program)} >/dev/null; date +%s.%N >{end}"
    subprocess.run([args.wick, "record", "-q", "-F", "499", "-o", recording,
                    "--", "/bin/sh", "-c", noting], check=True)
    subprocess.run([args.wick, "flame", "-o", args.path("after.svg"),
                    recording], check=True)
    with open(end) as f:
        return time.time() - float(f.read())


def record_with_perf(args):
    subprocess.run(["perf", "record", "-q", "-F", "499", "--call-graph",
                    "dwarf", "-o", args.path("perf.data"), "--",
                    *args.program], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def after_perf(args, options, pictures):
    command = shlex.join(["perf", "script", *options, "-i",
                          args.path("perf.data")])
    if pictures:
        command += (f" | {args.flamegraph}/stackcollapse-perf.pl"
                    f" | {args.flamegraph}/flamegraph.pl")
    start = time.time()
    child = subprocess.Popen(["/bin/sh", "-c", command],
                             stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL,
                             start_new_session=True)
    try:
        child.wait(args.limit)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, 9)
        child.wait()
    return time.time() - start


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("--flamegraph")
    parser.add_argument("wick")
    parser.add_argument("folder")
    parser.add_argument("program", nargs=argparse.REMAINDER)
    args = parser.parse_args()
    args.path = lambda name: os.path.join(args.folder, name)
    os.makedirs(args.folder, exist_ok=True)
    name = os.path.basename(args.program[0])
    ours, plain, inlined = [], [], []
    for _ in range(args.rounds):
        ours.append(after_wick(args))
        record_with_perf(args)
        plain.append(after_perf(args, ["--no-inline"], args.flamegraph))
        inlined.append(after_perf(args, [], False))
        print(f"wick {ours[-1]:.2f} s, perf script --no-inline "
              f"{plain[-1]:.2f} s, with inlines {inlined[-1]:.2f} s")
    results = Results()
    print(f"wick {spread(ours)} s, perf {spread(plain)} s, with inlines "
          f"{spread(inlined)} s")
    results.add(f"end of {name} to flame graph, s, perf script --no-inline"
                f"{' and FlameGraph' if args.flamegraph else ''}",
                middle(ours), middle(plain))
    results.add(f"end of {name} to flame graph, s, perf script with inlines",
                middle(ours), middle(inlined))
    results.save()


main()
