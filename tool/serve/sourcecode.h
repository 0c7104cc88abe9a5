/* SPDX-License-Identifier: MIT */
#ifndef WICK_SERVE_SOURCECODE_H
#define WICK_SERVE_SOURCECODE_H

#include <stddef.h>

struct error;
struct profile;
struct sink;

/* Whose source.  Everything is borrowed. */
struct source_request {
	const struct profile *profile;
	const char *function;	 /* its whole name; NULL: the heaviest ones */
	const char *source_path; /* see sourcefile.h */
	size_t most;		 /* bytes, of the heaviest ones together */
};

/*
 * Writes the source of a function and the machine code of each line as JSON; of
 * the heaviest functions, a line for each one that has any source and fits.
 * What was spent where is not in it: that depends on the page's selection, and
 * the page knows it.  Returns 0, -ENOENT if no sample is in such a function, or
 * another negative errno with a sentence.
 */
int sourcecode_write(const struct source_request *q, struct sink *out,
		     struct error *err);

#endif /* WICK_SERVE_SOURCECODE_H */
