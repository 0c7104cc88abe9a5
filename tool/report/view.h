/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_VIEW_H
#define WICK_REPORT_VIEW_H

#include <stdbool.h>

/* What counts as one entry of a report. */
enum granularity {
	GRANULARITY_FUNCTIONS,
	GRANULARITY_FILEFUNCTIONS,
	GRANULARITY_FILES,
	GRANULARITY_LINES,
	GRANULARITY_ADDRESSES,
};

/*
 * A question about a profile.  Every report, page and export is a pure function
 * of a profile and one of these.  The fields are pprof's options, under
 * pprof's names; strings are borrowed, and "" (or NULL) means not set.
 */
struct view {
	/* Which samples and frames count, in the order they are applied. */
	const char *tagroot;
	const char *tagleaf;
	const char *focus;
	const char *ignore;
	const char *hide;
	const char *show;
	const char *show_from;
	const char *tagfocus;
	const char *tagignore;
	const char *tagshow;
	const char *taghide;
	const char *prune_from;

	/* Which of a sample's values, and how it is shown. */
	const char *sample_index; /* a number or a type's name */
	bool mean;
	double divide_by;
	const char *unit; /* "minimum", "auto" or a unit */

	/* What is one entry, and which are left out. */
	enum granularity granularity;
	bool noinlines;
	bool showcolumns;
	bool sort_cum;
	bool call_tree;
	bool drop_negative;
	bool relative_percentages;
	bool compact_labels;
	bool trim;
	int nodecount; /* -1: the report's own default */
	double nodefraction;
	double edgefraction;

	/* Source and disassembly. */
	const char *source_path;
	const char *trim_path;
	bool intel_syntax;
};

/* pprof's defaults. */
extern const struct view view_default;

/* The same question about everything: no sample or frame is left out. */
struct view view_of_everything(const struct view *view);

/* Gives every field of a view that began zeroed, and is still, its default. */
void view_fill_defaults(struct view *view);

#endif /* WICK_REPORT_VIEW_H */
