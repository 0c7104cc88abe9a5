/* SPDX-License-Identifier: MIT */
/*
 * XXH64 against values that the reference implementation gives: the checksum
 * at the end of "zstd --check" is the low half of it.
 */
#include "base/xxh64.h"

#include "test.h"

TEST(known_texts_have_known_hashes)
{
	CHECK_EQ(xxh64(span_text("")), 0xef46db3751d8e999);
	CHECK_EQ(xxh64(span_text("a")), 0xd24ec4f1a98c6e5b);
	CHECK_EQ(xxh64(span_text("abc")), 0x44bc2cf5ad770999);
}

/* Every way through the code: lanes, words, half words and single bytes. */
TEST(every_length_agrees_with_zstd)
{
	static const struct {
		size_t len;
		uint32_t low;
	} known[] = {
		{ 1, 0x1b21e730 },   { 4, 0x6af4c124 },	  { 7, 0xa233a751 },
		{ 8, 0x5e0b3222 },   { 15, 0xd37ce6f1 },  { 31, 0x29f50073 },
		{ 32, 0xe9ecd3d1 },  { 33, 0x7bb9c183 },  { 63, 0x5c71894a },
		{ 64, 0xcdb9d795 },  { 79, 0x493dbdd6 },  { 96, 0x3db9338a },
		{ 127, 0xd546bba7 }, { 128, 0xe5a0317d },
	};
	uint8_t bytes[128];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 1);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		CHECK_EQ((uint32_t)xxh64(span_of(bytes, known[i].len)),
			 known[i].low);
}
