/* SPDX-License-Identifier: MIT */
/* See scale.h. */
#include "profile/scale.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "profile/merge.h"
#include "profile/profile.h"
#include "profile/unit.h"

/* Moves sample from down to to, which is not above it. */
static void move_sample(struct profile *p, uint32_t to, uint32_t from)
{
	p->stack[to] = p->stack[from];
	p->labels[to] = p->labels[from];
	memmove(profile_values(p, to), profile_values(p, from),
		p->types.count * sizeof(*p->value));
}

static bool scale_sample(struct profile *p, uint32_t sample,
			 const double *ratio)
{
	int64_t *v = profile_values(p, sample);
	bool keep = false;

	for (uint32_t t = 0; t < p->types.count; t++) {
		if (ratio[t] == 1)
			continue;
		v[t] = integer_part(round((double)v[t] * ratio[t]));
		keep |= v[t] != 0;
	}
	return keep;
}

void profile_scale(struct profile *p, const double *ratio)
{
	uint32_t kept = 0;
	bool change = false;

	for (uint32_t t = 0; t < p->types.count; t++)
		change |= ratio[t] != 1;
	if (!change)
		return;
	for (uint32_t i = 0; i < p->sample_count; i++)
		if (scale_sample(p, i, ratio))
			move_sample(p, kept++, i);
	p->sample_count = kept;
}

int profile_negate(struct profile *p)
{
	double *ratio = ARENA_ARRAY(p->arena, double, p->types.count);

	if (!ratio)
		return -ENOMEM;
	for (uint32_t t = 0; t < p->types.count; t++)
		ratio[t] = -1;
	profile_scale(p, ratio);
	return 0;
}

static uint64_t total_of(const struct profile *p, uint32_t type)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < p->sample_count; i++)
		total += (uint64_t)profile_values(p, i)[type];
	return total;
}

int profile_normalize(struct profile *p, const struct profile *base,
		      struct error *err)
{
	double *ratio = ARENA_ARRAY(p->arena, double, p->types.count);
	int r = profile_mergeable(p, base, err);

	if (r < 0)
		return r;
	if (!ratio)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t t = 0; t < p->types.count; t++) {
		int64_t own = (int64_t)total_of(p, t);

		if (own)
			ratio[t] = (double)(int64_t)total_of(base, t) /
				   (double)own;
	}
	profile_scale(p, ratio);
	return 0;
}

/* The index of the type called name, or UINT32_MAX. */
static uint32_t find_type(const struct profile *p, const char *name)
{
	for (uint32_t t = 0; t < p->types.count; t++)
		if (!strcmp(profile_text(p, p->types.at[t].type), name))
			return t;
	return UINT32_MAX;
}

/* How often the type occurs; one that a profile has twice is in none. */
static unsigned count_types(struct profile *const *profiles, unsigned count,
			    const char *name)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct profile *p = profiles[i];

		for (uint32_t t = 0; t < p->types.count; t++)
			found += !strcmp(profile_text(p, p->types.at[t].type),
					 name);
	}
	return found;
}

/* Room for the work below; the profiles' own arenas keep only the results. */
struct types_work {
	struct profile *const *profiles;
	unsigned count;
	struct arena *scratch;
	uint32_t kept;	    /* types that all have */
	const char **names; /* theirs, in the first profile's order */
};

static int find_common_types(struct types_work *w, struct error *err)
{
	const struct profile *first = w->profiles[0];

	w->names = ARENA_ARRAY(w->scratch, const char *, first->types.count);
	if (!w->names)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t t = 0; t < first->types.count; t++) {
		const char *name = profile_text(first, first->types.at[t].type);

		if (count_types(w->profiles, w->count, name) == w->count)
			w->names[w->kept++] = name;
	}
	if (!w->kept)
		return error_set(err, -EINVAL,
				 "profiles have empty common sample type list");
	return 0;
}

/* from[t] is where the t-th kept type is now. */
static int reorder_types(struct types_work *w, struct profile *p,
			 const uint32_t *from, struct error *err)
{
	uint32_t old = p->types.count;
	struct value_type *types = ARENA_ARRAY(w->scratch, struct value_type,
					       w->kept);
	int64_t *values = ARENA_ARRAY(w->scratch, int64_t, w->kept);

	if (!types || !values)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t t = 0; t < w->kept; t++)
		types[t] = p->types.at[from[t]];
	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = p->value + (size_t)i * old;

		for (uint32_t t = 0; t < w->kept; t++)
			values[t] = v[from[t]];
		memcpy(p->value + (size_t)i * w->kept, values,
		       w->kept * sizeof(*values));
	}
	memcpy(p->types.at, types, w->kept * sizeof(*types));
	p->types.count = w->kept;
	return 0;
}

static int keep_common_types(struct types_work *w, struct profile *p,
			     struct error *err)
{
	uint32_t *from = ARENA_ARRAY(w->scratch, uint32_t, w->kept);
	const char *preferred = profile_text(p, p->header.default_type);
	bool same = p->types.count == w->kept;
	const char *chosen = w->names[0];

	if (!from)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t t = 0; t < w->kept; t++) {
		from[t] = find_type(p, w->names[t]);
		if (from[t] == UINT32_MAX)
			return error_set(
				err, -EINVAL,
				"sample type '%s' is not in every profile",
				w->names[t]);
		same &= from[t] == t;
		if (!strcmp(w->names[t], preferred))
			chosen = preferred;
	}
	if (same)
		return 0;
	p->header.default_type = strtab_add_text(p->strings, chosen);
	return reorder_types(w, p, from, err);
}

static bool same_but_plural(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);

	la -= la && a[la - 1] == 's';
	lb -= lb && b[lb - 1] == 's';
	return la == lb && !memcmp(a, b, la);
}

/* A value type by its names, for comparing across profiles. */
struct named_type {
	const char *type;
	const char *unit;
};

static struct named_type type_at(const struct profile *p, int type)
{
	const struct value_type *t = type < 0 ? &p->header.period_type
					      : &p->types.at[type];

	return (struct named_type){ profile_text(p, t->type),
				    profile_text(p, t->unit) };
}

/*
 * Finds the finest unit in which the profiles have the type (-1: the period's).
 * Returns 0, or -EINVAL if they can not be converted.
 */
static int finest_unit(const struct types_work *w, int type,
		       const char **ret_unit, struct error *err)
{
	struct named_type finest = type_at(w->profiles[0], type);

	for (unsigned i = 1; i < w->count; i++) {
		struct named_type t = type_at(w->profiles[i], type);

		if (!same_but_plural(finest.type, t.type) ||
		    (strcmp(finest.unit, t.unit) != 0 &&
		     !unit_same_family(finest.unit, t.unit)))
			return error_set(
				err, -EINVAL,
				"%s: incompatible types: %s/%s and %s/%s",
				type < 0 ? "period type" : "sample types",
				finest.type, finest.unit, t.type, t.unit);
		if (unit_scale(1, t.unit, finest.unit).value < 1)
			finest = t;
	}
	*ret_unit = finest.unit;
	return 0;
}

static int scale_types(const struct types_work *w, struct error *err)
{
	const char **unit = ARENA_ARRAY(w->scratch, const char *, w->kept);
	double *ratio = ARENA_ARRAY(w->scratch, double, w->kept);

	if (!unit || !ratio)
		return error_set(err, -ENOMEM, "out of memory");
	for (uint32_t t = 0; t < w->kept; t++) {
		int r = finest_unit(w, (int)t, &unit[t], err);

		if (r < 0)
			return r;
	}
	for (unsigned i = 0; i < w->count; i++) {
		struct profile *p = w->profiles[i];

		for (uint32_t t = 0; t < w->kept; t++) {
			const char *own = type_at(p, (int)t).unit;

			ratio[t] = unit_scale(1, own, unit[t]).value;
			p->types.at[t].unit = strtab_add_text(p->strings,
							      unit[t]);
		}
		profile_scale(p, ratio);
	}
	return 0;
}

static int scale_periods(const struct types_work *w, struct error *err)
{
	const char *unit;
	int r = finest_unit(w, -1, &unit, err);

	for (unsigned i = 0; i < w->count && r == 0; i++) {
		struct profile *p = w->profiles[i];
		struct measure m = unit_scale(p->header.period,
					      type_at(p, -1).unit, unit);

		p->header.period = integer_part(m.value);
		p->header.period_type.unit = strtab_add_text(p->strings, unit);
	}
	return r;
}

int profile_compatible_types(struct profile *const *profiles, unsigned count,
			     struct error *err)
{
	struct arena scratch = { 0 };
	struct types_work w = { profiles, count, &scratch, 0, NULL };
	int r = find_common_types(&w, err);

	for (unsigned i = 0; i < count && r == 0; i++)
		r = keep_common_types(&w, profiles[i], err);
	if (r == 0 && count > 1)
		r = scale_periods(&w, err);
	if (r == 0 && count > 1)
		r = scale_types(&w, err);
	arena_release(&scratch);
	return r;
}
