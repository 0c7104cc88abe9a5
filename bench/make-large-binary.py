#!/usr/bin/python3
"""Make a C++ program with a lot of debug information.

usage: make-large-binary.py [--units N] [--split N] [--types N] [--ordinary N]
                            [--tiny N] FOLDER

Writes FOLDER/large: --units large units, each using the containers and
algorithms of the standard library on --types types of its own, so that every
unit has code, types and inlined calls that no other has.  FOLDER/split is the
same of --split units whose types are in an unnamed namespace: of functions that
only one unit has the compiler puts the unlikely parts elsewhere, so that they
are in two pieces, as most functions of C are, too.  FOLDER/ordinary is
the opposite case: --ordinary units of C++ as people write them, a class and
what it includes.  With the default numbers each has more than 100 MB of DWARF.
FOLDER/tiny is --tiny units of C with nothing in them but a few lines.  What is
there already is kept.

Only one unit of each kind is compiled, which takes a minute or more; the others
are its assembly with other names in it.
"""
import argparse
import os
import subprocess
import sys

LARGE = """
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>
namespace unit_0000 {
%(unnamed)s
template <int N> struct item {
	long key;
	std::string name;
	double weight[2 + N %% 3];
	bool operator<(const item &o) const
	{
		return key != o.key ? key < o.key : name < o.name;
	}
	bool operator==(const item &o) const { return key == o.key; }
};
template <int N> struct store {
	std::map<item<N>, std::vector<item<N>>> ordered;
	std::unordered_map<std::string, std::shared_ptr<item<N>>> by_name;
	std::deque<item<N>> queue;
	void add(long key, const std::string &name)
	{
		item<N> i{ key, name, {} };
		ordered[i].push_back(i);
		by_name[name] = std::make_shared<item<N>>(i);
		queue.push_front(i);
	}
	long total()
	{
		std::vector<item<N>> all(queue.begin(), queue.end());
		std::sort(all.begin(), all.end());
		all.erase(std::unique(all.begin(), all.end()), all.end());
		std::stable_sort(all.begin(), all.end(),
			[](const item<N> &a, const item<N> &b) {
				return a.name < b.name; });
		return std::accumulate(all.begin(), all.end(), 0L,
			[this](long s, const item<N> &i) {
				auto f = by_name.find(i.name);
				return s + (f == by_name.end() ? 0 :
					f->second->key) + i.key; });
	}
};
template <int N> long use(int n)
{
	store<N> s;
	for (int i = 0; i < n; i++)
		s.add(i * 7919 %% 101, std::to_string(i));
	return s.total();
}
%(end)s
}
long %(name)s_0000(int n)
{
	long t = 0;
%(calls)s	return t;
}
"""


ORDINARY = """
#include <string>
#include <vector>
namespace part_0000 {
struct item {
	long key;
	std::string name;
};
static long weigh(const item &i) { return i.key * 3 + (long)i.name.size(); }
struct shelf {
	std::vector<item> items;
	void add(long key) { items.push_back({ key, std::to_string(key) }); }
	long total() const
	{
		long t = 0;
		for (const item &i : items)
			t += weigh(i);
		return t;
	}
};
}
long ordinary_0000(int n)
{
	part_0000::shelf s;
	for (int i = 0; i < n; i++)
		s.add(i * 7919 % 101);
	return s.total();
}
"""


TINY = """
struct pair_0000 { int a, b; };
static inline int add_0000(struct pair_0000 *p)
{
	return p->a * 3 + p->b;
}
static inline int twice_0000(struct pair_0000 *p)
{
	p->a ^= p->b;
	return add_0000(p) + add_0000(p) / 3;
}
int tiny_0000(int n)
{
	struct pair_0000 p = { n, 5 };
	int t = 0;

	for (int i = 0; i < n; i++)
		t += twice_0000(&p);
	return t;
}
"""


def large_source(name, types):
    calls = "".join(f"\tt += unit_0000::use<{n}>(n);\n" for n in range(types))
    split = name == "split"
    return LARGE % {"calls": calls, "name": name,
                    "unnamed": "namespace {" if split else "",
                    "end": "}" if split else ""}


def main_source(name, result, count):
    declared = "".join(f"{result} {name}_{i:04}(int);\n" for i in range(count))
    calls = "".join(f"\tt += {name}_{i:04}(argc);\n" for i in range(count))
    return (f"{declared}int main(int argc, char **argv)\n{{\n\tlong t = 0;\n"
            f"\t(void)argv;\n{calls}\treturn t == 42;\n}}\n")


def compile_text(folder, name, text, compiler):
    """Compiles text to assembly and returns that."""
    source = os.path.join(folder, name + (".cc" if "+" in compiler else ".c"))
    with open(source, "w") as f:
        f.write(text)
    subprocess.run([compiler, "-O2", "-g", "-S", source, "-o",
                    os.path.join(folder, name + ".s")], check=True)
    with open(os.path.join(folder, name + ".s")) as f:
        return f.read()


def assemble(text, target):
    if not os.path.exists(target):
        subprocess.run(["as", "-o", target, "-"], input=text, text=True,
                       check=True)


def make(folder, name, source, count, compiler):
    """Makes FOLDER/name of count units, each source with its own number."""
    path = os.path.join(folder, name)
    if os.path.exists(path):
        return
    text = compile_text(folder, name + "-unit", source, compiler)
    objects = []
    for i in range(count):
        objects.append(os.path.join(folder, f"{name}-{i}.o"))
        assemble(text.replace("_0000", f"_{i:04}"), objects[-1])
    result = "long" if "+" in compiler else "int"
    objects.append(path + "-main.o")
    assemble(compile_text(folder, name + "-main",
                          main_source(name, result, count), compiler),
             objects[-1])
    with open(path + ".list", "w") as f:
        f.write("\n".join(objects))
    subprocess.run([compiler, "@" + path + ".list", "-o", path], check=True)
    for file in objects:
        os.remove(file)


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--units", type=int, default=5)
    p.add_argument("--split", type=int, default=7)
    p.add_argument("--types", type=int, default=40)
    p.add_argument("--ordinary", type=int, default=2000)
    p.add_argument("--tiny", type=int, default=3000)
    p.add_argument("folder")
    opt = p.parse_args()
    os.makedirs(opt.folder, exist_ok=True)
    make(opt.folder, "tiny", TINY, opt.tiny, "gcc")
    make(opt.folder, "ordinary", ORDINARY, opt.ordinary, "g++")
    for name, count in ("large", opt.units), ("split", opt.split):
        make(opt.folder, name, large_source(name, opt.types), count, "g++")


sys.exit(main())
