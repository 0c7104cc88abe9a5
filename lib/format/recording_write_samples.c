/* SPDX-License-Identifier: MIT */
/*
 * The samples of a recording, with the stacks and label sets that they name,
 * which are numbered and written when the first sample needs them.
 */
#include "format/recording_write.h"

#include <errno.h>

#include "base/arena.h"

enum { RUN_MAX = 1 << 14 }; /* frames in a row of the stacks */

/* Writes the label sets that have been given numbers since the last time. */
static int write_labels(const struct recording_writer *w)
{
	struct recording_state *s = w->s;
	uint32_t sets = s->set_length.count;

	if (!sets)
		return 0;
	writer_begin_block(w, s->label_sets - sets + 1, sets);
	writer_put_column(w, LABEL_COUNT, ENCODING_UNSIGNED, s->set_length.at,
			  sets);
	writer_put_rows(w, &(struct rows_out){ .layout = &label_layout,
					       .at = s->labels.at,
					       .count = s->labels.count });
	s->set_length.count = 0;
	s->labels.count = 0;
	return writer_finish_block(w, BLOCK_LABELS);
}

/* Gives the set a number, if it has none yet. */
static int number_labels(const struct recording_writer *w, labels_id id)
{
	struct recording_state *s = w->s;
	const struct label *labels;
	uint32_t *length;
	uint32_t count;

	if (!id || s->labels_row.at[id])
		return 0;
	labels = labels_get(&w->p->label_sets, id, &count);
	length = VEC_PUSH(&s->set_length, w->arena);
	if (!length || !VEC_RESERVE(&s->labels, w->arena, count))
		return -ENOMEM;
	*length = count;
	for (uint32_t i = 0; i < count; i++)
		s->labels.at[s->labels.count++] = labels[i];
	s->labels_row.at[id] = ++s->label_sets;
	if (s->labels.count + s->set_length.count < ROWS_PER_BLOCK)
		return 0;
	return write_labels(w);
}

static int write_stacks(const struct recording_writer *w)
{
	struct recording_state *s = w->s;
	uint32_t count = s->run_length.count;

	if (!count)
		return 0;
	writer_begin_block(w, s->stacks - count + 1, count);
	writer_put_column(w, STACK_LENGTH, ENCODING_UNSIGNED, s->run_length.at,
			  count);
	writer_put_column(w, STACK_PARENT, ENCODING_DELTA, s->run_parent.at,
			  count);
	writer_put_column(w, STACK_FRAMES, ENCODING_DELTA, s->frames.at,
			  s->frames.count);
	s->run_length.count = 0;
	s->run_parent.count = 0;
	s->frames.count = 0;
	return writer_finish_block(w, BLOCK_STACKS);
}

/* Adds a row of the stacks: a run of frames that continues the row parent. */
static int add_run(const struct recording_writer *w, uint32_t parent,
		   const frame_id *frames, uint32_t length)
{
	struct recording_state *s = w->s;
	uint32_t *row_parent = VEC_PUSH(&s->run_parent, w->arena);
	uint32_t *row_length = VEC_PUSH(&s->run_length, w->arena);

	if (!row_parent || !row_length ||
	    !VEC_RESERVE(&s->frames, w->arena, length))
		return -ENOMEM;
	*row_parent = parent;
	*row_length = length;
	for (uint32_t i = 0; i < length; i++)
		s->frames.at[s->frames.count++] = frames[i];
	s->stacks++;
	if (s->frames.count + s->run_length.count < FRAMES_PER_BLOCK)
		return 0;
	return write_stacks(w);
}

/* Adds a node of the tree, whose parent is in the file, as one row or more. */
static int add_node(const struct recording_writer *w, stack_id id)
{
	const struct stacktab *t = &w->p->stacks;
	const struct stack_node *n = &t->nodes.at[id];
	struct recording_state *s = w->s;
	uint32_t parent = s->stack_row.at[n->parent];
	int r = 0;

	for (uint32_t i = 0; i < n->length && r == 0; i += RUN_MAX) {
		uint32_t left = n->length - i;

		r = add_run(w, parent, &t->frames.at[n->first + i],
			    left < RUN_MAX ? left : RUN_MAX);
		parent = s->stacks;
	}
	s->stack_row.at[id] = parent;
	return r;
}

/*
 * Gives the stack, and those it continues, numbers.  The tree's own ids do not
 * go down from parent to child: a node that was split has a parent younger than
 * itself.  A row that is in the file stays right even so, since its stack is
 * still the same one.
 */
static int number_stack(const struct recording_writer *w, stack_id id)
{
	struct recording_state *s = w->s;
	int r = 0;

	s->path.count = 0;
	while (id && !s->stack_row.at[id]) {
		stack_id *step = VEC_PUSH(&s->path, w->arena);

		if (!step)
			return -ENOMEM;
		*step = id;
		id = w->p->stacks.nodes.at[id].parent;
	}
	while (s->path.count && r == 0)
		r = add_node(w, s->path.at[--s->path.count]);
	return r;
}

/* Puts down what the samples from first on refer to. */
static int write_references(const struct recording_writer *w, uint32_t first,
			    uint32_t count)
{
	const struct profile *p = w->p;
	int r = 0;

	for (uint32_t i = first; i < first + count && r == 0; i++) {
		r = number_stack(w, p->stack[i]);
		if (r == 0)
			r = number_labels(w, p->labels[i]);
	}
	if (r == 0)
		r = write_stacks(w);
	if (r == 0)
		r = write_labels(w);
	return r;
}

static void put_sample_rows(const struct recording_writer *w, unsigned number,
			    const uint32_t *ids, const uint32_t *rows,
			    uint32_t count)
{
	struct payload *b = &w->s->payload;
	struct column_out c = column_begin(b, number, ENCODING_DELTA, count);

	for (uint32_t i = 0; i < count; i++)
		column_put(&c, rows[ids[i]]);
	column_end(b, &c);
}

static bool any_labels(const struct profile *p, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < first + count; i++)
		if (p->labels[i])
			return true;
	return false;
}

static void put_times(const struct recording_writer *w, uint32_t first,
		      uint32_t count)
{
	struct payload *b = &w->s->payload;
	struct column_out c;

	if (!w->p->time)
		return;
	c = column_begin(b, SAMPLE_TIME, ENCODING_DELTA, count);
	for (uint32_t i = first; i < first + count; i++)
		column_put(&c, (uint64_t)w->p->time[i]);
	column_end(b, &c);
}

static int write_samples(const struct recording_writer *w, uint32_t first,
			 uint32_t count)
{
	const struct profile *p = w->p;
	struct recording_state *s = w->s;

	writer_begin_block(w, s->samples, count);
	put_sample_rows(w, SAMPLE_STACK, p->stack + first, s->stack_row.at,
			count);
	if (any_labels(p, first, count))
		put_sample_rows(w, SAMPLE_LABELS, p->labels + first,
				s->labels_row.at, count);
	put_times(w, first, count);
	for (uint32_t t = 0; t < p->types.count; t++) {
		struct column_out c = column_begin(
			&s->payload, SAMPLE_VALUES + t, ENCODING_SIGNED, count);

		for (uint32_t i = first; i < first + count; i++)
			column_put(&c, (uint64_t)profile_values(p, i)[t]);
		column_end(&s->payload, &c);
	}
	s->samples += count;
	return writer_finish_block(w, BLOCK_SAMPLES);
}

int writer_write_samples(const struct recording_writer *w, uint32_t *next)
{
	const uint32_t most = VALUES_PER_BLOCK / (w->p->types.count + 1) + 1;
	int r = 0;

	while (*next < w->p->sample_count && r == 0) {
		uint32_t left = w->p->sample_count - *next;
		uint32_t count = left < most ? left : most;

		r = write_references(w, *next, count);
		if (r == 0)
			r = write_samples(w, *next, count);
		*next += count;
	}
	return r;
}
