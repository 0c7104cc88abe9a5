#!/usr/bin/python3
"""Run pprof's recorded answers against wick pprof, where they are at hand.

usage: conformance.py WICK FOLDER

FOLDER holds tools/pprof_conformance and its data; it is not part of wick.  The
test prints that tool's verdict and passes if every case is identical.
"""
import os
import re
import subprocess
import sys

wick, folder = sys.argv[1:]
tool = os.path.join(folder, "tools", "pprof_conformance")
if not os.path.exists(tool):
    print("no recorded answers of pprof beside the source")
    sys.exit(77)
r = subprocess.run([sys.executable, tool, "-q", "-j", "2", f"{wick} pprof"],
                   text=True, capture_output=True)
print(r.stdout[-8000:], r.stderr[-2000:])
m = re.search(r"(\d+) identical of (\d+)", r.stdout)
sys.exit(r.returncode or not m or m[1] != m[2])
