#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the inputs that the fuzzing of debug information starts from.

usage: seed-dwarf.py [CORPUS]

Compiles a small program with each compiler and version of DWARF, takes the
sections out of it and writes them as fuzz-dwarf-info.c and fuzz-dwarf-line.c
want them.  The corpus also holds inputs that the fuzzer found; those are not
written here.
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = """
struct s { int a; int f(int); };
static inline __attribute__((always_inline)) int sq(int x) { return x * x; }
__attribute__((noinline)) int s::f(int x) { return sq(x) + sq(a + x); }
__attribute__((cold, noinline)) static int cold(int x) { return sq(x) - 1; }
extern "C" void _start()
{
	volatile s v{ 3 };
	s w{ v.a };
	v.a = w.f(2) ? cold(v.a) : 0;
}
"""
INFO = ["abbrev", "str", "line_str", "str_offsets", "addr", "ranges",
        "rnglists", "aranges", "types", "info"]
WAYS = {
    "gcc-2": ["g++", "-gdwarf-2", "-gstrict-dwarf"],
    "gcc-3": ["g++", "-gdwarf-3"],
    "gcc-4": ["g++", "-gdwarf-4"],
    "gcc-4-types": ["g++", "-gdwarf-4", "-fdebug-types-section"],
    "gcc-5": ["g++", "-gdwarf-5"],
    "gcc-5-types": ["g++", "-gdwarf-5", "-fdebug-types-section"],
    "gcc-64": ["g++", "-gdwarf-5", "-gdwarf64"],
    "gcc-split": ["g++", "-gdwarf-5", "-gsplit-dwarf"],
    "clang-4": ["clang++", "-gdwarf-4"],
    "clang-5": ["clang++", "-gdwarf-5"],
    "clang-lines": ["clang++", "-gline-tables-only"],
}


def section(path, name):
    out = path + "." + name
    subprocess.run(["objcopy", "-O", "binary", "--only-section=.debug_" + name,
                    "--set-section-flags=.debug_" + name + "=alloc", path,
                    out], check=True)
    folder = os.path.dirname(path).encode()
    with open(out, "rb") as f:
        # Split units name a file in our folder, which has another name
        # each time.
        return f.read().replace(folder, b"/folder".ljust(len(folder), b"r"))


def write(corpus, target, name, data):
    folder = os.path.join(corpus, target)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def seed(corpus, folder, name, command):
    path = os.path.join(folder, name)
    # Read from standard input in "/", so that no path of ours gets in.
    subprocess.run([*command, "-O2", "-nostdlib", "-static", "-no-pie",
                    "-ffunction-sections", "-Wl,--build-id=none", "-w", "-o",
                    path, "-x", "c++", "-"], check=True, cwd="/", text=True,
                   input=SOURCE)
    parts = [section(path, part) for part in INFO]
    lengths = struct.pack(f"<{len(parts) - 1}H", *map(len, parts[:-1]))
    write(corpus, "dwarf-info", name, lengths + b"".join(parts))
    strings = section(path, "line_str")
    write(corpus, "dwarf-line", name, struct.pack("<H", len(strings)) +
          strings + section(path, "line"))


def main():
    corpus = sys.argv[1] if sys.argv[1:] else os.path.join(HERE, "corpus")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in WAYS.items():
            seed(corpus, folder, name, command)


main()
