#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes a large made-up pprof profile, to measure readers with.

Two shapes of stacks: "tree", as programs have them (a common trunk, a few
likely callees everywhere, ends that differ), and "random", where nothing is
shared, the worst case for any reader that shares.  The same arguments give
the same bytes.  Not for tests: it says nothing about odd input.
"""
import argparse
import gzip
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "scripts"))
from protobuf import block, number, varint  # noqa: E402


class Strings:
    def __init__(self):
        self.index = {"": 0}

    def __call__(self, text):
        return self.index.setdefault(text, len(self.index))

    def encode(self):
        return b"".join(block(6, s.encode()) for s in self.index)


def tree_stacks(rng, args):
    """Each place calls a few others, the first far more often than the last."""
    callees = [
        [rng.randrange(args.locations) for _ in range(6)]
        for _ in range(args.locations)
    ]
    choose = [0] * 56 + [1] * 4 + [2, 3, 4, 5]
    roots = list(range(4))
    for _ in range(args.samples):
        at = roots[int(rng.random() ** 2 * 4)]
        stack = [at]
        # One random number serves several frames: Python is slow enough.
        bits = rng.getrandbits(6 * 2 * args.depth)
        for _ in range(rng.randrange(args.depth // 2, args.depth * 3 // 2)):
            at = callees[at][choose[bits & 63]]
            bits >>= 6
            stack.append(at)
        stack.reverse()
        yield stack


def random_stacks(rng, args):
    everything = range(args.locations)
    for _ in range(args.samples):
        yield rng.choices(everything, k=args.depth)


def labels(rng, strings, args):
    """Three labels, as a server would set them, in a few thousand sets."""
    if not args.labels:
        return [b""]
    key, thread, size = strings("handler"), strings("thread"), strings("bytes")
    sets = []
    for _ in range(3000):
        path = strings("/api/v1/item/%d" % rng.randrange(200))
        one = number(1, key) + number(2, path)
        two = number(1, thread) + number(2, strings("w%d" % rng.randrange(64)))
        three = number(1, size) + number(3, 1 << rng.randrange(4, 20))
        three += number(4, strings("bytes"))
        sets.append(block(3, one) + block(3, two) + block(3, three))
    return sets


def write_samples(out, rng, strings, args):
    ids = [varint(i + 1) for i in range(args.locations)]
    sets = labels(rng, strings, args)
    shape = tree_stacks if args.shape == "tree" else random_stacks
    for stack in shape(rng, args):
        body = block(1, b"".join([ids[i] for i in stack]))
        count = rng.randrange(1, 9)
        values = varint(count) + varint(count * 10000000)
        body += block(2, values)
        out.write(block(2, body + rng.choice(sets)))


def write_tables(out, rng, strings, args):
    mapping = number(1, 1) + number(2, 0x400000) + number(3, 0x4000000)
    mapping += number(5, strings("/usr/bin/server")) + number(7, 1)
    out.write(block(3, mapping + number(8, 1) + number(9, 1)))
    functions = max(1, args.locations // 4)
    for i in range(args.locations):
        body = number(1, i + 1) + number(2, 1) + number(3, 0x400000 + 16 * i)
        lines = 2 if i % 5 == 0 else 1
        for _ in range(lines):
            function = rng.randrange(functions) + 1
            line = number(1, function) + number(2, rng.randrange(1, 3000))
            body += block(4, line)
        out.write(block(4, body))
    for i in range(functions):
        name = "server::module%d::Handler%d<std::string>::run" % (i % 97, i)
        file = strings("/src/module%d/handler%d.cc" % (i % 97, i // 12))
        body = number(1, i + 1) + number(2, strings(name))
        body += number(3, strings("_ZN%dE" % i)) + number(4, file)
        out.write(block(5, body + number(5, rng.randrange(1, 3000))))


def write(out, args):
    rng = random.Random(args.seed)
    strings = Strings()
    for kind, unit in (("samples", "count"), ("cpu", "nanoseconds")):
        out.write(block(1, number(1, strings(kind)) + number(2, strings(unit))))
    write_samples(out, rng, strings, args)
    write_tables(out, rng, strings, args)
    out.write(strings.encode())
    out.write(number(9, 1700000000000000000) + number(10, 30000000000))
    cpu = number(1, strings("cpu")) + number(2, strings("nanoseconds"))
    out.write(block(11, cpu) + number(12, 10000000))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000000)
    parser.add_argument("--depth", type=int, default=40)
    parser.add_argument("--locations", type=int, default=200000)
    parser.add_argument("--shape", choices=("tree", "random"), default="tree")
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("output", help="a name ending in .gz is compressed")
    args = parser.parse_args()
    if args.output.endswith(".gz"):
        with gzip.open(args.output, "wb", compresslevel=6) as out:
            write(out, args)
    else:
        with open(args.output, "wb", buffering=1 << 20) as out:
            write(out, args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
