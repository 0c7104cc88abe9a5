#!/usr/bin/python3
"""Measure wick flame on a large profile.

usage: flame.py [--rounds N] WICK FOLDER

Makes the profile of pprof.py in FOLDER (kept for the next time) and draws it,
from the root and from the leaves.  What reading alone takes is measured by
asking for its comments, so that the difference is the picture.  Appends
to bench/results.csv.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True  # the source tree stays as it is
from pprof import Results, make_profile, middle, run, spread  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("wick")
    parser.add_argument("folder")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    profile = os.path.join(args.folder, "tree.pb.gz")
    make_profile(profile, ["--shape", "tree"])
    svg = os.path.join(args.folder, "flame.svg")
    results = Results()
    reading = [run([args.wick, "pprof", "-comments", profile])[0]
               for _ in range(args.rounds)]
    print(f"reading: {spread(reading)} CPU s")
    for name, options in (("", []), (", reversed", ["--reverse"])):
        times = [run([args.wick, "flame", "-o", svg, *options, profile])
                 for _ in range(args.rounds)]
        cpu = [t[0] for t in times]
        size = os.path.getsize(svg) / 1e6
        print(f"flame{name}: {spread(cpu)} CPU s, {times[0][1]:.0f} MB, "
              f"{size:.2f} MB of SVG")
        results.add(f"flame of 1M samples{name}, CPU s", middle(cpu))
        results.add(f"flame of 1M samples{name}, without reading, CPU s",
                    middle(cpu) - middle(reading))
        results.add(f"flame of 1M samples{name}, MB of SVG", size)
    results.save()


main()
