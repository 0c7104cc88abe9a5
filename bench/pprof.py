#!/usr/bin/python3
"""Measure wick pprof against go tool pprof on a large profile.

usage: pprof.py [--rounds N] [--prompt-only] [--shape tree|random] [--labels]
                WICK FOLDER

Makes a profile of 1,000,000 samples, 200,000 locations and depth 40 in FOLDER
(kept for the next time), then lets both programs answer -top, in turns, and
prints CPU time, peak memory and the ratios; the machine code and the sources of
a real program likewise.  Then: how long each further report takes at the prompt
of wick, one after the other or as the very first; and what takes longest of all,
as soon as the prompt is there after an option has changed and after the time
that a person needs to type the question; and how long a tiny profile takes from
the start of the process to its end.  Appends to bench/results.csv.

CPU time is user and system time of the process and its children, as the kernel
counts it, so that other load matters less.
"""
import argparse
import csv
import datetime
import os
import platform
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
QUESTIONS = [
    "top", "top20 -cum", "tree 20", "peek Handler1234", "top run",
    "granularity=lines", "top", "granularity=functions", "tags",
    "focus=Handler12", "top", "focus=", "show_from=Handler7", "top",
    "show_from=", "hide=Handler3", "top", "hide=", "prune_from=Handler9",
    "top", "prune_from=", "ignore=Handler2", "top", "ignore=", "dot > /dev/null",
    "call_tree=true", "dot > /dev/null", "call_tree=false",
    "topproto > /dev/null", "list Handler12 > /dev/null", "list . > /dev/null",
    "weblist . > /dev/null", "comments", "traces > /dev/null",
    "raw > /dev/null", "proto > /dev/null", "callgrind > /dev/null",
    "peek . > /dev/null",
]
# Everything there is, of a graph that was not made yet when the option changed.
WITH = [
    ("focus=Handler1", "callgrind > /dev/null"),
    ("focus=Handler1", "peek . > /dev/null"),
    ("hide=Handler1", "peek . > /dev/null"),
    ("hide=Handler1", "callgrind > /dev/null"),
    ("prune_from=Handler9", "callgrind > /dev/null"),
    ("granularity=addresses", "traces > /dev/null"),
    ("granularity=lines", "peek . > /dev/null"),
    ("hide=Handler1", "weblist . > /dev/null"),
    ("hide=Handler1", "traces > /dev/null"),
    ("hide=Handler1", "proto > /dev/null"),
    ("trim=false", "dot > /dev/null"),
    ("call_tree=true", "callgrind > /dev/null"),
    ("call_tree=true cum=true", "callgrind > /dev/null"),
    ("call_tree=true mean=true", "callgrind > /dev/null"),
    ("call_tree=true mean=true", "dot > /dev/null"),
    ("sample_index=0", "callgrind > /dev/null"),
    ("tagroot=handler", "top"),
    ("tagroot=handler", "dot > /dev/null"),
    ("tagroot=handler", "traces > /dev/null"),
]
SETTING = "(the slowest setting)"
TYPING = 1.3  # seconds for a word and a return
AS_FIRST = ["callgrind > /dev/null", "peek . > /dev/null", "list . > /dev/null"]


def run(command, quiet=True):
    """Returns CPU seconds and peak memory in MB of one run."""
    out = subprocess.DEVNULL if quiet else None
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out,
                             stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)}: failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def middle(values):
    return statistics.median(values)


def spread(values):
    return f"{min(values):.2f}..{max(values):.2f}"


def tiny_profile(folder):
    """A profile of ten samples, by the same maker."""
    path = os.path.join(folder, "tiny.pb.gz")
    make_profile(path, ["--samples", "10", "--locations", "50"])
    return path


def make_profile(path, arguments):
    if os.path.exists(path):
        return
    new = path.replace(".pb.gz", "-new.pb.gz")
    subprocess.run([sys.executable, os.path.join(HERE, "make-profile.py"),
                    *arguments, new], check=True)
    os.rename(new, path)


class Prompt:
    """The prompt of wick, once it is there."""

    def __init__(self, wick, profile):
        self.child = subprocess.Popen(
            [wick, "pprof", profile], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.wait()

    def wait(self):
        tail = b""
        while not tail.endswith(b"(pprof) "):
            part = os.read(self.child.stdout.fileno(), 1 << 16)
            if not part:
                sys.exit("the prompt went away")
            tail = (tail + part)[-8:]

    def ask(self, question):
        """Seconds from a line typed to the next prompt."""
        start = time.monotonic()
        self.child.stdin.write(question.encode() + b"\n")
        self.child.stdin.flush()
        self.wait()
        return time.monotonic() - start

    def quit(self):
        self.child.stdin.write(b"quit\n")
        self.child.stdin.close()
        self.child.wait()


def prompt_times(wick, profile):
    """Seconds of each question; of one asked often, the longest."""
    times = {}
    prompt = Prompt(wick, profile)
    for question in QUESTIONS:
        seconds = prompt.ask(question)
        if "=" not in question:
            times[question] = max(seconds, times.get(question, 0))
    prompt.quit()
    for setting, question in WITH:
        for pause, when in ((0, "at once"), (TYPING, "typed")):
            prompt = Prompt(wick, profile)
            for one in setting.split():
                times[SETTING] = max(prompt.ask(one), times.get(SETTING, 0))
            time.sleep(pause)
            times[f"{question}, with {setting}, {when}"] = prompt.ask(question)
            prompt.quit()
    for question in AS_FIRST:
        start = time.monotonic()
        prompt = Prompt(wick, profile)
        times["(until the prompt is there)"] = time.monotonic() - start
        times[question + ", first"] = prompt.ask(question)
        prompt.quit()
    return times


def tiny_times(wick, profile, rounds):
    times = []
    for _ in range(rounds):
        start = time.monotonic()
        subprocess.run([wick, "pprof", "-top", profile],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(1000 * (time.monotonic() - start))
    return times


class Results:
    def __init__(self):
        commit = subprocess.run(
            ["git", "-C", HERE, "rev-parse", "--short", "HEAD"],
            capture_output=True, text=True).stdout.strip()
        self.head = [datetime.date.today().isoformat(), commit,
                     f"{platform.machine()}-{os.cpu_count()}cpu"]
        self.rows = []

    def add(self, what, ours, theirs=None):
        ratio = f"{theirs / ours:.2f}" if theirs else ""
        theirs = f"{theirs:.2f}" if theirs else ""
        self.rows.append([*self.head, what, f"{ours:.2f}", theirs, ratio])
        print(f"{what}: {ours:.2f} {theirs} RATIO {ratio or '-'}")

    def save(self):
        path = os.path.join(HERE, "results.csv")
        new = not os.path.exists(path)
        with open(path, "a", newline="") as f:
            rows = csv.writer(f, lineterminator="\n")
            if new:
                rows.writerow("date,commit,machine,what,ours,theirs,ratio"
                              .split(","))
            rows.writerows(self.rows)


def compare(args, large, results):
    ours, theirs = [], []
    for _ in range(args.rounds):
        ours.append(run([args.wick, "pprof", "-top", large]))
        theirs.append(run(["go", "tool", "pprof", "-top", large]))
    for k, unit in enumerate(("CPU s", "peak MB")):
        a, b = [x[k] for x in ours], [x[k] for x in theirs]
        print(f"{unit}: wick {spread(a)}, go tool pprof {spread(b)}")
        results.add(f"pprof -top of 1M samples ({args.shape}), {unit}",
                    middle(a), middle(b))


def machine_code(args, large, results):
    """Of a real program with its sources: of wick, as it reads the profile."""
    def path(name):
        return os.path.join(args.folder, name)

    subprocess.run([args.wick, "record", "-q", "-F", "4999", "-o",
                    path("wick.wick"), "--", args.wick, "pprof", "-top", large],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([args.wick, "convert", path("wick.wick"),
                    path("wick.pb.gz")], check=True)
    for report in ("disasm", "weblist"):
        ours, theirs = [], []
        for _ in range(args.rounds):
            for times, program in (ours, [args.wick]), (theirs, ["go", "tool"]):
                times.append(run([*program, "pprof", f"-{report}=.",
                                  "-output=" + path("code"),
                                  path("wick.pb.gz")])[0])
        print(f"{report}: wick {spread(ours)}, go tool pprof {spread(theirs)}")
        results.add(f"pprof -{report}=. of a program, CPU s", middle(ours),
                    middle(theirs))


def ask(args, large, results):
    """Medians of the rounds; "top" is asked after each filter, and the slowest
    of them counts."""
    rounds = [prompt_times(args.wick, large) for _ in range(args.rounds)]
    for question in rounds[0]:
        seconds = [r[question] for r in rounds]
        print(f"  {question:58} {middle(seconds):.3f} s ({spread(seconds)})")
        if "," in question or ">" in question:
            name = question.replace(" > /dev/null", "")
            results.add(f"pprof prompt, {name} ({args.shape}), s",
                        middle(seconds))
    results.add(f"pprof prompt, slowest setting ({args.shape}), s",
                middle([r[SETTING] for r in rounds]))
    results.add(f"pprof prompt, slowest for people ({args.shape}), s",
                max(middle([r[q] for r in rounds]) for q in rounds[0]
                    if ">" not in q and "(" not in q))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--prompt-only", action="store_true")
    p.add_argument("--shape", default="tree", choices=("tree", "random"))
    p.add_argument("wick")
    p.add_argument("folder")
    p.add_argument("--labels", action="store_true")
    args = p.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    maker = ["--shape", args.shape]
    if args.labels:
        args.shape += ", labels"
        maker.append("--labels")
    large = os.path.join(args.folder,
                         args.shape.replace(", ", "-") + ".pb.gz")
    make_profile(large, maker)
    results = Results()

    if not args.prompt_only:
        compare(args, large, results)
        machine_code(args, large, results)
    ask(args, large, results)
    tiny = tiny_times(args.wick, tiny_profile(args.folder), 50)
    print(f"tiny profile: {spread(tiny)} ms")
    results.add("pprof -top of a tiny profile, ms", middle(tiny))
    results.save()


if __name__ == "__main__":
    main()
