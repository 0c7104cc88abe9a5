#!/usr/bin/python3
"""Machine code is shown with the functions it is from.

usage: test-code.py WICK
"""
import sys

from symtest import Tests

SOURCE = """
int hot(int) __asm__("_Z3hoti");
int hot(int n) { return n * n; }
int main(void) { return hot(3); }
"""


def profile(t, program, symbol):
    """One sample at the symbol's address, which is one before a return."""
    at = next(int(line.split()[0], 16)
              for line in t.run("nm", program).splitlines()
              if line.endswith(" " + symbol))
    page = at & ~0xfff
    path = t.path("heap")
    with open(path, "w") as f:
        f.write(f"heap profile: 1: 8 [1: 8] @ heapprofile\n"
                f"1: 8 [1: 8] @ {at + 1:#x}\nMAPPED_LIBRARIES:\n"
                f"{page:x}-{page + 0x1000:x} r-xp {page - 0x400000:08x}"
                f" 08:01 1 {program}\n")
    return path


def main():
    t = Tests(sys.argv[1])
    source = t.path("hot.c")
    with open(source, "w") as f:
        f.write(SOURCE)
    for name, flags in (("with its source", ["-g"]), ("without", ["-g0"])):
        program = t.path("hot")
        t.run("cc", "-O1", "-fno-inline", "-no-pie", *flags, "-o", program,
              source)
        _, out, err = t.ask("pprof", "-disasm=hot",
                            profile(t, program, "_Z3hoti"))
        t.check(f"a function is named readably, {name}",
                ";hot(int) " in out, out + err)
    t.end()


main()
