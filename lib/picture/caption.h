/* SPDX-License-Identifier: MIT */
/* What stands above a picture or a table of a profile. */
#ifndef WICK_PICTURE_CAPTION_H
#define WICK_PICTURE_CAPTION_H

#include <stdint.h>

struct arena;
struct profile;
struct sink;

/* How much there is. */
struct extent {
	int64_t total;
	const char *unit; /* of total */
	int64_t samples;
	int64_t nanos; /* that it took; 0: unknown */
};

/*
 * The extent of a whole profile, of one type of value.  Its rows may stand for
 * several samples each; if its first type says for how many, that counts.
 */
struct extent extent_of(const struct profile *p, uint32_t type);

/* What was recorded and of what: "cpu of server". */
void caption_subject(struct sink *out, const struct profile *p,
		     const char *type);

/* How much, and how long: "1s in 5 samples, 10s long". */
void caption_extent(struct sink *out, const struct extent *e,
		    struct arena *arena);

#endif /* WICK_PICTURE_CAPTION_H */
