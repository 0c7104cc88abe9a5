/* SPDX-License-Identifier: MIT */
/*
 * A view of bytes that somebody else owns, and a reader that never leaves it.
 * Everything that comes from outside (files, kernel records, network) is read
 * through these.
 */
#ifndef WICK_BASE_SPAN_H
#define WICK_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *at;
	size_t len;
};

static inline struct span span_of(const void *p, size_t len)
{
	return (struct span){ .at = p, .len = len };
}

static inline struct span span_text(const char *text)
{
	return span_of(text, strlen(text));
}

/* The part of s from offset on, len bytes long; empty if it is not all there.
 */
static inline struct span span_part(struct span s, uint64_t offset,
				    uint64_t len)
{
	if (!s.at || offset > s.len || len > s.len - offset)
		return (struct span){ 0 };
	return span_of(offset ? s.at + offset : s.at, (size_t)len);
}

static inline bool span_equal(struct span a, struct span b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

/* Below, at or above 0: a goes before b, is it, or goes behind it. */
static inline int span_compare(struct span a, struct span b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter ? memcmp(a.at, b.at, shorter) : 0;

	if (order)
		return order;
	return a.len < b.len ? -1 : a.len > b.len;
}

static inline bool span_starts(struct span s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && !memcmp(s.at, prefix, len);
}

/*
 * Reads from the front of a span.  A read past the end returns zero, sets
 * failed and leaves nothing to read, so a sequence of reads needs one check.
 */
struct reader {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline struct reader reader_of(struct span s)
{
	/* Nothing may be added to the NULL of an empty span, not even 0. */
	return (struct reader){ .at = s.at,
				.end = s.len ? s.at + s.len : s.at };
}

static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->at);
}

static inline struct span reader_take(struct reader *r, uint64_t len)
{
	struct span s = { 0 };

	if (len > reader_left(r)) {
		r->failed = true;
		r->at = r->end;
		return s;
	}
	s = span_of(r->at, (size_t)len);
	if (len)
		r->at += len;
	return s;
}

static inline uint8_t reader_u8(struct reader *r)
{
	if (r->at == r->end) {
		r->failed = true;
		return 0;
	}
	return *r->at++;
}

#define READER_FIXED(name, type) \
	static inline type name(struct reader *r) \
	{ \
		type value = 0; \
		struct span s = reader_take(r, sizeof(value)); \
\
		if (s.len) \
			memcpy(&value, s.at, sizeof(value)); \
		return value; \
	}

/* Little-endian, as are both machines that wick runs on. */
READER_FIXED(reader_u16, uint16_t)
READER_FIXED(reader_u32, uint32_t)
READER_FIXED(reader_u64, uint64_t)

#undef READER_FIXED

/* An unsigned LEB128 (or protobuf varint) of at most ten bytes. */
static inline uint64_t reader_uleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = reader_u8(r);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	r->failed = true;
	r->at = r->end;
	return 0;
}

/* A signed LEB128; bits beyond 64 are dropped. */
static inline int64_t reader_sleb(struct reader *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte = reader_u8(r);

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if ((byte & 0x40) && shift + 7 < 64)
			value |= ~(uint64_t)0 << (shift + 7);
		return (int64_t)value;
	}
	r->failed = true;
	r->at = r->end;
	return 0;
}

#endif /* WICK_BASE_SPAN_H */
