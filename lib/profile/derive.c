/* SPDX-License-Identifier: MIT */
/* Copying tables before they are changed: see derive.h. */
#include "profile/derive.h"

#include <errno.h>
#include <string.h>

void profile_derive(struct profile *p, const struct profile *from,
		    struct arena *arena)
{
	*p = *from;
	p->arena = arena;
	p->owned = 0;
}

/* Returns a copy of count items with room for no more, or NULL. */
static void *copy_column(struct arena *arena, const void *at, size_t count,
			 size_t item)
{
	/* An empty column still needs an address that is not NULL. */
	void *copy = arena_array(arena, count ? count : 1, item ? item : 1);

	if (copy && count && item)
		memcpy(copy, at, count * item);
	return copy;
}

#define COPY_VEC(v, arena) \
	({ \
		(v)->at = copy_column((arena), (v)->at, (v)->count, \
				      sizeof(*(v)->at)); \
		(v)->capacity = (v)->count ? (v)->count : 1; \
		(v)->at != NULL; \
	})

/* Whether a table is still shared; marks it as owned. */
static bool must_copy(struct profile *p, enum profile_tables table)
{
	if (p->owned & table)
		return false;
	p->owned |= table;
	return true;
}

int profile_own_locations(struct profile *p)
{
	if (!must_copy(p, PROFILE_LOCATIONS))
		return 0;
	if (!COPY_VEC(&p->locations, p->arena) ||
	    !COPY_VEC(&p->lines, p->arena))
		return -ENOMEM;
	return 0;
}

int profile_own_functions(struct profile *p)
{
	if (!must_copy(p, PROFILE_FUNCTIONS))
		return 0;
	return COPY_VEC(&p->functions, p->arena) ? 0 : -ENOMEM;
}

int profile_own_mappings(struct profile *p)
{
	if (!must_copy(p, PROFILE_MAPPINGS))
		return 0;
	return COPY_VEC(&p->mappings, p->arena) ? 0 : -ENOMEM;
}

int profile_own_labels(struct profile *p)
{
	struct labeltab *t = &p->label_sets;

	if (!must_copy(p, PROFILE_LABELS))
		return 0;
	t->arena = p->arena;
	if (!COPY_VEC(&t->sets, p->arena) || !COPY_VEC(&t->labels, p->arena) ||
	    !table_own(&t->index, p->arena))
		return -ENOMEM;
	return 0;
}

int profile_own_samples(struct profile *p)
{
	size_t count = p->sample_count;

	if (!must_copy(p, PROFILE_SAMPLES))
		return 0;
	p->stack = copy_column(p->arena, p->stack, count, sizeof(*p->stack));
	p->labels = copy_column(p->arena, p->labels, count, sizeof(*p->labels));
	p->value = copy_column(p->arena, p->value, count,
			       p->types.count * sizeof(*p->value));
	if (p->time)
		p->time = copy_column(p->arena, p->time, count,
				      sizeof(*p->time));
	p->sample_capacity = p->sample_count;
	return p->arena->failed ? -ENOMEM : 0;
}

static uint32_t count_kept(const struct profile *p, const bool *keep)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		kept += keep[i];
	return kept;
}

/* New columns for a profile that shares those it has; else the old ones. */
static int start_columns(struct profile *to, uint32_t count)
{
	if (to->owned & PROFILE_SAMPLES)
		return 0;
	to->owned |= PROFILE_SAMPLES;
	to->stack = ARENA_ARRAY(to->arena, stack_id, count + 1u);
	to->labels = ARENA_ARRAY(to->arena, labels_id, count + 1u);
	to->value = arena_array(to->arena, count + 1u,
				to->types.count * sizeof(*to->value) + 1);
	if (to->time)
		to->time = ARENA_ARRAY(to->arena, int64_t, count + 1u);
	to->sample_capacity = count;
	return to->arena->failed ? -ENOMEM : 0;
}

/* All samples stay, elsewhere in the tree: the other columns stay shared. */
static int move_samples(struct profile *p, const stack_id *map)
{
	stack_id *to = p->owned & PROFILE_SAMPLES
			       ? p->stack
			       : ARENA_ARRAY(p->arena, stack_id,
					     p->sample_count + 1u);

	if (!to && p->sample_count)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		to[i] = map[p->stack[i]];
	p->stack = to;
	return 0;
}

int profile_select_samples(struct profile *p, const bool *keep,
			   const stack_id *map)
{
	uint32_t left = count_kept(p, keep);
	struct profile from = *p;
	uint32_t kept = 0;

	if (left == p->sample_count)
		return map ? move_samples(p, map) : 0;
	if (start_columns(p, left) < 0)
		return -ENOMEM;
	/* Never ahead of what is read, so that both may be the same. */
	for (uint32_t i = 0; i < from.sample_count; i++) {
		const int64_t *v = profile_values(&from, i);
		int64_t *to = profile_values(p, kept);

		if (!keep[i])
			continue;
		p->stack[kept] = map ? map[from.stack[i]] : from.stack[i];
		p->labels[kept] = from.labels[i];
		if (p->time)
			p->time[kept] = from.time[i];
		for (uint32_t t = 0; t < p->types.count; t++)
			to[t] = v[t];
		kept++;
	}
	p->sample_count = kept;
	return 0;
}
