/* SPDX-License-Identifier: MIT */
/*
 * The tables that samples are made of: stacks, label sets, and the samples
 * themselves.  A row can only refer to rows before it, so the stacks cannot
 * form a circle.
 */
#include "format/recording_read.h"

/* Takes length frames of a stack into room. */
static int take_frames(struct recording_reader *rd, struct column_in *c,
		       frame_id *room, uint64_t length)
{
	for (uint64_t i = 0; i < length; i++) {
		if (!recording_resolve(rd, BLOCK_LOCATIONS, column_get(c),
				       &room[i]) ||
		    !room[i])
			return recording_malformed(
				rd, "a frame that leads nowhere");
	}
	return 0;
}

struct stack_columns {
	struct column_in length;
	struct column_in parent;
	struct column_in frames;
	frame_id *room; /* for all frames of the block */
};

static int read_stack(struct recording_reader *rd, struct stack_columns *c,
		      uint64_t row)
{
	struct stacktab *stacks = &rd->p->stacks;
	uint64_t length = column_get(&c->length);
	uint64_t parent = c->parent.there ? column_get(&c->parent) : 0;
	stack_id caller;
	int r;

	if (parent >= row ||
	    !recording_resolve(rd, BLOCK_STACKS, parent, &caller))
		return recording_malformed(rd, "a stack that leads nowhere");
	if (length > reader_left(&c->frames.bytes))
		return recording_malformed(rd,
					   "it has fewer frames than it says");
	r = take_frames(rd, &c->frames, c->room, length);
	if (r < 0)
		return r;
	return recording_add_row(
		rd, stack_add(stacks, caller, c->room, (uint32_t)length));
}

int recording_read_stacks(struct recording_reader *rd, struct table_in *t)
{
	struct stack_columns c;
	size_t size;
	int r = recording_need_column(rd, t, STACK_LENGTH, t->count, &c.length);

	if (r == 0)
		r = recording_take_column(rd, t, STACK_PARENT, t->count,
					  &c.parent);
	if (r == 0)
		r = recording_take_column(rd, t, STACK_FRAMES, 0, &c.frames);
	if (r < 0)
		return r;
	size = (reader_left(&c.frames.bytes) + 1) * sizeof(*c.room);
	c.room = arena_alloc(&rd->scratch, size);
	if (!c.room)
		return recording_no_memory(rd);

	for (uint64_t i = 0; i < t->count && r == 0; i++)
		r = read_stack(rd, &c, t->first + i);
	arena_free(&rd->scratch, c.room, size);
	if (r == 0)
		r = recording_column_done(rd, &c.length);
	if (r == 0)
		r = recording_column_done(rd, &c.parent);
	return r < 0 ? r : recording_column_done(rd, &c.frames);
}

int recording_read_labels(struct recording_reader *rd, struct table_in *t)
{
	struct rows_in rows = { .layout = &label_layout };
	struct column_in length;
	struct label *labels;
	int r = recording_need_column(rd, t, LABEL_COUNT, t->count, &length);

	if (r < 0)
		return r;
	rows.count = recording_sum_column(length, t->count);
	if (rows.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer labels than it says");
	labels = ARENA_ARRAY(&rd->scratch, struct label, rows.count + 1);
	if (!labels)
		return recording_no_memory(rd);

	rows.at = labels;
	r = recording_read_rows(rd, t, rows);
	for (uint64_t i = 0; i < t->count && r == 0; i++) {
		uint32_t count = (uint32_t)column_get(&length);

		r = recording_add_row(
			rd, labels_add(&rd->p->label_sets, rows.at, count));
		rows.at = (struct label *)rows.at + count;
	}
	arena_free(&rd->scratch, labels, (rows.count + 1) * sizeof(*labels));
	return r < 0 ? r : recording_column_done(rd, &length);
}

/* Reads a column of references from the samples, which are all 0 now. */
static int read_sample_ids(struct recording_reader *rd, struct column_in *c,
			   unsigned table, uint32_t *ids, uint64_t count)
{
	if (!c->there)
		return 0;
	for (uint64_t i = 0; i < count; i++)
		if (!recording_resolve(rd, table, column_get(c), &ids[i]))
			return recording_malformed(
				rd, "a sample that leads nowhere");
	return recording_column_done(rd, c);
}

static int read_times(struct recording_reader *rd, struct table_in *t,
		      uint32_t first)
{
	struct profile *p = rd->p;
	struct column_in c;
	int r = recording_take_column(rd, t, SAMPLE_TIME, t->count, &c);

	if (r < 0 || !c.there)
		return r;
	if (profile_keep_times(p) < 0)
		return recording_no_memory(rd);
	for (uint64_t i = 0; i < t->count; i++)
		p->time[first + i] = (int64_t)column_get(&c);
	return recording_column_done(rd, &c);
}

static int read_values(struct recording_reader *rd, struct table_in *t,
		       uint32_t first)
{
	struct profile *p = rd->p;

	for (uint32_t type = 0; type < p->types.count; type++) {
		int64_t *value = profile_values(p, first) + type;
		struct column_in c;
		int r = recording_need_column(rd, t, SAMPLE_VALUES + type,
					      t->count, &c);

		if (r < 0)
			return r;
		for (uint64_t i = 0; i < t->count; i++)
			value[i * p->types.count] = (int64_t)column_get(&c);
		r = recording_column_done(rd, &c);
		if (r < 0)
			return r;
	}
	if (t->next.there && t->next.number >= SAMPLE_VALUES)
		return recording_malformed(rd, "it has values of no type");
	return 0;
}

/* If the header is lost, the samples still say how many values they have. */
static int guess_types(struct recording_reader *rd, struct table_in t)
{
	struct profile *p = rd->p;
	uint32_t count = 0;
	int r;

	if (rd->has_header || p->sample_count || !rd->found.count[LOSS_BLOCKS])
		return 0;
	while (table_column(&t, SAMPLE_VALUES + count).there)
		count++;
	r = recording_make_types(rd, count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		p->types.at[i].type = strtab_add_text(p->strings,
						      RECORDING_LOST);
	return r;
}

static int begin_samples(struct recording_reader *rd, const struct table_in *t)
{
	if (t->first < rd->next_sample)
		return recording_malformed(rd, "its samples are there already");
	if (t->first > rd->next_sample && !rd->found.count[LOSS_BLOCKS])
		return recording_malformed(rd, "samples before it are missing");
	rd->found.count[LOSS_SAMPLES] += t->first - rd->next_sample;
	rd->next_sample = t->first + t->count;
	return 0;
}

int recording_read_samples(struct recording_reader *rd, struct table_in *t)
{
	struct profile *p = rd->p;
	uint32_t first = p->sample_count;
	struct column_in c;
	int r = begin_samples(rd, t);

	if (r < 0 || !t->count)
		return r;
	r = guess_types(rd, *t);
	if (r == 0)
		r = recording_need_column(rd, t, SAMPLE_STACK, t->count, &c);
	if (r < 0)
		return r;
	if (t->count * p->types.count > rd->block.raw)
		return recording_malformed(rd,
					   "it has fewer values than it says");
	if (profile_reserve_samples(p, t->count) < 0)
		return recording_no_memory(rd);

	p->sample_count += (uint32_t)t->count;
	r = read_sample_ids(rd, &c, BLOCK_STACKS, p->stack + first, t->count);
	if (r == 0)
		r = recording_take_column(rd, t, SAMPLE_LABELS, t->count, &c);
	if (r == 0)
		r = read_sample_ids(rd, &c, BLOCK_LABELS, p->labels + first,
				    t->count);
	if (r == 0)
		r = read_times(rd, t, first);
	return r < 0 ? r : read_values(rd, t, first);
}
