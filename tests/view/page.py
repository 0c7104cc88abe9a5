"""The page in a browser, as tests speak of it: views, boxes, rows, keys."""
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "live"))
import browser  # noqa: E402


class View:
    """A tab with the page in it."""

    def __init__(self, tab, url, width=1280, height=800, dark=False):
        self.page = tab.open(url, width, height, dark)
        self.page.wait("window.wick && window.wick.rendered > 0")
        self.rest()

    def run(self, script):
        return self.page.run(script)

    def rest(self):
        """Waits until everything that was asked for is drawn."""
        self.page.wait("window.wick && wick.profile && !wick.busy && "
                       "!wick.client.waiting.size")

    def change(self, **state):
        self.run(f"wick.change({json.dumps(state)}).then(() => 0)")
        self.rest()

    def key(self, key):
        self.page.key(key)
        self.rest()

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)})"
                        "?.textContent || ''")

    def count(self, selector):
        return self.run("document.querySelectorAll("
                        f"{json.dumps(selector)}).length")

    def click(self, selector, index=0):
        """A real click, at the middle of an element."""
        self.run(f"document.querySelectorAll({json.dumps(selector)})"
                 f"[{index}].scrollIntoView({{block: 'nearest'}})")
        at = self.run(f"""(() => {{
            const r = document.querySelectorAll({json.dumps(selector)})
                [{index}].getBoundingClientRect();
            return [r.left + r.width / 2, r.top + r.height / 2]; }})()""")
        self.page.click(*at)
        self.rest()

    def choose(self, x, y, title):
        """Opens the menu of what is there and takes the entry so called."""
        for kind in ("mousePressed", "mouseReleased"):
            self.page.mouse(kind, x, y, button="right", clickCount=1)
        self.rest()
        items = self.run("[...document.querySelectorAll('.menu button')]"
                         ".map((b) => b.textContent)")
        self.click(".menu button", [i for i, t in enumerate(items)
                                    if t.startswith(title)][0])

    def id(self, name):
        """The number of a function."""
        return self.run("Array.from({length: wick.profile.functions}, "
                        "(_, i) => wick.profile.name(i))"
                        f".indexOf({json.dumps(name)})")

    def rows(self):
        """The table of functions: {name: (self, total)}."""
        got = self.run("""wick.client.send('rows', wick.query(), {}, 0)
            .then((a) => Array.from(a.ids, (id, i) =>
                [wick.profile.name(id), a.self[i], a.total[i]]))""")
        return {name: (flat, cum) for name, flat, cum in got}

    def boxes(self, canvas="wick.view.canvas"):
        """The boxes of a flame graph, from left to right in each row."""
        return self.run(f"""(() => {{ const c = {canvas}; const b = c.boxes;
            return Array.from(b.id, (id, i) => ({{name: c.nameOf(i),
                id, value: b.value[i], self: b.self[i], x: b.x[i],
                w: b.w[i], before: b.before[i], parent: b.parent[i]}})); }})()""")

    def box(self, name, canvas="wick.view.canvas"):
        """Where the first box of a function is: its number and its middle."""
        return self.run(f"""(() => {{ const c = {canvas};
            for (let i = 0; i < c.boxes.count; i++)
                if (c.nameOf(i) === {json.dumps(name)})
                    return {{box: i, ...c.middle(i)}};
            return null; }})()""")

    def picture(self, path):
        time.sleep(0.05)
        self.page.picture(path)
