/* SPDX-License-Identifier: MIT */
/* Which names a profile's functions get, by pprof's rules. */
#include "report/names.h"

#include <string.h>

#include "base/arena.h"
#include "profile/profile.h"
#include "test.h"

static struct arena arena;

/* The name that a function with these two names ends up with. */
static const char *named(const char *name, const char *system_name,
			 enum name_mode mode, bool force)
{
	struct profile p;
	struct function f = { .id = 1 };

	CHECK_EQ(profile_init(&p, &arena), 0);
	f.name = strtab_add_text(p.strings, name);
	f.system_name = strtab_add_text(p.strings, system_name);
	CHECK_EQ(profile_add_function(&p, f), 1);
	CHECK_EQ(profile_demangle(&p, mode, force), 0);
	return profile_text(&p, p.functions.at[1].name);
}

static const char *simple(const char *name)
{
	return named(name, name, NAME_MODE_DEFAULT, false);
}

TEST(a_mangled_name_is_demangled)
{
	const char *name = "_ZN3foo3barIiEEvT_";

	CHECK_STR(named(name, name, NAME_MODE_DEFAULT, false), "foo::bar");
	CHECK_STR(named(name, name, NAME_MODE_TEMPLATES, false),
		  "foo::bar<int>");
	CHECK_STR(named(name, name, NAME_MODE_FULL, false),
		  "void foo::bar<int>(int)");
	CHECK_STR(named(name, name, NAME_MODE_NONE, false), name);
	CHECK_STR(named("", name, NAME_MODE_DEFAULT, false), "foo::bar");
}

TEST(an_underscore_of_macos_is_in_the_way_of_nothing)
{
	CHECK_STR(simple("__ZN3foo3barEv"), "foo::bar");
	CHECK_STR(simple("__Z"), "__Z");
}

TEST(a_name_that_differs_from_the_linkers_stays_unless_forced)
{
	CHECK_STR(named("nice", "_Z3foov", NAME_MODE_DEFAULT, false), "nice");
	CHECK_STR(named("nice", "_Z3foov", NAME_MODE_DEFAULT, true), "foo");
	CHECK_STR(named("nice", "_Z3foov", NAME_MODE_NONE, true), "_Z3foov");
	CHECK_STR(named("nice", "", NAME_MODE_DEFAULT, true), "nice");
	CHECK_STR(named("nice", "", NAME_MODE_DEFAULT, false), "nice");
}

TEST(a_function_without_names_has_none)
{
	CHECK_STR(named("", "", NAME_MODE_DEFAULT, true), "");
}

TEST(readable_cplusplus_loses_what_is_in_brackets)
{
	CHECK_STR(simple("std::vector<int, a<b> >::f(int (*)(char))"),
		  "std::vector::f");
	CHECK_STR(simple("void ns::f<int>(int) const"), "void ns::f const");
	CHECK_STR(simple("(anonymous namespace)::f(int)"), "::f");
	CHECK_STR(named("a::f<int>(x)", "a::f<int>(x)", NAME_MODE_TEMPLATES,
			false),
		  "a::f<int>");
	CHECK_STR(named("a::f<int>(x)", "a::f<int>(x)", NAME_MODE_FULL, false),
		  "a::f<int>(x)");
}

TEST(brackets_that_do_not_match_stay)
{
	CHECK_STR(simple("bool a::operator< <int>(T)"),
		  "bool a::operator< <int>");
	CHECK_STR(simple("a::operator->()"), "a::operator->");
	CHECK_STR(simple("x::f(a)>b<c>"), "x::f>b<c>");
	CHECK_STR(simple("x::f(a(b"), "x::f(a(b");
	CHECK_STR(simple("x::(a)f)b(c)"), "x::f)b(c)");
}

TEST(names_of_other_languages_are_left_alone)
{
	CHECK_STR(simple("foo(int, char*)"), "foo(int, char*)");
	CHECK_STR(simple("com.example.Foo.<init>"), "com.example.Foo.<init>");
	CHECK_STR(simple("foo.(*Bar[...]).Method"), "foo.(*Bar[...]).Method");
	CHECK_STR(simple("a.f[go.shape.int](x)"), "a.f[go.shape.int]");
	CHECK_STR(simple("main.(*T).f"), "main.(*T).f");
}
