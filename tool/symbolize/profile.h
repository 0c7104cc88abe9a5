/* SPDX-License-Identifier: MIT */
#ifndef WICK_SYMBOLIZE_PROFILE_H
#define WICK_SYMBOLIZE_PROFILE_H

#include <stdbool.h>

struct profile;
struct sink;

/* How names are found for a profile's addresses. */
struct profile_symbols {
	bool force;	   /* also where there are names already */
	bool fast;	   /* symbol tables only, no debug information */
	struct sink *talk; /* remarks for a person, a line each; or NULL */
	/*
	 * Where the files of mappings are, by mapping_id, for those that are
	 * not under their names; NULL: all are.
	 */
	const char *const *paths;
};

/*
 * Fills in functions, files, lines and inlined calls of the locations whose
 * mapping's file is on this machine and of the same build.  Names are as the
 * linker has them; demangling is another step.  Returns 0 or -ENOMEM; what
 * could not be found is said on talk and no error.
 */
int profile_symbolize(struct profile *p, const struct profile_symbols *how);

#endif /* WICK_SYMBOLIZE_PROFILE_H */
