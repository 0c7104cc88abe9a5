#!/usr/bin/python3
"""The cache of indexes: many writers, damage, its limit.

usage: test-cache.py WICK

The program that is asked about is wick itself, which is large enough for an
index worth keeping.
"""
import os
import random
import subprocess
import sys

import symtest

t = symtest.Tests(sys.argv[1])
random.seed(1)
CACHE = t.path("cache", "wick")


def some_addresses(count):
    rows = [line.split() for line in t.run("nm", t.wick).splitlines()]
    code = [int(r[0], 16) for r in rows if len(r) == 3 and r[1] in "tT"]
    return [hex(a + random.randrange(16)) for a in random.sample(code, count)]


def index_file():
    files = [f for f in os.listdir(CACHE) if f.endswith(".wsi")]
    return os.path.join(CACHE, files[0]) if len(files) == 1 else None


def answers(addresses, *options):
    return t.ask("symbolize", *options, t.wick, *addresses)


def is_cached():
    return "index cached" in t.ask("doctor", t.wick)[1]


def many_writers(addresses, right):
    """Each asks about another part, so that each has something to write."""
    parts = [addresses[i::8] for i in range(8)]
    running = [subprocess.Popen([t.wick, "symbolize", t.wick, *part],
                                env=t.env, text=True, stdout=subprocess.PIPE)
               for part in parts]
    seen = [p.communicate()[0] for p in running]
    wanted = [answers(part, "--no-cache")[1] for part in parts]
    t.check("processes that write at once all answer right", seen == wanted)
    left = os.listdir(CACHE)
    t.check("they leave one whole file and nothing else", len(left) == 1 and
            index_file() and is_cached(), left)
    t.check("which answers as no cache does", answers(addresses) == right)


def damage(name, addresses, right, spoil):
    """Answers stay right, and the next run has a whole file again."""
    spoil(index_file())
    before = os.stat(index_file())
    again = answers(addresses)
    t.check(f"{name}: the answers stay right", again == right, again[2])
    after = os.stat(index_file())
    t.check(f"{name}: the file is written anew", is_cached() and
            before.st_ino != after.st_ino, (before, after))


def flip(at):
    def spoil(path):
        with open(path, "r+b") as f:
            data = f.read()
            place = int(at * len(data))
            f.seek(place)
            f.write(bytes(b ^ 0x55 for b in data[place:place + 4]))
    return spoil


def every_part(path):
    """Something in each kilobyte behind the directory."""
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        for at in range(size // 2, size, 1024):
            f.seek(at)
            f.write(b"\xa5" * 8)


def cut(path):
    os.truncate(path, os.path.getsize(path) // 2)


def empty(path):
    os.truncate(path, 0)


def garbage(path):
    with open(path, "wb") as f:
        f.write(random.randbytes(100000))


def unusable(addresses, right):
    path = index_file()
    os.unlink(path)
    os.mkdir(path)
    t.check("a folder in its place does no harm", answers(addresses) == right)
    os.rmdir(path)
    env = {"XDG_CACHE_HOME": "/proc/nonexistent"}
    got = t.ask("symbolize", t.wick, *addresses, env=env)
    t.check("nor does a cache that cannot be written", got == right, got[2])


def limit(addresses, right):
    """Files without content count with their size, and cost nothing."""
    t.check("the index is there again", answers(addresses) == right and
            is_cached())
    old, new = (os.path.join(CACHE, n + ".wsi") for n in ("00", "11"))
    for path, used in ((old, 1000), (new, 2000)):
        with open(path, "wb") as f:
            f.truncate(600 << 20)
        os.utime(path, (used, used))
    os.unlink([os.path.join(CACHE, f) for f in os.listdir(CACHE)
               if len(f) > 10][0])
    answers(addresses)
    t.check("past a gigabyte the least recently used file goes",
            not os.path.exists(old) and os.path.exists(new) and is_cached(),
            os.listdir(CACHE))


def main():
    addresses = some_addresses(400)
    right = answers(addresses, "--no-cache")
    # A few are in the gaps between functions.
    t.check("there are answers at all", right[1].count("\n") >= 1200 and
            right[1].count("\n??\n") < 40, right[2])
    many_writers(addresses, right)
    answers(addresses)
    damage("a damaged header", addresses, right, flip(0))
    damage("damage within", addresses, right, flip(0.6))
    damage("much damage", addresses, right, every_part)
    damage("a cut file", addresses, right, cut)
    damage("an empty file", addresses, right, empty)
    damage("another file", addresses, right, garbage)
    unusable(addresses, right)
    limit(addresses, right)
    t.end()


main()
