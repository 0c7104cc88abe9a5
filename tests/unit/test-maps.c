/* SPDX-License-Identifier: MIT */
/* The list of a process's mappings. */
#include "symbol/maps.h"

#include "test.h"

static struct map_line one(const char *text)
{
	struct reader r = reader_of(span_text(text));
	struct map_line m = { 0 };
	struct map_line more;

	CHECK(maps_next(&r, &m));
	CHECK(!maps_next(&r, &more));
	return m;
}

static const char *path_of(const struct map_line *m)
{
	static char path[256];

	maps_path(m, path, sizeof(path));
	return path;
}

TEST(a_line_gives_all_its_fields)
{
	struct map_line m = one("7f0000001000-7f0000003000 r-xp 00002000 "
				"fe:1a 1234567     /usr/lib/a b.so\n");

	CHECK_EQ(m.start, 0x7f0000001000);
	CHECK_EQ(m.end, 0x7f0000003000);
	CHECK_EQ(m.offset, 0x2000);
	CHECK_EQ(m.major, 0xfe);
	CHECK_EQ(m.minor, 0x1a);
	CHECK_EQ(m.inode, 1234567);
	CHECK(m.executable && !m.deleted);
	CHECK_STR(path_of(&m), "/usr/lib/a b.so");
}

TEST(a_deleted_file_keeps_its_name)
{
	struct map_line m = one("1000-2000 r-xp 0 00:01 7 /x (deleted)\n");

	CHECK(m.deleted);
	CHECK_STR(path_of(&m), "/x");
}

TEST(escaped_newlines_are_undone)
{
	struct map_line m = one("1000-2000 rw-p 0 00:01 7 /a\\012b\\9\n");

	CHECK(!m.executable);
	CHECK_STR(path_of(&m), "/a\nb\\9");
}

TEST(memory_without_a_file_has_no_path)
{
	struct map_line m = one("1000-2000 rwxp 00000000 00:00 0 \n");

	CHECK_EQ(m.inode, 0);
	CHECK_STR(path_of(&m), "");
}

TEST(what_is_not_a_mapping_is_passed_over)
{
	struct map_line m = one("nonsense\n2000-1000 r-xp 0 0:0 0\n"
				"1000-2000 r-xp\n\n3000-4000 r-xp 0 0:0 0 [x]");

	CHECK_EQ(m.start, 0x3000);
	CHECK_STR(path_of(&m), "[x]");
}

TEST(a_path_that_does_not_fit_is_none)
{
	struct map_line m = one("1000-2000 r-xp 0 00:01 7 /abcdef\n");
	char small[4];

	CHECK_EQ(maps_path(&m, small, sizeof(small)), 0);
	CHECK_STR(small, "");
}
