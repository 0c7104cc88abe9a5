#!/usr/bin/python3
"""The server behind wick view: what it gives, and what it refuses.

usage: test-serve.py WICK
"""
import base64
import gzip
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import tap  # noqa: E402
from pprofile import Profile  # noqa: E402

WICK = os.path.abspath(sys.argv[1])
DATA = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "data"))
PROFILE = os.path.join(DATA, "server.pb.gz")


class Server:
    """wick view, or wick pprof -http, and the address that it printed."""

    def __init__(self, *command, cwd=None):
        env = {k: v for k, v in os.environ.items()
               if k not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
        self.process = subprocess.Popen(
            [WICK, *command], cwd=cwd, env=env, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self.url = self.process.stdout.readline().strip()
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/.*)$", self.url)
        self.port = int(found[1]) if found else 0
        self.base = found[2] if found else ""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def ask(self, path, host=None, fields=(), method="GET"):
        """(status, head, body) of one request."""
        with socket.create_connection(("127.0.0.1", self.port), 20) as s:
            lines = [f"{method} {path} HTTP/1.1",
                     f"Host: {host or f'127.0.0.1:{self.port}'}",
                     "Connection: close", *fields, "", ""]
            s.sendall("\r\n".join(lines).encode())
            whole = b""
            while part := s.recv(1 << 16):
                whole += part
        head, _, body = whole.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(), body

    def get(self, path, **more):
        return self.ask(self.base + path, **more)


def check_page(s):
    status, head, body = s.get("")
    tap.check("the page comes", status == 200 and b"view.js" in body, head)
    policy = re.search(r"Content-Security-Policy: (.*)", head)[1]
    tap.check("with a policy that lets only its own scripts run",
              "script-src 'self'" in policy and "unsafe" not in policy and
              "default-src 'none'" in policy, policy)
    tap.check("and no script in it",
              not re.search(rb"<script(?![^>]*src=)", body) and
              b"style=" not in body and b"onclick" not in body)
    for name, kind in (("view.js", "javascript"), ("worker.js", "javascript"),
                       ("view.css", "css"), ("profiles.json", "json"),
                       ("data/0", "octet")):
        status, head, body = s.get(name)
        tap.check(f"{name} comes", status == 200 and kind in head and body,
                  head)
    tap.check("HEAD has no body", s.get("data/0", method="HEAD")[2] == b"")


def check_refused(s):
    tap.check("the address has 128 bits that nobody guesses",
              re.fullmatch(r"/t/[0-9a-f]{32}/", s.base), s.base)
    for what, status, args in (
            ("no token", 401, {"path": "/"}),
            ("a wrong token", 401, {"path": "/t/" + "0" * 32 + "/data/0"}),
            ("another host", 421, {"path": s.base, "host": "evil.example"}),
            ("another port", 421, {"path": s.base, "host": "127.0.0.1:1"}),
            ("another origin", 403, {
                "path": s.base + "data/0",
                "fields": ["Origin: http://evil.example"]}),
            ("a page elsewhere", 403, {
                "path": s.base + "data/0",
                "fields": ["Sec-Fetch-Site: cross-site"]})):
        got = s.ask(**args)[0]
        tap.check(f"{what} is refused", got == status, got)
    got = s.get("data/0", method="POST", fields=["Content-Length: 0"])[0]
    tap.check("nothing can be changed", got == 405, got)
    for path in ("data/1", "data/-1", "data/x", "data/", "etc/passwd",
                 "places/99999999999999999999", "source/7?f=main"):
        got = s.get(path)[0]
        tap.check(f"'{path}' is not there", got == 404, got)
    for path in ("../../etc/passwd", "data/%2e%2e/x", "%2fetc%2fpasswd"):
        got = s.get(path)[0]
        tap.check(f"'{path}' is refused", got in (400, 404), got)


def check_pprof(folder):
    with Server("pprof", "-http=localhost:0", "-no_browser", PROFILE) as s:
        tap.check("wick pprof -http needs no token", s.base == "/", s.url)
        for path in ("/", "/top", "/flamegraph?f=x", "/peek?f=x", "/graph",
                     "/source?f=main", "/disasm?f=main"):
            status, _, body = s.ask(path)
            tap.check(f"{path} is a page", status == 200 and
                      b"view.js" in body, status)
        status, head, body = s.ask("/download")
        path = os.path.join(folder, "download.pb.gz")
        with open(path, "wb") as f:
            f.write(body)
        report = [subprocess.run([WICK, "report", "--json", p],
                                 capture_output=True).stdout
                  for p in (path, PROFILE)]
        tap.check("/download is the profile", status == 200 and
                  report[0] == report[1], head)
        tap.check("another host is refused there too",
                  s.ask("/", host="evil.example")[0] == 421)


def check_signals():
    # Whoever runs the tests may have asked not to hear of a lost terminal.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    for sig, what in ((signal.SIGINT, "^C"), (signal.SIGTERM, "SIGTERM")):
        with Server("view", "--no-open", PROFILE) as s:
            s.process.send_signal(sig)
            status = s.process.wait(20)
            tap.check(f"{what} ends it well", status == 0, status)
    with Server("view", "--no-open", PROFILE) as s:
        s.process.send_signal(signal.SIGHUP)
        status = s.process.wait(20)
        tap.check("SIGHUP ends it", status != 0, status)


def check_terminal():
    """A terminal that goes away takes the server with it."""
    child, terminal = pty.fork()
    if not child:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.execv(WICK, [WICK, "view", "--no-open", PROFILE])
    text = b""
    while b"\n" not in text:
        text += os.read(terminal, 1000)
    tap.check("on a terminal it says where it is", b"http://127.0.0.1:" in text,
              text)
    port = int(re.search(rb":(\d+)/", text)[1])
    os.close(terminal)
    status = os.waitpid(child, 0)[1]
    tap.check("it dies with its terminal", os.WIFSIGNALED(status) and
              os.WTERMSIG(status) == signal.SIGHUP, status)
    with socket.socket() as probe:
        tap.check("and nobody listens there any more",
                  probe.connect_ex(("127.0.0.1", port)) != 0)


def at_once(s, count):
    """Opens so many connections, asks on all, then reads: how many answer.

    The server keeps some hundred open; others wait in the kernel's queue, or
    are told that it is busy and ask again.
    """
    request = (f"GET {s.base}profiles.json HTTP/1.1\r\n"
               f"Host: 127.0.0.1:{s.port}\r\nConnection: close\r\n\r\n")
    good = 0
    for _ in range(200):
        sockets = []
        for _ in range(count - good):
            try:
                one = socket.create_connection(("127.0.0.1", s.port), 20)
                one.sendall(request.encode())
                sockets.append(one)
            except OSError:
                pass
        for one in sockets:
            try:
                good += one.recv(1 << 16).startswith(b"HTTP/1.1 200")
            except OSError:
                pass
            one.close()
        if good >= count or s.process.poll() is not None:
            break
    return good


def check_crowd(s):
    """A thousand requests, as many at a time as there is room for."""
    answers = []

    def ask():
        for _ in range(50):
            try:
                answers.append(s.get("profiles.json")[0])
            except (OSError, IndexError):
                answers.append(0)

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    tap.check("a thousand requests are answered",
              answers.count(200) == 1000,
              {a: answers.count(a) for a in set(answers)})
    tap.check("and a thousand at the same time", at_once(s, 1000) == 1000)
    idle = []
    for _ in range(1000):
        try:
            idle.append(socket.create_connection(("127.0.0.1", s.port), 5))
        except OSError:
            break
    tap.check("a thousand silent clients do not stop it",
              s.get("profiles.json")[0] == 200)
    for one in idle:
        one.close()


# The source of a program that is a few lines long, and files around it that
# are nobody's business.

SOURCE = """\
int spin(int n)
{
\tvolatile int x = 0;
\tfor (int i = 0; i < n; i++)
\t\tx += i; // <b>hot</b>
\treturn x;
}
"""


def spin_profile(folder, file):
    """A profile whose one function is said to be in file."""
    p = Profile([("samples", "count")])
    p.sample([p.place([(p.function("spin", file), 5)])], [7])
    return p.write(os.path.join(folder, "spin.pb.gz"))


def source_of(folder, file, *options, cwd=None):
    path = spin_profile(folder, file)
    with Server("view", "--no-open", *options, path, cwd=cwd or folder) as s:
        status, _, body = s.get("source/0?f=spin")
        if status != 200:
            return status, body
        return status, json.loads(body)["groups"][0]


def saved_sources(folder, file, cwd):
    """What a saved page of the same has in it."""
    page = os.path.join(folder, "spin.html")
    subprocess.run([WICK, "view", "--save=" + page,
                    spin_profile(folder, file)], cwd=cwd, check=True,
                   stdin=subprocess.DEVNULL, timeout=60)
    with open(page, "rb") as f:
        blocks = re.findall(rb'data-source="0"[^>]*>([^<]*)<', f.read())
    return b"".join(gzip.decompress(base64.b64decode(b)) for b in blocks)


def check_source(folder):
    inside = os.path.join(folder, "project")
    outside = os.path.join(folder, "secret")
    os.makedirs(inside)
    os.makedirs(outside)
    with open(os.path.join(inside, "spin.c"), "w") as f:
        f.write(SOURCE)
    with open(os.path.join(outside, "key.c"), "w") as f:
        f.write("secret\n")
    os.symlink(os.path.join(outside, "key.c"),
               os.path.join(inside, "link.c"))
    os.symlink(outside, os.path.join(inside, "linked"))
    with open(os.path.join(inside, "huge.c"), "w") as f:
        f.truncate(17 << 20)
    with open(os.path.join(inside, "binary.c"), "wb") as f:
        f.write(b"\0\1\2secret")
    os.mkfifo(os.path.join(inside, "pipe.c"))
    for what, file in (("a relative name", "spin.c"),
                       ("its own place", os.path.join(inside, "spin.c")),
                       ("where it was compiled", "/build/project/spin.c")):
        status, got = source_of(folder, file, cwd=inside)
        tap.check(f"source is found by {what}", status == 200 and
                  "<b>hot</b>" in "".join(got["lines"]), got)
    status, got = source_of(folder, "spin.c", "--source-path=" + inside,
                            cwd=outside)
    tap.check("--source-path says where", got["lines"], got)
    for what, file in (
            ("a file elsewhere", os.path.join(outside, "key.c")),
            ("/etc/passwd", "/etc/passwd"),
            ("a way up", "../secret/key.c"),
            ("a way up in the middle", "a/../../secret/key.c"),
            ("a symbolic link", "link.c"),
            ("a folder that is one", "linked/key.c"),
            ("a huge file", "huge.c"),
            ("no text", "binary.c"), ("a pipe", "pipe.c"),
            ("a process's memory", "/proc/self/environ")):
        status, got = source_of(folder, file, cwd=inside)
        tap.check(f"{what} is not read", status == 200 and
                  not got["lines"] and got["note"], got)
        got = saved_sources(folder, file, inside)
        tap.check(f"{what} is not saved either", not got, got[:200])
    got = saved_sources(folder, "spin.c", inside)
    tap.check("a source is saved", b"volatile int x" in got, got[:200])


def main():
    with tempfile.TemporaryDirectory() as folder:
        with Server("view", "--no-open", PROFILE) as s:
            check_page(s)
            check_refused(s)
            check_crowd(s)
        check_pprof(folder)
        check_signals()
        check_terminal()
        check_source(folder)
        with Server("view", "--no-open", "--port=1", PROFILE) as s:
            # Root may listen there; others are told that they may not.
            tap.check("--port is taken", s.port == 1 or
                      s.process.wait(20) == 1, s.url)
    return tap.end()


sys.exit(main())
