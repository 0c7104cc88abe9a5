/* SPDX-License-Identifier: MIT */
/*
 * The writer of recordings.  It appends what is new and never goes back, so
 * that whatever has reached the file stays readable.  Mappings, functions and
 * locations keep the row numbers they have in memory.  Strings, stacks and
 * label sets are written when something first needs them: what nobody uses is
 * left out, and what is used together lies together.
 *
 * It runs in the command and inside profiled programs: no malloc, no stdio.
 */
#include "format/recording.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "base/xxh64.h"
#include "format/recording_block.h"
#include "format/recording_column.h"
#include "format/recording_layout.h"
#include "profile/profile.h"

/* When a block is full: large enough to compress well, small enough to lose. */
enum {
	STRING_BYTES_PER_BLOCK = 1 << 20,
	ROWS_PER_BLOCK = 1 << 15, /* with what belongs to them: lines, … */
	FRAMES_PER_BLOCK = 1 << 17,
	VALUES_PER_BLOCK = 1 << 18,
	RUN_MAX = 1 << 14, /* frames in a row of the stacks */
};

typedef VEC(uint32_t) row_map; /* from an id in memory to a row, or 0 */

struct recording_state {
	struct packer packer;
	struct payload payload;
	struct payload strings_payload;
	uint32_t sequence;

	/* How much of the profile's tables is in the file. */
	uint32_t mappings;
	uint32_t functions;
	uint32_t locations;
	VEC(bool) has_lines; /* by location, of those in the file */
	uint64_t samples;
	uint64_t header_sum; /* of the header as it was last written */
	uint64_t loss_sum;

	/* What is in the file under numbers of its own. */
	row_map string_row;
	row_map stack_row;
	row_map labels_row;
	uint32_t strings; /* rows given out so far */
	uint32_t stacks;
	uint32_t label_sets;

	/* Rows that have a number, but are not in the file yet. */
	VEC(str_id) new_strings;
	VEC(uint32_t) set_length; /* of label sets */
	VEC(struct label) labels;
	VEC(uint32_t) run_length; /* of stacks */
	VEC(uint32_t) run_parent;
	VEC(frame_id) frames;

	/* Scratch. */
	VEC(struct line) lines;
	VEC(uint32_t) named; /* locations */
	VEC(uint32_t) named_lines;
	VEC(stack_id) path;
};

/* One call of recording_flush(). */
struct writer {
	struct recording_state *s;
	struct arena *arena;
	struct sink *out;
	const struct profile *p;
};

static uint32_t string_row(const struct writer *w, str_id id)
{
	struct recording_state *s = w->s;
	str_id *fresh;

	if (!id)
		return 0;
	ASSERT(id < s->string_row.count);
	if (s->string_row.at[id])
		return s->string_row.at[id];
	fresh = VEC_PUSH(&s->new_strings, w->arena);
	if (!fresh)
		return 0;
	*fresh = id;
	return s->string_row.at[id] = ++s->strings;
}

static int write_block(const struct writer *w, enum block_type type,
		       const struct payload *b)
{
	const bool optional = type == BLOCK_LOSS || type == BLOCK_END ||
			      type == BLOCK_SYMBOLS;
	const struct block_head head = {
		.type = (uint16_t)type,
		.version = BLOCK_VERSION,
		.flags = optional ? 0 : BLOCK_REQUIRED,
		.sequence = w->s->sequence++,
	};

	if (b->failed)
		return b->failed;
	if (w->arena->failed)
		return -ENOMEM;
	block_write(&w->s->packer, head, span_of(b->at, b->used), w->out);
	return w->out->error;
}

/* The new strings from from on that fill a block; returns where they end. */
static uint32_t strings_in_block(const struct writer *w, uint32_t from,
				 uint64_t *ret_bytes)
{
	const struct recording_state *s = w->s;
	uint32_t to = from;

	*ret_bytes = 0;
	while (to < s->new_strings.count &&
	       (to == from ||
		*ret_bytes + (to - from) < STRING_BYTES_PER_BLOCK))
		*ret_bytes += str_len(w->p->strings, s->new_strings.at[to++]);
	return to;
}

static void put_strings(const struct writer *w, uint32_t from, uint32_t to,
			uint64_t bytes)
{
	struct recording_state *s = w->s;
	struct payload *b = &s->strings_payload;
	uint32_t first = s->strings - s->new_strings.count + 1 + from;
	struct column_out c;

	payload_begin(b, first, to - from);
	c = column_begin(b, STRING_LENGTH, ENCODING_UNSIGNED, to - from);
	for (uint32_t i = from; i < to; i++)
		column_put(&c, str_len(w->p->strings, s->new_strings.at[i]));
	column_end(b, &c);
	c = column_begin(b, STRING_BYTES, ENCODING_BYTES, bytes);
	for (uint32_t i = from; i < to; i++)
		column_put_bytes(&c,
				 str_span(w->p->strings, s->new_strings.at[i]));
	column_end(b, &c);
}

static int write_strings(const struct writer *w)
{
	uint32_t from = 0;

	while (from < w->s->new_strings.count) {
		uint64_t bytes;
		uint32_t to = strings_in_block(w, from, &bytes);
		int r;

		put_strings(w, from, to, bytes);
		r = write_block(w, BLOCK_STRINGS, &w->s->strings_payload);
		if (r < 0)
			return r;
		from = to;
	}
	w->s->new_strings.count = 0;
	return 0;
}

/* Writes the block that was put together, after the strings it names. */
static int finish_block(const struct writer *w, enum block_type type)
{
	int r = write_strings(w);

	return r < 0 ? r : write_block(w, type, &w->s->payload);
}

static void begin_block(const struct writer *w, uint64_t first, uint64_t count)
{
	payload_begin(&w->s->payload, first, count);
}

/* Rows as they lie in memory; the first has this number in the file. */
struct rows {
	const struct row_layout *layout;
	const void *at;
	uint32_t number;
	uint32_t count;
};

static uint64_t field_value(const struct writer *w, const struct rows *rows,
			    const struct field *f, uint32_t i)
{
	const char *at = (const char *)rows->at + i * rows->layout->row_size +
			 f->offset;
	uint64_t wide;
	uint32_t value;

	if (f->size == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	if (f->size == sizeof(bool))
		return *(const bool *)at;
	memcpy(&value, at, sizeof(value));
	return f->ref == BLOCK_STRINGS ? string_row(w, value) : value;
}

static bool field_is_needed(const struct writer *w, const struct rows *rows,
			    const struct field *f)
{
	const bool numbered = f->rule == FIELD_OR_NUMBER;

	if (f->rule == FIELD_ALWAYS)
		return rows->count;
	for (uint32_t i = 0; i < rows->count; i++)
		if (field_value(w, rows, f, i) !=
		    (numbered ? rows->number + i : 0))
			return true;
	return false;
}

static void put_rows(const struct writer *w, const struct rows *rows)
{
	struct payload *b = &w->s->payload;

	for (size_t n = 0; n < rows->layout->field_count; n++) {
		const struct field *f = &rows->layout->fields[n];
		struct column_out c;

		if (!field_is_needed(w, rows, f))
			continue;
		c = column_begin(b, f->column, f->encoding, rows->count);
		for (uint32_t i = 0; i < rows->count; i++)
			column_put(&c, field_value(w, rows, f, i));
		column_end(b, &c);
	}
}

/* Writes rows that have nothing else in their blocks. */
static int write_rows(const struct writer *w, enum block_type type,
		      struct rows rows)
{
	uint32_t left = rows.count;

	while (left) {
		int r;

		rows.count = left < ROWS_PER_BLOCK ? left : ROWS_PER_BLOCK;
		begin_block(w, rows.number, rows.count);
		put_rows(w, &rows);
		r = finish_block(w, type);
		if (r < 0)
			return r;

		left -= rows.count;
		rows.number += rows.count;
		rows.at = (const char *)rows.at +
			  rows.count * rows.layout->row_size;
	}
	return 0;
}

static void put_comments(const struct writer *w)
{
	const struct profile *p = w->p;
	struct column_out c;

	if (!p->comments.count)
		return;
	c = column_begin(&w->s->payload, HEADER_COMMENTS, ENCODING_UNSIGNED,
			 p->comments.count);
	for (uint32_t i = 0; i < p->comments.count; i++)
		column_put(&c, string_row(w, p->comments.at[i]));
	column_end(&w->s->payload, &c);
}

/* Writes a block that replaces the one of its type, if it says else. */
static int finish_if_changed(const struct writer *w, enum block_type type,
			     uint64_t *sum)
{
	const struct payload *b = &w->s->payload;
	uint64_t now = xxh64(span_of(b->at, b->used));

	if (now == *sum && !b->failed)
		return 0;
	*sum = now;
	return finish_block(w, type);
}

static int write_header(const struct writer *w)
{
	const struct profile *p = w->p;

	begin_block(w, 0, p->types.count);
	put_rows(w, &(struct rows){ .layout = &type_layout,
				    .at = p->types.at,
				    .count = p->types.count });
	put_rows(w, &(struct rows){ .layout = &header_layout,
				    .at = &p->header,
				    .count = 1 });
	put_comments(w);
	return finish_if_changed(w, BLOCK_HEADER, &w->s->header_sum);
}

static int write_loss(const struct writer *w)
{
	struct payload *b = &w->s->payload;
	const uint64_t *count = w->p->loss.count;
	uint32_t kinds = 0;
	struct column_out c;

	for (unsigned i = 0; i < LOSS_KINDS; i++)
		kinds += count[i] != 0;
	if (!kinds && !w->s->loss_sum)
		return 0;

	begin_block(w, 0, kinds);
	c = column_begin(b, LOSS_KIND, ENCODING_UNSIGNED, kinds);
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		if (count[i])
			column_put(&c, i);
	column_end(b, &c);
	c = column_begin(b, LOSS_COUNT, ENCODING_UNSIGNED, kinds);
	for (unsigned i = 0; i < LOSS_KINDS; i++)
		if (count[i])
			column_put(&c, count[i]);
	column_end(b, &c);
	return finish_if_changed(w, BLOCK_LOSS, &w->s->loss_sum);
}

static int write_mappings(const struct writer *w)
{
	uint32_t *next = &w->s->mappings;
	struct rows rows = { .layout = &mapping_layout,
			     .at = w->p->mappings.at + *next,
			     .number = *next,
			     .count = w->p->mappings.count - *next };

	*next = w->p->mappings.count;
	return write_rows(w, BLOCK_MAPPINGS, rows);
}

static int write_functions(const struct writer *w)
{
	uint32_t *next = &w->s->functions;
	struct rows rows = { .layout = &function_layout,
			     .at = w->p->functions.at + *next,
			     .number = *next,
			     .count = w->p->functions.count - *next };

	*next = w->p->functions.count;
	return write_rows(w, BLOCK_FUNCTIONS, rows);
}

/* Copies the lines of a location to those of the block; false: no memory. */
static bool gather(const struct writer *w, uint32_t location)
{
	const struct location *l = &w->p->locations.at[location];
	struct recording_state *s = w->s;

	if (!VEC_RESERVE(&s->lines, w->arena, l->line_count))
		return false;
	for (uint32_t i = 0; i < l->line_count; i++)
		s->lines.at[s->lines.count++] = location_lines(w->p, l)[i];
	s->has_lines.at[location] = l->line_count;
	return true;
}

/* Copies the lines of locations that fill a block; returns where those end. */
static uint32_t gather_lines(const struct writer *w, uint32_t from)
{
	const struct recording_state *s = w->s;
	uint32_t to = from;

	w->s->lines.count = 0;
	while (to < w->p->locations.count &&
	       to - from + s->lines.count < ROWS_PER_BLOCK && gather(w, to))
		to++;
	return to;
}

static int write_locations(const struct writer *w)
{
	struct recording_state *s = w->s;
	int r = 0;

	while (s->locations < w->p->locations.count && r == 0) {
		uint32_t from = s->locations;
		uint32_t to = gather_lines(w, from);

		begin_block(w, from, to - from);
		put_rows(w, &(struct rows){ .layout = &location_layout,
					    .at = w->p->locations.at + from,
					    .number = from,
					    .count = to - from });
		put_rows(w, &(struct rows){ .layout = &line_layout,
					    .at = s->lines.at,
					    .count = s->lines.count });
		r = finish_block(w, BLOCK_LOCATIONS);
		s->locations = to;
	}
	return r;
}

static void put_column(const struct writer *w, unsigned number,
		       enum encoding encoding, const uint32_t *values,
		       uint32_t count)
{
	struct payload *b = &w->s->payload;
	struct column_out c = column_begin(b, number, encoding, count);

	for (uint32_t i = 0; i < count; i++)
		column_put(&c, values[i]);
	column_end(b, &c);
}

/* Notes that a location of the file has been given lines; false: no memory. */
static bool gather_named(const struct writer *w, uint32_t location)
{
	struct recording_state *s = w->s;
	uint32_t *named = VEC_PUSH(&s->named, w->arena);
	uint32_t *count = VEC_PUSH(&s->named_lines, w->arena);

	if (!named || !count)
		return false;
	*named = location;
	*count = w->p->locations.at[location].line_count;
	return gather(w, location);
}

static int write_named(const struct writer *w)
{
	struct recording_state *s = w->s;
	uint32_t count = s->named.count;

	if (!count)
		return 0;
	begin_block(w, 0, count);
	put_column(w, SYMBOL_LOCATION, ENCODING_DELTA, s->named.at, count);
	put_column(w, SYMBOL_COUNT, ENCODING_UNSIGNED, s->named_lines.at,
		   count);
	put_rows(w, &(struct rows){ .layout = &line_layout,
				    .at = s->lines.at,
				    .count = s->lines.count });
	return finish_block(w, BLOCK_SYMBOLS);
}

/* Writes the lines of locations that were in the file without them. */
static int write_symbols(const struct writer *w, uint32_t before)
{
	struct recording_state *s = w->s;
	uint32_t at = 1;
	int r = 0;

	while (at < before && r == 0) {
		s->named.count = s->named_lines.count = s->lines.count = 0;
		for (; at < before &&
		       s->named.count + s->lines.count < ROWS_PER_BLOCK;
		     at++)
			if (w->p->locations.at[at].line_count &&
			    !s->has_lines.at[at] && !gather_named(w, at))
				return -ENOMEM;
		r = write_named(w);
	}
	return r;
}

/* Writes the label sets that have been given numbers since the last time. */
static int write_labels(const struct writer *w)
{
	struct recording_state *s = w->s;
	uint32_t sets = s->set_length.count;

	if (!sets)
		return 0;
	begin_block(w, s->label_sets - sets + 1, sets);
	put_column(w, LABEL_COUNT, ENCODING_UNSIGNED, s->set_length.at, sets);
	put_rows(w, &(struct rows){ .layout = &label_layout,
				    .at = s->labels.at,
				    .count = s->labels.count });
	s->set_length.count = 0;
	s->labels.count = 0;
	return finish_block(w, BLOCK_LABELS);
}

/* Gives the set a number, if it has none yet. */
static int number_labels(const struct writer *w, labels_id id)
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

static int write_stacks(const struct writer *w)
{
	struct recording_state *s = w->s;
	uint32_t count = s->run_length.count;

	if (!count)
		return 0;
	begin_block(w, s->stacks - count + 1, count);
	put_column(w, STACK_LENGTH, ENCODING_UNSIGNED, s->run_length.at, count);
	put_column(w, STACK_PARENT, ENCODING_DELTA, s->run_parent.at, count);
	put_column(w, STACK_FRAMES, ENCODING_DELTA, s->frames.at,
		   s->frames.count);
	s->run_length.count = 0;
	s->run_parent.count = 0;
	s->frames.count = 0;
	return finish_block(w, BLOCK_STACKS);
}

/* Adds a row of the stacks: a run of frames that continues the row parent. */
static int add_run(const struct writer *w, uint32_t parent,
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
static int add_node(const struct writer *w, stack_id id)
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
static int number_stack(const struct writer *w, stack_id id)
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
static int write_references(const struct writer *w, uint32_t first,
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

static void put_sample_rows(const struct writer *w, unsigned number,
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

static void put_times(const struct writer *w, uint32_t first, uint32_t count)
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

static int write_samples(const struct writer *w, uint32_t first, uint32_t count)
{
	const struct profile *p = w->p;
	struct recording_state *s = w->s;

	begin_block(w, s->samples, count);
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
	return finish_block(w, BLOCK_SAMPLES);
}

static int write_all_samples(const struct writer *w, uint32_t *next)
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

static int write_end(const struct writer *w)
{
	struct payload *b = &w->s->payload;
	struct column_out c;

	begin_block(w, 0, 0);
	c = column_begin(b, END_SAMPLES, ENCODING_UNSIGNED, 1);
	column_put(&c, w->s->samples);
	column_end(b, &c);
	return finish_block(w, BLOCK_END);
}

static int write_everything(const struct writer *w, uint32_t *next_sample)
{
	uint32_t before = w->s->locations;
	int r = write_header(w);

	if (r == 0)
		r = write_mappings(w);
	if (r == 0)
		r = write_functions(w);
	if (r == 0)
		r = write_locations(w);
	if (r == 0)
		r = write_symbols(w, before);
	if (r == 0)
		r = write_all_samples(w, next_sample);
	if (r == 0)
		r = write_loss(w);
	return r;
}

/* Lengthens a map to count ids, the new ones without a row. */
static bool extend(row_map *map, struct arena *arena, uint32_t count)
{
	if (count > map->count && !VEC_RESERVE(map, arena, count - map->count))
		return false;
	map->count = count;
	return true;
}

static int begin_flush(const struct writer *w)
{
	struct recording_state *s = w->s;
	const struct profile *p = w->p;

	if (!extend(&s->string_row, w->arena, p->strings->strings.count) ||
	    !extend(&s->stack_row, w->arena, p->stacks.nodes.count) ||
	    !extend(&s->labels_row, w->arena, p->label_sets.sets.count) ||
	    !VEC_RESERVE(&s->has_lines, w->arena,
			 p->locations.count - s->has_lines.count))
		return -ENOMEM;
	s->has_lines.count = p->locations.count;
	return 0;
}

static int say(int code, struct error *err)
{
	if (code == -ENOMEM)
		return error_set(err, code, "out of memory");
	if (code == -E2BIG)
		return error_set(err, code,
				 "a row of the profile is too large for a "
				 "recording");
	if (code < 0)
		return error_set_errno(err, code, "cannot write the recording");
	return 0;
}

static struct writer writer_of(struct recording *r, const struct profile *p)
{
	return (struct writer){
		.s = r->state, .arena = r->arena, .out = r->out, .p = p
	};
}

int recording_begin(struct recording *r, struct error *err)
{
	struct recording_state *s = ARENA_NEW(r->arena, struct recording_state);

	if (!s)
		return say(-ENOMEM, err);
	*s = (struct recording_state){
		.payload = { .arena = r->arena },
		.strings_payload = { .arena = r->arena },
		.mappings = 1, /* the rows 0 are in every profile */
		.functions = 1,
		.locations = 1,
	};
	if (packer_init(&s->packer, r->arena, r->level) < 0)
		return say(-ENOMEM, err);
	r->state = s;
	recording_head_put(r->out);
	return say(r->out->error, err);
}

int recording_flush(struct recording *r, const struct profile *p,
		    struct error *err)
{
	const struct writer w = writer_of(r, p);
	int code = begin_flush(&w);

	if (code == 0)
		code = write_everything(&w, &r->next_sample);
	if (code == 0)
		code = sink_flush(r->out);
	return say(code, err);
}

int recording_end(struct recording *r, const struct profile *p,
		  struct error *err)
{
	const struct writer w = writer_of(r, p);
	int code = recording_flush(r, p, err);

	if (code < 0)
		return code;
	code = write_end(&w);
	if (code == 0)
		code = sink_flush(r->out);
	return say(code, err);
}
