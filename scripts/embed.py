#!/usr/bin/python3
"""Write a C header with the text of files, for programs that carry them.

usage: embed.py OUT NAME=FILE...

Each becomes "static const char NAME[]", and NAME_HASH, the hash of it as a
page's Content-Security-Policy wants it.  Indentation, and lines that are only
a remark (//), are left out: they would be in every file that is written.
"""
import base64
import hashlib
import sys


def squeezed(path):
    with open(path) as f:
        lines = [line.strip() for line in f]
    return "".join(line + "\n" for line in lines
                   if line and not line.startswith("//"))


def literal(text):
    quoted = (line.replace("\\", "\\\\").replace('"', '\\"')
              for line in text.splitlines())
    return "\n".join(f'\t"{line}\\n"' for line in quoted)


def main():
    out, *items = sys.argv[1:]
    parts = ["/* Made by scripts/embed.py; do not edit. */\n"]
    for item in items:
        name, path = item.split("=", 1)
        text = squeezed(path)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest())
        parts.append(f"static const char {name}[] =\n{literal(text)};\n"
                     f'#define {name.upper()}_HASH "sha256-'
                     f'{digest.decode()}"\n')
    with open(out, "w") as f:
        f.write("\n".join(parts))


main()
