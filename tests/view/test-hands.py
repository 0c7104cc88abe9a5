#!/usr/bin/python3
"""What hands do with the page: every key, copies, undo, tracks, widths.

usage: test-hands.py WICK MAKE-TIMED PICTURES
"""
import json
import os
import sys
import xml.dom.minidom

sys.dont_write_bytecode = True
from checking import (DATA, PICTURES, VIEWS, check_quiet,  # noqa: E402
                      make_timed, report, run, same_rows, save)
from page import View  # noqa: E402
from pprofile import Profile  # noqa: E402

# What is seen of a key: whatever it does changes some of this.
SEEN = """JSON.stringify([wick.state, document.activeElement.id,
    document.querySelectorAll('.menu').length,
    document.querySelectorAll('dialog[open]').length,
    window.copied.length, wick.view.box || 0, wick.view.rows?.length || 0,
    wick.view.canvas ? wick.view.canvas.cursor : 0])"""

# Where keys of the sheet have something to do, if not in the flame graph.
PLACES = {"a": "source", "*": "tree", "+": "graph", "−": "graph", "0": "graph"}


def watch_copies(v):
    v.run("""window.copied = []; Object.defineProperty(navigator, 'clipboard',
        {configurable: true, value: {writeText: async (t) => {
            copied.push(t); }}}); 0""")


def sheet(v):
    """The keys that the sheet lists, one by one."""
    v.key("?")
    keys = v.run("[...document.querySelectorAll('dialog kbd')].map((k) => "
                 "k.textContent)")
    v.page.key("Escape")
    v.page.wait("!document.querySelector('dialog[open]')")
    names = {"Esc": "Escape"}
    out = []
    for text in keys:
        if text == "1 – 8":
            out += "2345678"
        elif text == "arrows":
            out += ["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"]
        else:
            out += [names.get(k, k) for k in text.split()]
    return out


def prepare(v, key):
    """A state in which a key has something to do."""
    v.change(view=PLACES.get(key, "flame"), fn=v.id("parse"), type=0,
             transforms=[{"op": "hide", "fn": v.id("poll")}], zoom=[],
             range=[1000000, 2000000] if key in "t{" else None, threads=None,
             reverse=False, flame=False, byName=False, search="", open=[])
    v.run("document.activeElement.blur()")
    if key.startswith("Arrow") or key == "Enter":
        v.run("wick.view.canvas.cursor = []; wick.view.focus()")
        v.key("ArrowDown")
        v.key("ArrowDown")
        v.key("ArrowDown")
    if key in ("ArrowLeft", "ArrowRight"):
        v.key("ArrowDown")
        v.run("""(() => { const c = wick.view.canvas; const b = c.boxes;
            const at = [...b.id.keys()].find((i) => c.nameOf(i) ===
                (%s ? 'parse' : 'compress')); c.moveTo(at); })()"""
              % json.dumps(key == "ArrowLeft"))
        v.rest()
    if key == "0":
        v.key("+")
    if key == "*":
        v.run("wick.view.focus(); wick.view.grid.select(0)")
        v.change(open=["0"])
        v.run("wick.view.grid.select(0); wick.view.focus()")


def check_sheet(v):
    """Every key that the sheet lists does something."""
    watch_copies(v)
    v.page.resize(390, 600)
    v.key("?")
    assert v.run("document.querySelector('dialog').scrollTop") == 0
    v.page.key("Escape")
    v.page.resize(1280, 800)
    v.page.wait("!document.querySelector('dialog[open]')")
    keys = sheet(v)
    assert len(keys) > 45, keys
    for key in keys:
        prepare(v, key)
        before = v.run(SEEN)
        v.page.key("-" if key == "−" else key)
        try:
            v.page.wait(f"({SEEN}) !== {json.dumps(before)}")
        except RuntimeError:
            raise AssertionError(f"'{key}' does nothing") from None
        v.page.key("Escape")
        v.page.wait("!document.querySelector('dialog[open], .menu')")
        v.rest()
    v.change(view="flame", fn=-1, transforms=[], type=1, range=None,
             threads=None, byProcess=False, reverse=False, flame=False,
             byName=False, search="", zoom=[])


def check_copies(v):
    """The name, the stack from the root on, and a link."""
    watch_copies(v)
    v.change(view="flame", fn=-1)
    at = v.box("memcpy")
    path = v.run(f"""(() => {{ const c = wick.view.canvas; const out = [];
        for (let i = {at['box']}; i > 0; i = c.boxes.parent[i])
            out.unshift(c.nameOf(i));
        return out; }})()""")
    assert path[:2] == ["_start", "serve"] and path[-1] == "memcpy", path
    v.page.click(at["x"], at["y"])
    v.rest()
    v.key("y")
    v.key("Y")
    v.key("l")
    copied = v.run("copied")
    assert copied[0].split("\n") == path, copied
    assert copied[1] == "memcpy", copied
    assert copied[2] == v.run("location.href"), copied
    assert "copied" in v.text(".toast")
    v.change(view="sandwich", fn=v.id("memcpy"))
    at = v.box("serve", "wick.view.callers")
    v.page.click(at["x"], at["y"])
    v.rest()
    v.key("y")
    assert v.run("copied.at(-1)").split("\n")[0] == "serve", v.run("copied")
    v.change(view="tree", fn=-1, open=[])
    v.run("wick.view.go(1)")
    v.rest()
    v.key("y")
    assert v.run("copied.at(-1)") == "_start\nserve", v.run("copied.at(-1)")
    v.change(view="flame", fn=-1)


def check_menu_copies(v):
    watch_copies(v)
    v.change(view="flame", fn=-1)
    for title, last in (("Copy the stack", "_start\nserve"),
                        ("Copy the name", "serve")):
        at = v.box("serve")
        v.choose(at["x"], at["y"], title)
        v.page.wait("copied.length > 0")
        assert v.run("copied.pop()") == last
    v.change(fn=-1)


def check_menus_everywhere(v):
    """The menu opens on whatever stands for a function."""
    for view, what in (("top", ".grid-row .name"), ("tree", ".grid-row .name"),
                       ("graph", ".graph-home .node")):
        v.change(view=view, fn=-1, open=[], transforms=[])
        x, y = v.run(f"""(() => {{ const r = document.querySelectorAll(
            '{what}')[1].getBoundingClientRect();
            return [r.left + 60, r.top + 9]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            v.page.mouse(kind, x, y, button="right", clickCount=1)
        v.rest()
        name = v.run("wick.profile.name(wick.state.fn)")
        assert v.text(".menu .title") == name != "all", (view, name)
        v.page.key("d")
        v.page.wait("wick.state.transforms.length === 1")
        v.rest()
        assert v.run("wick.state.transforms[0].op") == "ignore"
        assert name not in v.rows(), name
        v.key("x")
    v.change(view="flame", fn=-1)


def check_touch(v):
    """A finger selects, and drags a range of time."""
    v.change(view="flame", fn=-1)
    at = v.box("serve")
    v.page.call("Emulation.setTouchEmulationEnabled", enabled=True)

    def touch(kind, *points):
        v.page.call("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": x, "y": y} for x, y in points])

    touch("touchStart", (at["x"], at["y"]))
    touch("touchEnd")
    v.page.wait("wick.state.fn >= 0")
    v.rest()
    assert v.run("wick.profile.name(wick.state.fn)") == "serve"
    left, top, width = v.run("""(() => { const r = document.querySelector(
        '.brush-home').getBoundingClientRect();
        return [r.left, r.top, r.width]; })()""")
    y = top + 70
    touch("touchStart", (left + width / 4, y))
    for i in range(5, 9):
        touch("touchMove", (left + i * width / 16, y))
    touch("touchEnd")
    v.page.wait("wick.state.range !== null")
    v.rest()
    low, high = v.run("wick.state.range")
    assert abs(low - 750000) < 60000 and abs(high - 1500000) < 60000, \
        (low, high)
    v.page.call("Emulation.setTouchEmulationEnabled", enabled=False)
    v.change(range=None, fn=-1)


def check_menu_modules(v):
    """What the menu does with modules; and 'more' has it without a mouse."""
    v.change(view="flame", fn=v.id("memcpy"), transforms=[])
    for title, op in (("Collapse libc", "module"), ("Only", "only")):
        more = v.run("[...document.querySelectorAll('#details .actions button"
                     "')].findIndex((b) => b.textContent === 'more…')")
        v.click("#details .actions button", more)
        items = v.run("[...document.querySelectorAll('.menu button')]"
                      ".map((b) => b.textContent)")
        v.click(".menu button", [i for i, t in enumerate(items)
                                 if t.startswith(title)][0])
        assert v.run("wick.state.transforms.map((t) => t.op)") == [op]
        v.key("u")
        v.page.wait("wick.state.transforms.length === 0")
        v.rest()
    v.change(fn=-1)


def check_undo(v):
    """u takes back one step after the other."""
    v.change(view="flame", transforms=[], zoom=[], fn=-1)
    steps = [{"view": "top"}, {"byName": True}, {"range": [0, 500000]},
             {"transforms": [{"op": "focus", "fn": v.id("parse")}]}]
    texts = []
    for step in steps:
        texts.append(v.run("location.hash"))
        v.change(**step)
    for text in reversed(texts):
        v.run("document.activeElement.blur()")
        v.page.key("u")
        v.page.wait(f"location.hash === {json.dumps(text)}")
        v.rest()
    assert v.run("wick.state.view") == "flame"
    assert v.run("wick.state.transforms") == []


def check_chips(v):
    """Each filter is a chip, whose cross takes that one away."""
    v.change(view="top", range=[0, 500000], threads=[0],
             transforms=[{"op": "hide", "fn": v.id("poll")},
                         {"op": "focus", "text": "pars"}])
    names = v.run("[...document.querySelectorAll('.chip')].map((c) => "
                  "c.textContent)")
    assert len(names) == 4 and names[2].startswith("hide"), names
    v.click(".chip button", 2)
    assert v.run("wick.state.transforms.map((t) => t.op)") == ["focus"]
    v.click(".chip button", 0)
    assert v.run("wick.state.range") is None
    v.change(view="flame", threads=None, transforms=[])


def check_follow(v):
    """What is selected in one view is selected in all."""
    v.change(view="top", fn=-1, open=[], reverse=False)
    fn = v.id("hash")
    at = v.run("wick.view.order.findIndex((i) => "
               f"wick.view.answer.ids[i] === {fn})")
    v.run(f"wick.view.grid.reveal({at})")
    v.click(".grid-row .name", v.run(
        "[...document.querySelectorAll('.grid-row .name')].findIndex((n) => "
        "n.textContent === 'hash')"))
    assert v.run("wick.state.fn") == fn
    v.change(view="tree")
    v.page.wait(f"wick.view.rows[wick.view.grid.at]?.id === {fn}")
    assert v.text(".grid-row.selected .name").endswith("hash")
    v.change(view="graph")
    assert v.count(".node.selected") == 1
    v.change(view="sandwich")
    assert "Callers of hash" in v.text("#stage")
    v.change(view="source")
    assert "hash" in v.text(".pane-title")
    v.change(view="flame")
    assert v.run("wick.view.canvas.selected") == fn
    v.change(fn=-1)


def check_words(v, path):
    """The canvas says in words what takes most."""
    v.change(view="flame", type=1)
    total, rows = report(path)
    name = max(rows, key=lambda n: rows[n][0])
    v.page.wait("document.querySelector('.flame-home p').textContent")
    text = v.text(".flame-home p")
    assert f"{name} {100 * rows[name][0] / total:.1f}%" in text, text
    assert v.run("""document.getElementById(document.querySelector(
        '.flame-boxes').getAttribute('aria-describedby')).textContent""")


def check_units(v):
    """Numbers are in the units that people use."""
    v.change(view="top", type=1, fn=v.id("serve"))
    assert "3s" in v.text("#details [data-row=total]")
    v.change(type=0)
    assert "3000" in v.text("#details [data-row=total]")
    v.change(view="flame", type=1, fn=-1)


def check_heap(tab, folder):
    """A heap profile has its types in one menu, and bytes as bytes."""
    path = os.path.join(DATA, "jemalloc.heap")
    v = View(tab, save(os.path.join(folder, "heap.html"), path))
    types = v.run("[...document.querySelectorAll('#type option')].map((o) => "
                  "o.textContent)")
    assert "inuse_space (bytes)" in types, types
    for i, text in enumerate(types):
        v.run(f"""(() => {{ const t = document.getElementById('type');
            t.value = '{i}'; t.dispatchEvent(new Event('change')); }})()""")
        v.rest()
        assert v.run("wick.state.type") == i
        same_rows(v.rows(), report(path, "--type=" + text.split()[0])[1])
    v.change(type=types.index("inuse_space (bytes)"))
    assert v.text("#total").endswith("B"), v.text("#total")


def check_processes(tab, folder):
    """Tracks are of threads, or of their processes."""
    p = Profile([("samples", "count")])
    here = p.place([(p.function("work", "work.c"), 3)])
    for tid in range(6):
        p.sample([here], [1 + tid], {
            "thread": f"t{tid}", "tid": str(10 + tid),
            "process": "small" if tid < 2 else "large",
            "pid": "1" if tid < 2 else "2"})
    path = p.write(os.path.join(folder, "processes.pb.gz"))
    v = View(tab, save(os.path.join(folder, "processes.html"), path))
    assert v.count(".track-name") == 6
    v.click(".by-process")
    names = v.run("[...document.querySelectorAll('.track-name')].map((n) => "
                  "n.textContent)")
    assert names == ["large 2", "small 1"], names
    v.click(".track-name", 1)
    same_rows(v.rows(), report(path, "--label=process=small")[1])
    v.key("]")
    assert v.run("wick.state.threads") is None
    v.key("P")
    assert v.count(".track-name") == 6


def check_graph_pictures(v):
    """The call graph is saved as SVG and as PNG."""
    v.change(view="graph", fn=-1)
    v.run("""window.blobs = [];
        window.makeUrl = window.makeUrl || URL.createObjectURL;
        URL.createObjectURL = (b) => {
            blobs.push(b);
            return makeUrl.call(URL, b);
        }; HTMLAnchorElement.prototype.click = () => {}; 0""")

    def saved(key, start):
        v.run("blobs.length = 0; document.activeElement.blur()")
        v.key("e")
        v.page.key(key)
        v.page.wait(f"blobs.some((b) => b.type.startsWith('{start}'))")
        return bytes(v.run(f"""blobs.find((b) => b.type.startsWith('{start}'))
            .arrayBuffer().then((b) => Array.from(new Uint8Array(b)))"""))

    picture = xml.dom.minidom.parseString(saved("s", "image/svg"))
    titles = " ".join(t.firstChild.data for t in
                      picture.getElementsByTagName("title"))
    assert "compress" in titles, titles
    rect = picture.getElementsByTagName("rect")[0]
    assert rect.getAttribute("fill").startswith(("rgb", "color")), \
        rect.toxml()
    assert saved("i", "image/png")[:8] == b"\x89PNG\r\n\x1a\n"
    v.change(view="flame")


def luminance(colour):
    parts = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
            for c in parts]


# Viénot, Brettel and Mollon 1999: what two kinds of dichromats see, linear.
BLIND = {
    "protan": ((0.11238, 0.88762, 0), (0.11238, 0.88762, 0),
               (0.00401, -0.00401, 1)),
    "deutan": ((0.29275, 0.70725, 0), (0.29275, 0.70725, 0),
               (-0.02234, 0.02234, 1)),
}


def check_colours(v):
    """Grown and shrunk are told apart without red and green."""
    pairs = v.run("""[['--more', '--less']].map((p) => p.map((name) =>
        getComputedStyle(document.documentElement)
        .getPropertyValue(name).trim()))""")
    for more, less in pairs:
        for kind, rows in BLIND.items():
            a, b = ([sum(m * c for m, c in zip(row, luminance(colour)))
                     for row in rows] for colour in (more, less))
            apart = sum((x - y) ** 2 for x, y in zip(a, b)) ** 0.5
            assert apart > 0.12, (kind, more, less, apart)


def check_widths(tab, url):
    """From a phone to 4K nothing is cut off, in light and dark."""
    for width, height in ((1280, 800), (3840, 2160), (390, 844)):
        for dark in (False, True):
            v = View(tab, url, width, height, dark)
            for view in VIEWS:
                v.change(view=view, fn=v.id("parse") if view in
                         ("sandwich", "source") else -1)
                wide = v.run("document.documentElement.scrollWidth")
                assert wide <= width, (width, view, wide)
                tab_at = v.run(f"""(() => {{ const r = document.getElementById(
                    'tab-{view}').getBoundingClientRect();
                    return [r.left, r.right]; }})()""")
                assert tab_at[0] >= -1 and tab_at[1] <= width + 1, \
                    (width, view, tab_at)
                name = f"{width}-{view}{'-dark' if dark else ''}.png"
                v.picture(os.path.join(PICTURES, name))
            v.change(view="source", fn=v.id("parse"))
            if width == 3840:
                left = v.run("document.querySelector('.source td.code')"
                             ".getBoundingClientRect().left")
                assert left < 400, left
            assert not v.page.troubles(), v.page.troubles()
            v.page.call("Page.close")


def test_hands(t, tab, folder):
    path = make_timed(folder)
    url = save(os.path.join(folder, "timed.html"), "--source-path=" + folder,
               path)
    v = View(tab, url)
    t.run("every key of the sheet does something", check_sheet, v)
    t.run("names, stacks and links are copied", check_copies, v)
    t.run("from the menu as well", check_menu_copies, v)
    t.run("the menu knows modules, and needs no mouse", check_menu_modules, v)
    t.run("it opens in every view", check_menus_everywhere, v)
    t.run("fingers do as well", check_touch, v)
    t.run("u is undo", check_undo, v)
    t.run("filters are chips", check_chips, v)
    t.run("all views follow the selection", check_follow, v)
    t.run("the canvas is also words", check_words, v, path)
    t.run("numbers have units", check_units, v)
    t.run("the call graph is saved as pictures", check_graph_pictures, v)
    t.run("colours do not need red and green", check_colours, v)
    t.run("nothing goes wrong", check_quiet, v, url)
    t.run("heap profiles have their types", check_heap, tab, folder)
    t.run("processes are tracks", check_processes, tab, folder)
    t.run("any width will do", check_widths, tab, url)


sys.exit(run(test_hands))
