/* SPDX-License-Identifier: MIT */
/* Sentences for people, made from names that nobody vouches for. */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test.h"

TEST(the_code_is_returned_and_kept)
{
	struct error err = { 0 };

	CHECK_EQ(error_set(&err, -ENOENT, "cannot open '%s'", "x"), -ENOENT);
	CHECK_EQ(err.code, -ENOENT);
	CHECK_STR(err.text, "cannot open 'x'");
}

TEST(nobody_need_want_to_know)
{
	CHECK_EQ(error_set(NULL, -EIO, "x"), -EIO);
	CHECK_EQ(error_set_errno(NULL, -EIO, "x"), -EIO);
	error_prefix(NULL, "x");
}

TEST(the_reason_can_be_added)
{
	struct error err;

	error_set_errno(&err, -EACCES, "cannot open '%s'", "x");
	CHECK_STR(err.text, "cannot open 'x': Permission denied");
	error_set_errno(&err, -99999, "cannot open");
	CHECK_STR(err.text, "cannot open: unknown error");
}

TEST(the_reason_can_be_in_lower_case)
{
	struct error err;
	char name[600];

	CHECK_EQ(error_set_reason(&err, -EACCES, "open %s", "x"), -EACCES);
	CHECK_STR(err.text, "open x: permission denied");
	CHECK_EQ(error_set_reason(NULL, -EIO, "x"), -EIO);
	memset(name, 'N', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	error_set_reason(&err, -EACCES, "%s", name);
	CHECK_EQ(strspn(err.text, "N"), sizeof(err.text) - 1);
}

TEST(a_prefix_says_where)
{
	struct error err;

	error_set(&err, -EINVAL, "bad magic");
	error_prefix(&err, "'%s'", "a.prof");
	CHECK_STR(err.text, "'a.prof': bad magic");
	CHECK_EQ(err.code, -EINVAL);
}

TEST(names_can_not_move_the_cursor_or_forge_a_line)
{
	struct error err;

	error_set(&err, -EINVAL, "'%s'", "a\n\x1b[2Jb\x7f");
	CHECK_STR(err.text, "'a??[2Jb?'");
}

TEST(a_long_sentence_is_cut)
{
	struct error err;
	char name[1000];

	memset(name, 'x', sizeof(name));
	name[999] = '\0';
	error_set_errno(&err, -EIO, "%s", name);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
	error_prefix(&err, "%s", name);
	CHECK_EQ(strlen(err.text), sizeof(err.text) - 1);
}
