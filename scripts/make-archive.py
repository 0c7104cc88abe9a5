#!/usr/bin/python3
"""Make a static library of one object that shows only its public names.

usage: make-archive.py OUTPUT PUBLIC ARCHIVE... [-- LIBRARY...]

All of the first ARCHIVE goes in, and what it needs of the others and of the
LIBRARYs (paths of static libraries).  Names that do not match PUBLIC become
local: a program that links the result, and has its own copy of one of the
libraries or functions of the same name, must not notice.
"""
import fnmatch
import os
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def defined(path):
    lines = run("nm", "--defined-only", "--extern-only", path).splitlines()
    return {line.split()[-1] for line in lines}


def main():
    output, public, whole, *others = sys.argv[1:]
    others = [o for o in others if o != "--"]
    with tempfile.TemporaryDirectory() as folder:
        linked = os.path.join(folder, "wick.o")
        names = os.path.join(folder, "names")
        run("ld", "-r", "-o", linked, "--whole-archive", whole,
            "--no-whole-archive", "--start-group", *others, "--end-group")
        with open(names, "w") as f:
            for name in sorted(defined(linked)):
                if fnmatch.fnmatchcase(name, public):
                    f.write(name + "\n")
        run("objcopy", "--keep-global-symbols=" + names, linked)
        if os.path.exists(output):
            os.unlink(output)
        run("ar", "rcsD", output, linked)


main()
