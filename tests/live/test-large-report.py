#!/usr/bin/python3
"""Reports larger than the memory they may take, and what is left of them when
they can not be written.

usage: test-large-report.py WICK
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile

from largeprofile import LargeProfile
from tap import check, end

SAMPLES = 60000  # too few for several threads; twice as many are not
RULE = b"-" * 11 + b"+" + b"-" * 55 + b"\n"


def bytes_of(path):
    with open(path, "rb") as f:
        return f.read()


def report(wick, *args, start=None):
    return subprocess.run([wick, "pprof", *args], check=True,
                          stdout=subprocess.PIPE, preexec_fn=start,
                          stderr=subprocess.DEVNULL).stdout


def start_alone():
    """On one processor, where nobody starts threads."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def order_tests(wick, once, twice):
    """What is written in parts by several equals what one writes."""
    for options in ([], ["-lines"], ["-addresses", "-unit=ms"]):
        one = report(wick, "-traces", *options, once)
        two = report(wick, "-traces", *options, twice)
        head, body = one.split(RULE, 1)
        body = RULE + body[:-len(RULE)]
        check(f"traces {' '.join(options)} of every sample, in order",
              two == head + body + body + RULE, (len(one), len(two)))
    one, two = (report(wick, "-raw", p) for p in (once, twice))
    head, rest = one.split(b"\ncpu/nanoseconds\n", 1)
    body, tail = rest.split(b"Locations\n", 1)
    check("raw of every sample, in order",
          two == head + b"\ncpu/nanoseconds\n" + body + body + b"Locations\n"
          + tail, (len(one), len(two)))


def graph_tests(wick, once, labelled):
    """Nodes with all their calls, written by several and by one."""
    for options in (["-peek=."], ["-peek=f1.*7_", "-addresses", "-unit=ms"],
                    ["-tree", "-trim=false", "-lines"], ["-callgrind"],
                    ["-callgrind", "-call_tree", "-focus=f7._"]):
        one = report(wick, *options, "-output=/dev/stdout", once,
                     start=start_alone)
        several = report(wick, *options, "-output=/dev/stdout", once)
        check(f"{' '.join(options)} does not depend on who writes it",
              several == one and len(one) > 10**7, len(one))
    one, several = (report(wick, "-dot", "-trim=false", labelled, start=start)
                    for start in (start_alone, None))
    check("so it is with the labels of all nodes",
          several == one and one.count(b"box3d") > 3000,
          (len(one), one.count(b"box3d")))


def peak(wick, profile, path):
    """The most memory that traces takes, and how much it writes to path."""
    child = subprocess.Popen([wick, "pprof", "-traces", "-output", path,
                              profile], stderr=subprocess.DEVNULL)
    usage = os.wait4(child.pid, 0)[2]
    child.returncode = 0
    size = os.path.getsize(path)
    os.unlink(path)
    return usage.ru_maxrss * 1024, size


def memory_tests(wick, twice, folder):
    out = os.path.join(folder, "out")
    most, size = peak(wick, twice, out)
    check("a report takes less memory than it is large",
          most < size / 2, (most, size))
    odd = os.path.join(folder, "odd.pb.gz")
    LargeProfile(places=3, depth=50000, name=5000).write(odd, 1)
    most, size = peak(wick, odd, out)
    check("so does a deep stack with long names",
          size > 2 * 10**8 and most < size / 2, (most, size))


def start_small_disk():
    """No file may be larger than 20 MB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20 << 20, 20 << 20))


def failure_tests(wick, twice, folder):
    place = os.path.join(folder, "place")
    out = os.path.join(place, "out")
    os.mkdir(place)
    with open(out, "w") as f:
        f.write("old")
    command = [wick, "pprof", "-traces", "-output", out, twice]
    r = subprocess.run(command, capture_output=True, text=True,
                       preexec_fn=start_small_disk)
    check("a file that can not be written whole is an error",
          r.returncode == 1 and f"cannot write '{out}'" in r.stderr, r)
    check("and the old one stays, alone",
          os.listdir(place) == ["out"] and bytes_of(out) == b"old",
          os.listdir(place))
    child = subprocess.Popen(command, stderr=subprocess.PIPE)
    while b"Generating" not in (child.stderr.readline() or b"Generating"):
        pass
    child.send_signal(signal.SIGINT)
    child.wait()
    child.stderr.close()
    whole = child.returncode == 0
    check("so it does when wick is interrupted",
          os.listdir(place) == ["out"]
          and (bytes_of(out) == b"old") != whole,
          (child.returncode, os.listdir(place)))
    command[4] = "/dev/full"
    r = subprocess.run(command, capture_output=True, text=True)
    check("a full device is an error",
          r.returncode == 1 and "/dev/full" in r.stderr, r)
    command[4] = os.path.join(folder, "nowhere", "out")
    r = subprocess.run(command, capture_output=True, text=True)
    check("so is a folder that is not there",
          r.returncode == 1 and "nowhere" in r.stderr, r)


def output_tests(wick, twice):
    r = subprocess.Popen([wick, "pprof", "-traces", "-ignore=nothing", twice],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = r.stdout.read(1 << 20)
    r.stdout.close()
    r.wait()
    check("remarks come before a large report",
          b"gnore expression matched no samples" in text.split(RULE)[0],
          text[:200])
    check("who reads no further ends it",
          r.returncode in (0, -signal.SIGPIPE), r.returncode)


def main():
    wick = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="wick-large-") as folder:
        once, twice, labelled = (os.path.join(folder, n)
                                 for n in ("once", "twice", "labelled"))
        profile = LargeProfile(places=2000, depth=30)
        profile.write(once, SAMPLES)
        profile.write(twice, SAMPLES, 2)
        LargeProfile(places=500, depth=30, threads=300).write(labelled, 20000)
        # First: what this program takes itself counts for its children.
        memory_tests(wick, twice, folder)
        order_tests(wick, once, twice)
        graph_tests(wick, once, labelled)
        failure_tests(wick, twice, folder)
        output_tests(wick, twice)
    return end()


sys.exit(main())
