#!/usr/bin/python3
"""Make an object file that holds a file's bytes, for a program to carry.

usage: embed-binary.py OUT NAME [LIBRARY]

The bytes are at NAME_start to NAME_end, read-only.  A library's debugging
information is left out.  Without LIBRARY they are none.
"""
import os
import subprocess
import sys
import tempfile


def run(*command, **more):
    subprocess.run(command, check=True, **more)


def main():
    out, name, *library = sys.argv[1:]
    out = os.path.abspath(out)
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, name)
        if library:
            run("strip", "-g", "-o", place, library[0])
        else:
            open(place, "w").close()
        run("ld", "-r", "-b", "binary", "-z", "noexecstack", "-o", out, name,
            cwd=folder)
        run("objcopy", "--rename-section",
            ".data=.rodata,alloc,load,readonly,data,contents",
            "--redefine-sym", f"_binary_{name}_start={name}_start",
            "--redefine-sym", f"_binary_{name}_end={name}_end", out)


main()
