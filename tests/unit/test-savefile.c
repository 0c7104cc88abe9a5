/* SPDX-License-Identifier: MIT */
/* Files that are there whole or not at all. */
#include "pprof/savefile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sink.h"
#include "test.h"

static struct error err;

static const char *in_folder(const char *name)
{
	static char path[2][PATH_MAX];
	static int next;

	next = !next;
	snprintf(path[next], PATH_MAX, "%s/%s", test_directory(), name);
	return path[next];
}

static const char *content(const char *path)
{
	static char text[100];
	FILE *f = fopen(path, "r");
	size_t n;

	CHECK(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

TEST(a_file_is_written)
{
	const char *path = in_folder("new");

	CHECK_EQ(savefile_write(path, span_text("one"), &err), 0);
	CHECK_STR(content(path), "one");
	CHECK_EQ(savefile_write(path, span_text("two"), &err), 0);
	CHECK_STR(content(path), "two");
}

TEST(a_link_stays_one_and_permissions_stay)
{
	const char *path = in_folder("target");
	const char *link = in_folder("link");
	struct stat st;

	CHECK_EQ(savefile_write(path, span_text("one"), &err), 0);
	CHECK_EQ(chmod(path, 0640), 0);
	CHECK_EQ(symlink("target", link), 0);
	CHECK_EQ(savefile_write(link, span_text("two"), &err), 0);
	CHECK_EQ(lstat(link, &st), 0);
	CHECK(S_ISLNK(st.st_mode));
	CHECK_EQ(stat(path, &st), 0);
	CHECK_EQ(st.st_mode & 07777, 0640);
	CHECK_STR(content(path), "two");
}

/* How many entries the test's folder has. */
static unsigned entries(void)
{
	DIR *d = opendir(test_directory());
	unsigned count = 0;

	CHECK(d);
	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

TEST(a_file_that_is_dropped_leaves_the_old_one_alone)
{
	const char *path = in_folder("kept");
	struct savefile f;
	unsigned before;

	CHECK_EQ(savefile_write(path, span_text("old"), &err), 0);
	before = entries();
	CHECK_EQ(savefile_open(&f, path, &err), 0);
	CHECK_EQ(fd_write(f.fd, span_text("half of the n")), 0);
	CHECK_STR(content(path), "old");
	savefile_drop(&f);
	CHECK_STR(content(path), "old");
	CHECK_EQ(entries(), before);
}

TEST(a_file_is_its_own_only_when_it_is_whole)
{
	const char *path = in_folder("whole");
	unsigned before = entries();
	struct savefile f;

	CHECK_EQ(savefile_open(&f, path, &err), 0);
	CHECK_EQ(fd_write(f.fd, span_text("all")), 0);
	CHECK(access(path, F_OK) < 0);
	CHECK_EQ(savefile_commit(&f, &err), 0);
	CHECK_STR(content(path), "all");
	CHECK_EQ(entries(), before + 1);
}

/* Root may add files anywhere: then this is an ordinary file. */
TEST(a_file_where_none_can_be_added_is_filled)
{
	const char *folder = in_folder("shut");
	const char *path = in_folder("shut/file");
	struct savefile f;

	CHECK_EQ(mkdir(folder, 0755), 0);
	CHECK_EQ(savefile_write(path, span_text("longer than the new"), &err),
		 0);
	CHECK_EQ(chmod(folder, 0555), 0);
	CHECK_EQ(savefile_open(&f, path, &err), 0);
	CHECK_EQ(fd_write(f.fd, span_text("new")), 0);
	CHECK_STR(content(path), "longer than the new");
	CHECK_EQ(savefile_commit(&f, &err), 0);
	CHECK_STR(content(path), "new");
	CHECK_EQ(chmod(folder, 0755), 0);
}

TEST(what_is_no_file_is_written_to_as_it_is)
{
	CHECK_EQ(savefile_write("/dev/null", span_text("x"), &err), 0);
}

TEST(a_folder_that_is_not_there_is_an_error)
{
	CHECK_EQ(savefile_write("/nowhere/at/all", span_text("x"), &err),
		 -ENOENT);
	CHECK(strstr(err.text, "cannot write '/nowhere/at/all'"));
}

TEST(numbers_skip_files_that_are_there)
{
	struct numbered n = { .folder = test_directory(),
			      .prefix = "profile",
			      .suffix = ".svg",
			      .mode = 0666 };

	CHECK_EQ(numbered_reserve(&n, &err), 0);
	CHECK_STR(n.path, in_folder("profile001.svg"));
	CHECK_EQ(numbered_reserve(&n, &err), 0);
	CHECK_STR(n.path, in_folder("profile002.svg"));
}

TEST(fetched_profiles_go_to_the_first_folder_that_can_be_made)
{
	char path[PATH_MAX];

	setenv("PPROF_TMPDIR", in_folder("deep/er"), 1);
	CHECK_STR(saved_folder(path), in_folder("deep/er"));
	unsetenv("PPROF_TMPDIR");
	setenv("HOME", test_directory(), 1);
	CHECK_STR(saved_folder(path), in_folder("pprof"));
}
