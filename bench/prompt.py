#!/usr/bin/python3
"""Measure every kind of report at the prompt of wick pprof, after every option.

usage: prompt.py [--pause SECONDS] [--together] [--labels] [--limit SECONDS]
                 [--only OPTION] [--report REPORT] WICK FOLDER

The profile is that of pprof.py: 1,000,000 samples, 200,000 locations, depth 40,
and three labels on each sample if they are asked for.
Each question is asked at a prompt of its own, the given time after the option
was set (by default what a person needs to type it; 0 is the very moment when
the prompt is there again).  With --together a prompt answers all questions
about an option one after the other, which takes a fraction of the time.  What
takes longer than the limit is listed.  Appends to bench/results.csv, which
pprof.py alone compares with go tool pprof: that answers nothing here within
seconds.
"""
import argparse
import os
import sys
import time

from pprof import Prompt, Results, TYPING, make_profile, middle

OPTIONS = [
    "", "call_tree=true", "relative_percentages=true", "unit=ms",
    "compact_labels=false", "source_path=/tmp", "trim_path=/src",
    "intel_syntax=true", "mean=true", "sample_index=0", "divide_by=2",
    "normalize=true", "sort=cum", "tagroot=handler", "tagleaf=handler",
    "drop_negative=true", "nodecount=500", "nodefraction=0", "edgefraction=0",
    "trim=false", "focus=Handler12", "ignore=Handler2", "prune_from=Handler9",
    "hide=Handler3", "show=Handler", "show_from=Handler7",
    "tagfocus=handler", "tagignore=nothing", "tagshow=handler",
    "taghide=handler", "noinlines=true", "showcolumns=true",
    "granularity=files", "granularity=filefunctions", "granularity=lines",
    "granularity=addresses",
]
REPORTS = [
    "top", "top500", "tree", "peek Handler12", "peek .", "list Handler12",
    "list .", "weblist .", "disasm .", "traces", "tags", "comments", "raw",
    "proto", "topproto", "dot", "callgrind",
]


def ask(prompt, report):
    return prompt.ask(report + " > /dev/null")


def prepared(args, profile, option):
    """A prompt at which that option was set, and the seconds that took."""
    prompt = Prompt(args.wick, profile)
    seconds = prompt.ask(option) if option else 0
    time.sleep(args.pause)
    return prompt, seconds


def measure(args, profile, option):
    """Seconds by report, and the longest that the setting took."""
    times, setting = {}, 0
    prompt = None
    for report in args.report or REPORTS:
        if not prompt:
            prompt, seconds = prepared(args, profile, option)
            setting = max(setting, seconds)
        times[report] = ask(prompt, report)
        if not args.together:
            prompt.quit()
            prompt = None
    if prompt:
        prompt.quit()
    return times, setting


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--pause", type=float, default=TYPING)
    p.add_argument("--together", action="store_true")
    p.add_argument("--labels", action="store_true")
    p.add_argument("--limit", type=float, default=0.5)
    p.add_argument("--only", action="append")
    p.add_argument("--report", action="append")
    p.add_argument("wick")
    p.add_argument("folder")
    args = p.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    name = "tree-labels" if args.labels else "tree"
    profile = os.path.join(args.folder, name + ".pb.gz")
    make_profile(profile, ["--labels"] if args.labels else [])

    every, settings, slow = [], [], 0
    for option in args.only or OPTIONS:
        times, setting = measure(args, profile, option)
        settings.append(setting)
        every += times.values()
        worst = max(times, key=times.get)
        print(f"{option or '(nothing set)':26} {times[worst]:.3f} s at most "
              f"({worst}), middle {middle(times.values()):.3f}, "
              f"set in {setting:.3f}", flush=True)
        for report, seconds in times.items():
            if seconds > args.limit:
                slow += 1
                print(f"  over {args.limit:g} s: {report} {seconds:.3f}",
                      flush=True)
    print(f"{len(every) - slow} of {len(every)} reports within "
          f"{args.limit:g} s; the slowest {max(every):.3f} s, the slowest "
          f"setting {max(settings):.3f} s")
    if args.only or args.report:
        return
    when = f"{args.pause:g} s after an option"
    if args.labels:
        when += ", labels"
    if args.together:
        when += ", one after the other"
    results = Results()
    results.add(f"pprof prompt, {when}, slowest of {len(every)}, s", max(every))
    results.add(f"pprof prompt, {when}, over {args.limit:g} s", slow)
    results.save()


if __name__ == "__main__":
    sys.exit(main())
