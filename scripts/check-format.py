#!/usr/bin/python3
"""Check the layout of all C files with clang-format, or --fix it.

usage: check-format.py [--fix] ROOT
"""
import os
import subprocess
import sys

FOLDERS = ("include", "lib", "agent", "tool", "tests", "bench", "examples")


def c_files(root):
    for top in FOLDERS:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for name in sorted(files):
                if name.endswith((".c", ".h")):
                    yield os.path.join(folder, name)


def main():
    args = sys.argv[1:]
    fix = args[0] == "--fix"
    root = args[-1]
    how = ["-i"] if fix else ["--dry-run", "-Werror"]
    command = ["clang-format", "--style=file", *how, *c_files(root)]
    status = subprocess.run(command).returncode
    if status:
        print("mend it with 'make format'")
    return status


sys.exit(main())
