"""Clients that mean harm, or are only slow, against a server made of lib/http.

Each claim is one line of TAP; after each the server must still answer.
"""
import concurrent.futures
import os
import resource
import socket
import time

from tap import check

LIMIT = 20  # seconds that anything may take before it counts as hanging


class Target:
    """Where the server is, and a page that it answers with 200."""

    def __init__(self, host, port, page):
        self.host, self.port, self.page = host, port, page
        self.name = f"{host}:{port}"

    def connect(self):
        s = socket.create_connection((self.host, self.port), LIMIT)
        s.settimeout(LIMIT)
        return s

    def head(self, method="GET", path=None, host=None, fields=""):
        return (f"{method} {path or self.page} HTTP/1.1\r\n"
                f"Host: {host or self.name}\r\n{fields}\r\n").encode()


def read_all(s):
    """What comes until the end, or until nothing does."""
    got = b""
    try:
        while part := s.recv(1 << 16):
            got += part
    except (ConnectionError, TimeoutError):
        pass
    return got


def status(answer):
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


def ask(target, **request):
    """One request on a connection of its own; returns all that comes back."""
    fields = request.pop("fields", "") + "Connection: close\r\n"
    with target.connect() as s:
        s.sendall(target.head(fields=fields, **request))
        return read_all(s)


def alive(target):
    return status(ask(target)) == 200


def check_paths(target):
    tricks = ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd",
              "/..%2f..%2fetc/passwd", "/%00", "/a%0d%0aSet-Cookie:x",
              "/..\\..\\etc", "/./", target.page + "/..", "/" + "a/" * 400,
              "/%", "/%zz", "/" + "a" * 7000, "/\u00e4", "http://evil/"]
    seen = {t: status(ask(target, path=t)) for t in tricks}
    check("path tricks are refused", all(s in (400, 404, 414)
                                         for s in seen.values()), seen)


def check_methods(target):
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "BREW"):
        answer = ask(target, method=method)
        if status(answer) != 405 or b"\r\nAllow: GET, HEAD" not in answer:
            break
    check("other methods are told what is allowed",
          status(answer) == 405 and b"Allow: GET" in answer, answer[:300])


def check_hosts(target):
    seen = [status(ask(target, host=h)) for h in
            ("evil.example", f"evil.example:{target.port}", "127.0.0.1",
             f"localhost.evil.example:{target.port}", "127.0.0.1:1")]
    check("a wrong host is refused", set(seen) == {421}, seen)
    seen = [status(ask(target, host=f"{h}:{target.port}"))
            for h in ("localhost", "127.0.0.1", "LOCALHOST")]
    check("its own names are not", set(seen) == {200}, seen)


def check_origins(target):
    seen = [status(ask(target, method=m, fields=f)) for m, f in (
        ("POST", "Origin: http://evil.example\r\nContent-Length: 0\r\n"),
        ("POST", "Origin: null\r\nContent-Length: 0\r\n"),
        ("GET", "Origin: http://evil.example\r\n"),
        ("GET", "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"),
        ("GET", "Sec-Fetch-Site: same-site\r\n"))]
    check("other origins are refused", set(seen) == {403}, seen)
    own = ask(target, fields=f"Origin: http://{target.name}\r\n"
                             "Sec-Fetch-Site: same-origin\r\n")
    check("its own pages are not", status(own) == 200, own[:200])


def check_large_heads(target):
    with target.connect() as s:
        s.sendall(target.head()[:-2] + b"X: ")
        try:
            for _ in range(160):
                s.sendall(b"a" * 65536)
            sent = True
        except ConnectionError:
            sent = False
        answer = read_all(s)
    check("10 MB of header are refused with 431 and closed",
          sent and status(answer) == 431, (sent, answer[:100]))
    many = ask(target, fields="A: b\r\n" * 100)
    check("so are a hundred fields", status(many) == 431, many[:100])


def check_garbage(target):
    pieces = [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + os.urandom(200),
              b"GET / HTTP/1.1\n\n", b"\0" * 1000, b"PRI * HTTP/2.0\r\n\r\n",
              b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
              b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
              b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", os.urandom(5000)]
    seen = []
    for piece in pieces:
        with target.connect() as s:
            s.sendall(piece)
            s.shutdown(socket.SHUT_WR)
            seen.append(status(read_all(s)))
    check("what is no request is refused",
          all(s in (0, 400, 431, 505) for s in seen), seen)


def check_pipelining(target):
    with target.connect() as s:
        s.sendall(target.head() * 50
                  + target.head(fields="Connection: close\r\n"))
        answer = read_all(s)
    check("requests that are sent together are all answered",
          answer.count(b"HTTP/1.1 200 OK") == 51, answer.count(b"HTTP/1.1"))


def check_slow(target):
    """A byte now and then on each of many connections."""
    slow = [target.connect() for _ in range(100)]
    head = target.head(fields="X: " + "a" * 60 + "\r\n")
    good = True
    for i in range(20):
        for s in slow:
            s.sendall(head[i:i + 1])
        good = good and alive(target)
    check("others are answered while a hundred send a byte at a time", good)
    last = slow[-1]
    last.sendall(head[20:])
    check("and the slow ones in the end", b" 200 OK" in last.recv(1 << 16))
    for s in slow:
        s.close()


def check_idle(target):
    idle = [target.connect() for _ in range(1000)]
    check("others are answered beside 1,000 idle connections",
          all(alive(target) for _ in range(10)))
    for s in idle:
        s.close()


def check_parallel(target):
    with concurrent.futures.ThreadPoolExecutor(100) as pool:
        seen = list(pool.map(lambda _: status(ask(target)), range(1000)))
    check("1,000 requests, a hundred at a time, are all answered",
          seen.count(200) == 1000, {s: seen.count(s) for s in set(seen)})


def check_half_closed(target):
    with target.connect() as s:
        s.sendall(target.head())
        s.shutdown(socket.SHUT_WR)
        answer = read_all(s)
    check("who says that it is done sending still gets its answer",
          status(answer) == 200, answer[:100])


def check_resets(target):
    """Clients that vanish at every stage."""
    linger = b"\1\0\0\0\0\0\0\0"
    for part in (0, 1, 20, len(target.head())):
        for _ in range(50):
            s = target.connect()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            s.sendall(target.head()[:part])
            s.close()
    check("it survives clients that vanish", alive(target))


def attack(target):
    """All of it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    for attempt in (check_paths, check_methods, check_hosts, check_origins,
                    check_large_heads, check_garbage, check_pipelining,
                    check_half_closed, check_resets, check_slow, check_idle,
                    check_parallel):
        attempt(target)
        if not alive(target):
            check(f"it answers after {attempt.__name__}", False)
            return
    time.sleep(0.1)
    check("it answers after all that", alive(target))
