/* SPDX-License-Identifier: MIT */
#ifndef WICK_REPORT_TEXTS_H
#define WICK_REPORT_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"

struct profile;
struct sink;

enum {
	TEXT_SLOT = 16,	    /* where texts start, in bytes */
	TEXT_LEN_BITS = 10, /* of a place; the others say which slot */
	TEXT_LEN_MAX = (1 << TEXT_LEN_BITS) - 1,
};

/*
 * Short texts that a report writes again and again, made once and found by
 * number: the lines of a location, say.  A few names can make a great many
 * texts, so there is a limit to what is kept; whoever finds nothing kept writes
 * the text anew.  Filled by one thread, then read by any.
 */
struct texts {
	struct arena arena;
	uint32_t *place; /* by number; 0: not kept */
	char *pool;
	size_t size;
	size_t used;
	size_t small; /* slots in a line begun for texts of one slot */
	bool full;
	unsigned indent; /* spaces that go before each text of a run */
};

/* How to write a text that is not kept. */
struct text_source {
	void (*put)(void *context, struct sink *out, uint32_t number);
	void *context;
};

/*
 * Makes room for texts with numbers below count, none of which is kept yet.
 * texts_release() whatever comes back: 0 or -ENOMEM.
 */
int texts_init(struct texts *t, uint32_t count);
void texts_release(struct texts *t);

/*
 * The same texts, but with room only in one of several parts of the pool: for
 * one of as many threads that add texts of different numbers at the same time,
 * when there are none yet.
 */
struct texts texts_part(const struct texts *t, unsigned number, unsigned parts);

/* Keeps what source writes as the text of number, if it is short enough. */
void texts_add(struct texts *t, uint32_t number,
	       const struct text_source *source);

/*
 * Makes texts of the label sets of a profile, by set, unless most samples have
 * a set to themselves: then none is kept.  0 or -ENOMEM, as texts_init().
 */
int texts_add_labels(struct texts *t, const struct profile *p,
		     const struct text_source *source);

/* The text of number becomes that of another one. */
static inline void texts_share(struct texts *t, uint32_t number, uint32_t other)
{
	t->place[number] = t->place[other];
}

static inline struct span texts_get(const struct texts *t, uint32_t number)
{
	uint32_t place = t->place[number];

	return span_of(t->pool + (place >> TEXT_LEN_BITS) * TEXT_SLOT,
		       place & TEXT_LEN_MAX);
}

/* Writes the text of number, kept or not. */
void texts_put(const struct texts *t, uint32_t number, struct sink *out,
	       const struct text_source *source);

/* A run of texts: those of count numbers, the last one first. */
struct text_run {
	const uint32_t *numbers;
	uint32_t count;
};

/*
 * Writes a run, the indent before each text.  The next
 * run is brought near the processor on the way: texts are all over the pool,
 * and writing them is mostly waiting for it.
 */
void texts_put_run(const struct texts *t, struct text_run run,
		   struct text_run next, struct sink *out,
		   const struct text_source *source);

#endif /* WICK_REPORT_TEXTS_H */
