#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes the inputs that the fuzzing of fuzz-pprof and fuzz-gzip starts from.

usage: seed-pprof.py [CORPUS]

Small files, right and wrong, each for one thing that the readers know.  The
corpus also holds inputs that the fuzzer found; those are not written here.
"""
import gzip
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))
from protobuf import block, varint  # noqa: E402


def num(field, n):
    return varint(field << 3) + varint(n)


def packed(field, *numbers):
    return block(field, *map(varint, numbers))


def strings(*texts):
    return b"".join(block(6, t.encode()) for t in ("",) + texts)


TYPES = block(1, num(1, 1), num(2, 2)) + block(1, num(1, 3), num(2, 4))
TEXTS = strings("samples", "count", "cpu", "nanoseconds", "main", "main.c",
                "/bin/server", "key", "value", "bytes",
                "[kernel.kallsyms]_stext")
MAPPING = block(3, num(1, 1), num(2, 0x400000), num(3, 0x500000), num(5, 7),
              num(6, 9), num(7, 1), num(8, 1), num(9, 1), num(10, 1))
FUNCTION = block(5, num(1, 1), num(2, 5), num(3, 5), num(4, 6), num(5, 10))
LOCATIONS = (
    block(4, num(1, 1), num(2, 1), num(3, 0x400100),
        block(4, num(1, 1), num(2, 12), num(3, 4)),
        block(4, num(1, 1), num(2, 15)), num(5, 1))
    + block(4, num(1, 300), num(2, 1), num(3, 0x400200),
          block(4, num(1, 1), num(2, -1)))
)
TABLES = MAPPING + LOCATIONS + FUNCTION + TEXTS
LABELS = (
    block(3, num(1, 8), num(2, 9)) + block(3, num(1, 8), num(2, 5))
    + block(3, num(1, 10), num(3, 64), num(4, 10))
    + block(3, num(1, 8), num(3, -1)) + block(3, num(1, 8))
)
HEADER = (
    num(7, 5) + num(8, 6) + num(9, 1700000000) + num(10, 30)
    + block(11, num(1, 3), num(2, 4)) + num(12, 10000000)
    + num(13, 8) + packed(13, 8, 9) + num(14, 3) + num(15, 9)
)

PPROF = {
    "least": strings(),
    "types": TYPES + TEXTS,
    "sample-packed": TYPES + block(2, packed(1, 1, 300, 1), packed(2, 1, 2))
    + TABLES,
    "sample-plain": TYPES + block(2, num(1, 300), num(1, 1), num(2, 1),
                                num(2, -2)) + TABLES,
    "sample-mixed": TYPES + block(2, num(1, 1), packed(1, 300), packed(2, 1),
                                num(2, 2)) + TABLES,
    "sample-packed-empty": TYPES + block(2, packed(1), packed(1, 1),
                                       packed(2), packed(2, 1, 2)) + TABLES,
    "sample-no-stack": TYPES + block(2, packed(2, 1, 2)) + TABLES,
    "labels": TYPES + block(2, num(1, 1), packed(2, 1, 2), LABELS) + TABLES,
    "label-empty": strings("key", "", "a") + block(1, num(1, 1))
    + block(2, num(2, 1), block(3, num(1, 1), num(2, 2)),
          block(3, num(1, 1), num(4, 2))),
    "header": TYPES + TABLES + HEADER,
    "backwards": HEADER + TEXTS + FUNCTION + LOCATIONS + MAPPING
    + block(2, packed(1, 1, 300), packed(2, 3, 4)) + TYPES,
    "shared-stacks": TYPES + b"".join(
        block(2, packed(1, *([1] * i + [300] * 5)), packed(2, i, i))
        for i in range(6)) + TABLES,
    "kernel": strings("[kernel.kallsyms]_text") + block(3, num(1, 1), num(5, 1)),
    "unknown-fields": TYPES + num(99, 1) + block(16, b"x") + varint(17 << 3 | 1)
    + b"8bytes.." + varint(18 << 3 | 5) + b"four" + TABLES,
    "sparse-ids": TEXTS + block(1, num(1, 1)) + block(5, num(1, -1), num(2, 5))
    + block(4, num(1, 1 << 40), block(4, num(1, -1)))
    + block(2, num(1, 1 << 40), num(2, 1)),
    "bad-string": TYPES + TABLES + num(15, 77),
    "bad-label": TYPES + block(2, packed(2, 1, 2), block(3, num(1, 77))) + TABLES,
    "bad-location": TYPES + block(2, num(1, 7), packed(2, 1, 2)) + TABLES,
    "bad-values": TYPES + block(2, num(2, 1)) + TABLES,
    "bad-function": TEXTS + block(4, num(1, 1), block(4, num(1, 9))),
    "same-id": TEXTS + FUNCTION + FUNCTION,
    "no-id": TEXTS + block(3, num(5, 1)),
    "no-types": TEXTS + block(2, num(2, 1)),
    "twice": TEXTS + num(9, 1) + TEXTS + num(9, 1),
    "wrong-wire": TYPES + TABLES + varint(9 << 3 | 5) + b"1234",
    "cut": (TYPES + TABLES)[:-3],
    "long-varint": TEXTS + varint(9 << 3) + b"\xff" * 9 + b"\x01",
    "too-long-varint": TEXTS + varint(9 << 3) + b"\xff" * 10 + b"\x01",
    "first-string": block(6, b"a"),
    "text": b"heap profile: 1: 2 [3: 4] @ heapprofile\n",
}


def member(data):
    return gzip.compress(data, mtime=0)


GZIP = {
    "empty": member(b""),
    "short": member(b"hello"),
    "long": member(b"hello " * 2000),
    "stored": gzip.compress(bytes(range(256)), 0, mtime=0),
    "two": member(b"first") + member(b"second"),
    "larger-than-it-says": member(b"x" * 5000)[:-4] + b"\x01\x00\x00\x00",
    "smaller-than-it-says": member(b"x" * 5000)[:-4] + b"\xff\xff\xff\x7f",
    "bomb": member(bytes(1100000)),
    "rubbish-behind": member(b"hello") + b"rubbish",
    "half-a-header-behind": member(b"hello") + b"\x1f\x8b\x08",
    "cut": member(b"hello " * 100)[:-5],
    "named": b"\x1f\x8b\x08\x08" + bytes(6) + b"name\0"
    + member(b"hello")[10:],
    "every-flag": b"\x1f\x8b\x08\x1f" + bytes(6) + b"\x02\0ab" + b"name\0"
    + b"comment\0" + b"\0\0" + member(b"hello")[10:],
    "bad-checksum": member(b"hello")[:-8] + bytes(8),
    "plain": b"no gzip data",
}


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for name, data in files.items():
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)


def main():
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")
    corpus = sys.argv[1] if len(sys.argv) > 1 else here
    write(os.path.join(corpus, "pprof"), PPROF)
    write(os.path.join(corpus, "gzip"), GZIP)


main()
