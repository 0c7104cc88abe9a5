/* SPDX-License-Identifier: MIT */
/*
 * The gzip reader on any bytes, within a limit; and any bytes through the
 * writer and back.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/gzip.h"
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
	return 0;
}
