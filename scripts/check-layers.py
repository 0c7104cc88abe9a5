#!/usr/bin/python3
"""Check that includes point the way that docs/ARCHITECTURE.md says.

usage: check-layers.py ROOT

The table under "Who may include whom" and the list under "Refused headers" are
read from the document itself, so that it can not drift from the code.
"""
import os
import re
import sys

DOCUMENT = "docs/ARCHITECTURE.md"
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def section(text, title):
    found = re.search(rf"^#+ {title}\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    if not found:
        sys.exit(f"{DOCUMENT}: no section '{title}'")
    return found[1]


def read_table(text):
    """Returns {folder: set of folders it may include}, both as 'lib/base'."""
    rows = re.findall(r"^\| ([a-z/]+) \| (.+) \|$",
                      section(text, "Who may include whom"), re.M)[1:]
    folders = [name for name, _ in rows]
    table = {}
    for name, allowed in rows:
        table[name] = set()
        for item in allowed.split(", "):
            if item.startswith("all of "):
                top = item.removeprefix("all of ") + "/"
                table[name] |= {f for f in folders if f.startswith(top)}
            elif item in folders:
                table[name].add(item)
            elif item != "nothing":
                sys.exit(f"{DOCUMENT}: '{item}' has no row of its own")
    return table


def read_refused(text):
    """Returns the system headers that lib/ and agent/ may not include."""
    return set(re.findall(r"`<([^>]+)>`", section(text, "Refused headers")))


def sources(root, top):
    for folder, _, files in sorted(os.walk(os.path.join(root, top))):
        for name in sorted(files):
            if name.endswith((".c", ".h")):
                yield os.path.relpath(os.path.join(folder, name), root)


def row_of(path, table):
    """The row that rules a file: its folder's, or that of the one above it.

    The row "tool" is for main.c: a folder of tool/ needs a row of its own.
    """
    folder = os.path.dirname(path)
    while folder and folder not in table:
        folder = os.path.dirname(folder)
    return "" if folder == "tool" != os.path.dirname(path) else folder


def fault(here, kind, name, table, refused):
    """Says what is wrong with an include, or returns None."""
    if kind == "<":
        if name in refused and not here.startswith("tool"):
            return f"{here} may not include <{name}>"
        return None
    folder = os.path.dirname(name)
    if not folder:
        return None if name == "wick.h" else f'write "{name}" with its folder'
    for top in ("lib", "tool", "agent"):
        target = row_of(f"{top}/{folder}/x", table)
        if target:
            break
    else:
        return f"nothing is known of '{folder}'"
    if target == here or target in table[here]:
        return None
    return f"{here} may not include {target}"


def main():
    root = sys.argv[1]
    with open(os.path.join(root, DOCUMENT)) as f:
        text = f.read()
    table, refused = read_table(text), read_refused(text)
    bad = 0
    for top in ("lib", "agent", "tool"):
        for path in sources(root, top):
            here = row_of(path, table)
            if not here:
                print(f"{path}: its folder has no row in {DOCUMENT}")
                bad += 1
                continue
            with open(os.path.join(root, path)) as f:
                lines = f.read().splitlines()
            for number, line in enumerate(lines, 1):
                found = INCLUDE.match(line)
                why = found and fault(here, *found.groups(), table, refused)
                if why:
                    print(f"{path}:{number}: {why}")
                    bad += 1
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
