/* SPDX-License-Identifier: MIT */
/* The command line of wick pprof. */
#include "pprof/arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "pprof/verbs.h"
#include "test.h"

static struct arguments a;
static struct error err;

#define PARSE(...) \
	arguments_parse(&a, (char **)(const char *[]){ __VA_ARGS__, NULL }, \
			&err)

TEST(without_a_format_it_is_the_shell)
{
	CHECK_EQ(PARSE("cpu.pb.gz"), 0);
	CHECK(!a.verb);
	CHECK_EQ(a.source_count, 1);
	CHECK_STR(a.sources[0], "cpu.pb.gz");
	CHECK_STR(a.binary, "");
}

TEST(a_format_is_a_flag)
{
	CHECK_EQ(PARSE("-top", "-nodecount=5", "cpu.pb.gz"), 0);
	CHECK_STR(a.verb->name, "top");
	CHECK(!a.verb_argument);
	CHECK_EQ(a.config.view.nodecount, 5);
	CHECK_EQ(PARSE("-list=main", "cpu.pb.gz"), 0);
	CHECK_STR(a.verb->name, "list");
	CHECK_STR(a.verb_argument, "main");
}

TEST(a_format_with_an_empty_expression_is_none)
{
	CHECK_EQ(PARSE("-list=", "cpu.pb.gz"), 0);
	CHECK(!a.verb);
	CHECK_EQ(PARSE("-top=false", "cpu.pb.gz"), 0);
	CHECK(!a.verb);
}

TEST(two_formats_are_one_too_many)
{
	CHECK_EQ(PARSE("-top", "-dot", "f"), -EINVAL);
	CHECK_STR(err.text, "must set at most one output format");
	CHECK(!a.wants_usage);
	CHECK_EQ(PARSE("-top", "-list=x", "f"), -EINVAL);
	CHECK_EQ(PARSE("-peek=y", "-list=x", "f"), -EINVAL);
}

TEST(no_source_is_a_mistake_that_shows_the_usage)
{
	CHECK_EQ(PARSE("-top"), -EINVAL);
	CHECK_STR(err.text, "no profile source specified");
	CHECK(a.wants_usage);
	CHECK_EQ(PARSE("-nonsense", "f"), -EINVAL);
	CHECK(a.wants_usage);
}

TEST(help_is_no_mistake)
{
	CHECK_EQ(PARSE("-top", "-h"), 0);
	CHECK(a.wants_help);
	CHECK(!a.wants_usage);
}

TEST(choices_of_one_option_conflict)
{
	CHECK_EQ(PARSE("-top", "-lines", "-files", "f"), -EINVAL);
	CHECK_STR(err.text, "conflicting options set: [files lines]");
	CHECK_EQ(PARSE("-top", "-lines", "-cum", "f"), 0);
	CHECK_STR(a.config.granularity, "lines");
	CHECK_STR(a.config.sort, "cum");
	CHECK_EQ(PARSE("-top", "-lines=false", "-files", "f"), 0);
	CHECK_STR(a.config.granularity, "files");
}

TEST(old_flags_choose_a_sample_type)
{
	CHECK_EQ(PARSE("-inuse_space", "f"), 0);
	CHECK_STR(a.config.view.sample_index, "inuse_space");
	CHECK_EQ(PARSE("-mean_delay", "f"), 0);
	CHECK_STR(a.config.view.sample_index, "delay");
	CHECK(a.config.view.mean);
}

static int silence(void)
{
	int saved = dup(STDERR_FILENO);
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	dup2(null, STDERR_FILENO);
	close(null);
	return saved;
}

static void unsilence(int saved)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
}

TEST(sample_index_beats_the_old_flags_and_they_each_other_in_order)
{
	int saved = silence();
	int first = PARSE("-alloc_space", "-sample_index=x", "f");
	const char *first_index = a.config.view.sample_index;
	int second = PARSE("-alloc_objects", "-inuse_objects", "f");
	const char *second_index = a.config.view.sample_index;

	unsilence(saved);
	CHECK_EQ(first, 0);
	CHECK_STR(first_index, "x");
	CHECK_EQ(second, 0);
	CHECK_STR(second_index, "inuse_objects");
}

TEST(base_and_diff_base_exclude_each_other)
{
	CHECK_EQ(PARSE("-base=a", "-diff_base=b", "f"), -EINVAL);
	CHECK_STR(err.text,
		  "-base and -diff_base flags cannot both be specified");
	CHECK_EQ(PARSE("-base=a", "-diff_base=", "f"), 0);
	CHECK_EQ(PARSE("-base=a", "-base=b", "f"), 0);
	CHECK_STR(a.base, "b");
}

TEST(normalizing_needs_a_base)
{
	CHECK_EQ(PARSE("-normalize", "f"), -EINVAL);
	CHECK_STR(err.text, "must have base profile to normalize by");
	CHECK_EQ(PARSE("-normalize", "-base=a", "f"), 0);
}

TEST(http_and_formats_exclude_each_other)
{
	CHECK_EQ(PARSE("-http=:0", "-top", "f"), -EINVAL);
	CHECK_EQ(PARSE("-no_browser", "f"), -EINVAL);
	CHECK_STR(err.text, "-no_browser only makes sense with -http");
	CHECK_EQ(PARSE("-no_browser", "-http=:0", "f"), 0);
}

static const char *make_file(const char *name, const char *bytes)
{
	static char path[1000];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", test_directory(), name);
	f = fopen(path, "w");
	CHECK(f);
	fputs(bytes, f);
	fclose(f);
	return path;
}

TEST(a_first_operand_that_is_a_program_is_not_a_source)
{
	const char *program = make_file("program", "\177ELF\2\1\1");

	CHECK_EQ(PARSE((char *)program, "f", "g"), 0);
	CHECK_STR(a.binary, program);
	CHECK_EQ(a.source_count, 2);
	CHECK_STR(a.sources[0], "f");
}

TEST(a_program_alone_is_a_source)
{
	const char *program = make_file("program", "\177ELF\2\1\1");

	CHECK_EQ(PARSE((char *)program), 0);
	CHECK_STR(a.binary, "");
	CHECK_EQ(a.source_count, 1);
}

TEST(a_first_operand_that_is_no_program_is_a_source)
{
	const char *other = make_file("other", "just text");

	CHECK_EQ(PARSE((char *)other, "f"), 0);
	CHECK_STR(a.binary, "");
	CHECK_EQ(a.source_count, 2);
}

TEST(seconds_and_timeout_are_unset_unless_given)
{
	CHECK_EQ(PARSE("f"), 0);
	CHECK_EQ(a.seconds, -1);
	CHECK_EQ(a.timeout, -1);
	CHECK_EQ(PARSE("-seconds", "5", "-timeout=0x10", "f"), 0);
	CHECK_EQ(a.seconds, 5);
	CHECK_EQ(a.timeout, 16);
}
