/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/error.h"
#include "base/sink.h"
#include "folded.h"
#include "report/report.h"
#include "report/view.h"

/* What list says of every function of p; the arena's memory. */
static const char *listed(struct profile *p, struct arena *arena)
{
	const struct report_request request = {
		.report = report_find("list"),
		.profile = p,
		.view = &view_default,
		.argument = ".",
	};
	struct sink out = sink_to_memory(arena);
	struct error err = { 0 };
	struct span text;

	CHECK_EQ(report_make(&request, &out, &err), 0);
	text = sink_bytes(&out);
	return arena_text(arena, (const char *)text.at, text.len);
}

static unsigned occurrences(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

TEST(a_file_that_could_not_be_read_is_said_again)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a 1\nb 2\n");
	str_id file = strtab_add_text(p.strings, "/nowhere/x.c");

	p.functions.at[1].file = p.functions.at[2].file = file;
	/* Of b there is no line to show. */
	p.functions.at[2].start_line = 100;
	CHECK_EQ(occurrences(listed(&p, &arena), "Error: open /nowhere/x.c"),
		 2);
	/* By itself the file is never looked for. */
	p.functions.at[1].start_line = 100;
	CHECK_EQ(occurrences(listed(&p, &arena), "Error:"), 0);
	arena_release(&arena);
}

TEST(a_folder_is_a_file_without_lines)
{
	struct arena arena = { 0 };
	struct profile p = folded(&arena, "a 1\n");

	p.functions.at[1].file = strtab_add_text(p.strings, "/");
	CHECK_EQ(occurrences(listed(&p, &arena), "Error:"), 0);
	arena_release(&arena);
}
