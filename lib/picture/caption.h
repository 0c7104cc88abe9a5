/* SPDX-License-Identifier: MIT */
/* What stands above a picture or a table of a profile. */
#ifndef WICK_PICTURE_CAPTION_H
#define WICK_PICTURE_CAPTION_H

#include <stdint.h>

struct arena;
struct profile;
struct sink;

/* What was recorded and of what: "cpu of server". */
void caption_subject(struct sink *out, const struct profile *p,
		     const char *type);

/* How much, and how long: "1s in 5 samples, 10s long". */
void caption_extent(struct sink *out, const struct profile *p, int64_t total,
		    const char *unit, struct arena *arena);

#endif /* WICK_PICTURE_CAPTION_H */
