#!/usr/bin/python3
"""Let wick pprof fetch profiles from servers, good and bad ones.

usage: test-pprof-fetch.py WICK DATA
"""
import http.server
import os
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading

from tap import check, end, skip


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    profile = b""
    paths = []
    posts = []
    mute = False  # whether it names no addresses

    def log_message(self, *args):
        pass

    def address_string(self):
        return "client"

    def chunks(self, body):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 100):
            part = body[at:at + 100]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        self.wfile.write(b"0\r\n\r\n")

    def whole(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.paths.append(self.path)
        path = self.path.split("?")[0]
        if path == "/moved":
            self.whole(302, b"", Location="/chunked?x=1")
        elif path == "/busy":
            self.whole(500, b"in use\n", X_Go_Pprof="1",
                       Content_Type="text/plain")
        elif path == "/text":
            self.whole(200, b"heap profile: 1: 8 [1: 8] @ heapprofile\n"
                       b"1: 8 [1: 8] @ 0x10 0x20\n")
        elif path == "/chunked":
            self.chunks(self.profile)
        else:
            self.whole(200, self.profile)

    def do_POST(self):
        asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.posts.append((self.path, asked))
        if self.mute:
            return self.whole(501, b"")
        self.whole(200, "".join(f"{a} name_of_{a}\n"
                                for a in asked.split("+")).encode())


class UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


def start(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Wick:
    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.env = {"PATH": os.environ["PATH"], "HOME": folder, "TZ": "UTC",
                    "PPROF_TMPDIR": os.path.join(folder, "saved")}

    def __call__(self, *args, **env):
        return subprocess.run([self.path, "pprof", *args], text=True,
                              capture_output=True, env={**self.env, **env})


def http_tests(wick, port):
    base = f"http://127.0.0.1:{port}"
    local = wick("-top", os.path.join(sys.argv[2], "server.pb.gz")).stdout
    for path in ("/profile", "/chunked", "/moved"):
        r = wick("-top", base + path)
        check(f"{path} gives what the file gives",
              r.returncode == 0 and r.stdout == local, r)
    check("it says what it fetches",
          f"Fetching profile over HTTP from {base}/moved" in r.stderr, r)
    saved = os.path.join(wick.folder, "saved",
                         "pprof.server.samples.cpu.003.pb.gz")
    check("what was fetched is saved, each time by another name",
          f"Saved profile in {saved}\n" in r.stderr, r)
    check("what was saved reads back", wick("-top", saved).stdout == local, "")

    r = wick("-top", "-seconds=2", f"127.0.0.1:{port}")
    check("a bare host means Go's CPU profile", Handler.paths[-1] ==
          "/debug/pprof/profile?seconds=2", Handler.paths)
    check("waiting is announced", "Please wait... (2s)" in r.stderr, r)
    r = wick("-top", base + "/busy")
    check("a refusal is one line and exit status 1", r.returncode == 1 and
          f"wick: '{base}/busy': server response: 500 Internal Server Error "
          "- in use\n" in r.stderr, r)
    r = wick("-top", base + "/profile", base + "/busy")
    check("one of two is enough", r.returncode == 0 and
          "Fetched 1 source profiles out of 2" in r.stderr, r)
    r = wick("-top", f"http://example.invalid:{port}/profile",
             HTTP_PROXY=f"127.0.0.1:{port}")
    check("a proxy is asked for other hosts", r.returncode == 0 and
          Handler.paths[-1] == f"http://example.invalid:{port}/profile", r)


def symbol_test(wick, port):
    r = wick("-top", f"http://127.0.0.1:{port}/text")
    check("a server names its addresses", "name_of_0x" in r.stdout, r)
    check("they are asked for in one request", len(Handler.posts) == 1 and
          Handler.posts[0][0] == "/symbolz", Handler.posts)
    Handler.mute = True
    r = wick("-top", f"http://127.0.0.1:{port}/text")
    check("a server that names none is a failure", r.returncode == 1 and
          not r.stdout and f"wick: http post http://127.0.0.1:{port}/symbolz: "
          "server response: 501 Not Implemented\n" in r.stderr, r)
    r = wick("-top", "-symbolize=none", f"http://127.0.0.1:{port}/text")
    check("unless no names are wanted", r.returncode == 0 and r.stdout, r)


def unix_tests(wick, path):
    for address in (f"unix:{path}:/profile", f"unix:{path}/profile",
                    f"http+unix://{path}/profile",
                    f"http+unix://{path.replace('/', '%2F')}/profile"):
        r = wick("-top", address)
        shown = address.replace(path.replace("/", "%2F"), "%2FSOCKET")
        check(f"{shown.replace(path, '/SOCKET')} is understood",
              r.returncode == 0 and Handler.paths[-1] == "/profile", r)


def make_certificate(folder):
    key, certificate = (os.path.join(folder, f) for f in ("key", "cert"))
    r = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048",
                        "-nodes", "-keyout", key, "-out", certificate,
                        "-days", "1", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], capture_output=True)
    return (key, certificate) if r.returncode == 0 else None


def https_tests(wick, folder):
    try:
        made = make_certificate(folder)
        subprocess.run(["curl", "--version"], capture_output=True)
    except FileNotFoundError as e:
        return skip("https", f"there is no {e.filename}")
    if not made:
        return skip("https", "openssl makes no certificate")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made[1], made[0])
    server.socket = context.wrap_socket(server.socket, server_side=True)
    start(server)
    address = f"localhost:{server.server_address[1]}/moved"
    r = wick("-top", "https://" + address)
    check("an unknown certificate is refused", r.returncode == 1 and
          "certificate" in r.stderr, r)
    r = wick("-top", "https+insecure://" + address)
    check("unless that is asked for", r.returncode == 0, r)
    r = wick("-top", "-tls_ca=" + made[1], "https://" + address)
    check("a certificate can be named", r.returncode == 0, r)
    r = wick("-top", "https://" + address, PATH="/nonexistent")
    check("without curl it says so", r.returncode == 1 and "curl" in r.stderr,
          r)


def main():
    wick_path, data = map(os.path.abspath, sys.argv[1:])
    with open(os.path.join(data, "server.pb.gz"), "rb") as f:
        Handler.profile = f.read()
    with tempfile.TemporaryDirectory(prefix="wick-fetch-") as folder:
        wick = Wick(wick_path, folder)
        server = start(http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                       Handler))
        port = server.server_address[1]
        path = os.path.join(folder, "s.sock")
        start(UnixServer(path, Handler))
        http_tests(wick, port)
        symbol_test(wick, port)
        unix_tests(wick, path)
        https_tests(wick, folder)
    return end()


sys.exit(main())
