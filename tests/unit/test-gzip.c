/* SPDX-License-Identifier: MIT */
/* gzip files in and out, and what is said of bad ones. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/gzip.h"
#include "hands.h"

#define NO_LIMIT ((uint64_t)1 << 40)

/* Appends a member that holds len times c. */
static void put_member(struct sink *out, char c, size_t len)
{
	struct gzip_writer w;

	gzip_writer_open(&w, out, NULL);
	sink_repeat(&w.plain, c, len);
	CHECK_EQ(gzip_writer_close(&w), 0);
}

TEST(what_is_compressed_expands_again)
{
	static const size_t sizes[] = { 0, 1, 1000, 10000000 };

	for (unsigned i = 0; i < 4; i++) {
		struct arena arena = { 0 };
		struct sink out = sink_to_memory(&arena);
		struct gunzipped g;
		struct error err = { 0 };

		put_member(&out, 'x', sizes[i]);
		CHECK(gzip_detect(sink_bytes(&out)));
		CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), 0);
		CHECK_EQ(g.data.len, sizes[i]);
		if (sizes[i])
			CHECK_EQ(g.data.at[sizes[i] - 1], 'x');
		gunzipped_release(&g);
		arena_release(&arena);
	}
}

TEST(members_follow_each_other)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gunzipped g;
	struct error err = { 0 };

	/* The last one's size tells nothing of the first's. */
	put_member(&out, 'a', 100000);
	put_member(&out, 'b', 0);
	put_member(&out, 'c', 7);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), 0);
	CHECK_EQ(g.data.len, 100007);
	CHECK_EQ(g.data.at[99999], 'a');
	CHECK_EQ(g.data.at[100000], 'c');
	gunzipped_release(&g);
	arena_release(&arena);
}

/* Bytes that repeat after a while, a bit changed every time. */
static void put_pattern(struct sink *s, unsigned from, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sink_char(s, (char)(from + i * i / 1000 + i % 77));
}

TEST(what_is_large_is_one_member_and_never_in_memory_as_a_whole)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gzip_writer w;
	struct gunzipped g;
	struct error err = { 0 };

	gzip_writer_open(&w, &out, NULL);
	for (unsigned i = 0; i < 100; i++) {
		sink_repeat(&w.plain, (char)i, 1 << 20);
		gzip_writer_step(&w);
		CHECK(w.plain.used < GZIP_SMALL);
	}
	CHECK(w.large);
	CHECK(w.arena.mapped + w.pieces[0].arena.mapped < 5 * GZIP_SMALL);
	CHECK_EQ(gzip_writer_close(&w), 0);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), 0);
	CHECK_EQ(g.data.len, 100 << 20);
	/* A member's size is at its end: it is that of everything. */
	CHECK_BYTES(out.buf + out.used - 4, 4, "\0\0\x40\x06", 4);
	for (unsigned i = 0; i < 100; i++)
		CHECK_EQ(g.data.at[i << 20], i);
	gunzipped_release(&g);
	arena_release(&arena);
}

/* Each part is a stretch of its own, the last of them nothing. */
static void fill_with_pattern(void *context, unsigned worker, unsigned number,
			      struct gzip_piece *piece)
{
	unsigned *round = context;

	(void)worker;
	for (unsigned i = 0; i < 3 && number < 3; i++) {
		put_pattern(&piece->plain, *round * 3 + number, 700000);
		gzip_piece_step(piece);
	}
}

/* A large file of three stretches a round, by so many workers. */
static void write_with(const struct workers *workers, struct sink *out)
{
	struct gzip_writer w;
	unsigned stretch = 0;

	gzip_writer_open(&w, out, workers);
	put_pattern(&w.plain, 0, GZIP_SMALL + 12345);
	gzip_writer_step(&w);
	for (unsigned round = 0; round < 2; round++) {
		put_pattern(&w.plain, round, 1000);
		if (workers) {
			gzip_writer_fill(&w, 4, fill_with_pattern, &round);
			continue;
		}
		for (unsigned i = 0; i < 9; i++, stretch++)
			put_pattern(&w.plain, stretch / 3, 700000);
		gzip_writer_step(&w);
	}
	CHECK_EQ(gzip_writer_close(&w), 0);
}

TEST(what_workers_add_stands_in_the_order_of_its_numbers)
{
	static const struct workers teams[] = { { 4, run_backwards },
						{ 2, run_together },
						{ 4, run_together } };
	struct arena arena = { 0 };
	struct sink alone = sink_to_memory(&arena);
	struct gunzipped want, got;
	struct error err = { 0 };

	write_with(NULL, &alone);
	CHECK_EQ(gzip_expand(&want, sink_bytes(&alone), NO_LIMIT, &err), 0);
	for (unsigned i = 0; i < sizeof(teams) / sizeof(*teams); i++) {
		struct sink out = sink_to_memory(&arena);

		write_with(&teams[i], &out);
		CHECK_EQ(gzip_expand(&got, sink_bytes(&out), NO_LIMIT, &err),
			 0);
		CHECK(span_equal(want.data, got.data));
		gunzipped_release(&got);
	}
	gunzipped_release(&want);
	arena_release(&arena);
}

TEST(workers_do_not_change_the_bytes_of_a_file)
{
	static const struct workers three = { 3, run_backwards };
	const struct workers *const teams[] = { NULL, &three };
	struct arena arena = { 0 };
	struct sink out[2];

	for (unsigned i = 0; i < 2; i++) {
		struct gzip_writer w;

		out[i] = sink_to_memory(&arena);
		gzip_writer_open(&w, &out[i], teams[i]);
		put_pattern(&w.plain, 0, GZIP_SMALL + 12345);
		CHECK_EQ(gzip_writer_close(&w), 0);
	}
	CHECK(span_equal(sink_bytes(&out[0]), sink_bytes(&out[1])));
	arena_release(&arena);
}

TEST(a_worker_without_memory_fails_the_writer)
{
	static const struct workers two = { 2, run_backwards };
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gzip_writer w;
	unsigned round = 0;

	gzip_writer_open(&w, &out, &two);
	put_pattern(&w.plain, 0, GZIP_SMALL);
	gzip_writer_step(&w);
	w.pieces[1].arena.limit = 1;
	w.pieces[1].plain = sink_to_memory(&w.pieces[1].arena);
	gzip_writer_fill(&w, 4, fill_with_pattern, &round);
	gzip_writer_fill(&w, 4, fill_with_pattern, &round);
	CHECK_EQ(gzip_writer_close(&w), -ENOMEM);
	arena_release(&arena);
}

TEST(a_limit_is_kept)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gunzipped g;
	struct error err = { 0 };

	put_member(&out, 'x', 3 << 20);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), 3 << 20, &err), 0);
	gunzipped_release(&g);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), 2 << 20, &err), -EFBIG);
	CHECK_STR(err.text, "it expands to more than 2 MiB");
	gunzipped_release(&g);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), 1000, &err), -EFBIG);
	CHECK_STR(err.text, "it expands to more than 1000 bytes");
	gunzipped_release(&g);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), 0, &err), -EFBIG);
	gunzipped_release(&g);
	arena_release(&arena);
}

TEST(a_bomb_does_not_take_what_it_claims)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gunzipped g;
	struct error err = { 0 };

	put_member(&out, 'x', 1000);
	memset(out.buf + out.used - 4, 0xff, 4);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), -EBADMSG);
	/* Deflate can make a thousand bytes of one, not more. */
	CHECK(g.mapped < out.used * 1100);
	gunzipped_release(&g);
	arena_release(&arena);
}

TEST(something_behind_the_data_is_an_error)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gunzipped g;
	struct error err = { 0 };

	put_member(&out, 'x', 10);
	sink_text(&out, "garbage");
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), -EBADMSG);
	CHECK(strstr(err.text, "there is something else after "));
	gunzipped_release(&g);
	arena_release(&arena);
}

TEST(a_file_cut_anywhere_is_an_error)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct span all;

	put_member(&out, 'x', 100000);
	all = sink_bytes(&out);
	for (size_t len = 0; len < all.len; len++) {
		struct gunzipped g;
		struct error err = { 0 };

		CHECK_EQ(gzip_expand(&g, span_of(all.at, len), NO_LIMIT, &err),
			 -EBADMSG);
		CHECK_STR(err.text, "the gzip data is damaged or cut short");
		gunzipped_release(&g);
	}
	arena_release(&arena);
}

TEST(a_changed_byte_changes_nothing_unnoticed)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct span all;

	put_member(&out, 'x', 1000);
	all = sink_bytes(&out);
	for (size_t i = 0; i < all.len; i++) {
		struct gunzipped g;

		out.buf[i] ^= 0x10;
		/* The time in front is not checked, nor are unused bits. */
		if (gzip_expand(&g, all, 1 << 20, NULL) == 0) {
			CHECK_EQ(g.data.len, 1000);
			CHECK_EQ(g.data.at[999], 'x');
		}
		gunzipped_release(&g);
		out.buf[i] ^= 0x10;
	}
	arena_release(&arena);
}

TEST(a_sink_that_fails_fails_the_writer)
{
	char buf[16];
	struct sink out = sink_to_fd(1000, buf, sizeof(buf));
	struct gzip_writer w;

	gzip_writer_open(&w, &out, NULL);
	sink_repeat(&w.plain, 'x', 100);
	CHECK_EQ(gzip_writer_close(&w), -EBADF);
}
