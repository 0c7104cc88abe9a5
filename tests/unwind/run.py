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

# What differs in spite of everything, in percent of states that are equal, and
# why: docs/design/unwinding.md, "Where the tables are not right".
NORETURN = "-x case_noreturn=99"
EXCEPTIONS = " ".join(f"-x {case}=99.5" for case in (
    "case_throw", "case_rethrow", "case_panic", "case_resume_panic"))
# Debian's musl has no tables: what is inside of it is guessed.
MUSL = ("-p -x case_noreturn=98 -x case_alloca=60 -x case_libc_assembly=99 "
        "-x case_callback=90 -x case_library=98 -x case_vdso=70 "
        "-x case_signal=40 -x case_signal_stack=90")
CASES = "-c case_"

# Compiler and flags, source, options of truth.
TRUTH = [
    ("gcc -O2", "cases.c", "-m 99.98"),
    ("gcc -O2 -fomit-frame-pointer -Wl,-z,lazy", "cases.c",
     f"{CASES} {NORETURN}"),
    ("gcc -O0 -fno-omit-frame-pointer", "cases.c",
     f"{CASES} {NORETURN} -x case_realigned=99"),
    ("gcc -Os -static", "cases.c", f"{CASES} -x case_noreturn=93"),
    ("clang -O2", "cases.c", f"{CASES} {NORETURN}"),
    ("musl-gcc -O2", "cases.c", f"{CASES} {MUSL}"),
    ("g++ -O2", "throw.cc", f"{CASES} {EXCEPTIONS}"),
    ("rustc -Copt-level=2 -Cpanic=unwind", "panic.rs",
     f"{CASES} {EXCEPTIONS}"),
    ("aarch64-linux-gnu-gcc -O2 -static", "cases.c",
     f"-q {CASES} -x case_noreturn=75"),
    ("aarch64-linux-gnu-gcc -O2 -static -mbranch-protection=standard",
     "cases.c", f"-q {CASES} -x case_noreturn=75"),
    ("aarch64-linux-gnu-g++ -O2 -static", "throw.cc", f"-q {CASES} -n 3000"),
]

# libc has a routine for each generation of processors.
GENERATIONS = ["-AVX512VL,-AVX512BW", "-AVX2,-AVX512VL,-ERMS"]


def have(*programs):
    return all(shutil.which(p) for p in programs)


def run(command, more={}):
    print("+", *(f"{k}={v}" for k, v in more.items()), *command, flush=True)
    env = dict(os.environ, **more)
    return subprocess.run(command, check=False, env=env).returncode == 0


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
        if compiler == "gcc -O2":
            for less in GENERATIONS:
                yield run([programs + "/truth", "-c", "case_libc_assembly",
                           out], {"GLIBC_TUNABLES": f"glibc.cpu.hwcaps={less}"})


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
