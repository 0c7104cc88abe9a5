/* SPDX-License-Identifier: MIT */
/*
 * The pprof reader on any bytes.  What it takes must hold together, must be
 * written so that it reads back as the same, and must be taken compressed too.
 */
#include <errno.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/sink.h"
#include "format/format.h"
#include "format/gzip.h"
#include "format/pprof.h"
#include "fuzz.h"
#include "profile/profile.h"

#define LIMIT ((size_t)64 << 20)

/* The profile as pprof_write() writes it, decompressed. */
static struct gunzipped rewrite(const struct profile *p, struct arena *arena)
{
	struct sink out = sink_to_memory(arena);
	struct gunzipped g;

	ASSERT(pprof_write(p, NULL, &out, NULL) == 0);
	ASSERT(gzip_expand(&g, sink_bytes(&out), LIMIT, NULL) == 0);
	return g;
}

/* Writes p and reads that into again. */
static struct gunzipped pass_on(const struct profile *p, struct profile *again,
				struct arena *arena)
{
	struct gunzipped g = rewrite(p, arena);

	ASSERT(profile_init(again, arena) == 0);
	ASSERT(pprof_read(again, g.data, NULL) == 0);
	ASSERT(again->sample_count == p->sample_count);
	ASSERT(again->locations.count == p->locations.count);
	return g;
}

/*
 * The first time labels may be lost: one whose text is a second empty string
 * of the file's reads as a label, but is written as none, as by pprof itself.
 */
static void check_rewriting(const struct profile *p)
{
	struct arena arena = { 0 };
	struct profile second, third;
	struct gunzipped a = pass_on(p, &second, &arena);
	struct gunzipped b = pass_on(&second, &third, &arena);
	struct gunzipped c = rewrite(&third, &arena);

	ASSERT(span_equal(b.data, c.data));
	gunzipped_release(&a);
	gunzipped_release(&b);
	gunzipped_release(&c);
	arena_release(&arena);
}

/* What is no pprof profile may still be one of another format. */
static void check_compressed(struct span input, bool good)
{
	struct arena arena = { .limit = LIMIT };
	struct sink out = sink_to_memory(&arena);
	struct gzip_writer w;
	struct profile p;

	gzip_writer_open(&w, &out, NULL);
	sink_span(&w.plain, input);
	ASSERT(gzip_writer_close(&w) == 0);
	ASSERT(profile_init(&p, &arena) == 0);
	ASSERT(format_read(&p, sink_bytes(&out), LIMIT, NULL) == 0 || !good);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { .limit = LIMIT };
	struct span input = span_of(data, size);
	struct profile p;
	struct error err = { 0 };
	int r;

	ASSERT(profile_init(&p, &arena) == 0);
	r = pprof_read(&p, input, &err);
	ASSERT(r == 0 || r == -ENOTSUP || err.text[0]);
	ASSERT(r == -ENOTSUP || !size || pprof_detect(input));
	ASSERT(r < 0 || profile_check(&p, NULL) == 0);
	/* Compressing is slow: a part of the inputs is enough. */
	if (r == 0 && size % 8 == 1)
		check_rewriting(&p);
	if (size % 64 == 0)
		check_compressed(input, r == 0);
	arena_release(&arena);
	return 0;
}
