/* SPDX-License-Identifier: MIT */
/* Files that are there whole or not at all. */
#include "pprof/savefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
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
