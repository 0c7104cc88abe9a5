#!/usr/bin/python3
"""The page in a real browser: what views show, and what hands do with them.

usage: test-view.py WICK MAKE-TIMED PICTURES
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import xml.dom.minidom

sys.dont_write_bytecode = True
from checking import (DATA, PICTURES, VIEWS, WICK, check_numbers,  # noqa: E402
                      check_quiet, report, run, same_rows, save)
from page import View  # noqa: E402
from pprofile import Profile  # noqa: E402


HOSTILE = [
    b"<img src=x onerror=alert(1)>", b"</script><script>alert(1)</script>",
    b"\xe2\x80\xaegnp.exe", b"\xff\xfe\xc0broken", b"x" * (1 << 20),
    b"javascript:alert(1)", b"${alert(1)}", b"\"'><svg onload=alert(1)>",
    b"%s%n%x", b"&lt;b&gt;", b"a (b) (c", b"a" * 48 + b"!",
]


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
        v.choose(at["x"], at["y"], title)
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
    check_chance(v, old, new)
    v.change(view="flame")
    assert v.run("wick.view.canvas.compare") is True
    for b in v.boxes():
        if b["value"] == total:
            assert b["before"] == was_total, b


def check_chance(v, old, new):
    """What may be chance is what "wick diff" says, and grey."""
    shown = v.run("""[...document.querySelectorAll('.grid-row')].map((r) => {
        const c = [...r.children].find((x) =>
            /more|less|noise/.test(x.className));
        return [r.querySelector('.name').textContent, c.className,
            c.textContent]; })""")
    out = subprocess.run([WICK, "diff", "--json", "--all", old, new],
                         check=True, capture_output=True, timeout=60).stdout
    want = {r["name"]: r for r in json.loads(out)["rows"]}
    assert shown and set(n for n, *_ in shown) <= set(want), shown
    for name, kind, text in shown:
        assert ("noise" in kind) == want[name]["chance"], (name, kind, text)
        assert text.startswith("~") == want[name]["chance"], (name, text)
    assert any(r["chance"] for r in want.values())
    assert not all(r["chance"] for r in want.values())


def check_compared_views(v, old, new):
    """Every view of a comparison has both numbers."""
    _, now = report(new)
    _, was = report(old)
    v.change(view="tree", open=[])
    for r in v.run("wick.view.rows.map((r) => ({...r, name: "
                   "wick.profile.name(r.id)}))"):
        if r["depth"] == 0:
            assert (r["total"], r["before"]) == (
                now[r["name"]][1], was.get(r["name"], (0, 0))[1]), r
    assert v.count(".grid-row .more, .grid-row .less, .grid-row .noise")
    v.change(view="graph")
    for node in v.run("wick.view.nodes.map((n) => ({...n, name: "
                      "wick.profile.name(n.id)}))"):
        assert (node["total"], node["before"]) == (
            now[node["name"]][1], was.get(node["name"], (0, 0))[1]), node
    name = max(now, key=lambda n: now[n][0])
    v.change(view="sandwich", fn=v.id(name))
    down = v.boxes("wick.view.callees")[1]
    assert (down["value"], down["before"]) == (now[name][1], was[name][1])
    got = v.run("""wick.client.send('details', wick.query(),
        {id: wick.state.fn}, 0)""")
    assert (got["selfBefore"], got["totalBefore"]) == was[name], got
    assert v.count("#details .more, #details .less, #details .noise") == 2
    v.change(view="flame", fn=-1)
    at = v.box(name)
    v.page.hover(at["x"], at["y"])
    assert "was " in v.text("#status-facts"), v.text("#status-facts")


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


def hostile_profile(folder):
    """Every kind of name is an attack: a list of samples of each."""
    p = Profile([("samples", "count"), (HOSTILE[0], HOSTILE[1])])
    for i, name in enumerate(HOSTILE):
        mapping = p.mapping(name)
        place = p.place([(p.function(name, name), 1)], mapping)
        p.sample([place], [i + 1, 1], {
            "thread": name, "tid": name, "process": name, "pid": name,
            "phase": name, name: name})
    return p.write(os.path.join(folder, "hostile.pb.gz"))


def check_hostile_labels(v, url):
    """Files, threads, processes, phases, labels, modules, types."""
    attack = "<img src=x onerror=alert(1)>"
    for view in VIEWS:
        v.change(view=view, fn=v.id(attack))
        assert v.run("document.querySelectorAll("
                     "'img, #stage script, svg script, [onload], "
                     "[onerror]').length") == 0, view
    names = v.run("[...document.querySelectorAll('.track-name')].map((n) => "
                  "n.textContent)")
    assert f"{attack} {attack}" in names, names
    assert all("\u202e" not in n for n in names)
    v.change(byProcess=True)
    assert attack in v.text("#timeline")
    assert any(attack in t for t in v.run(
        "[...document.querySelectorAll('.phase')].map((n) => "
        "n.textContent)")), "no phase"
    assert attack in v.text("#type"), v.text("#type")
    v.change(view="labels")
    assert attack in v.text(".facets")
    v.click(".facets .option")
    v.change(view="about", group=0)
    assert attack in v.text(".about table"), v.text(".about")
    for op in ("focus", "module", "only"):
        v.change(transforms=[{"op": op, "fn": v.id(attack)} if op == "focus"
                             else {"op": op, "module": v.run(
                                 "wick.profile.functionModule"
                                 f"[{v.id(attack)}]")}], view="flame")
        assert attack in v.text(".chip"), v.text(".chip")
    check_quiet(v, url)


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


def test_others(t, tab, folder):
    old = os.path.join(DATA, "server-old.pb.gz")
    new = os.path.join(DATA, "server.pb.gz")
    url = save(os.path.join(folder, "diff.html"), "--diff", old, new)
    v = View(tab, url)
    t.run("a comparison has both numbers", check_compare, v, old, new)
    t.run("and so has every view of it", check_compared_views, v, old, new)
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
    url = save(os.path.join(folder, "names.html"), hostile_profile(folder))
    t.run("nor is any other kind of name", check_hostile_labels,
          View(tab, url), url)
    with subprocess.Popen([WICK, "view", "--no-open",
                           os.path.join(folder, "hostile.pb.gz")],
                          stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip()
            t.run("when served, either", check_hostile_labels,
                  View(tab, url), url)
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


sys.exit(run(test_server, test_others, test_nothing))
