#!/usr/bin/python3
"""The page of a recording with times, threads, labels and phases.

usage: test-time.py WICK MAKE-TIMED PICTURES
"""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from checking import (PICTURES, VIEWS, WICK, check_quiet,  # noqa: E402
                      check_size, make_timed, report, run, same_rows, save)
from page import View  # noqa: E402
from pprofile import Profile  # noqa: E402


def check_about(v, *texts):
    v.change(view="about")
    about = v.text(".about")
    for text in texts:
        assert text in about, (text, about)


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


# Transformations of every kind, one by one and together.
SHAPES = (
    [], [("focus", "compress")], [("ignore", "memcpy")], [("hide", "memcpy")],
    [("root", "parse")], [("below", "compress")],
    [("hide", "memcpy"), ("root", "serve"), ("ignore", "poll")],
)


def shape(v, steps):
    v.change(transforms=[{"op": op, "fn": v.id(name)} for op, name in steps])


def check_over_time(v):
    """Lines and tracks add up to what the table has."""
    for steps in SHAPES:
        for more in ({"range": None}, {"range": [500000, 1500000]}):
            shape(v, steps)
            v.change(**more)
            rows = v.rows()
            got = v.run("""wick.client.send('rows', wick.query(), {}, 0)
                .then((r) => wick.client.send('sparks', wick.query(),
                    {ids: Array.from(r.ids), buckets: 48}, 0)
                .then((a) => Array.from(r.ids, (id, i) =>
                    [wick.profile.name(id), a.values.subarray(48 * i,
                        48 * i + 48).reduce((x, y) => x + y, 0)])))""")
            assert dict(got) == {n: r[0] for n, r in rows.items()}, steps
        v.change(range=None)
        total = sum(r[0] for r in v.rows().values())
        tracks = v.run("""wick.client.send('timeline', wick.query(),
            {buckets: 60, fn: -1}, 0).then((a) => [
                a.sum.reduce((x, y) => x + y, 0),
                a.lit.reduce((x, y) => x + y, 0)])""")
        assert tracks == [total, total], (steps, tracks, total)
    v.change(transforms=[], range=None)


def check_facets(v, path):
    """What is under each label is what a report of it says."""
    for steps in SHAPES:
        shape(v, steps)
        keys = v.run("""wick.client.send('labels', wick.query(), {}, 0).then(
            (a) => a.keys.map((k) => [wick.profile.string(k.key),
                k.values.map(([x, w]) => [wick.profile.string(x), w])]))""")
        names = {"ignore": "ignore", "focus": "focus", "hide": "hide",
                 "root": "show-from", "below": "prune-from"}
        options = [f"--{names[op]}=^{name}$" for op, name in steps]
        for value, weight in dict(keys)["request"]:
            rows = report(path, "--label=request=" + value, *options)[1]
            assert weight == sum(r[0] for r in rows.values()), (steps, value)
    v.change(transforms=[])


def check_edges(v, path):
    """The call graph has the edges of pprof's, and recursion besides."""
    dot = subprocess.run([WICK, "pprof", "-dot", "-nodefraction=0",
                          "-edgefraction=0", "-sample_index=samples", path],
                         check=True, capture_output=True, text=True,
                         timeout=60).stdout
    names = dict(re.findall(r'^(N\d+) \[label="(\w+)', dot, re.M))
    want = {(names[a], names[b]): int(n) for a, b, n in re.findall(
        r'^(N\d+) -> (N\d+) \[label=" (\d+)', dot, re.M)}
    got = v.run("""wick.client.send('graph', {...wick.query(), type: 0},
        {most: 100, fn: -1}, 0).then((g) => g.edges.map((e) =>
            [wick.profile.name(g.nodes[e.from].id),
             wick.profile.name(g.nodes[e.to].id), e.weight]))""")
    assert {(a, b): w for a, b, w in got if a != b} == want, (got, want)
    assert ["parse", "parse", 666] in got, got
    assert len(want) > 6, dot


def check_tree_numbers(v):
    """A row of the tree is a box of the flame graph."""
    for reverse in (False, True):
        v.change(view="tree", open=[], reverse=reverse)
        rows = v.run("wick.view.rows")
        v.change(view="flame", open=[])
        boxes = v.run("""(() => { const b = wick.view.canvas.boxes;
            const out = {};
            for (let i = 1; i < b.count; i++) {
                const path = [];
                for (let at = i; at > 0; at = b.parent[at])
                    path.unshift(b.id[at]);
                out[path.join('.')] = [b.value[i], b.self[i]];
            }
            return out; })()""")
        assert len(rows) > 4, rows
        for r in rows:
            assert [r["total"], r["self"]] == boxes[r["path"]], (reverse, r)
    v.change(reverse=False)


def check_sparks(v):
    v.change(view="top")
    v.page.wait("document.querySelectorAll('.spark canvas').length > 3")
    v.change(view="flame")


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
    assert set(v.rows()) == {"_start", "serve", "parse", "compress", "hash"}
    same_rows(v.rows(), report(path, "--show=/bin/server")[1])
    v.key("w")
    assert v.run("wick.state.transforms") == []


def take_pictures(tab, url, names, dark):
    v = View(tab, url, dark=dark)
    for view in VIEWS:
        v.change(view=view, fn=v.id(names) if view == "sandwich" else -1)
        v.picture(os.path.join(PICTURES,
                               f"{view}{'-dark' if dark else ''}.png"))
    assert not v.page.troubles(), v.page.troubles()


def check_unnamed(tab, folder):
    p = Profile([("samples", "count")])
    mapping = p.mapping("/bin/stripped")
    named = p.place([(p.function("main", "main.c"), 3)], mapping)
    p.sample([p.place([], mapping), named], [5])
    path = p.write(os.path.join(folder, "stripped.pb.gz"))
    v = View(tab, save(os.path.join(folder, "stripped.html"), path))
    check_about(v, "1 of 2 addresses have no name", "were not found",
                "/bin/stripped")


def test_timed(t, tab, folder):
    path = make_timed(folder)
    page = os.path.join(folder, "timed.html")
    url = save(page, "--source-path=" + folder, path)
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
    t.run("which add up, as the tracks do", check_over_time, v)
    t.run("labels have the reports' numbers", check_facets, v, path)
    t.run("the call graph has pprof's edges", check_edges, v, path)
    t.run("the tree has the flame graph's numbers", check_tree_numbers, v)
    t.run("the page says what is missing", check_about, v,
          "7 samples were lost", "faster than they could be written",
          "2 stacks are cut", "How to go on to the caller", "/bin/server",
          "how long3s")
    t.run("and which addresses have no name", check_unnamed, tab, folder)
    t.run("a small profile is a small page", check_size, page, 300000)
    t.run("nothing goes wrong with times", check_quiet, v, url)
    bare = os.path.join(folder, "untimed.pb.gz")
    subprocess.run([WICK, "convert", path, bare], check=True, timeout=60)
    v = View(tab, save(os.path.join(folder, "untimed.html"), bare))
    t.run("phases without times are shares", check_untimed_phases, v, path)
    for dark in (False, True):
        t.run(f"pictures of all views, {'dark' if dark else 'light'}",
              take_pictures, tab, url, "parse", dark)


sys.exit(run(test_timed))
