/* SPDX-License-Identifier: MIT */
/* A reader never leaves its bytes, whatever it is asked for. */
#include "base/span.h"

#include "test.h"

TEST(a_part_outside_is_empty)
{
	struct span s = span_text("abcdef");

	CHECK(span_equal(span_part(s, 2, 3), span_text("cde")));
	CHECK_EQ(span_part(s, 6, 0).len, 0);
	CHECK_EQ(span_part(s, 6, 1).len, 0);
	CHECK_EQ(span_part(s, UINT64_MAX, 2).len, 0);
	CHECK_EQ(span_part(s, 2, UINT64_MAX).len, 0);
}

TEST(spans_compare_by_their_bytes)
{
	CHECK(span_equal(span_of(NULL, 0), span_text("")));
	CHECK(!span_equal(span_text("ab"), span_text("abc")));
	CHECK(span_starts(span_text("abc"), "ab"));
	CHECK(!span_starts(span_text("a"), "ab"));
}

TEST(a_beginning_goes_before_the_whole)
{
	CHECK(span_compare(span_text("ab"), span_text("abc")) < 0);
	CHECK(span_compare(span_text("b"), span_text("abc")) > 0);
	CHECK(span_compare(span_of("\xff", 1), span_of("a", 1)) > 0);
	CHECK(span_compare((struct span){ 0 }, span_text("a")) < 0);
	CHECK_EQ(span_compare((struct span){ 0 }, span_text("")), 0);
	CHECK_EQ(span_compare(span_text("abc"), span_text("abc")), 0);
}

TEST(numbers_are_little_endian)
{
	struct reader r = reader_of(
		span_of("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d"
			"\x0e\x0f",
			15));

	CHECK_EQ(reader_u8(&r), 0x01);
	CHECK_EQ(reader_u16(&r), 0x0302);
	CHECK_EQ(reader_u32(&r), 0x07060504);
	CHECK_EQ(reader_u64(&r), 0x0f0e0d0c0b0a0908);
	CHECK(!r.failed && !reader_left(&r));
}

TEST(a_read_past_the_end_gives_zero_and_leaves_nothing)
{
	struct reader r = reader_of(span_of("\x01\x02\x03", 3));

	CHECK_EQ(reader_u32(&r), 0);
	CHECK(r.failed);
	CHECK_EQ(reader_left(&r), 0);
	CHECK_EQ(reader_u8(&r), 0);
	CHECK_EQ(reader_take(&r, UINT64_MAX).len, 0);
}

TEST(signed_varints_extend_their_sign)
{
	struct reader r = reader_of(
		span_of("\x02\x7e\xff\x00\x81\x7f"
			"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f",
			16));

	CHECK_EQ(reader_sleb(&r), 2);
	CHECK_EQ(reader_sleb(&r), -2);
	CHECK_EQ(reader_sleb(&r), 127);
	CHECK_EQ(reader_sleb(&r), -127);
	CHECK_EQ(reader_sleb(&r), INT64_MIN);
	CHECK(!r.failed);
}

TEST(a_varint_without_an_end_is_refused)
{
	struct reader r = reader_of(span_of(
		"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12));

	CHECK_EQ(reader_uleb(&r), 0);
	CHECK(r.failed);
	r = reader_of(span_of("\xff", 1));
	reader_sleb(&r);
	CHECK(r.failed);
}
