/* SPDX-License-Identifier: MIT */
/* list: the source of the functions that match, with what each line took. */
#include <errno.h>

#include "base/error.h"
#include "base/sink.h"
#include "profile/number.h"
#include "report/listing.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/source.h"

static void put_lines(const struct listing *l, struct sink *out,
		      const struct line_group *g, const struct source_file *f)
{
	uint32_t at = 0;

	for (int64_t n = g->first_line; n <= g->last_line && n < f->lines.count;
	     n++) {
		uint64_t sums[2] = { 0, 0 };

		line_group_sum(l, g, n, &at, sums);
		put_right(out, span_text(value_or_dot(l->c, (int64_t)sums[0])),
			  10);
		sink_char(out, ' ');
		put_right(out, span_text(value_or_dot(l->c, (int64_t)sums[1])),
			  10);
		sink_format(out, " %6lld:", (long long)n);
		sink_span(out, f->lines.at[n]);
		sink_char(out, '\n');
	}
}

static void put_heading(const struct listing *l, struct sink *out,
			const struct line_group *g)
{
	const struct strtab *s = l->c->profile.strings;

	sink_text(out, "ROUTINE ======================== ");
	sink_span(out, str_span(s, g->function));
	sink_text(out, " in ");
	sink_span(out, str_span(s, g->file));
	sink_char(out, '\n');
	put_value_right(out, l->c, (int64_t)g->flat, 10);
	sink_char(out, ' ');
	put_value_right(out, l->c, (int64_t)g->cum, 10);
	sink_format(out, " (flat, cum) %s of Total\n",
		    percent_of((int64_t)g->cum, l->c->total).text);
}

static void put_group(const struct listing *l, struct sink *out,
		      const struct line_group *g, struct sources *sources)
{
	const struct strtab *s = l->c->profile.strings;
	const struct source_file *f;
	struct error err;

	if (!g->file) {
		sink_text(out, "No source information for ");
		sink_span(out, str_span(s, g->function));
		sink_char(out, '\n');
		return;
	}
	put_heading(l, out, g);
	/* Without a line to show there is no need of the file; but pprof
	 * repeats what went wrong with it earlier. */
	if (g->first_line > g->last_line && !sources_lack(sources, g->file))
		return;
	f = sources_get(sources, g->file, &err);
	if (f)
		put_lines(l, out, g, f);
	else
		sink_format(out, " Error: %s\n", err.text);
}

static int list_write(struct report_context *c, struct sink *out,
		      struct error *err)
{
	struct listing l = { .c = c };
	struct sources sources;
	struct line_group g;
	uint32_t at = 0;
	int r = listing_find(&l, err);

	if (r < 0)
		return r;
	r = sources_make(&sources, &c->view, c->profile.strings);
	if (r == 0) {
		sink_format(out, "Total: %s\n", value_text(c, c->total));
		while (listing_next(&l, &at, &g))
			put_group(&l, out, &g, &sources);
	}
	sources_release(&sources);
	return r < 0 ? error_set(err, r, "out of memory") : 0;
}

static void adjust_list(struct view *view)
{
	view->trim = false;
	view->granularity = GRANULARITY_LINES;
}

const struct report report_list = {
	.name = "list",
	.summary = "the source of functions that match REGEX, line by line",
	.needs_argument = true,
	.adjust = adjust_list,
	.write = list_write,
};
