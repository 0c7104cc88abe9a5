"""What the tests of the page have in common.

They are called with: WICK MAKE-TIMED PICTURES.  Numbers are held against "wick
report" on the same selection; pictures are left in the folder PICTURES.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import browser  # noqa: E402

WICK, MAKE_TIMED, PICTURES = sys.argv[1:4]
DATA = os.path.join(os.path.dirname(__file__), "..", "data")

VIEWS = ("flame", "top", "tree", "sandwich", "graph", "source", "labels",
         "about")


def save(out, *args):
    subprocess.run([WICK, "view", "--save=" + out, *args], check=True,
                   stdin=subprocess.DEVNULL, timeout=120)
    return "file://" + out


def report(path, *options):
    out = subprocess.run([WICK, "report", "--json", "--all", *options, path],
                         check=True, capture_output=True, timeout=60).stdout
    answer = json.loads(out)
    rows = {r["name"]: (r["flat"], r["cum"]) for r in answer["rows"]
            if r["flat"] or r["cum"]}
    return answer["total"], rows


class Tests:
    def __init__(self):
        self.number = self.failed = 0

    def run(self, name, check, *args):
        self.number += 1
        try:
            check(*args)
            print(f"ok {self.number} - {name}", flush=True)
        except (AssertionError, KeyError, RuntimeError, TypeError,
                IndexError) as error:
            self.failed += 1
            print(f"# {type(error).__name__}: {str(error)[:2000]}")
            print(f"not ok {self.number} - {name}", flush=True)

    def skip(self, name, reason):
        self.number += 1
        print(f"ok {self.number} - {name} # SKIP {reason}", flush=True)


def same_rows(got, want):
    assert got == want, {k: (got.get(k), want.get(k))
                         for k in set(got) | set(want)
                         if got.get(k) != want.get(k)}


def check_numbers(v, path):
    total, rows = report(path)
    same_rows(v.rows(), rows)
    assert v.run("wick.sum") == total


def check_quiet(v, url):
    asked = [r for r in v.page.requests()
             if not r.startswith(("blob:", url.split("#")[0]))]
    assert not asked, asked
    assert not v.page.troubles(), v.page.troubles()


def check_size(path, most):
    assert os.path.getsize(path) <= most, os.path.getsize(path)


def write_sources(folder):
    """What make-timed says that the program was made of."""
    for name in ("start.c", "serve.c", "memcpy.S", "compress.c", "hash.c"):
        with open(os.path.join(folder, name), "w") as f:
            f.writelines(f"line {i} of {name}\n" for i in range(1, 100))
    with open(os.path.join(folder, "parse.c"), "w") as f:
        f.writelines(f"line {i}\n" for i in range(1, 30))
        f.write("\tthe parser <b>itself</b>\n" + "more\n" * 20)


def make_timed(folder):
    """A recording of known numbers, and the sources of what was recorded."""
    path = os.path.join(folder, "timed.wick")
    subprocess.run([MAKE_TIMED, path], check=True, timeout=60)
    write_sources(folder)
    return path


def run(*parts):
    """Runs parts of a test, each with a browser and a folder."""
    if not browser.find():
        print("1..0 # SKIP there is no chromium")
        return 77
    os.makedirs(PICTURES, exist_ok=True)
    t = Tests()
    with tempfile.TemporaryDirectory(prefix="wick view ") as folder, \
            browser.Browser() as tab:
        link = os.path.join(tempfile.gettempdir(), f"wick-view-{os.getpid()}")
        os.symlink(folder, link)
        try:
            for part in parts:
                part(t, tab, link)
        finally:
            os.unlink(link)
    print(f"1..{t.number}")
    return t.failed != 0
