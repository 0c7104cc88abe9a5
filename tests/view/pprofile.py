"""Profiles in pprof's format, put together by hand for tests.

    p = Profile([("cpu", "nanoseconds")])
    here = p.place([(p.function("main", "main.c"), 12)])
    p.sample([here], [5], {"thread": "worker"})
    p.write("out.pb.gz")
"""
import gzip


def varint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


class Profile:
    """Names are text or bytes: not all of them are valid UTF-8."""

    def __init__(self, types):
        self.strings = {b"": 0}
        self.parts = [block(1, number(1, self.string(kind)) +
                            number(2, self.string(unit)))
                      for kind, unit in types]
        self.functions = self.places = self.mappings = 0

    def string(self, text):
        raw = text if isinstance(text, bytes) else text.encode()
        return self.strings.setdefault(raw, len(self.strings))

    def mapping(self, file):
        self.mappings += 1
        self.parts.append(block(3, number(1, self.mappings) +
                                number(2, self.mappings << 20) +
                                number(3, (self.mappings + 1) << 20) +
                                number(5, self.string(file)) + number(7, 1)))
        return self.mappings

    def function(self, name, file, start=1):
        self.functions += 1
        self.parts.append(block(5, number(1, self.functions) +
                                number(2, self.string(name)) +
                                number(3, self.string(name)) +
                                number(4, self.string(file)) +
                                number(5, start)))
        return self.functions

    def place(self, lines, mapping=0):
        """lines: (function, line), inlined ones first."""
        self.places += 1
        data = number(1, self.places) + number(3, 64 * self.places)
        if mapping:
            data += number(2, mapping)
        for function, line in lines:
            data += block(4, number(1, function) + number(2, line))
        self.parts.append(block(4, data))
        return self.places

    def sample(self, places, values, labels=()):
        """places: what ran first."""
        data = block(1, b"".join(map(varint, places)))
        data += block(2, b"".join(map(varint, values)))
        for key, value in dict(labels).items():
            data += block(3, number(1, self.string(key)) +
                          number(2, self.string(value)))
        self.parts.append(block(2, data))

    def write(self, path):
        strings = b"".join(block(6, s) for s in self.strings)
        with gzip.open(path, "wb", 1) as f:
            f.write(b"".join(self.parts) + strings)
        return path
