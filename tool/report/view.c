/* SPDX-License-Identifier: MIT */
/* The defaults of a view, which are pprof's, and what it leaves out. */
#include "report/view.h"

#include <stddef.h>

const struct view view_default = {
	.divide_by = 1,
	.unit = "minimum",
	.granularity = GRANULARITY_FUNCTIONS,
	.trim = true,
	.nodecount = -1,
	.nodefraction = 0.005,
	.edgefraction = 0.001,
};

struct view view_of_everything(const struct view *view)
{
	struct view all = *view;

	all.tagroot = all.tagleaf = NULL;
	all.focus = all.ignore = NULL;
	all.hide = all.show = all.show_from = all.prune_from = NULL;
	all.tagfocus = all.tagignore = all.tagshow = all.taghide = NULL;
	all.noinlines = false;
	return all;
}

void view_fill_defaults(struct view *view)
{
	if (view->divide_by == 0)
		view->divide_by = view_default.divide_by;
	if (!view->unit)
		view->unit = view_default.unit;
	if (!view->nodecount)
		view->nodecount = view_default.nodecount;
	if (view->nodefraction == 0)
		view->nodefraction = view_default.nodefraction;
	if (view->edgefraction == 0)
		view->edgefraction = view_default.edgefraction;
	view->trim = true;
}
