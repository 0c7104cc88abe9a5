#!/usr/bin/python3
"""Debug information from a real debuginfod server on loopback.

usage: test-debuginfod.py WICK
"""
import os
import socket
import subprocess
import sys
import time
import urllib.request

import symtest
from symtest import chain_address, functions, have, is_chain

t = symtest.Tests(sys.argv[1])
WAIT = 30


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def make_package():
    """A stripped program here, its debug file where the server looks."""
    program = t.compile("served")
    address = chain_address(program)
    os.mkdir(t.path("store"))
    t.run("objcopy", "--only-keep-debug", "served", "store/served.debug")
    t.run("strip", "-o", "bare", "served")
    os.unlink(program)
    return t.path("bare"), address


def wait_for(port):
    """Waits until the server has read its folder."""
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        try:
            url = f"http://127.0.0.1:{port}/metrics"
            with urllib.request.urlopen(url, timeout=2) as r:
                text = r.read().decode()
            if 'thread_work_total{role="traverse"} 1' in text and \
               'thread_work_pending{role="scan"} 0' in text and \
               'thread_busy{role="scan"} 0' in text:
                return True
        except OSError:
            pass
        time.sleep(0.1)
    return False


def check_server(bare, address, env):
    frames = t.frames(bare, address, env=env)
    t.check("debug information comes from the server", is_chain(frames),
            frames)
    status, out, err = t.ask("doctor", bare, env=env)
    t.check("doctor shows the copy", "/debuginfo\n      found" in out, out)
    frames = t.frames("--no-debuginfod", bare, address, env=env)
    t.check("--no-debuginfod does without it", functions(frames) == [],
            frames)
    other = t.compile("unknown", "-DOTHER", "-s")
    status, out, err = t.ask("doctor", other, env=env)
    t.check("what no server has is said to be so",
            "debuginfod\n      no server has it" in out, out)


def without_server(bare, env):
    start = time.monotonic()
    status, out, err = t.ask("doctor", bare, env=env)
    t.check("a server that is down is said to be so",
            "debuginfod\n      no " in out, out)
    t.check("and not waited for", time.monotonic() - start < 20)


def main():
    if not have("debuginfod"):
        t.skip("debug information comes from the server", "no debuginfod")
        t.end()
    bare, address = make_package()
    port = free_port()
    env = {"DEBUGINFOD_URLS": f"http://127.0.0.1:{port}",
           "DEBUGINFOD_CACHE_PATH": t.path("client"),
           "DEBUGINFOD_TIMEOUT": "5", "XDG_CACHE_HOME": t.path("wick")}
    server = subprocess.Popen(["debuginfod", "-p", str(port), "-d",
                               t.path("index.sqlite"), "-t", "0", "-F",
                               t.path("store")],
                              env={**t.env, "DEBUGINFOD_URLS": ""},
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    try:
        if wait_for(port):
            check_server(bare, address, env)
        else:
            t.skip("debug information comes from the server",
                   "the server does not start here")
    finally:
        server.terminate()
        server.wait()
    without_server(bare, {**env, "DEBUGINFOD_CACHE_PATH": t.path("fresh")})
    t.end()


main()
