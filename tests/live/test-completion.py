#!/usr/bin/python3
"""Let bash, zsh and fish complete command lines with wick's scripts.

usage: test-completion.py WICK SAMPLE

SAMPLE prints scripts for commands that use every kind of option.  The shells
answer themselves: bash's function is called as bash would call it, fish is
asked with "complete -C", zsh is typed at through a terminal.
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

# command line up to the cursor -> words that must and must not be offered
CASES = [
    ("wick ", ["gnu", "go"], ["--flag"]),
    ("wick g", ["gnu", "go"], []),
    ("wick --", ["--version", "--help", "--color", "--no-pager"], ["--flag"]),
    ("wick gnu --", ["--flag", "--number", "--output", "--pid", "--color"],
     ["--top", "--version"]),
    ("wick --no-pager gnu --fl", ["--flag"], []),
    ("wick --color auto gnu --fl", ["--flag"], []),
    ("wick --color=", ["auto", "always", "never"], []),
    ("wick gnu --sort=", ["flat", "cum"], []),
    ("wick gnu --sort ", ["flat", "cum"], ["one.prof"]),
    ("wick gnu on", ["one.prof"], []),
    ("wick gnu --output on", ["one.prof"], []),
    ("wick gnu --output=on", ["one.prof"], []),
    ("wick gnu -o on", ["one.prof"], []),
    ("wick gnu --folder d", ["dir/"], ["dust"]),
    ("wick go -", ["-top", "-focus", "-output"], ["--flag", "--color"]),
    ("wick go -output on", ["one.prof"], []),
    ("wick go on", ["one.prof"], []),
]

# what is typed before TAB -> what the line must then be; zsh takes the blank,
# '=' or '/' that it adds back when the cursor leaves
TYPED = [
    ("wick gn", "wick gnu"),
    ("wick gnu --num", "wick gnu --number"),
    ("wick gnu --fla", "wick gnu --flag"),
    ("wick gnu --sort=c", "wick gnu --sort=cum"),
    ("wick gnu -o on", "wick gnu -o one.prof"),
    ("wick gnu --folder di", "wick gnu --folder dir"),
    ("wick go -foc", "wick go -focus"),
    ("wick go on", "wick go one.prof"),
    ("wick --vers", "wick --version"),
]

BASH = r"""
source "$1"
words=() word= line=$2
# Split as readline does: blanks separate, '=' is a word of its own.
while [[ -n $line ]]; do
    c=${line:0:1} line=${line:1}
    case $c in
    ' ') [[ -n $word ]] && words+=("$word"); word= ;;
    =) [[ -n $word ]] && words+=("$word"); words+=(=); word= ;;
    *) word+=$c ;;
    esac
done
if [[ ${2: -1} == = ]]; then :; else words+=("$word"); fi
COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1))
_wick
for reply in "${COMPREPLY[@]}"; do
    [[ -d $reply ]] && reply+=/
    printf '%s\n' "$reply"
done
"""

number = 0
failed = 0


def report(name, wrong):
    global number, failed
    number += 1
    failed += bool(wrong)
    for line in wrong:
        print("#", line)
    print("not ok" if wrong else "ok", number, "-", name)


def skip(name, reason):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {reason}")


def compare(line, offered, must, must_not):
    wrong = [f"'{line}' does not offer {w}" for w in must if w not in offered]
    wrong += [f"'{line}' offers {w}" for w in must_not if w in offered]
    return wrong + ([f"offered: {sorted(offered)}"] if wrong else [])


def bash_offers(script, line, folder):
    r = subprocess.run(["bash", "--norc", "-c", BASH, "bash", script, line],
                       cwd=folder, capture_output=True, text=True)
    return set(r.stdout.splitlines()) | ({r.stderr} if r.stderr else set())


def fish_offers(script, line, folder):
    ask = f"source {script}; complete -C '{line}'"
    r = subprocess.run(["fish", "--no-config", "-c", ask], cwd=folder,
                       capture_output=True, text=True,
                       env={**os.environ, "HOME": folder})
    words = {w.partition("\t")[0] for w in r.stdout.splitlines()}
    # fish repeats what stands before the '='.
    return {w.partition("=")[2] if "=" in line and "=" in w else w
            for w in words} | ({r.stderr} if r.stderr else set())


class Zsh:
    """A zsh on a terminal, with the script loaded."""

    def __init__(self, script, folder):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.environ.update(TERM="dumb", HOME=folder, ZDOTDIR=folder,
                              COLUMNS="200")
            os.execvp("zsh", ["zsh", "-f", "-i"])
        self.say("PS1='> '; unsetopt zle_bracketed_paste prompt_sp; "
                 "autoload -U compinit; compinit -u -D; "
                 f"source {script}; echo rea''dy\n")
        self.wait_for("ready\r\n")

    def say(self, text):
        os.write(self.fd, text.encode())

    def wait_for(self, text, seconds=20):
        """Reads until text has come; returns all that came."""
        seen = ""
        end = time.monotonic() + seconds
        while text not in seen:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                break
            seen += os.read(self.fd, 65536).decode(errors="replace")
        return seen

    def line_after_tab(self, typed):
        """What the line is once TAB has been pressed behind typed."""
        # ^A and the quotes make the completed line an argument of print.
        self.say("\x15" + typed + "\t\x01print -r -- 'line:\x05:end'\n")
        seen = self.wait_for(":end\r\n")
        return seen.rpartition("line:")[2].partition(":end")[0]

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def zsh_tests(script, folder):
    zsh = Zsh(script, folder)
    for typed, want in TYPED:
        got = zsh.line_after_tab(typed)
        report(f"zsh: {typed}<TAB>",
               [] if got == want else [f"the line became '{got}'"])
    zsh.close()


def shell_tests(shell, script, folder):
    if shell == "zsh":
        zsh_tests(script, folder)
        return
    offers = bash_offers if shell == "bash" else fish_offers
    for line, must, must_not in CASES:
        report(f"{shell}: {line}", compare(line, offers(script, line, folder),
                                           must, must_not))


def main():
    wick, sample = map(os.path.abspath, sys.argv[1:])
    check = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"],
             "fish": ["fish", "--no-execute"]}
    with tempfile.TemporaryDirectory(prefix="wick-completion-") as folder:
        for name in ("one.prof", "dust"):
            open(os.path.join(folder, name), "w").close()
        os.mkdir(os.path.join(folder, "dir"))
        for shell, syntax in check.items():
            if not shutil.which(shell):
                skip(shell, f"{shell} is not installed")
                continue
            script = os.path.join(folder, "." + shell)
            for program in ([wick, "completion"], [sample]):
                with open(script, "w") as f:
                    subprocess.run([*program, shell], stdout=f, check=True)
                r = subprocess.run([*syntax, script], capture_output=True,
                                   text=True)
                name = os.path.basename(program[0])
                report(f"{shell}: the script of {name} is sound",
                       r.stderr.splitlines())
            shell_tests(shell, script, folder)
    print(f"1..{number}")
    return failed != 0


sys.exit(main())
