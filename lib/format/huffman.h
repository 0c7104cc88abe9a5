/* SPDX-License-Identifier: MIT */
/*
 * The codes that deflate writes its symbols in, and bits in the order in which
 * it wants them.  For quickdeflate.c, which is where to start reading.
 */
#ifndef WICK_FORMAT_HUFFMAN_H
#define WICK_FORMAT_HUFFMAN_H

#include <stdint.h>
#include <string.h>

enum {
	HUFFMAN_SYMBOLS = 288, /* the most that a code may have */
	HUFFMAN_BITS = 15,     /* the most that a symbol may take */
};

/* A symbol's bits, the first to be written lowest. */
struct huffman_symbol {
	uint16_t bits;
	uint8_t length; /* 0: has none */
};

struct huffman {
	struct huffman_symbol symbol[HUFFMAN_SYMBOLS];
};

/*
 * Makes the code in which symbols that occur count[i] times each take the
 * fewest bits, none of them more than most.  It is complete, as some readers
 * insist, even if that gives bits to a symbol or two that do not occur.
 */
void huffman_make(struct huffman *code, const uint32_t *count, unsigned symbols,
		  unsigned most);

/*
 * Bits on their way into memory.  They are written eight bytes at a time, so
 * there must be room for seven more than they need.
 */
struct bit_writer {
	uint8_t *at;
	uint64_t held;
	unsigned count; /* bits held */
};

/* Adds bits; together at most 56 between two calls of bits_flush(). */
static inline void bits_put(struct bit_writer *b, uint64_t bits,
			    unsigned length)
{
	b->held |= bits << b->count;
	b->count += length;
}

static inline void bits_put_symbol(struct bit_writer *b,
				   struct huffman_symbol s)
{
	bits_put(b, s.bits, s.length);
}

/* Writes what makes whole bytes. */
static inline void bits_flush(struct bit_writer *b)
{
	memcpy(b->at, &b->held, sizeof(b->held));
	b->at += b->count / 8;
	b->held >>= b->count & ~7u;
	b->count &= 7;
}

#endif /* WICK_FORMAT_HUFFMAN_H */
