#!/usr/bin/python3
"""Debug information in every form that compilers and packagers give it.

usage: test-formats.py WICK

Each program prints an address inside two inlined calls; wick has to find all
three functions with their lines again, wherever the information went.
"""
import os
import re
import shutil
import subprocess
import sys

import symtest
from symtest import chain_address, functions, have, is_chain

t = symtest.Tests(sys.argv[1])


def check_chain(name, program, address, **options):
    frames = t.frames(program, address, **options)
    t.check(name, is_chain(frames), frames)


def log_of(program, **options):
    """What wick doctor says about a program."""
    return t.ask("doctor", program, **options)[1]


def compressed():
    program = t.compile("packed")
    address = chain_address(program)
    for method in ("zlib", "zlib-gnu", "zstd"):
        name = f"sections compressed by {method} are read"
        r = subprocess.run(["objcopy", "--compress-debug-sections=" + method,
                            program, program + "-" + method],
                           stderr=subprocess.PIPE, text=True)
        if r.returncode:
            t.skip(name, "this objcopy has no " + method)
            continue
        packed = t.run("readelf", "-SW", program + "-" + method)
        t.check(f"{method}: the sections are compressed indeed",
                ".zdebug_info" in packed or
                re.search(r"\.debug_info.* C ", packed), packed)
        check_chain(name, program + "-" + method, address)


def mini_debug_info():
    """As Fedora packages its programs: the rest of .symtab, packed by xz."""
    if not have("xz"):
        return t.skip("embedded symbols are read", "no xz")
    program = t.compile("embedded", "-DSTATIC", "-rdynamic")
    address = chain_address(program)
    names = {line.split()[2] for line in t.run("nm", program).splitlines()
             if len(line.split()) == 3}
    with open(t.path("keep"), "w") as f:
        f.write("\n".join(names) + "\n")
    t.run("objcopy", "-S", "--remove-section", ".gdb_index",
          "--remove-section", ".comment", "--keep-symbols=keep", program,
          "mini")
    t.run("xz", "-f", "mini")
    t.run("strip", "--remove-section=.comment", "-o", "bare", program)
    t.run("objcopy", "--remove-section=.dynsym", "bare", "bare-0")
    t.run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "bare",
          "with-mini")
    frames = t.frames(t.path("with-mini"), address)
    t.check("embedded symbols are read", functions(frames) == ["outermost"],
            frames)
    t.check("and doctor says so", ".gnu_debugdata\n      found" in
            log_of(t.path("with-mini")), log_of(t.path("with-mini")))
    with open(t.path("mini.xz"), "r+b") as f:
        f.seek(40)
        f.write(b"\xff" * 64)
    t.run("objcopy", "--add-section", ".gnu_debugdata=mini.xz", "bare",
          "damaged-mini")
    t.check("damaged ones are said to be so", ".gnu_debugdata\n      damaged"
            in log_of(t.path("damaged-mini")), log_of(t.path("damaged-mini")))


def shared_by_dwz():
    if not have("dwz"):
        return t.skip("what dwz shares is found", "no dwz")
    for version in ("4", "5"):
        # dwz shares what it finds twice: two programs with equal types.
        paths = [t.compile(f"dwz{version}-{i}", f"-gdwarf-{version}",
                           f"-DPROGRAM={i}") for i in (1, 2)]
        address = chain_address(paths[0])
        check_chain(f"DWARF {version}: before dwz", paths[0], address)
        r = subprocess.run(["dwz", "-m", f"shared{version}.debug", "-r",
                            *map(os.path.basename, paths)], cwd=t.folder,
                           stderr=subprocess.PIPE, text=True)
        shared = t.path(f"shared{version}.debug")
        name = f"DWARF {version}: what dwz -m put into a shared file is found"
        if r.returncode or not os.path.exists(shared):
            t.skip(name, "dwz: " + r.stderr.strip().split("\n")[0])
            continue
        check_chain(name, paths[0], address)
        steps = log_of(paths[0])
        t.check("and doctor shows the shared file",
                f"shared{version}.debug\n      found" in steps, steps)
        with open(shared, "r+b") as f:
            data = f.read()
            at = data.find(b"GNU\0", 0)
            f.seek(at + 4)
            f.write(bytes(8))
        steps = log_of(paths[0])
        t.check("a shared file of another build is not taken",
                "of another build" in steps, steps)


def split_units():
    for compiler in ("gcc", "clang"):
        for version in ("4", "5"):
            name = f"split by {compiler}, DWARF {version}"
            if not have(compiler):
                t.skip(name, "no " + compiler)
                continue
            program = t.compile(f"split-{compiler}-{version}",
                                "-gsplit-dwarf", f"-gdwarf-{version}",
                                compiler=compiler)
            address = chain_address(program)
            check_chain(f"{name}: the .dwo is found", program, address,
                        env={"XDG_CACHE_HOME": t.path("c1" + name)})
            package(name, program, address)


def package(name, program, address):
    """Packs the split file and takes it away."""
    packer = "llvm-dwp" if have("llvm-dwp") else "dwp"
    if not have(packer):
        return t.skip(f"{name}: the .dwp is found", "no dwp")
    t.run(packer, "-e", program, "-o", program + ".dwp")
    for path in os.listdir(t.folder):
        if path.endswith(".dwo"):
            os.unlink(t.path(path))
    check_chain(f"{name}: the .dwp is found", program, address,
                env={"XDG_CACHE_HOME": t.path("c2" + name)})
    os.unlink(program + ".dwp")
    frames = t.frames(program, address,
                      env={"XDG_CACHE_HOME": t.path("c3" + name)})
    t.check(f"{name}: without either there is still the function",
            functions(frames)[-1:] == ["outermost"], frames)


def other_split_file():
    program = t.compile("mixed", "-gsplit-dwarf")
    address = chain_address(program)
    with open(t.path("other.c"), "w") as f:
        f.write("int other(int x) { return x + 1; }\n")
    t.run("gcc", "-gsplit-dwarf", "-g", "-c", "other.c")
    shutil.copy(t.path("other.dwo"), t.path("mixed-chain.dwo"))
    frames = t.frames(program, address)
    t.check("a .dwo of another build is not used",
            functions(frames) == ["outermost"], frames)


def debug_link():
    """Without a build id the checksum decides."""
    program = t.compile("linked", "-Wl,--build-id=none")
    address = chain_address(program)
    t.run("objcopy", "--only-keep-debug", "linked", "linked.debug")
    t.run("objcopy", "--strip-all", "--add-gnu-debuglink=linked.debug",
          "linked", "linked-bare")
    bare = t.path("linked-bare")
    check_chain("the file that .gnu_debuglink names is found", bare, address)
    os.makedirs(t.path(".debug"))
    os.rename(t.path("linked.debug"), t.path(".debug", "linked.debug"))
    check_chain("also in the folder .debug", bare, address)
    with open(t.path(".debug", "linked.debug"), "ab") as f:
        f.write(b"x")
    frames = t.frames(bare, address)
    t.check("one whose checksum differs is not used",
            functions(frames) == [], frames)
    t.check("which doctor says", "of another build (checksum)" in log_of(bare),
            log_of(bare))


def build_id(program):
    found = re.search(r"Build ID: (\w+)", t.run("readelf", "-n", program))
    return found[1]


def build_id_folder():
    name = "a debug file is found by its build id"
    if symtest.needs_root(t, name):
        return
    program = t.compile("packaged")
    address = chain_address(program)
    identity = build_id(program)
    t.run("objcopy", "--only-keep-debug", "packaged", "packaged.dbg")
    t.run("strip", "-o", "packaged-bare", "packaged")
    place = f"/usr/lib/debug/.build-id/{identity[:2]}"
    in_own_namespace = [
        "unshare", "-m", "sh", "-c",
        f"mkdir -p /usr/lib/debug; mount -t tmpfs none /usr/lib/debug && "
        f"mkdir -p {place} && cp $0 {place}/{identity[2:]}.debug && "
        'exec "$@"']
    bare = t.path("packaged-bare")
    check_chain(name, bare, address,
                before=[*in_own_namespace, t.path("packaged.dbg")])
    t.compile("unrelated", "-DOTHER", "-O2")
    t.run("objcopy", "--only-keep-debug", "unrelated", "unrelated.dbg")
    before = [*in_own_namespace, t.path("unrelated.dbg")]
    frames = t.frames(bare, address, before=before)
    t.check("one of another build is not used", functions(frames) == [],
            frames)
    t.check("which doctor says", "of another build" in
            log_of(bare, before=before), log_of(bare, before=before))


def replaced_binary():
    program = t.compile("recorded")
    identity = build_id(program)
    address = chain_address(program)
    frames = t.frames("--build-id=" + identity, program, address)
    t.check("the recorded binary is used", is_chain(frames), frames)
    t.compile("recorded", "-DOTHER", "-O2")
    error = t.frames("--build-id=" + identity, program, address)
    t.check("another in its place is refused",
            "binary replaced since the recording" in error, error)


def type_units():
    for compiler in ("g++", "clang++"):
        for version in ("4", "5"):
            name = f"type units by {compiler}, DWARF {version}"
            if not have(compiler):
                t.skip(name, "no " + compiler)
                continue
            with open(t.path("method.cc"), "w") as f:
                f.write(METHOD)
            program = t.compile(f"types-{compiler}-{version}",
                                "-fdebug-types-section",
                                f"-gdwarf-{version}", source="method.cc",
                                compiler=compiler)
            units = t.run("readelf", "--debug-dump=info", program)
            frames = t.frames(program, chain_address(program))
            t.check(name, functions(frames) ==
                    ["_ZN5Shape5innerEv", "_ZN5Shape5outerEv"] and
                    "signature" in units.lower(), frames)


def signature_reference():
    """No compiler at hand names a function by a type's signature."""
    with open(t.path("signature.s"), "w") as f:
        f.write(SIGNATURE)
    t.run("gcc", "-c", "signature.s")
    frames = t.frames(t.path("signature.o"), "1")
    t.check("a reference by signature leads into the type unit",
            functions(frames) == ["by_signature"], frames)


SIGNATURE = """
	.text
code:	.fill 16, 1, 0x90
end_of_code:
	.section .debug_abbrev
	.uleb128 1, 0x11		# compile unit, with children
	.byte 1, 0x11, 1, 0x12, 7, 0, 0	# low_pc addr, high_pc data8
	.uleb128 2, 0x2e		# subprogram
	.byte 0, 0x11, 1, 0x12, 7, 0x47, 0x20, 0, 0	# specification ref_sig8
	.uleb128 3, 0x41		# type unit, with children
	.byte 1, 0, 0
	.uleb128 4, 0x2e		# what stands for the type
	.byte 0, 0x03, 8, 0, 0		# name string
	.byte 0
	.section .debug_info
	.long type_end - type_start	# the type unit
type_start:
	.value 5
	.byte 2, 8
	.long .debug_abbrev
	.quad 0x1122334455667788
	.long type - type_start + 4
	.uleb128 3
type:	.uleb128 4
	.asciz "by_signature"
	.byte 0
type_end:
	.long unit_end - unit_start	# the unit with code
unit_start:
	.value 5
	.byte 1, 8
	.long .debug_abbrev
	.uleb128 1
	.quad code, end_of_code - code
	.uleb128 2
	.quad code, end_of_code - code, 0x1122334455667788
	.byte 0
unit_end:
"""


METHOD = """
#include <cstdio>
struct Shape {
	int side;
	__attribute__((always_inline)) void *inner();
	__attribute__((noinline)) void *outer();
};
void *Shape::inner()
{
	void *pc;

#if defined(__x86_64__)
	__asm__ volatile("lea -1(%%rip), %0" : "=r"(pc));
#else
	__asm__ volatile("adr %0, ." : "=r"(pc));
#endif
	return pc;
}
void *Shape::outer() { return inner(); }
int main()
{
	Shape s;

	std::printf("%p\\n", s.outer());
	std::fflush(stdout);
	return std::getchar() == EOF ? 0 : 1;
}
"""

MODULE = """
static inline __attribute__((always_inline)) int work(int x)
{
	__asm__ volatile("");
	return x * 3;
}
__attribute__((section(".init.text"))) int start(int x) { return work(x); }
int first(int x) { return work(x) + 1; }
__attribute__((section(".text.unlikely"))) int rare(int x) { return work(x); }
__attribute__((section(".exit.text"))) int stop(int x) { return work(x) - 1; }
int second(int x) { return work(x) + 2; }
"""


def sections_of(path):
    """Name, size and alignment of a file's executable sections."""
    rows = re.findall(r"\] (\S+) +PROGBITS +\S+ \S+ (\S+) \S+ +AX +\d+ +\d+ "
                      r"+(\d+)", t.run("readelf", "-SW", path))
    return [(name, int(size, 16), int(align)) for name, size, align in rows]


def layout(path):
    """Where the kernel's loader puts executable sections; init comes last."""
    at, places = 0, {}
    for name, size, align in sections_of(path):
        if not name.startswith(".init"):
            at = -(-at // align) * align
            places[name] = at
            at += size
    return places


def relocatable():
    with open(t.path("module.c"), "w") as f:
        f.write(MODULE)
    ways = {"plain": [], "compressed": ["-gz"],
            "a section for each function": ["-ffunction-sections"],
            "DWARF 4": ["-gdwarf-4"]}
    for way, flags in ways.items():
        t.run("gcc", "-g", "-O1", "-c", "-o", "module.o", "module.c", *flags)
        t.run("ld", "-r", "-o", "module.ko", "module.o")
        places = layout("module.ko")
        wanted, seen = {}, {}
        for line in t.run("objdump", "-t", "module.ko").splitlines():
            found = re.match(r"(\w+) .* F (\S+)\t\w+ (\w+)$", line)
            if found and found[2] in places:
                wanted[found[3]] = int(found[1], 16) + places[found[2]]
        for function, address in wanted.items():
            frames = t.frames(t.path("module.ko"), hex(address + 2))
            seen[function] = functions(frames)
            lines = {f.get("line") for f in frames}
        t.check(f"an object file, {way}: each function by itself",
                len(wanted) == 4 and
                all(seen[f][-1:] == [f] for f in wanted) and 0 not in lines,
                (wanted, seen))
    t.run("objcopy", "--only-keep-debug", "module.ko", "module.ko.debug")
    t.run("objcopy", "--strip-debug", "--add-gnu-debuglink=module.ko.debug",
          "module.ko", "stripped.ko")
    frames = t.frames(t.path("stripped.ko"), hex(wanted["second"] + 2))
    t.check("a module without debug information has it in another file",
            functions(frames)[-1:] == ["second"] and frames[-1].get("line"),
            frames)


compressed()
mini_debug_info()
shared_by_dwz()
split_units()
other_split_file()
debug_link()
build_id_folder()
replaced_binary()
type_units()
signature_reference()
relocatable()
t.end()
