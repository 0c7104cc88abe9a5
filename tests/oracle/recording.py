#!/usr/bin/python3
"""Read recordings as wick-recording(5) says, and compare with wick's reader.

usage: recording.py FILE                print what is in it
       recording.py DUMP FILE...        compare with what "DUMP FILE" prints

A second reader, written from the manual page alone and sharing nothing with
wick's own: if both see the same, the page is complete.  It needs zstd(1).
It reads whole recordings only, and stops at the first thing it does not
expect.  The lines are those of tests/unit/profile_dump.h.
"""
import io
import shutil
import struct
import subprocess
import sys

MASK = (1 << 64) - 1
P1, P2, P3, P4, P5 = (
    11400714785074694791, 14029467366897019727, 1609587929392839161,
    9650029242287828579, 2870177450012600261)


def rotate(x, n):
    return (x << n | x >> (64 - n)) & MASK


def lane(acc, word):
    return rotate((acc + word * P2) & MASK, 31) * P1 & MASK


def xxh64(data):
    at, h = 0, P5
    if len(data) >= 32:
        acc = [(P1 + P2) & MASK, P2, 0, -P1 & MASK]
        while len(data) - at >= 32:
            words = struct.unpack_from("<4Q", data, at)
            acc = [lane(a, w) for a, w in zip(acc, words)]
            at += 32
        h = sum(rotate(a, n) for a, n in zip(acc, (1, 7, 12, 18))) & MASK
        for a in acc:
            h = ((h ^ lane(0, a)) * P1 + P4) & MASK
    h = (h + len(data)) & MASK
    while len(data) - at >= 8:
        h ^= lane(0, struct.unpack_from("<Q", data, at)[0])
        h = (rotate(h, 27) * P1 + P4) & MASK
        at += 8
    if len(data) - at >= 4:
        h ^= struct.unpack_from("<I", data, at)[0] * P1 & MASK
        h = (rotate(h, 23) * P2 + P3) & MASK
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & MASK, 11) * P1 & MASK
    h = (h ^ h >> 33) * P2 & MASK
    h = (h ^ h >> 29) * P3 & MASK
    return h ^ h >> 32


def expect(true, what):
    if not true:
        sys.exit("recording.py: " + what)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value & MASK, at


def decode(encoding, data):
    if encoding == 0:
        return data
    values, at, before = [], 0, 0
    while at < len(data):
        v, at = varint(data, at)
        if encoding > 1:
            v = v >> 1 ^ -(v & 1)
        if encoding == 3:
            before = v = (before + v) & MASK
        values.append(v & MASK)
    return values


def signed(v):
    return v - (1 << 64) if v >> 63 else v


class Table:
    def __init__(self, raw):
        self.first, at = varint(raw, 0)
        self.count, at = varint(raw, at)
        self.columns = {}
        while at < len(raw):
            key, at = varint(raw, at)
            size, = struct.unpack_from("<I", raw, at)
            at += 4
            self.columns[key >> 4] = decode(key >> 1 & 7, raw[at:at + size])
            at += size

    def column(self, number, count=None, default=0):
        count = self.count if count is None else count
        values = self.columns.get(number, [default] * count)
        expect(len(values) == count, f"column {number} has the wrong length")
        return values

    def rows(self, numbers, count=None):
        return list(zip(*(self.column(n, count) for n in numbers)))


def blocks(data):
    expect(data[:8] == bytes.fromhex("8957 4943 4b0d 0a1a"), "no recording")
    version, at, _ = struct.unpack_from("<3H", data, 8)
    expect(version == 1, "another version")
    check, = struct.unpack_from("<I", data, 20)
    expect(check == xxh64(data[:20]) & 0xffffffff, "file header damaged")
    number = 0
    while at < len(data):
        (magic, kind, version, flags, sequence, stored, raw, checksum,
         check) = struct.unpack_from("<4sHBBIIIQI", data, at)
        expect(magic == b"\xf7WkB" and
               check == xxh64(data[at:at + 28]) & 0xffffffff,
               "block header damaged")
        expect(sequence == number and version == 1, "unexpected block")
        body = data[at + 32:at + 32 + stored]
        expect(checksum == xxh64(body), "block damaged")
        if flags & 2:
            body = subprocess.run(["zstd", "-dcq"], input=body, check=True,
                                  stdout=subprocess.PIPE).stdout
        expect(len(body) == raw, "wrong raw size")
        yield kind, Table(body)
        at += 32 + stored
        number += 1


class Profile:
    def __init__(self, data):
        self.strings = [b""]
        self.mappings = [(0,) * 8]
        self.functions = [None]
        self.locations = [None]
        self.stacks = [()]
        self.labels = [[]]
        self.samples = []
        self.loss = {}
        self.ended = False
        readers = {1: self.read_strings, 2: self.read_header,
                   3: self.read_mappings, 4: self.read_functions,
                   5: self.read_locations, 6: self.read_stacks,
                   7: self.read_labels, 8: self.read_samples,
                   9: self.read_loss, 10: self.read_end,
                   11: self.read_symbols}
        for kind, table in blocks(data):
            readers[kind](table)
        expect(self.ended, "no end")

    def read_strings(self, t):
        at, data = 0, t.columns.get(2, b"")
        expect(t.first == len(self.strings), "strings are missing")
        for size in t.column(1):
            self.strings.append(data[at:at + size])
            at += size

    def read_header(self, t):
        self.types = t.rows((1, 2))
        self.header = [t.column(n, 1)[0] for n in range(3, 12)]
        self.comments = t.columns.get(12, [])

    def with_ids(self, t, table, numbers, id_column):
        expect(t.first == len(table), "rows are missing")
        own = t.columns.get(id_column,
                            range(t.first, t.first + t.count))
        return [(i, *row) for i, row in zip(own, t.rows(numbers))]

    def read_mappings(self, t):
        self.mappings += self.with_ids(t, self.mappings, range(1, 8), 8)

    def read_functions(self, t):
        self.functions += self.with_ids(t, self.functions, range(1, 5), 5)

    def read_locations(self, t):
        lines = iter(t.rows((6, 7, 8), sum(t.column(5))))
        for row in self.with_ids(t, self.locations, (1, 2, 3, 5), 4):
            self.locations.append((row, [next(lines) for _ in range(row[4])]))

    def read_stacks(self, t):
        expect(t.first == len(self.stacks), "stacks are missing")
        frames = iter(t.columns.get(3, []))
        for length, parent in t.rows((1, 2)):
            run = tuple(next(frames) for _ in range(length))
            self.stacks.append(self.stacks[parent] + run)

    def read_labels(self, t):
        expect(t.first == len(self.labels), "labels are missing")
        rows = iter(t.rows(range(2, 7), sum(t.column(1))))
        for count in t.column(1):
            self.labels.append([next(rows) for _ in range(count)])

    def read_samples(self, t):
        expect(t.first == len(self.samples), "samples are missing")
        values = [t.column(32 + n) for n in range(len(self.types))]
        times = t.columns.get(3, [None] * t.count)
        self.samples += zip(t.column(1), t.column(2), times, *values)

    def read_loss(self, t):
        self.loss = dict(t.rows((1, 2)))

    def read_symbols(self, t):
        lines = iter(t.rows((6, 7, 8), sum(t.column(2))))
        for location, count in t.rows((1, 2)):
            row, known = self.locations[location]
            new = [next(lines) for _ in range(count)]
            if not known:
                known += new
                self.flag_mapping(row[2], new)

    def flag_mapping(self, mapping, lines):
        *rest, flags = self.mappings[mapping]
        for function, line, _ in lines:
            flags |= 1
            flags |= 2 if self.functions[function][3] else 0
            flags |= 4 if line else 0
        flags |= 8 if len(lines) > 1 else 0
        self.mappings[mapping] = (*rest, flags)

    def read_end(self, t):
        expect(t.columns[1] == [len(self.samples)], "samples are missing")
        self.ended = True

    def text(self, string):
        return b" '" + self.strings[string] + b"'"

    def dump(self, out):
        def line(*parts):
            for p in parts:
                out.write(p if isinstance(p, bytes) else str(p).encode())
            out.write(b"\n")

        h = self.header
        line("header", *(f" {signed(v)}" for v in h[:3]),
             *map(self.text, h[3:]))
        line("types", *(self.text(s) for t in self.types for s in t))
        line("comments", *map(self.text, self.comments))
        line("loss", *(f" {self.loss.get(n, 0)}" for n in range(8)))
        for i, start, limit, offset, *names, flags in self.mappings[1:]:
            line(f"mapping {i} {start:x} {limit:x} {offset:x}",
                 *map(self.text, names), f" {flags:x}")
        for i, *names, start in self.functions[1:]:
            line(f"function {i}", *map(self.text, names), f" {signed(start)}")
        for (i, address, mapping, folded, _), lines in self.locations[1:]:
            line(f"location {i} {address:x} mapping "
                 f"{self.mappings[mapping][0]} {folded}:",
                 *(f" {f} {signed(n)} {signed(c)}" for f, n, c in lines))
        for stack, labels, time, *values in self.samples:
            line("sample", "" if time is None else f" at {signed(time)}",
                 *(f" {signed(v)}" for v in values), ":",
                 *(f" {frame}" for frame in reversed(self.stacks[stack])),
                 " labels", *map(self.label, self.labels[labels]))

    def label(self, row):
        key, value, numeric, number, unit = row
        if numeric & 1:
            return (self.text(key) + f" {signed(number)}".encode() +
                    self.text(unit))
        return self.text(key) + self.text(value)


def read(path):
    out = io.BytesIO()
    with open(path, "rb") as f:
        Profile(f.read()).dump(out)
    return out.getvalue()


def main():
    if not shutil.which("zstd"):
        print("recording.py: zstd is not installed")
        return 77
    *dump, path = sys.argv[1:]
    if not dump:
        sys.stdout.buffer.write(read(path))
        return 0
    for path in sys.argv[2:]:
        theirs = subprocess.run([dump[0], path], check=True,
                                stdout=subprocess.PIPE).stdout
        expect(theirs == read(path), f"{path} reads differently")
    print(f"{len(sys.argv) - 2} recordings read the same")
    return 0


sys.exit(main())
