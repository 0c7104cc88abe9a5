"""Profiles whose reports are large, though they are small themselves.

    p = LargeProfile(places=2000, depth=30)
    p.write("out.pb.gz", samples=60000)
"""
import gzip
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "scripts"))
from protobuf import block, number, varint  # noqa: E402


class LargeProfile:
    """Stacks of one depth over places that have a function each.  With threads,
    each sample has one of so many, and a number of bytes."""

    def __init__(self, places, depth, name=40, inlined=5, threads=0):
        names = [f"f{i:_<{name}}" for i in range(places)]
        self.texts = ["", "cpu", "nanoseconds", "thread", "main", *names,
                      "bytes", *(f"worker {i}" for i in range(threads))]
        self.bytes = 5 + places
        self.threads = threads
        self.places = [varint(1 + i) for i in range(places)]
        self.depth = depth
        self.tables = block(1, number(1, 1), number(2, 2))
        for i in range(1, places + 1):
            # Every so often two functions, the first inlined into the other.
            lines = [i, i % places + 1] if i % inlined == 0 else [i]
            self.tables += block(4, number(1, i), *(
                block(4, number(1, line), number(2, i)) for line in lines))
            self.tables += block(5, number(1, i), number(2, 4 + i))
        self.tables += b"".join(block(6, t.encode()) for t in self.texts)

    def labels(self, rng):
        if not self.threads:
            label = block(3, number(1, 3), number(2, 4))
            return label if rng.random() < 0.1 else b""
        thread = self.bytes + 1 + rng.randrange(self.threads)
        size = 1 << rng.randrange(4, 20)
        return (block(3, number(1, 3), number(2, thread))
                + block(3, number(1, self.bytes), number(3, size)))

    def sample(self, rng):
        stack = block(1, *rng.choices(self.places, k=self.depth))
        value = varint(rng.randrange(1, 10**rng.randrange(1, 10)))
        return block(2, stack, block(2, value), self.labels(rng))

    def write(self, path, samples, times=1):
        """So many samples, all of them so many times over."""
        rng = random.Random(1)
        part = b"".join(self.sample(rng) for _ in range(samples))
        with gzip.open(path, "wb", compresslevel=1) as f:
            f.write(self.tables + part * times)
