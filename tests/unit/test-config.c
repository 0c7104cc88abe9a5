/* SPDX-License-Identifier: MIT */
/* pprof's options as variables. */
#include "pprof/config.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "test.h"

static struct arena arena;
static struct error err;
static struct config config;
static char text[100];

static const char *get(const char *name)
{
	config_get(&config, option_find(name), text, sizeof(text));
	return text;
}

static int set(const char *name, const char *value)
{
	return config_set(&config, &arena, name, value, &err);
}

TEST(the_defaults_are_those_of_pprof)
{
	config_init(&config);
	CHECK_STR(get("unit"), "minimum");
	CHECK_STR(get("nodecount"), "-1");
	CHECK_STR(get("nodefraction"), "0.005");
	CHECK_STR(get("edgefraction"), "0.001");
	CHECK_STR(get("divide_by"), "1");
	CHECK_STR(get("trim"), "true");
	CHECK_STR(get("sort"), "flat");
	CHECK_STR(get("granularity"), "");
	CHECK_STR(get("focus"), "");
	CHECK_STR(get("output"), "");
	CHECK_STR(get("normalize"), "false");
}

TEST(every_kind_of_option_can_be_set)
{
	config_init(&config);
	CHECK_EQ(set("nodecount", "7"), 0);
	CHECK_STR(get("nodecount"), "7");
	CHECK_EQ(set("nodefraction", "0.5"), 0);
	CHECK_STR(get("nodefraction"), "0.5");
	CHECK_EQ(set("focus", "a|b"), 0);
	CHECK_STR(get("focus"), "a|b");
	CHECK_EQ(set("trim", "no"), 0);
	CHECK_STR(get("trim"), "false");
	CHECK_EQ(set("sort", "cum"), 0);
	CHECK_STR(get("sort"), "cum");
	arena_release(&arena);
}

TEST(an_empty_value_clears_a_text_and_switches_a_boolean_on)
{
	config_init(&config);
	CHECK_EQ(set("focus", "x"), 0);
	CHECK_EQ(set("focus", ""), 0);
	CHECK_STR(get("focus"), "");
	CHECK_EQ(set("mean", ""), 0);
	CHECK_STR(get("mean"), "true");
	arena_release(&arena);
}

TEST(a_choice_is_set_by_its_option_or_as_true)
{
	config_init(&config);
	CHECK_EQ(set("granularity", "lines"), 0);
	CHECK_EQ(config_view(&config).granularity, GRANULARITY_LINES);
	CHECK_EQ(set("files", "1"), 0);
	CHECK_EQ(config_view(&config).granularity, GRANULARITY_FILES);
	CHECK_EQ(set("cum", "true"), 0);
	CHECK(config_view(&config).sort_cum);
}

TEST(the_bare_name_of_a_choice_is_refused_as_pprof_refuses_it)
{
	config_init(&config);
	CHECK_EQ(set("lines", ""), -EINVAL);
	CHECK(strstr(err.text, "unknown config field \"lines\""));
	CHECK(strstr(err.text, "granularity=lines"));
	CHECK_EQ(config_view(&config).granularity, GRANULARITY_FUNCTIONS);
}

TEST(bad_values_change_nothing_and_are_named_as_pprof_names_them)
{
	config_init(&config);
	CHECK_EQ(set("nodefraction", "x"), -EINVAL);
	CHECK_STR(err.text,
		  "strconv.ParseFloat: parsing \"x\": invalid syntax");
	CHECK_EQ(set("nodecount", "1.5"), -EINVAL);
	CHECK_STR(err.text, "strconv.Atoi: parsing \"1.5\": invalid syntax");
	CHECK_EQ(set("granularity", "inches"), -EINVAL);
	CHECK_STR(err.text, "invalid \"granularity\" value \"inches\"");
	CHECK_EQ(set("sort", "lines"), -EINVAL);
	CHECK_EQ(set("trim", "maybe"), -EINVAL);
	CHECK_STR(err.text, "illegal value \"maybe\" for bool variable");
	CHECK_EQ(set("colour", "red"), -EINVAL);
	CHECK_STR(err.text, "unknown config field \"colour\"");
	CHECK_STR(get("nodefraction"), "0.005");
	CHECK_STR(get("trim"), "true");
}

TEST(a_copy_is_a_configuration_of_its_own)
{
	struct config copy;

	config_init(&config);
	copy = config;
	CHECK_EQ(config_set(&copy, &arena, "focus", "x", &err), 0);
	CHECK_STR(get("focus"), "");
	arena_release(&arena);
}

TEST(every_choice_belongs_to_an_option)
{
	for (unsigned i = 0; i < choice_count; i++) {
		const struct option *o = option_find(choices[i].option);

		CHECK(o);
		CHECK_EQ(o->kind, FLAG_CHOICE);
		CHECK(!option_find(choices[i].name));
	}
}
