#!/usr/bin/python3
"""The page in a real browser: what views show, and what hands do with them.

usage: test-view.py WICK MAKE-TIMED PICTURES

Numbers are held against "wick report --json" on the same selection.  Pictures
of each view are left in the folder PICTURES.
"""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import browser  # noqa: E402
from page import View  # noqa: E402

WICK, MAKE_TIMED, PICTURES = sys.argv[1:4]
DATA = os.path.join(os.path.dirname(__file__), "..", "data")

VIEWS = ("flame", "top", "tree", "sandwich", "graph", "source", "labels",
         "about")

HOSTILE = [
    b"<img src=x onerror=alert(1)>", b"</script><script>alert(1)</script>",
    b"\xe2\x80\xaegnp.exe", b"\xff\xfe\xc0broken", b"x" * (1 << 20),
    b"javascript:alert(1)", b"${alert(1)}", b"\"'><svg onload=alert(1)>",
    b"%s%n%x", b"&lt;b&gt;", b"a (b) (c", b"a" * 48 + b"!",
]


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


# Numbers

def check_numbers(v, path):
    total, rows = report(path)
    same_rows(v.rows(), rows)
    assert v.run("wick.sum") == total


def check_types(v, path):
    types = v.run("wick.profile.meta.types.map((t) => t.type)")
    for i, name in enumerate(types):
        v.change(type=i)
        same_rows(v.rows(), report(path, "--type=" + name)[1])
    v.change(type=v.run("wick.profile.meta.usualType"))


def check_filters(v, path, name):
    """Each transformation that wick report has too gives its numbers."""
    fn = v.id(name)
    for op, option in (("focus", "--focus"), ("ignore", "--ignore"),
                       ("hide", "--hide"), ("root", "--show-from"),
                       ("only", "--show")):
        for how in ({"fn": fn}, {"text": f"^{name}$"}):
            v.change(transforms=[{"op": op, **how}])
            same_rows(v.rows(), report(path, f"{option}=^{name}$")[1])
    v.change(transforms=[])


def check_boxes(v, path):
    """Boxes are the call tree: children and self add up to each."""
    v.change(view="flame")
    boxes = v.boxes()
    total, rows = report(path)
    assert boxes[0]["value"] == total
    for i, b in enumerate(boxes):
        kids = sum(k["value"] for k in boxes if k["parent"] == i)
        assert abs(kids + b["self"] - b["value"]) < 1e-6 * total, b
    assert {b["name"] for b in boxes} - {"all"} <= set(rows)


# Hands

def check_hover(v, name):
    v.change(view="flame")
    at = v.box(name)
    v.page.hover(at["x"], at["y"])
    assert v.text("#status-name") == name
    assert "total" in v.text("#status-facts")


def check_click_and_zoom(v, name):
    at = v.box(name)
    v.page.click(at["x"], at["y"])
    v.rest()
    assert v.run("wick.profile.name(wick.state.fn)") == name
    assert v.text("#details h2") == name
    at = v.box(name)
    v.page.click(at["x"], at["y"])
    v.page.mouse("mousePressed", at["x"], at["y"], button="left",
                 clickCount=2)
    v.page.mouse("mouseReleased", at["x"], at["y"], button="left",
                 clickCount=2)
    v.rest()
    zoom = v.run("wick.state.zoom.map((f) => wick.profile.name(f))")
    assert zoom and zoom[-1] == name, zoom
    assert v.text("#crumbs [aria-current]") == name
    box = [b for b in v.boxes() if b["name"] == name][0]
    assert box["w"] == v.run("wick.view.canvas.boxes.total")
    v.key("Escape")
    assert len(v.run("wick.state.zoom")) == len(zoom) - 1
    v.click("#crumbs .crumb")
    assert v.run("wick.state.zoom") == []


def check_keyboard_walk(v):
    v.change(view="flame", fn=-1, zoom=[])
    v.run("wick.view.canvas.cursor = []; wick.view.focus()")
    v.key("ArrowDown")
    first = v.run("wick.profile.name(wick.state.fn)")
    assert first in v.text("#voice"), v.text("#voice")
    v.key("ArrowDown")
    second = v.run("wick.profile.name(wick.state.fn)")
    assert second != first
    v.key("ArrowUp")
    assert v.run("wick.profile.name(wick.state.fn)") == first
    v.key("ArrowDown")
    v.key("Enter")
    assert v.run("wick.profile.name(wick.state.zoom.at(-1))") == second
    v.change(zoom=[], fn=-1)


def check_search(v, path, text, name):
    v.run("document.body.focus(); document.activeElement.blur()")
    v.key("/")
    assert v.run("document.activeElement.id") == "search"
    v.page.type(text)
    v.page.wait("wick.state.search !== ''")
    v.rest()
    total, _ = report(path)
    kept = sum(flat for flat, _ in
               report(path, "--focus=(?i)" + text)[1].values())
    share = 100 * kept / total
    shown = v.text("#matched")
    assert shown.endswith("1 function"), shown
    assert abs(float(shown.split("%")[0]) - share) < 0.06, (shown, share)
    v.page.key("Enter")
    v.rest()
    assert v.run("wick.profile.name(wick.state.fn)") == name
    v.page.key("Escape")
    v.page.wait("wick.state.search === ''")
    v.rest()
    assert v.text("#matched") == ""


def check_menu(v, name):
    """Every entry of the menu, by mouse, and undone by Back."""
    v.change(view="flame", fn=-1, zoom=[])
    entries = {"Focus": "focus", "Drop": "ignore", "Root": "root",
               "Hide": "hide", "Collapse what": "below",
               "Collapse recursion": "recursion", "Only": "only"}
    for title, op in entries.items():
        at = v.box(name)
        v.page.hover(at["x"], at["y"])
        for kind in ("mousePressed", "mouseReleased"):
            v.page.mouse(kind, at["x"], at["y"], button="right",
                         clickCount=1)
        v.rest()
        items = v.run("[...document.querySelectorAll('.menu button')]"
                      ".map((b) => b.textContent)")
        which = [i for i, t in enumerate(items) if t.startswith(title)]
        v.click(".menu button", which[0])
        ops = v.run("wick.state.transforms.map((t) => t.op)")
        assert ops == [op], (title, ops)
        assert v.count(".chip") == 1
        v.run("history.back()")
        v.page.wait("wick.state.transforms.length === 0")
        v.rest()
        assert v.count(".menu") == 0


def check_transform_keys(v, name):
    fn = v.id(name)
    for key, op in (("f", "focus"), ("d", "ignore"), ("F", "root"),
                    ("h", "hide"), ("c", "below"), ("C", "module"),
                    ("r", "recursion")):
        v.change(fn=fn, transforms=[])
        v.run("document.activeElement.blur()")
        v.key(key)
        assert v.run("wick.state.transforms[0]?.op") == op, (key, op)
        v.key("x")
        assert v.run("wick.state.transforms.length") == 0, key
    v.change(fn=fn)
    v.key(".")
    assert v.count(".menu") == 1
    v.key("Escape")
    assert v.count(".menu") == 0
    v.key("?")
    assert v.count("dialog[open]") == 1
    v.page.key("Escape")
    v.page.wait("!document.querySelector('dialog[open]')")
    for key, view in zip("12345678", VIEWS):
        v.key(key)
        assert v.run("wick.state.view") == view
    v.key("1")
    for key, field in (("i", "reverse"), ("o", "flame"), ("b", "byName")):
        v.key(key)
        assert v.run("wick.state." + field) is True
        v.key(key)
        assert v.run("wick.state." + field) is False
    v.change(fn=-1)


def check_reverse(v, path):
    """Bottom up, the first row is what functions spend themselves."""
    _, rows = report(path)
    v.change(view="flame", reverse=True, zoom=[])
    boxes = [b for b in v.boxes() if b["parent"] == 0 and b["id"] >= 0]
    for b in boxes:
        assert b["value"] == rows[b["name"]][0], b
    v.change(reverse=False)


def check_top(v, path):
    v.change(view="top", sort="self")
    _, rows = report(path)
    names = v.run("[...document.querySelectorAll('.grid-row')]"
                  ".sort((a, b) => a.offsetTop - b.offsetTop)"
                  ".map((r) => r.querySelector('.name').textContent)")
    flats = [rows[n][0] for n in names]
    assert flats == sorted(flats, reverse=True), flats
    assert v.run("document.querySelector('.grid')"
                 ".getAttribute('aria-rowcount')") == str(len(rows) + 1)
    v.click(".grid-head button", 1)
    assert v.run("wick.state.sort") == "total"
    cums = [rows[n][1] for n in v.run(
        "wick.view.order.map((i) => "
        "wick.profile.name(wick.view.answer.ids[i]))")]
    assert cums == sorted(cums, reverse=True), cums
    v.click(".grid-row", 2)
    assert v.run("wick.state.fn") >= 0
    assert v.count("#details:not([hidden])") == 1
    v.change(sort="self")


def check_tree(v, path):
    total, rows = report(path)
    v.change(view="tree", open=[], fn=-1)
    roots = v.run("wick.view.rows.filter((r) => r.depth === 0)")
    assert sum(r["total"] for r in roots) == total
    v.run("wick.view.grid.select(0); wick.view.focus()")
    before = v.run("wick.view.rows.length")
    v.key("ArrowRight")
    after = v.run("wick.view.rows.length")
    if before == after:  # it was open
        v.key("ArrowLeft")
        after = v.run("wick.view.rows.length")
    assert before != after
    assert v.count("[role=treegrid] [aria-level]") > 0


def check_sandwich(v, path, name):
    _, rows = report(path)
    v.change(view="sandwich", fn=v.id(name))
    up = v.boxes("wick.view.callers")
    down = v.boxes("wick.view.callees")
    assert up[1]["name"] == down[1]["name"] == name
    assert up[1]["value"] == rows[name][1]
    assert down[1]["self"] == rows[name][0]
    edges = peek(path, name)
    callers = {b["name"]: b["value"] for b in up if b["parent"] == 1}
    assert set(callers) == edges, (callers, edges)


def peek(path, name):
    """Who calls a function, by wick report."""
    out = subprocess.run([WICK, "report", "peek", f"^{name}$", path],
                         check=True, capture_output=True, text=True,
                         timeout=60).stdout
    callers = set()
    for line in out.splitlines():
        left, bar, right = line.partition(" |   ")
        if not bar and line.endswith("| " + name):
            break
        if bar:
            callers.add(right.removesuffix(" (inline)").strip())
    return callers


def check_graph(v, path):
    _, rows = report(path)
    v.change(view="graph")
    nodes = v.run("wick.view.nodes")
    names = v.run("wick.view.nodes.map((n) => wick.profile.name(n.id))")
    for node, name in zip(nodes, names):
        assert (node["self"], node["total"]) == rows[name], name
    assert v.count(".graph-home .edge") > 0
    before = v.run("wick.view.box.w")
    v.key("+")
    assert v.run("wick.view.box.w") < before
    v.key("0")
    v.run("document.querySelectorAll('.node')[1].focus()")
    v.page.key("Enter")
    v.rest()
    assert v.run("wick.state.fn") == nodes[1]["id"]
    v.change(fn=-1)


def check_about(v, *texts):
    v.change(view="about")
    about = v.text(".about")
    for text in texts:
        assert text in about, (text, about)


def check_state(v, tab, name):
    """A link is the view; Back and forward go through its steps."""
    v.change(view="flame", transforms=[], fn=-1)
    v.change(transforms=[{"op": "focus", "fn": v.id(name)}])
    v.change(byName=True)
    v.change(view="top")
    rows = v.rows()
    other = View(tab, v.run("location.href"))
    assert other.run("wick.state") == v.run("wick.state")
    assert other.rows() == rows
    v.run("history.back()")
    v.page.wait("wick.state.view === 'flame'")
    v.run("history.back()")
    v.page.wait("wick.state.byName === false")
    v.run("history.forward()")
    v.page.wait("wick.state.byName === true")
    v.rest()
    v.change(byName=False, transforms=[])


def check_export(v, path):
    folded = v.run("wick.client.send('folded', wick.query(), {}, 0)")
    total, rows = report(path)
    counts = {}
    for line in folded.splitlines():
        stack, _, n = line.rpartition(" ")
        leaf = stack.split(";")[-1]
        counts[leaf] = counts.get(leaf, 0) + int(n)
    assert counts == {k: r[0] for k, r in rows.items() if r[0]}
    raw = v.run("""wick.client.send('pprof', wick.query(), {}, 0)
        .then((b) => Array.from(b))""")
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as f:
        f.write(gzip.compress(bytes(raw)))
        f.flush()
        again, same = report(f.name)
    assert again == total
    same_rows(same, rows)
    files = exported(v)
    assert files[0] == folded.encode()
    with tempfile.NamedTemporaryFile(suffix=".pb.gz") as f:
        f.write(files[1])
        f.flush()
        assert report(f.name)[0] == total
    check_svg(files[2], rows)
    assert files[3][:8] == b"\x89PNG\r\n\x1a\n", files[3][:8]


def exported(v):
    """What each entry of the export menu would save."""
    v.change(view="flame")
    v.run("""window.blobs = [];
        window.makeUrl = window.makeUrl || URL.createObjectURL;
        URL.createObjectURL = (b) => {
            blobs.push(b);
            return makeUrl.call(URL, b);
        }; HTMLAnchorElement.prototype.click = () => {}; 0""")
    for i in range(4):
        v.run("document.activeElement.blur()")
        v.key("e")
        assert v.count(".menu button") == 4
        v.click(".menu button", i)
        v.page.wait(f"blobs.length === {i + 1}")
    return [bytes(v.run(f"blobs[{i}].arrayBuffer().then((b) => "
                        "Array.from(new Uint8Array(b)))")) for i in range(4)]


def check_svg(text, names):
    picture = xml.dom.minidom.parseString(text)
    titles = {t.firstChild.data.split(", ")[0]
              for t in picture.getElementsByTagName("title")}
    assert titles <= set(names) | {"all"}, titles
    assert len(titles) > 1


def check_quiet(v, url):
    asked = [r for r in v.page.requests()
             if not r.startswith(("blob:", url.split("#")[0]))]
    assert not asked, asked
    assert not v.page.troubles(), v.page.troubles()


# Time, threads, labels

def check_threads(v, path):
    names = v.run("wick.profile.meta.threads.map((_, i) => "
                  "wick.profile.threadName(i))")
    assert sorted(names) == ["main 100", "worker 101", "worker 102"], names
    assert v.count(".track-name") == 3
    v.click(".track-name", 0)
    chosen = v.run("wick.profile.threadName(wick.state.threads[0])")
    tid = chosen.split()[1]
    same_rows(v.rows(), report(path, "--label=tid=" + tid)[1])
    v.click(".track-name", 0)
    assert v.run("wick.state.threads") is None
    v.run("document.activeElement.blur()")
    v.key("]")
    assert v.run("wick.state.threads.length") == 1
    v.key("t")
    assert v.run("wick.state.threads") is None


def check_range(v):
    """Dragging over the first second leaves only its samples."""
    at = v.run("""(() => { const r = document.querySelector('.brush-home')
        .getBoundingClientRect();
        return [r.left, r.top + r.height / 2, r.width]; })()""")
    third = at[2] / 3
    v.page.mouse("mouseMoved", at[0] + 1, at[1])
    v.page.mouse("mousePressed", at[0], at[1], button="left", clickCount=1)
    v.page.mouse("mouseMoved", at[0] + third / 2, at[1], button="left",
                 buttons=1)
    v.page.mouse("mouseReleased", at[0] + third, at[1], button="left",
                 clickCount=1)
    v.rest()
    low, high = v.run("wick.state.range")
    assert low < 10000 and abs(high - 1000000) < 20000, (low, high)
    v.change(range=[0, 1000000])
    rows = v.rows()
    assert "compress" not in rows
    # A third of 1000 is the main thread's; the others parse.
    assert rows["poll"][1] == 334 * 1000000, rows
    assert rows["parse"][1] == 666 * 1000000, rows
    v.key("}")
    assert v.run("wick.state.range[0]") == 1000000
    v.change(range=None)


def phases(v):
    return v.run("[...document.querySelectorAll('.phase')].map((b) => "
                 "b.textContent)")


def check_phases(v, path):
    """What marks named is a track; a click selects the range."""
    assert phases(v) == ["load", "run", "load"], phases(v)
    assert v.text(".phases-name") == "phases"
    at = v.run("""(() => { const r = document.querySelectorAll('.phase')[1]
        .getBoundingClientRect();
        return [r.left + r.width / 2, r.top + 9]; })()""")
    v.page.hover(*at)
    assert v.text("#status-name") == "run"
    assert v.text("#status-facts") == "1s, 1s – 2s", v.text("#status-facts")
    v.page.click(*at)
    v.rest()
    assert v.run("wick.state.range") == [1000000, 2000000]
    same_rows(v.rows(), report(path, "--label=phase=run")[1])
    assert v.run("document.querySelectorAll('.phase')[1]"
                 ".getAttribute('aria-pressed')") == "true"
    v.click(".phase", 1)
    assert v.run("wick.state.range") is None
    for key, low in ((">", 0), (">", 1000000), (">", 2500000), (">", 2500000),
                     ("<", 1000000)):
        v.key(key)
        assert v.run("wick.state.range[0]") == low, (key, low)
    v.change(range=None)
    v.run("document.querySelector('.phase').focus()")
    v.page.key("ArrowRight")
    assert v.run("document.activeElement.textContent") == "run"
    v.run("document.activeElement.blur()")


def check_untimed_phases(v, path):
    """Without times a phase is a share, and its click a filter."""
    assert phases(v) == ["load", "run"], phases(v)
    v.click(".phase", 1)
    same_rows(v.rows(), report(path, "--label=phase=run")[1])
    assert v.count(".chip") == 1
    v.click(".phase", 1)
    assert v.count(".chip") == 0


def check_labels(v, path):
    v.change(view="labels")
    keys = v.run("[...document.querySelectorAll('.facets h2')]"
                 ".map((h) => h.textContent)")
    assert "request (2)" in keys, keys
    v.run("[...document.querySelectorAll('.facet button')].find((b) => "
          "b.getAttribute('aria-label') === 'only request /get').click()")
    v.rest()
    same_rows(v.rows(), report(path, "--label=request=/get")[1])
    v.key("x")
    v.run("[...document.querySelectorAll('.facet button')].find((b) => "
          "b.getAttribute('aria-label') === 'not request /get').click()")
    v.rest()
    same_rows(v.rows(), report(path, "--label=request=/put")[1])
    v.change(labels=[], view="flame")


def check_groups(v, path):
    """Grouped by a label, each of its values is a box with its own calls."""
    v.change(view="labels")
    v.run("[...document.querySelectorAll('.facets button')].find((b) => "
          "b.getAttribute('aria-label') === 'group by request').click()")
    v.rest()
    boxes = v.boxes()
    first = {b["name"]: b["value"] for b in boxes if b["parent"] == 0}
    for value in ("/get", "/put"):
        total = sum(r[0] for r in
                    report(path, "--label=request=" + value)[1].values())
        assert first[f"[{value}]"] == total, first
    assert len([b for b in boxes if b["name"] == "_start"]) == 2
    at = v.box("[/get]")
    v.run(f"wick.view.canvas.zoomTo({at['box']})")
    v.rest()
    assert v.run("wick.view.canvas.boxes.total") == first["[/get]"]
    v.change(group=0, zoom=[])


def check_recursion(v):
    parses = [b for b in v.boxes() if b["name"] == "parse"]
    assert len(parses) == 2, parses
    v.change(transforms=[{"op": "recursion"}])
    parses = [b for b in v.boxes() if b["name"] == "parse"]
    assert len(parses) == 1, parses
    v.change(transforms=[{"op": "below", "fn": v.id("serve")}])
    assert v.rows()["serve"][0] == v.run("wick.sum")
    v.change(transforms=[{"op": "module", "module": v.run(
        f"wick.profile.functionModule[{v.id('memcpy')}]")}])
    assert any(b["name"] == "[/lib/libc.so.6]" for b in v.boxes())
    v.change(transforms=[])


def check_sparks(v):
    v.change(view="top")
    v.page.wait("document.querySelectorAll('.spark canvas').length > 3")
    v.change(view="flame")


# Comparison

def check_compare(v, old, new):
    total, now = report(new)
    was_total, was = report(old)
    v.change(view="top", fn=-1)
    got = v.run("""wick.client.send('rows', wick.query(), {}, 0).then((a) =>
        Array.from(a.ids, (id, i) => [wick.profile.name(id), a.self[i],
            a.beforeSelf[i]]))""")
    for name, after, before in got:
        assert after == now.get(name, (0, 0))[0], name
        assert before == was.get(name, (0, 0))[0], name
    assert v.count(".more, .less, .noise") > 0
    v.change(view="flame")
    assert v.run("wick.view.canvas.compare") is True


# Names

def check_hostile(v, url):
    assert v.run("document.images.length") == 0
    names = v.run("Array.from({length: wick.profile.functions}, "
                  "(_, i) => wick.profile.name(i))")
    assert "<img src=x onerror=alert(1)>" in names
    assert "\\u{202e}gnp.exe" in names
    assert any(n.startswith("\ufffd") for n in names)
    assert max(map(len, names)) < 5000
    for view in VIEWS:
        v.change(view=view, fn=0)
        assert v.run("document.querySelectorAll("
                     "'#stage img, #stage script').length") == 0, view
    v.change(view="flame")
    for b in v.boxes()[:8]:
        at = v.box(b["name"])
        v.page.hover(at["x"], at["y"])
    v.change(search="img", fn=1)
    v.key(".")
    v.key("Escape")
    check_quiet(v, url)
    xml.dom.minidom.parseString(exported(v)[2])


def check_access(v):
    """Everything that can be used has a name."""
    tree = v.page.call("Accessibility.getFullAXTree")["nodes"]
    for node in tree:
        role = node.get("role", {}).get("value")
        if role in ("button", "tab", "textbox", "searchbox", "combobox",
                    "grid", "treegrid", "application", "menuitem") and \
                not node.get("ignored"):
            assert node.get("name", {}).get("value"), (role, node)


def check_endless(v):
    """A regular expression that never ends is taken back."""
    v.change(search="", view="flame")
    v.run("wick.client.patience = 1000; wick.change({search: '(a+)+$'}); 0")
    v.page.wait("wick.state.search === '' && !wick.busy")
    v.rest()
    assert "too long" in v.text(".toast"), v.text(".toast")
    v.run("wick.client.patience = 8000; 0")
    v.change(search="img")
    assert "2 functions" in v.text("#matched") or \
        "1 function" in v.text("#matched"), v.text("#matched")
    assert len(v.boxes()) > 5


def find_axe():
    """axe-core, fetched once where there is npm and a network; or None."""
    home = os.path.join(PICTURES, "..", "axe")
    path = os.path.join(home, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(path) and shutil.which("npm"):
        os.makedirs(home, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--silent", "--prefix", home,
                            "axe-core@4"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=40)
        except subprocess.TimeoutExpired:
            print("# npm does not answer")
    return path if os.path.exists(path) else None


def check_axe(v, axe):
    with open(axe) as f:
        program = f.read()
    for view in VIEWS:
        v.change(view=view, fn=0, search="a")
        v.run(program + ";0")
        bad = v.run("""axe.run(document, {resultTypes: ['violations']}).then(
            (r) => r.violations.filter((x) =>
                x.impact === 'serious' || x.impact === 'critical')
            .map((x) => [x.id, x.nodes[0].html.slice(0, 200)]))""")
        assert not bad, (view, bad)
    v.change(view="flame", fn=-1, search="")


def check_own_code(v, path):
    v.key("w")
    assert set(v.rows()) == {"_start", "serve", "parse", "compress"}
    same_rows(v.rows(), report(path, "--show=/bin/server")[1])
    v.key("w")
    assert v.run("wick.state.transforms") == []


def check_narrow(v):
    v.page.resize(390, 760)
    v.rest()
    for view in ("flame", "top", "tree", "about"):
        v.change(view=view)
        assert v.run("document.documentElement.scrollWidth") <= 390, view
        if view in ("top", "tree"):
            assert v.run("""document.querySelector('.grid-row .name')
                .getBoundingClientRect().left""") < 250, view
        v.picture(os.path.join(PICTURES, f"phone-{view}.png"))
    v.page.resize(1280, 800)
    v.rest()
    v.change(view="flame")


def check_size(path, most):
    assert os.path.getsize(path) <= most, os.path.getsize(path)


def take_pictures(tab, url, names, dark):
    v = View(tab, url, dark=dark)
    for view in VIEWS:
        v.change(view=view, fn=v.id(names) if view == "sandwich" else -1)
        v.picture(os.path.join(PICTURES,
                               f"{view}{'-dark' if dark else ''}.png"))
    assert not v.page.troubles(), v.page.troubles()


def test_server(t, tab, folder):
    path = os.path.join(DATA, "server.pb.gz")
    url = save(os.path.join(folder, "server.html"), path)
    v = View(tab, url)
    _, rows = report(path)
    name = sorted(rows, key=lambda n: -rows[n][0])[0]
    t.run("numbers are those of wick report", check_numbers, v, path)
    t.run("of every sample type", check_types, v, path)
    t.run("and under every filter", check_filters, v, path, name)
    t.run("boxes add up", check_boxes, v, path)
    t.run("hovering tells at once", check_hover, v, name)
    t.run("a click selects, two zoom", check_click_and_zoom, v, name)
    t.run("arrow keys walk", check_keyboard_walk, v)
    t.run("search says what it matched", check_search, v, path,
          name.lower()[:40], name)
    t.run("the menu filters, Back undoes it", check_menu, v, name)
    t.run("keys do what the sheet says", check_transform_keys, v, name)
    t.run("bottom up begins with what ran", check_reverse, v, path)
    t.run("the table is in order", check_top, v, path)
    t.run("the tree opens and closes", check_tree, v, path)
    t.run("the sandwich has callers and callees", check_sandwich, v, path,
          name)
    t.run("the graph has the table's numbers", check_graph, v, path)
    t.run("what is shown can be saved", check_export, v, path)
    t.run("a link keeps the state", check_state, v, tab, name)
    t.run("everything to use has a name", check_access, v)
    t.run("it fits a phone", check_narrow, v)
    t.run("nothing is fetched, nothing goes wrong", check_quiet, v, url)


def test_timed(t, tab, folder):
    path = os.path.join(folder, "timed.wick")
    subprocess.run([MAKE_TIMED, path], check=True, timeout=60)
    page = os.path.join(folder, "timed.html")
    url = save(page, path)
    v = View(tab, url)
    t.run("threads are tracks", check_threads, v, path)
    t.run("dragging chooses a range of time", check_range, v)
    t.run("phases are a track", check_phases, v, path)
    t.run("labels filter", check_labels, v, path)
    t.run("labels group", check_groups, v, path)
    t.run("frames are folded", check_recursion, v)
    t.run("my code is what is left of it", check_own_code, v, path)
    axe = find_axe()
    if axe:
        t.run("axe finds no serious violation", check_axe, v, axe)
    else:
        t.skip("axe finds no serious violation", "there is no axe-core")
    t.run("the table has lines over time", check_sparks, v)
    t.run("the page says what is missing", check_about, v,
          "7 samples were lost", "/bin/server", "how long3s")
    t.run("a small profile is a small page", check_size, page, 300000)
    t.run("nothing goes wrong with times", check_quiet, v, url)
    bare = os.path.join(folder, "untimed.pb.gz")
    subprocess.run([WICK, "convert", path, bare], check=True, timeout=60)
    v = View(tab, save(os.path.join(folder, "untimed.html"), bare))
    t.run("phases without times are shares", check_untimed_phases, v, path)
    for dark in (False, True):
        t.run(f"pictures of all views, {'dark' if dark else 'light'}",
              take_pictures, tab, url, "parse", dark)


def test_others(t, tab, folder):
    old = os.path.join(DATA, "server-old.pb.gz")
    new = os.path.join(DATA, "server.pb.gz")
    url = save(os.path.join(folder, "diff.html"), "--diff", old, new)
    v = View(tab, url)
    t.run("a comparison has both numbers", check_compare, v, old, new)
    v.picture(os.path.join(PICTURES, "diff.png"))
    t.run("nothing goes wrong with two", check_quiet, v, url)
    both = View(tab, save(os.path.join(folder, "two.html"), old, new))
    t.run("two profiles are two tabs", check_tabs, both, old, new)
    bad = os.path.join(folder, "hostile.folded")
    with open(bad, "wb") as f:
        for name in HOSTILE:
            f.write(b"main;" + name + b" 5\n")
        f.write(b";".join(HOSTILE) + b" 5\n")
    url = save(os.path.join(folder, "hostile.html"), bad)
    v = View(tab, url)
    t.run("names are text and nothing else", check_hostile, v, url)
    t.run("an endless search ends", check_endless, v)


# The walk of docs/walk.md

def record(folder):
    """A recording of the example server under load, or None."""
    examples = os.path.join(os.path.dirname(os.path.abspath(WICK)), "examples")
    path = os.path.join(folder, "tracker.wick")
    load = os.path.join(examples, "tracker-load")
    if not os.path.exists(load):
        return None
    with subprocess.Popen([load, "3"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as client:
        subprocess.run([WICK, "record", "-q", "-o", path, "--",
                        os.path.join(examples, "tracker"), "2"],
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=60)
        client.terminate()
    return path if os.path.exists(path) else None


def check_walk(v):
    """Three clicks: the table, my code, the function at its top."""
    def shoot(n):
        v.picture(os.path.join(PICTURES, f"walk-{n}.png"))

    shoot(0)
    v.click("#tab-top")
    shoot(1)
    v.click("#crumbs .option")
    names = v.run("wick.view.order.map((i) => wick.profile.name("
                  "wick.view.answer.ids[i]))")
    assert "serve_one" in names and "do_syscall_64" not in names, names
    row = names.index("find_torrent")
    assert row < 8, names
    top = v.run(f"""[...document.querySelectorAll('.grid-row')].find((r) =>
        r.querySelector('.name').textContent === 'find_torrent')
        .getBoundingClientRect().top""")
    v.page.click(600, top + 8)
    v.rest()
    assert v.text("#details h2") == "find_torrent"
    assert "swarm.c" in v.text("#details")
    shoot(2)
    v.click("#tab-source")
    v.page.wait("!!document.querySelector('.source tr.hot')")
    assert "memcmp" in v.text(".source tr.hot"), v.text(".source")
    shoot(3)


def test_walk(t, tab, folder):
    path = record(folder)
    if not path:
        t.skip("three clicks lead to the function to fix",
               "nothing can be recorded here")
        return
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with subprocess.Popen([os.path.abspath(WICK), "view", "--no-open", path],
                          cwd=root, stdout=subprocess.PIPE,
                          text=True) as server:
        try:
            v = View(tab, server.stdout.readline().strip(), 1000, 560)
            t.run("three clicks lead to the function to fix", check_walk, v)
        finally:
            server.terminate()


# Served

def source_rows(v):
    """The lines that cost something: {line: (self, total)}, in numbers."""
    got = v.run("""wick.client.send('lines', wick.query(),
        {fn: wick.state.fn}, 0).then((a) => a.lines)""")
    return {line: (flat, cum) for line, flat, cum in got if cum}


def check_source(v, path):
    for name in ("parse", "memcpy", "serve"):
        v.change(view="source", fn=v.id(name))
        got = v.run("""wick.client.send('lines', wick.query(),
            {fn: wick.state.fn}, 0).then((a) => a.lines)""")
        total, rows = report(path)
        assert len(got) == 1, got
        assert (got[0][1], got[0][2]) == rows[name], (name, got)
    v.change(range=[0, 1000000])
    assert source_rows(v) == {20: (0, 1000 * 1000000)}, source_rows(v)
    v.change(range=None, fn=v.id("parse"))
    shown = v.run("[...document.querySelectorAll('.source tr.hot')].map("
                  "(r) => r.textContent)")
    assert len(shown) == 1 and "30" in shown[0], shown


def check_source_text(v, folder):
    text = v.text(".source")
    assert "the parser <b>itself</b>" in text, text
    assert v.count(".source b") == 0
    assert v.count(".source tr[data-line]") >= 8


def check_addresses(tab, url, name):
    """pprof's addresses lead to the same page."""
    for path, view in (("top", "top"), ("flamegraph", "flame"),
                       ("peek", "sandwich"), ("source", "source"),
                       ("graph", "graph"), ("disasm", "source")):
        v = View(tab, f"{url}{path}?f={name}&si=samples")
        assert v.run("wick.state.view") == view, path
        assert v.run("wick.state.transforms") == [
            {"op": "focus", "text": name}], path
        assert v.run("wick.profile.meta.types[wick.state.type].type") == \
            "samples"
        assert not v.page.troubles(), v.page.troubles()
        v.page.call("Page.close")


def test_served(t, tab, folder):
    path = os.path.join(folder, "timed.wick")
    with open(os.path.join(folder, "parse.c"), "w") as f:
        f.writelines(f"line {i}\n" for i in range(1, 30))
        f.write("\tthe parser <b>itself</b>\n" + "more\n" * 20)
    env = {k: x for k, x in os.environ.items()
           if k not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
    with subprocess.Popen([os.path.abspath(WICK), "view", path], cwd=folder,
                          stdout=subprocess.PIPE, env=env,
                          text=True) as server:
        try:
            url = server.stdout.readline().strip()
            v = View(tab, url)
            t.run("a served page has the same numbers", check_numbers, v,
                  path)
            t.run("source has its lines' numbers", check_source, v, path)
            t.run("and its text", check_source_text, v, folder)
            v.picture(os.path.join(PICTURES, "source.png"))
            t.run("nothing goes wrong when served", check_quiet, v, url)
            t.run("pprof's addresses are views", check_addresses, tab, url,
                  "parse")
        finally:
            server.terminate()


def check_nothing(v):
    """Selections of nothing, and profiles of it, are shown as such."""
    for view in VIEWS:
        v.change(view=view)
        assert not v.page.troubles(), (view, v.page.troubles())
    v.change(view="flame")
    assert v.run("wick.view.canvas.boxes.all") == 0


def test_nothing(t, tab, folder):
    bare = os.path.join(folder, "bare.pb")
    with open(bare, "wb") as f:
        f.write(bytes.fromhex("0a04080110023200") + b"2\x01a2\x01b")
    v = View(tab, save(os.path.join(folder, "bare.html"), bare))
    t.run("a profile without samples is a page", check_nothing, v)
    v = View(tab, save(os.path.join(folder, "none.html"),
                       os.path.join(DATA, "server.pb.gz")))
    v.change(transforms=[{"op": "focus", "text": "no such name"}])
    t.run("so is a selection without any", check_nothing, v)


def check_tabs(v, old, new):
    assert v.count("#files button") == 2
    same_rows(v.rows(), report(old)[1])
    v.click("#files button", 1)
    same_rows(v.rows(), report(new)[1])


def main():
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
            test_server(t, tab, link)
            test_timed(t, tab, link)
            test_served(t, tab, link)
            test_walk(t, tab, link)
            test_others(t, tab, link)
            test_nothing(t, tab, link)
        finally:
            os.unlink(link)
    print(f"1..{t.number}")
    return t.failed != 0


sys.exit(main())
