#!/usr/bin/python3
"""Check which functions the library archive needs from outside.

usage: check-symbols.py ARCHIVE ALLOW...

lib/ also runs inside other people's processes, in their signal handlers and
inside their malloc.  So what it may call is a list, ALLOW: names, or patterns
with '*', one a line, '#' begins a comment.
"""
import fnmatch
import subprocess
import sys


def nm(archive, *options):
    out = subprocess.run(["nm", *options, archive], text=True, check=True,
                         capture_output=True).stdout
    return {line.split()[-1] for line in out.splitlines()
            if line and not line.endswith(":")}


def read_allowed(path):
    with open(path) as f:
        lines = [line.partition("#")[0].strip() for line in f]
    return [line for line in lines if line]


def main():
    archive, *lists = sys.argv[1:]
    needed = nm(archive, "-u") - nm(archive, "--defined-only")
    allowed = [name for path in lists for name in read_allowed(path)]
    allow = lists[-1]
    bad = 0
    for name in sorted(needed):
        if not any(fnmatch.fnmatchcase(name, a) for a in allowed):
            print(f"{archive}: calls {name}, which {allow} does not allow")
            bad += 1
    return bad != 0


sys.exit(main())
