/* SPDX-License-Identifier: MIT */
/*
 * Rows that several commands' tables have in common: which samples and frames
 * of a profile count.  view_ is the struct view that they fill in.
 */
#ifndef WICK_CMD_VIEWOPTS_H
#define WICK_CMD_VIEWOPTS_H

#include "cmd/opt.h"

/* clang-format off: rows of a table, as in the commands themselves. */
#define OPT_VIEW_FILTERS(view_) \
	OPT_GROUP("What is counted"), \
		OPT_STRING('f', "focus", &(view_).focus, "REGEX", \
			   "only stacks with a matching frame"), \
		OPT_STRING('i', "ignore", &(view_).ignore, "REGEX", \
			   "only stacks without a matching frame"), \
		OPT_STRING(0, "hide", &(view_).hide, "REGEX", \
			   "leave out frames"), \
		OPT_STRING(0, "show", &(view_).show, "REGEX", \
			   "leave out all other frames"), \
		OPT_STRING(0, "show-from", &(view_).show_from, "REGEX", \
			   "leave out the callers of matching frames"), \
		OPT_STRING(0, "prune-from", &(view_).prune_from, "REGEX", \
			   "leave out what matching frames called"), \
		OPT_STRING(0, "label", &(view_).tagfocus, "[KEY=]REGEX|RANGE", \
			   "only samples with a matching label"), \
		OPT_STRING(0, "no-label", &(view_).tagignore, \
			   "[KEY=]REGEX|RANGE", \
			   "only samples without a matching label"), \
		OPT_STRING(0, "by-label", &(view_).tagroot, "KEY[,KEY...]", \
			   "group by the values of labels")
/* clang-format on */

#endif /* WICK_CMD_VIEWOPTS_H */
