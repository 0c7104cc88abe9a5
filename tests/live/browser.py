"""A real browser for tests: headless Chromium, driven over a pipe.

The pipe (--remote-debugging-pipe) carries one JSON message after another, each
ended by a NUL, so that nothing but Python is needed to speak to it.

    with Browser() as browser:
        page = browser.open("file:///tmp/x.svg", 1280, 800)
        page.run("document.title")
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

# The history may change 200 times in ten seconds, which hands can not do, but
# tests can.
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu",
         "--disable-ipc-flooding-protection", "--no-first-run",
         "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe", "--mute-audio")
PATIENCE = 20  # seconds for one answer, on a machine that is busy


def find():
    """The browser's path, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Crashed(RuntimeError):
    """A tab is no more."""


class Browser:
    def __init__(self, *flags):
        self.home = tempfile.mkdtemp(prefix="wick-browser-")
        there, self.to = os.pipe()
        self.answers, back = os.pipe()
        self.buffer = b""
        self.number = 0
        self.events = []

        def pass_on():
            # The program reads from 3 and writes to 4; neither pipe end may
            # be overwritten before it is copied.
            a, b = os.dup2(there, 30), os.dup2(back, 31)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, *flags, "--user-data-dir=" + self.home,
             "about:blank"],
            preexec_fn=pass_on, close_fds=False, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(back)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.home, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.answers, 1 << 20)
            if not part:
                raise RuntimeError("the browser has gone")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        """Sends a command and returns its result; events are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if answer.get("method") == "Inspector.targetCrashed" and \
                    answer.get("sessionId") == session:
                raise Crashed(f"{method}: the tab has crashed")
            self.events.append(answer)

    def open(self, url, width, height, dark=False):
        return Page(self, url, width, height, dark)


class Page:
    """A tab.  requests and troubles are what it asked for and stumbled over."""

    def __init__(self, browser, url, width, height, dark):
        self.browser = browser
        target = browser.call("Target.createTarget", url="about:blank")
        self.session = browser.call(
            "Target.attachToTarget", targetId=target["targetId"],
            flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "Inspector"):
            self.call(domain + ".enable")
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme",
             "value": "dark" if dark else "light"}])
        self.resize(width, height)
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def resize(self, width, height):
        self.call("Page.bringToFront")  # others are not laid out
        self.call("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script):
        """The value of an expression on the page."""
        r = self.call("Runtime.evaluate", expression=script,
                      returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"])
        return r["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + PATIENCE
        while not self.run(condition):
            if time.monotonic() > end:
                raise RuntimeError(f"never true: {condition}")
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def hover(self, x, y):
        self.mouse("mouseMoved", x, y)

    def click(self, x, y):
        self.hover(x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def key(self, key, modifiers=0):
        """Presses a key; modifiers: 2 is control, 8 is shift."""
        text = key if len(key) == 1 and not modifiers & 2 else ""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key,
                      modifiers=modifiers, **({"text": text} if text and
                                              kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def seen(self, method):
        return [e["params"] for e in self.browser.events
                if e.get("sessionId") == self.session
                and e["method"] == method]

    def requests(self):
        self.run("0")  # events that are on their way arrive before this
        return [e["request"]["url"]
                for e in self.seen("Network.requestWillBeSent")]

    def troubles(self):
        self.run("0")
        return [json.dumps(e) for method in (
            "Runtime.exceptionThrown", "Log.entryAdded",
            "Page.javascriptDialogOpening") for e in self.seen(method)]
