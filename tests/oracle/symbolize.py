#!/usr/bin/python3
"""Compare "wick symbolize" with llvm-symbolizer or addr2line.

usage: symbolize.py [options] WICK BINARY...

Takes random addresses from the executable sections of each BINARY and compares
function, file, line and the whole chain of inlined calls.  Prints a line for
each binary: how many agreed, and how many fell into each class of
disagreement; docs/design/symbols.md explains the classes.  Fails if fewer than
--least percent agree.

--count N     addresses a binary (10000)
--seed N      which ones (1)
--least P     percent that must agree (99.9)
--oracle O    llvm (default) or addr2line
--show N      print the first N disagreements of each class
--debug FILE  where the oracle finds the debug information, if not in BINARY
--list FILE   more programs, as make-programs.py prints them
"""
import argparse
import collections
import json
import os
import random
import re
import shutil
import subprocess
import sys

# What compilers put behind the name of a copy of a function.
SUFFIX = re.compile(r"(\.(cold|constprop|isra|part|lto_priv|llvm|ipa_cp|abi0|"
                    r"localalias|resolver|default|avx\w*|sse\w*|fma\w*|"
                    r"arch_\w+)?(\.?\d+)?)+$")


def code_sections(path):
    """[(address, size)] of the executable sections."""
    out = subprocess.run(["readelf", "-SW", path], text=True, check=True,
                         capture_output=True).stdout
    found = []
    for line in out.splitlines():
        m = re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+)\s+[0-9a-f]+"
                     r"\s+([0-9a-f]+)\s+\S+\s+(\S+)", line)
        if m and "X" in m[4] and "A" in m[4] and int(m[3], 16):
            if not m[1].startswith(".plt"):
                found.append((int(m[2], 16), int(m[3], 16)))
    return found


def aliases(path):
    """{name: addresses} of all symbols."""
    out = subprocess.run(["readelf", "-sW", path], text=True,
                         capture_output=True).stdout
    table = collections.defaultdict(set)
    for line in out.splitlines():
        w = line.split()
        if len(w) >= 8 and w[0].endswith(":") and w[0][:-1].isdigit():
            table[re.sub("@.*", "", w[7])].add(w[1])
    return table


def choose(sections, count, seed):
    rng = random.Random(seed)
    total = sum(size for _, size in sections)
    chosen = set()
    for _ in range(4 * count):
        at = rng.randrange(total)
        for start, size in sections:
            if at < size:
                chosen.add(start + at)
                break
            at -= size
        if len(chosen) == min(count, total):
            break
    chosen = list(chosen)
    rng.shuffle(chosen)
    return chosen


def clean_path(path):
    return "" if path in ("", "??") else os.path.normpath(path)


def clean_frames(frames):
    return [(re.sub("@.*", "", name) if name != "??" else "",
             clean_path(path), line) for name, path, line in frames]


def ask_wick(wick, path, text):
    out = subprocess.run([wick, "symbolize", "--json", path], input=text,
                         text=True, check=True, capture_output=True,
                         errors="replace").stdout
    answers = []
    for line in out.splitlines():
        frames = json.loads(line)["frames"]
        answers.append(clean_frames(
            [(f["function"], f.get("file", ""), f.get("line", 0))
             for f in frames] or [("", "", 0)]))
    return answers


def ask_llvm(path, text):
    out = subprocess.run(["llvm-symbolizer", "-e", path, "--no-demangle",
                          "--output-style=JSON"], input=text, text=True,
                         check=True, capture_output=True,
                         errors="replace").stdout
    answers = []
    for line in out.splitlines():
        frames = json.loads(line).get("Symbol", [])
        answers.append(clean_frames(
            [(f["FunctionName"], f["FileName"], f["Line"])
             for f in frames] or [("", "", 0)]))
    return answers


def ask_addr2line(path, text):
    out = subprocess.run(["addr2line", "-afi", "-e", path], input=text,
                         text=True, check=True, capture_output=True,
                         errors="replace").stdout.splitlines()
    answers = []
    i = 0
    while i < len(out):
        if re.fullmatch("0x[0-9a-f]{16}", out[i]):
            answers.append([])
            i += 1
            continue
        place = re.sub(r" \(discriminator \d+\)$", "", out[i + 1])
        file, _, line = place.rpartition(":")
        answers[-1].append((out[i], file, int(line) if line.isdigit() else 0))
        i += 2
    return [clean_frames(a) for a in answers]


def same_path(ours, theirs):
    if ours == theirs:
        return True
    # Others put a relative compilation directory in front of itself.
    prefix = theirs[:-len(ours) - 1]
    return theirs == f"{prefix}/{ours}" and ours.startswith(prefix)


def same_name(ours, theirs, table):
    if ours == theirs:
        return True
    # Go's linker leaves out of its table what stands in brackets.
    if "[...]" in ours and re.sub(r"\[.*\]", "[...]", theirs) == ours:
        return True
    if SUFFIX.sub("", ours) == SUFFIX.sub("", theirs):
        return True
    # Two symbols of one address: which is shown is a matter of taste.
    return bool(table.get(ours, set()) & table.get(theirs, set()))


def is_clone(name, ours):
    """Whether name, from the symbol table, is a clone of C's function ours."""
    return SUFFIX.sub("", name).lstrip("_") == ours.lstrip("_")


def mangled_holds(mangled, plain):
    return bool(plain) and re.search(rf"{len(plain)}{re.escape(plain)}",
                                     mangled) is not None


def classify(ours, theirs, table):
    """None if the two answers agree, else the class of disagreement."""
    if len(ours) != len(theirs):
        if not any(f[0] for f in ours):
            return "we found nothing"
        if not any(f[0] for f in theirs):
            return "they found nothing"
        return "depth of inlining"
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if not same_name(a[0], b[0], table):
            if i == len(ours) - 1 and (is_clone(b[0], a[0])
                                       or mangled_holds(b[0], a[0])):
                continue  # llvm takes the outermost name from the symbols
            return "function" if i < len(ours) - 1 else "outermost function"
        if a[2] != b[2]:
            return "line"
        if a[2] and not same_path(a[1], b[1]):
            return "file"
    return None


def compare(opt, path):
    sections = code_sections(path)
    addresses = choose(sections, opt.count, opt.seed)
    text = "".join(f"0x{a:x}\n" for a in addresses)
    ours = ask_wick(opt.wick, path, text)
    ask = ask_addr2line if opt.oracle == "addr2line" else ask_llvm
    theirs = ask(opt.debug or path, text)
    if len(ours) != len(theirs) or len(ours) != len(addresses):
        sys.exit(f"{path}: {len(addresses)} questions, {len(ours)} and "
                 f"{len(theirs)} answers")
    table = aliases(opt.debug or path)
    for name, addresses_of in aliases(path).items():
        table[name] |= addresses_of
    classes = collections.defaultdict(list)
    for at, a, b in zip(addresses, ours, theirs):
        kind = classify(a, b, table)
        if kind:
            classes[kind].append((at, a, b))
    return len(addresses), classes


def report(opt, path, total, classes):
    wrong = sum(map(len, classes.values()))
    percent = 100 * (total - wrong) / total
    detail = "".join(f"; {name}: {len(rows)}"
                     for name, rows in sorted(classes.items()))
    print(f"{percent:7.3f} % of {total} agree: {path}{detail}", flush=True)
    for name, rows in sorted(classes.items()):
        for at, a, b in rows[:opt.show]:
            print(f"  {name} at 0x{at:x}")
            print("    wick: ", *a, sep="\n      ")
            print(f"    {opt.oracle}:", *b, sep="\n      ")
    return percent


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--count", type=int, default=10000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--least", type=float, default=99.9)
    p.add_argument("--oracle", choices=("llvm", "addr2line"), default="llvm")
    p.add_argument("--show", type=int, default=0)
    p.add_argument("--debug")
    p.add_argument("--list")
    p.add_argument("wick")
    p.add_argument("binary", nargs="*")
    opt = p.parse_args()
    programs = [(path, opt.debug) for path in opt.binary]
    if opt.list:
        with open(opt.list) as f:
            for line in f:
                path, _, debug = line.rstrip("\n").partition("\t")
                programs.append((path, debug or None))
    if not shutil.which("llvm-symbolizer" if opt.oracle == "llvm"
                        else "addr2line"):
        print("the oracle is not installed: skipped")
        return 77
    bad = 0
    for path, opt.debug in programs:
        if report(opt, path, *compare(opt, path)) < opt.least:
            bad += 1
    return bad != 0


sys.exit(main())
