#!/usr/bin/python3
"""Run wick and compare what it prints with what it printed before.

usage: run.py [--update] WICK [WORD...]

A case is NAME.cmd, a line (or several) of sh that calls "wick", with
NAME.stdout, NAME.stderr and NAME.exit beside it; a missing file means nothing
printed, or status 0.  It runs in tests/data; a case that writes files writes
them to $TMP, a directory of its own.  WORDs choose cases by name.

--update writes the three files from what happens now: read the diff.
"""
import concurrent.futures
import difflib
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(os.path.dirname(HERE), "data")
TIMEOUT = 120


def environment(wick, tmp):
    """Nothing of the developer's own settings, so output is the same."""
    bin_dir = os.path.join(tmp, "bin")
    os.mkdir(bin_dir)
    os.symlink(os.path.abspath(wick), os.path.join(bin_dir, "wick"))
    env = {"PATH": bin_dir + ":/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC",
           "HOME": tmp, "TMP": tmp, "TERM": "dumb"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


def run(wick, name):
    """Returns {".stdout": bytes, ".stderr": bytes, ".exit": bytes}."""
    with tempfile.TemporaryDirectory(prefix="wick-golden-") as tmp:
        r = subprocess.run(["sh", os.path.join(HERE, name + ".cmd")], cwd=DATA,
                           env=environment(wick, tmp), capture_output=True,
                           stdin=subprocess.DEVNULL, timeout=TIMEOUT)
        hide = tmp.encode()
        return {".stdout": r.stdout.replace(hide, b"$TMP"),
                ".stderr": r.stderr.replace(hide, b"$TMP"),
                ".exit": b"" if r.returncode == 0 else b"%d\n" % r.returncode}


def expected(name, part):
    try:
        with open(os.path.join(HERE, name + part), "rb") as f:
            return f.read()
    except FileNotFoundError:
        return b""


def write(name, part, data):
    path = os.path.join(HERE, name + part)
    if data:
        with open(path, "wb") as f:
            f.write(data)
    elif os.path.exists(path):
        os.remove(path)


def orphans(names):
    """Files of a case that is gone, or was renamed."""
    for file in sorted(os.listdir(HERE)):
        name, part = os.path.splitext(file)
        if part in (".stdout", ".stderr", ".exit") and name not in names:
            yield f"{file}: there is no {name}.cmd"


def lines(data):
    return data.decode(errors="backslashreplace").splitlines()


def difference(name, part, want, got):
    return difflib.unified_diff(lines(want), lines(got), name + part,
                                "what was printed", lineterm="")


def judge(wick, name, update):
    """Returns the lines that say what is wrong; none: it is as before."""
    try:
        result = run(wick, name)
    except subprocess.TimeoutExpired:
        return [f"{name}: still running after {TIMEOUT} seconds"]
    wrong = []
    for part, got in result.items():
        want = expected(name, part)
        if got != want and update:
            write(name, part, got)
            print(f"# wrote {name}{part}")
        elif got != want:
            wrong += difference(name, part, want, got)
    return wrong


def main():
    args = sys.argv[1:]
    update = "--update" in args
    if update:
        args.remove("--update")
    wick, *words = args
    names = sorted(f[:-4] for f in os.listdir(HERE) if f.endswith(".cmd"))
    stray = list(orphans(names))
    names = [n for n in names if not words or any(w in n for w in words)]
    failed = bool(stray)
    for line in stray:
        print("#", line)
    print("not ok" if stray else "ok", "1 - every file belongs to a case")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(lambda n: judge(wick, n, update), names)
        for number, (name, wrong) in enumerate(zip(names, judged), 2):
            for line in wrong:
                print("#", line)
            failed += bool(wrong)
            print("not ok" if wrong else "ok", number, "-", name)
    print(f"1..{len(names) + 1}")
    return failed != 0


sys.exit(main())
