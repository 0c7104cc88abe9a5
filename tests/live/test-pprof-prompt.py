#!/usr/bin/python3
"""Type at the prompt of wick pprof: editing, completion, history, pager.

usage: test-pprof-prompt.py WICK DATA
"""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import termios
import time

from largeprofile import LargeProfile
from tap import check, end

PROMPT = "(pprof) "


class Session:
    """A prompt on a terminal of its own."""

    def __init__(self, wick, profile, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(wick, ["wick", "pprof", profile],
                      {"PATH": os.environ["PATH"], "TERM": "xterm",
                       "PAGER": "sed s/^/paged:/", **env})
        self.read(PROMPT)

    def read(self, until):
        """What is shown up to this text, or up to the end; at most 20 s."""
        seen = ""
        while until not in seen:
            if not select.select([self.fd], [], [], 20)[0]:
                return seen + "<nothing more>"
            try:
                part = os.read(self.fd, 65536).decode()
            except OSError:
                return seen
            seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part)
        return seen

    def press(self, keys):
        """Types when the editor listens: it shows the prompt just before."""
        end = time.monotonic() + 20
        while (termios.tcgetattr(self.fd)[3] & termios.ICANON
               and time.monotonic() < end):
            time.sleep(0.01)
        os.write(self.fd, keys.encode())

    def type(self, keys, until):
        self.press(keys)
        return self.read(until)

    def close(self):
        self.press("\x04")
        self.read("<the end>")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def completion_tests(s):
    """Judged by what the lines do: what is drawn is the editor's own."""
    seen = s.type("pe\tHand\t\n", PROMPT)
    check("a command and a function, from its middle, are completed",
          "| Server::Handle" in seen, seen)
    check("a report is shown with the pager", "paged:" in seen, seen)
    seen = s.type("granu\tfi\t\t", PROMPT + "granularity=file")
    check("several choices are listed", "filefunctions  files" in seen, seen)
    seen = s.type("\x03", PROMPT)
    check("^C drops the line", seen.endswith(PROMPT), seen)
    seen = s.type("sam\t\x15o\n", PROMPT)
    check("and nothing of it is left", "granularity               = (default)"
          in seen, seen)


def history_tests(wick, profile, env):
    s = Session(wick, profile, **env)
    s.type("top1\n", PROMPT)
    check("^D leaves", s.close() == 0, "")
    s = Session(wick, profile, **env)
    seen = s.type("\x1b[A\n", PROMPT)
    check("lines are remembered", "Showing top 1 nodes" in seen, seen)
    s.close()
    path = os.path.join(env["HOME"], ".local/state/wick/pprof_history")
    check("only for their owner", os.stat(path).st_mode & 0o077 == 0, path)


# What is asked, and the same as options of a run of its own.
QUESTIONS = [
    ("top", ["-top"]),
    ("tree", ["-tree"]),
    ("granularity=lines", None),
    ("top", ["-lines", "-top"]),
    ("hide=Handle", None),
    ("top", ["-lines", "-hide=Handle", "-top"]),
    ("granularity=functions", None),
    ("tree", ["-hide=Handle", "-tree"]),
    ("hide=", None),
    ("top", ["-top"]),
    ("sample_index=samples", None),
    ("top", ["-sample_index=samples", "-top"]),
    ("mean=true", None),
    ("peek Handle", ["-sample_index=samples", "-mean", "-peek=Handle"]),
    ("mean=false", None),
    ("noinlines=true", None),
    ("tree", ["-sample_index=samples", "-noinlines", "-tree"]),
    ("noinlines=false", None),
    ("granularity=addresses", None),
    ("dot", ["-sample_index=samples", "-addresses", "-dot"]),
    ("granularity=files", None),
    ("tagfocus=alice", None),
    ("top", ["-sample_index=samples", "-files", "-tagfocus=alice", "-top"]),
    ("tagfocus=", None),
    ("granularity=functions", None),
    ("sample_index=cpu", None),
    ("call_tree=true", None),
    ("dot", ["-call_tree", "-dot"]),
    ("call_tree=false", None),
    ("dot", ["-dot"]),
    ("callgrind", ["-callgrind"]),
    ("tree", ["-tree"]),
]


def memory_tests(wick, profile, folder):
    """What a report leaves for the next changes none of them."""
    lines, wanted = [], []
    for i, (line, options) in enumerate(QUESTIONS):
        if options:
            line += f" >{folder}/asked{i}"
            wanted.append((i, options))
        lines.append(line)
    subprocess.run([wick, "pprof", profile], text=True, capture_output=True,
                   input="\n".join(lines) + "\n", check=True)
    for i, options in wanted:
        # The prompt leaves out what its greeting has said.
        subprocess.run([wick, "pprof", "-compact_labels", *options, "-output",
                        f"{folder}/alone", profile], capture_output=True,
                       check=True)
        with open(f"{folder}/asked{i}") as a, open(f"{folder}/alone") as b:
            asked, alone = a.read(), b.read()
        check(f"{' '.join(options)} is the same at the prompt",
              asked and asked == alone, asked)


def large_tests(wick, folder):
    """A report goes to the pager while it is written."""
    profile = os.path.join(folder, "large.pb.gz")
    LargeProfile(places=2000, depth=30).write(profile, 20000)
    s = Session(wick, profile, HOME=folder, PAGER="head -n 3")
    seen = s.type("traces\n", PROMPT)
    check("a pager that is left early ends a large report",
          seen.count("f") < 20 and "<nothing more>" not in seen, seen[:1000])
    s.close()


def main():
    wick, data = map(os.path.abspath, sys.argv[1:])
    profile = os.path.join(data, "server.pb.gz")
    with tempfile.TemporaryDirectory(prefix="wick-prompt-") as home:
        env = {"HOME": home}
        s = Session(wick, profile, **env)
        completion_tests(s)
        s.close()
        history_tests(wick, profile, env)
        memory_tests(wick, profile, home)
        large_tests(wick, home)
    return end()


sys.exit(main())
