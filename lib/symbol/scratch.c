/* SPDX-License-Identifier: MIT */
/* See scratch.h. */
#include "symbol/scratch.h"

#include "base/arena.h"
#include "base/fmt.h"

enum {
	CHUNK = 32 * 1024 - 64,
	TOTAL_MAX = 16 * 1024 * 1024,
	TEXT_MAX = 1024 * 1024,
};

struct scratch_chunk {
	struct scratch_chunk *next;
	size_t size; /* of what follows */
};

/* Finds or makes a chunk with room for size bytes. */
static bool next_chunk(struct scratch *s, size_t size)
{
	struct scratch_chunk **link = s->chunk ? &s->chunk->next : &s->first;
	size_t room = size > CHUNK ? size : CHUNK;

	if (!*link || (*link)->size < size) {
		struct scratch_chunk *fresh = arena_alloc(
			s->arena, sizeof(*fresh) + room);

		if (!fresh)
			return false;
		fresh->size = room;
		fresh->next = *link;
		*link = fresh;
	}
	s->chunk = *link;
	s->used = 0;
	return true;
}

void *scratch_alloc(struct scratch *s, size_t size)
{
	void *p;

	if (size > TOTAL_MAX || s->total > TOTAL_MAX - size)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (!s->chunk || s->chunk->size - s->used < size)
		if (!next_chunk(s, size))
			return NULL;
	p = (char *)(s->chunk + 1) + s->used;
	s->used += size;
	s->total += size;
	return memset(p, 0, size);
}

void scratch_reset(struct scratch *s)
{
	s->chunk = NULL;
	s->used = 0;
	s->total = 0;
}

static bool text_reserve(struct text *t, size_t len)
{
	size_t size = t->size ? t->size : 1024;
	char *grown;

	if (t->failed || len > TEXT_MAX || t->used > TEXT_MAX - len) {
		t->failed = true;
		return false;
	}
	while (size - t->used < len)
		size *= 2;
	grown = arena_resize(t->arena, t->at, t->size, size);
	if (!grown) {
		t->failed = true;
		return false;
	}
	t->at = grown;
	t->size = size;
	return true;
}

void text_span(struct text *t, struct span s)
{
	if (!s.len)
		return;
	if (t->size - t->used < s.len || t->failed)
		if (!text_reserve(t, s.len))
			return;
	memcpy(t->at + t->used, s.at, s.len);
	t->used += s.len;
	t->last = (char)s.at[s.len - 1];
}

void text_put(struct text *t, const char *s)
{
	text_span(t, span_text(s));
}

void text_char(struct text *t, char c)
{
	text_span(t, span_of(&c, 1));
}

void text_number(struct text *t, uint64_t n)
{
	char digits[24];
	size_t len = fmt_text(digits, sizeof(digits), "%llu",
			      (unsigned long long)n);

	text_span(t, span_of(digits, len));
}

void text_rune(struct text *t, uint32_t c)
{
	uint8_t b[4];

	if (c < 0x80) {
		text_char(t, (char)c);
	} else if (c < 0x800) {
		b[0] = (uint8_t)(0xc0 | c >> 6);
		b[1] = (uint8_t)(0x80 | (c & 0x3f));
		text_span(t, span_of(b, 2));
	} else if (c < 0x10000) {
		b[0] = (uint8_t)(0xe0 | c >> 12);
		b[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		b[2] = (uint8_t)(0x80 | (c & 0x3f));
		text_span(t, span_of(b, 3));
	} else {
		b[0] = (uint8_t)(0xf0 | c >> 18);
		b[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
		b[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		b[3] = (uint8_t)(0x80 | (c & 0x3f));
		text_span(t, span_of(b, 4));
	}
}
