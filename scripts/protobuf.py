# SPDX-License-Identifier: MIT
"""Protocol buffers by hand, for programs that make test profiles."""


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    """A number; 0 is what a reader assumes, and so it is left out."""
    return varint(field << 3) + varint(n) if n else b""


def block(field, *parts):
    """A string, packed numbers, or a message made of fields."""
    data = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(data)) + data
