#!/usr/bin/python3
"""Real programs with the agent in them do what they do without.

usage: test-hosts.py WICK LIBWICK THROWS [NAME...]

Each host does some of its own work twice, once profiled at 1000 samples a
second; what it says must be the same, and the profile must have its functions.
Hosts that are not installed are skipped.
"""
import contextlib
import glob
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import tap

WICK, LIBWICK, THROWS = [os.path.abspath(p) for p in sys.argv[1:4]]
ONLY = sys.argv[4:]
WATCHDOG = 120

PYTHON = """
import hashlib, threading, zlib
out = [None] * 8
def work(n):
    h = hashlib.sha256()
    data = b"x" * 4096
    for i in range(400):
        data = zlib.compress(data * 4, 6) + bytes([n, i % 256]) * 500
        data = data[:4096]
        h.update(data)
    out[n] = h.hexdigest() + str(sum(i * n for i in range(100000)))
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print("\\n".join(out))
"""

SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(x) as (select 1 union all select x+1 from n where x < 100000)
insert into t select x, printf('%08d', (x * 7919) % 100003), x / 3.0 from n;
create index i on t(b);
select count(*), sum(a), round(sum(c), 2) from t where b > '00050000';
select substr(b, 1, 4), count(*) from t group by 1 order by 2 desc, 1 limit 5;
"""

PERL = """
my %h; for my $i (1..200000) { $h{($i * 7919) % 1009} .= chr(65 + $i % 26); }
print join(",", map { length $h{$_} } sort { $a <=> $b } keys %h), "\\n";
"""

NODE = """
const crypto = require('crypto');
let x = 1, list = [];
for (let i = 0; i < 3e6; i++) { x = (x * 16807) % 2147483647; }
for (let i = 0; i < 2000; i++)
  list.push(crypto.createHash('sha256').update('x' + i).digest('hex'));
console.log(x, list.sort()[17], JSON.stringify(list).length);
"""

JAVA = """
import java.util.*;
import java.util.stream.*;
public class Host {
    public static void main(String[] a) throws Exception {
        Map<Integer, Integer> m = new TreeMap<>();
        for (int i = 0; i < 2000000; i++) m.merge(i * 31 % 997, 1, Integer::sum);
        long s = IntStream.range(0, 2000000).parallel().mapToLong(i -> i ^ 7).sum();
        int caught = 0;
        for (int i = 0; i < 20000; i++)
            try { Object o = i % 2 == 0 ? null : "x"; caught += o.hashCode() % 1; }
            catch (NullPointerException e) { caught++; }
        System.out.println(m.hashCode() + " " + s + " " + caught);
    }
}
"""

RUST = """
use std::panic;
fn fall(n: u32) -> u32 { if n % 3 == 0 { panic!("no") } n }
fn main() {
    panic::set_hook(Box::new(|_| {}));
    let threads: Vec<_> = (0..4).map(|t| std::thread::spawn(move || {
        (0..20000u32).filter(|n| panic::catch_unwind(|| fall(n + t)).is_err())
            .count()
    })).collect();
    let caught: Vec<_> = threads.into_iter().map(|t| t.join().unwrap()).collect();
    println!("{:?}", caught);
}
"""

GO = """
package main

import (
	"bytes"
	"fmt"
	"runtime/pprof"
%s
)

func main() {
	var own bytes.Buffer
	pprof.StartCPUProfile(&own)
	x := uint64(1)
	for i := 0; i < 400000000; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	pprof.StopCPUProfile()
	fmt.Println(x, own.Len() > 100)
%s
}
"""

CXX = """
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <vector>
template <int N> struct deep { static int f(int x) { return deep<N - 1>::f(x) + N; } };
template <> struct deep<0> { static int f(int x) { return x; } };
int main() {
	std::map<std::string, std::vector<int>> m;
	m["x"].push_back(deep<300>::f(1));
	std::cout << m.size();
}
"""


class Host:
    """A folder to work in, and commands with and without the agent."""

    def __init__(self, folder):
        self.folder = folder
        self.profile = os.path.join(folder, "profile")

    def environment(self, profiled):
        e = {k: v for k, v in os.environ.items()
             if not k.startswith("CPUPROFILE")}
        if profiled:
            e.update(LD_PRELOAD=LIBWICK, CPUPROFILE=self.profile,
                     CPUPROFILE_FREQUENCY="1000")
        return e

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def run(self, profiled, *command, **more):
        r = subprocess.run(command, env=self.environment(profiled),
                           cwd=self.folder, timeout=WATCHDOG,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           **more)
        return r.returncode, r.stdout.decode(errors="replace")

    def top(self):
        """All functions in all profiles that were left."""
        text = ""
        for path in glob.glob(self.profile + "*"):
            text += subprocess.run([WICK, "pprof", "-top", "-nodecount=2000",
                                    "-nodefraction=0", path], text=True,
                                   stdout=subprocess.PIPE).stdout
        return text

    def same(self, name, wanted, *command, **more):
        """Runs it both ways; wanted is a function that must be seen."""
        plain = self.run(False, *command, **more)
        try:
            seen = self.run(True, *command, **more)
        except subprocess.TimeoutExpired:
            seen = "hangs"
        top = self.top()
        tap.check(f"{name}: the same output", seen == plain,
                  (str(seen)[-400:], str(plain)[-400:]))
        if wanted:
            tap.check(f"{name}: {wanted} was seen",
                      re.search(wanted, top), top[:600])


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def server(host, port, *command):
    with subprocess.Popen(command, env=host.environment(True),
                          cwd=host.folder, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as p:
        for _ in range(200):
            with socket.socket() as s:
                if s.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        try:
            yield p
        finally:
            if p.poll() is None:
                p.terminate()
            try:
                p.wait(30)
            except subprocess.TimeoutExpired:
                p.kill()


def needs(*programs):
    def mark(test):
        test.programs = programs
        return test
    return mark


@needs("redis-server", "redis-benchmark", "redis-cli")
def test_redis(host):
    port = free_port()
    with server(host, port, "redis-server", "--port", str(port), "--save", "",
                "--io-threads", "2") as p:
        speed = host.run(False, "redis-benchmark", "-p", str(port), "-q", "-n",
                         "20000", "-t", "set,get,lpush,zadd")
        out = host.run(False, "redis-cli", "-p", str(port), "eval",
                       "local s=0; for i=1,20000 do redis.call('incrby','n',i)"
                       " end; return redis.call('get','n')", "0")
        host.run(False, "redis-cli", "-p", str(port), "shutdown", "nosave")
        p.wait(30)
    tap.check("redis-server: answers are right",
              out == (0, "200010000\n") and speed[0] == 0
              and p.returncode == 0, (out, speed, p.returncode))
    tap.check("redis-server: aeMain was seen", "aeMain" in host.top())


@needs("python3")
def test_python(host):
    host.same("python3", "PyEval|deflate|sha256",
              sys.executable, host.write("host.py", PYTHON))


@needs("sqlite3")
def test_sqlite(host):
    host.same("sqlite3", "sqlite3_step", "sqlite3", ":memory:", SQL)


@needs("nginx")
def test_nginx(host):
    port = free_port()
    page = "".join(f"line {i}\n" for i in range(5000))
    host.write("page.txt", page)
    conf = host.write("nginx.conf", f"""
daemon off; master_process off; pid {host.folder}/pid; error_log /dev/null;
events {{}}
http {{
  access_log off; client_body_temp_path {host.folder}/b; gzip on;
  gzip_types text/plain; gzip_min_length 10;
  server {{ listen 127.0.0.1:{port}; root {host.folder}; }}
}}""")
    good = 0
    with server(host, port, "nginx", "-c", conf) as p:
        for _ in range(300):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/page.txt",
                                        timeout=20) as answer:
                good += answer.read() == page.encode()
        subprocess.run(["curl", "-s", "--compressed", "-o", "/dev/null",
                        f"http://127.0.0.1:{port}/page.txt?[1-200]"])
        p.send_signal(3)
        p.wait(30)
    tap.check("nginx: answers are right", good == 300 and p.returncode == 0,
              (good, p.returncode))
    tap.check("nginx: deflate was seen", re.search("deflate|ngx_|epoll|writev",
                                                   host.top()))


@needs("git")
def test_git(host):
    for i in range(300):
        host.write(f"file{i}.txt", "".join(f"{i} {k}\n" for k in range(200)))
    script = """
rm -rf .git && git init -q -b main . && git config gc.auto 0
export GIT_AUTHOR_DATE='2020-01-01T00:00:00Z' GIT_COMMITTER_DATE='2020-01-01T00:00:00Z'
git add -f *.txt && git -c user.name=a -c user.email=a@b commit -q -m one
git repack -q -a -d && git fsck --full 2>/dev/null; git rev-parse HEAD; git log --stat | tail -3
"""
    host.same("git", "", "sh", "-c", script)


@needs("g++")
def test_gcc(host):
    host.same("g++", "", "g++", "-O0", "-S", "-o", "-",
              host.write("host.cc", CXX))
    tap.check("g++: cc1plus was seen", re.search("cc1plus", host.top()))


@needs("node")
def test_node(host):
    host.same("node", "v8|node::", "node", host.write("host.js", NODE))


@needs("java")
def test_java(host):
    host.write("Host.java", JAVA)
    if host.run(False, "javac", "Host.java")[0] != 0:
        tap.skip("java", "no compiler")
        return
    host.same("java", "Java|JVM|start_thread", "java", "-Xmx256m", "Host")


@needs("perl")
def test_perl(host):
    host.same("perl", "Perl_", "perl", "-e", PERL)


@needs("rustc")
def test_rust(host):
    source = host.write("host.rs", RUST)
    status, said = host.run(False, "rustc", "-O", "-g", source)
    if status:
        tap.skip("rust", "rustc fails: " + said[:100].replace("\n", " "))
        return
    host.same("rust", "panic|_Unwind", "./host")


def test_exceptions(host):
    try:
        seen = host.run(True, THROWS, "1000000")
    except subprocess.TimeoutExpired:
        seen = "hangs"
    tap.check("C++: a million exceptions are caught",
              seen == (0, "caught 1000000\ndone\n"), seen)
    tap.check("C++: _Unwind was seen", "_Unwind" in host.top())


@needs("go")
def test_go(host):
    """A static one is not touched; one with cgo is, and profiles itself."""
    host.write("go.mod", "module host\n\ngo 1.19\n")
    env = dict(os.environ, CGO_ENABLED="0", GOFLAGS="-mod=mod")
    host.write("main.go", GO % ("", ""))
    r = subprocess.run(["go", "build", "-o", "static", "."], env=env,
                       cwd=host.folder)
    if r.returncode:
        tap.skip("go", "does not build")
        return
    host.same("go, static", "", "./static")
    tap.check("go, static: no profile, and no harm",
              not os.path.exists(host.profile))
    host.write("main.go", 'package main\n\n// int add(int a) { return a; }\n'
               + (GO % ('\t"C"\n', "")).lstrip().replace(
                   "package main\n", "").replace('\t"C"\n', "").replace(
                       "import (", 'import "C"\n\nimport ('))
    env["CGO_ENABLED"] = "1"
    r = subprocess.run(["go", "build", "-o", "dynamic", "."], env=env,
                       cwd=host.folder)
    if r.returncode == 0:
        host.same("go with cgo, which profiles itself", "", "./dynamic")


def main():
    tests = [v for k, v in globals().items() if k.startswith("test_")]
    for test in tests:
        name = test.__name__.removeprefix("test_")
        if ONLY and name not in ONLY:
            continue
        missing = [p for p in getattr(test, "programs", ())
                   if not shutil.which(p)]
        if missing:
            tap.skip(name, f"no {missing[0]}")
            continue
        with tempfile.TemporaryDirectory(prefix="wick-host-") as folder:
            os.chmod(folder, 0o777)
            test(Host(folder))
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
