/* SPDX-License-Identifier: MIT */
/*
 * The wire format of protocol buffers, which is all that pprof profiles need:
 * a message is a sequence of fields, a field is a key (its number and how its
 * value is stored) and a value.  There is no schema here; a reader skips the
 * numbers it does not know.  Groups, long out of use, are damage.
 */
#ifndef WICK_FORMAT_PROTO_H
#define WICK_FORMAT_PROTO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"
#include "base/sink.h"
#include "base/span.h"

/* How a value is stored: the low three bits of a key. */
enum proto_wire {
	PROTO_VARINT = 0,
	PROTO_FIXED64 = 1,
	PROTO_BYTES = 2, /* a string, a message, or packed numbers */
	PROTO_FIXED32 = 5,
};

struct proto_field {
	uint64_t number;
	enum proto_wire wire;
	uint64_t value;	   /* unless the wire is PROTO_BYTES */
	struct span bytes; /* if it is */
};

/*
 * Reads a number of at most ten bytes; past the end or when it is longer, r
 * has failed.  Most numbers in a profile take up to four bytes, and their
 * lengths vary too much to be predicted, so those are put together without a
 * branch.
 */
static inline uint64_t proto_varint(struct reader *r)
{
	uint32_t word, last;

	if (reader_left(r) < sizeof(word))
		return reader_uleb(r);
	memcpy(&word, r->at, sizeof(word));
	last = ~word & 0x80808080u;
	if (!last)
		return reader_uleb(r);

	r->at += __builtin_ctz(last) / 8 + 1;
	word &= last ^ (last - 1);
	return (word & 0x7f) | (word >> 1 & 0x7f << 7) |
	       (word >> 2 & 0x7f << 14) | (word >> 3 & 0x7f << 21);
}

/*
 * The same for numbers whose lengths mostly repeat: where the next one starts
 * is then guessed, and need not wait until this one is read.
 */
static inline uint64_t proto_varint_alike(struct reader *r)
{
	uint32_t word;

	if (reader_left(r) < sizeof(word))
		return reader_uleb(r);
	memcpy(&word, r->at, sizeof(word));
	if (!(word & 0x80)) {
		r->at += 1;
		return word & 0x7f;
	}
	if (!(word & 0x8000)) {
		r->at += 2;
		return (word & 0x7f) | (word >> 1 & 0x7f << 7);
	}
	if (!(word & 0x800000)) {
		r->at += 3;
		return (word & 0x7f) | (word >> 1 & 0x7f << 7) |
		       (word >> 2 & 0x7f << 14);
	}
	return proto_varint(r);
}

/*
 * Reads the next field of a message.  False at its end, and when it is damaged:
 * then r has failed.
 */
static inline bool proto_next(struct reader *r, struct proto_field *ret)
{
	uint64_t key;

	if (r->at == r->end)
		return false;
	key = proto_varint(r);
	*ret = (struct proto_field){
		.number = key >> 3,
		.wire = (enum proto_wire)(key & 7),
	};
	switch (ret->wire) {
	case PROTO_VARINT:
		ret->value = proto_varint(r);
		break;
	case PROTO_FIXED64:
		ret->value = reader_u64(r);
		break;
	case PROTO_BYTES:
		ret->bytes = reader_take(r, proto_varint(r));
		break;
	case PROTO_FIXED32:
		ret->value = reader_u32(r);
		break;
	default:
		r->failed = true;
	}
	return !r->failed;
}

/*
 * Reads a message all of whose known fields are single numbers: value[i] is
 * set to that of field i, if it is there, for each i below count.  False if the
 * message is damaged or such a field is no number.
 */
static inline bool proto_numbers(struct span message, uint64_t *value,
				 unsigned count)
{
	struct reader r = reader_of(message);
	struct proto_field f;

	while (proto_next(&r, &f)) {
		if (f.number >= count || !f.number)
			continue;
		if (f.wire != PROTO_VARINT)
			return false;
		value[f.number] = f.value;
	}
	return !r.failed;
}

/* How many bytes value takes as a varint. */
static inline size_t proto_size(uint64_t value)
{
	return (70 - (size_t)__builtin_clzll(value | 1)) / 7;
}

enum { PROTO_MOST = 10 }; /* bytes of a varint */

/*
 * Writes value at to and returns what comes after.  There must be room for
 * PROTO_MOST bytes, whatever the value: as in proto_varint(), what takes up to
 * four is put together without a branch.
 */
static inline uint8_t *proto_store(uint8_t *to, uint64_t value)
{
	uint32_t word = (uint32_t)value;
	size_t len = proto_size(value);

	if (len <= sizeof(word)) {
		word = (word & 0x7f) | (word & 0x7f << 7) << 1 |
		       (word & 0x7f << 14) << 2 | (word & 0x7f << 21) << 3;
		word |= 0x80808080u & ((1u << 8 * (len - 1)) - 1);
		memcpy(to, &word, sizeof(word));
		return to + len;
	}
	for (; value >= 0x80; value >>= 7)
		*to++ = (uint8_t)(value | 0x80);
	*to++ = (uint8_t)value;
	return to;
}

enum { PROTO_NUMBER_MOST = 2 * PROTO_MOST }; /* bytes of a field */

/* The same for a field; there must be room for PROTO_NUMBER_MOST bytes. */
static inline uint8_t *proto_store_number(uint8_t *to, unsigned field,
					  uint64_t value)
{
	return proto_store(proto_store(to, field << 3 | PROTO_VARINT), value);
}

/* Writes nothing for 0, which is what a reader takes an absent field for. */
static inline uint8_t *proto_store_optional(uint8_t *to, unsigned field,
					    uint64_t value)
{
	return value ? proto_store_number(to, field, value) : to;
}

/* What comes before so many bytes; room as for a number. */
static inline uint8_t *proto_store_header(uint8_t *to, unsigned field,
					  size_t len)
{
	return proto_store(proto_store(to, field << 3 | PROTO_BYTES), len);
}

static inline void proto_put_number(struct sink *s, unsigned field,
				    uint64_t value)
{
	uint8_t bytes[PROTO_NUMBER_MOST];

	sink_write(s, bytes,
		   (size_t)(proto_store_number(bytes, field, value) - bytes));
}

static inline void proto_put_optional(struct sink *s, unsigned field,
				      uint64_t value)
{
	if (value)
		proto_put_number(s, field, value);
}

static inline void proto_put_bytes(struct sink *s, unsigned field,
				   struct span bytes)
{
	uint8_t header[PROTO_NUMBER_MOST];
	uint8_t *end = proto_store_header(header, field, bytes.len);

	sink_write(s, header, (size_t)(end - header));
	sink_span(s, bytes);
}

/*
 * A message within a message: proto_open(), its fields, then proto_close() puts
 * its key and length in front.  Only on a sink to memory, since what was
 * written moves.
 */
static inline size_t proto_open(const struct sink *s)
{
	ASSERT(s->fd < 0);
	return s->used;
}

static inline void proto_close(struct sink *s, unsigned field, size_t start)
{
	size_t len = s->used - start;
	uint8_t header[PROTO_NUMBER_MOST];
	uint8_t *end = proto_store_header(header, field, len);
	size_t header_len = (size_t)(end - header);
	char *at;

	/* Written for the room it makes; it goes to the front. */
	sink_write(s, header, header_len);
	if (s->error)
		return;
	at = s->buf + start;
	memmove(at + header_len, at, len);
	memcpy(at, header, header_len);
}

#endif /* WICK_FORMAT_PROTO_H */
