/* SPDX-License-Identifier: MIT */
#ifndef WICK_BASE_STRTAB_H
#define WICK_BASE_STRTAB_H

#include <stdint.h>

#include "base/span.h"
#include "base/table.h"
#include "base/vec.h"

typedef uint32_t str_id; /* 0: the empty string */

struct str {
	const char *text; /* NUL-terminated; may hold other NULs */
	uint32_t len;
};

/*
 * Strings stored once: equal strings have equal ids, so comparing names is
 * comparing numbers.  Any bytes are allowed.  The memory is the arena's, which
 * must outlive the table.  When memory runs out interning returns 0 and the
 * arena's failed flag says so.
 */
struct strtab {
	struct arena *arena;
	uint64_t key;
	VEC(struct str) strings; /* [0] is "" once anything is interned */
	struct table index;
};

void strtab_init(struct strtab *t, struct arena *arena);

/* Stores a copy. */
str_id strtab_add(struct strtab *t, const char *text, size_t len);
str_id strtab_add_text(struct strtab *t, const char *text);
str_id strtab_add_span(struct strtab *t, struct span s);

/* Stores the pointer: the bytes, with a NUL behind them, live as long as t. */
str_id strtab_add_static(struct strtab *t, const char *text, size_t len);

/* The id of a string that may not be there; UINT32_MAX if it is not. */
str_id strtab_find(const struct strtab *t, const char *text, size_t len);

static inline const char *str_text(const struct strtab *t, str_id id)
{
	return id < t->strings.count ? t->strings.at[id].text : "";
}

static inline size_t str_len(const struct strtab *t, str_id id)
{
	return id < t->strings.count ? t->strings.at[id].len : 0;
}

static inline struct span str_span(const struct strtab *t, str_id id)
{
	return span_of(str_text(t, id), str_len(t, id));
}

/* <0, 0, >0 in the order of bytes. */
int str_compare(const struct strtab *t, str_id a, str_id b);

#endif /* WICK_BASE_STRTAB_H */
