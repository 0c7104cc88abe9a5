#!/usr/bin/python3
"""Check that a program needs nothing but glibc, and starts without detours.

usage: check-linkage.py PROGRAM [libraries]

Only glibc's own libraries may be dynamic, or wick would not be one file to
copy to a server.  No constructor may run before main(), because the time that
a small job takes is mostly the time that starting takes; "libraries" leaves
this part out.
"""
import re
import subprocess
import sys

# The compiler's own, and liblzma's, which asks the processor once which of its
# checksum functions to use.
CONSTRUCTORS = 2
GLIBC = re.compile(r"(linux-vdso|libc|libm|ld-linux[-\w]*)\.so\.\d+$")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True,
                          check=True).stdout


def libraries(program):
    """What the loader maps, as ldd tells it."""
    for line in run("ldd", program).splitlines():
        yield line.split()[0].rpartition("/")[2]


def constructors(program):
    """The number of entries in .init_array."""
    dynamic = run("readelf", "-dW", program)
    found = re.search(r"\(INIT_ARRAYSZ\)\s+(\d+)", dynamic)
    return int(found[1]) // 8 if found else 0


def main():
    program = sys.argv[1]
    bad = 0
    for name in libraries(program):
        if not GLIBC.match(name):
            print(f"{program} needs {name}: link it statically")
            bad += 1
    if len(sys.argv) == 2 and constructors(program) > CONSTRUCTORS:
        print(f"{program} runs constructors before main()")
        bad += 1
    return bad != 0


sys.exit(main())
