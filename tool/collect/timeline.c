/* SPDX-License-Identifier: MIT */
/* See timeline.h. */
#include "collect/timeline.h"

#include "base/sort.h"
#include "collect/batch.h"
#include "collect/record.h"

/* Notes where each record of a batch is. */
static void add_records(struct timeline *t, struct batch *b)
{
	struct span rest = span_of(b->bytes, b->used);

	while (rest.len >= RECORD_HEAD) {
		struct timeline_entry *e;
		uint16_t size;

		memcpy(&size, rest.at + 6, sizeof(size));
		if (size < RECORD_HEAD || size > rest.len)
			break;
		e = VEC_PUSH(&t->entries, &t->arena);
		if (!e)
			break;
		*e = (struct timeline_entry){ .time = record_time(rest),
					      .at = rest.at,
					      .batch = b };
		b->left++;
		rest = span_part(rest, size, rest.len - size);
	}
	if (!b->left)
		batch_free(t->batches, b);
}

static bool make_order(struct timeline *t)
{
	uint32_t count = t->entries.count;

	if (count > t->order_size) {
		t->order = ARENA_ARRAY(&t->arena, struct sort_item,
				       4 * (size_t)count);
		t->order_size = t->order ? 2 * count : 0;
	}
	if (!t->order)
		return false;
	for (uint32_t i = 0; i < count; i++)
		t->order[i] = (struct sort_item){ .key = t->entries.at[i].time,
						  .id = i };
	sort_items(t->order, t->order + t->order_size, count);
	return true;
}

static void use_entry(struct timeline *t, const struct timeline_entry *e,
		      timeline_use *use, void *context)
{
	struct batch *b = e->batch;
	struct record r;
	size_t size;

	if (record_parse(span_of(e->at, b->used - (size_t)(e->at - b->bytes)),
			 &r, &size))
		use(context, &r);
	if (!--b->left)
		batch_free(t->batches, b);
}

/* Uses what is older than until, and keeps the rest. */
static void use_until(struct timeline *t, uint64_t until, timeline_use *use,
		      void *context)
{
	uint32_t count = t->entries.count;
	struct timeline_entry *entries = t->entries.at;

	if (!make_order(t) || !VEC_RESERVE(&t->kept, &t->arena, count))
		return;
	t->kept.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct timeline_entry *e = &entries[t->order[i].id];

		if (e->time < until)
			use_entry(t, e, use, context);
		else
			t->kept.at[t->kept.count++] = *e;
	}
	memcpy(entries, t->kept.at, t->kept.count * sizeof(*entries));
	t->entries.count = t->kept.count;
}

void timeline_add(struct timeline *t, struct batch *b, timeline_use *use,
		  void *context)
{
	uint64_t until = b->complete;

	add_records(t, b);
	if (until && t->entries.count)
		use_until(t, until, use, context);
}

void timeline_finish(struct timeline *t, timeline_use *use, void *context)
{
	if (t->entries.count)
		use_until(t, UINT64_MAX, use, context);
}

void timeline_release(struct timeline *t)
{
	for (uint32_t i = 0; i < t->entries.count; i++)
		if (!--t->entries.at[i].batch->left)
			batch_free(t->batches, t->entries.at[i].batch);
	arena_release(&t->arena);
}
