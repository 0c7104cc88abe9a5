/* SPDX-License-Identifier: MIT */
/*
 * The columns of samples: which stack, when, with which labels and values; and
 * the threads, which profiles tell by labels.  Samples stand in the order of
 * their times, so that a range of time is a range of rows.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/fmt.h"
#include "base/hash.h"
#include "base/sink.h"
#include "base/sort.h"
#include "profile/number.h"
#include "profile/profile.h"
#include "serve/columns_parts.h"

/* The ways in which profilers say it; the first that is there counts. */
static const char *const name_keys[] = { "thread", "thread_name", "comm",
					 NULL };
static const char *const tid_keys[] = { "tid", "thread_id", "thread id", NULL };
static const char *const process_keys[] = { "process", "process_name", NULL };
static const char *const pid_keys[] = { "pid", "process_id", NULL };

/* What tells threads apart; texts are the page's. */
struct page_thread {
	uint32_t name;
	uint32_t process;
	uint32_t tid;
	uint32_t pid;
};

struct threads {
	struct columns *c;
	VEC(struct page_thread) rows;
	struct table index;
};

static uint32_t value_string(struct columns *c, const struct label *l)
{
	const char *unit;

	if (!l->numeric)
		return columns_string(c, l->text);
	unit = profile_text(c->profile, l->unit);
	return columns_text(
		c, span_text(number_label(c->arena, l->number, unit, "auto")));
}

static uint32_t find_label(struct columns *c, labels_id set,
			   const char *const *keys)
{
	const struct profile *p = c->profile;
	uint32_t count;
	const struct label *l = labels_get(&p->label_sets, set, &count);

	for (; *keys; keys++) {
		str_id key = strtab_find(p->strings, *keys, strlen(*keys));

		for (uint32_t i = 0; i < count; i++)
			if (l[i].key == key)
				return value_string(c, &l[i]);
	}
	return 0;
}

static bool same_thread(const struct page_thread *a,
			const struct page_thread *b)
{
	return a->name == b->name && a->process == b->process &&
	       a->tid == b->tid && a->pid == b->pid;
}

/* The number of the thread, a new one if it was not seen before. */
static uint32_t thread_number(struct threads *t, const struct page_thread *want)
{
	uint32_t hash = hash_pair(hash_pair(want->name, want->tid),
				  hash_pair(want->process, want->pid));
	uint32_t i = table_start(&t->index, hash);
	struct page_thread *row;
	uint32_t id;

	for (; (id = table_id(&t->index, i, hash)) != TABLE_END;
	     i = table_next(&t->index, i))
		if (id && same_thread(&t->rows.at[id - 1], want))
			return id - 1;
	row = VEC_PUSH(&t->rows, t->c->arena);
	if (!row || !table_add(&t->index, t->c->arena, hash, t->rows.count))
		return 0;
	*row = *want;
	return t->rows.count - 1;
}

static void put_threads(struct threads *t)
{
	struct columns *c = t->c;

	json_key(&c->json, "threads");
	json_open(&c->json, '[');
	for (uint32_t i = 0; i < t->rows.count; i++) {
		const struct page_thread *row = &t->rows.at[i];

		json_open(&c->json, '[');
		json_uint(&c->json, row->name);
		json_uint(&c->json, row->tid);
		json_uint(&c->json, row->process);
		json_uint(&c->json, row->pid);
		json_close(&c->json, ']');
	}
	json_close(&c->json, ']');
}

/* The columns of label sets; set numbers are the profile's. */
struct label_columns {
	uint32_t *end; /* by set */
	uint32_t *key;
	uint32_t *value;
};

static void fill_labels(struct threads *t, const bool *used,
			struct label_columns *to)
{
	struct columns *c = t->c;
	const struct profile *p = c->profile;
	uint32_t at = 0;

	for (uint32_t s = 0; s < p->label_sets.sets.count; s++) {
		uint32_t count;
		const struct label *l = labels_get(&p->label_sets, s, &count);

		for (uint32_t i = 0; used[s] && i < count; i++) {
			to->key[at] = columns_string(c, l[i].key);
			to->value[at++] = value_string(c, &l[i]);
		}
		to->end[s] = at;
		if (!used[s])
			continue;
		c->thread[s] = thread_number(
			t, &(struct page_thread){
				   .name = find_label(c, s, name_keys),
				   .tid = find_label(c, s, tid_keys),
				   .process = find_label(c, s, process_keys),
				   .pid = find_label(c, s, pid_keys),
			   });
	}
	pagefile_add(&c->file, "setEnd", to->end, p->label_sets.sets.count);
	pagefile_add(&c->file, "labelKey", to->key, at);
	pagefile_add(&c->file, "labelValue", to->value, at);
}

int columns_add_labels(struct columns *c)
{
	const struct profile *p = c->profile;
	uint32_t sets = p->label_sets.sets.count;
	size_t labels = p->label_sets.labels.count;
	bool *used = ARENA_ARRAY(c->arena, bool, sets);
	struct label_columns to = {
		.end = ARENA_ARRAY(c->arena, uint32_t, sets),
		.key = ARENA_ARRAY(c->arena, uint32_t, labels + 1),
		.value = ARENA_ARRAY(c->arena, uint32_t, labels + 1),
	};
	struct threads t = { .c = c };

	c->thread = ARENA_ARRAY(c->arena, uint32_t, sets);
	if (c->arena->failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		used[p->labels[i]] = true;
	fill_labels(&t, used, &to);
	pagefile_add(&c->file, "setThread", c->thread, sets);
	put_threads(&t);
	return c->arena->failed ? -ENOMEM : 0;
}

/* The samples in the order of their times, and the times in ticks. */
struct timing {
	uint32_t *order; /* by row: the sample */
	uint32_t *step;	 /* by row: ticks since the row before */
	uint64_t tick;	 /* nanoseconds */
	int64_t start;	 /* of the first sample, since the profile's time */
};

static int order_samples(struct columns *c, struct timing *t)
{
	const struct profile *p = c->profile;
	uint32_t count = p->sample_count;
	struct sort_item *items;

	t->order = ARENA_ARRAY(c->arena, uint32_t, (size_t)count + 1);
	if (!t->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		t->order[i] = i;
	if (!p->time)
		return 0;
	items = ARENA_ARRAY(c->arena, struct sort_item, 2 * (size_t)count + 1);
	if (!items)
		return -ENOMEM;
	/* Shifted, so that times before the start are in order too. */
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){
			.key = (uint64_t)p->time[i] ^ (uint64_t)1 << 63,
			.id = i,
		};
	sort_items(items, items + count, count);
	for (uint32_t i = 0; i < count; i++)
		t->order[i] = items[i].id;
	return 0;
}

/* Microseconds, or more where all of it would not fit 32 bits of them. */
static int find_times(struct columns *c, struct timing *t)
{
	const struct profile *p = c->profile;
	uint32_t count = p->sample_count;
	uint64_t extent, last = 0;

	if (!p->time || !count)
		return 0;
	t->step = ARENA_ARRAY(c->arena, uint32_t, count);
	if (!t->step)
		return -ENOMEM;
	t->start = p->time[t->order[0]];
	extent = (uint64_t)p->time[t->order[count - 1]] - (uint64_t)t->start;
	t->tick = extent >> 32 > 1000 ? (extent >> 32) + 1 : 1000;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = ((uint64_t)p->time[t->order[i]] -
			       (uint64_t)t->start) /
			      t->tick;

		t->step[i] = (uint32_t)(at - last);
		last = at;
	}
	pagefile_add(&c->file, "sampleStep", t->step, count);
	json_key(&c->json, "tick");
	json_uint(&c->json, t->tick);
	json_key(&c->json, "start");
	json_int(&c->json, t->start);
	return 0;
}

/* Whether type is always so many times the first one; that many. */
static bool is_multiple(const struct profile *p, uint32_t type, int64_t *ret)
{
	int64_t factor = 0;

	for (uint32_t i = 0; i < p->sample_count; i++) {
		const int64_t *v = profile_values(p, i);
		int64_t product;

		if (!factor && v[0])
			factor = v[type] / v[0];
		if (__builtin_mul_overflow(factor, v[0], &product) ||
		    product != v[type])
			return false;
	}
	*ret = factor;
	return true;
}

static const char *value_column(struct columns *c, uint32_t type)
{
	char *name = arena_alloc(c->arena, 24);

	if (name)
		fmt_text(name, 24, "value%u", type);
	return name ? name : "value";
}

static int add_wide_values(struct columns *c, const struct timing *t,
			   uint32_t type)
{
	const struct profile *p = c->profile;
	double *at = ARENA_ARRAY(c->arena, double, (size_t)p->sample_count + 1);

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++)
		at[i] = (double)profile_values(p, t->order[i])[type];
	pagefile_add_real(&c->file, value_column(c, type), at, p->sample_count);
	return 0;
}

static int add_values(struct columns *c, const struct timing *t, uint32_t type)
{
	const struct profile *p = c->profile;
	uint32_t *at = ARENA_ARRAY(c->arena, uint32_t,
				   (size_t)p->sample_count + 1);

	if (!at)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->sample_count; i++) {
		int64_t v = profile_values(p, t->order[i])[type];

		if (v < 0 || v > UINT32_MAX)
			return add_wide_values(c, t, type);
		at[i] = (uint32_t)v;
	}
	pagefile_add(&c->file, value_column(c, type), at, p->sample_count);
	return 0;
}

static int add_types(struct columns *c, const struct timing *t)
{
	const struct profile *p = c->profile;
	int r = 0;

	json_key(&c->json, "types");
	json_open(&c->json, '[');
	for (uint32_t i = 0; i < p->types.count && r == 0; i++) {
		int64_t factor;

		json_open(&c->json, '{');
		columns_put_text(c, "type",
				 str_span(p->strings, p->types.at[i].type));
		columns_put_text(c, "unit",
				 str_span(p->strings, p->types.at[i].unit));
		if (i && is_multiple(p, i, &factor)) {
			json_key(&c->json, "factor");
			json_int(&c->json, factor);
		} else {
			r = add_values(c, t, i);
		}
		json_close(&c->json, '}');
	}
	json_close(&c->json, ']');
	return r;
}

int columns_add_samples(struct columns *c)
{
	const struct profile *p = c->profile;
	uint32_t count = p->sample_count;
	uint32_t *stack = ARENA_ARRAY(c->arena, uint32_t, (size_t)count + 1);
	uint32_t *set = ARENA_ARRAY(c->arena, uint32_t, (size_t)count + 1);
	struct timing t = { 0 };
	int r = order_samples(c, &t);

	if (!stack || !set || r < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		stack[i] = c->row[p->stack[t.order[i]]];
		set[i] = p->labels[t.order[i]];
	}
	pagefile_add(&c->file, "sampleStack", stack, count);
	pagefile_add(&c->file, "sampleSet", set, count);
	r = find_times(c, &t);
	return r < 0 ? r : add_types(c, &t);
}
