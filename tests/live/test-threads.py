#!/usr/bin/python3
"""Have all threads of wick work, for a build with ThreadSanitizer to watch.

usage: test-threads.py WICK

Whether answers are right is the matter of other tests: here what counts is that
the sanitizer, which ends a program that it has found something in with a status
of its own, has nothing to say.
"""
import os
import subprocess
import sys
import tempfile
import time

from largeprofile import LargeProfile
from tap import check, end

WICK = os.path.abspath(sys.argv[1])
LOAD = """
for i in 1 2 3 4 5 6 7 8; do
	python3 -c 'import json, decimal; sum(range(9000000))' &
	ls -lR /usr/share/doc > /dev/null
done
wait
"""
QUESTIONS = """top
peek .
hide=f1
top
callgrind > out
hide=
tagroot=thread
callgrind > out
peek . > out
weblist f1 > out
tagroot=
call_tree=true
callgrind > out
traces > out
raw > out
proto > out
granularity=lines
tree > out
"""


def quiet(name, args, **more):
    r = subprocess.run([WICK, *args], text=True, capture_output=True,
                       timeout=200, **more)
    check(name, r.returncode == 0 and "Sanitizer" not in r.stderr,
          (r.returncode, r.stderr[:4000]))
    return r


def recording():
    quiet("a recording of one process",
          ["record", "-o", "one.wick", "ls", "/usr"])
    quiet("a recording of many processes",
          ["record", "-F", "1999", "-o", "x.wick", "sh", "-c", LOAD])
    quiet("one of the whole machine",
          ["record", "-a", "-s", "0.5", "-o", "all.wick"])
    quiet("names for it", ["report", "top", "x.wick"])
    quiet("its page", ["view", "--save=x.html", "x.wick"])


# More stacks than a profile needs to have somebody who works ahead.
def prompt():
    LargeProfile(places=300, depth=6, threads=5).write("p.pb.gz", 120000)
    quiet("a prompt, as fast as it can be asked", ["pprof", "p.pb.gz"],
          input=QUESTIONS)
    p = subprocess.Popen([WICK, "pprof", "p.pb.gz"], text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE)
    for line in QUESTIONS.splitlines():
        p.stdin.write(line + "\n")
        p.stdin.flush()
        time.sleep(0.2)
    said = p.communicate()[1]
    check("a prompt that has time for work ahead",
          p.returncode == 0 and "Sanitizer" not in said, said[:4000])
    quiet("several profiles at once",
          ["pprof", "-top", "-output=top", "p.pb.gz", "p.pb.gz", "p.pb.gz"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        recording()
        prompt()
        os.chdir("/")
    return end()


sys.exit(main())
