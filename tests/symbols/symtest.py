"""What the tests of symbols share: verdicts, programs, questions to wick."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHAIN = os.path.join(HERE, "chain.c")
NAMES = ["innermost", "middle", "outermost"]


class Tests:
    """Verdicts as TAP; a folder of its own; wick with a cache of its own."""

    def __init__(self, wick):
        self.wick = os.path.abspath(wick)
        self.number = 0
        self.failed = 0
        self.folder = tempfile.mkdtemp(prefix="wick-symbols-")
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("DEBUGINFOD_URLS", "COLUMNS")}
        self.env["XDG_CACHE_HOME"] = self.path("cache")

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def check(self, name, holds, seen=""):
        self.number += 1
        self.failed += not holds
        if not holds:
            print("# saw:", repr(seen)[:2000])
        print("ok" if holds else "not ok", self.number, "-", name, flush=True)

    def skip(self, name, reason):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {reason}", flush=True)

    def end(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        print(f"1..{self.number}")
        sys.exit(1 if self.failed else 0)

    def run(self, *command, **options):
        """Runs a tool that must work; returns what it printed."""
        r = subprocess.run(command, text=True, env=self.env,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           cwd=self.folder, **options)
        if r.returncode:
            raise RuntimeError(f"{command}: {r.stdout}{r.stderr}")
        return r.stdout

    def ask(self, *args, env=None, before=()):
        """Runs wick; returns its status, output and errors."""
        r = subprocess.run([*before, self.wick, *args], text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, cwd=self.folder,
                           env={**self.env, **(env or {})}, errors="replace")
        return r.returncode, r.stdout, r.stderr

    def frames(self, *args, **options):
        """The frames that wick symbolize --json gives for one address."""
        status, out, err = self.ask("symbolize", "--json", *args, **options)
        if status:
            return err
        return json.loads(out)["frames"]

    def compile(self, name, *flags, source=CHAIN, compiler="gcc"):
        """Makes a program or object file of name from source."""
        self.run(compiler, "-g", "-O1", "-o", name, source, *flags)
        return self.path(name)


def functions(frames):
    """Their names, if they are frames and not an error."""
    if isinstance(frames, str):
        return frames
    return [f["function"] for f in frames]


def is_chain(frames):
    """Whether these are the frames of chain.c, with files and lines."""
    return (functions(frames) == NAMES and
            all(f.get("file", "").endswith("chain.c") and f["line"]
                for f in frames))


class Running:
    """A program that has printed an address and waits."""

    def __init__(self, *command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True,
                                        **options)
        self.address = self.process.stdout.readline().strip()
        self.pid = str(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()

    def base(self):
        """Where the program's own file starts in memory."""
        with open(f"/proc/{self.pid}/maps") as maps:
            return int(maps.readline().split("-")[0], 16)

    def file_address(self):
        """The address as the file has it, if it is position-independent."""
        return hex(int(self.address, 16) - self.base())


def chain_address(program):
    """The address that the program prints, as its own file has it."""
    with Running(program) as p:
        return p.file_address()


def have(*tools):
    return all(shutil.which(t) for t in tools)


def needs_root(tests, name):
    """Skips the test unless this is a root who may make namespaces."""
    if os.geteuid():
        tests.skip(name, "needs root")
        return True
    if subprocess.run(["unshare", "-m", "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        tests.skip(name, "this root may not make namespaces")
        return True
    return False
