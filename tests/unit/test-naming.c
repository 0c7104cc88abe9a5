/* SPDX-License-Identifier: MIT */
/* Giving locations their functions. */
#include "profile/naming.h"
#include "test.h"

static struct arena arena;
static struct profile p;

static location_id make(void)
{
	mapping_id m;

	arena_release(&arena);
	CHECK_EQ(profile_init(&p, &arena), 0);
	m = profile_add_mapping(&p, (struct mapping){ .id = 1 });
	return profile_add_location(
		&p, (struct location){ .id = 1, .mapping = m }, NULL, 0);
}

static const struct frame_name frames[] = {
	{ "inner", "_Z5innerv", "/src", "a.cc", 7, 3, 5 },
	{ "outer", "outer", "", "/src/b.c", 20, 0, 18 },
};

TEST(a_location_gets_its_inlined_chain)
{
	location_id id = make();
	struct naming n = { .profile = &p };
	const struct location *l = &p.locations.at[id];
	const struct line *line;
	const struct function *f;

	CHECK(naming_set(&n, id, frames, 2));
	CHECK_EQ(l->line_count, 2);
	line = location_lines(&p, l);
	f = &p.functions.at[line[0].function];
	CHECK_STR(profile_text(&p, f->name), "inner");
	CHECK_STR(profile_text(&p, f->system_name), "_Z5innerv");
	CHECK_STR(profile_text(&p, f->file), "/src/a.cc");
	CHECK_EQ(line[0].line, 7);
	CHECK_EQ(p.mappings.at[1].flags,
		 MAPPING_HAS_FUNCTIONS | MAPPING_HAS_FILENAMES |
			 MAPPING_HAS_LINE_NUMBERS | MAPPING_HAS_INLINE_FRAMES);
	naming_release(&n);
}

TEST(functions_are_stored_once)
{
	location_id id = make();
	struct naming n = { .profile = &p };

	CHECK(naming_set(&n, id, frames, 2));
	CHECK(naming_set(&n, id, frames, 1));
	CHECK_EQ(p.functions.count, 3);
	CHECK_EQ(p.locations.at[id].line_count, 1);
	naming_release(&n);
}
