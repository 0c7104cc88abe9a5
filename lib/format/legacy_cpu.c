/* SPDX-License-Identifier: MIT */
/*
 * gperftools' binary CPU profiles: words of the machine that was profiled,
 * four or eight bytes in either order, and then text.  Five words of header
 * (0, 3, 0 or 1 for Java, the period in microseconds, 0), then for each stack
 * its count, its depth and its addresses, then a stack of one 0 seen 0 times.
 * The text is the memory map or, for Java, the symbols.
 *
 * The words that a file cut short does not have read as 0, as in pprof.
 */
#include <errno.h>

#include "base/check.h"
#include "format/legacy_build.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_scale.h"
#include "format/legacy_symbols.h"
#include "format/legacy_text.h"

struct words {
	struct reader r;
	unsigned size;
	bool big_endian;
};

static uint64_t next_word(struct words *w)
{
	struct span s = reader_take(&w->r, w->size);
	uint64_t value = 0;

	for (size_t i = 0; i < s.len; i++) {
		size_t place = w->big_endian ? s.len - 1 - i : i;

		value |= (uint64_t)s.at[i] << (8 * place);
	}
	return value;
}

struct cpu_header {
	uint64_t period; /* microseconds */
	bool java;
};

static bool take_header(struct words *w, struct cpu_header *h)
{
	uint64_t count = next_word(w);
	uint64_t size = next_word(w);
	uint64_t version = next_word(w);
	uint64_t padding;

	h->period = next_word(w);
	h->java = version == 1;
	padding = next_word(w);
	return !w->r.failed && count == 0 && size == 3 && version <= 1 &&
	       h->period && padding == 0;
}

/* Finds out which words fit the header; w stands behind it then. */
static bool find_header(struct span data, struct words *w, struct cpu_header *h)
{
	static const struct words kinds[] = {
		{ .size = 4, .big_endian = false },
		{ .size = 4, .big_endian = true },
		{ .size = 8, .big_endian = false },
		{ .size = 8, .big_endian = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		*w = kinds[i];
		w->r = reader_of(data);
		if (take_header(w, h))
			return true;
	}
	return false;
}

/*
 * Reads one stack.  Returns 1, 0 if it was the last, or -ENOTSUP if it can not
 * be one.
 */
static int read_stack(struct legacy_build *b, struct words *w,
		      enum legacy_adjust adjust)
{
	int64_t count = (int64_t)next_word(w);
	uint64_t depth = next_word(w);

	if (w->r.failed || depth > reader_left(&w->r) / 4)
		return -ENOTSUP;
	for (uint64_t i = 0; i < depth; i++) {
		uint64_t address = next_word(w);

		if (count == 0 && depth == 1 && address == 0)
			return 0;
		legacy_add_frame(b, address, adjust);
	}
	legacy_add_sample(
		b,
		(struct legacy_sample){
			.value = { count, wrapping_product(count, b->period) },
		});
	return 1;
}

static int read_stacks(struct legacy_build *b, struct words *w,
		       enum legacy_adjust adjust)
{
	while (reader_left(&w->r)) {
		int r = read_stack(b, w, adjust);

		if (r <= 0)
			return r;
	}
	return 0;
}

/* The second frame of more than half of the samples, or LEGACY_NO_PLACE. */
static uint32_t commonest_second_frame(const struct legacy_build *b)
{
	uint32_t candidate = LEGACY_NO_PLACE;
	uint32_t lead = 0;

	for (uint32_t i = 0; i < b->samples.count; i++) {
		uint32_t second = legacy_second_frame(b, i);

		if (!lead)
			candidate = second;
		if (second == candidate)
			lead++;
		else
			lead--;
	}
	return candidate;
}

/*
 * If nearly all samples, 31 of 32, have the same second frame it is that of
 * the profiler's signal handler, and goes.
 */
static void remove_handler_frame(struct legacy_build *b)
{
	uint32_t needed = b->samples.count - b->samples.count / 32;
	uint32_t handler = commonest_second_frame(b);
	uint32_t count = 0;

	if (!handler)
		return;
	for (uint32_t i = 0; i < b->samples.count; i++)
		count += legacy_second_frame(b, i) == handler;
	if (count < needed)
		return;
	for (uint32_t i = 0; i < b->samples.count; i++)
		if (legacy_second_frame(b, i) == handler)
			legacy_remove_second_frame(b, i);
}

static int read_native(struct legacy_build *b, struct words *w,
		       struct error *err)
{
	struct lines text;
	int r = read_stacks(b, w, LEGACY_ADJUST_CALLERS);

	if (r < 0)
		return r;
	/* A handler may leave two frames: its own and the trampoline's. */
	remove_handler_frame(b);
	remove_handler_frame(b);
	text = lines_of(span_of(w->r.at, reader_left(&w->r)));
	r = legacy_read_maps(b, &text, err);
	if (r < 0)
		return r;
	legacy_remove_doubled_leaves(b);
	return 0;
}

static int read_java(struct legacy_build *b, struct words *w, struct error *err)
{
	int r = read_stacks(b, w, LEGACY_ADJUST_NONE);

	if (r < 0)
		return r;
	return legacy_read_symbols(b, span_of(w->r.at, reader_left(&w->r)),
				   err);
}

static bool cpu_detect(struct span data)
{
	struct words w;
	struct cpu_header h;

	return find_header(data, &w, &h);
}

static int cpu_read(struct legacy_build *b, struct span data, struct error *err)
{
	struct words w;
	struct cpu_header h;

	if (!find_header(data, &w, &h))
		return -ENOTSUP;
	legacy_set_period(b, "cpu", "nanoseconds",
			  wrapping_product((int64_t)h.period, 1000));
	legacy_add_type_text(b, "samples", "count");
	legacy_add_type_text(b, "cpu", "nanoseconds");
	return h.java ? read_java(b, &w, err) : read_native(b, &w, err);
}

const struct legacy_parser legacy_cpu = {
	.detect = cpu_detect,
	.read = cpu_read,
};
