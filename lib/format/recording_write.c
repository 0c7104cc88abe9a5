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
#include "base/error.h"
#include "base/sink.h"
#include "base/xxh64.h"
#include "format/recording_write.h"

/* Writes rows that have nothing else in their blocks. */
static int write_rows(const struct recording_writer *w, enum block_type type,
		      struct rows_out rows)
{
	uint32_t left = rows.count;

	while (left) {
		int r;

		rows.count = left < ROWS_PER_BLOCK ? left : ROWS_PER_BLOCK;
		writer_begin_block(w, rows.number, rows.count);
		writer_put_rows(w, &rows);
		r = writer_finish_block(w, type);
		if (r < 0)
			return r;

		left -= rows.count;
		rows.number += rows.count;
		rows.at = (const char *)rows.at +
			  rows.count * rows.layout->row_size;
	}
	return 0;
}

static void put_comments(const struct recording_writer *w)
{
	const struct profile *p = w->p;
	struct column_out c;

	if (!p->comments.count)
		return;
	c = column_begin(&w->s->payload, HEADER_COMMENTS, ENCODING_UNSIGNED,
			 p->comments.count);
	for (uint32_t i = 0; i < p->comments.count; i++)
		column_put(&c, writer_string_row(w, p->comments.at[i]));
	column_end(&w->s->payload, &c);
}

/* Writes a block that replaces the one of its type, if it says else. */
static int finish_if_changed(const struct recording_writer *w,
			     enum block_type type, uint64_t *sum)
{
	const struct payload *b = &w->s->payload;
	uint64_t now = xxh64(span_of(b->at, b->used));

	if (now == *sum && !b->failed)
		return 0;
	*sum = now;
	return writer_finish_block(w, type);
}

static int write_header(const struct recording_writer *w)
{
	const struct profile *p = w->p;

	writer_begin_block(w, 0, p->types.count);
	writer_put_rows(w, &(struct rows_out){ .layout = &type_layout,
					       .at = p->types.at,
					       .count = p->types.count });
	writer_put_rows(w, &(struct rows_out){ .layout = &header_layout,
					       .at = &p->header,
					       .count = 1 });
	put_comments(w);
	return finish_if_changed(w, BLOCK_HEADER, &w->s->header_sum);
}

static int write_loss(const struct recording_writer *w)
{
	struct payload *b = &w->s->payload;
	const uint64_t *count = w->p->loss.count;
	uint32_t kinds = 0;
	struct column_out c;

	for (unsigned i = 0; i < LOSS_KINDS; i++)
		kinds += count[i] != 0;
	if (!kinds && !w->s->loss_sum)
		return 0;

	writer_begin_block(w, 0, kinds);
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

static int write_mappings(const struct recording_writer *w)
{
	uint32_t *next = &w->s->mappings;
	struct rows_out rows = { .layout = &mapping_layout,
				 .at = w->p->mappings.at + *next,
				 .number = *next,
				 .count = w->p->mappings.count - *next };

	*next = w->p->mappings.count;
	return write_rows(w, BLOCK_MAPPINGS, rows);
}

static int write_functions(const struct recording_writer *w)
{
	uint32_t *next = &w->s->functions;
	struct rows_out rows = { .layout = &function_layout,
				 .at = w->p->functions.at + *next,
				 .number = *next,
				 .count = w->p->functions.count - *next };

	*next = w->p->functions.count;
	return write_rows(w, BLOCK_FUNCTIONS, rows);
}

/* Copies the lines of a location to those of the block; false: no memory. */
static bool gather(const struct recording_writer *w, uint32_t location)
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
static uint32_t gather_lines(const struct recording_writer *w, uint32_t from)
{
	const struct recording_state *s = w->s;
	uint32_t to = from;

	w->s->lines.count = 0;
	while (to < w->p->locations.count &&
	       to - from + s->lines.count < ROWS_PER_BLOCK && gather(w, to))
		to++;
	return to;
}

static int write_locations(const struct recording_writer *w)
{
	struct recording_state *s = w->s;
	int r = 0;

	while (s->locations < w->p->locations.count && r == 0) {
		uint32_t from = s->locations;
		uint32_t to = gather_lines(w, from);

		writer_begin_block(w, from, to - from);
		writer_put_rows(
			w, &(struct rows_out){ .layout = &location_layout,
					       .at = w->p->locations.at + from,
					       .number = from,
					       .count = to - from });
		writer_put_rows(w,
				&(struct rows_out){ .layout = &line_layout,
						    .at = s->lines.at,
						    .count = s->lines.count });
		r = writer_finish_block(w, BLOCK_LOCATIONS);
		s->locations = to;
	}
	return r;
}

/* Notes that a location of the file has been given lines; false: no memory. */
static bool gather_named(const struct recording_writer *w, uint32_t location)
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

static int write_named(const struct recording_writer *w)
{
	struct recording_state *s = w->s;
	uint32_t count = s->named.count;

	if (!count)
		return 0;
	writer_begin_block(w, 0, count);
	writer_put_column(w, SYMBOL_LOCATION, ENCODING_DELTA, s->named.at,
			  count);
	writer_put_column(w, SYMBOL_COUNT, ENCODING_UNSIGNED, s->named_lines.at,
			  count);
	writer_put_rows(w, &(struct rows_out){ .layout = &line_layout,
					       .at = s->lines.at,
					       .count = s->lines.count });
	return writer_finish_block(w, BLOCK_SYMBOLS);
}

/* Writes the lines of locations that were in the file without them. */
static int write_symbols(const struct recording_writer *w, uint32_t before)
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

static int write_end(const struct recording_writer *w)
{
	struct payload *b = &w->s->payload;
	struct column_out c;

	writer_begin_block(w, 0, 0);
	c = column_begin(b, END_SAMPLES, ENCODING_UNSIGNED, 1);
	column_put(&c, w->s->samples);
	column_end(b, &c);
	return writer_finish_block(w, BLOCK_END);
}

static int write_everything(const struct recording_writer *w,
			    uint32_t *next_sample)
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
		r = writer_write_samples(w, next_sample);
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

static int begin_flush(const struct recording_writer *w)
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

static struct recording_writer writer_of(struct recording *r,
					 const struct profile *p)
{
	return (struct recording_writer){
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
	const struct recording_writer w = writer_of(r, p);
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
	const struct recording_writer w = writer_of(r, p);
	int code = recording_flush(r, p, err);

	if (code < 0)
		return code;
	code = write_end(&w);
	if (code == 0)
		code = sink_flush(r->out);
	return say(code, err);
}
