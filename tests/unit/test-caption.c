/* SPDX-License-Identifier: MIT */
/* What stands above pictures and tables. */
#include "picture/caption.h"

#include "base/sink.h"
#include "folded.h"

static struct arena arena;

static void add_process(struct profile *p, const char *name)
{
	struct label label = {
		.key = strtab_add_text(p->strings, "process"),
		.text = strtab_add_text(p->strings, name),
	};

	CHECK(profile_add_sample(p, p->stack[0],
				 labels_add(&p->label_sets, &label, 1)));
}

static const char *subject(const struct profile *p)
{
	struct sink out = sink_to_memory(&arena);

	caption_subject(&out, p, "cpu");
	sink_char(&out, '\0');
	return out.buf;
}

TEST(a_profile_is_of_its_first_file)
{
	struct profile p = folded(&arena, "main 1\n");

	CHECK_STR(subject(&p), "cpu of prog");
}

TEST(a_recording_of_one_process_is_of_that)
{
	struct profile p = folded(&arena, "main 1\n");

	add_process(&p, "server");
	add_process(&p, "server");
	CHECK_STR(subject(&p), "cpu of server");
	add_process(&p, "client");
	CHECK_STR(subject(&p), "cpu of prog");
}
