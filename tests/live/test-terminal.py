#!/usr/bin/python3
"""Run wick on a terminal: colour, pager, width; and off one: none of them.

usage: test-terminal.py WICK
"""
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import fcntl

from tap import check, end

BOLD = "\033[1m"


def on_terminal(wick, *args, columns=80, **env):
    """What a terminal shows when wick runs on it, and the exit status."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ,
                    struct.pack("HHHH", 24, columns, 0, 0))
        os.execve(wick, ["wick", *args],
                  {"PATH": os.environ["PATH"], "TERM": "xterm", **env})
    seen = b""
    while True:
        try:
            part = os.read(fd, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return seen.decode().replace("\r\n", "\n"), status


def colour_tests(wick):
    seen, _ = on_terminal(wick, "--help", WICK_PAGER="")
    check("help is coloured on a terminal", BOLD in seen, seen)
    seen, _ = on_terminal(wick, "--help", WICK_PAGER="", NO_COLOR="1")
    check("NO_COLOR is honoured", BOLD not in seen, seen)
    seen, _ = on_terminal(wick, "--help", WICK_PAGER="", TERM="dumb")
    check("a dumb terminal gets no colour", BOLD not in seen, seen)
    seen, _ = on_terminal(wick, "--color=always", "--help", WICK_PAGER="",
                          NO_COLOR="1")
    check("--color=always wins over NO_COLOR", BOLD in seen, seen)
    seen, _ = on_terminal(wick, "help", "--color=never", WICK_PAGER="")
    check("--color=never may follow the command", BOLD not in seen, seen)
    seen = subprocess.run([wick, "--help"], capture_output=True, text=True)
    check("help is plain when it is not on a terminal",
          BOLD not in seen.stdout, seen.stdout)


def pager_tests(wick):
    mark = "sed s/^/paged:/"
    seen, status = on_terminal(wick, "--help", PAGER=mark)
    check("PAGER shows help", "paged:" in seen and status == 0, seen)
    check("a pager gets colour", BOLD in seen, seen)
    seen, _ = on_terminal(wick, "--help", PAGER="false", WICK_PAGER=mark)
    check("WICK_PAGER comes before PAGER", "paged:" in seen, seen)
    seen, _ = on_terminal(wick, "--no-pager", "--help", PAGER=mark)
    check("--no-pager leaves it out", "paged:" not in seen, seen)
    for none in ("", "cat"):
        seen, _ = on_terminal(wick, "--help", WICK_PAGER=none, PAGER=mark)
        check(f"WICK_PAGER='{none}' means none",
              "Usage:" in seen and "paged:" not in seen, seen)
    seen, _ = on_terminal(wick, "version", PAGER=mark)
    check("a short answer is not paged", "paged:" not in seen, seen)
    seen, _ = on_terminal(wick, "--help", PATH="/nonexistent")
    check("help is shown where there is no less", "Usage:" in seen, seen)
    seen, status = on_terminal(wick, "--help", PAGER="true")
    check("a pager that is quit at once is no failure",
          status in (0, -signal.SIGPIPE), status)
    r = subprocess.run([wick, "--help"], capture_output=True, text=True,
                       env={**os.environ, "PAGER": mark})
    check("no pager off a terminal", "paged:" not in r.stdout, r.stdout)


def wait_test(wick):
    """The shell's prompt must not come back while the pager is open."""
    with tempfile.TemporaryDirectory(prefix="wick-terminal-") as folder:
        done = os.path.join(folder, "done")
        on_terminal(wick, "--help", PAGER=f"sh -c 'sleep 0.3; : >{done}'")
        check("wick waits until the pager ends", os.path.exists(done), "")


def width_tests(wick):
    for columns, widest in ((50, 50), (80, 80), (200, 80)):
        seen, _ = on_terminal(wick, "help", "completion", columns=columns,
                              WICK_PAGER="", NO_COLOR="1")
        width = max(map(len, seen.splitlines()))
        check(f"help fits {columns} columns", width <= widest, seen)
    seen, _ = on_terminal(wick, "--help", columns=120, WICK_PAGER="",
                          NO_COLOR="1", COLUMNS="45")
    check("COLUMNS wins over the terminal's width",
          max(map(len, seen.splitlines())) <= 45, seen)


def main():
    wick = os.path.abspath(sys.argv[1])
    colour_tests(wick)
    pager_tests(wick)
    wait_test(wick)
    width_tests(wick)
    return end()


sys.exit(main())
