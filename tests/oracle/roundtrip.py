#!/usr/bin/python3
"""Any profile -> .wick -> pprof is the same profile to go tool pprof.

usage: roundtrip.py WICK FOLDER...

Converts every profile in the folders to pprof's format twice, once directly and
once by way of a recording, and compares what "go tool pprof -raw" says of both;
for those that are pprof's already, also of the file itself.
"""
import os
import shutil
import subprocess
import sys
import tempfile

wick, folders = sys.argv[1], sys.argv[2:]
if not shutil.which("go"):
    print("no go tool pprof here")
    sys.exit(77)


def raw(path):
    env = dict(os.environ, TZ="UTC", PPROF_BINARY_PATH="/nowhere")
    r = subprocess.run(["go", "tool", "pprof", "-raw", "-symbolize=none",
                        path], text=True, capture_output=True, env=env,
                       errors="replace")
    return r.stdout if r.returncode == 0 else None


def convert(source, target):
    r = subprocess.run([wick, "convert", source, target],
                       text=True, capture_output=True)
    if r.returncode:
        return r.stderr.strip() or "failed without a word"
    return None


def profiles():
    for folder in folders:
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not name.endswith((".py", ".md",
                                                           ".c", ".cc")):
                yield path


count = bad = 0
with tempfile.TemporaryDirectory() as tmp:
    direct, recording, back = (os.path.join(tmp, n) for n in
                               ("direct.pb.gz", "r.wick", "back.pb.gz"))
    for path in profiles():
        if subprocess.run([wick, "convert", path, direct],
                          capture_output=True).returncode:
            continue        # not a profile
        count += 1
        why = convert(path, recording) or convert(recording, back)
        want = raw(direct)
        if not why and raw(back) != want:
            why = "differs by way of a recording"
        if not why and path.endswith((".pb", ".pb.gz")) and raw(path) != want:
            why = "differs from the file itself"
        bad += why is not None
        print("not ok" if why else "ok", count, "-", os.path.basename(path),
              why or "")
print(f"1..{count}")
sys.exit(bad != 0 or count == 0)
