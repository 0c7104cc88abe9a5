#!/usr/bin/python3
"""Check that files, functions and lines are short enough to read.

usage: check-sizes.py ROOT

At most 1000 lines a file, 100 a function, 80 columns a line (a tab goes to the
next multiple of 8); a line may be longer for the sake of a string in it.
"""
import os
import sys

FILE_MAX = 1000
FUNCTION_MAX = 100
COLUMN_MAX = 80
FOLDERS = ("include", "lib", "agent", "tool", "ui", "tests", "bench",
           "scripts", "examples")
SUFFIXES = (".c", ".h", ".js", ".py")


def sources(root):
    for top in FOLDERS:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if name.endswith(SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def long_functions(lines):
    """Yields the first line and length of each body that is too long."""
    start = 0
    for number, line in enumerate(lines, 1):
        if line.startswith("{"):
            start = number
        elif line.startswith("}") and start:
            if number - start > FUNCTION_MAX:
                yield start, number - start
            start = 0


def faults(path, lines):
    if len(lines) > FILE_MAX:
        yield f"{path}: {len(lines)} lines; split it (at most {FILE_MAX})"
    if not path.endswith((".c", ".h")):
        return
    for line, length in long_functions(lines):
        yield (f"{path}:{line}: a function of {length} lines "
               f"(at most {FUNCTION_MAX})")
    for number, line in enumerate(lines, 1):
        width = len(line.expandtabs(8))
        if width > COLUMN_MAX and '"' not in line:
            yield f"{path}:{number}: {width} columns (at most {COLUMN_MAX})"


def main():
    root = sys.argv[1]
    bad = 0
    for path in sources(root):
        with open(os.path.join(root, path), errors="replace") as f:
            lines = f.read().splitlines()
        for fault in faults(path, lines):
            print(fault)
            bad += 1
    return bad != 0


sys.exit(main())
