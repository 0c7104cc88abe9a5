/* SPDX-License-Identifier: MIT */
/* Folded stacks, in and out. */
#include "format/folded.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "profile/code.h"
#include "profile/profile.h"
#include "test.h"

static struct {
	struct arena arena;
	struct profile profile;
	struct error err;
} file;

static int read_text(const char *text)
{
	arena_release(&file.arena);
	file.err = (struct error){ 0 };
	CHECK_EQ(profile_init(&file.profile, &file.arena), 0);
	return format_read(&file.profile, span_text(text), 1 << 20, &file.err);
}

/* What is written of what was read. */
static const char *written(void)
{
	struct sink out = sink_to_memory(&file.arena);

	CHECK_EQ(profile_check(&file.profile, NULL), 0);
	CHECK_EQ(folded_write(&file.profile, NULL, &out, NULL), 0);
	sink_char(&out, '\0');
	return out.buf;
}

static void reads_as(const char *text, const char *again)
{
	CHECK_EQ(read_text(text), 0);
	CHECK_STR(written(), again);
}

TEST(stacks_read_back_as_they_were_written)
{
	static const char text[] = "main;read 3\n"
				   "main;parse;read 4\n"
				   "main;operator new(unsigned long) 5\n";

	reads_as(text, text);
	CHECK_EQ(file.profile.types.count, 1);
	CHECK_EQ(file.profile.sample_count, 3);
}

TEST(equal_stacks_are_written_once)
{
	reads_as("a;b 1\na 2\na;b 3\n", "a;b 4\na 2\n");
}

TEST(a_stack_that_comes_to_nothing_is_left_out)
{
	reads_as("a;b 1\na;c 2\na;b -1\n", "a;c 2\n");
}

TEST(remarks_blank_lines_and_windows_line_ends_are_skipped)
{
	reads_as("# made by hand\r\n\r\na;b 1\r\n   \n#x 3\na;c\t2",
		 "a;b 1\na;c 2\n");
}

TEST(marks_tell_kernel_jit_and_inlined_frames)
{
	static const char text[] = "main;f;g_[i];h_[i];sys_read_[k] 1\n"
				   "main;js_[j] 2\n";
	const struct profile *p = &file.profile;
	frame_id frames[8];

	reads_as(text, text);
	CHECK_EQ(stack_frames(&p->stacks, p->stack[0], frames, 8), 3);
	CHECK_EQ(mapping_code(p, p->locations.at[frames[0]].mapping),
		 CODE_KERNEL);
	CHECK_EQ(p->locations.at[frames[1]].line_count, 3);
	CHECK_EQ(mapping_code(p, p->locations.at[frames[1]].mapping),
		 CODE_PROGRAM);
	CHECK_EQ(stack_frames(&p->stacks, p->stack[1], frames, 8), 2);
	CHECK_EQ(mapping_code(p, p->locations.at[frames[0]].mapping), CODE_JIT);
}

TEST(a_mark_alone_is_a_name_and_nothing_is_inlined_into_nothing)
{
	reads_as("_[k];a 1\ng_[i];a 2\n", "_[k];a 1\ng;a 2\n");
}

TEST(of_several_marks_the_last_counts)
{
	reads_as("a;b_[i]_[k] 1\n", "a;b_[k] 1\n");
}

TEST(two_counts_on_every_line_compare_two_profiles)
{
	static const char text[] = "a;b 1 20\na;c 0 4\nd 7 0\n";
	const struct profile *p = &file.profile;

	reads_as(text, text);
	CHECK_EQ(p->types.count, 2);
	CHECK_STR(profile_text(p, p->types.at[0].type), "before");
	CHECK_STR(profile_text(p, p->types.at[1].type), "after");
	CHECK_EQ(profile_values(p, 0)[0], 1);
	CHECK_EQ(profile_values(p, 0)[1], 20);
}

TEST(a_number_before_the_count_of_some_lines_belongs_to_the_name)
{
	reads_as("a;thread 12 3\na;b 4\n", "a;thread_12 3\na;b 4\n");
	CHECK_EQ(file.profile.types.count, 1);
}

TEST(names_can_not_break_the_lines_they_are_written_in)
{
	struct profile *p = &file.profile;

	CHECK_EQ(read_text("a;b 1\n"), 0);
	p->functions.at[1].name = strtab_add_text(p->strings, "#x;y\nz 4 7");
	p->functions.at[2].name = strtab_add_text(p->strings, "thread 7");
	CHECK_STR(written(), "_x:y z 4_7;thread_7 1\n");
	p->functions.at[2].name = 0;
	CHECK_STR(written(), "_x:y z 4_7;[unknown] 1\n");
}

TEST(empty_names_are_unknown)
{
	reads_as("a;;b 1\n;a 2\n", "a;[unknown];b 1\n[unknown];a 2\n");
}

TEST(decimals_are_rounded)
{
	reads_as("a 1.5\nb 2.49\nc 3.\n", "a 2\nb 2\nc 3\n");
}

TEST(a_sample_without_a_stack_is_written)
{
	CHECK_EQ(read_text("a 1\n"), 0);
	file.profile.stack[0] = 0;
	CHECK_STR(written(), "[unknown] 1\n");
}

TEST(a_line_without_a_count_is_named)
{
	CHECK_EQ(read_text("a;b 1\na;c x\n"), -EBADMSG);
	CHECK(strstr(file.err.text, "unrecognized"));
	/* Behind the lines that detection looks at. */
	CHECK_EQ(read_text("a 1\na 1\na 1\na 1\na 1\na 1\na 1\na 1\na 1\na 1\n"
			   "a 1\na 1\na 1\na 1\na 1\na 1\na;c x\n"),
		 -EBADMSG);
	CHECK_STR(file.err.text,
		  "line 17 of folded stacks has no count at its end: 'a;c x'");
}

TEST(a_count_too_large_is_refused)
{
	CHECK_EQ(read_text("a;b 9223372036854775808\n"), -EBADMSG);
	CHECK_EQ(read_text("a;b 9223372036854775807\n"), 0);
	CHECK_EQ(read_text("a;b 9223372036854775807.9\n"), -EBADMSG);
}

TEST(other_texts_are_not_taken_for_stacks)
{
	static const char *const texts[] = {
		"404 page not found\n",
		"exit status 1\n",
		"the answer is 42\nand so on 7\n",
		"main;parse\n",
		"12\n",
		" 12\n",
		"\n\n",
		"# a 1\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CHECK_EQ(read_text(texts[i]), -EBADMSG);
}

TEST(a_file_cut_anywhere_is_read_in_part_or_refused)
{
	static const char text[] = "main;read 13\nmain;parse_[i];x y 42\nq 3\n";
	char part[sizeof(text)];

	for (size_t len = 0; len < sizeof(text); len++) {
		memcpy(part, text, len);
		part[len] = '\0';
		if (read_text(part) == 0)
			(void)written();
		else
			CHECK(file.err.text[0]);
	}
}
