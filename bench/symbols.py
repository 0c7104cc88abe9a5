#!/usr/bin/python3
"""Measure "wick symbolize" against llvm-symbolizer and addr2line.

usage: symbols.py [--count N] [--folder DIR] WICK

Takes distinct random addresses of the programs that make-large-binary.py makes
and prints, for each tool, addresses a second of CPU time and of wall time, and
peak memory; then the ratios, which are also appended to results.csv.  CPU time
is what is compared: others may use the machine too.  addr2line is judged by a
tenth of the addresses.
"""
import argparse
import csv
import datetime
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def choose(path, count):
    out = subprocess.run(["readelf", "-SW", path], text=True, check=True,
                         capture_output=True).stdout
    m = re.search(r"\.text\s+PROGBITS\s+([0-9a-f]+)\s+\S+\s+([0-9a-f]+)", out)
    start, size = int(m[1], 16), int(m[2], 16)
    rng = random.Random(1)
    return [start + at for at in rng.sample(range(size), min(count, size))]


class Run:
    """One run of a tool: CPU and wall seconds, peak memory in KB."""

    def __init__(self, command, addresses, env):
        with tempfile.TemporaryFile("w+") as f:
            f.write("".join(f"0x{a:x}\n" for a in addresses))
            f.seek(0)
            start = time.monotonic()
            child = subprocess.Popen(command, stdin=f, env=env,
                                     stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = status
        if status:
            sys.exit(f"{command[0]} failed")
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss
        self.count = len(addresses)
        self.rate = self.count / self.cpu


def best(command, addresses, env, rounds=3):
    return min((Run(command, addresses, env) for _ in range(rounds)),
               key=lambda r: r.cpu)


def commit():
    r = subprocess.run(["git", "-C", HERE, "rev-parse", "--short", "HEAD"],
                       text=True, capture_output=True)
    return r.stdout.strip() or "unknown"


def machine():
    return f"{platform.machine()}-{os.cpu_count()}cpu"


def record(rows):
    with open(os.path.join(HERE, "results.csv"), "a", newline="") as f:
        writer = csv.writer(f, lineterminator="\n")
        for what, ours, theirs in rows:
            ratio = ours / theirs if theirs else 0
            writer.writerow([datetime.date.today(), commit(), machine(), what,
                             f"{ours:.0f}", f"{theirs:.0f}", f"{ratio:.2f}"])
            print(f"{what}: {ours:,.0f} and {theirs:,.0f}: {ratio:.2f}")


def show(name, run):
    print(f"  {name:24} {run.rate:12,.0f} addresses/s of CPU, "
          f"{run.count / run.wall:12,.0f} of wall, "
          f"{run.memory / 1024:6.0f} MB", flush=True)


def measure(opt, name, path, cache):
    env = dict(os.environ, XDG_CACHE_HOME=cache)
    addresses = choose(path, opt.count)
    print(f"{name}: {len(addresses)} addresses of {path}")
    wick = [opt.wick, "symbolize"]
    cold = best(wick + ["--no-cache", path], addresses, env)
    show("wick, cold", cold)
    Run(wick + [path], addresses, env)
    cached = best(wick + [path], addresses, env)
    show("wick, cached", cached)
    llvm = best(["llvm-symbolizer", "-afi", "--no-demangle", "-e", path],
                addresses, env, 1)
    show("llvm-symbolizer", llvm)
    few = addresses[:max(1, len(addresses) // 10)]
    binutils = best(["addr2line", "-afi", "-e", path], few, env, 1)
    show("addr2line, a tenth", binutils)
    return [
        (f"symbols {name} cold, addresses/CPU s, to llvm-symbolizer",
         cold.rate, llvm.rate),
        (f"symbols {name} cold, addresses/CPU s, to addr2line",
         cold.rate, binutils.rate),
        (f"symbols {name} cached, addresses/CPU s, to llvm-symbolizer",
         cached.rate, llvm.rate),
        (f"symbols {name} cold, peak KB, to llvm-symbolizer",
         cold.memory, llvm.memory),
    ]


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--count", type=int, default=100000)
    p.add_argument("--folder",
                   default=os.path.join(tempfile.gettempdir(), "wick-bench"))
    p.add_argument("wick")
    opt = p.parse_args()
    if not shutil.which("llvm-symbolizer"):
        print("llvm-symbolizer is not installed: skipped")
        return 77
    subprocess.run([os.path.join(HERE, "make-large-binary.py"), opt.folder],
                   check=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="wick-bench-") as cache:
        for name in ("large", "many"):
            rows += measure(opt, name, os.path.join(opt.folder, name), cache)
    record(rows)
    return 0


sys.exit(main())
