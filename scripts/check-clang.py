#!/usr/bin/python3
"""Check that the second compiler accepts the code, warnings being errors.

usage: check-clang.py BUILD-FOLDER

Takes the commands from compile_commands.json and lets clang read each file
without writing anything.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys

# What gcc writes and clang need not, or does not know.
DROP = ("-o", "-MF", "-MQ")


def clang_command(entry):
    words = shlex.split(entry["command"])[1:]
    kept = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in DROP:
            skip = True
        elif word not in ("-MD", "-c"):
            kept.append(word)
    return ["clang", "-fsyntax-only", "-Werror", "-Wno-unknown-warning-option",
            *kept]


def check(entry):
    return subprocess.run(clang_command(entry), cwd=entry["directory"],
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def main():
    with open(os.path.join(sys.argv[1], "compile_commands.json")) as f:
        entries = {e["file"]: e for e in json.load(f)
                   if e["file"].endswith(".c")}
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for r in pool.map(check, entries.values()):
            if r.returncode:
                sys.stdout.write(r.stdout)
                bad += 1
    print(f"{len(entries)} files, {bad} refused")
    return bad != 0


sys.exit(main())
