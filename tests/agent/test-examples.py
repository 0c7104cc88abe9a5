#!/usr/bin/python3
"""The examples that link libwick.a do what their README says.

usage: test-examples.py WICK SERVER EXAMPLES LIBRARIES
"""
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import tap

WICK, SERVER, EXAMPLES, LIBRARIES = [os.path.abspath(p) for p in sys.argv[1:]]


def report(path, *options):
    return subprocess.run([WICK, "pprof", *options, path], text=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT).stdout


def connect(port):
    for _ in range(100):
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    return http.client.HTTPConnection("127.0.0.1", port, timeout=30)


def get(connection, path):
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read()


def test_server(folder):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    with open(os.path.join(folder, "page"), "wb") as f:
        f.write(b"x" * 100000)
    with subprocess.Popen([SERVER, "--port", str(port), "--cpu-profiling",
                           "--files", folder], cwd=folder) as p:
        c = connect(port)
        seen = [get(c, "/sum?1+20+300"), get(c, "/count?a"),
                get(c, "/count?a"), get(c, "/nothing")[0],
                get(c, "/file?page")[1] == b"x" * 100000,
                get(c, "/file?../secret")[0]]
        for _ in range(20):
            get(c, "/hash?20000")
        c.close()
        p.terminate()
        status = p.wait(60)
    tap.check("the server answers", seen ==
              [(200, b"321"), (200, b"1"), (200, b"2"), 404, True, 404], seen)
    path = os.path.join(folder, "cpu.pprof")
    top, tags = report(path, "-top"), report(path, "-tags")
    tap.check("it leaves cpu.pprof when it is told to end",
              status == 0 and "hash_text" in top and
              re.search(r"server-work\.c:\d+", report(path, "-top", "-lines")),
              (status, top[:500]))
    tap.check("samples carry the request's path",
              re.search(r"\d+%\): /hash", tags), tags[:500])


def costs(port):
    """CPU time of each kind of work, by the server's own clock."""
    text = get(connect(port), "/cost")[1].decode()
    return {path: int(ns) for path, ns in
            re.findall(r"^/(\w+) (\d+) ns$", text, re.M)}


def ask_on(port, path, stop):
    c = connect(port)
    while not stop.is_set():
        get(c, path)


def test_known(folder):
    """Its shares are those that it has measured itself."""
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    stop = threading.Event()
    paths = ["/hash?300", "/sum?" + "+".join(map(str, range(190)))]
    clients = [threading.Thread(target=ask_on, args=(port, p, stop))
               for p in paths]
    path = os.path.join(folder, "profile")
    with subprocess.Popen([SERVER, "--port", str(port)], cwd=folder) as p:
        connect(port)
        for c in clients:
            c.start()
        before = costs(port)
        with open(path, "wb") as f:
            f.write(get(connect(port), "/debug/pprof/profile"
                        "?seconds=3&hz=1000")[1])
        after = costs(port)
        stop.set()
        for c in clients:
            c.join()
        p.terminate()
        p.wait(60)
    spent = {k: after[k] - before[k] for k in ("hash", "sum")}
    top = report(path, "-top", "-cum", "-unit=ns", "-nodefraction=0",
                 "-nodecount=0")
    found = {k: re.search(rf" ([\d.]+)ns +[\d.]+%  work_{k}\b", top)
             for k in spent}
    seen = {k: float(f[1]) if f else 0 for k, f in found.items()}
    off = {k: seen[k] / sum(seen.values()) - spent[k] / sum(spent.values())
           for k in spent}
    # 2 points, and what chance makes of some 2,000 samples.
    tap.check("its profile has the shares that it knows",
              max(map(abs, off.values())) < 0.05, (off, spent, seen))


def test_rust(folder):
    if not shutil.which("rustc"):
        tap.skip("a program in Rust", "no rustc")
        return
    r = subprocess.run(["rustc", "-g", "-O", os.path.join(EXAMPLES,
                                                          "profiled.rs"),
                        "-L", LIBRARIES, "-l", "static=wick"], cwd=folder,
                       text=True, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    tap.check("a program in Rust is built", r.returncode == 0, r.stdout[-500:])
    if r.returncode:
        return
    path = os.path.join(folder, "rust.pprof")
    subprocess.run([os.path.join(folder, "profiled"), path], check=True,
                   stdout=subprocess.DEVNULL, timeout=60)
    top, tags = report(path, "-top"), report(path, "-tags")
    tap.check("its threads have names and labels",
              "profiled::collatz" in top and "): words" in tags,
              (top[:500], tags[:500]))


def main():
    for test in (test_server, test_known, test_rust):
        with tempfile.TemporaryDirectory(prefix="wick-example-") as folder:
            test(folder)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
