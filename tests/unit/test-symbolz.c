/* SPDX-License-Identifier: MIT */
/* Names from servers. */
#include "pprof/symbolz.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "pprof/input.h"
#include "pprof/origin.h"
#include "pprof/symbolize.h"
#include "pprof/url.h"
#include "profile/profile.h"
#include "test.h"

static struct arena arena;
static struct error err;
static struct profile p;

static void check_page(const char *profile, const char *expected)
{
	struct url from;
	struct url to;

	CHECK_EQ(url_parse(&from, &arena, profile, &err), 0);
	CHECK_EQ(symbolz_address(&from, &arena, &to), 0);
	CHECK_STR(url_text(&to, &arena), expected);
	arena_release(&arena);
}

TEST(names_are_beside_the_profile)
{
	check_page("http://h/debug/pprof/heap?gc=1",
		   "http://h/debug/pprof/symbol");
	check_page("http://h/pprof/growth", "http://h/pprof/symbol");
	check_page("http://h/profilez?seconds=1", "http://h/symbolz");
	check_page("http://h/a/profilez/", "http://h/a/symbolz");
	check_page("http://h", "http://h/symbolz");
}

/* Two mappings and four locations, one of which has a name. */
static void make_profile(void)
{
	function_id f;

	CHECK_EQ(profile_init(&p, &arena), 0);
	profile_add_mapping(&p, (struct mapping){ .id = 1, .start = 0x1000 });
	profile_add_mapping(&p, (struct mapping){ .id = 2, .start = 0x9000 });
	f = profile_add_function(&p, (struct function){ .id = 7 });
	profile_add_location(
		&p,
		(struct location){ .id = 1, .address = 0x1010, .mapping = 1 },
		NULL, 0);
	profile_add_location(
		&p,
		(struct location){ .id = 2, .address = 0x1020, .mapping = 1 },
		NULL, 0);
	profile_add_location(
		&p,
		(struct location){ .id = 3, .address = 0x1010, .mapping = 2 },
		NULL, 0);
	profile_add_location(
		&p, (struct location){ .id = 4, .address = 0x40, .mapping = 1 },
		&(struct line){ .function = f }, 1);
}

static const char *name_of(uint32_t location)
{
	const struct location *l = &p.locations.at[location];

	if (!l->line_count)
		return "";
	return profile_text(
		&p, p.functions.at[location_lines(&p, l)->function].name);
}

TEST(an_answer_names_the_locations_of_its_mapping)
{
	make_profile();
	CHECK_EQ(symbolz_take(&p, 1, 0,
			      span_text("num_symbols: 1\n"
					"0x1010\tmain\r\n"
					"0x1020 operator new\n"
					"0xzz bad\n0x1020 cut off")),
		 0);
	CHECK_STR(name_of(1), "main");
	CHECK_STR(name_of(2), "operator new");
	CHECK_STR(name_of(3), "");
	CHECK_EQ(profile_check(&p, &err), 0);
	arena_release(&arena);
}

TEST(equal_names_are_one_function_with_an_id_of_its_own)
{
	make_profile();
	CHECK_EQ(
		symbolz_take(&p, 1, 0, span_text("0x1010 same\n0x1020 same\n")),
		0);
	CHECK_EQ(p.functions.count, 3);
	CHECK_EQ(p.functions.at[2].id, 8);
	arena_release(&arena);
}

TEST(addresses_are_moved_to_where_the_server_had_them)
{
	make_profile();
	CHECK_EQ(symbolz_take(&p, 1, 0x5000, span_text("0x6010 main\n")), 0);
	CHECK_STR(name_of(1), "main");
	arena_release(&arena);
}

TEST(a_mapping_is_found_again_by_its_server)
{
	static struct input s;
	struct origins o = { .arena = &arena };

	CHECK_EQ(profile_init(&s.profile, &s.arena), 0);
	s.url_text = "http://h/x";
	profile_add_mapping(&s.profile, (struct mapping){ .id = 1 });
	profile_add_mapping(
		&s.profile,
		(struct mapping){
			.id = 2,
			.file = strtab_add_text(s.profile.strings, "/bin/x") });
	CHECK_EQ(origins_add(&o, &s), 0);
	CHECK_EQ(o.rows.count, 2);
	CHECK_STR(o.rows.at[0].key, "http://h/x");
	CHECK_STR(o.rows.at[1].key, "/bin/x");
	CHECK_STR(profile_text(&s.profile, s.profile.mappings.at[1].file),
		  "http://h/x");
	origins_forget(&s.profile);
	CHECK_EQ(s.profile.mappings.at[1].file, 0);
	CHECK(s.profile.mappings.at[2].file);
	arena_release(&s.arena);
	arena_release(&arena);
}

TEST(symbolizing_is_told_by_words)
{
	struct symbolize_mode m = symbolize_parse("");

	CHECK(m.local && m.remote && !m.force && !m.none);
	m = symbolize_parse("none");
	CHECK(m.none);
	m = symbolize_parse("FastLocal:Force");
	CHECK(m.local && !m.remote && m.fast && m.force);
	m = symbolize_parse("remote:demangle=templates");
	CHECK(!m.local && m.remote && m.force);
	CHECK_EQ(m.names, NAME_MODE_TEMPLATES);
	m = symbolize_parse("demangle=default");
	CHECK(!m.force);
	CHECK_EQ(m.names, NAME_MODE_DEFAULT);
}
