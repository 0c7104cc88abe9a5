/* SPDX-License-Identifier: MIT */
/* The list of reports, and making one. */
#include "report/reports.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "report/context.h"
#include "report/report.h"

static const struct report *const reports[] = {
	&report_top,  &report_text,	 &report_tree,	   &report_peek,
	&report_list, &report_disasm,	 &report_traces,   &report_tags,
	&report_raw,  &report_proto,	 &report_topproto, &report_comments,
	&report_dot,  &report_callgrind, &report_weblist,
};

void adjust_by_address(struct view *view)
{
	view->trim = false;
	view->granularity = GRANULARITY_ADDRESSES;
}

const struct report *report_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
		if (!strcmp(reports[i]->name, name))
			return reports[i];
	return NULL;
}

const struct report *report_at(unsigned i)
{
	return i < ARRAY_SIZE(reports) ? reports[i] : NULL;
}

int report_make(const struct report_request *request, struct sink *out,
		struct error *err)
{
	struct arena arena = { 0 };
	struct report_context c;
	int r = context_make(&c, &arena, request, err);

	if (r == 0)
		r = request->report->write(&c, out, err);
	if (r == 0 && arena.failed)
		r = error_set(err, -ENOMEM, "out of memory");
	context_release(&c);
	arena_release(&arena);
	return r;
}
