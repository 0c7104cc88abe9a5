/* SPDX-License-Identifier: MIT */
/* What the shell offers for a beginning. */
#include "pprof/complete.h"

#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "pprof/editor.h"
#include "profile/profile.h"
#include "test.h"

static struct arena arena;
static struct profile p;
static struct candidates c;

static void add_function(const char *name)
{
	str_id id = strtab_add_text(p.strings, name);

	profile_add_function(
		&p, (struct function){ .id = p.functions.count, .name = id });
}

/* The candidates, joined by '|'. */
static const char *offered(const char *line)
{
	struct sink out;
	struct value_type *t;

	arena_release(&arena);
	CHECK_EQ(profile_init(&p, &arena), 0);
	t = VEC_PUSH(&p.types, &arena);
	t->type = strtab_add_text(p.strings, "cpu");
	add_function("main");
	add_function("Server::Handle");
	add_function("sync.(*Mutex).Lock");
	add_function("operator new");
	complete_line(&p, &arena, line, &c);
	out = sink_to_memory(&arena);
	for (uint32_t i = 0; i < c.at.count; i++)
		sink_format(&out, "%s%s", i ? "|" : "", c.at.at[i]);
	sink_char(&out, '\0');
	return (const char *)sink_bytes(&out).at;
}

TEST(the_first_word_is_a_command_an_option_or_a_type)
{
	CHECK_STR(offered("to"), "top |topproto ");
	CHECK_EQ(c.replaced, 2);
	CHECK_STR(offered("foc"), "focus=");
	CHECK_STR(offered("cp"), "cpu ");
	CHECK_STR(offered("hel"), "help ");
	CHECK_STR(offered("zzz"), "");
}

TEST(options_have_values)
{
	CHECK_STR(offered("sort="), "cum|flat");
	CHECK_STR(offered("granularity=fi"), "filefunctions|files");
	CHECK_EQ(c.replaced, 2);
	CHECK_STR(offered("trim="), "true|false");
	CHECK_STR(offered("sample_index="), "cpu");
	CHECK_STR(offered("focus=Hand"), "Server::Handle");
}

TEST(help_is_about_commands_and_options)
{
	CHECK_STR(offered("help pe"), "peek ");
	CHECK_STR(offered("help line"), "lines ");
}

TEST(functions_need_only_contain_the_word)
{
	CHECK_STR(offered("list Handle"), "Server::Handle");
	CHECK_EQ(c.replaced, 6);
	CHECK_STR(offered("top10 -mai"), "main");
	CHECK_EQ(c.replaced, 3);
	CHECK_STR(offered("tags mai"), "");
}

TEST(names_are_offered_as_expressions_that_match_them)
{
	CHECK_STR(offered("list Lock"), "sync\\.\\(\\*Mutex\\)\\.Lock");
	CHECK_STR(offered("list operator"), "operator.new");
	arena_release(&arena);
}
