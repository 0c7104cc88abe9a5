/* SPDX-License-Identifier: MIT */
#ifndef WICK_INSIDE_ASSEMBLE_H
#define WICK_INSIDE_ASSEMBLE_H

#include <stdint.h>

struct collect_options;
struct error;

/* What agents have left, and when. */
struct assembly {
	const char *const *folders; /* the last is NULL */
	int64_t began;		    /* nanoseconds of the epoch */
	int64_t since;		    /* pieces that began earlier do not count */
	int64_t until;
	const char *root; /* of the process, if it is not ours; or NULL */
};

/* Now, in nanoseconds of the epoch. */
int64_t assemble_now(void);

/*
 * Makes a recording of it, with names, and says what was recorded.  Returns 0,
 * -ENOENT if there is nothing, or another negative errno; with a sentence but
 * for -ENOENT.
 */
int assemble(const struct collect_options *o, const struct assembly *a,
	     struct error *err);

#endif /* WICK_INSIDE_ASSEMBLE_H */
