/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_VERBS_H
#define WICK_PPROF_VERBS_H

#include <stdbool.h>

struct sink;

/* The viewer of pages: whichever web browser there is. */
#define VIEWER_BROWSER "browser"

/* Which explanation of its arguments the shell gives. */
enum verb_usage {
	USAGE_NONE,
	USAGE_TOP,	  /* [n] [focus] [-ignore] [-cum] >f */
	USAGE_GRAPH,	  /* the same without -cum */
	USAGE_SHOWN,	  /* the same without >f */
	USAGE_LIST,	  /* regex [focus] [-ignore] */
	USAGE_LIST_SAVED, /* the same with >f */
	USAGE_PEEK,
	USAGE_TAGS,
};

/*
 * One of pprof's commands: a report, perhaps turned into a picture, printed,
 * written to a file or shown by a viewer.
 */
struct verb {
	const char *name;
	const char *report;    /* for report_find() */
	const char *picture;   /* what "dot -T" makes of it; NULL: nothing */
	const char *extension; /* of its file; NULL: text, fit for a terminal */
	const char *viewer;    /* a program, or VIEWER_BROWSER; NULL: none */
	bool takes_regex;
	const char *summary;
	enum verb_usage usage;
};

/* All of them, by name. */
extern const struct verb verbs[];
extern const unsigned verb_count;

/* NULL if there is none. */
const struct verb *verb_find(const char *name);

/* What the shell's help says of it. */
void verb_help(const struct verb *v, struct sink *out);

#endif /* WICK_PPROF_VERBS_H */
