/* SPDX-License-Identifier: MIT */
/* The limit on the cache directory. */
#include "symbolize/cachelimit.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "test.h"

static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
	return path;
}

/* A file of 100 bytes that was last used so many seconds after 1970. */
static void make(const char *name, long used)
{
	const struct timespec times[2] = { { used, 0 }, { used, 0 } };
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, 100), 0);
	CHECK_EQ(futimens(fd, times), 0);
	close(fd);
}

static bool exists(const char *name)
{
	return access(path_of(name), F_OK) == 0;
}

TEST(the_least_recently_used_files_go_first)
{
	CHECK_EQ(mkdir(path_of("ab"), 0700), 0);
	make("old.wsi", 1000);
	make("ab/older.unwind", 900);
	make("new.wsi", 2000);
	make("foreign", 1);
	cache_trim(test_directory(), 300);
	CHECK(exists("ab/older.unwind"));
	cache_trim(test_directory(), 299);
	CHECK(!exists("ab/older.unwind") && exists("old.wsi"));
	cache_trim(test_directory(), 100);
	CHECK(!exists("old.wsi") && exists("new.wsi"));
	cache_trim(test_directory(), 0);
	CHECK(!exists("new.wsi") && exists("foreign"));
}

TEST(what_a_killed_writer_left_goes_after_an_hour)
{
	make("x.wsi.tmp.1", 1000);
	make("y.wsi.tmp.2", (long)time(NULL));
	cache_trim(test_directory(), 1000);
	CHECK(!exists("x.wsi.tmp.1") && exists("y.wsi.tmp.2"));
}

TEST(only_one_process_trims_at_a_time)
{
	int fd = open(test_directory(), O_RDONLY | O_DIRECTORY);

	make("z.wsi", 1000);
	CHECK_EQ(flock(fd, LOCK_EX), 0);
	cache_trim(test_directory(), 0);
	CHECK(exists("z.wsi"));
	close(fd);
	cache_trim(test_directory(), 0);
	CHECK(!exists("z.wsi"));
}

TEST(a_directory_that_is_not_there_is_no_failure)
{
	cache_trim("/nonexistent/wick", 0);
}
