/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_REPORT_H
#define WICK_REPORT_REPORT_H

#include <stdbool.h>

#include "report/view.h"

struct error;
struct profile;
struct report;
struct palette;
struct report_context;
struct selections;
struct sink;

/* How reports for people look; pprof's know nothing of it. */
struct report_look {
	const struct palette *palette; /* never NULL */
	unsigned width;		       /* of the terminal */
	bool json;		       /* for programs instead */
};

/*
 * One report to be made: what of (the profile and the view), which one, and
 * where its remarks go.  Everything is borrowed.
 */
struct report_request {
	const struct report *report;
	const struct profile *profile;
	const struct view *view;
	const char *
		argument; /* the regular expression of list, peek, …; or NULL */
	struct sink *talk; /* remarks for a person, a line each; or NULL */
	const struct report_look *look; /* of reports for people; else NULL */
	struct selections *selections;	/* what earlier ones left; or NULL */
};

/*
 * A kind of report.  To add one: write tool/report/<name>.c, list it in
 * reports.c, add a golden file for it.
 */
struct report {
	const char *name; /* as in "wick pprof -<name>" */
	const char *summary;
	bool needs_argument; /* a regular expression */
	bool binary;	     /* not for a terminal */
	/*
	 * How it changes the view before anything is computed, as pprof does:
	 * list is always by line, proto never trimmed.  NULL: only that no
	 * more than 80 nodes are shown unless asked for.
	 */
	void (*adjust)(struct view *view);
	/* Writes the report.  Returns 0 or a negative errno with a sentence. */
	int (*write)(struct report_context *context, struct sink *out,
		     struct error *err);
};

/* The reports by name; NULL if there is none of that name. */
const struct report *report_find(const char *name);

/* The i-th report, NULL after the last. */
const struct report *report_at(unsigned i);

/*
 * Makes the report.  Nothing in the profile changes.  What was written to out
 * before a failure is the caller's to drop.
 */
int report_make(const struct report_request *request, struct sink *out,
		struct error *err);

#endif /* WICK_REPORT_REPORT_H */
