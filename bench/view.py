#!/usr/bin/python3
"""Measure the page of wick view in a real browser on a large profile.

usage: view.py [--rounds N] [--others] WICK VIEW-PROFILE FOLDER

The profile has a million samples over 200,000 random stacks, 60 frames deep,
and is made in FOLDER (kept for the next time).  Measured are: from asking for
the page to the flame graph on the screen; from an action to its repaint; the
size of the saved page and how long it takes to open; the memory of the tab.
With --others, what others do with the same profile as well, which takes
minutes and gigabytes: the flame graph page of "go tool pprof -http", and
speedscope, which npm brings, on a tenth of it and on all of it.  Who can not be
had is named and left out.  Appends to bench/results.csv.
"""
import argparse
import base64
import json
import os
import re
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.request

sys.dont_write_bytecode = True  # the source tree stays as it is
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "live"))
from browser import Browser, Crashed  # noqa: E402
from pprof import Results  # noqa: E402

PAINTED = "window.wick && wick.view && wick.view.canvas && " \
    "wick.view.canvas.painted > 0 && wick.view.canvas.boxes.count > 1"

# Runs in the page: from an action to the first paint that shows it.
MEASURE = """(async (patches) => {
    const out = [];
    const canvas = () => wick.view.canvas;
    const idle = async () => {
        while (wick.busy || wick.client.waiting.size)
            await new Promise((r) => setTimeout(r, 5));
    };
    for (const patch of patches) {
        await idle();
        await new Promise((r) => setTimeout(r, 30));
        const boxes = canvas().boxes;
        const start = performance.now();
        wick.change(patch);
        while (canvas().boxes === boxes)
            await new Promise((r) => setTimeout(r, 0));
        out.push(canvas().paintedAt - start);
    }
    await idle();
    return out;
})"""

SEARCH = """(async (texts) => {
    const out = [];
    for (const text of texts) {
        while (wick.busy || wick.client.waiting.size)
            await new Promise((r) => setTimeout(r, 5));
        const marks = wick.marks;
        const start = performance.now();
        wick.change({search: text}, true);
        while (wick.marks === marks)
            await new Promise((r) => setTimeout(r, 0));
        out.push(wick.view.canvas.paintedAt - start);
    }
    wick.change({search: ''});
    return out;
})"""


def actions(page, rounds):
    """What is measured: a name, and a list of changes that each repaint."""
    extent = page.run("wick.profile.extent")
    heavy = page.run("""(() => { const b = wick.view.canvas.boxes;
        const w = [...b.id.keys()].filter((i) => b.id[i] >= 0)
            .sort((x, y) => b.w[y] - b.w[x]).slice(0, 12);
        return w.map((i) => b.id[i]); })()""")
    zooms = page.run("""(() => { const b = wick.view.canvas.boxes;
        const out = [];
        for (let i = 0; i < b.count && out.length < 12; i++)
            if (b.id[i] >= 0 && b.w[i] < b.total / 2) {
                const path = [];
                for (let at = i; at > 0; at = b.parent[at])
                    path.unshift(b.id[at]);
                out.push(path);
            }
        return out; })()""")
    tenth = extent // 10
    return {
        "zoom": [{"zoom": zooms[i % len(zooms)] if i % 2 == 0 else []}
                 for i in range(rounds)],
        "thread": [{"threads": [i % 16]} for i in range(rounds)]
        + [{"threads": None}],
        "range": [{"range": [(i * 7 % 9) * tenth,
                             (i * 7 % 9 + 1) * tenth + i]}
                  for i in range(rounds)] + [{"range": None}],
        "focus": [{"transforms": [{"op": "focus", "fn": f}]}
                  for f in heavy[:rounds]],
        "drop": [{"transforms": [{"op": "ignore", "fn": f}]}
                 for f in heavy[1:rounds]],
        "hide": [{"transforms": [{"op": "hide", "fn": f}]}
                 for f in heavy[:rounds]],
        "root": [{"transforms": [{"op": "root", "fn": f}]}
                 for f in heavy[:rounds]],
        "bottom up": [{"transforms": [], "reverse": i % 2 == 0, "zoom": []}
                      for i in range(rounds)] + [{"reverse": False}],
    }


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def open_page(browser, url):
    page = browser.open(url, 1280, 800)
    page.wait(PAINTED)
    return page, page.run("wick.view.canvas.paintedAt")


def serve(wick, profile):
    process = subprocess.Popen([wick, "view", "--no-open", profile],
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def measure_served(args, profile, results):
    start = time.monotonic()
    process, url = serve(args.wick, profile)
    ready = time.monotonic() - start
    print(f"wick view is ready after {ready:.2f} s")
    try:
        opens = []
        for _ in range(args.rounds):
            with Browser() as browser:
                opens.append(open_page(browser, url)[1])
        print("flame graph on screen, ms:", [round(o) for o in opens])
        results.add("view of 1M samples, flame graph on screen, ms",
                    statistics.median(opens))
        with Browser() as browser:
            measure_actions(browser, url, args.actions, results)
    finally:
        process.terminate()
        process.wait()


def measure_actions(browser, url, rounds, results):
    page, _ = open_page(browser, url)
    everything = []
    for name, patches in actions(page, rounds).items():
        page.run(f"({MEASURE})({json.dumps(patches[:2])})")  # compiled once
        page.run("wick.change({transforms: [], threads: null, range: null, "
                 "zoom: []}).then(() => 0)")
        ms = page.run(f"({MEASURE})({json.dumps(patches)})")
        everything += ms
        report(name, ms, results)
    words = [f"handler{i}" for i in range(1, rounds + 1)]
    ms = page.run(f"({SEARCH})({json.dumps(words)})")
    everything += ms
    report("search", ms, results)
    report("everything", everything, results)
    peak = renderer_peak(browser)
    print(f"the tab's memory at its peak: {peak:.0f} MB")
    results.add("view of 1M samples, peak memory of the tab, MB", peak)


def status(pid, field):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(rf"^{field}:\s+(\d+)", f.read(), re.M)[1])


def renderer_peak(browser):
    """The largest resident size that a process of a tab has had, in MB."""
    most = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                renders = b"--type=renderer" in f.read()
            above = pid
            while renders and int(above) not in (0, 1, browser.process.pid):
                above = status(above, "PPid")
            if renders and above == browser.process.pid:
                most = max(most, status(pid, "VmHWM") / 1024)
        except (OSError, TypeError):
            continue
    return most


def report(name, ms, results):
    middle = statistics.median(ms)
    high = percentile(ms, 0.95)
    print(f"{name}: median {middle:.1f}, 95th percentile {high:.1f}, "
          f"worst {max(ms):.1f} ms of {len(ms)}")
    results.add(f"view of 1M samples, repaint after {name}, median ms", middle)
    results.add(f"view of 1M samples, repaint after {name}, 95% ms", high)


def measure_saved(args, profile, results):
    path = os.path.join(args.folder, "saved.html")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([args.wick, "view", "--save=" + path, profile], check=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    size = os.path.getsize(path) / 1e6
    opens = []
    for _ in range(args.rounds):
        with Browser() as browser:
            opens.append(open_page(browser, "file://" + path)[1])
    print(f"saved page: {size:.2f} MB, written in {spent:.2f} CPU s; "
          f"interactive after {[round(o) for o in opens]} ms")
    results.add("saved page of 1M samples, MB", size)
    results.add("saved page of 1M samples, interactive, ms",
                statistics.median(opens))


def as_pprof(args, profile):
    pb = profile.replace(".wick", ".pb.gz")
    if not os.path.exists(pb):
        subprocess.run([args.wick, "convert", profile, pb], check=True)
    return pb


def family_peak(pid):
    """The largest peak of a process and those that it started, in MB."""
    most = status(pid, "VmHWM") / 1024
    for child in filter(str.isdigit, os.listdir("/proc")):
        try:
            if status(child, "PPid") == pid:
                most = max(most, family_peak(int(child)))
        except (OSError, TypeError):
            continue
    return most


def measure_pprof(args, profile, results):
    """The flame graph page of Go's pprof: how long, how large."""
    if not shutil.which("go"):
        print("go tool pprof: there is no go, so it is left out")
        return
    start = time.monotonic()
    process = subprocess.Popen(
        ["go", "tool", "pprof", "-no_browser", "-http=localhost:",
         as_pprof(args, profile)], stderr=subprocess.PIPE, text=True,
        start_new_session=True)
    try:
        port = None
        for line in process.stderr:
            found = re.search(r"http://localhost:(\d+)", line)
            if found:
                port = found[1]
                break
        ready = time.monotonic()
        with urllib.request.urlopen(
                f"http://localhost:{port}/flamegraph", timeout=1800) as r:
            size = len(r.read())
        took = time.monotonic() - ready
        peak = family_peak(process.pid)
        print(f"go tool pprof: listens after {ready - start:.1f} s, flame "
              f"graph {took:.1f} s later, {size / 1e6:.0f} MB of page, "
              f"{peak:.0f} MB of memory")
        results.add("go tool pprof of 1M samples, flame graph page, s", took)
        results.add("go tool pprof of 1M samples, peak memory, MB", peak)
    finally:
        # Its child, which is the server, would live on.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def find_speedscope(folder):
    """Its page, fetched once where there is npm and a network; or None."""
    home = os.path.join(folder, "speedscope")
    page = os.path.join(home, "node_modules", "speedscope", "dist", "release",
                        "index.html")
    if not os.path.exists(page) and shutil.which("npm"):
        os.makedirs(home, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--silent", "--prefix", home,
                            "speedscope@1"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=120)
        except subprocess.TimeoutExpired:
            print("npm does not answer")
    return os.path.abspath(page) if os.path.exists(page) else None


# The buttons of its views are there once a profile is.
SPEEDSCOPE_SHOWS = "/Sandwich/.test(document.body.innerText) && " \
    "performance.now()"


def is_blank(tab, path):
    """Whether nothing but a ruler is drawn, some time after it should be."""
    time.sleep(5)
    tab.picture(path)
    return os.path.getsize(path) < 20000


def open_speedscope(page, pb, patience):
    """Seconds until speedscope shows a profile and memory in MB; or why not."""
    script = pb + ".js"
    with open(pb, "rb") as f:
        text = base64.b64encode(f.read()).decode()
    with open(script, "w") as f:
        f.write("speedscope.loadFileFromBase64("
                f"{json.dumps(os.path.basename(pb))}, {json.dumps(text)})")
    # It draws with WebGL alone; without a GPU that is emulated.
    with Browser("--use-angle=swiftshader", "--enable-unsafe-swiftshader",
                 "--ignore-gpu-blocklist") as browser:
        try:
            tab = browser.open("file://" + page + "#localProfilePath=" +
                               os.path.abspath(script), 1280, 800)
            end = time.monotonic() + patience
            while time.monotonic() < end:
                shown = tab.run(SPEEDSCOPE_SHOWS)
                if shown and is_blank(tab, script + ".png"):
                    return f"an empty picture after {shown / 1000:.1f} s"
                if shown:
                    return shown / 1000, renderer_peak(browser)
                time.sleep(0.05)
            return f"nothing after {patience} s"
        except (Crashed, RuntimeError) as error:
            return f"{error} ({renderer_peak(browser):.0f} MB at the end)"


def measure_speedscope(args, profile, results):
    page = find_speedscope(args.folder)
    if not page:
        print("speedscope: npm does not bring it, so it is left out")
        return
    tenth = os.path.join(args.folder, "tenth.wick")
    if not os.path.exists(tenth):
        subprocess.run([args.maker, "100000", "20000", "60", tenth],
                       check=True)
    for what, path in (("100k", tenth), ("1M", profile)):
        got = open_speedscope(page, as_pprof(args, path), 600)
        if isinstance(got, str):
            print(f"speedscope of {what} samples: {got}")
            continue
        print(f"speedscope of {what} samples: {got[0]:.1f} s, "
              f"{got[1]:.0f} MB of memory")
        results.add(f"speedscope of {what} samples, shown, s", got[0])
        results.add(f"speedscope of {what} samples, peak memory of the tab, "
                    "MB", got[1])
    measure_tenth(args, tenth, results)


def measure_tenth(args, profile, results):
    """wick view of the same tenth, for comparison."""
    process, url = serve(args.wick, profile)
    try:
        with Browser() as browser:
            shown = open_page(browser, url)[1]
            peak = renderer_peak(browser)
        print(f"wick view of 100k samples: {shown / 1000:.2f} s, "
              f"{peak:.0f} MB of memory")
        results.add("view of 100k samples, flame graph on screen, ms", shown)
        results.add("view of 100k samples, peak memory of the tab, MB", peak)
    finally:
        process.terminate()
        process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--actions", type=int, default=12)
    parser.add_argument("--others", action="store_true")
    parser.add_argument("wick")
    parser.add_argument("maker")
    parser.add_argument("folder")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    profile = os.path.join(args.folder, "large.wick")
    if not os.path.exists(profile):
        subprocess.run([args.maker, "1000000", "200000", "60", profile],
                       check=True)
    results = Results()
    measure_served(args, profile, results)
    measure_saved(args, profile, results)
    if args.others:
        measure_speedscope(args, profile, results)
        measure_pprof(args, profile, results)
    results.save()


main()
