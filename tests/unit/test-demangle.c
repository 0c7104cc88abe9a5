/* SPDX-License-Identifier: MIT */
/* Readable names: pprof's forms to the letter, wick's own, hostile names. */
#include "symbol/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "test.h"

static struct arena arena;

static struct demangler *demangler(void)
{
	static struct demangler *d;

	if (!d)
		d = demangler_new(&arena);
	CHECK(d);
	return d;
}

/* What is shown of a name: itself, if it is not mangled. */
static const char *shown_bytes(const char *name, size_t len, unsigned flags)
{
	struct span s;

	if (!demangle(demangler(), span_of(name, len), flags, &s))
		s = span_of(name, len);
	return arena_text(&arena, (const char *)s.at, s.len);
}

static const char *shown(const char *name, unsigned flags)
{
	return shown_bytes(name, strlen(name), flags);
}

/* Checks one line of names.tsv. */
static void check_line(char *line)
{
	static const unsigned forms[] = {
		DEMANGLE_PPROF,	     DEMANGLE_PPROF_TEMPLATES,
		DEMANGLE_PPROF_FULL, DEMANGLE_SHORT,
		DEMANGLE_FULL,
	};
	const char *name = strsep(&line, "\t");

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		CHECK_STR(shown(name, forms[i]), strsep(&line, "\t\n"));
}

TEST(many_names_read_as_they_do_in_pprof)
{
	FILE *f = fopen(SOURCE_ROOT "/tests/data/names.tsv", "r");
	char *line = NULL;
	size_t size = 0;
	unsigned lines = 0;

	CHECK(f);
	while (getline(&line, &size, f) > 0) {
		check_line(line);
		lines++;
	}
	CHECK(lines > 200);
	free(line);
	fclose(f);
}

TEST(what_is_not_mangled_is_left_alone)
{
	static const char *const names[] = {
		"",
		"_",
		"main",
		"_Z",
		"_ZERO",
		"_R",
		"_D",
		"Z3foov",
		"_Z3fo",
		"__Z3foov",
		"_GLOBAL_OFFSET_TABLE_",
	};
	struct span s;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK(!demangle(demangler(), span_text(names[i]), DEMANGLE_FULL,
				&s));
}

TEST(templates_and_parameters_are_left_out_as_asked)
{
	const char *name = "_ZN3foo3barIiE3bazIcEEvT_S1_";

	CHECK_STR(shown(name, DEMANGLE_PPROF), "foo::bar::baz");
	CHECK_STR(shown(name, DEMANGLE_PPROF_TEMPLATES),
		  "foo::bar<int>::baz<char>");
	CHECK_STR(shown("_ZN3foo3barIiE3bazIcEEvT_T_", DEMANGLE_PPROF_FULL),
		  "void foo::bar<int>::baz<char>(char, char)");
}

TEST(a_lambda_is_shown_without_the_parameters_around_it)
{
	const char *name = "_ZZN3app3runEiENKUlcE_clEc";

	CHECK_STR(shown(name, DEMANGLE_PPROF),
		  "app::run()::{lambda(char)#1}::operator()");
	CHECK_STR(shown(name, DEMANGLE_PPROF_FULL),
		  "app::run(int)::{lambda(char)#1}::operator()(char) const");
}

TEST(suffixes_of_clones_are_dropped_or_shown)
{
	CHECK_STR(shown("_Z3foov.isra.0", DEMANGLE_PPROF), "foo");
	CHECK_STR(shown("_Z3foov.isra.0", DEMANGLE_PPROF_FULL), "foo()");
	CHECK_STR(shown("_Z3foov.isra.0", 0), "foo() [clone .isra.0]");
	CHECK_STR(shown("_ZN1a1bE.llvm.123", DEMANGLE_FULL), "a::b");
}

TEST(the_standard_library_is_called_by_its_usual_names)
{
	CHECK_STR(
		shown("_ZN1fENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcE"
		      "EE",
		      DEMANGLE_FULL),
		"f(std::string)");
	CHECK_STR(shown("_Z1fSt6vectorIS_IiSaIiEESaIS1_EE", DEMANGLE_FULL),
		  "f(std::vector<std::vector<int>>)");
	CHECK_STR(shown("_Z1fSt3mapIiPcSt4lessIiESaISt4pairIKiS0_EEE",
			DEMANGLE_FULL),
		  "f(std::map<int, char*>)");
	CHECK_STR(shown("_Z1fSt10unique_ptrIiSt14default_deleteIiEE",
			DEMANGLE_FULL),
		  "f(std::unique_ptr<int>)");
	CHECK_STR(shown("_ZNSt3__112basic_stringIwNS_11char_traitsIwEENS_"
			"9allocatorIwEEE6appendEPKw",
			DEMANGLE_FULL),
		  "std::wstring::append(wchar_t const*)");
	/* An allocator of one's own is worth showing. */
	CHECK_STR(shown("_Z1fSt6vectorIi4PoolE", DEMANGLE_FULL),
		  "f(std::vector<int, Pool>)");
}

TEST(rust_is_read_in_both_schemes)
{
	const char *v0 = "_RINvNtCs1_7mycrate3foo3barhE";

	CHECK_STR(shown("_ZN7mycrate3foo3bar17h0123456789abcdefE",
			DEMANGLE_PPROF),
		  "mycrate::foo::bar");
	CHECK_STR(shown("_ZN4core3ptr23drop_in_place$LT$u8$GT$17h"
			"0123456789abcdefE",
			DEMANGLE_PPROF_FULL),
		  "core::ptr::drop_in_place<u8>");
	CHECK_STR(shown(v0, DEMANGLE_PPROF), "mycrate::foo::bar::<>");
	CHECK_STR(shown(v0, DEMANGLE_PPROF_FULL), "mycrate::foo::bar::<u8>");
	CHECK_STR(shown(v0, DEMANGLE_SHORT), "mycrate::foo::bar");
}

TEST(d_is_read_in_wicks_own_forms_only)
{
	const char *name = "_D3std5stdio4File__T5writeTAyaZ5writeMFAyaZv";

	CHECK_STR(shown(name, DEMANGLE_PPROF_FULL), name);
	CHECK_STR(shown(name, DEMANGLE_FULL),
		  "std.stdio.File.write!(immutable(char)[]).write("
		  "immutable(char)[])");
	CHECK_STR(shown(name, DEMANGLE_SHORT), "std.stdio.File.write.write");
	CHECK_STR(shown("_Dmain", DEMANGLE_SHORT), "D main");
}

/* A name of count times the same part. */
static const char *repeated(const char *start, const char *part, size_t count,
			    const char *end)
{
	size_t len = strlen(part);
	char *s = arena_alloc(&arena,
			      strlen(start) + count * len + strlen(end) + 1);
	char *at = stpcpy(s, start);

	CHECK(s);
	for (size_t i = 0; i < count; i++)
		at = stpcpy(at, part);
	stpcpy(at, end);
	return s;
}

TEST(names_that_nest_too_deeply_are_refused)
{
	struct span s;

	CHECK(!demangle(demangler(),
			span_text(repeated("_Z1f", "P", 100000, "i")),
			DEMANGLE_FULL & ~(unsigned)DEMANGLE_FOLD_STD, &s));
	CHECK(!demangle(demangler(),
			span_text(repeated("_RIC1a", "R", 100000, "hE")),
			DEMANGLE_FULL, &s));
	CHECK(!demangle(demangler(),
			span_text(repeated("_D1aF", "P", 100000, "iZv")),
			DEMANGLE_FULL, &s));
}

/* f(pair<int, int>, ...), where each parameter is a pair of the one before. */
static const char *doubling(unsigned count)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *s = arena_alloc(&arena, 16 + 9 * count);
	char *at = stpcpy(s, "_Z1fSt4pairIiiE");

	for (unsigned i = 0; i < count; i++)
		at += sprintf(at, "S_IS%c_S%c_E", digits[i], digits[i]);
	return s;
}

TEST(names_that_would_grow_without_bound_are_refused)
{
	struct span s;

	CHECK_STR(shown(doubling(1), DEMANGLE_PPROF_FULL),
		  "f(std::pair<int, int>, std::pair<std::pair<int, int>, "
		  "std::pair<int, int> >)");
	CHECK(demangle(demangler(), span_text(doubling(8)), DEMANGLE_PPROF_FULL,
		       &s));
	CHECK(!demangle(demangler(), span_text(doubling(35)),
			DEMANGLE_PPROF_FULL, &s));
	CHECK(arena.mapped < 64 * 1024 * 1024);
}

TEST(every_prefix_of_a_name_is_read_without_harm)
{
	const char *name = "_ZZN3app3runIJiS_EEEDpT_ENKUlT_DpOT0_E_clIiJS2_EEE"
			   "DaS3_S5_";

	for (size_t len = 0; len <= strlen(name); len++)
		(void)shown_bytes(name, len, DEMANGLE_FULL);
}
