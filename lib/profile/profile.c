/* SPDX-License-Identifier: MIT */
/* Filling the tables of a profile, and checking that they hold together. */
#include "profile/profile.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "profile/idmap.h"

int profile_init(struct profile *p, struct arena *arena)
{
	*p = (struct profile){ .arena = arena, .owned = PROFILE_ALL };
	p->strings = ARENA_NEW(arena, struct strtab);
	if (!p->strings)
		return -ENOMEM;

	strtab_init(p->strings, arena);
	stacktab_init(&p->stacks, arena);
	labeltab_init(&p->label_sets, arena, p->strings);
	/* The rows 0; failures show in arena->failed. */
	(void)VEC_PUSH(&p->mappings, arena);
	(void)VEC_PUSH(&p->functions, arena);
	(void)VEC_PUSH(&p->locations, arena);
	return arena->failed ? -ENOMEM : 0;
}

mapping_id profile_add_mapping(struct profile *p, struct mapping m)
{
	struct mapping *row = VEC_PUSH(&p->mappings, p->arena);

	if (!row)
		return 0;
	*row = m;
	return p->mappings.count - 1;
}

function_id profile_add_function(struct profile *p, struct function f)
{
	struct function *row = VEC_PUSH(&p->functions, p->arena);

	if (!row)
		return 0;
	*row = f;
	return p->functions.count - 1;
}

location_id profile_add_location(struct profile *p, struct location l,
				 const struct line *lines, uint32_t line_count)
{
	struct location *row;

	if (!VEC_RESERVE(&p->lines, p->arena, line_count))
		return 0;
	row = VEC_PUSH(&p->locations, p->arena);
	if (!row)
		return 0;
	l.first_line = p->lines.count;
	l.line_count = line_count;
	*row = l;
	if (line_count)
		memcpy(p->lines.at + p->lines.count, lines,
		       line_count * sizeof(*lines));
	p->lines.count += line_count;
	return p->locations.count - 1;
}

int profile_add_fake_mapping(struct profile *p)
{
	mapping_id fake;

	if (p->mappings.count > 1)
		return 0;
	fake = profile_add_mapping(p, (struct mapping){ .id = 1 });
	if (!fake)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->locations.count; i++)
		p->locations.at[i].mapping = fake;
	return 0;
}

static bool grow_column(struct profile *p, void *column, size_t item,
			uint64_t capacity)
{
	void **at = column;
	void *grown = arena_resize(p->arena, *at, p->sample_capacity * item,
				   capacity * item);

	if (!grown && item)
		return false;
	*at = grown;
	return true;
}

int profile_reserve_samples(struct profile *p, uint64_t count)
{
	uint64_t want = p->sample_count + count;
	size_t values = p->types.count * sizeof(*p->value);

	if (want <= p->sample_capacity)
		return 0;
	if (want > UINT32_MAX - 1) {
		p->arena->failed = true;
		return -ENOMEM;
	}
	if (!grow_column(p, &p->stack, sizeof(*p->stack), want) ||
	    !grow_column(p, &p->labels, sizeof(*p->labels), want) ||
	    (p->time && !grow_column(p, &p->time, sizeof(*p->time), want)) ||
	    !grow_column(p, &p->value, values, want))
		return -ENOMEM;
	p->sample_capacity = (uint32_t)want;
	return 0;
}

int64_t *profile_add_sample(struct profile *p, stack_id stack, labels_id labels)
{
	uint32_t i = p->sample_count;

	if (i == p->sample_capacity &&
	    profile_reserve_samples(p, i ? i : 64) < 0)
		return NULL;
	p->stack[i] = stack;
	p->labels[i] = labels;
	if (p->time)
		p->time[i] = 0;
	p->sample_count++;
	return profile_values(p, i);
}

int profile_keep_times(struct profile *p)
{
	if (p->time)
		return 0;
	if (!p->sample_capacity && profile_reserve_samples(p, 64) < 0)
		return -ENOMEM;
	p->time = ARENA_ARRAY(p->arena, int64_t, p->sample_capacity);
	return p->time ? 0 : -ENOMEM;
}

struct checked_table {
	const char *what;
	const void *rows; /* each begins with its 64-bit id */
	size_t row_size;
	uint32_t count;
};

static int check_ids(const struct checked_table *t, struct error *err)
{
	struct arena scratch = { 0 };
	struct idmap ids = { 0 };
	int r = idmap_init(&ids, &scratch, t->count);

	for (uint32_t i = 1; i < t->count && r == 0; i++) {
		uint64_t id;

		memcpy(&id, (const char *)t->rows + i * t->row_size,
		       sizeof(id));
		if (!id)
			r = error_set(
				err, -EBADMSG,
				"malformed profile: found %s with reserved ID=0",
				t->what);
		else if (idmap_find(&ids, id))
			r = error_set(
				err, -EBADMSG,
				"malformed profile: multiple %ss with same id: %llu",
				t->what, (unsigned long long)id);
		else
			r = idmap_add(&ids, id, i);
	}
	arena_release(&scratch);
	return r;
}

static int check_lines(const struct profile *p, struct error *err)
{
	for (uint32_t i = 1; i < p->locations.count; i++) {
		const struct location *l = &p->locations.at[i];
		const struct line *line = location_lines(p, l);

		for (uint32_t j = 0; j < l->line_count; j++)
			if (!line[j].function)
				return error_set(
					err, -EBADMSG,
					"malformed profile: location id: %llu has a line with nil function",
					(unsigned long long)l->id);
	}
	return 0;
}

int profile_check(const struct profile *p, struct error *err)
{
	const struct checked_table tables[] = {
		{ "mapping", p->mappings.at, sizeof(struct mapping),
		  p->mappings.count },
		{ "function", p->functions.at, sizeof(struct function),
		  p->functions.count },
		{ "location", p->locations.at, sizeof(struct location),
		  p->locations.count },
	};

	if (p->sample_count && !p->types.count)
		return error_set(
			err, -EBADMSG,
			"malformed profile: missing sample type information");
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		int r = check_ids(&tables[i], err);

		if (r < 0)
			return r;
	}
	return check_lines(p, err);
}
