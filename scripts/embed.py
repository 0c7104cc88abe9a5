#!/usr/bin/python3
"""Write a C header with the text of files, for programs that carry them.

usage: embed.py OUT NAME=FILE[+FILE...]...

Each becomes "static const char NAME[]", and NAME_HASH, the hash of it as a
page's Content-Security-Policy wants it.  Indentation and remarks that have
lines of their own are left out: they would be in every file that is written.

Several files are modules of JavaScript that become one: what each imports
stands before it, so imports are left out, and exports are names like others.
No two modules may use one name for something at their top.
"""
import base64
import hashlib
import re
import sys


def squeezed(path):
    with open(path) as f:
        text = re.sub(r"^[ \t]*/\*(?:(?!\*/).)*\*/[ \t]*\n", "", f.read(),
                      flags=re.M | re.S)
    lines = [line.strip() for line in text.splitlines()]
    return "".join(line + "\n" for line in lines
                   if line and not line.startswith("//"))


def top_names(text):
    return re.findall(r"^(?:const|let|class|function|async function) (\w+)",
                      text, re.M)


def joined(paths):
    """The text of a file, or of several modules as one."""
    if len(paths) == 1:
        return squeezed(paths[0])
    parts = []
    seen = {}
    for path in paths:
        with open(path) as f:
            text = re.sub(r"^export ", "", f.read(), flags=re.M)
        for name in top_names(text):
            if name in seen:
                sys.exit(f"embed.py: '{name}' is in {seen[name]} and {path}")
            seen[name] = path
        text = squeezed(path)
        text = re.sub(r"^import [^;]*;\n", "", text, flags=re.M)
        parts.append(re.sub(r"^export ", "", text, flags=re.M))
    return "".join(parts)


def literal(text):
    quoted = (line.replace("\\", "\\\\").replace('"', '\\"')
              for line in text.splitlines())
    return "\n".join(f'\t"{line}\\n"' for line in quoted)


def main():
    out, *items = sys.argv[1:]
    parts = ["/* Made by scripts/embed.py; do not edit. */\n"]
    for item in items:
        name, path = item.split("=", 1)
        text = joined(path.split("+"))
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest())
        parts.append(f"static const char {name}[] =\n{literal(text)};\n"
                     f'#define {name.upper()}_HASH "sha256-'
                     f'{digest.decode()}"\n')
    with open(out, "w") as f:
        f.write("\n".join(parts))


main()
