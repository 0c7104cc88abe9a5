#!/usr/bin/python3
"""Check that a library shows the names it should, and no others.

usage: check-exports.py LIBRARY NAME...

NAMEs are patterns with '*'; each must be met by something.  Static libraries
are looked at as linkers see them, shared ones as the loader does.
"""
import fnmatch
import subprocess
import sys


def exported(path):
    options = ["-D"] if path.endswith(".so") else []
    out = subprocess.run(["nm", *options, "--defined-only", "--extern-only",
                          path], text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    return {line.split()[-1].partition("@")[0] for line in out.splitlines()
            if len(line.split()) == 3}


def main():
    path, *patterns = sys.argv[1:]
    names = exported(path)
    bad = [f"shows {n}, which is not its own" for n in sorted(names)
           if not any(fnmatch.fnmatchcase(n, p) for p in patterns)]
    bad += [f"has no {p}" for p in patterns if not fnmatch.filter(names, p)]
    for line in bad:
        print(f"{path} {line}")
    return bool(bad)


sys.exit(main())
