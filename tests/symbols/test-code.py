#!/usr/bin/python3
"""Machine code is shown with the functions it is from.

usage: test-code.py WICK
"""
import os
import platform
import re
import sys

from symtest import Tests

SOURCE = """
int hot(int) __asm__("_Z3hoti");
int hot(int n) { return n * n; }
int main(void) { return hot(3); }
"""

GO_SOURCE = """package main

//go:noinline
func hot(n int) int {
	sum := 0
	for i := 0; i < n; i++ {
		sum += i * i
	}
	return sum
}

func main() { println(hot(3)) }
"""

ENDLESS = """
.text
.globl main
.type first, @function
first: ret
.size first, 1
.balign 64
.type hot, @function
hot: ret
.size hot, -0x1000
.type main, @function
main: ret
.size main, 1
.section .note.GNU-stack, "", @progbits
"""


def profile(t, program, symbol):
    """A sample at the symbol's address, which is one before a return, and one
    where no file is."""
    at = next(int(line.split()[0], 16)
              for line in t.run("nm", program).splitlines()
              if line.endswith(" " + symbol))
    page = at & ~0xfff
    path = t.path("heap")
    with open(path, "w") as f:
        f.write(f"heap profile: 2: 16 [2: 16] @ heapprofile\n"
                f"1: 8 [1: 8] @ {at + 1:#x}\n"
                f"1: 8 [1: 8] @ 0x7fff00000101\nMAPPED_LIBRARIES:\n"
                f"{page:x}-{page + 0x1000:x} r-xp {page - 0x400000:08x}"
                f" 08:01 1 {program}\n"
                "7fff00000000-7fff00001000 r-xp 00000000 00:00 0 [vdso]\n")
    return path


def test_go(t):
    """A stripped program still has Go's own table of its functions."""
    source, program = t.path("hot.go"), t.path("gohot")
    with open(source, "w") as f:
        f.write(GO_SOURCE)
    t.run("env", "GOCACHE=" + t.path("gocache"), "CGO_ENABLED=0",
          "go", "build", "-o", program, source)
    recording = profile(t, program, "main.hot")
    _, whole, err = t.ask("pprof", "-disasm=main.hot", recording)
    t.check("the code of a Go program is shown",
            "ROUTINE" in whole and ";main.hot hot.go:" in whole, whole + err)
    t.run("strip", program)
    _, stripped, err = t.ask("pprof", "-disasm=main.hot", recording)
    t.check("and just the same once it is stripped", stripped == whole,
            stripped + err)
    _, page, err = t.ask("pprof", "-symbolize=local:force",
                         "-weblist=main.hot", "-output=" + t.path("page"),
                         recording)
    with open(t.path("page")) as f:
        page = f.read()
    t.check("beside its source as well", "class=asm" in page, page + err)


def test_messages(t, program):
    """What is said of files: only what helps."""
    recording = profile(t, program, "_Z3hoti")
    status, out, err = t.ask("pprof", "-disasm=.", recording)
    t.check("nobody is told that what is no file can not be read",
            status == 0 and "ROUTINE" in out and "vdso" not in err, err)
    t.check("nor of builds, of which nothing is known", "build" not in err, err)
    _, _, err = t.ask("pprof", "-buildid=abcdef", "-disasm=.", recording)
    t.check("but that a file is another build",
            f"'{program}' is not the build that was profiled" in err, err)
    os.remove(program)
    _, _, err = t.ask("pprof", "-disasm=.", recording)
    t.check("a missing file is named once",
            err.splitlines()[-2:] ==
            [f"stat {program}: no such file or directory",
             "wick: no matches found for regexp ."], err)


def test_same_addresses(t, source):
    """What one program spent at an address is not what another did."""
    recordings = []
    for name in "one", "two":
        program = t.path(name)
        t.run("cc", "-O1", "-fno-inline", "-no-pie", "-g", "-o", program, source)
        recordings.append(t.path(name + ".heap"))
        os.rename(profile(t, program, "_Z3hoti"), recordings[-1])
    page = t.path("page")
    _, _, err = t.ask("pprof", "-symbolize=local:force", "-inuse_space",
                      "-weblist=hot", "-output=" + page, *recordings)
    with open(page) as f:
        lines = f.read().split("<summary")[1:]
    hot = [line.split("</summary>") for line in lines if " return n * n" in line]
    spent = re.findall(r"^ *(\d+)B", hot[0][1].split("asm>")[1], re.M)
    t.check("instructions at one address in two programs have what is theirs",
            re.search(r">\s*16B", hot[0][0]) and spent == ["8", "8"],
            f"{hot} {err}")


def test_endless(t):
    """A file may say of a function that it ends before it begins."""
    source, program = t.path("endless.s"), t.path("endless")
    with open(source, "w") as f:
        f.write(ENDLESS)
    t.run("cc", "-no-pie", "-o", program, source)
    paths = [t.path(name) for name in ("first", "hot")]
    for path, symbol in zip(paths, ("first", "hot")):
        os.rename(profile(t, program, symbol), path)
    status, out, err = t.ask("pprof", "-disasm=first|hot", *paths)
    t.check("a function that ends before it begins has nothing in it",
            status == 0 and "ROUTINE ======================== first" in out
            and "ROUTINE ======================== hot" not in out, out + err)


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
    _, out, err = t.ask("report", "disasm", "--intel", "hot",
                        profile(t, program, "_Z3hoti"))
    t.check("wick report shows it, too, in Intel's syntax if asked for",
            ("imul edi, edi" if platform.machine() == "x86_64" else "ROUTINE")
            in out, out + err)
    test_messages(t, program)
    test_same_addresses(t, source)
    test_endless(t)
    test_go(t)
    t.end()


main()
