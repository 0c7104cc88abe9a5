/* SPDX-License-Identifier: MIT */
/*
 * Deflate for those who wait: two to three times as fast as libdeflate's
 * fastest, for files that are a few percent larger than its.  It is here for
 * what libdeflate can not do besides: its streams can not be continued, so that
 * only one thread could work on a file that is to be a single gzip member.
 *
 * Data is cut into blocks.  A block is matched against what came before, a
 * place only with the last one whose next four bytes had the same hash; that
 * gives steps, of which the codes are made and then the output.
 */
#include "format/quickdeflate.h"

#include <stdbool.h>
#include <string.h>

#include "format/huffman.h"

enum {
	BLOCK = 65535,	   /* the most that a block without codes can hold */
	STORED_HEADER = 6, /* with the bits before its first byte */
	WINDOW = 32768,
	HASH_BITS = 14,
	HASHED = 4, /* bytes; a match is at least as long */
	WORD = 8,
	LONGEST = 258,
	STEPS = BLOCK / HASHED + 2,

	END_OF_BLOCK = 256,
	LENGTHS = 257, /* the first symbol of a length */
	LITERALS = 286,
	LITERAL_BITS = 14, /* four in a row fit into what bits_put() takes */
	DISTANCES = 30,
	CODE_LENGTHS = 19, /* symbols that lengths of codes are written in */
	CODE_LENGTH_BITS = 7,
};

/* Some bytes as they are, then a match. */
struct step {
	uint16_t literals;
	uint16_t length; /* 0: the block is over */
	uint16_t distance;
	uint8_t distance_symbol;
};

struct quickdeflate {
	uint16_t last[1 << HASH_BITS]; /* place of that hash, modulo 65536 */
	struct step steps[STEPS];
	unsigned step_count; /* of those with a match */
	uint32_t literal_count[LITERALS];
	uint32_t distance_count[DISTANCES];
	struct huffman literal;
	struct huffman distance;
	uint8_t length_symbol[LONGEST + 1]; /* less LENGTHS */
};

/* Symbols that stand for a range of numbers: the first of each. */
static const uint16_t first_length[] = {
	3,  4,	5,  6,	7,  8,	9,  10, 11,  13,  15,  17,  19,	 23,  27,
	31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
};
static const uint8_t length_extra[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
	2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
};

size_t quickdeflate_size(void)
{
	return sizeof(struct quickdeflate);
}

size_t quickdeflate_bound(size_t len)
{
	/* Every block may be one without codes, and bits are written eight
	 * bytes at a time. */
	return len + (len / BLOCK + 2) * STORED_HEADER + sizeof(uint64_t);
}

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static unsigned hash(uint32_t bytes)
{
	return bytes * 0x9e3779b1u >> (32 - HASH_BITS);
}

/* The symbol of a distance: its highest bit and the next. */
static unsigned distance_symbol(unsigned distance)
{
	unsigned d = distance - 1;
	unsigned top;

	if (d < 4)
		return d;
	top = 31 - (unsigned)__builtin_clz(d);
	return 2 * top + (d >> (top - 1) & 1);
}

static unsigned distance_extra(unsigned symbol)
{
	return symbol < 4 ? 0 : symbol / 2 - 1;
}

static unsigned first_distance(unsigned symbol)
{
	if (symbol < 4)
		return symbol + 1;
	return ((2 + symbol % 2) << (symbol / 2 - 1)) + 1;
}

/* How far a and b, which do so for HASHED bytes, agree before a's end. */
static unsigned match_length(const uint8_t *a, const uint8_t *b,
			     const uint8_t *end)
{
	unsigned most = end - a < LONGEST ? (unsigned)(end - a) : LONGEST;
	unsigned n = HASHED;

	for (; n + WORD <= most; n += WORD) {
		uint64_t differ = load64(a + n) ^ load64(b + n);

		if (differ)
			return n + (unsigned)__builtin_ctzll(differ) / 8;
	}
	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/*
 * Matching.
 */

struct block {
	const uint8_t *start; /* of all data, which may be referred to */
	const uint8_t *begin;
	const uint8_t *end;
};

/*
 * Remembers this place and the next, and returns how far before this one the
 * same bytes were; 0: unknown.  What is remembered may be out of date, and is
 * just tried.  Which of the conditions fails can not be foreseen, so that it
 * is faster to decide once than to stop at the first.
 */
static unsigned find_match(uint16_t *last, const uint8_t *start,
			   const uint8_t *at)
{
	uint64_t bytes = load64(at);
	unsigned place = (unsigned)(at - start);
	uint16_t *slot = &last[hash((uint32_t)bytes)];
	unsigned distance = (uint16_t)(place - *slot);
	bool good;

	*slot = (uint16_t)place;
	last[hash((uint32_t)(bytes >> 8))] = (uint16_t)(place + 1);
	distance = distance > place ? place : distance;
	good = (load32(at - distance) == (uint32_t)bytes) &
	       (distance <= WINDOW);
	return good ? distance : 0;
}

/* Every second place of a match is enough: who looks for it tries every
 * second place too, and then goes back as far as it can. */
static void remember(uint16_t *last, const uint8_t *start, const uint8_t *at,
		     const uint8_t *end)
{
	for (; at < end; at += 2)
		last[hash(load32(at))] = (uint16_t)(at - start);
}

static void add_step(struct quickdeflate *q, struct step s)
{
	s.distance_symbol = (uint8_t)distance_symbol(s.distance);
	q->literal_count[LENGTHS + q->length_symbol[s.length]]++;
	q->distance_count[s.distance_symbol]++;
	q->steps[q->step_count++] = s;
}

static void find_steps(struct quickdeflate *q, const struct block *b)
{
	const uint8_t *at = b->begin;
	const uint8_t *done = at;

	q->step_count = 0;
	while (b->end - at >= WORD) {
		unsigned distance = find_match(q->last, b->start, at);
		const uint8_t *found = at;
		unsigned length;

		at += 2;
		if (!distance)
			continue;
		while (found > done && found - distance > b->start &&
		       found[-1] == (found - distance)[-1])
			found--;
		length = match_length(found, found - distance, b->end);
		add_step(q, (struct step){ .literals = (uint16_t)(found - done),
					   .length = (uint16_t)length,
					   .distance = (uint16_t)distance });
		done = found + length;
		if (b->end - done >= WORD)
			remember(q->last, b->start, at, done);
		at = done;
	}
	q->steps[q->step_count] = (struct step){
		.literals = (uint16_t)(b->end - done),
	};
}

/* Counts the bytes that are in no match. */
static void count_literals(struct quickdeflate *q, const struct block *b)
{
	const uint8_t *at = b->begin;
	uint32_t odd[256] = { 0 };

	for (const struct step *s = q->steps;; s++) {
		unsigned n = s->literals;

		/* Two tables: the same byte twice in a row need not wait. */
		for (; n >= 2; n -= 2, at += 2) {
			q->literal_count[at[0]]++;
			odd[at[1]]++;
		}
		if (n)
			q->literal_count[*at++]++;
		if (!s->length)
			break;
		at += s->length;
	}
	for (unsigned i = 0; i < 256; i++)
		q->literal_count[i] += odd[i];
	q->literal_count[END_OF_BLOCK]++;
}

/*
 * Output.
 */

/* The lengths of both codes, which are written one after the other in a code
 * of their own. */
struct code_lengths {
	uint8_t symbol[LITERALS + DISTANCES];
	uint8_t extra[LITERALS + DISTANCES];
	unsigned used;
	unsigned literals;
	unsigned distances;
	uint32_t count[CODE_LENGTHS];
	struct huffman code;
};

static unsigned used_symbols(const struct huffman *code, unsigned most,
			     unsigned least)
{
	while (most > least && !code->symbol[most - 1].length)
		most--;
	return most;
}

static void add_length(struct code_lengths *c, unsigned symbol, unsigned extra)
{
	c->symbol[c->used] = (uint8_t)symbol;
	c->extra[c->used++] = (uint8_t)extra;
	c->count[symbol]++;
}

enum { REPEAT = 16, FEW_ZEROS = 17, MANY_ZEROS = 18 };

/* A run of lengths that are the same. */
static void add_run(struct code_lengths *c, unsigned length, unsigned run)
{
	unsigned symbol = length ? REPEAT : FEW_ZEROS;
	unsigned most = length ? 6 : 10;

	if (length) {
		add_length(c, length, 0);
		run--;
	}
	for (; !length && run > 10; run -= run < 138 ? run : 138)
		add_length(c, MANY_ZEROS, (run < 138 ? run : 138) - 11);
	for (; run >= 3; run -= run < most ? run : most)
		add_length(c, symbol, (run < most ? run : most) - 3);
	for (; run; run--)
		add_length(c, length, 0);
}

static void plan_lengths(struct code_lengths *c, const struct quickdeflate *q)
{
	uint8_t all[LITERALS + DISTANCES];
	unsigned count, run;

	*c = (struct code_lengths){ 0 };
	c->literals = used_symbols(&q->literal, LITERALS, LENGTHS);
	c->distances = used_symbols(&q->distance, DISTANCES, 1);
	count = c->literals + c->distances;
	for (unsigned i = 0; i < c->literals; i++)
		all[i] = q->literal.symbol[i].length;
	for (unsigned i = 0; i < c->distances; i++)
		all[c->literals + i] = q->distance.symbol[i].length;
	for (unsigned i = 0; i < count; i += run) {
		for (run = 1; i + run < count && all[i + run] == all[i];)
			run++;
		add_run(c, all[i], run);
	}
	huffman_make(&c->code, c->count, CODE_LENGTHS, CODE_LENGTH_BITS);
}

static unsigned length_symbol_extra(unsigned symbol)
{
	static const uint8_t extra[] = { 2, 3, 7 };

	return symbol < REPEAT ? 0 : extra[symbol - REPEAT];
}

static const uint8_t length_order[CODE_LENGTHS] = {
	16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
};

static void put_codes(struct bit_writer *w, const struct code_lengths *c)
{
	unsigned ordered = CODE_LENGTHS;

	while (ordered > 4 && !c->code.symbol[length_order[ordered - 1]].length)
		ordered--;
	bits_put(w, 2 << 1, 3);
	bits_put(w, c->literals - LENGTHS, 5);
	bits_put(w, c->distances - 1, 5);
	bits_put(w, ordered - 4, 4);
	for (unsigned i = 0; i < ordered; i++) {
		bits_put(w, c->code.symbol[length_order[i]].length, 3);
		bits_flush(w);
	}
	for (unsigned i = 0; i < c->used; i++) {
		bits_put_symbol(w, c->code.symbol[c->symbol[i]]);
		bits_put(w, c->extra[i], length_symbol_extra(c->symbol[i]));
		bits_flush(w);
	}
}

static inline void put_literals(struct bit_writer *w,
				const struct huffman *code, const uint8_t *at,
				unsigned count)
{
	for (; count >= 4; count -= 4, at += 4) {
		bits_put_symbol(w, code->symbol[at[0]]);
		bits_put_symbol(w, code->symbol[at[1]]);
		bits_put_symbol(w, code->symbol[at[2]]);
		bits_put_symbol(w, code->symbol[at[3]]);
		bits_flush(w);
	}
	for (; count; count--, at++)
		bits_put_symbol(w, code->symbol[*at]);
	bits_flush(w);
}

static inline void put_match(struct bit_writer *w, const struct quickdeflate *q,
			     const struct step *s)
{
	unsigned symbol = q->length_symbol[s->length];
	unsigned d = s->distance_symbol;

	bits_put_symbol(w, q->literal.symbol[LENGTHS + symbol]);
	bits_put(w, s->length - first_length[symbol], length_extra[symbol]);
	bits_put_symbol(w, q->distance.symbol[d]);
	bits_put(w, s->distance - first_distance(d), distance_extra(d));
	bits_flush(w);
}

/*
 * The writer is a copy that nothing points to: bytes that are written through a
 * pointer may be anything's, so any other would be stored and loaded again with
 * each of them.
 */
static void put_steps(struct bit_writer *ret, const struct quickdeflate *q,
		      const struct block *b)
{
	const uint8_t *at = b->begin;
	struct bit_writer w = *ret;

	for (const struct step *s = q->steps;; s++) {
		put_literals(&w, &q->literal, at, s->literals);
		if (!s->length)
			break;
		put_match(&w, q, s);
		at += s->literals + s->length;
	}
	bits_put_symbol(&w, q->literal.symbol[END_OF_BLOCK]);
	bits_flush(&w);
	*ret = w;
}

/* A block without codes, which starts with a byte. */
static void put_stored(struct bit_writer *w, const uint8_t *at, size_t len)
{
	bits_put(w, 0, 3);
	w->count = (w->count + 7) & ~7u;
	bits_put(w, len | (len ^ 0xffff) << 16, 32);
	bits_flush(w);
	if (len)
		memcpy(w->at, at, len);
	w->at += len;
}

/* How many bits the block takes in its codes. */
static uint64_t coded_bits(const struct quickdeflate *q,
			   const struct code_lengths *c)
{
	uint64_t bits = 3 + 14 + 3 * CODE_LENGTHS;

	for (unsigned i = 0; i < CODE_LENGTHS; i++)
		bits += (uint64_t)c->count[i] *
			(c->code.symbol[i].length + length_symbol_extra(i));
	for (unsigned i = 0; i < LITERALS; i++)
		bits += (uint64_t)q->literal_count[i] *
			(q->literal.symbol[i].length +
			 (i < LENGTHS ? 0 : length_extra[i - LENGTHS]));
	for (unsigned i = 0; i < DISTANCES; i++)
		bits += (uint64_t)q->distance_count[i] *
			(q->distance.symbol[i].length + distance_extra(i));
	return bits;
}

static void put_block(struct bit_writer *w, struct quickdeflate *q,
		      const struct block *b)
{
	size_t len = (size_t)(b->end - b->begin);
	struct code_lengths lengths;

	memset(q->literal_count, 0, sizeof(q->literal_count));
	memset(q->distance_count, 0, sizeof(q->distance_count));
	find_steps(q, b);
	count_literals(q, b);
	huffman_make(&q->literal, q->literal_count, LITERALS, LITERAL_BITS);
	huffman_make(&q->distance, q->distance_count, DISTANCES, HUFFMAN_BITS);
	plan_lengths(&lengths, q);
	if (coded_bits(q, &lengths) >= 8 * len) {
		put_stored(w, b->begin, len);
		return;
	}
	put_codes(w, &lengths);
	put_steps(w, q, b);
}

static void name_lengths(struct quickdeflate *q)
{
	unsigned symbol = 0;

	for (unsigned i = 3; i <= LONGEST; i++) {
		while (symbol + 1 < sizeof(length_extra) &&
		       first_length[symbol + 1] <= i)
			symbol++;
		q->length_symbol[i] = (uint8_t)symbol;
	}
}

size_t quickdeflate(struct quickdeflate *q, struct span data, uint8_t *out)
{
	struct bit_writer w = { .at = out };

	name_lengths(q);
	memset(q->last, 0, sizeof(q->last)); /* the same bytes every time */
	for (size_t at = 0; at < data.len; at += BLOCK) {
		size_t len = data.len - at < BLOCK ? data.len - at : BLOCK;
		struct block b = { data.at, data.at + at, data.at + at + len };

		put_block(&w, q, &b);
	}
	put_stored(&w, NULL, 0);
	return (size_t)(w.at - out);
}
