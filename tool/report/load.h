/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_LOAD_H
#define WICK_REPORT_LOAD_H

#include "base/span.h"

struct arena;
struct error;
struct profile;

/*
 * Reads the profile in the file at path ("-": standard input), of any format
 * that wick knows, compressed or not.  p is initialised here and belongs to
 * arena afterwards.  Returns 0 or a negative errno; the sentence then begins
 * with the file's name.
 *
 * A file can not make wick take all memory.  What it expands to may be 4 GiB
 * and the profile made of it 16 GiB; with WICK_MEMORY_LIMIT in the environment
 * (as in 64G, 500M or 1T) the profile may be that large and what is read a
 * quarter of it.  arena's own limit, if it has one, is left as it is.
 */
int profile_load(struct profile *p, struct arena *arena, const char *path,
		 struct error *err);

/*
 * The same for bytes that are in memory already, and not needed afterwards.
 * The sentence names nothing.
 */
int profile_load_bytes(struct profile *p, struct arena *arena,
		       struct span bytes, struct error *err);

#endif /* WICK_REPORT_LOAD_H */
