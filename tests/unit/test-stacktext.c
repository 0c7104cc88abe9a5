/* SPDX-License-Identifier: MIT */
/* Stacks as text, as Go shows its goroutines. */
#include "picture/stacktext.h"

#include "base/sink.h"
#include "folded.h"
#include "test.h"

static struct arena arena;

static void name_thread(struct profile *p, uint32_t sample, int64_t tid,
			const char *name)
{
	struct label labels[] = {
		{ .key = strtab_add_text(p->strings, "thread"),
		  .text = strtab_add_text(p->strings, name) },
		{ .key = strtab_add_text(p->strings, "tid"),
		  .number = tid,
		  .numeric = true },
	};

	p->labels[sample] = labels_add(&p->label_sets, labels, 2);
}

TEST(equal_stacks_are_counted_the_most_frequent_first)
{
	struct profile p = folded(&arena, "main;idle 1\nmain;work 2\n"
					  "main;work 1\n");
	struct sink out = sink_to_memory(&arena);
	const char *text;

	p.functions.at[1].file = strtab_add_text(p.strings, "/src/a.c");
	CHECK_EQ(stacktext_counts(&p, 0, "threads", &out, &arena), 0);
	sink_char(&out, '\0');
	text = out.buf;
	CHECK_EQ(strncmp(text, "threads profile: total 4\n3 @ 0x", 31), 0);
	CHECK(strstr(text, "\twork\t"));
	CHECK(strstr(text, "\tmain\t/src/a.c"));
	CHECK(strstr(text, "\n\n1 @ 0x"));
	CHECK(strstr(text, "\twork\t") < strstr(text, "\tidle\t"));
}

TEST(each_thread_is_shown_under_its_name)
{
	struct profile p = folded(&arena, "main;wait 1\nmain;wait 1\n");
	struct sink out = sink_to_memory(&arena);

	name_thread(&p, 0, 42, "io\nloop");
	CHECK_EQ(stacktext_threads(&p, &out, &arena), 0);
	sink_char(&out, '\0');
	CHECK_EQ(strncmp(out.buf, "thread 42 \"io?loop\":\nwait\n\t", 26), 0);
	CHECK(strstr(out.buf, "\n\nthread:\nwait\n"));
}

TEST(a_place_without_a_name_has_its_file)
{
	struct profile p = folded(&arena, "main 1\n");
	struct sink out = sink_to_memory(&arena);

	p.locations.at[1].line_count = 0;
	CHECK_EQ(stacktext_threads(&p, &out, &arena), 0);
	CHECK_EQ(stacktext_counts(&p, 0, "threads", &out, &arena), 0);
	sink_char(&out, '\0');
	CHECK(strstr(out.buf, "thread:\n? in "));
	CHECK(strstr(out.buf, "\t? in "));
}
