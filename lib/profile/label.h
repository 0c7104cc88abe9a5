/* SPDX-License-Identifier: MIT */
#ifndef WICK_PROFILE_LABEL_H
#define WICK_PROFILE_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strtab.h"
#include "base/table.h"
#include "base/vec.h"

typedef uint32_t labels_id; /* 0: no labels */

/* One label of a sample: a key with a string, or a number with its unit. */
struct label {
	str_id key;
	str_id text; /* of a string label */
	int64_t number;
	str_id unit; /* of a number; 0: none given */
	bool numeric;
};

struct label_range {
	uint32_t first;
	uint32_t count;
};

/*
 * The label sets that samples carry, each stored once.  Within a set string
 * labels come first, then numbers, each by key (in the order of bytes) and, for
 * one key, in the order they were given.
 */
struct labeltab {
	struct arena *arena;
	const struct strtab *strings; /* borrowed */
	uint64_t key;
	VEC(struct label_range) sets; /* [0]: the empty set */
	VEC(struct label) labels;
	struct table index;
};

void labeltab_init(struct labeltab *t, struct arena *arena,
		   const struct strtab *strings);

/*
 * Returns the set of these labels, which are put in order in place; 0 for none
 * and when memory ran out (the arena's failed flag tells).
 */
labels_id labels_add(struct labeltab *t, struct label *labels, uint32_t count);

/*
 * The labels of a set, NULL if it is empty; the pointer is valid until another
 * set is added.
 */
static inline const struct label *labels_get(const struct labeltab *t,
					     labels_id id, uint32_t *ret_count)
{
	*ret_count = t->sets.at[id].count;
	return *ret_count ? t->labels.at + t->sets.at[id].first : NULL;
}

#endif /* WICK_PROFILE_LABEL_H */
