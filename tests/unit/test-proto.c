/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "format/proto.h"
#include "test.h"

typedef uint64_t read_number(struct reader *r);

/* With nothing behind it, and with something. */
static void check_number(read_number *read, const uint8_t *room, size_t len,
			 uint64_t value)
{
	struct reader exact = reader_of(span_of(room, len));
	struct reader more = reader_of(span_of(room, 16));

	CHECK_EQ(read(&exact), value);
	CHECK_EQ(reader_left(&exact), 0);
	CHECK_EQ(read(&more), value);
	CHECK_EQ(reader_left(&more), 16 - len);
}

TEST(numbers_of_every_length_read_back)
{
	for (unsigned shift = 0; shift < 64; shift++) {
		uint64_t values[] = { (uint64_t)1 << shift,
				      ((uint64_t)1 << shift) - 1,
				      UINT64_MAX << shift };

		for (unsigned i = 0; i < 3; i++) {
			uint8_t room[16] = { 0 };
			uint8_t *end = proto_store(room, values[i]);
			size_t len = (size_t)(end - room);

			CHECK_EQ(len, proto_size(values[i]));
			check_number(proto_varint, room, len, values[i]);
			check_number(proto_varint_alike, room, len, values[i]);
		}
	}
}

TEST(a_number_that_does_not_end_fails)
{
	uint8_t bytes[12];

	memset(bytes, 0xff, sizeof(bytes));
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		struct reader r = reader_of(span_of(bytes, len));
		struct reader alike = r;

		(void)proto_varint(&r);
		CHECK(r.failed);
		CHECK_EQ(reader_left(&r), 0);
		(void)proto_varint_alike(&alike);
		CHECK(alike.failed);
	}
}

TEST(the_tenth_byte_may_hold_more_than_fits)
{
	const uint8_t bytes[] = { 0xff, 0xff, 0xff, 0xff, 0xff,
				  0xff, 0xff, 0xff, 0xff, 0x7f };
	struct reader r = reader_of(span_of(bytes, sizeof(bytes)));

	CHECK_EQ(proto_varint(&r), UINT64_MAX);
	CHECK(!r.failed);
}

TEST(fields_of_every_wire_are_read)
{
	const uint8_t bytes[] = { 0x08, 0x96, 0x01, /* 1: 150 */
				  0x11, 1,    2,    3,	 4, 5, 6, 7, 8, /* 2 */
				  0x1a, 2,    'h',  'i',      /* 3: "hi" */
				  0x25, 1,    0,    0,	 0 }; /* 4 */
	struct reader r = reader_of(span_of(bytes, sizeof(bytes)));
	struct proto_field f;

	CHECK(proto_next(&r, &f));
	CHECK_EQ(f.number, 1);
	CHECK_EQ(f.value, 150);
	CHECK(proto_next(&r, &f));
	CHECK_EQ(f.number, 2);
	CHECK_EQ(f.value, 0x0807060504030201);
	CHECK(proto_next(&r, &f));
	CHECK_EQ(f.wire, PROTO_BYTES);
	CHECK_BYTES(f.bytes.at, f.bytes.len, "hi", 2);
	CHECK(proto_next(&r, &f));
	CHECK_EQ(f.wire, PROTO_FIXED32);
	CHECK_EQ(f.value, 1);
	CHECK(!proto_next(&r, &f));
	CHECK(!r.failed);
}

TEST(a_message_cut_anywhere_in_a_field_fails)
{
	const uint8_t bytes[] = { 0x1a, 5, 'h', 'e', 'l', 'l', 'o' };

	for (size_t len = 1; len < sizeof(bytes); len++) {
		struct reader r = reader_of(span_of(bytes, len));
		struct proto_field f;

		CHECK(!proto_next(&r, &f));
		CHECK(r.failed);
	}
}

TEST(groups_are_damage)
{
	for (uint8_t wire = 0; wire < 8; wire++) {
		const uint8_t bytes[10] = { (uint8_t)(8 | wire) };
		struct reader r = reader_of(span_of(bytes, sizeof(bytes)));
		struct proto_field f;
		bool known = wire < 3 || wire == 5;

		CHECK_EQ(proto_next(&r, &f), known);
	}
}

TEST(unknown_fields_are_skipped_and_later_ones_win)
{
	const uint8_t bytes[] = { 0x08, 1, 0x7a, 1, 'x', 0x10, 7, 0x08, 2 };
	uint64_t n[3] = { 0 };

	CHECK(proto_numbers(span_of(bytes, sizeof(bytes)), n, 3));
	CHECK_EQ(n[1], 2);
	CHECK_EQ(n[2], 7);
}

TEST(a_known_field_that_is_no_number_is_damage)
{
	const uint8_t bytes[] = { 0x0a, 1, 'x' };
	uint64_t n[2] = { 0 };

	CHECK(!proto_numbers(span_of(bytes, sizeof(bytes)), n, 2));
	CHECK(proto_numbers(span_of(bytes, sizeof(bytes)), n, 1));
}

TEST(a_message_is_closed_with_its_length_in_front)
{
	struct arena arena = { 0 };
	struct sink s = sink_to_memory(&arena);
	size_t start;

	sink_char(&s, 'x');
	start = proto_open(&s);
	proto_put_number(&s, 1, 150);
	proto_put_optional(&s, 2, 0);
	proto_put_bytes(&s, 3, span_text("hi"));
	proto_close(&s, 4, start);
	CHECK_BYTES(sink_bytes(&s).at, sink_bytes(&s).len,
		    "x\x22\x07\x08\x96\x01\x1a\x02hi", 10);
	arena_release(&arena);
}

TEST(a_long_message_gets_a_long_length)
{
	struct arena arena = { 0 };
	struct sink s = sink_to_memory(&arena);
	size_t start = proto_open(&s);
	struct reader r;
	struct proto_field f;

	sink_repeat(&s, 'a', 100000);
	proto_close(&s, 1000, start);
	r = reader_of(sink_bytes(&s));
	CHECK(proto_next(&r, &f));
	CHECK_EQ(f.number, 1000);
	CHECK_EQ(f.bytes.len, 100000);
	CHECK(f.bytes.at && f.bytes.at[99999] == 'a');
	arena_release(&arena);
}
