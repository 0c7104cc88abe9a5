#!/usr/bin/python3
"""Measure "wick symbolize" against llvm-symbolizer and addr2line.

usage: symbols.py [--count N] [--folder DIR] WICK [--names NAME...]

Takes distinct random addresses of the programs that make-large-binary.py makes
and prints, for each tool, addresses a second of CPU time and of wall time, and
peak memory; then the ratios, which are also appended to results.csv.  CPU time
is what is compared: others may use the machine too.  All tools take turns and
answer for all addresses; the median run of each counts.
"""
import argparse
import csv
import datetime
import os
import platform
import random
import re
import shutil
import statistics
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


# A process's peak counts the memory of the one that started it, as it was
# then: so a small one starts it, and prints CPU and wall seconds and KB.
START = """
import os, sys, time
start = time.monotonic()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, u = os.wait4(pid, 0)
print(u.ru_utime + u.ru_stime, time.monotonic() - start, u.ru_maxrss,
      file=sys.stderr)
sys.exit(status != 0)
"""


class Run:
    """One run of a tool: CPU and wall seconds, peak memory in KB."""

    def __init__(self, command, addresses, env):
        with tempfile.TemporaryFile("w+") as f:
            f.write("".join(f"0x{a:x}\n" for a in addresses))
            f.seek(0)
            r = subprocess.run([sys.executable, "-ISc", START, *command],
                               stdin=f, env=env, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        if r.returncode:
            sys.exit(f"{command[0]} failed: {r.stderr}")
        cpu, wall, memory = r.stderr.splitlines()[-1].split()
        self.cpu, self.wall, self.memory = float(cpu), float(wall), int(memory)
        self.count = len(addresses)
        self.rate = self.count / self.cpu


def take_turns(commands, addresses, env, rounds=5):
    """The median run of each command; once is enough for minutes of work."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            if not runs[name] or runs[name][0].cpu < 30:
                runs[name].append(Run(command, addresses, env))
    for name, all_runs in runs.items():
        middle = statistics.median_low(r.cpu for r in all_runs)
        runs[name] = next(r for r in all_runs if r.cpu == middle)
        show(name, runs[name])
    return runs


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
    print(f"{name}: {len(addresses)} addresses of {path}", flush=True)
    wick = [opt.wick, "symbolize"]
    Run(wick + [path], addresses, env)
    runs = take_turns({
        "wick, cold": wick + ["--no-cache", path],
        "wick, cached": wick + [path],
        "llvm-symbolizer": ["llvm-symbolizer", "-afi", "--no-demangle",
                            "-e", path],
        "addr2line": ["addr2line", "-afi", "-e", path],
    }, addresses, env)
    cold, cached, llvm, binutils = runs.values()
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
    p.add_argument("--names", nargs="+", metavar="NAME",
                   default=["large", "split", "ordinary", "tiny"])
    p.add_argument("wick")
    opt = p.parse_args()
    if not shutil.which("llvm-symbolizer"):
        print("llvm-symbolizer is not installed: skipped")
        return 77
    subprocess.run([os.path.join(HERE, "make-large-binary.py"), opt.folder],
                   check=True)
    rows = []
    with tempfile.TemporaryDirectory(prefix="wick-bench-") as cache:
        for name in opt.names:
            rows += measure(opt, name, os.path.join(opt.folder, name), cache)
    record(rows)
    return 0


sys.exit(main())
