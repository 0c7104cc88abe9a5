#!/usr/bin/python3
"""Run one of the unwinder's comparisons.

usage: run.py oracle|truth|sampled PROGRAMS WORK

PROGRAMS is the folder of oracle-cfi, truth and sampled; WORK is for what is
compiled.  A compiler or library that is not installed skips its part; exits
with 77 if nothing was left to run.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

OBJECTS = [
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/lib64/ld-linux-x86-64.so.2",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
    "/usr/aarch64-linux-gnu/lib/libc.so.6",
]

# Compiler and flags, source, options of truth.  What is not equal, and why:
# docs/design/unwinding.md, "Where the tables are not right".
TRUTH = [
    ("gcc -O2", "cases.c", "-m 99.98"),
    ("gcc -O0 -fno-omit-frame-pointer", "cases.c", "-m 99.98"),
    ("gcc -Os -static", "cases.c", "-m 99.95"),
    ("clang -O2", "cases.c", "-m 99.98"),
    ("g++ -O2", "throw.cc", "-m 99.9 -s 1250000"),
    ("aarch64-linux-gnu-gcc -O2 -static", "cases.c", "-q -n 6000"),
    ("aarch64-linux-gnu-gcc -O2 -static -mbranch-protection=standard",
     "cases.c", "-q -n 6000"),
]


def have(*programs):
    return all(shutil.which(p) for p in programs)


def run(command):
    print("+", " ".join(command), flush=True)
    return subprocess.run(command, check=False).returncode == 0


def oracle(programs, work):
    objects = [o for o in OBJECTS if os.path.exists(o)]
    if not have("aarch64-linux-gnu-readelf"):
        objects = [o for o in objects if "aarch64" not in o]
    yield run([programs + "/oracle-cfi", *objects, programs + "/truth"])


def truth(programs, work):
    for number, (compiler, source, options) in enumerate(TRUTH):
        needs = [compiler.split()[0]]
        if "-q" in options:
            needs.append("qemu-aarch64")
        if not have(*needs):
            continue
        out = f"{work}/truth-{number}"
        build = [*compiler.split(), f"{HERE}/{source}", "-o", out]
        yield run(build) and run(
            [programs + "/truth", *options.split(), out])


def sampled(programs, work):
    if not have("go", "gcc"):
        return
    out = f"{work}/work-go"
    env = dict(os.environ, GO111MODULE="off", CGO_ENABLED="1",
               GOCACHE=f"{work}/go-cache")
    for flags in ([], ["-ldflags=-w"]):
        built = subprocess.run(
            ["go", "build", *flags, "-o", out, f"{HERE}/go/work.go"],
            env=env, check=False)
        yield built.returncode == 0 and run(
            [programs + "/sampled", "-c", "99.5", "-n", "300",
             "-e", "burn=main.inC", "-e", "main.deep=main.work",
             "-e", "main.compute=main.work", out])


def main():
    what, programs, work = sys.argv[1:4]
    os.makedirs(work, exist_ok=True)
    tests = {"oracle": oracle, "truth": truth, "sampled": sampled}
    results = list(tests[what](programs, work))
    if not results:
        return 77
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
