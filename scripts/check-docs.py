#!/usr/bin/python3
"""Check that the documents say what the command does.

usage: check-docs.py ROOT WICK

The truth is "wick help --json", which prints the tables that parsing uses.
Against it are held: --help (on stdout, at most 80 columns, the same as -h),
man pages (summary, usage, every option, and none that is gone), completion
scripts, and the table of commands in the README.
"""
import json
import os
import re
import subprocess
import sys

SHELLS = ("bash", "zsh", "fish")
faults = []


def fault(where, what):
    faults.append(f"{where}: {what}")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True)


def squeeze(text):
    return " ".join(text.split())


def spelled(option, style):
    """The ways to write an option: ["-o", "--output"]."""
    ways = []
    if option["letter"]:
        ways.append("-" + option["letter"])
    if option["name"]:
        ways.append(("-" if style == "go" else "--") + option["name"])
    return ways


# --help

def check_help(wick, command, tables):
    """command is a row of the tables, or None for wick itself."""
    name = [command["name"]] if command else []
    where = " ".join(["wick", *name, "--help"])
    r = run(wick, *name, "--help")
    if r.returncode or r.stderr:
        fault(where, "must succeed and print to standard output only")
    for same in ([*name, "-h"], ["help", *name]):
        if run(wick, *same).stdout != r.stdout:
            fault(where, f"is not the same as 'wick {' '.join(same)}'")
    for line in r.stdout.splitlines():
        if len(line) > 80 or line != line.rstrip() or "\t" in line:
            fault(where, f"too long, or has tabs or spaces at its end: {line}")
    style = command["style"] if command else "gnu"
    rows = list(command["options"]) if command else tables["wick"]["options"]
    if style == "gnu":
        rows = rows + tables["common"]["options"]
    for option in rows:
        for way in spelled(option, style):
            if not re.search(rf"(?<![-\w]){re.escape(way)}(?![-\w])", r.stdout):
                fault(where, f"does not mention {way}")
    for text in (command["usage"], command["summary"]) if command else ():
        if squeeze(text) not in squeeze(r.stdout):
            fault(where, f"does not say '{text}'")


def check_texts(command, options):
    """The form of the texts in the tables."""
    where = f"table of {command}"
    for option in options:
        text = option["help"]
        if not text or text.endswith(".") or re.match(r"[A-Z][a-z]", text):
            fault(where, f"help of {spelled(option, 'gnu')} is to be lower "
                  "case, without a full stop")
        if option["name"] and not re.fullmatch(r"[a-z0-9][-_a-z0-9]*",
                                               option["name"]):
            fault(where, f"odd name '{option['name']}'")
    for kind in ("letter", "name"):
        given = [o[kind] for o in options if o[kind]]
        for twice in {g for g in given if given.count(g) > 1}:
            fault(where, f"{kind} '{twice}' stands there twice")


# man pages

def read_page(root, page):
    path = os.path.join(root, "man", page)
    if not os.path.exists(path):
        fault(f"man/{page}", "is missing")
        return None
    with open(path) as f:
        return f.read()


def man_options(text):
    """The options that have an entry: {("-o", "--output"): "FILE"}."""
    found = {}
    for line in re.findall(r"^\.It (.*\bFl\b.*)$", text, re.M):
        words = line.split()
        flags = tuple("-" + words[i + 1] for i, w in enumerate(words)
                      if w == "Fl" and i + 1 < len(words))
        argument = words[words.index("Ar") + 1] if "Ar" in words else None
        found[flags] = argument
    return found


def man_summary(text):
    found = re.search(r"^\.Nd (.*)$", text, re.M)
    return found[1] if found else None


def man_usage(root, page):
    path = os.path.join(root, "man", page)
    text = run("mandoc", "-T", "ascii", path).stdout
    text = re.sub(r".\x08", "", text)
    found = re.search(r"^SYNOPSIS\n(.*?)\n\n?(?=^\S)", text, re.M | re.S)
    return squeeze(found[1]) if found else None


def check_man_options(page, text, options, style):
    have = man_options(text)
    want = {tuple(spelled(o, style)): o["argument"] for o in options}
    for flags, argument in want.items():
        if flags not in have:
            fault(page, f"has no entry for {', '.join(flags)}")
        elif have[flags] != argument:
            fault(page, f"{', '.join(flags)} takes {argument}, "
                  f"not {have[flags]}")
    for flags in have:
        if flags not in want:
            fault(page, f"{', '.join(flags)} is not in the table")


def check_man(root, command):
    page = f"wick-{command['name']}.1"
    text = read_page(root, page)
    if text is None:
        return
    page = f"man/{page}"
    if man_summary(text) != command["summary"]:
        fault(page, f"the summary (.Nd) is to be '{command['summary']}'")
    usage = man_usage(root, os.path.basename(page))
    if usage != squeeze(command["usage"]):
        fault(page, f"the synopsis is '{usage}', but the usage is "
              f"'{command['usage']}'")
    check_man_options(page, text, command["options"], command["style"])


def check_main_man(root, tables):
    text = read_page(root, "wick.1")
    if text is None:
        return
    options = tables["wick"]["options"] + tables["common"]["options"]
    check_man_options("man/wick.1", text, options, "gnu")
    listed = dict(re.findall(r"^\.It Xr wick-([-a-z]+) 1\n(.*)$", text, re.M))
    for command in tables["commands"]:
        name, summary = command["name"], command["summary"]
        if listed.pop(name, None) != summary:
            fault("man/wick.1", f"is to list wick-{name} with '{summary}'")
    for name in listed:
        fault("man/wick.1", f"lists wick-{name}, which does not exist")


def check_pages(root):
    """mandoc has nothing to say, and every page is installed."""
    folder = os.path.join(root, "man")
    pages = sorted(p for p in os.listdir(folder) if re.search(r"\.\d$", p))
    with open(os.path.join(folder, "meson.build")) as f:
        installed = f.read()
    for page in pages:
        if f"'{page}'" not in installed:
            fault(f"man/{page}", "is not in man/meson.build")
        lint = run("mandoc", "-T", "lint", "-W", "style",
                   os.path.join(folder, page)).stdout
        for line in lint.splitlines():
            # Pages refer to each other before they are installed.
            if "referenced manual not found" not in line:
                fault("mandoc", line)


# completion and README

def check_completion(wick, tables):
    for shell in SHELLS:
        text = run(wick, "completion", shell).stdout
        where = f"wick completion {shell}"
        for command in tables["commands"]:
            names = [o["name"] for o in command["options"] if o["name"]]
            for word in [command["name"], *names]:
                if not re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])",
                                 text):
                    fault(where, f"does not mention '{word}'")


def check_readme(root, tables):
    with open(os.path.join(root, "README.md")) as f:
        text = f.read()
    listed = set(re.findall(r"^\| `wick ([a-z]+)` ", text, re.M))
    names = {c["name"] for c in tables["commands"]}
    for name in sorted(names - listed):
        fault("README.md", f"its table of commands lacks 'wick {name}'")
    for name in sorted(listed - names):
        fault("README.md", f"'wick {name}' does not exist")


def main():
    root, wick = sys.argv[1:]
    tables = json.loads(run(wick, "help", "--json").stdout)
    check_help(wick, None, tables)
    check_texts("wick", tables["wick"]["options"] + tables["common"]["options"])
    for command in tables["commands"]:
        check_help(wick, command, tables)
        check_texts(command["name"], command["options"])
        check_man(root, command)
    check_main_man(root, tables)
    check_pages(root)
    check_completion(wick, tables)
    check_readme(root, tables)
    for line in faults:
        print(line)
    return len(faults) != 0


sys.exit(main())
