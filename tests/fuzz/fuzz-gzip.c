/* SPDX-License-Identifier: MIT */
/*
 * The gzip reader on any bytes, within a limit; and any bytes through the
 * writer and back, as a small file and as a piece of a large one.
 */
#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/deflate.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/gzip.h"
#include "format/quickdeflate.h"
#include "fuzz.h"

enum { LIMIT = 1 << 20 };

static void check_writing(struct span input)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct gzip_writer w;
	struct gunzipped g;

	gzip_writer_open(&w, &out, NULL);
	sink_span(&w.plain, input);
	ASSERT(gzip_writer_close(&w) == 0);
	ASSERT(gzip_expand(&g, sink_bytes(&out), LIMIT, NULL) == 0);
	ASSERT(span_equal(g.data, input));
	gunzipped_release(&g);
	arena_release(&arena);
}

static void check_quick(struct span input)
{
	struct arena arena = { 0 };
	struct quickdeflate *q = arena_alloc(&arena, quickdeflate_size());
	uint8_t *packed = arena_alloc(&arena,
				      quickdeflate_bound(input.len) + 2);
	uint8_t *plain = arena_alloc(&arena, input.len + 1);
	struct libdeflate_decompressor *d = inflate_open();
	size_t len, made;

	ASSERT(q && packed && plain && d);
	len = quickdeflate(q, input, packed);
	ASSERT(len <= quickdeflate_bound(input.len));
	memcpy(packed + len, QUICKDEFLATE_END, 2);
	ASSERT(libdeflate_deflate_decompress(d, packed, len + 2, plain,
					     input.len + 1,
					     &made) == LIBDEFLATE_SUCCESS);
	ASSERT(span_equal(span_of(plain, made), input));
	libdeflate_free_decompressor(d);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span input = span_of(data, size);
	struct gunzipped g;
	struct error err = { 0 };
	int r = gzip_expand(&g, input, LIMIT, &err);

	ASSERT(r == 0 || r == -EBADMSG || r == -EFBIG);
	ASSERT(r == 0 || err.text[0]);
	if (r == 0) {
		ASSERT(gzip_detect(input));
		ASSERT(g.data.len <= LIMIT);
	}
	gunzipped_release(&g);
	/* Writing is slow and simple: a part of the inputs is enough. */
	if (size % 64 == 0 && size < LIMIT)
		check_writing(input);
	if (size % 8 == 1)
		check_quick(input);
	return 0;
}
