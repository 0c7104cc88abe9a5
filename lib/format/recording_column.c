/* SPDX-License-Identifier: MIT */
/*
 * Columns to bytes and back: see recording_column.h.  It knows nothing of what
 * the columns mean.
 */
#include "format/recording_column.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "format/recording_layout.h"

enum {
	VARINT_MAX = 10,
	LENGTH_BYTES = 4,
	REQUIRED_BIT = 1,
	ENCODING_SHIFT = 1,
	ENCODING_MASK = 7,
	NUMBER_SHIFT = 4,
};

/* Returns where extra more bytes go, or NULL. */
static uint8_t *payload_room(struct payload *b, uint64_t extra)
{
	size_t size = b->size ? b->size : 64 * 1024;
	uint8_t *grown;

	if (b->failed)
		return NULL;
	while (size - b->used < extra)
		size *= 2;
	grown = arena_resize(b->arena, b->at, b->size, size);
	if (!grown) {
		b->failed = -ENOMEM;
		return NULL;
	}
	b->at = grown;
	b->size = size;
	return b->at + b->used;
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

void payload_begin(struct payload *b, uint64_t first, uint64_t count)
{
	uint8_t *at;

	b->used = 0;
	b->failed = 0;
	at = payload_room(b, 2 * VARINT_MAX);
	if (!at)
		return;
	at = put_varint(at, first);
	at = put_varint(at, count);
	b->used = (size_t)(at - b->at);
}

struct column_out column_begin(struct payload *b, unsigned number,
			       enum encoding encoding, uint64_t count)
{
	struct column_out c = { .encoding = encoding };
	uint64_t width = encoding == ENCODING_BYTES ? 1 : VARINT_MAX;

	/* A value takes a byte at least: so many would not fit in a block. */
	if (count > BLOCK_RAW_MAX && !b->failed)
		b->failed = -E2BIG;
	c.at = payload_room(b, VARINT_MAX + LENGTH_BYTES + count * width);
	if (!c.at)
		return c;

	c.at = put_varint(c.at, (uint64_t)number << NUMBER_SHIFT |
					(uint64_t)encoding << ENCODING_SHIFT);
	c.at += LENGTH_BYTES;
	c.start = (size_t)(c.at - b->at);
	return c;
}

void column_end(struct payload *b, const struct column_out *c)
{
	uint32_t length;

	if (!c->at)
		return;
	b->used = (size_t)(c->at - b->at);
	ASSERT(b->used <= b->size);
	if (b->used > BLOCK_RAW_MAX) {
		b->failed = -E2BIG;
		return;
	}
	length = (uint32_t)(b->used - c->start);
	memcpy(b->at + c->start - LENGTH_BYTES, &length, LENGTH_BYTES);
}

void column_put_bytes(struct column_out *c, struct span bytes)
{
	if (!c->at || !bytes.len)
		return;
	memcpy(c->at, bytes.at, bytes.len);
	c->at += bytes.len;
}

static void fault(struct table_in *t, const char *why)
{
	if (!t->fault)
		t->fault = why;
	t->next = (struct column_in){ 0 };
	t->rest = (struct reader){ 0 };
}

/* Makes next the column that follows. */
static void advance(struct table_in *t)
{
	uint64_t before = t->next.number;
	struct column_in c = { .there = true };
	uint64_t key;

	t->next = (struct column_in){ 0 };
	if (!reader_left(&t->rest))
		return;

	key = reader_uleb(&t->rest);
	c.number = key >> NUMBER_SHIFT;
	c.required = key & REQUIRED_BIT;
	c.encoding = key >> ENCODING_SHIFT & ENCODING_MASK;
	c.bytes = reader_of(reader_take(&t->rest, reader_u32(&t->rest)));
	if (t->rest.failed)
		fault(t, "a column is longer than the block");
	else if (c.number <= before)
		fault(t, "its columns are out of order");
	else
		t->next = c;
}

struct table_in table_of(struct span raw)
{
	struct table_in t = { .rest = reader_of(raw) };

	t.first = reader_uleb(&t.rest);
	t.count = reader_uleb(&t.rest);
	if (t.rest.failed)
		fault(&t, "it is too short");
	else if (t.first >= UINT32_MAX || t.count >= UINT32_MAX - t.first)
		fault(&t, "its row numbers are too large");
	else
		advance(&t);
	return t;
}

/* Passes over the next column, if that is allowed. */
static void skip_next(struct table_in *t)
{
	if (t->next.required) {
		t->too_new = true;
		fault(t, "it has a column that only a newer wick knows");
		return;
	}
	advance(t);
}

struct column_in table_column(struct table_in *t, unsigned number)
{
	struct column_in c;

	while (t->next.there && t->next.number < number)
		skip_next(t);
	if (!t->next.there || t->next.number != number)
		return (struct column_in){ 0 };

	c = t->next;
	if (c.encoding >= ENCODINGS) {
		t->too_new = true;
		fault(t, "it has values stored as only a newer wick can read");
		return (struct column_in){ 0 };
	}
	advance(t);
	return c;
}

void table_finish(struct table_in *t)
{
	while (t->next.there)
		skip_next(t);
}
