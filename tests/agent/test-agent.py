#!/usr/bin/python3
"""Run programs that are hard on a profiler inside them, with one inside.

usage: test-agent.py WICK LIBWICK NASTY NASTY-STATIC THROWS LIBRARY CHECKED
                     [NAME...]

Each is run at 1000 samples a second, with a watchdog; it must do what it does
without, and leave a profile that can be read.  The numbers are those of
docs/design/signals.md.
"""
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import tap

WICK, LIBWICK, NASTY, STATIC, THROWS, LIBRARY, CHECKED = [
    os.path.abspath(p) for p in sys.argv[1:8]]
ONLY = sys.argv[8:]
WATCHDOG = 60


class Run:
    """A program with the agent in it, and what became of it."""

    def __init__(self, folder, *command, hz=1000, preload=LIBWICK, user=None,
                 **settings):
        self.profile = os.path.join(folder, "profile")
        environment = dict(os.environ, CPUPROFILE=self.profile,
                           CPUPROFILE_FREQUENCY=str(hz))
        environment.update(settings)
        if preload:
            environment["LD_PRELOAD"] = preload
        try:
            r = subprocess.run(command, env=environment, timeout=WATCHDOG,
                               user=user,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.status = r.returncode
            self.out = r.stdout.decode(errors="replace")
            self.err = r.stderr.decode(errors="replace")
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = "hangs", "", ""

    def report(self, *options, path=None):
        r = subprocess.run([WICK, "pprof", *options, path or self.profile],
                           text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT)
        return r.stdout if r.returncode == 0 else ""

    def total(self):
        """Milliseconds in the profile; None: there is none."""
        found = re.search(r"Total samples = ([\d.]+)(s|ms|us|mins)?",
                          self.report("-top"))
        if not found:
            return None
        unit = {"s": 1e3, "ms": 1, "us": 1e-3, "mins": 6e4, None: 1}
        return float(found[1]) * unit[found[2]]

    def seen(self):
        return (self.status, self.out[-300:], self.err[-300:], self.total())

    def is_well(self):
        return self.status == 0 and self.out.endswith("done\n")


def libraries(folder):
    """Twenty files with the same library: each is another one."""
    paths = []
    for i in range(20):
        paths.append(os.path.join(folder, f"library{i}.so"))
        shutil.copy(LIBRARY, paths[-1])
    return paths


# Those of which the two kinds of clocks may make something different.
BOTH = {"loader", "takes-signal", "keeps-errno", "small-stack", "coroutines",
        "forking", "waiting", "many-threads", "blocks-all"}

# Number, program, what else it needs.  All leave a profile.
PLAIN = [
    ("R1", "loader", libraries),
    ("R2", "registered", None),
    ("R6", "takes-signal", None),
    ("R6", "swaps-handlers", None),
    ("R6", "others-signals", None),
    ("R7", "keeps-errno", None),
    ("R8", "small-stack", None),
    ("R9", "bad-tables", None),
    ("R10", "wild-frames", None),
    ("R11", "coroutines", None),
    ("R12", "faulting", None),
    ("R13", "churn", libraries),
    ("R13", "vanishing", None),
    ("R13", "flickering", None),
    ("R13", "truncating", libraries),
    ("R14", "first-acts", libraries),
    ("R20", "forking", None),
    ("R22", "large-fork", None),
    ("R23", "waiting", None),
    ("R25", "spawning", None),
    ("R26", "jumps", None),
    ("R28", "within-handler", None),
    ("R32", "many-threads", None),
    ("R33", "crowd", None),
    ("deep", "depths", None),
    ("masks", "blocks-all", None),
    ("masks", "blocks-early", None),
    ("labels", "labelled", None),
    ("seccomp", "sandboxed", None),
    ("fds", "closes-all", None),
    ("setuid", "changes-user", None),
]


def wanted(name):
    return not ONLY or name in ONLY


def test_plain(folder):
    for number, name, extra in PLAIN:
        if not wanted(name):
            continue
        for engine in ("perf", "timers") if name in BOTH else ("perf",):
            with tempfile.TemporaryDirectory(dir=folder) as place:
                os.chmod(place, 0o777)
                more = extra(place) if extra else []
                hz = 10000 if name == "large-fork" else 1000
                r = Run(place, NASTY, name, *more, hz=hz, WICK_ENGINE=engine)
                tap.check(f"{number} {name}, {engine}",
                          r.is_well() and r.total() is not None, r.seen())


def read_milliseconds(text):
    unit = {"s": 1e3, "ms": 1, "us": 1e-3, "mins": 6e4}
    found = re.fullmatch(r"([\d.]+)(s|ms|us|mins)", text)
    return float(found[1]) * unit[found[2]]


def thread_times(report):
    """From pprof's tags: milliseconds by thread number."""
    part = re.search(r"^ *tid: .*?(?=^\s*$|\Z)", report, re.M | re.S)
    if not part:
        return {}
    rows = re.findall(r"^\s+([\d.]+\w+) \([^)]*\): (\d+)", part[0], re.M)
    return {tid: read_milliseconds(value) for value, tid in rows}


def threads_used(out):
    """What a program says: CPU milliseconds by thread, least and most."""
    rows = re.findall(r"thread (\d+) (\d+) (\d+)", out)
    return {tid: (int(least) / 1e6, int(most) / 1e6)
            for tid, least, most in rows}


def excess(seen, least, most, chance):
    """By what part of it a time is off, beyond what is chance."""
    off = max(least - seen, seen - most, 0)
    return max(off - chance, 0) / least


def test_shares(folder):
    """Each thread's samples are its CPU time, as its own clock says."""
    path = os.path.join(folder, "shares")
    for program, count, hz in [(NASTY, 1, 1000), (NASTY, 4, 1000),
                               (NASTY, 64, 1000), (NASTY, 4, 100),
                               (STATIC, 4, 1000)]:
        # With the library linked, threads are there when it starts.
        linked = program == STATIC
        settings = {"CPUPROFILE": ""} if linked else {}
        more = [path] if linked else []
        r = Run(folder, program, "shares", str(count), *more, hz=hz,
                preload=None if linked else LIBWICK, **settings)
        seen = thread_times(r.report("-tags", "-unit=ms", path=path
                                     if linked else None))
        used = threads_used(r.out)
        # The first thread only waits; a period more or less is chance.
        worst = max(excess(seen.get(tid, 0), *used[tid], 1000 / hz)
                    for tid in list(used)[:-1])
        total = [sum(column) for column in zip(*used.values())]
        tap.check(f"{count} threads, {hz} Hz{', linked' * linked}: "
                  "shares within 2 %", r.status == 0 and worst < 0.02,
                  (worst, r.out, seen))
        tap.check(f"{count} threads, {hz} Hz{', linked' * linked}: "
                  "the total is what the process used, within 2 %",
                  excess(sum(seen.values()), *total, 1000 / hz * count)
                  < 0.02, (sum(seen.values()), total))


def test_brief_labels(folder):
    """Linked, nobody tells of new threads; but one that has a label does."""
    path = os.path.join(folder, "brief")
    r = Run(folder, STATIC, "brief-labels", path, preload=None, CPUPROFILE="")
    found = re.search(r"([\d.]+\w+) \([^)]*\): brief",
                      r.report("-tags", "-unit=ms", path=path))
    seen = read_milliseconds(found[1]) if found else 0
    used = re.search(r"used (\d+)", r.out)
    tap.check("threads of 10 ms are seen where they have labels",
              r.is_well() and seen > 0.75 * int(used[1]) / 1e6,
              (r.seen(), seen))


def test_unprivileged(folder):
    """Where perf events are refused, timers count the same time."""
    if os.geteuid():
        tap.skip("without rights", "already without")
        return
    lists = []
    for source in (LIBWICK, NASTY):
        lists.append(shutil.copy(source, folder))
        os.chmod(lists[-1], 0o755)
    r = Run(folder, lists[1], "shares", "4", preload=lists[0], user=65534)
    seen = thread_times(r.report("-tags", "-unit=ms"))
    total = [sum(column) for column in zip(*threads_used(r.out).values())]
    tap.check("without rights, the total is what threads' clocks say",
              r.status == 0 and "POSIX timers" in r.report("-top")
              and total and excess(sum(seen.values()), *total, 4) < 0.02,
              (r.seen(), seen))


def test_overlap(folder):
    """Two profiles at once: each has its own rate, and all of its time."""
    paths = {n: os.path.join(folder, n) for n in ("long", "short")}
    r = Run(folder, STATIC, "overlap", paths["long"], paths["short"],
            preload=None, CPUPROFILE="")
    for name, hz in (("long", 100), ("short", 1000)):
        top = r.report("-top", "-unit=ms", path=paths[name])
        total = re.search(r"Total samples = ([\d.]+m?s)", top)
        wanted = re.search(name + r" (\d+)", r.out)
        seen = read_milliseconds(total[1]) if total else 0
        # While the short one is made, the thread works on.
        low = int(wanted[1]) / 1e6 * (0.98 if name == "long" else 0.5)
        tap.check(f"of two profiles at once, the {name} one is right",
                  r.is_well() and f"wick: {hz} Hz" in top and
                  low - 1000 / hz <= seen <= int(wanted[1]) / 1e6 * 1.02
                  + 1000 / hz, (seen, r.out, top[:300]))


def wait_for(path):
    for _ in range(200):
        if os.path.exists(path):
            return True
        time.sleep(0.05)
    return False


def test_signal(folder):
    """CPUPROFILESIGNAL: each signal starts a profile or ends it."""
    path = os.path.join(folder, "profile")
    environment = dict(os.environ, LD_PRELOAD=LIBWICK, CPUPROFILE=path,
                       CPUPROFILESIGNAL="12")
    script = "while :; do i=$((i+1)); done"
    with subprocess.Popen(["bash", "-c", script], env=environment) as p:
        time.sleep(0.5)
        before = os.listdir(folder)
        seen = []
        for number in range(2):
            p.send_signal(12)
            time.sleep(0.7)
            p.send_signal(12)
            seen.append(wait_for(f"{path}.{number}"))
        alive = p.poll() is None
        p.terminate()
    report = Run.report(None, "-top", path=f"{path}.1")
    tap.check("CPUPROFILESIGNAL makes numbered files",
              alive and not before and seen == [True, True]
              and sorted(os.listdir(folder)) == ["profile.0", "profile.1"]
              and "execute_command" in report,
              (alive, before, seen, os.listdir(folder), report[:500]))


def test_formats(folder):
    r = Run(folder, NASTY, "jumps", WICK_FORMAT="gperftools")
    with open(r.profile, "rb") as f:
        head = struct.unpack("5Q", f.read(40))
    tap.check("WICK_FORMAT=gperftools", head == (0, 3, 0, 1000, 0)
              and "burn" in r.report("-top", path=None), (head, r.seen()))
    r = Run(folder, sys.executable, "-c", "import time; time.sleep(0.6)",
            hz=100, CPUPROFILE_REALTIME="1")
    top = r.report("-top", "-unit=ms")
    slept = re.search(r"^ *(\d+)ms .*nanosleep", top, re.M)
    tap.check("CPUPROFILE_REALTIME counts time that is slept",
              "Type: wall" in top and slept and 550 < int(slept[1]) < 700,
              (r.seen(), top[:1000]))


def test_exceptions(folder):
    r = Run(folder, THROWS, "200000")
    tap.check("R1, R26 exceptions", r.is_well() and "caught 200000" in r.out
              and "_Unwind" in r.report("-top", "-nodecount=500"), r.seen())


def test_sanitized(folder):
    # Long enough for its threads to be noticed where processors are busy.
    r = Run(folder, CHECKED, "200000", preload=None)
    tap.check("a host that was built with sanitizers",
              r.is_well() and r.total(), r.seen())


def test_api(folder):
    """With the library linked, not preloaded."""
    for number, name, *more in [("R4, R5", "start-stop", "1000"),
                                ("R4, R5", "start-stop", "1000", "plain"),
                                ("R30", "heap-held"), ("R31", "memory")]:
        r = Run(folder, STATIC, name, *more, preload=None, CPUPROFILE="")
        tap.check(" ".join([number, name, *more]), r.is_well(), r.seen())


def test_stacks(folder):
    """R28: stacks go on beyond the handler of another signal."""
    r = Run(folder, NASTY, "within-handler")
    traces = r.report("-traces")
    whole = [t for t in traces.split("-----------+")
             if "in_handler" in t and "main" in t and "raise" in t]
    tap.check("R28 a stack crosses a handler", whole, traces[:2000])


def test_masks(folder):
    """Threads that block all signals are seen, too."""
    r = Run(folder, NASTY, "blocks-early")
    tap.check("threads that block all signals are sampled",
              r.is_well() and "burns" in r.report("-top")
              and "not here" not in r.report("-comments"), r.seen())


def test_ends(folder):
    """R29, R34: statuses stay what they were; what can be written is."""
    cases = [("exit", 0, True), ("thread", 0, True), ("_exit", 5, False),
             ("quick_exit", 6, False), ("abort", -signal.SIGABRT, False),
             ("crash", -signal.SIGSEGV, False)]
    for how, status, written in cases:
        with tempfile.TemporaryDirectory(dir=folder) as place:
            r = Run(place, NASTY, "ending", how)
            tap.check(f"R29, R34 ends by {how}",
                      r.status == status
                      and (r.total() is not None) == written, r.seen())


def test_exec(folder):
    for turn in range(5):
        r = Run(folder, NASTY, "execs", hz=10000)
        if r.status != 0 or r.out != "done\n":
            break
    tap.check("R24 another program takes its place",
              r.status == 0 and r.out == "done\n", r.seen())


def test_family(folder):
    """R21: forked children write nothing, those run anew their own file."""
    r = Run(folder, NASTY, "family")
    tap.check("R21 forked children leave the parent's file alone",
              r.is_well() and r.total() and os.listdir(folder) == ["profile"],
              (r.seen(), os.listdir(folder)))
    os.unlink(r.profile)
    r = Run(folder, "sh", "-c", f"{NASTY} jumps; {NASTY} jumps")
    # The shell, which was first, ends without exit(): it leaves none.
    names = sorted(os.listdir(folder))
    tap.check("R21 programs that are run have their own files",
              r.status == 0 and len(names) == 2
              and all(re.fullmatch(r"profile_\d+", n) for n in names),
              (r.seen(), names))


def test_tools(folder):
    """R16, R35: programs that are sensitive to what is preloaded."""
    commands = [["bash", "-c", "for i in 1 2 3; do echo $(echo $i); done"],
                ["ldd", NASTY],
                [sys.executable, "-c", "print(sum(range(10**6)))"],
                ["perl", "-e", "print 6*7"]]
    for command in commands:
        plain = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        r = Run(folder, *command)
        same = re.sub(r"0x[0-9a-f]+", "", r.out)
        if command[0] == "ldd":
            same = "".join(line + "\n" for line in same.splitlines()
                           if "libwick" not in line)
        wanted_text = re.sub(r"0x[0-9a-f]+", "", plain.stdout)
        tap.check(f"R16 {os.path.basename(command[0])}",
                  r.status == plain.returncode and same == wanted_text,
                  r.seen())


def test_musl(folder):
    """R35: a program of another libc, without a loader, is not touched."""
    if not shutil.which("musl-gcc"):
        tap.skip("R35 a static program of musl", "no musl-gcc")
        return
    source = os.path.join(folder, "m.c")
    program = os.path.join(folder, "m")
    with open(source, "w") as f:
        f.write('#include <stdio.h>\nint main(void) { puts("done"); }\n')
    subprocess.run(["musl-gcc", "-static", source, "-o", program], check=True)
    r = Run(folder, program)
    tap.check("R35 a static program of musl",
              r.is_well() and not os.path.exists(r.profile), r.seen())


def test_allocators(folder):
    """R19: other allocators, which start up in their own way."""
    found = False
    for name in ("libjemalloc.so.2", "libtcmalloc.so.4"):
        path = f"/usr/lib/x86_64-linux-gnu/{name}"
        if not os.path.exists(path):
            continue
        found = True
        for order in (f"{LIBWICK} {path}", f"{path} {LIBWICK}"):
            settings = {"MALLOC_CONF": "prof:true,prof_active:true"}
            r = Run(folder, THROWS, "20000", preload=order, **settings)
            place = "behind" if order.index(path) else "first"
            tap.check(f"R19 {name}, {place}",
                      r.is_well() and r.total(), r.seen())
    if not found:
        tap.skip("R19 other allocators", "none is installed")


def test_late(folder):
    """R15: loaded when the program has long begun."""
    script = f"""
import ctypes
before = [ctypes.CDLL(p) for p in {libraries(folder)!r}]
wick = ctypes.CDLL({LIBWICK!r})
assert wick.ProfilerStart({os.path.join(folder, 'late').encode()!r}) == 1
sum(i * i for i in range(10**6))
wick.ProfilerStop()
"""
    r = Run(folder, sys.executable, "-c", script, preload=None,
            CPUPROFILE="")
    tap.check("R15 loaded late", r.status == 0 and "PyEval" in
              r.report("-top", "-nodecount=500",
                       path=os.path.join(folder, "late")), r.seen())


def test_own_threads(folder):
    """The agent's threads block all signals but libc's two."""
    script = """
import os
for tid in os.listdir('/proc/self/task'):
    name = open(f'/proc/self/task/{tid}/comm').read().strip()
    text = open(f'/proc/self/task/{tid}/status').read()
    mask = int(text.split('SigBlk:')[1].split()[0], 16)
    if name.startswith('wick-'):
        print(name, hex(mask | 1 << 8 | 1 << 18),
              os.listdir(f'/proc/self/task/{tid}/fd'))
"""
    r = Run(folder, sys.executable, "-c", script)
    tap.check("the agent's threads block all signals, and hold no files",
              re.fullmatch(r"(wick-\w+ 0xfffffffe7fffffff \[[^\]]*\]\n)+",
                           r.out) and "'0', '1', '2'" in r.out, r.seen())


def test_nothing(folder):
    """Off: no thread, no signal, no timer."""
    environment = {k: v for k, v in os.environ.items() if k != "CPUPROFILE"}
    environment["LD_PRELOAD"] = LIBWICK
    out = subprocess.run(
        [sys.executable, "-c", "print(open('/proc/self/status').read());"
         "print('timers', open('/proc/self/timers').read())"],
        env=environment, text=True, stdout=subprocess.PIPE).stdout
    plain = subprocess.run(
        [sys.executable, "-c", "print(open('/proc/self/status').read())"],
        text=True, stdout=subprocess.PIPE).stdout
    caught = re.search(r"SigCgt:\s*(\w+)", out)[1]
    tap.check("where nothing is asked for, nothing is done",
              "Threads:\t1\n" in out and out.rstrip().endswith("timers")
              and caught == re.search(r"SigCgt:\s*(\w+)", plain)[1], out)


TESTS = [test_plain, test_shares, test_brief_labels, test_unprivileged,
         test_overlap, test_signal, test_formats,
         test_exceptions, test_sanitized, test_api, test_stacks, test_masks,
         test_ends,
         test_exec, test_family, test_tools, test_musl, test_allocators,
         test_late, test_own_threads, test_nothing]


def main():
    for test in TESTS:
        if test is not test_plain and not wanted(test.__name__):
            continue
        with tempfile.TemporaryDirectory(prefix="wick-agent-") as folder:
            os.chmod(folder, 0o777)
            test(folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
