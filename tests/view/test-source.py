#!/usr/bin/python3
"""Source in the page, served and saved: lines, what they cost, machine code.

usage: test-source.py WICK MAKE-TIMED PICTURES
"""
import json
import os
import random
import re
import subprocess
import sys

sys.dont_write_bytecode = True
from checking import (DATA, PICTURES, WICK, check_numbers,  # noqa: E402
                      check_quiet, check_size, make_timed, run, save)
from page import View  # noqa: E402
from pprofile import Profile  # noqa: E402


def ordinary(folder):
    """A profile of 10,000 samples over some thousand stacks, with sources."""
    rng = random.Random(1)
    p = Profile([("samples", "count"), ("cpu", "nanoseconds")])
    functions = []
    for i in range(1500):
        name = f"namespace{i % 37}::Class{i % 211}::method_{i}(int, char*)"
        functions.append(p.function(name, f"part{i % 40}.cc", 1 + i))
    places = [p.place([(f, i + 2)]) for i, f in enumerate(functions)
              for _ in range(4)]
    for i in range(40):
        with open(os.path.join(folder, f"part{i}.cc"), "w") as f:
            f.writelines(f"\tvalue_{rng.random()} = call(a[{n}]); // {n}\n"
                         for n in range(1600))
    stacks = [rng.choices(places, k=rng.randrange(10, 40))
              for _ in range(1500)]
    for i in range(10000):
        p.sample(rng.choice(stacks), [1, 1000000 + rng.randrange(1000)],
                 {"thread": f"worker {i % 8}"})
    return p.write(os.path.join(folder, "ordinary.pb.gz"))


def check_ordinary(tab, folder):
    page = os.path.join(folder, "ordinary.html")
    v = View(tab, save(page, "--source-path=" + folder, ordinary(folder)))
    check_size(page, 1000000)
    rows = v.rows()
    name = max(rows, key=lambda n: rows[n][0])
    v.change(view="source", fn=v.id(name))
    assert "call(a[" in v.text(".source tr.hot"), v.text(".source")
    assert not v.page.troubles(), v.page.troubles()


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


def check_saved_walk(tab, root, path):
    page = path.replace(".wick", ".html")
    v = View(tab, save(page, "--source-path=" + root, path))
    check_size(page, 1000000)
    v.change(view="source", fn=v.id("find_torrent"))
    assert "memcmp" in v.text(".source tr.hot"), v.text(".source")
    v.click(".source .twist")
    assert v.count(".source tr.asm") > 0
    v.click(".pane-title .option")
    assert v.count(".source tr.asm") > 5
    assert not v.page.troubles(), v.page.troubles()


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
    t.run("a saved recording has its source and machine code",
          check_saved_walk, tab, root, path)


def source_rows(v):
    """The lines that cost something: {line: (self, total)}, in numbers."""
    got = v.run("""wick.client.send('lines', wick.query(),
        {fn: wick.state.fn}, 0).then((a) => a.lines)""")
    return {r["line"]: (r["self"], r["total"]) for r in got if r["total"]}


def listed(path, name, *options):
    """The same by "wick report list", in numbers."""
    out = subprocess.run([WICK, "report", "list", *options, f"^{name}$",
                          "--source-path=" + os.path.dirname(path), path],
                         capture_output=True, text=True, timeout=60).stdout
    rows = {}
    for found in re.finditer(r"^ *(\S+) +(\S+) +(\d+):", out, re.M):
        flat, cum = (0 if n == "." else int(n) for n in found.groups()[:2])
        if cum:
            rows[int(found[3])] = (flat, cum)
    return rows


# Selections, as the page and as reports have them.
SELECTIONS = (
    ({}, ()),
    ({"range": [1000000, 2000000]}, ("--label=phase=run",)),
    ({"threads": "worker 101"}, ("--label=tid=101",)),
    ({"range": [1000000, 2000000], "threads": "worker 102"},
     ("--label=phase=run", "--no-label=tid=100:101")),
    ({"label": ("request", "/get")}, ("--label=request=/get",)),
    ({"transforms": [("focus", "compress")]}, ("--focus=^compress$",)),
    ({"transforms": [("ignore", "memcpy")]}, ("--ignore=^memcpy$",)),
    ({"transforms": [("hide", "memcpy")]}, ("--hide=^memcpy$",)),
    ({"transforms": [("hide", "hash")]}, ("--hide=^hash$",)),
    ({"transforms": [("only", "/bin/server")]}, ("--show=/bin/server",)),
    ({"transforms": [("root", "parse")]}, ("--show-from=^parse$",)),
    ({"transforms": [("below", "compress")]}, ("--prune-from=^compress$",)),
    ({"transforms": [("hide", "memcpy"), ("root", "serve"),
                     ("ignore", "poll")], "range": [1000000, 2000000]},
     ("--hide=^memcpy$", "--show-from=^serve$", "--ignore=^poll$",
      "--label=phase=run")),
)


def choose(v, what):
    """Makes a selection, by texts as a person would."""
    state = {"range": what.get("range"), "threads": None, "labels": [],
             "transforms": [{"op": op, "text": text if "/" in text
                             else f"^{text}$"}
                            for op, text in what.get("transforms", ())]}
    if "threads" in what:
        names = v.run("wick.profile.meta.threads.map((_, i) => "
                      "wick.profile.threadName(i))")
        state["threads"] = [names.index(what["threads"])]
    if "label" in what:
        ids = [v.run("Array.from({length: wick.profile.strings.ends.length}, "
                     "(_, i) => wick.profile.string(i))"
                     f".indexOf({json.dumps(s)})") for s in what["label"]]
        state["labels"] = [{"key": ids[0], "value": ids[1]}]
    v.change(**state)


def check_source(v, path):
    """Lines cost what reports say, whatever is selected."""
    v.change(view="source", type=0)
    for what, options in SELECTIONS:
        choose(v, what)
        for name in ("parse", "memcpy", "serve", "compress", "hash"):
            v.change(fn=v.id(name))
            want = listed(path, name, "--type=samples", *options)
            assert source_rows(v) == want, (what, name, source_rows(v), want)
    assert listed(path, "parse", "--type=samples"), "nothing was compared"
    choose(v, {})
    v.change(type=1, fn=v.id("hash"))
    assert "inlined" in v.text(".source tr.hot"), v.text(".source tr.hot")
    v.change(fn=v.id("parse"))
    shown = v.run("[...document.querySelectorAll('.source tr.hot')].map("
                  "(r) => r.textContent)")
    assert shown and all("30" in s or "31" in s for s in shown), shown


def check_saved_source(v, path):
    """A saved page has sources, and no more than the server would show."""
    v.change(view="source", fn=v.id("parse"), type=0)
    assert source_rows(v) == listed(path, "parse", "--type=samples")
    check_source_text(v, None)
    v.change(range=[0, 500000])
    assert sum(r[0] for r in source_rows(v).values()) == \
        v.rows()["parse"][0]
    v.change(range=None, fn=v.id("poll"))
    assert "root:" not in v.text(".source")
    assert "saved page" in v.text(".source"), v.text(".source")
    v.change(view="flame", fn=-1, type=1)


def check_source_text(v, folder):
    text = v.text(".source")
    assert "the parser <b>itself</b>" in text, text
    assert v.count(".source b") == 0
    assert v.count(".source tr[data-line]") >= 8


def check_compared_source(tab, folder):
    """Lines of a comparison have both numbers, and say what may be chance."""
    both = [os.path.join(DATA, n) for n in ("server-old.pb.gz",
                                            "server.pb.gz")]
    v = View(tab, save(os.path.join(folder, "lines.html"), "--diff",
                       "--type=samples", "--source-path=" + DATA, *both))
    names = v.run("Array.from({length: wick.profile.functions}, "
                  "(_, i) => wick.profile.name(i))")
    compared = 0
    for name in names:
        v.change(view="source", fn=v.id(name))
        got = v.run("""wick.client.send('lines', wick.query(),
            {fn: wick.state.fn}, 0).then((a) => a.lines)""")
        was, now = (listed(p, name, "--type=samples") for p in both)
        for r in [r for r in got if r["line"]]:
            assert (r["total"], r["before"]) == (
                now.get(r["line"], (0, 0))[1],
                was.get(r["line"], (0, 0))[1]), (name, r)
            compared += bool(now and was)
    assert compared > 3, compared
    v.change(fn=v.id("Cache::Hash"))
    assert v.count(".source td.more, .source td.less, .source td.noise")
    assert not v.page.troubles(), v.page.troubles()


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
        if view in ("source", "sandwich"):
            assert v.run("wick.profile.name(wick.state.fn)") == name, path
        assert v.run("wick.state.code") == (path == "disasm")
        assert not v.page.troubles(), v.page.troubles()
        v.page.call("Page.close")


def test_saved(t, tab, folder):
    path = make_timed(folder)
    url = save(os.path.join(folder, "timed.html"), "--source-path=" + folder,
               path)
    v = View(tab, url)
    t.run("sources are in a saved page", check_saved_source, v, path)
    t.run("nothing is fetched for them", check_quiet, v, url)
    t.run("a comparison has lines, too", check_compared_source, tab, folder)
    t.run("one of 10,000 samples, with sources, is below 1 MB",
          check_ordinary, tab, folder)


def test_served(t, tab, folder):
    path = make_timed(folder)
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


sys.exit(run(test_saved, test_served, test_walk))
