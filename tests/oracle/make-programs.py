#!/usr/bin/python3
"""Make programs to try the symbolizer on.

usage: make-programs.py FOLDER

Compiles small programs in C++, Rust and Go in many ways: gcc and clang, DWARF 2
to 5, optimized or not, split, packed, compressed, dwz'd, with lines only,
stripped.  Prints the path of each, and behind a tab that of the file where an
oracle finds the debug information, if that is another.  What a missing compiler
would have made is left out.
"""
import os
import shutil
import subprocess
import sys

CXX = r"""
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>
namespace {
struct base {
	virtual ~base() {}
	virtual int run(int) = 0;
};
struct derived : base {
	std::map<std::string, std::vector<int>> m;
	int run(int a) override
	{
		m[std::to_string(a)].push_back(a);
		auto f = [this, a](int b) {
			struct local {
				static int twice(int x) { return x * 2; }
			};
			return local::twice(a + b) + (int)m.size();
		};
		return f(a);
	}
};
}
int count_words(const std::string &s)
{
	std::istringstream in(s);
	std::unordered_map<std::string, int> n;
	std::string w;
	while (in >> w)
		n[w]++;
	std::vector<std::pair<std::string, int>> v(n.begin(), n.end());
	std::sort(v.begin(), v.end(),
		[](auto &a, auto &b) { return a.second > b.second; });
	return v.empty() ? 0 : v[0].second;
}
int main(int argc, char **argv)
{
	std::unique_ptr<base> p(new derived);
	int t = 0;
	for (int i = 0; i < argc + 3; i++)
		t += p->run(i);
	std::function<int(int)> f = [&](int x) { return x + t; };
	return f(count_words(argv[0])) == 42;
}
"""

RUST = r"""
use std::collections::HashMap;
trait Size { fn size(&self) -> usize; fn twice(&self) -> usize { self.size() * 2 } }
enum Item { Number(u32), Text(String) }
impl Size for Item {
    fn size(&self) -> usize {
        match self { Item::Number(n) => *n as usize, Item::Text(s) => s.len() }
    }
}
fn main() {
    let mut items: HashMap<String, Item> = HashMap::new();
    for a in std::env::args() {
        items.insert(a.clone(), Item::Text(a));
        items.insert("x".to_string(), Item::Number(3));
    }
    let mut sizes: Vec<_> = items.iter().map(|(k, v)| (k, v.twice())).collect();
    sizes.sort();
    println!("{:?}", sizes);
}
"""

GO = r"""
package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
)

type pair struct {
	A int
	B string
}

func main() {
	xs := []string{"b", "a"}
	sort.Strings(xs)
	b, _ := json.Marshal(pair{1, xs[0]})
	fmt.Println(regexp.MustCompile("a+").MatchString("aa"), string(b))
}
"""

GCC = {
    "gcc-O0": ["-O0"],
    "gcc-O2-dwarf2": ["-O2", "-gdwarf-2"],
    "gcc-O2-dwarf3": ["-O2", "-gdwarf-3"],
    "gcc-O2-dwarf4": ["-O2", "-gdwarf-4"],
    "gcc-O2-dwarf5": ["-O2", "-gdwarf-5"],
    "gcc-O3": ["-O3"],
    "gcc-lto": ["-O2", "-flto"],
    "gcc-gz": ["-O2", "-gz=zlib"],
    "gcc-gc": ["-O2", "-ffunction-sections", "-Wl,--gc-sections"],
    "gcc-static": ["-O2", "-static"],
    "gcc-split4": ["-O2", "-gdwarf-4", "-gsplit-dwarf"],
    "gcc-split5": ["-O2", "-gdwarf-5", "-gsplit-dwarf"],
    "gcc-types": ["-O2", "-fdebug-types-section"],
}
CLANG = {
    "clang-O0": ["-O0"],
    "clang-O2-dwarf4": ["-O2", "-gdwarf-4"],
    "clang-O2-dwarf5": ["-O2", "-gdwarf-5"],
    "clang-lines": ["-O2", "-gline-tables-only"],
    "clang-split5": ["-O2", "-gdwarf-5", "-gsplit-dwarf"],
}


def say(path, debug=None):
    print(path + (f"\t{debug}" if debug else ""), flush=True)


def run(folder, *command):
    subprocess.run(command, cwd=folder, check=True)


def make_cxx(folder, compiler, variants):
    if not shutil.which(compiler):
        return
    for name, options in variants.items():
        path = os.path.join(folder, name)
        # Split files are named for the source: one for each variant.
        source = name + ".cc"
        with open(os.path.join(folder, source), "w") as f:
            f.write(CXX)
        if not os.path.exists(path):
            run(folder, compiler, "-g", *options, source, "-o", name)
        say(path)


def make_derived(folder):
    path = os.path.join(folder, "gcc-O2-dwarf5")
    stripped = os.path.join(folder, "stripped")
    if not os.path.exists(stripped):
        run(folder, "objcopy", "--only-keep-debug", path, "stripped.debug")
        run(folder, "strip", path, "-o", stripped)
        run(folder, "objcopy", "--add-gnu-debuglink=stripped.debug", stripped)
    say(stripped, stripped + ".debug")
    if shutil.which("dwz"):
        for version in (4, 5):
            out = os.path.join(folder, f"dwz-dwarf{version}")
            if not os.path.exists(out):
                run(folder, "dwz", f"gcc-O2-dwarf{version}", "-o", out)
            say(out)


def make_rust(folder):
    if not shutil.which("rustc"):
        return
    with open(os.path.join(folder, "program.rs"), "w") as f:
        f.write(RUST)
    for name, options in {"rust-O": ["-O"], "rust-debug": []}.items():
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            run(folder, "rustc", "-g", *options, "program.rs", "-o", name)
        say(path)


def make_go(folder):
    if not shutil.which("go"):
        return
    with open(os.path.join(folder, "program.go"), "w") as f:
        f.write(GO)
    path = os.path.join(folder, "go")
    if not os.path.exists(path):
        run(folder, "go", "build", "-o", "go", "program.go")
        run(folder, "strip", "go", "-o", "go-stripped")
    say(path)
    say(path + "-stripped", path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    os.makedirs(folder, exist_ok=True)
    make_cxx(folder, "g++", GCC)
    make_cxx(folder, "clang++", CLANG)
    make_derived(folder)
    make_rust(folder)
    make_go(folder)
    return 0


sys.exit(main())
