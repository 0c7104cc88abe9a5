#!/usr/bin/python3
"""The HTTP server with real clients, good and bad.  usage: test-http.py HOST"""
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import hostile
import tap
from tap import check, skip

HOST = sys.argv[1]


def start(address):
    process = subprocess.Popen([HOST, address], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def curl(*arguments):
    return subprocess.run(["curl", "-sS", "-m", "20", *arguments],
                          capture_output=True)


def check_curl(url):
    if not shutil.which("curl"):
        return skip("curl is answered", "no curl")
    r = curl(url + "/hello", url + "/hello")
    check("curl is answered twice on one connection",
          r.stdout == b"hello\nhello\n", r)
    r = curl("-I", url + "/large")
    check("curl -I gets the length and no more",
          b"Content-Length: 16777216\r\n" in r.stdout
          and len(r.stdout) < 2000, r.stdout[:300])
    body = os.urandom(700000)
    r = subprocess.run(["curl", "-sS", "-m", "20", "--data-binary", "@-",
                        url + "/echo"], input=body, capture_output=True)
    check("curl posts, told to go on", r.stdout == body, len(r.stdout))
    r = curl("-o", "/dev/null", "-w", "%{http_code}", "-H",
             "Transfer-Encoding: chunked", "-d", "x", url + "/echo")
    check("a body without a length is refused", r.stdout == b"411", r)
    r = subprocess.run(["curl", "-sS", "-m", "20", "-o", "/dev/null", "-w",
                        "%{http_code}", "--data-binary", "@-", url + "/echo"],
                       input=b"x" * 2000000, capture_output=True)
    check("so is one that is too long", r.stdout == b"413", r)
    r = curl(url + "/stream")
    check("a stream arrives whole", r.stdout == b"y" * 2000000, len(r.stdout))


def check_large(target):
    """A client that does not read what it asked for."""
    lazy = [target.connect() for _ in range(20)]
    for s in lazy:
        s.sendall(target.head(path="/large"))
    check("others are answered while answers are not read",
          all(hostile.alive(target) for _ in range(20)))
    got = len(hostile.ask(target, path="/large"))
    check("a large answer arrives whole", 16 << 20 < got < (16 << 20) + 2000,
          got)
    for s in lazy:
        s.close()


def check_later(target):
    waiting = [target.connect() for _ in range(10)]
    for s in waiting:
        s.sendall(target.head(path="/later"))
    check("others are answered while some wait for theirs",
          hostile.alive(target))
    for s in waiting[:5]:
        s.close()
    time.sleep(0.3)
    stats = hostile.ask(target, path="/stats")
    check("who leaves is no longer worked for", b"5 cancelled" in stats, stats)
    check("who waits is answered",
          all(b"\r\n\r\nlater\n" in s.recv(4096) for s in waiting[5:]))
    for s in waiting:
        s.close()


def check_unix():
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/socket"
        process, said = start("unix:" + path)
        check("it says where it listens", said == "unix:" + path, said)
        check("a unix socket is for its user alone",
              os.stat(path).st_mode & 0o777 == 0o600)
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        s.sendall(b"GET /hello HTTP/1.1\r\nHost: x\r\n"
                  b"Connection: close\r\n\r\n")
        check("a unix socket is answered",
              hostile.read_all(s).endswith(b"hello\n"))
        process.stdin.close()
        process.wait(10)
        check("its name is gone afterwards", not os.path.exists(path))


def check_refusals():
    for address, why in (("0.0.0.0:0", "needs a token"),
                         ("somewhere:80", "is no address"),
                         ("127.0.0.1:1x", "is no address")):
        r = subprocess.run([HOST, address], capture_output=True, text=True,
                           stdin=subprocess.DEVNULL, timeout=20)
        check(f"'{address}' is refused", r.returncode == 1 and why in r.stderr,
              r.stderr)


def main():
    process, url = start("127.0.0.1:0")
    host, port = url.removeprefix("http://").split(":")
    target = hostile.Target(host, int(port), "/hello")
    check_curl(url)
    check_later(target)
    check_large(target)
    hostile.attack(target)
    process.stdin.close()
    check("it ends when it is told to", process.wait(10) == 0)
    check_unix()
    check_refusals()
    return tap.end()


sys.exit(main())
