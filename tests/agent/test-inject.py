#!/usr/bin/python3
"""Enter programs that run, record them from inside, and leave.

usage: test-inject.py WICK LIBWICK VISITED LIBRARY [NAME...]

R37 of docs/design/signals.md.  The programs look after themselves: whoever has
been disturbed says so and fails.
"""
import ctypes
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import tap

WICK, LIBWICK, VISITED, LIBRARY = [os.path.abspath(p)
                                   for p in sys.argv[1:5]]
ONLY = sys.argv[5:]
WATCHDOG = 60

KINDS = ["spin", "reckon", "allocate", "allocate", "load", "nanosleep", "long",
         "epoll", "poll", "select", "read", "receive", "semaphore",
         "condition"]


class Host:
    """A program that runs, and ends well when it is told to."""

    def __init__(self, *kinds, **settings):
        self.process = subprocess.Popen(
            [VISITED, *kinds, f"library={LIBRARY}"], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=dict(os.environ, **settings))
        self.pid = self.process.pid
        self.first = self.process.stdout.readline()

    def end(self):
        try:
            out, _ = self.process.communicate("", timeout=WATCHDOG)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "hangs"
        return self.process.returncode, self.first + out

    def ends_well(self):
        self.result = self.end()
        return self.result == (0, "ready\ndone\n")

    def list(self, what):
        return os.listdir(f"/proc/{self.pid}/{what}")

    def maps(self):
        with open(f"/proc/{self.pid}/maps") as f:
            return f.read()

    def names(self):
        """Of its threads."""
        found = []
        for tid in self.list("task"):
            try:
                with open(f"/proc/{self.pid}/task/{tid}/comm") as f:
                    found.append(f.read().strip())
            except OSError:
                pass
        return found

    def visitors(self):
        return [n for n in self.names() if n.startswith("wick-")]

    def size(self):
        """What would grow if something were left behind."""
        with open(f"/proc/{self.pid}/status") as f:
            memory = [line for line in f if line.startswith("VmSize")]
        return {"threads": len(self.list("task")), "fds": len(self.list("fd")),
                "kilobytes": int(memory[0].split()[1])}


def record_command(*options):
    return [WICK, "record", "--agent", *options]


def record(*options, **more):
    return subprocess.run(record_command(*options), text=True,
                          capture_output=True, timeout=WATCHDOG, **more)


def top(path):
    """What functions have, themselves and with all that they call."""
    r = subprocess.run([WICK, "report", "--json", path], text=True,
                       capture_output=True)
    rows = json.loads(r.stdout)["rows"] if r.returncode == 0 else []
    return {row["name"]: (row["flat"], row["cum"]) for row in rows}


def wait_for(condition):
    """Whether it comes to hold; nothing is said of when."""
    end = time.monotonic() + WATCHDOG
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def take_tmp():
    """Gives this test a /tmp of its own, where only it leaves something."""
    libc = ctypes.CDLL(None)
    newns, private = 0x20000, 0x44000
    return (not WICK.startswith("/tmp/") and
            libc.unshare(newns) == 0 and
            libc.mount(b"none", b"/", None, private, None) == 0 and
            libc.mount(b"none", b"/tmp", b"tmpfs", 0, None) == 0)


def folders():
    if not OWN_TMP:
        return set()
    return {f for f in os.listdir("/tmp")
            if f.startswith("wick-") and len(f) == len("wick-XXXXXX")}


def test_load(folder):
    """Twenty-five times into a program with threads of every kind."""
    host = Host(*KINDS)
    failed = []
    sizes = []
    for i in range(25):
        r = record("-q", "-p", str(host.pid), "-s", "0.05", "-o", "load.wick")
        if r.returncode:
            failed.append((i, r.stderr))
        wait_for(lambda: not host.visitors())
        sizes.append(host.size())
    tap.check("R37 a program under load is entered 25 times", not failed,
              failed)
    half, last = sizes[12], sizes[-1]
    tap.check("R37 no thread and no descriptor is left",
              last["threads"] == half["threads"] and
              last["fds"] <= half["fds"] + 1, sizes)
    tap.check("R37 memory does not grow with visits",
              last["kilobytes"] <= half["kilobytes"] + 1024, sizes)
    copies = {line.split()[-2] for line in host.maps().splitlines()
              if "libwick.so" in line}
    tap.check("R37 the library is loaded once", len(copies) == 1, copies)
    tap.check("R37 nobody was disturbed", host.ends_well(), host.result)


def test_kinds(folder):
    """Each way of waiting is borrowed itself."""
    for kind in dict.fromkeys(KINDS):
        if kind == "load":
            continue
        host = Host(kind, "alone")
        results = [record("-q", "-p", str(host.pid), "-s", "0.05", "-o",
                          "alone.wick") for _ in range(3)]
        tap.check(f"R37 a thread in {kind} is borrowed",
                  not any(r.returncode for r in results), results)
        tap.check("R37 and goes on", host.ends_well(), host.result)


def test_no_moment(folder):
    """The loader is never left for long; whoever waits is called by libc."""
    host = Host("load", "alone")
    r = record("-p", str(host.pid), "-s", "0.1", "-o", "loader.wick")
    tap.check("R37 in the loader nobody is borrowed", r.returncode == 0 or
              r.stderr == "wick: cannot find a safe moment in process "
              f"{host.pid}\n", r)
    tap.check("R37 and it goes on", host.ends_well(), host.result)


def test_shares(folder):
    host = Host("spin")
    r = record("-p", str(host.pid), "-s", "1.5", "-o", "shares.wick")
    rows = top("shares.wick")
    heavy, light, spin = [rows.get(n, (0, 0)) for n in
                          ("heavy", "light", "spin")]
    tap.check("the recording has the right names and shares",
              r.returncode == 0 and 0 < light[0] and
              0.55 < heavy[0] / spin[1] < 0.85 and
              heavy[1] + light[1] > 0.9 * spin[1], (r, rows))
    tap.check("who was recorded ends well", host.ends_well(), host.result)


def test_two(folder):
    hosts = Host("spin"), Host("reckon")
    r = record("-p", ",".join(str(h.pid) for h in hosts), "-s", "1", "-o",
               "two.wick")
    tap.check("two processes in one recording",
              r.returncode == 0 and "2 processes" in r.stderr and
              {"spin", "reckon"} <= set(top("two.wick")), r)
    tags = subprocess.run([WICK, "pprof", "-tags", "two.wick"], text=True,
                          capture_output=True).stdout
    tap.check("samples say of which process they are", "process:" in tags and
              all(f"{h.pid}" in tags for h in hosts), tags)
    for host in hosts:
        tap.check("each ends well", host.ends_well(), host.result)


def test_ends(folder):
    """However a recording ends, nothing is left."""
    before = folders()
    host = Host("spin", "epoll")
    r = subprocess.Popen(record_command("-p", str(host.pid), "-o", "int.wick"),
                         text=True, stderr=subprocess.PIPE)
    wait_for(lambda: "wick-worker" in host.names())
    time.sleep(0.5)
    r.send_signal(signal.SIGINT)
    said = r.communicate(timeout=WATCHDOG)[1]
    tap.check("^C ends it and keeps it", r.returncode == 0 and
              "heavy" in top("int.wick"), said)
    tap.check("no thread of the agent is left", wait_for(
        lambda: not host.visitors()), host.names())
    r = subprocess.Popen(record_command("-p", str(host.pid), "-o", "end.wick"),
                         text=True, stderr=subprocess.PIPE)
    wait_for(lambda: "wick-worker" in host.names())
    time.sleep(0.5)
    tap.check("a host that is recorded ends well", host.ends_well(),
              host.result)
    said = r.communicate(timeout=WATCHDOG)[1]
    tap.check("and its recording with it", r.returncode == 0 and
              "heavy" in top("end.wick"), said)
    tap.check("no folder is left", folders() == before, folders() - before)


def test_killed(folder):
    """Whoever records is killed: at work, and while it enters."""
    before = folders()
    host = Host("spin", "poll", "nanosleep", "read", "condition", "allocate")
    r = subprocess.Popen(record_command("-p", str(host.pid), "-o", "k.wick"))
    wait_for(lambda: "wick-worker" in host.names())
    time.sleep(0.3)
    r.kill()
    r.wait()
    tap.check("the agent leaves when its recorder is killed",
              wait_for(lambda: not host.visitors()), host.names())
    tap.check("and removes what nobody will read",
              wait_for(lambda: folders() == before), folders() - before)
    for i in range(30):
        r = subprocess.Popen(record_command("-q", "-p", str(host.pid), "-o",
                                            "k.wick"),
                             stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0, 0.08))
        r.kill()
        r.wait()
    tap.check("all of them leave", wait_for(lambda: not host.visitors()),
              host.names())
    r = record("-q", "-p", str(host.pid), "-s", "0.3", "-o", "after.wick")
    tap.check("it can be entered after that", r.returncode == 0, r)
    tap.check("R37 a recorder that is killed kills nobody", host.ends_well(),
              host.result)
    for name in folders() - before:
        shutil.rmtree(os.path.join("/tmp", name))


def test_environment(folder):
    profile = os.path.join(folder, "not-asked-for")
    host = Host("spin", CPUPROFILE=profile, WICK_RECORD=folder)
    r = record("-p", str(host.pid), "-s", "0.2", "-o", "env.wick")
    tap.check("the program's environment does not mean a visit",
              r.returncode == 0 and host.ends_well() and
              not os.path.exists(profile), (r, host.result))
    host = Host("spin", LD_PRELOAD=LIBWICK)
    r = record("-p", str(host.pid), "-s", "0.5", "-o", "pre.wick")
    paths = {line.split()[5] for line in host.maps().splitlines()
             if "libwick.so" in line}
    tap.check("a library that is there is used", r.returncode == 0 and
              len(paths) == 1 and "heavy" in top("pre.wick"), (r, paths))
    tap.check("and its host ends well", host.ends_well(), host.result)


def refused(name, pid, *words, **more):
    r = record("-p", str(pid), "-s", "0.1", "-o", "refused.wick", **more)
    tap.check(f"{name}: refused in one line",
              r.returncode == 1 and r.stderr.count("\n") == 1 and
              all(w in r.stderr for w in words) and
              not os.path.exists("refused.wick"), r)


def compiled(folder, compiler, *options):
    """A program that waits; None: the compiler is not there."""
    source = os.path.join(folder, "wait.c")
    program = os.path.join(folder, "wait-" + compiler)
    with open(source, "w") as f:
        f.write("#include <unistd.h>\n"
                "int main(void) { sleep(100); return 0; }\n")
    try:
        subprocess.run([compiler, *options, "-o", program, source], check=True,
                       capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return program


def of_32_bits(folder):
    """A program of 32 bits that waits; no compiler for such is needed."""
    base, code = 0x8048000, b"\xb8\x1d\0\0\0\xcd\x80\xeb\xf7"  # pause()
    head = struct.pack("<16sHHIIIIIHHHHHH", b"\x7fELF\1\1\1", 2, 3, 1,
                       base + 84, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    load = struct.pack("<8I", 1, 0, base, base, 84 + len(code),
                       84 + len(code), 5, 4096)
    program = os.path.join(folder, "small")
    with open(program, "wb") as f:
        f.write(head + load + code)
    os.chmod(program, 0o755)
    return program


def test_kinds_refused(folder):
    for name, program, word in (
            ("a static program", compiled(folder, "gcc", "-static"), "static"),
            ("a program of musl", compiled(folder, "musl-gcc"), "musl"),
            ("a program of 32 bits", of_32_bits(folder), "32 bits")):
        if not program:
            tap.skip(name, "no such compiler")
            continue
        try:
            p = subprocess.Popen([program])
        except OSError as error:
            tap.skip(name, str(error))
            continue
        wait_for(lambda: open(f"/proc/{p.pid}/wchan").read() != "0")
        refused(name, p.pid, str(p.pid), word)
        tap.check("and goes on", p.poll() is None)
        p.kill()
        p.wait()
    test_go(folder)


def test_go(folder):
    source = os.path.join(folder, "wait.go")
    program = os.path.join(folder, "wait-go")
    with open(source, "w") as f:
        f.write('package main\nimport "time"\n'
                "func main() { time.Sleep(100 * time.Second) }\n")
    try:
        subprocess.run(["go", "build", "-o", program, source], check=True,
                       capture_output=True,
                       env=dict(os.environ, GOCACHE=folder, GO111MODULE="off"))
    except (OSError, subprocess.CalledProcessError):
        tap.skip("a program of Go", "no compiler")
        return
    p = subprocess.Popen([program])
    refused("a program of Go", p.pid, "Go")
    tap.check("and goes on", p.poll() is None)
    p.kill()
    p.wait()


def test_refused(folder):
    host = Host("spin", "poll")
    refused("no process", 2 ** 22 - 1, "no process")
    seize(host.pid)
    refused("one that is traced", host.pid, "traced", str(os.getpid()))
    let_go(host.pid)
    os.kill(host.pid, signal.SIGSTOP)
    wait_for(lambda: open(f"/proc/{host.pid}/stat").read().split()[2] == "T")
    refused("one that is stopped", host.pid, "stopped")
    os.kill(host.pid, signal.SIGCONT)
    if os.geteuid() == 0:
        refused("another user's", host.pid, "may not be entered", user=65534)
    else:
        refused("another user's", 1, "may not be entered")
    r = subprocess.Popen(record_command("-q", "-p", str(host.pid), "-o",
                                        "first.wick"))
    wait_for(lambda: "wick-worker" in host.names())
    refused("one that is recorded", host.pid, "already")
    r.terminate()
    tap.check("and the first goes on", r.wait() == 0 and "heavy" in
              top("first.wick"))
    tap.check("who was refused ends well", host.ends_well(), host.result)
    test_kinds_refused(folder)


def seize(pid):
    """Traces it, as a debugger does."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, pid, None, None) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def let_go(pid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace(0x4207, pid, None, None)
    os.waitpid(pid, 0x40000000)
    libc.ptrace(17, pid, None, None)


def test_user(folder):
    """A user enters a program of his own, and root enters it, too."""
    if os.geteuid():
        tap.skip("another user's program", "not root")
        return
    for user in (65534, None):
        p = subprocess.Popen([VISITED, "spin"], user=65534, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        p.stdout.readline()
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o777)
            path = os.path.join(place, "user.wick")
            r = record("-p", str(p.pid), "-s", "0.5", "-o", path, user=user,
                       env=dict(os.environ, XDG_CACHE_HOME=place))
            tap.check(f"a user's program is entered by {user or 'root'}",
                      r.returncode == 0 and "heavy" in top(path), r)
        out, _ = p.communicate("", timeout=WATCHDOG)
        tap.check("and ends well", (p.returncode, out) == (0, "done\n"), out)


def test_redis(folder):
    if not shutil.which("redis-server") or not shutil.which("redis-benchmark"):
        tap.skip("redis", "not installed")
        return
    socket = os.path.join(folder, "redis.socket")
    server = subprocess.Popen(["redis-server", "--port", "0", "--unixsocket",
                               socket, "--save", "", "--dir", folder],
                              stdout=subprocess.DEVNULL)
    wait_for(lambda: os.path.exists(socket))
    load = subprocess.Popen(["redis-benchmark", "-s", socket, "-q", "-l", "-t",
                             "set,get,lpush,lrange_100"],
                            stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    results = [record("-p", str(server.pid), "-s", "0.2", "-o", "redis.wick")
               for _ in range(20)]
    tap.check("redis under load is entered 20 times",
              not any(r.returncode for r in results), results)
    r = record("-p", str(server.pid), "-s", "1", "-o", "redis.wick")
    tap.check("and its functions are seen", r.returncode == 0 and
              any("aeMain" in name or "epoll" in name
                  for name in top("redis.wick")), (r, top("redis.wick")))
    alive = load.poll() is None
    load.terminate()
    load.wait()
    server.terminate()
    tap.check("and the server ends as it always does",
              alive and server.wait(timeout=WATCHDOG) == 0)


OWN_TMP = take_tmp()
TESTS = [test_load, test_kinds, test_no_moment, test_shares, test_two, test_ends, test_killed,
         test_environment, test_refused, test_user, test_redis]


def main():
    global WICK, VISITED
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.chmod(folder, 0o777)
        # The build may be in a folder that only its owner enters.
        WICK, VISITED = [shutil.copy(p, folder) for p in (WICK, VISITED)]
        for test in TESTS:
            if not ONLY or test.__name__[5:] in ONLY:
                test(folder)
        os.chdir("/")
    return tap.end()


sys.exit(main())
