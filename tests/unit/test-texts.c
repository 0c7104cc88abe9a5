/* SPDX-License-Identifier: MIT */
/* Texts are the same, kept or made anew. */
#include "report/texts.h"

#include <string.h>

#include "base/fmt.h"
#include "base/sink.h"
#include "test.h"

/* Number n is n times the same letter. */
static void put_letters(void *context, struct sink *out, uint32_t number)
{
	unsigned *made = context;

	++*made;
	sink_repeat(out, (char)('a' + number % 26), number);
}

static int pass_on(void *context, struct span bytes)
{
	struct sink *all = context;

	sink_span(all, bytes);
	return all->error;
}

TEST(a_run_is_what_its_texts_are)
{
	enum { COUNT = 1500 };
	struct arena arena = { 0 };
	struct texts t;
	unsigned made = 0;
	const struct text_source source = { put_letters, &made };
	struct sink got = sink_to_memory(&arena);
	struct sink want = sink_to_memory(&arena);
	uint32_t numbers[COUNT];
	char buf[3000];
	struct sink out = sink_to_function(pass_on, &got, buf, sizeof(buf));

	CHECK_EQ(texts_init(&t, COUNT), 0);
	t.indent = 5;
	for (uint32_t i = 0; i < COUNT; i++) {
		texts_add(&t, i, &source);
		numbers[i] = i * 7 % COUNT;
	}
	made = 0;
	texts_put_run(&t, (struct text_run){ numbers, COUNT },
		      (struct text_run){ numbers, 3 }, &out, &source);
	CHECK_EQ(sink_flush(&out), 0);
	/* Nothing, and what is longer than is kept. */
	CHECK_EQ(made, 1 + COUNT - 1 - TEXT_LEN_MAX);
	for (uint32_t i = COUNT; i-- > 0;) {
		sink_text(&want, "     ");
		put_letters(&made, &want, numbers[i]);
	}
	CHECK(span_equal(sink_bytes(&got), sink_bytes(&want)));
	texts_release(&t);
	arena_release(&arena);
}

TEST(short_texts_share_lines_and_stay_apart)
{
	struct texts t;
	unsigned made = 0;
	const struct text_source source = { put_letters, &made };

	CHECK_EQ(texts_init(&t, 30), 0);
	for (uint32_t i = 1; i < 30; i++)
		texts_add(&t, i, &source);
	texts_share(&t, 0, 16);
	for (uint32_t i = 1; i < 30; i++) {
		struct span text = texts_get(&t, i);

		CHECK_EQ(text.len, i);
		for (uint32_t c = 0; c < i; c++)
			CHECK_EQ(text.at[c], 'a' + i % 26);
	}
	CHECK(texts_get(&t, 0).at == texts_get(&t, 16).at);
	CHECK(t.used < (16 / 4 + 14 + 2) * 64);
	texts_release(&t);
}

static void put_long(void *context, struct sink *out, uint32_t number)
{
	(void)context;
	sink_format(out, "%u", number);
	sink_repeat(out, '.', 1000);
}

TEST(there_is_a_limit_to_what_is_kept)
{
	enum { COUNT = 200000 };
	const struct text_source source = { put_long, NULL };
	struct texts t;
	uint32_t kept = 0;

	CHECK_EQ(texts_init(&t, COUNT), 0);
	for (uint32_t i = 0; i < COUNT; i++)
		texts_add(&t, i, &source);
	for (uint32_t i = 0; i < COUNT; i++) {
		struct span text = texts_get(&t, i);

		kept += text.len > 0;
		CHECK(!text.len || text.len > 1000);
	}
	CHECK(kept > COUNT / 4 && kept < COUNT / 2);
	CHECK(t.arena.mapped < 70 << 20);
	texts_release(&t);
}

/* Each part is filled by somebody else, and full before the next begins. */
TEST(texts_may_be_made_in_parts)
{
	enum { COUNT = 3000, PARTS = 3 };
	const struct text_source source = { put_long, NULL };
	struct texts t;
	const char *end = NULL;

	CHECK_EQ(texts_init(&t, COUNT), 0);
	for (unsigned part = 0; part < PARTS; part++) {
		struct texts some = texts_part(&t, part, PARTS);

		for (uint32_t i = part; i < COUNT; i += PARTS)
			texts_add(&some, i, &source);
		CHECK(texts_get(&t, part).len);
		CHECK(!texts_get(&t, COUNT - PARTS + part).len);
	}
	for (unsigned part = 0; part < PARTS; part++) {
		for (uint32_t i = part; i < COUNT; i += PARTS) {
			struct span text = texts_get(&t, i);
			char number[16];
			size_t len = fmt_text(number, sizeof(number), "%u.", i);

			if (!text.len)
				continue;
			CHECK((const char *)text.at >= end);
			CHECK_EQ(text.len, len - 1 + 1000);
			CHECK_EQ(memcmp(text.at, number, len), 0);
			end = (const char *)text.at + text.len;
		}
	}
	CHECK(end <= t.pool + t.size);
	texts_release(&t);
}
