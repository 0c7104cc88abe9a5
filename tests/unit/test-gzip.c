/* SPDX-License-Identifier: MIT */
/* gzip files in and out, and what is said of bad ones. */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/gzip.h"
#include "test.h"

#define NO_LIMIT ((uint64_t)1 << 40)

/* Appends a member that holds len times c. */
static void put_member(struct sink *out, char c, size_t len)
{
	struct gzip_writer w;

	CHECK_EQ(gzip_writer_open(&w, out), 0);
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

TEST(more_than_a_member_holds_becomes_several)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gzip_writer w;
	struct gunzipped g;
	struct error err = { 0 };

	CHECK_EQ(gzip_writer_open(&w, &out), 0);
	for (unsigned i = 0; i < 100; i++) {
		sink_repeat(&w.plain, (char)i, 1 << 20);
		gzip_writer_step(&w);
		CHECK(w.plain.used < GZIP_MEMBER);
	}
	CHECK(w.arena.mapped < 5 * GZIP_MEMBER);
	CHECK_EQ(gzip_writer_close(&w), 0);
	CHECK_EQ(gzip_expand(&g, sink_bytes(&out), NO_LIMIT, &err), 0);
	CHECK_EQ(g.data.len, 100 << 20);
	for (unsigned i = 0; i < 100; i++)
		CHECK_EQ(g.data.at[i << 20], i);
	gunzipped_release(&g);
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

	CHECK_EQ(gzip_writer_open(&w, &out), 0);
	sink_repeat(&w.plain, 'x', 100);
	CHECK_EQ(gzip_writer_close(&w), -EBADF);
}
