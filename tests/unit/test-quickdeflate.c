/* SPDX-License-Identifier: MIT */
/* What is compressed quickly is deflate: libdeflate gives back what went in. */
#include <string.h>

#include "base/arena.h"
#include "base/deflate.h"
#include "base/sink.h"
#include "format/huffman.h"
#include "format/quickdeflate.h"
#include "test.h"

static struct arena arena;

/* Appends data, compressed, and checks that it kept to its bound. */
static void compress(struct sink *out, struct span data)
{
	size_t bound = quickdeflate_bound(data.len);
	char *room = sink_room(out, bound + 1);
	size_t len;

	room[bound] = '!';
	len = quickdeflate(arena_alloc(&arena, quickdeflate_size()), data,
			   (uint8_t *)room);
	CHECK(len <= bound);
	CHECK_EQ(room[bound], '!');
	sink_filled(out, len);
}

/* Whether a whole stream is data once it is expanded. */
static bool expands_to(const struct sink *stream, struct span data)
{
	struct libdeflate_decompressor *d = inflate_open();
	uint8_t *room = arena_alloc(&arena, data.len + 1);
	size_t made = 0;
	enum libdeflate_result r = libdeflate_deflate_decompress(
		d, stream->buf, stream->used, room, data.len + 1, &made);

	libdeflate_free_decompressor(d);
	return r == LIBDEFLATE_SUCCESS && span_equal(span_of(room, made), data);
}

/* Returns how many bytes data became. */
static size_t check_whole(struct span data)
{
	struct sink out = sink_to_memory(&arena);

	compress(&out, data);
	sink_write(&out, QUICKDEFLATE_END, 2);
	CHECK(expands_to(&out, data));
	return out.used;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Bytes below a limit, in no order; then what came distance before again. */
static uint8_t *make_data(size_t len, unsigned limit, size_t distance)
{
	uint8_t *data = arena_alloc(&arena, len + 1);
	uint32_t state = 1;

	for (size_t i = 0; i < len && i < distance; i++)
		data[i] = (uint8_t)(next_random(&state) % limit);
	for (size_t i = distance; i < len; i++)
		data[i] = data[i - distance];
	return data;
}

TEST(any_length_comes_back)
{
	static const size_t around[] = { 0, 65535, 2 * 65535, 1 << 20 };

	for (unsigned i = 0; i < 4; i++)
		for (size_t len = around[i]; len < around[i] + 20; len++)
			check_whole(span_of(make_data(len, 20, len / 2), len));
	for (size_t len = 65500; len < 65535; len++)
		check_whole(span_of(make_data(len, 20, len), len));
	arena_release(&arena);
}

TEST(repetition_at_any_distance_comes_back)
{
	static const size_t distances[] = { 1,	   2,	  3,	 4,	5,
					    31,	   255,	  32767, 32768, 32769,
					    65535, 65536, 65537 };
	enum { LEN = 300000 };

	for (unsigned i = 0; i < 13; i++) {
		uint8_t *data = make_data(LEN, 256, distances[i]);
		size_t packed = check_whole(span_of(data, LEN));

		/* What is further back can not be referred to. */
		if (distances[i] <= 32768)
			CHECK(packed < LEN / 5);
	}
	arena_release(&arena);
}

TEST(what_has_no_order_hardly_grows)
{
	enum { LEN = 1 << 20 };

	CHECK(check_whole(span_of(make_data(LEN, 256, LEN), LEN)) <
	      LEN + LEN / 1000);
	arena_release(&arena);
}

TEST(few_symbols_come_back)
{
	for (unsigned limit = 1; limit < 4; limit++)
		CHECK(check_whole(span_of(make_data(100000, limit, 100000),
					  100000)) < 30000);
	arena_release(&arena);
}

TEST(results_may_follow_each_other)
{
	uint8_t *data = make_data(200000, 30, 1000);
	struct sink out = sink_to_memory(&arena);

	compress(&out, span_of(data, 70000));
	compress(&out, span_of(data + 70000, 0));
	compress(&out, span_of(data + 70000, 1));
	compress(&out, span_of(data + 70001, 129999));
	sink_write(&out, QUICKDEFLATE_END, 2);
	CHECK(expands_to(&out, span_of(data, 200000)));
	arena_release(&arena);
}

TEST(the_same_bytes_come_out_whatever_was_compressed_before)
{
	struct quickdeflate *q = arena_alloc(&arena, quickdeflate_size());
	uint8_t *data = make_data(100000, 10, 70000);
	uint8_t *first = arena_alloc(&arena, quickdeflate_bound(100000));
	uint8_t *second = arena_alloc(&arena, quickdeflate_bound(100000));
	size_t len = quickdeflate(q, span_of(data, 100000), first);

	quickdeflate(q, span_of(data + 5, 90000), second);
	CHECK_EQ(quickdeflate(q, span_of(data, 100000), second), len);
	CHECK_BYTES(second, len, first, len);
	arena_release(&arena);
}

/* What all symbols would take of a code with no room left is 1. */
static uint64_t taken(const struct huffman *code, unsigned symbols)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < symbols; i++)
		if (code->symbol[i].length)
			sum += 1u << (HUFFMAN_BITS - code->symbol[i].length);
	return sum;
}

TEST(a_code_is_complete_and_within_its_limit)
{
	uint32_t count[40];
	struct huffman code;

	/* Each as rare as the next two together: the deepest tree there is. */
	count[0] = count[1] = 1;
	for (unsigned i = 2; i < 40; i++)
		count[i] = count[i - 1] + count[i - 2];
	for (unsigned most = 6; most <= HUFFMAN_BITS; most++) {
		huffman_make(&code, count, 40, most);
		CHECK_EQ(taken(&code, 40), 1 << HUFFMAN_BITS);
		for (unsigned i = 0; i < 40; i++)
			CHECK(code.symbol[i].length &&
			      code.symbol[i].length <= most);
		CHECK(code.symbol[0].length >= code.symbol[39].length);
	}
}

TEST(a_code_of_one_symbol_or_none_is_complete_too)
{
	uint32_t count[3] = { 0, 0, 0 };
	struct huffman code;

	huffman_make(&code, count, 3, HUFFMAN_BITS);
	CHECK_EQ(taken(&code, 3), 1 << HUFFMAN_BITS);
	count[0] = 5;
	huffman_make(&code, count, 3, HUFFMAN_BITS);
	CHECK_EQ(taken(&code, 3), 1 << HUFFMAN_BITS);
	CHECK_EQ(code.symbol[0].length, 1);
	CHECK_EQ(code.symbol[2].length, 0);
}
