#!/usr/bin/python3
"""A file that is cut short while wick reads it.

usage: test-cut.py WICK

The program that is asked about is a copy of wick itself, and it is cut between
two questions.
"""
import os
import shutil
import subprocess
import sys

import symtest

t = symtest.Tests(sys.argv[1])
victim = t.path("victim")
shutil.copy(t.wick, victim)
code = [line.split()[0] for line in t.run("nm", t.wick).splitlines()
        if line.split()[1:2] in (["t"], ["T"])]
child = subprocess.Popen([t.wick, "symbolize", victim], text=True, env=t.env,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
child.stdin.write(f"0x{code[0]}\n")
child.stdin.flush()
first = child.stdout.readline()
t.check("it answers", first.startswith("0x"), first)
os.truncate(victim, 4096)
out, err = child.communicate("".join(f"0x{a}\n" for a in code[1:]), 60)
t.check("a file that is cut short is said, in one line",
        child.returncode == 1 and
        err == "wick: a file was cut short while it was read\n",
        (child.returncode, err))
t.end()
