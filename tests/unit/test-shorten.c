/* SPDX-License-Identifier: MIT */
#include "base/arena.h"
#include "report/path.h"
#include "report/prune.h"
#include "report/shorten.h"
#include "test.h"

static struct arena arena;

static const char *text_of(struct span s)
{
	return arena_text(&arena, (const char *)s.at, s.len);
}

static const char *shorten(const char *name)
{
	return text_of(shorten_function(span_text(name), &arena));
}

TEST(go_loses_the_import_path)
{
	CHECK_STR(shorten("github.com/a/b-c/pkg.Func"), "pkg.Func");
	CHECK_STR(shorten("github.com/a/b/v2/pkg.(*T).F"), "pkg.(*T).F");
	CHECK_STR(shorten("example.org/x/v10.F"), "x.F");
	CHECK_STR(shorten("example.org/x/v1.F"), "v1.F");
	CHECK_STR(shorten("runtime.mallocgc"), "runtime.mallocgc");
}

TEST(java_keeps_class_and_method)
{
	CHECK_STR(shorten("com.example.Class.method(int)"), "Class.method");
	CHECK_STR(shorten("java.util.Map$Entry.<init>"), "Map$Entry.<init>");
	CHECK_STR(shorten("com.example.Class.Method"),
		  "com.example.Class.Method");
}

TEST(cpp_keeps_class_and_method)
{
	CHECK_STR(shorten("a::b::Class::method"), "Class::method");
	CHECK_STR(shorten("a::_Class::~_Class"), "_Class::~_Class");
	CHECK_STR(shorten("a::Class::get<int, b>"), "Class::get<int, b>");
	CHECK_STR(shorten("Class::method"), "Class::method");
	CHECK_STR(shorten("(anonymous namespace)::a::B::c"), "B::c");
	CHECK_STR(shorten(""), "");
}

TEST(paths_are_cleaned_as_text)
{
	CHECK_STR(text_of(path_clean(span_text("a/./b/../c"), &arena)), "a/c");
	CHECK_STR(text_of(path_clean(span_text("/../a//b/"), &arena)), "/a/b");
	CHECK_STR(text_of(path_clean(span_text("../../a/.."), &arena)),
		  "../..");
	CHECK_STR(text_of(path_clean(span_text("a/.."), &arena)), ".");
	CHECK_STR(text_of(path_clean(span_text("/"), &arena)), "/");
}

TEST(prefixes_are_trimmed_as_asked_or_guessed)
{
	struct view v = { .trim_path = "/src:/build/x/" };

	CHECK_STR(text_of(path_trim(span_text("/src/a.c"), &v)), "a.c");
	CHECK_STR(text_of(path_trim(span_text("/build/x/b.c"), &v)), "b.c");
	CHECK_STR(text_of(path_trim(span_text("/srcs/a.c"), &v)), "/srcs/a.c");
	v = (struct view){ .source_path = "/home/me/proj" };
	CHECK_STR(text_of(path_trim(span_text("/ci/proj/lib/a.c"), &v)),
		  "lib/a.c");
	v = (struct view){ 0 };
	CHECK_STR(text_of(path_trim(span_text("/proc/self/cwd/./a.c"), &v)),
		  "a.c");
}

TEST(names_lose_their_arguments_before_pruning)
{
	CHECK_STR(text_of(simple_name(span_text(".f(int)"))), "f");
	CHECK_STR(text_of(simple_name(
			  span_text("(anonymous namespace)::g(int)"))),
		  "(anonymous namespace)::g");
	CHECK_STR(text_of(simple_name(span_text("A::operator()(int)"))),
		  "A::operator()");
}
