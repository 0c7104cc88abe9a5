#!/usr/bin/python3
"""Addresses of running processes: their files, wherever these are by now.

usage: test-process.py WICK
"""
import json
import os
import shutil
import struct
import sys

import symtest
from symtest import Running, functions, is_chain

t = symtest.Tests(sys.argv[1])
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
NO_CACHE = {"XDG_CACHE_HOME": "/nonexistent"}


def running_program():
    program = t.compile("plain")
    with Running(program) as p:
        frames = t.frames("-p", p.pid, p.address)
        t.check("an address of a process gives the chain", is_chain(frames),
                frames)
        status, out, err = t.ask("symbolize", "--json", "-p", p.pid, p.address)
        t.check("and the file that it is in",
                status == 0 and json.loads(out)["module"] == program, out)
        vdso = [line for line in open(f"/proc/{p.pid}/maps")
                if "[vdso]" in line]
        libc = [line for line in open(f"/proc/{p.pid}/maps")
                if "libc" in line and " r-xp " in line]
        many = [hex(int(line.split("-")[0], 16) + 0x800)
                for line in vdso + libc]
        status, out, err = t.ask("symbolize", "--json", "-p", p.pid,
                                 p.address, *many, p.address)
        rows = [json.loads(line) for line in out.splitlines()]
        t.check("answers come in the order of the questions",
                len(rows) == 2 + len(many) and is_chain(rows[0]["frames"]) and
                is_chain(rows[-1]["frames"]), rows)
        if vdso:
            start = int(vdso[0].split("-")[0], 16)
            asked = [hex(start + at) for at in range(0x600, 0x1000, 16)]
            status, out, err = t.ask("symbolize", "-p", p.pid, *asked)
            t.check("the vdso is read from the process's memory",
                    "__vdso_" in out or "__kernel_" in out, out + err)


def examined():
    program = t.compile("examined")
    with Running(program) as p:
        status, out, err = t.ask("doctor", "-p", p.pid)
        files = [line for line in out.splitlines() if line[:1] in "/["
                 and line]
        t.check("doctor lists the files of a process", status == 0 and
                program in files and any("libc" in f for f in files), out)
        wide = [line for line in out.splitlines()
                if len(line) > 80 and "/" not in line]
        t.check("in lines of at most 80 columns", not wide, wide)
        status, out, err = t.ask("doctor", "--json", "-p", p.pid)
        rows = [json.loads(line) for line in out.splitlines()]
        t.check("or as JSON", [r["file"] for r in rows] == files, rows)


def deleted_program():
    program = t.compile("gone")
    with Running(program) as p:
        os.unlink(program)
        frames = t.frames("-p", p.pid, p.address)
        t.check("a deleted program is still found", is_chain(frames), frames)


def deleted_for_users():
    """Users may not open map_files; the program itself has another link."""
    name = "a deleted program is found without privilege"
    if symtest.needs_root(t, name):
        return
    program = t.compile("gone")
    os.chmod(t.folder, 0o755)
    with Running(*AS_NOBODY, program) as p:
        os.unlink(program)
        frames = t.frames("-p", p.pid, p.address, before=AS_NOBODY,
                          env=NO_CACHE)
        t.check(name, is_chain(frames), frames)


def replaced_program():
    program = t.compile("replaced")
    with Running(program) as p:
        os.unlink(program)
        t.compile("replaced", "-DOTHER", "-O2")
        frames = t.frames("-p", p.pid, p.address)
        t.check("a replaced program is still the old one", is_chain(frames),
                frames)


def replaced_library():
    """Without privilege only the path is left, and that is another file."""
    name = "a replaced library is not mistaken for the mapped one"
    if symtest.needs_root(t, name):
        return
    os.chmod(t.folder, 0o755)
    t.run("gcc", "-shared", "-fPIC", "-g", "-O1", "-Dmain=library_main", "-o",
          "libchain.so", symtest.CHAIN)
    with open(t.path("user.c"), "w") as f:
        f.write("int library_main(void);\n"
                "int main(void) { return library_main(); }\n")
    program = t.compile("user", "-L.", "-lchain", "-Wl,-rpath," + t.folder,
                        source="user.c")
    with Running(*AS_NOBODY, program) as p:
        frames = t.frames("-p", p.pid, p.address, before=AS_NOBODY, env=NO_CACHE)
        t.check("a user sees the libraries of his process", is_chain(frames),
                frames)
        os.unlink(t.path("libchain.so"))
        t.run("gcc", "-shared", "-fPIC", "-g", "-O2", "-Dmain=library_main",
              "-DOTHER", "-o", "libchain.so", symtest.CHAIN)
        frames = t.frames("-p", p.pid, p.address, before=AS_NOBODY, env=NO_CACHE)
        t.check(name, frames == [], frames)
        status, out, err = t.ask("doctor", "-p", p.pid, before=AS_NOBODY,
                                 env=NO_CACHE)
        t.check("and doctor says so", "replaced since the process started" in
                out, out + err)
        frames = t.frames("-p", p.pid, p.address)
        t.check("root still reads the old one", is_chain(frames), frames)


def own_namespace(name, command):
    """A process whose root is a folder that we do not see as it does."""
    if symtest.needs_root(t, name):
        return
    root = t.path("root")
    os.makedirs(os.path.join(root, "tmp"), exist_ok=True)
    program = t.compile("static", "-static")
    shutil.copy(program, os.path.join(root, "inside"))
    with Running(*command(root)) as p:
        pid = inner_process(p.pid)
        frames = t.frames("-p", pid, p.address)
        t.check(name, is_chain(frames), frames)


def inner_process(pid):
    """The last descendant: what unshare or chroot started."""
    while True:
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = f.read().split()
        if not children:
            return pid
        pid = children[0]


def chroot(root):
    return ["chroot", root, "/inside"]


def mount_namespace(root):
    """The program lies on a file system that only its namespace has."""
    script = (f"mkdir -p {root}/private && mount -t tmpfs none {root}/private "
              f"&& cp {root}/inside {root}/private/hidden && "
              f"exec chroot {root} /private/hidden")
    return ["unshare", "-m", "sh", "-c", script]


def pivoted(root):
    return ["unshare", "-m", sys.executable, "-c", PIVOT, root]


PIVOT = """
import ctypes, os, sys
root = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
def must(r):
    if r: raise OSError(ctypes.get_errno(), "pivot")
must(libc.mount(None, b"/", None, 0x44000, None))
must(libc.mount(root.encode(), root.encode(), None, 0x1000, None))
os.makedirs(root + "/old", exist_ok=True)
os.chdir(root)
must(libc.syscall(155, b".", b"old"))
must(libc.umount2(b"/old", 2))
os.chdir("/")
os.execv("/inside", ["/inside"])
"""


def perf_map():
    """In a container the map has the number that the process sees itself."""
    name = "a perf map is found in the container, by the inner number"
    if symtest.needs_root(t, name):
        return
    root = t.path("root")
    with open(os.path.join(root, "tmp", "perf-1.map"), "w") as f:
        f.write("10000000 100 Function:early\n10000000 80 LazyCompile:f\n")
    with Running("unshare", "-p", "-f", *chroot(root)) as p:
        frames = t.frames("-p", inner_process(p.pid), "10000010")
        t.check(name, functions(frames) == ["LazyCompile:f"], frames)
        os.chown(os.path.join(root, "tmp", "perf-1.map"), 12345, 12345)
        frames = t.frames("-p", inner_process(p.pid), "10000010")
        t.check("one that somebody else put there is not believed",
                frames == [], frames)
        status, out, err = t.ask("doctor", "-p", inner_process(p.pid))
        t.check("which doctor says", "it belongs to another user" in out, out)
    os.unlink(os.path.join(root, "tmp", "perf-1.map"))
    secret = t.path("secret")
    with open(secret, "w") as f:
        f.write("10000000 100 secret\n")
    os.symlink(secret, os.path.join(root, "tmp", "perf-1.map"))
    with Running("unshare", "-p", "-f", *chroot(root)) as p:
        frames = t.frames("-p", inner_process(p.pid), "10000010")
        t.check("links lead nowhere outside the container", frames == [],
                frames)


JIT = """
import mmap, os, sys
path = sys.argv[1]
f = open(path, "rb")
m = mmap.mmap(f.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ)
print("0x20000010", flush=True)
sys.stdin.read()
"""


def jitdump():
    name = b"jitted\0"
    code = b"\x90" * 32
    address = 0x20000000
    lines = struct.pack("<QQ", address, 1)
    lines += struct.pack("<QII", address, 42, 0) + b"source.js\0"
    debug = struct.pack("<IIQ", 2, 16 + len(lines), 1) + lines
    body = struct.pack("<IIQQQQ", 1, 1, address, address, len(code), 1)
    load = struct.pack("<IIQ", 0, 16 + len(body) + len(name) + len(code), 2)
    header = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 1, 0, 0)
    path = t.path("jit-1.dump")
    with open(path, "wb") as f:
        f.write((header + debug + load + body + name + code).ljust(4096, b"\0"))
    with Running(sys.executable, "-c", JIT, path) as p:
        frames = t.frames("-p", p.pid, p.address)
        t.check("a mapped jitdump gives function and line",
                functions(frames) == ["jitted"] and
                frames[0].get("file") == "source.js" and
                frames[0]["line"] == 42, frames)


def refusals():
    status, out, err = t.ask("symbolize", "-p", "4194304", "1")
    t.check("a process that is not there is said to be so",
            status == 1 and err == "wick: there is no process 4194304\n", err)
    name = "another user's process is refused with the remedy"
    if symtest.needs_root(t, name):
        return
    status, out, err = t.ask("symbolize", "-p", "1", "1", before=AS_NOBODY)
    t.check(name, status == 1 and "run as its user or as root" in err, err)


def kernel():
    with open("/proc/kallsyms") as f:
        rows = [line.split() for line in f]
    text = [r for r in rows if r[1] in "tT" and r[2] == "schedule"]
    name = "a kernel address gives its function"
    if not text or not int(text[0][0], 16):
        t.skip(name, "the kernel hides its addresses")
    else:
        frames = t.frames("--kernel", hex(int(text[0][0], 16) + 4))
        t.check(name, functions(frames) == ["schedule"], frames)
    name = "hidden kernel addresses are said to be so, with the command"
    if symtest.needs_root(t, name):
        return
    status, out, err = t.ask("symbolize", "--kernel", "1", before=AS_NOBODY)
    hidden = open("/proc/sys/kernel/kptr_restrict").read().strip() != "0" or \
        int(open("/proc/sys/kernel/perf_event_paranoid").read()) > 1
    if not hidden:
        t.skip(name, "everybody may see them here")
    else:
        t.check(name, status == 1 and err.count("\n") == 1 and
                "sysctl kernel.kptr_restrict=0" in err, err)


# A kernel and a module, as small as they can be.
KERNEL = """
static inline __attribute__((always_inline)) int work(int x) { return x * 3; }
int _stext(int x) { return work(x); }
int schedule(int x) { return work(x) + 1; }
"""
MODULE = """
static inline __attribute__((always_inline)) int work(int x) { return x * 3; }
__attribute__((section(".init.text"))) int start(int x) { return work(x); }
int first(int x) { return work(x) + 1; }
int second(int x) { return work(x) + 2; }
"""
MOVED = 0x12000000
LOADED = 0xffffffffc0a80000


def note_of(path):
    """The section with the build id, as the kernel shows it."""
    t.run("objcopy", "-O", "binary", "--only-section=.note.gnu.build-id",
          path, path + ".note")
    return t.path(path + ".note")


def symbols_of(path):
    return {r[2]: int(r[0], 16)
            for r in map(str.split, t.run("nm", path).splitlines())}


def kernel_lines():
    """The kernel's own files, put in the place of the real ones."""
    name = "lines of the kernel come from its debug file, wherever loaded"
    if symtest.needs_root(t, name):
        return
    for source, text in (("vmlinux.c", KERNEL), ("odd_mod.c", MODULE)):
        with open(t.path(source), "w") as f:
            f.write(text)
    flags = ["-g", "-O1", "-ffreestanding", "-fno-pic", "-mcmodel=kernel"]
    if os.uname().machine != "x86_64":
        flags = flags[:-1]
    t.run("gcc", *flags, "-nostdlib", "-static", "-no-pie", "-Wl,--build-id",
          "-Wl,-Ttext=0xffffffff81000000", "-Wl,-e,_stext", "-o", "vmlinux",
          "vmlinux.c")
    t.run("gcc", *flags, "-c", "odd_mod.c")
    t.run("ld", "-r", "--build-id", "-o", "odd-mod.ko", "odd_mod.o")
    kernel_symbols = symbols_of("vmlinux")
    module_symbols = symbols_of("odd-mod.ko")
    with open(t.path("kallsyms"), "w") as f:
        for symbol in ("_stext", "schedule"):
            f.write(f"{kernel_symbols[symbol] + MOVED:x} T {symbol}\n")
        for symbol in ("first", "second"):
            f.write(f"{module_symbols[symbol] + LOADED:x} t {symbol}"
                    "\t[odd_mod]\n")
    release = os.uname().release
    with open(t.path("modules.dep"), "w") as f:
        f.write("kernel/other.ko: \nkernel/x/odd-mod.ko: kernel/other.ko\n")
    script = " && ".join([
        f"cd {t.folder}", "mount --bind kallsyms /proc/kallsyms",
        f"mount --bind {note_of('vmlinux')} /sys/kernel/notes",
        "mount -t tmpfs none /boot", f"cp vmlinux /boot/vmlinux-{release}",
        "mount -t tmpfs none /sys/module",
        "mkdir -p /sys/module/odd_mod/notes",
        f"cp {note_of('odd-mod.ko')} "
        "/sys/module/odd_mod/notes/.note.gnu.build-id",
        "mkdir -p /lib/modules", "mount -t tmpfs none /lib/modules",
        f"mkdir -p /lib/modules/{release}/kernel/x",
        f"cp modules.dep /lib/modules/{release}",
        f"cp odd-mod.ko /lib/modules/{release}/kernel/x",
        'exec "$0" "$@"'])
    before = ["unshare", "-m", "sh", "-c", script]
    frames = t.frames("--kernel", hex(kernel_symbols["schedule"] + MOVED),
                      before=before)
    t.check(name, functions(frames)[-1:] == ["schedule"] and
            frames[-1].get("line") == 4, frames)
    frames = t.frames("--kernel", hex(module_symbols["second"] + LOADED),
                      before=before)
    t.check("and so do those of a module",
            functions(frames)[-1:] == ["second"] and
            frames[-1].get("line") == 5, frames)
    t.compile("vmlinux", "-DOTHER")
    frames = t.frames("--kernel", hex(kernel_symbols["schedule"] + MOVED),
                      before=["unshare", "-m", "sh", "-c", script.replace(
                          t.path("vmlinux.note"), "modules.dep")])
    t.check("the file of another kernel is not used",
            functions(frames) == ["schedule"] and not frames[0].get("line"),
            frames)


running_program()
examined()
deleted_program()
deleted_for_users()
replaced_program()
replaced_library()
own_namespace("a process in a chroot has its own files", chroot)
own_namespace("a file that only the mount namespace has is found",
              mount_namespace)
own_namespace("so is one behind pivot_root", pivoted)
perf_map()
jitdump()
refusals()
kernel()
kernel_lines()
t.end()
