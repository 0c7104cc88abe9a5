/* SPDX-License-Identifier: MIT */
/*
 * How a call graph names functions and files: those with the same name are told
 * apart, and a name is written once and called by its number afterwards.  Which
 * place writes it is decided before anything is written, so that several can
 * write at the same time.
 */
#ifndef WICK_REPORT_CALLNAMES_H
#define WICK_REPORT_CALLNAMES_H

#include <stdint.h>

#include "report/namesakes.h"

struct arena;

/* Names of one kind, numbered from 1 as they are mentioned.  A name is its
 * str_id or, behind all of those, a text of the namesakes. */
struct name_numbers {
	uint32_t *first;  /* by name; the first entry to mention it */
	uint32_t *number; /* by name; 0: nobody mentions it */
	uint32_t count;
};

/* What is said of a callee, in one place: there are many calls, and where they
 * lead to is all over memory. */
struct callee {
	uint64_t address;
	int64_t line;
	uint32_t file; /* numbers; 0: it has none */
	uint32_t name;
};

/* Which names are written in full. */
enum {
	FULL_OBJECT = 1,
	FULL_FILE = 2,
	FULL_NAME = 4,
};

/* The memory is the arena's that it was made with. */
struct call_names {
	struct name_numbers objects;
	struct name_numbers files;
	struct name_numbers names;
	struct namesakes namesakes;
	struct callee *callees; /* by graph node */
	uint8_t *entry_full;	/* by place in t->shown */
	uint8_t *call_full;	/* by place in t->out.ids */
};

/*
 * Numbers what is written of a graph: of each shown node its object, file and
 * name, and then of each callee, in the order of edges_out(), file and name,
 * with a number behind it where it has namesakes.  Returns 0 or -ENOMEM.
 */
int call_names_make(struct call_names *n, const struct trimmed *t,
		    struct arena *arena);

#endif /* WICK_REPORT_CALLNAMES_H */
