#!/usr/bin/python3
"""The HTTP endpoint of a profiled process, asked by real clients.

usage: test-endpoint.py WICK LIBWICK HOST SERVER [FOLDER]

SERVER is the example that mounts the pages itself; screenshots go to FOLDER.
"""
import concurrent.futures
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True  # the source tree stays as it is
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import browser  # noqa: E402
import hostile  # noqa: E402
import tap  # noqa: E402
from tap import check, skip  # noqa: E402

WICK, LIBWICK, HOST, SERVER = map(os.path.abspath, sys.argv[1:5])
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LIMIT = 40  # seconds for one answer, on a machine that is busy


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Host:
    """The program, preloaded, with what its environment says."""

    def __init__(self, **settings):
        self.process = subprocess.Popen(
            [HOST], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "LD_PRELOAD": LIBWICK, **settings})
        self.pid = int(self.process.stdout.readline().split()[1])

    def name_threads(self):
        self.process.stdin.write("name\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self):
        """What it says of itself: {"rounds": ..., "wrong": ...}."""
        self.process.stdin.close()
        words = self.process.stdout.read().split()
        self.process.wait(LIMIT)
        return dict(zip(words[::2], map(int, words[1::2])))


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:300]}"


def get(url, accept="*/*", data=None):
    request = urllib.request.Request(url, data, {"Accept": accept})
    try:
        with urllib.request.urlopen(request, timeout=LIMIT) as r:
            return Answer(r.status, r.headers, r.read())
    except urllib.error.HTTPError as e:
        return Answer(e.code, e.headers, e.read())


def raw(profile):
    """A profile's parts as wick tells them."""
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as f:
        f.write(profile)
        f.flush()
        return subprocess.run([WICK, "pprof", "-raw", f.name], text=True,
                              capture_output=True).stdout


def shares(profile):
    """{function: (flat, cum) of the worker's CPU time}."""
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as f:
        f.write(profile)
        f.flush()
        text = subprocess.run(
            [WICK, "report", "--json", "top", "--all", f.name],
            text=True, capture_output=True)
    if text.returncode:
        return {}
    report = json.loads(text.stdout)
    return {r["name"]: (r["flat"] / report["total"], r["cum"] / report["total"])
            for r in report["rows"]}


def check_go(url):
    go = shutil.which("go")
    if not go:
        return skip("go tool pprof reads it", "no go")
    with tempfile.TemporaryDirectory() as home:
        r = subprocess.run(
            [go, "tool", "pprof", "-top", "-lines",
             url + "/debug/pprof/profile?seconds=2"],
            text=True, capture_output=True, timeout=LIMIT,
            env={**os.environ, "PPROF_TMPDIR": home, "HOME": home})
    rows = re.findall(r"([\d.]+)% +\S+ +\S+ +[\d.]+%  (\S+) \S*"
                      r"endpoint-host\.c:\d+", r.stdout)
    check("go tool pprof: names and lines",
          {"spend_three", "mix_inlined"} <= {name for _, name in rows},
          r.stdout + r.stderr)
    check("go tool pprof: what was inlined is marked",
          "(inline)" in r.stdout and "mix_inlined" in r.stdout, r.stdout)
    return None


def check_shares(url):
    a = get(url + "/debug/pprof/profile?seconds=2&hz=1000")
    check("curl gets gzip'd pprof",
          a.status == 200 and a.body[:2] == b"\x1f\x8b"
          and a.headers["Content-Type"] == "application/octet-stream", a)
    s = shares(a.body)
    three, one = (s.get(n, (0, 0))[1] for n in ("spend_three", "spend_one"))
    check("shares are those that the program knows, within 2 points",
          abs(three - 0.75) < 0.02 and abs(one - 0.25) < 0.02, s)
    text = raw(a.body)
    check("labels tell threads", "thread:[worker]" in text, text[:800])


def worker_nanos(pid):
    """The CPU time of the thread that works, as the kernel counts it."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as f:
            name = f.read().strip()
        if name == "worker":
            with open(f"/proc/{pid}/task/{task}/schedstat") as f:
                return int(f.read().split()[0])
    return 0


def check_two(url, host):
    """Two clients at once, each with its own length and rate."""
    def take(wish):
        before = worker_nanos(host.pid)
        body = get(f"{url}/debug/pprof/profile?{wish}").body
        return body, worker_nanos(host.pid) - before

    wishes = [("seconds=1&hz=200", 1, 200), ("seconds=3&hz=1000", 3, 1000)]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        answers = list(pool.map(take, (w[0] for w in wishes)))
    for (wish, seconds, hz), (body, cpu) in zip(wishes, answers):
        text = raw(body)
        rows = re.findall(r"^\s+(\d+)\s+(\d+): ", text, re.M)
        samples = sum(int(r[0]) for r in rows)
        nanos = sum(int(r[1]) for r in rows)
        took = float(re.search(r"Duration: ([\d.]+)", text)[1])
        check(f"of two at once, {wish} has its own length",
              abs(took - seconds) < 0.9, (took, text[:300]))
        # The kernel's count also has what came before and after.
        check(f"and {wish} the CPU time of that, at its own rate",
              0.3 * cpu < nanos < 1.05 * cpu + 1e7
              and abs(samples / (nanos * hz / 1e9) - 1) < 0.1,
              (nanos, cpu, samples))
        s = shares(body)
        check(f"and {wish} the program's shares",
              abs(s.get("spend_three", (0, 0))[1] - 0.75) < 0.1, s)


def check_forms(url):
    profile = url + "/debug/pprof/profile?seconds=0.5&hz=1000"
    seen = {f: get(f"{profile}&format={f}")
            for f in ("pprof", "svg", "html", "folded", "text")}
    types = {f: a.headers["Content-Type"].split(";")[0]
             for f, a in seen.items()}
    check("each form has its type", types == {
        "pprof": "application/octet-stream", "svg": "image/svg+xml",
        "html": "text/html", "folded": "text/plain", "text": "text/plain"},
        types)
    check("svg is a picture", seen["svg"].body.startswith(b"<?xml")
          and b"spend_three" in seen["svg"].body, seen["svg"])
    check("folded stacks are lines",
          re.search(rb";spend_three \d+$", seen["folded"].body, re.M),
          seen["folded"])
    check("text is a table", re.search(
        rb"flat  flat%.*\n(.*\n)*.*% +spend_three\n", seen["text"].body),
        seen["text"])
    a = get(profile, BROWSER)
    check("a browser gets the page, by the same URL",
          a.headers["Content-Type"].startswith("text/html")
          and b"<script>" in a.body, a)
    check("which allows its own script and no other",
          "script-src 'sha256-" in a.headers["Content-Security-Policy"], a)
    a = get(profile + "&clock=wall&format=folded")
    check("all time has the thread that waits", b"poll" in a.body, a)


def check_mistakes(url):
    for query in ("seconds=-1", "seconds=1e9", "seconds=1000000000",
                  "seconds=0", "seconds=five", "seconds=1&hz=0",
                  "seconds=1&hz=-5", "seconds=1&hz=1000000",
                  "seconds=1&format=doc", "seconds=1&clock=sun",
                  "seconds=%zz", "seconds=1.2.3"):
        a = get(f"{url}/debug/pprof/profile?{query}")
        if (a.status != 400 or a.body.count(b"\n") != 1
                or a.headers["X-Go-Pprof"] != "1"):
            break
    check("mistakes are 400 and one line", a.status == 400
          and a.body.count(b"\n") == 1, (query, a))
    a = get(url + "/debug/pprof/heap")
    check("what is not there is 404, as in Go",
          a.status == 404 and a.body == b"Unknown profile\n", a)
    a = get(url + "/debug/pprof/threads?debug=9")
    check("debug=9 is 400", a.status == 400, a)


def check_others(url, host):
    a = get(url + "/debug/pprof/cmdline")
    check("cmdline", a.body == HOST.encode(), a)
    a = get(url + "/debug/pprof/symbol")
    check("symbol says that there are some", a.body == b"num_symbols: 1\n", a)
    text = raw(get(url + "/debug/pprof/profile?seconds=0.5&hz=1000").body)
    addresses = re.findall(r"^ +\d+: (0x[0-9a-f]+) M=\d+ spend_", text, re.M)
    a = get(url + "/debug/pprof/symbol", data="+".join(addresses).encode())
    b = get(url + "/debug/pprof/symbol?" + "+".join(addresses))
    check("symbol names addresses, of POST and GET alike",
          addresses and b" spend_three\n" in a.body and a.body == b.body,
          (addresses, a, text[:500]))
    a = get(url + "/debug/pprof/threads")
    check("threads are a profile for tools",
          "waiter" in raw(a.body) and a.body[:2] == b"\x1f\x8b", raw(a.body))
    a = get(url + "/debug/pprof/threads?debug=1")
    check("threads, counted", a.body.startswith(b"threads profile: total 3\n")
          and re.search(rb"^1 @ 0x[0-9a-f]+.*\n(#\t.*\n)*#\t.*wait_quietly",
                        a.body, re.M), a)
    a = get(url + "/debug/pprof/threads?debug=2")
    check("threads, each", re.search(
        rb'thread \d+ "waiter":\n(.*\n)*wait_quietly\n\t.*endpoint-host.c:\d+',
        a.body) and str(host.pid).encode() in a.body, a)
    a = get(url + "/debug/pprof/", BROWSER)
    check("the index links to all",
          all(f'href="{p}' in a.body.decode() for p in
              ("profile", "flame", "threads", "cmdline", "symbol")), a)
    a = get(url + "/")
    check("the root leads there", b"<h1>/debug/pprof/</h1>" in a.body, a)


def metrics(url):
    a = get(url + "/metrics").body.decode()
    return {m[1]: float(m[2])
            for m in re.finditer(r"^(wick_\w+) ([\d.]+)$", a, re.M)}


def check_metrics(url):
    text = get(url + "/metrics").body.decode()
    seen = metrics(url)
    check("metrics are Prometheus'", len(seen) >= 15 and all(
        f"# TYPE {n} " in text and f"# HELP {n} " in text for n in seen), text)
    check("samples are counted", seen["wick_samples_total"] > 100, seen)
    s = hostile.Target("127.0.0.1", int(url.rsplit(":", 1)[1]), "/").connect()
    s.sendall(b"GET /debug/pprof/profile?seconds=600 HTTP/1.1\r\n"
              b"Host: localhost:%d\r\n\r\n" % s.getpeername()[1])
    for _ in range(100):
        if metrics(url)["wick_profiles_running"] == 1:
            break
        time.sleep(0.05)
    check("a profile that is being taken shows", metrics(url)[
        "wick_profiles_running"] == 1)
    s.close()
    for _ in range(100):
        if metrics(url)["wick_profiles_running"] == 0:
            break
        time.sleep(0.05)
    seen = metrics(url)
    check("and ends when its client leaves",
          seen["wick_profiles_running"] == 0
          and seen["wick_http_cancelled_total"] == 1
          and seen["wick_sampling_hertz"] == 0, seen)


def answered(crowd, count):
    """Those that have an answer, once so many have; which ones, is chance."""
    end = time.monotonic() + LIMIT
    ready = []
    while len(ready) < count and time.monotonic() < end:
        ready = select.select(crowd, [], [], 1)[0]
        time.sleep(0.05)
    return ready


def check_crowd(url):
    """More profiles than are taken at once; they leave again."""
    port = int(url.rsplit(":", 1)[1])
    target = hostile.Target("127.0.0.1", port, "/metrics")
    crowd = [target.connect() for _ in range(40)]
    for s in crowd:
        s.sendall(target.head(path="/debug/pprof/profile?seconds=600"))
    refused = [hostile.status(s.recv(4096)) for s in answered(crowd, 8)]
    check("of forty profiles at once eight are refused",
          refused == [503] * 8, refused)
    check("and others answered", hostile.alive(target))
    for s in crowd:
        s.close()
    for _ in range(100):
        if metrics(url)["wick_profiles_running"] == 0:
            break
        time.sleep(0.05)
    seen = metrics(url)["wick_profiles_running"]
    check("they are dropped when their clients leave", seen == 0, seen)


def check_leavers(url):
    """Clients that leave while their answer is being made."""
    port = int(url.rsplit(":", 1)[1])
    target = hostile.Target("127.0.0.1", port, "/metrics")
    text = raw(get(url + "/debug/pprof/threads").body)
    body = "+".join(re.findall(r"^ +\d+: (0x[0-9a-f]+) M=", text, re.M) * 200)
    before = metrics(url)["wick_http_cancelled_total"]
    for i in range(60):
        with target.connect() as s:
            s.sendall(target.head("POST", "/debug/pprof/symbol",
                                  fields=f"Content-Length: {len(body)}\r\n")
                      + body.encode())
            time.sleep(i / 10000)
    for _ in range(100):
        if metrics(url)["wick_http_jobs"] == 0:
            break
        time.sleep(0.05)
    seen = metrics(url)
    check("answers that nobody waits for are given up",
          seen["wick_http_jobs"] == 0
          and seen["wick_http_cancelled_total"] > before, seen)


def check_wick(url):
    r = subprocess.run([WICK, "pprof", "-top",
                        url + "/debug/pprof/profile?seconds=0.5&hz=1000"], text=True,
                       capture_output=True, timeout=LIMIT)
    check("wick pprof reads it", "spend_three" in r.stdout, r)


def check_browser(url):
    if not browser.find():
        return skip("a browser shows the flame graph", "no chromium")
    with browser.Browser() as tab:
        page = tab.open(url + "/debug/pprof/profile?seconds=1&hz=1000", 1280, 800)
        page.wait("document.querySelector('.tools input') !== null")
        names = page.run("""[...document.querySelectorAll('.boxes title')]
            .map((t) => t.textContent.split(' (')[0])""")
        check("a browser shows the flame graph",
              {"spend_three", "spend_one", "mix_inlined"} <= set(names), names)
        page.key("/")
        page.type("spend_three")
        page.wait("document.querySelector('.matched').textContent !== ''")
        matched = page.run("document.querySelector('.matched').textContent")
        share = float(re.search(r"([\d.]+)%", matched)[1])
        check("search works", 65 < share < 85, matched)
        page.key("Escape")
        x, y = page.run("""(() => {
            const g = [...document.querySelectorAll('.boxes > g')].find((g) =>
                g.querySelector('title').textContent.startsWith('spend_one '));
            const r = g.querySelector('rect').getBoundingClientRect();
            return [r.left + r.width / 2, r.top + r.height / 2];
        })()""")
        page.click(x, y)
        page.wait("""[...document.querySelectorAll('.boxes > g')].some((g) =>
            g.querySelector('title').textContent.startsWith('spend_one ')
            && g.querySelector('rect').getBoundingClientRect().width > 1200)""")
        check("zoom works", True)
        if len(sys.argv) > 5:
            page.picture(sys.argv[5] + "/endpoint-flame.png")
        svg = tab.open(url + "/debug/pprof/profile?seconds=0.5&hz=1000&format=svg",
                       1280, 800)
        svg.wait("document.querySelector('.tools input') !== null")
        check("an SVG answers too", svg.troubles() == [], svg.troubles())
        index = tab.open(url + "/debug/pprof/", 1280, 800)
        if len(sys.argv) > 5:
            index.picture(sys.argv[5] + "/endpoint-index.png")
        check("nothing goes wrong in the browser",
              [t for t in page.troubles() + index.troubles()
               if "favicon" not in t] == [],
              page.troubles() + index.troubles())
    return None


def check_attack(url, host):
    """All sorts of clients while a profile is being taken."""
    before = fds(host.pid)
    port = int(url.rsplit(":", 1)[1])
    with concurrent.futures.ThreadPoolExecutor() as pool:
        profile = pool.submit(
            get, url + "/debug/pprof/profile?seconds=4&hz=1000")
        hostile.attack(hostile.Target("127.0.0.1", port, "/metrics"))
    s = shares(profile.result().body)
    check("a profile that was taken meanwhile is right",
          abs(s.get("spend_three", (0, 0))[1] - 0.75) < 0.03, s)
    check("no descriptor of the program's was used", fds(host.pid) == before,
          (before, fds(host.pid)))


def fds(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def answers(ask):
    """Waits for a server to begin."""
    for _ in range(200):
        try:
            return ask()
        except OSError:
            time.sleep(0.05)
    return None


def ask_unix(path, request):
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(LIMIT)
        s.connect(path)
        s.sendall(request)
        return hostile.read_all(s)


def check_unix():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/s"
        host = Host(WICK_HTTP="unix:" + path)
        a = answers(lambda: ask_unix(
            path, b"GET /debug/pprof/cmdline HTTP/1.1\r\nHost: x\r\n"
                  b"Connection: close\r\n\r\n"))
        check("a unix socket serves", a and a.endswith(HOST.encode()), a)
        host.end()
        check("and goes with its program", not os.path.exists(path))


def check_token():
    port = free_port()
    host = Host(WICK_HTTP=f"0.0.0.0:{port}")
    time.sleep(0.3)
    try:
        get(f"http://127.0.0.1:{port}/metrics")
        refused = False
    except OSError:
        refused = True
    check("an address for others is refused without a token", refused)
    host.end()
    host = Host(WICK_HTTP=f"0.0.0.0:{port}", WICK_HTTP_TOKEN="open sesame")
    url = f"http://127.0.0.1:{port}"
    seen = [answers(lambda: get(url + p)).status for p in (
        "/metrics", "/metrics?token=open+sesam", "/metrics?token=open+sesame",
        "/t/open%20sesame/debug/pprof/", "/t/other/debug/pprof/")]
    check("with one, it must be told", seen == [401, 401, 200, 200, 401], seen)
    host.end()


def check_example():
    """The example server under load, with the pages mounted in it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([SERVER, "--port", str(port), "--threads", "2"])
    stop = []

    def load():
        while not stop:
            get(url + "/hash?50000")

    answers(lambda: get(url + "/sum?1+2"))
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.submit(load)
        a = get(url + "/debug/pprof/profile?seconds=1&hz=1000")
        page = get(url + "/debug/pprof/profile?seconds=0.3&hz=1000", BROWSER)
        stop.append(True)
    text = raw(a.body)
    check("a server that mounts the pages profiles itself",
          "work_hash" in text and "endpoint:[/hash]" in text, text[:600])
    check("and shows browsers the flame graph", b"work_hash" in page.body
          and page.headers["Content-Type"].startswith("text/html"), page)
    server.terminate()
    server.wait(LIMIT)


def main():
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    host = Host(WICK_HTTP=f"127.0.0.1:{port}")
    check("it listens", answers(lambda: get(url + "/metrics")) is not None)
    # They have been seen before they have their names.
    a = get(url + "/debug/pprof/threads?debug=2")
    check("threads without names have the program's",
          a.body.count(b'"endpoint-host":\n') == 3, a)
    host.name_threads()
    check_two(url, host)
    for attempt in (check_shares, check_forms, check_mistakes, check_metrics,
                    check_go, check_wick, check_crowd, check_leavers,
                    check_browser):
        attempt(url)
    check_others(url, host)
    check_attack(url, host)
    told = host.end()
    check("the program was not disturbed",
          told["wrong"] == told["disturbed"] == 0 and told["rounds"] > 50, told)
    check_unix()
    check_token()
    check_example()
    return tap.end()


sys.exit(main())
