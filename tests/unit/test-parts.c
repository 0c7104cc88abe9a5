/* SPDX-License-Identifier: MIT */
/* Rows that several write at once come out in their order. */
#include "report/parts.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "base/arena.h"
#include "base/sink.h"
#include "hands.h"

struct rows {
	size_t width;	 /* of a row */
	uint32_t broken; /* the row that fails; 0: none */
};

static int put(void *context, unsigned worker, uint32_t first, uint32_t end,
	       struct sink *out)
{
	const struct rows *r = context;

	CHECK(worker < WORKERS_MAX);
	for (uint32_t i = first; i < end; i++) {
		if (r->broken && i >= r->broken)
			return -EDOM;
		sink_format(out, "%u", i);
		sink_repeat(out, '.', r->width);
		sink_char(out, '\n');
		if (i % 64 == worker)
			sched_yield();
	}
	return 0;
}

static struct span written(struct arena *arena, const struct rows *rows,
			   uint32_t end, const struct workers *workers)
{
	struct sink out = sink_to_memory(arena);
	const struct parts p = {
		.first = 1,
		.end = end,
		.workers = workers,
		.put = put,
		.context = (void *)rows,
	};

	CHECK_EQ(parts_write(&p, &out), 0);
	return sink_bytes(&out);
}

static const struct workers four = { 4, run_together };
static const struct workers eight = { WORKERS_MAX, run_together };
static const struct workers no_threads = { 3, run_backwards };

TEST(many_write_what_one_writes)
{
	static const struct workers *const several[] = { &four, &eight,
							 &no_threads, NULL };
	/* Short rows, long ones, and one that no buffer holds. */
	static const size_t widths[] = { 0, 300, 50000, 3000000 };
	static const uint32_t ends[] = { 50000, 20000, 300, 9 };

	for (size_t i = 0; i < 4; i++) {
		for (size_t w = 0; w < 4; w++) {
			struct arena arena = { 0 };
			struct rows rows = { .width = widths[i] };
			struct sink plain = sink_to_memory(&arena);
			struct span got = written(&arena, &rows, ends[i],
						  several[w]);

			CHECK_EQ(put(&rows, 0, 1, ends[i], &plain), 0);
			CHECK(span_equal(got, sink_bytes(&plain)));
			arena_release(&arena);
		}
	}
}

TEST(no_rows_are_nothing)
{
	struct arena arena = { 0 };
	struct rows rows = { 0 };

	CHECK_EQ(written(&arena, &rows, 1, &four).len, 0);
	arena_release(&arena);
}

TEST(a_row_that_fails_ends_all)
{
	struct arena arena = { 0 };
	struct sink out = sink_to_memory(&arena);
	struct rows rows = { .width = 10, .broken = 5000 };
	const struct parts p = {
		.end = 1000000000,
		.workers = &four,
		.put = put,
		.context = &rows,
	};

	CHECK_EQ(parts_write(&p, &out), -EDOM);
	arena_release(&arena);
}

static int full(void *context, struct span bytes)
{
	size_t *left = context;

	if (bytes.len > *left)
		return -ENOSPC;
	*left -= bytes.len;
	return 0;
}

TEST(a_sink_that_fails_ends_all_and_says_why_itself)
{
	char buf[100];
	size_t left = 1000000;
	struct sink out = sink_to_function(full, &left, buf, sizeof(buf));
	struct rows rows = { .width = 10 };
	const struct parts p = {
		.end = 1000000000,
		.workers = &four,
		.put = put,
		.context = &rows,
	};

	CHECK_EQ(parts_write(&p, &out), 0);
	CHECK_EQ(sink_flush(&out), -ENOSPC);
}
