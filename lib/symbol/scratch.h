/* SPDX-License-Identifier: MIT */
/*
 * What the demanglers work with: memory that is given back all at once after
 * each name but not unmapped, and a text that can not grow without bound.
 * Only lib/symbol uses this.
 */
#ifndef WICK_SYMBOL_SCRATCH_H
#define WICK_SYMBOL_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

struct arena;
struct scratch_chunk;

/* Memory for one name.  The arena owns it; a zeroed one but for it is empty. */
struct scratch {
	struct arena *arena;
	struct scratch_chunk *first;
	struct scratch_chunk *chunk; /* being filled */
	size_t used;		     /* of chunk */
	size_t total;		     /* handed out since the last reset */
};

/* Returns zeroed memory, or NULL when the name needs more than any should. */
void *scratch_alloc(struct scratch *s, size_t size);
void scratch_reset(struct scratch *s);

/*
 * The readable name while it grows.  failed is set when it would exceed the
 * longest that is allowed, and nothing more is added then.
 */
struct text {
	struct arena *arena;
	char *at;
	size_t used;
	size_t size;
	char last; /* the last byte written by text_put() and text_char() */
	bool failed;
};

/* Adds to the text. */
void text_put(struct text *t, const char *s);
void text_span(struct text *t, struct span s);
void text_char(struct text *t, char c);
void text_number(struct text *t, uint64_t n);

/* Adds code point c as UTF-8. */
void text_rune(struct text *t, uint32_t c);

#endif /* WICK_SYMBOL_SCRATCH_H */
