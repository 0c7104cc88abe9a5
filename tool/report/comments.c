/* SPDX-License-Identifier: MIT */
/* comments: the free text that a profile carries. */
#include "base/sink.h"
#include "report/context.h"
#include "report/report.h"
#include "report/reports.h"

static int comments_write(struct report_context *c, struct sink *out,
			  struct error *err)
{
	const struct profile *p = &c->profile;

	(void)err;
	for (uint32_t i = 0; i < p->comments.count; i++) {
		sink_span(out, str_span(p->strings, p->comments.at[i]));
		sink_char(out, '\n');
	}
	return 0;
}

const struct report report_comments = {
	.name = "comments",
	.summary = "the comments in the profile",
	.write = comments_write,
};
