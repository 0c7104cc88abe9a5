#!/usr/bin/python3
"""Make server.pb.gz and server-old.pb.gz: two CPU profiles of a server.

usage: make-server.py            (writes beside itself)

Small enough to check by hand: six functions, one of them inlined, labels with
text and with numbers, and a second version in which a function got slower.
"""
import gzip
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))
from protobuf import block, number, varint  # noqa: E402


class Profile:
    def __init__(self):
        self.strings = [""]
        self.parts = []

    def text(self, s):
        if s not in self.strings:
            self.strings.append(s)
        return self.strings.index(s)

    def add(self, field, *body):
        self.parts.append(block(field, b"".join(body)))

    def value_type(self, field, kind, unit):
        self.add(field, number(1, self.text(kind)), number(2, self.text(unit)))

    def sample(self, stack, values, labels):
        body = block(1, b"".join(map(varint, stack)))
        body += block(2, b"".join(map(varint, values)))
        for key, value in labels.items():
            label = number(1, self.text(key))
            if isinstance(value, str):
                label += number(2, self.text(value))
            else:
                label += number(3, value) + number(4, self.text("bytes"))
            body += block(3, label)
        self.add(2, body)

    def write(self, path):
        body = b"".join(self.parts)
        body += b"".join(block(6, s.encode()) for s in self.strings)
        with open(path, "wb") as f:
            f.write(gzip.compress(body, mtime=0))


FUNCTIONS = [  # name, file, first line
    ("main", "server.cc", 28),
    ("Server::Run", "server.cc", 20),
    ("Server::Handle", "server.cc", 12),
    ("Cache::Find", "server.cc", 4),
    ("Cache::Hash", "server.cc", 1),
    ("malloc", "", 0),
]
LOCATIONS = [  # address, [(function, line)], innermost first
    (0x401000, [(1, 29)]),
    (0x401100, [(2, 22)]),
    (0x401200, [(3, 14)]),
    (0x401300, [(5, 2), (4, 6)]),
    (0x401308, [(4, 8)]),
    (0x402000, [(6, 0)]),
]


def make(path, find):
    p = Profile()
    p.value_type(1, "samples", "count")
    p.value_type(1, "cpu", "nanoseconds")
    for stack, count, labels in [
        ([4, 3, 2, 1], find, {"user": "alice", "bytes": 4096}),
        ([5, 3, 2, 1], 30, {"user": "bob", "bytes": 512}),
        ([6, 3, 2, 1], 25, {"user": "bob"}),
        ([3, 2, 1], 10, {}),
        ([2, 1], 1, {}),
    ]:
        p.sample(stack, [count, count * 10000000], labels)
    p.add(3, number(1, 1), number(2, 0x400000), number(3, 0x500000),
          number(5, p.text("/srv/bin/server")), number(6, p.text("c0ffee")),
          number(7, 1), number(8, 1), number(9, 1), number(10, 1))
    for i, (address, lines) in enumerate(LOCATIONS, 1):
        p.add(4, number(1, i), number(2, 1), number(3, address),
              *(block(4, number(1, f) + number(2, n)) for f, n in lines))
    for i, (name, file, line) in enumerate(FUNCTIONS, 1):
        p.add(5, number(1, i), number(2, p.text(name)),
              number(3, p.text(name)), number(4, p.text(file)),
              number(5, line))
    p.parts.append(number(9, 1700000000 * 10**9) + number(10, 10 * 10**9))
    p.value_type(11, "cpu", "nanoseconds")
    p.parts.append(number(12, 10000000))
    p.parts.append(number(13, p.text("made for tests")))
    p.write(path)


make(os.path.join(HERE, "server.pb.gz"), 34)
make(os.path.join(HERE, "server-old.pb.gz"), 14)
