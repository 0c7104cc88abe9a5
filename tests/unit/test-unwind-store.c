/* SPDX-License-Identifier: MIT */
/* Tables kept on disk. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "test.h"
#include "unwind/compile.h"
#include "unwind/store.h"
#include "unwind/table.h"

static const uint8_t key[20] = { 0xab, 0xcd, 3, 4, 5 };
static struct arena arena;

static struct span make_image(int32_t cfa)
{
	struct unwind_hint hint = {
		.lo = 0x2000,
		.hi = 0x3000,
		.rule = { .kind = UNWIND_SP,
			  .cfa = cfa,
			  .ra_where = UNWIND_AT_CFA << 4,
			  .ra = -8 },
	};
	struct unwind_source source = { .machine = EM_X86_64,
					.text_lo = 0x1000,
					.text_hi = 0x9000,
					.hints = &hint,
					.n_hints = 1,
					.key = span_of(key, sizeof(key)) };
	struct span image;

	CHECK_EQ(unwind_compile(&source, &arena, &image, NULL), 0);
	return image;
}

static const char *folder(void)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/wick", test_directory());
	return path;
}

static const char *file(void)
{
	static char path[600];

	snprintf(path, sizeof(path),
		 "%s/ab/cd0304050000000000000000000000"
		 "00000000.unwind",
		 folder());
	return path;
}

static int load(struct unwind_table *t)
{
	return unwind_store_load(folder(), span_of(key, sizeof(key)), &arena, t,
				 NULL);
}

TEST(what_is_kept_is_found)
{
	struct unwind_table t;

	CHECK_EQ(load(&t), -ENOENT);
	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	CHECK_EQ(load(&t), 0);
	CHECK_EQ(unwind_table_find(&t, 0x2345)->cfa, 8);
	CHECK_EQ(unwind_store_save(folder(), make_image(24), NULL), 0);
	CHECK_EQ(load(&t), 0);
	CHECK_EQ(unwind_table_find(&t, 0x2345)->cfa, 24);
	CHECK_EQ(access(file(), R_OK), 0);
	arena_release(&arena);
}

TEST(a_damaged_file_reads_as_unusable_and_is_replaced)
{
	struct unwind_table t;
	int fd;

	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	fd = open(file(), O_WRONLY);
	CHECK_EQ(pwrite(fd, "x", 1, 140), 1);
	CHECK_EQ(load(&t), -EBADMSG);
	CHECK_EQ(ftruncate(fd, 50), 0);
	CHECK_EQ(load(&t), -EBADMSG);
	CHECK_EQ(ftruncate(fd, 0), 0);
	CHECK_EQ(load(&t), -EBADMSG);
	close(fd);
	CHECK_EQ(unwind_store_save(folder(), make_image(16), NULL), 0);
	CHECK_EQ(load(&t), 0);
	arena_release(&arena);
}

TEST(a_table_of_another_object_is_not_used)
{
	uint8_t other[20] = { 0xab, 0xee };
	char path[600];
	struct unwind_table t;

	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	snprintf(path, sizeof(path),
		 "%s/ab/ee000000000000000000000000000000000000.unwind",
		 folder());
	CHECK_EQ(link(file(), path), 0);
	CHECK_EQ(unwind_store_load(folder(), span_of(other, sizeof(other)),
				   &arena, &t, NULL),
		 -EBADMSG);
	arena_release(&arena);
}

TEST(a_pipe_or_a_link_in_the_folder_does_no_harm)
{
	struct unwind_table t;

	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	CHECK_EQ(unlink(file()), 0);
	CHECK_EQ(mkfifo(file(), 0600), 0);
	CHECK(load(&t) < 0);
	CHECK_EQ(unlink(file()), 0);
	CHECK_EQ(symlink("/dev/zero", file()), 0);
	CHECK_EQ(load(&t), -ELOOP);
	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	CHECK_EQ(load(&t), 0);
	arena_release(&arena);
}

TEST(a_folder_that_cannot_be_made_is_an_error)
{
	struct error err = { 0 };

	CHECK_EQ(unwind_store_save("/proc/none/wick", make_image(8), &err),
		 -ENOENT);
	CHECK(*err.text);
	arena_release(&arena);
}

static void write_often(int32_t cfa)
{
	struct span image = make_image(cfa);

	for (int i = 0; i < 200; i++)
		if (unwind_store_save(folder(), image, NULL) < 0)
			_exit(1);
	_exit(0);
}

TEST(readers_see_whole_tables_while_several_write)
{
	struct unwind_table t;
	int status = 0;
	int running = 3;

	CHECK_EQ(unwind_store_save(folder(), make_image(8), NULL), 0);
	for (int i = 0; i < 3; i++)
		if (!fork())
			write_often(8 * (i + 1));
	while (running) {
		CHECK_EQ(load(&t), 0);
		CHECK_EQ(unwind_table_find(&t, 0x2000)->cfa % 8, 0);
		arena_release(&arena);
		if (waitpid(-1, &status, WNOHANG) > 0) {
			CHECK_EQ(status, 0);
			running--;
		}
	}
}
