/* SPDX-License-Identifier: MIT */
/* See pair.h. */
#include "export/pair.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/folded.h"
#include "profile/merge.h"
#include "profile/profile.h"
#include "profile/scale.h"
#include "report/context.h"

/* Gives p the two types, its values in the column of its side. */
static int take_side(struct profile *p, uint32_t type, uint32_t side)
{
	static const char *const names[] = { FOLDED_BEFORE, FOLDED_AFTER };
	str_id unit = p->types.at[type].unit;
	int64_t *value = ARENA_ARRAY(p->arena, int64_t,
				     2 * (size_t)p->sample_count + 1);

	if (!value)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		value[2 * (size_t)i + side] = profile_values(p, i)[type];
	p->types.count = 0;
	for (uint32_t t = 0; t < 2; t++) {
		struct value_type *row = VEC_PUSH(&p->types, p->arena);

		if (!row)
			return -ENOMEM;
		*row = (struct value_type){
			strtab_add_text(p->strings, names[t]), unit
		};
	}
	p->value = value;
	p->sample_capacity = p->sample_count;
	p->header.default_type = 0;
	p->header.period_type = p->types.at[1];
	return p->arena->failed ? -ENOMEM : 0;
}

int profile_pair(struct profile *out, struct arena *arena,
		 struct profile *const both[2], const char *type,
		 struct error *err)
{
	uint32_t index;
	int r = profile_compatible_types(both, 2, err);

	if (r == 0)
		r = sample_index_find(both[1], type, &index, err);
	if (r < 0)
		return r;
	for (uint32_t side = 0; side < 2 && r == 0; side++)
		r = take_side(both[side], index, side);
	if (r == 0)
		r = profile_init(out, arena);
	if (r < 0)
		return error_set(err, r, "out of memory");
	return profile_merge(out, (const struct profile *const *)both, 2, err);
}

uint64_t profile_samples(const struct profile *p)
{
	uint64_t sum = 0;

	if (!p->types.count ||
	    strcmp(profile_text(p, p->types.at[0].unit), "count") != 0)
		return p->sample_count;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		int64_t v = profile_values(p, i)[0];

		sum += (uint64_t)(v < 0 ? -v : v);
	}
	return sum;
}
