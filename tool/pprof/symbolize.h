/* SPDX-License-Identifier: MIT */
#ifndef WICK_PPROF_SYMBOLIZE_H
#define WICK_PPROF_SYMBOLIZE_H

#include <stdbool.h>

#include "report/names.h"

struct arguments;
struct error;
struct origins;
struct profile;

/* What -symbolize asks for. */
struct symbolize_mode {
	bool none; /* leave the profile as it is */
	bool local;
	bool fast; /* function names only */
	bool remote;
	bool force; /* also what has names already */
	enum name_mode names;
};

/* Reads words joined by ':'; says which it does not know. */
struct symbolize_mode symbolize_parse(const char *text);

/*
 * Names the places of the profile, in place: from the files of the programs,
 * then from the servers it came from, and makes the names readable.  Returns 0
 * or a negative errno with err set.
 */
int symbolize(struct profile *p, const struct arguments *a,
	      const struct origins *origins, struct error *err);

#endif /* WICK_PPROF_SYMBOLIZE_H */
