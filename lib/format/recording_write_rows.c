/* SPDX-License-Identifier: MIT */
/*
 * See recording_write.h.  Strings are written when a block first names them:
 * what nobody uses is left out, and what is used together lies together.
 */
#include "format/recording_write.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/sink.h"

uint32_t writer_string_row(const struct recording_writer *w, str_id id)
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

static int write_block(const struct recording_writer *w, enum block_type type,
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
static uint32_t strings_in_block(const struct recording_writer *w,
				 uint32_t from, uint64_t *ret_bytes)
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

static void put_strings(const struct recording_writer *w, uint32_t from,
			uint32_t to, uint64_t bytes)
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

static int write_strings(const struct recording_writer *w)
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

int writer_finish_block(const struct recording_writer *w, enum block_type type)
{
	int r = write_strings(w);

	return r < 0 ? r : write_block(w, type, &w->s->payload);
}

void writer_begin_block(const struct recording_writer *w, uint64_t first,
			uint64_t count)
{
	payload_begin(&w->s->payload, first, count);
}

static uint64_t field_value(const struct recording_writer *w,
			    const struct rows_out *rows, const struct field *f,
			    uint32_t i)
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
	return f->ref == BLOCK_STRINGS ? writer_string_row(w, value) : value;
}

static bool field_is_needed(const struct recording_writer *w,
			    const struct rows_out *rows, const struct field *f)
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

void writer_put_rows(const struct recording_writer *w,
		     const struct rows_out *rows)
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

void writer_put_column(const struct recording_writer *w, unsigned number,
		       enum encoding encoding, const uint32_t *values,
		       uint32_t count)
{
	struct payload *b = &w->s->payload;
	struct column_out c = column_begin(b, number, encoding, count);

	for (uint32_t i = 0; i < count; i++)
		column_put(&c, values[i]);
	column_end(b, &c);
}
