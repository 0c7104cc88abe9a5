#!/usr/bin/python3
"""Compare wick's regular expressions with Go's.

usage: regex.py PROGRAM GO SOURCE [COUNT [SEED]]

PROGRAM is the one made from regex.c, SOURCE is regex.go.  Both get hand-picked
patterns and COUNT random ones, each with several texts, and must agree on
errors, matches and where they are.  Two differences are counted and bounded:
how far a match reaches whose repetition can match nothing (regex.h), and what
is too hard or too large for wick.  Exits with 77 if there is no Go.
"""
import random
import shutil
import subprocess
import sys
import tempfile

# Patterns that are easy to get wrong, and texts for them.
PATTERNS = r"""
a$ ^a (?m)^a (?m)a$ (?m)^$ \Aa\z (?s). (?s)a.b a.b [^a] [^a]b \s \S \w \W \d \D
[\s] [\S] [^\s] [^\S] [\w-] [\d\D] [[:alpha:]] [[:^alpha:]] [[:word:]] [^[:word:]]
[[:space:]] [[:cntrl:]] [[:ascii:]] [[:^ascii:]] [[:punct:]] [[:xdigit:]] [[:foo:]]
[[:alpha:] [:alpha:] [[:alpha] [a[:digit:]b] (?i)[[:lower:]] (?i)[[:^lower:]]
(?i)\w (?i)\W (?i)[\W] (?i)[^\w] (?i)k (?i)s (?i)K (?i)[k] (?i)[^k] (?i)[a-z] (?i)[^a-z]
(?i)straße (?i)ΑΣ (?i)ς (?i)É (?i)ß (?i)İ (?i)ı (?i)\x{1e9e} (?i)[ς] (?i)µ
\pL \PL \p{L} \p{^L} \P{^L} \p{Lu} (?i)\p{Lu} (?i)\P{Lu} (?i)[^\p{Lu}] \p{Greek}
(?i)\p{Greek} \p{Han} \p{Latin} [\p{Greek}\d] [^\p{Greek}] \p{Foo} \p{ \p \pX \p{}
\p{^} [\p] [\p{Foo}] \p{Grek} \p{greek} \p{Any} \P{Any} [\P{Any}] [^\p{Any}] \p{C} \P{C}
\p{Cs} (?i)\p{Cs} \p{Common} \p{Zs}
\x41 \x{41} \x{10FFFF} \x{110000} \x{} \x{g} \x4 \x4g \x \x{41 \xg4 \x{d800} [\x{d800}]
\101 \08 \0 \00 \0000 \377 \400 \777 \1 \8 \12 \18 [\1] [\01]
\a\f\n\r\t\v \_ \- \. \/ \q \h \R \K \G \Z \e \N \X \u0041 \é [\b] [\h] [\B] [\A] [\z]
\Qa.b\E \Qa.b \Qa\E* \Q\E* a\Q\E* \Q\Q\E\E \Q\ \Qé*\E+ (\Q)\E) \E a\Eb \Q(\E(
a** a*+ a+* a?? a??? a*? a*?? a+? a++ a{2}{3} a{2}* a*{2} a{2}?? ** * + ? {2} {2}a *? +?
(*) (|*) |* a|* a||* (?i)* (?:)* ()* (?:a)* (?i)a(?i)* a*(?i)* a(?i)+? ^* $* \b* \A+ \z?
(?:^)* (?m)^* (^)* (a|^)* \B{2} ^{2} x{0} x{0,0} x{0}y x{0,1} x{,2} x{2,} x{2,1} x{1001}
x{1000} x{1,1001} x{01} x{1,02} x{ x{a} x{1 x{1, x{1,2 x{1;2} x{-1} {,} x{99999999999}
(x{100}){10} (x{100}){11} ((x{10}){10}){10} ((x{10}){10}){11} (x{30}){30} (x{0}){1000}
((x{0}){500}){500} (x*){1000} (x{2,}){500} (x{2,}){501} (x{0,}){1000} (?:x{10}|y){101}
( ) (a (a)) a) (a|b ((a) (() )( (?:a (?P<n>a (?P<n>a) (?P<n> (?P<n (?P< (?P<>a) (?P<a-b>c)
(?P<é>a) (?P<n>a)(?P<n>b) (?P=n) (?P>n) (?P (?Px (?'n'a) (?#c) (?=a) (?!a) (?<a (?>a) (?|a)
(?R) (?1) (?&n) (?( (? (?) (?: (?:) (?i (?i) (?i: (?i-) (?i-) (?-) (?--i) (?i-s) (?-i:a)
(?i-s:a.) (?ii) (?im-sU)a (?x)a (?a) (?é) (?i-é) (?s-) (?m-i)^a (?U)a* (?U)a*? (?U:a*)a
(?i)a(?-i)b (?i:a)b (a(?i)b)c a|(?i)b|c (?i)a|b (?-i)a (a(?i)|b)b ((?i)a)b (?i)(?-i)a
[ ] [] []] []a] [^] [^]] [^]a] [a] [a [a- [a-] [-a] [a-z] [z-a] [a-\d] [\d-z] [a-b-c] [--a]
[a--] [---] [a-a] [\]] [\\] [\^a] [^^] [a^] [[] [[a] [[]] [&&] [a&&b] [\x41-\x43] [\n] [^\n]
[é-ü] [ü-é] [\Qa\E] [\pL\d_] [^\PL] [^\x00-\x{10FFFF}] [\x00-\x{10FFFF}] [^\d\D] [.] [*] [|]
[(] [\C] \C a|b|c a|ab ab|a (a|ab)(c|bcd) a*? (a*)* (a*)+ (a+)* (a|b)* (a*?)*? (|a)* (|a)+
(a|)+ (a?)* (a??)*? (?:a?)*?$ ^(?:|a)+$ ^(?:a|b?)*$ (a{0,2})* x*y* (?:(?:)|a)+b ((a*)+)+b
.*a .*?a a.*b a.*?b (.*)(.*) (.*?)(.*) (.+)+ \ba\b \Ba \bé \w\b\W \B $^ ^$ $ ^ (?m)$ (?m)^
(?m)a$\nb (?m)$\n^ \n (?s).$ .$ a$|b (?:a$)|b .. ... [^a][^b] \x{fffd} [\x{fffd}] [^\x{fffd}]
\W+ é . é. [é] (?i)é std::.* runtime\..* main\.(foo|bar)$ ^[^:]*::  operator\(\)
([+-]?[[:digit:]]+)([[:alpha:]]+)? ^(?:[a-z]+\.)+([A-Z]\w*)$ (?i)go.*pprof [A-Z][a-z]+
""".split() + ["", " ", "a b", "[ ]", "(?i: )", "a|", "|a", "||", "(|)", "a\\", "[a\\",
               "\\", "(\\", "[\\", "\\p{\xff}", "é(", "[é", "(?P<n>é",
               "a\nb", "[\n]", "a{2}\n"]
RAW = [b"\xff", b"a\xff", b"[\xff]", b"[a\xff", b"\\\xff", b"\\x\xff", b"\\x{\xff}",
       b"\\Q\xff\\E", b"(?\xff)", b"(?P<\xff>a)", b"(?P<a\xff", b"\\p\xff",
       b"\\p{\xff}", b"\\p{\xff", b"(?i\xff", b"\\Qa\xff\\Eb", b"a\x00b",
       b"\x00", b"[\x00]", b"[\x00-\x1f]", b"\xc3", b"\xed\xa0\x80",
       b"\xf5\x80\x80\x80", b"\xe0\x80\x80"]
TEXTS = [b"", b"a", b"A", b"b", b"ab", b"aa", b"aab", b"abc", b"abcd", b"a\n",
         b"\n", b"\n\n", b"a\nb", b"b\na", b"\na\n", b" ", b"\t\v\f\r\n ",
         b"\v", b"k", b"K", b"\xe2\x84\xaa", b"s", b"\xc5\xbf", "straße".encode(),
         "STRASSE".encode(), "STRAẞE".encode(), "ΑΣας".encode(), "É é".encode(),
         "İıiI".encode(), "µμΜ".encode(), "ÿŸ".encode(), "ǅǄǆ".encode(),
         b"_", b"0", b"09az", b"-", b"x" * 10, b"xx", b"x", b"y", b"xy", b"{",
         b"x{,2}", b"x{2", b"]", b"[", b"[:alpha:]", b"^", b"$", b"\\", b"|", b"(",
         b"a.b", b"a*b", b".", b"*", b"\x00", b"\x07", b"\x7f", b"\x80",
         b"\xff", b"a\xff", b"\xffa", b"\xe2\x82", b"\xed\xa0\x80", b"a\xc3b",
         b"\xef\xbf\xbd", "漢字".encode(), "λx".encode(), "a\u0301".encode(),
         b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"std::vector<int>::push_back",
         b"main.foo", b"runtime.mallocgc", b"operator()", b"-12kb", b"Go pprof",
         b"aaaaaaaaaaaaaaaaaaaa", b"ababab", b"a b", b"q", b"go.Type", b"bcd"]


def atom(rng, depth):
    """A random piece of a pattern, mostly valid."""
    kind = rng.random()
    if kind < 0.45:
        return rng.choice("aaaabbbcdkKsSé_ -λ" + "0189\n")
    if kind < 0.55:
        return rng.choice([".", "^", "$", "\\b", "\\B", "\\A", "\\z", "\\d", "\\W",
                           "\\s", "\\w", "\\pL", "\\P{Lu}", "\\x{e9}", "\\n", "\\.",
                           "\\D", "\\S", "[[:alpha:]]", "\\Qa*\\E"])
    if kind < 0.7:
        return klass(rng)
    if depth <= 0:
        return "b"
    flags = rng.choice(["", "", "?:", "?i:", "?s:", "?m:", "?U:", "?i-s:", "?P<n>", "?<n>"])
    return "(" + flags + alternation(rng, depth - 1) + ")"


def klass(rng):
    parts = [rng.choice(["a", "b", "a-c", "A-Z", "\\d", "\\W", "\\s", "[:word:]",
                         "[:^digit:]", "k", "é", "\\x{100}-\\x{200}", "\\n", "-",
                         "\\pN", "^", "\\]", "s"])
             for _ in range(rng.randint(1, 4))]
    return "[" + rng.choice(["", "", "^"]) + "".join(parts) + "]"


def sequence(rng, depth):
    text = ""
    for _ in range(rng.randint(0, 4)):
        text += atom(rng, depth)
        if rng.random() < 0.4:
            text += rng.choice(["*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{0,3}",
                                "{2,}", "{0}", "{0,2}?"])
        if rng.random() < 0.06:
            text += rng.choice(["(?i)", "(?-i)", "(?s)", "(?m)", "(?U)", "(?i-m)"])
    return text


def alternation(rng, depth):
    return "|".join(sequence(rng, depth)
                    for _ in range(rng.choice([1, 1, 1, 2, 3])))


def spoiled(rng, pattern):
    """The pattern with something wrong in it, perhaps."""
    for _ in range(rng.randint(1, 3)):
        at = rng.randint(0, len(pattern))
        junk = rng.choice(["(", ")", "[", "]", "*", "+", "?", "{", "}", "\\", "|",
                           "(?", "(?P<", "\\p", "\\x", "{3}", "-", "^", "[:", ":]",
                           "\\E", "\\Q", "(?=", "a", "9", "\\8", "\\1"])
        pattern = pattern[:at] + junk + pattern[at + rng.randint(0, 1):]
    return pattern


def random_text(rng):
    text = "".join(rng.choice(["a", "a", "b", "c", "k", "s", "K", "é", "\n", " ", "_",
                               "0", "λ", "ſ", "\u212a", "-"])
                   for _ in range(rng.randint(0, 8))).encode()
    if rng.random() < 0.1:
        at = rng.randint(0, len(text))
        text = text[:at] + rng.choice([b"\xff", b"\xc3", b"\xe2\x84"]) + text[at:]
    return text


def cases(count, seed):
    rng = random.Random(seed)
    for pattern in [p.encode() for p in PATTERNS] + RAW:
        for text in TEXTS:
            yield pattern, text
    for _ in range(count):
        pattern = alternation(rng, 3)
        if rng.random() < 0.3:
            pattern = spoiled(rng, pattern)
        for _ in range(6):
            yield pattern.encode(), random_text(rng)


def run(command, data):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE,
                          check=True).stdout.decode().splitlines()


def judge(wick, go):
    """How the answers compare: same, reach, hard or differ."""
    if wick == go:
        return "same"
    if "gave up" in wick or (wick.startswith("error") and
                             "expression too large" in words(wick)):
        return "hard"
    if "error" in wick or "error" in go:
        return "same" if words_of_new_go(wick, go) else "differ"
    if "no" in (wick, go) or "differ" in wick:
        return "differ"
    return "reach" if wick.split()[0] == go.split()[0] else "differ"


def words_of_new_go(wick, go):
    """Whether the difference is one between Go's versions."""
    if not go.startswith("error"):
        return False
    old = words(go)
    if "invalid or unsupported Perl syntax: `(?<" in old:
        return True  # (?<name>...) came with Go 1.22
    if not wick.startswith("error"):
        return False
    new = words(wick)
    return old == new or (len(new) > 400 and old.startswith(new[:400]))


def words(answer):
    """An error's text, without what no terminal should get."""
    raw = bytes.fromhex(answer[6:])
    return bytes(b if b >= 32 and b != 127 else ord("?") for b in raw).decode(
        errors="replace")


def main():
    program, go, source = sys.argv[1:4]
    if not shutil.which(go):
        print("no Go here")
        sys.exit(77)
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 3000
    seed = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    every = list(cases(count, seed))
    data = "".join(f"{p.hex()} {t.hex()}\n" for p, t in every).encode()
    ours = run([program], data)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([go, "build", "-o", folder + "/regex", source],
                       check=True)
        theirs = run([folder + "/regex"], data)
    verdicts = dict.fromkeys(("same", "reach", "hard", "differ"), 0)
    shown = set()
    for (pattern, text), wick, other in zip(every, ours, theirs, strict=True):
        verdict = judge(wick, other)
        verdicts[verdict] += 1
        if verdict != "differ" or pattern in shown or len(shown) == 20:
            continue
        shown.add(pattern)
        print(f"{pattern!r} on {text!r}: wick {show(wick)}, Go {show(other)}")
    print(verdicts)
    few = len(every) // 100
    sys.exit(verdicts["differ"] > 0 or verdicts["reach"] > few or
             verdicts["hard"] > few // 10)


def show(answer):
    if answer.startswith("error"):
        return bytes.fromhex(answer[6:]).decode(errors="replace")
    return answer


if __name__ == "__main__":
    main()
