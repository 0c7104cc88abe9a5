#!/usr/bin/python3
"""Open flame graphs in a real browser, use them, and check what is shown.

usage: test-flame.py WICK
"""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the source tree stays as it is
import browser  # noqa: E402

WICK = os.path.abspath(sys.argv[1])
CONTROL, SHIFT = 2, 8

STACKS = b"""main;serve;parse;malloc 10
main;serve;parse 15
main;serve;Write;malloc 20
main;serve;Write;sys_write_[k] 15
main;idle 40
"""

HOSTILE = [
    b"<img src=x onerror=alert(1)>", b"]]><script>alert(1)</script>",
    b"--><svg onload=alert(1)>", b"\" onmouseover=\"alert(1)", b"&amp;&lt;",
    b"\xff\xfe\xc3", b"\x01\x1b[31m\x7f", "\u202egnp.exe".encode(),
    "\u200b\u2066x\u2069".encode(), b"${alert(1)}", b"javascript:alert(1)",
    "名前と\U0001f525".encode(), b"%s%n", b"(", b"a (b", b"A" * 1000000,
]


class Graph:
    """A flame graph in a tab, and what a person would see of it."""

    def __init__(self, tab, path, size=(1280, 800), **more):
        self.page = tab.open("file://" + path, *size, **more)
        self.page.wait("document.querySelector('.tools input') !== null")

    def shown(self):
        """{name: (left, top, width)} of the boxes that are there."""
        return {n: tuple(r) for n, r in self.page.run("""
            [...document.querySelectorAll('.boxes > g')]
            .filter((g) => g.style.display !== 'none')
            .map((g) => {
                const r = g.querySelector('rect').getBoundingClientRect();
                const t = g.querySelector('title').textContent;
                return [t.slice(0, t.lastIndexOf(' (')),
                        [r.left, r.top, r.width]];
            })""")}

    def text(self, part):
        return self.page.run(f"document.querySelector('{part}').textContent")

    def over(self, name):
        left, top, width = self.shown()[name]
        return left + width / 2, top + 8

    def hover(self, name):
        self.page.hover(*self.over(name))
        return self.text(".details")

    def click(self, name):
        self.page.click(*self.over(name))

    def search(self, text):
        self.page.key("/")
        self.page.type(text)
        self.page.wait("document.querySelector('.matched').textContent !== ''")
        return self.text(".matched")

    def hits(self):
        return self.page.run("""[...document.querySelectorAll('.hit title')]
            .map((t) => t.textContent.split(' (')[0])""")

    def quiet(self, path):
        """Nothing was asked for but the file, and nothing went wrong."""
        asked = [u for u in self.page.requests() if u != "file://" + path]
        return asked == [] and self.page.troubles() == []


def draw(folder, name, stacks, *options):
    path = os.path.join(folder, name)
    subprocess.run([WICK, "flame", "-o", path, *options, "-"], input=stacks,
                   check=True)
    return path


def close(a, b):
    return abs(a - b) < 1.5


def check_hover(g):
    assert g.text(".details").startswith("hover for details")
    assert g.hover("parse") == \
        "25 samples, 25.00%, self 15.00% · parse", g.text(".details")
    assert g.hover("main") == "100 samples, 100.00% · main"


def check_widths(g):
    s = g.shown()
    assert close(s["all"][2], 1280 - 20), s["all"]
    assert close(s["idle"][2], 0.4 * s["all"][2])
    assert s["main"][1] < s["all"][1], "the root is at the bottom"
    assert s["main"][1] < s["all"][1] < 800


def check_zoom(g):
    g.click("Write")
    s = g.shown()
    assert close(s["Write"][2], s["all"][2]), s
    assert close(s["malloc"][2], s["Write"][2] * 20 / 35), s
    assert "idle" not in s and "parse" not in s
    assert "57.14% of what is shown" in g.hover("malloc")
    assert "zoom=" in g.page.run("location.hash")


def check_reset(g):
    before = g.shown()
    g.page.click(640, 790)
    assert "idle" in g.shown() and "idle" not in before
    g.click("serve")
    assert "idle" not in g.shown()
    g.page.key("Escape")
    assert "idle" in g.shown()
    g.click("serve")
    x, y = g.page.run("""(() => {
        const r = document.querySelector('.reset').getBoundingClientRect();
        return [r.left + r.width / 2, r.top + r.height / 2]; })()""")
    g.page.click(x, y)
    assert "idle" in g.shown() and g.page.run("location.hash") == ""


def check_search(g):
    assert g.search("malloc") == "Matched: 30.00% (2 boxes)"
    assert g.hits() == ["malloc", "malloc"]
    g.page.key("Escape")
    assert g.hits() == [] and g.text(".matched") == ""
    # One within another counts once; lower case finds upper case as well.
    assert g.search("write|serve") == "Matched: 60.00% (3 boxes)"
    g.page.key("Escape")
    assert g.search("W") == "Matched: 35.00% (1 box)"
    g.page.key("Escape")
    assert g.search("(").startswith("Matched: 0.00%")
    g.page.key("Escape")
    g.page.key("f", CONTROL)
    assert g.page.run("document.activeElement.tagName.toLowerCase()") == \
        "input"
    g.page.key("Escape")


def check_keys(g):
    walk = [("ArrowUp", "all"), ("ArrowUp", "main"), ("ArrowUp", "serve"),
            ("ArrowLeft", "idle"), ("ArrowRight", "serve"),
            ("ArrowDown", "main")]
    for key, name in walk:
        g.page.key(key)
        assert g.text(".details").endswith("· " + name), \
            (key, name, g.text(".details"))
    g.page.key("ArrowUp")
    g.page.key("Enter")
    assert "idle" not in g.shown()
    g.page.key("Backspace")
    assert "idle" in g.shown()
    g.page.key("Escape")


def check_state(tab, g, path):
    g.click("serve")
    g.search("malloc")
    again = Graph(tab, path + g.page.run("location.hash"))
    assert "idle" not in again.shown()
    assert again.text(".matched") == "Matched: 50.00% (2 boxes)"
    again.page.key("Escape")
    again.page.key("Escape")


def check_narrow(g):
    g.page.resize(400, 600)
    g.page.wait("document.querySelector('svg.wick')"
                ".getAttribute('viewBox').startsWith('0 0 400 ')")
    s = g.shown()
    assert close(s["all"][2], 380), s
    for g_text in g.page.run("""[...document.querySelectorAll('.boxes > g')]
            .filter((g) => g.style.display !== 'none' &&
                    g.querySelector('text'))
            .map((g) => [g.querySelector('text').getComputedTextLength(),
                         g.querySelector('rect').getBBox().width])"""):
        assert g_text[0] <= g_text[1], g_text


def check_quiet(g, path):
    assert g.quiet(path), (g.page.requests(), g.page.troubles())


def check_hostile(tab, path):
    assert os.path.getsize(path) < 100000
    g = Graph(tab, path)
    names = g.page.run("""[...document.querySelectorAll('.boxes title')]
        .map((t) => t.textContent)""")
    assert len(names) == b";".join(HOSTILE).count(b";") + 2, len(names)
    assert any("<img src=x onerror=alert(1)>" in n for n in names)
    assert any("\\u{202e}gnp.exe" in n for n in names)
    assert any(n.startswith("a (b (") for n in names)
    assert max(map(len, names)) < 400
    for name in list(g.shown())[:6]:
        g.hover(name)
    g.search("img")
    assert g.quiet(path), (g.page.requests(), g.page.troubles())
    assert g.page.run("document.images.length") == 0
    assert g.page.run("document.querySelectorAll('script').length") == 1


def main():
    if not browser.find():
        print("1..0 # SKIP there is no chromium")
        return 77
    failed = number = 0

    def test(name, check, *args):
        nonlocal failed, number
        number += 1
        try:
            check(*args)
            print(f"ok {number} - {name}", flush=True)
        except (AssertionError, KeyError, RuntimeError) as error:
            failed += 1
            print(f"# {type(error).__name__}: {error}")
            print(f"not ok {number} - {name}", flush=True)

    with tempfile.TemporaryDirectory(prefix="wick flame #") as folder, \
            browser.Browser() as tab:
        # A path with a space and a '#' has to be quoted in an address.
        link = os.path.join(tempfile.gettempdir(),
                            f"wick-flame-{os.getpid()}")
        os.symlink(folder, link)
        try:
            for form in ("svg", "html"):
                path = draw(link, "graph." + form, STACKS)
                g = Graph(tab, path)
                test(f"{form}: widths are shares", check_widths, g)
                test(f"{form}: hovering tells at once", check_hover, g)
                test(f"{form}: a click zooms", check_zoom, g)
                test(f"{form}: and there are ways back", check_reset, g)
                test(f"{form}: search says what it matched", check_search, g)
                test(f"{form}: arrow keys walk", check_keys, g)
                test(f"{form}: a link keeps the state", check_state, tab, g,
                     path)
                test(f"{form}: it fits a narrow window", check_narrow, g)
                test(f"{form}: nothing is fetched, nothing goes wrong",
                     check_quiet, g, path)
                hostile = draw(link, "hostile." + form,
                               b";".join(HOSTILE) + b" 5\n", "--icicle")
                test(f"{form}: names are text and nothing else",
                     check_hostile, tab, hostile)
        finally:
            os.unlink(link)
    print(f"1..{number}")
    return failed != 0


sys.exit(main())
