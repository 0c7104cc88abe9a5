"""Results of a test program, one line each, as the Test Anything Protocol."""

number = 0
failed = 0


def check(name, holds, seen=""):
    """Says whether it holds, and if not what was seen instead."""
    global number, failed
    number += 1
    failed += not holds
    if not holds:
        print("# saw:", repr(seen))
    print("ok" if holds else "not ok", number, "-", name, flush=True)


def skip(name, reason):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {reason}", flush=True)


def end():
    """Says how many there were; returns the status to exit with."""
    print(f"1..{number}")
    return failed != 0
