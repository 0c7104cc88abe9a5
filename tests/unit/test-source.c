/* SPDX-License-Identifier: MIT */
#include "report/source.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "report/view.h"
#include "test.h"

static char *path_of(struct arena *arena, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
	return arena_text(arena, path, strlen(path));
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	CHECK(f);
	fputs(text, f);
	fclose(f);
}

/* A file without text, as far as its size goes. */
static void put_large(const char *path, off_t size)
{
	CHECK_EQ(truncate(path, size), 0);
}

struct fixture {
	struct arena arena;
	struct strtab strings;
	struct view view;
	struct sources sources;
};

static str_id named(struct fixture *f, const char *name)
{
	return strtab_add_text(&f->strings, path_of(&f->arena, name));
}

/* After all names are there. */
static void make(struct fixture *f)
{
	f->view = view_default;
	CHECK_EQ(sources_make(&f->sources, &f->view, &f->strings), 0);
}

static void release(struct fixture *f)
{
	sources_release(&f->sources);
	arena_release(&f->arena);
}

TEST(lines_count_from_one_and_lose_their_ends)
{
	struct fixture f = { 0 };
	const struct source_file *file;
	struct error err;
	str_id name;

	strtab_init(&f.strings, &f.arena);
	name = named(&f, "a.c");
	put_file(str_text(&f.strings, name), "one\r\ntwo\n\nlast");
	make(&f);
	file = sources_get(&f.sources, name, &err);
	CHECK(file);
	CHECK_EQ(file->lines.count, 5);
	CHECK(span_equal(file->lines.at[1], span_text("one")));
	CHECK(span_equal(file->lines.at[2], span_text("two")));
	CHECK_EQ(file->lines.at[3].len, 0);
	CHECK(span_equal(file->lines.at[4], span_text("last")));
	CHECK(!sources_lack(&f.sources, name));
	release(&f);
}

TEST(a_file_is_read_once)
{
	struct fixture f = { 0 };
	const struct source_file *file;
	struct error err;
	str_id name;

	strtab_init(&f.strings, &f.arena);
	name = named(&f, "once.c");
	put_file(str_text(&f.strings, name), "before\n");
	make(&f);
	CHECK(sources_get(&f.sources, name, &err));
	put_file(str_text(&f.strings, name), "after\n");
	file = sources_get(&f.sources, name, &err);
	CHECK(span_equal(file->lines.at[1], span_text("before")));
	release(&f);
}

TEST(large_files_are_let_go_of)
{
	enum { LARGE = 40 << 20 };
	struct fixture f = { 0 };
	struct error err;
	str_id name[4];

	strtab_init(&f.strings, &f.arena);
	for (unsigned i = 0; i < 4; i++) {
		char text[16];

		snprintf(text, sizeof(text), "large%u.c", i);
		name[i] = named(&f, text);
		put_file(str_text(&f.strings, name[i]), "x\n");
		put_large(str_text(&f.strings, name[i]), LARGE);
	}
	make(&f);
	for (unsigned i = 0; i < 4; i++) {
		const struct source_file *file = sources_get(&f.sources,
							     name[i], &err);

		CHECK(file);
		CHECK_EQ(file->text.len, LARGE);
		CHECK(f.sources.kept.mapped < 3ul * LARGE);
	}
	/* One that was let go of is read again. */
	CHECK_EQ(sources_get(&f.sources, name[0], &err)->lines.count, 3);
	release(&f);
}

TEST(what_can_not_be_a_source_is_not_read)
{
	struct fixture f = { 0 };
	struct error err;
	str_id huge, device, nowhere;

	strtab_init(&f.strings, &f.arena);
	huge = named(&f, "huge.c");
	nowhere = named(&f, "nowhere/x.c");
	device = strtab_add_text(&f.strings, "/dev/zero");
	put_file(str_text(&f.strings, huge), "");
	put_large(str_text(&f.strings, huge), (off_t)1 << 40);
	make(&f);
	CHECK(!sources_get(&f.sources, huge, &err));
	CHECK(strstr(err.text, "huge.c: file too large"));
	CHECK(!sources_get(&f.sources, device, &err));
	CHECK(!sources_lack(&f.sources, nowhere));
	CHECK(!sources_get(&f.sources, nowhere, &err));
	CHECK(strstr(err.text, "nowhere/x.c: no such file or directory"));
	CHECK(sources_lack(&f.sources, nowhere));
	release(&f);
}

TEST(of_what_is_not_there_the_topmost_folder_is_remembered)
{
	struct absent_folders absent;
	struct arena arena = { 0 };

	absent_init(&absent, &arena);
	put_file(path_of(&arena, "file"), "");
	absent_note(&absent, path_of(&arena, "none/deep/er/x.c"));
	CHECK(absent_below(&absent, path_of(&arena, "none/deep/er/y.c")));
	CHECK(absent_below(&absent, path_of(&arena, "none/z.c")));
	CHECK(!absent_below(&absent, path_of(&arena, "none")));
	CHECK(!absent_below(&absent, path_of(&arena, "nonesuch/z.c")));
	CHECK(!absent_below(&absent, path_of(&arena, "file")));
	arena_release(&arena);
}

TEST(a_folder_that_is_there_is_not_remembered)
{
	struct absent_folders absent;
	struct arena arena = { 0 };

	absent_init(&absent, &arena);
	put_file(path_of(&arena, "file"), "");
	absent_note(&absent, path_of(&arena, "x.c"));
	absent_note(&absent, path_of(&arena, "file/x.c"));
	absent_note(&absent, "/x.c");
	absent_note(&absent, "x.c");
	absent_note(&absent, "//x.c");
	absent_note(&absent, "");
	CHECK(!absent_below(&absent, path_of(&arena, "x.c")));
	CHECK(!absent_below(&absent, path_of(&arena, "file/x.c")));
	CHECK(!absent_below(&absent, "/x.c"));
	CHECK(!absent_below(&absent, "//x.c"));
	arena_release(&arena);
}

TEST(more_folders_than_there_is_room_for_are_looked_for_each_time)
{
	struct absent_folders absent;
	struct arena arena = { 0 };
	char path[64];

	absent_init(&absent, &arena);
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(path, sizeof(path), "/absent%u/x.c", i);
		absent_note(&absent, path);
	}
	CHECK(absent_below(&absent, "/absent0/y.c"));
	CHECK(absent_below(&absent, "/absent999/y.c"));
	CHECK(!absent_below(&absent, "/absent4999/y.c"));
	arena_release(&arena);
}
