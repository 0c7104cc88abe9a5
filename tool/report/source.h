/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_SOURCE_H
#define WICK_REPORT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "report/absent.h"

struct error;
struct view;

/* A source file with its lines found. */
struct source_file {
	str_id name;
	struct span text;
	VEC(struct span) lines; /* [0] unused: lines count from 1 */
};

/*
 * The source files of a report.  A report asks for a file once for each
 * function in it, and most of the files of a profile from elsewhere are not
 * there at all: so files stay read for as long as they take little memory, and
 * folders that are not there are remembered.
 */
struct sources {
	const struct view *view;      /* outlives this */
	const struct strtab *strings; /* so do they */
	struct arena arena;	      /* of all but the files */
	const char *path;	      /* where to look; NULL: not known yet */
	struct absent_folders absent;
	uint32_t *places;	       /* by str_id: see source.c */
	struct arena kept;	       /* of the files */
	VEC(struct source_file) files; /* that are read */
};

/* For names that are in strings by now.  Returns 0 or -ENOMEM;
 * sources_release() is called whatever comes back. */
int sources_make(struct sources *s, const struct view *view,
		 const struct strtab *strings);
void sources_release(struct sources *s);

/*
 * A source file by the name that a profile has for it: absolute names are taken
 * as they are, others are looked for below each folder of the view's
 * source_path (the current folder if unset) and of its parents.  It is there
 * until the next is asked for.  NULL: it could not be read, and the sentence
 * says why.
 */
const struct source_file *sources_get(struct sources *s, str_id name,
				      struct error *err);

/* Whether a file was asked for and could not be read. */
bool sources_lack(const struct sources *s, str_id name);

#endif /* WICK_REPORT_SOURCE_H */
