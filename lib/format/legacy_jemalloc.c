/* SPDX-License-Identifier: MIT */
/*
 * jemalloc's heap dumps, which say the same as gperftools' in another order:
 *
 *	heap_v2/PERIOD
 *	  t*: COUNT: BYTES [COUNT: BYTES]
 *	  t0: COUNT: BYTES [COUNT: BYTES]
 *	@ 0xADDRESS 0xADDRESS ...
 *	  t*: COUNT: BYTES [COUNT: BYTES]
 *	  t0: COUNT: BYTES [COUNT: BYTES]
 *	MAPPED_LIBRARIES:
 *	...
 *
 * "t*" is the sum over the threads, and all that is read.  The numbers are
 * such that unsampling as for tcmalloc gives the right ones.  pprof refuses
 * these files, so unlike the other formats nothing here copies its ways.
 */
#include <errno.h>

#include "base/error.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_heap.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_text.h"

static bool take_header(struct lines *lines, int64_t *period)
{
	struct reader r;

	if (!lines_next(lines))
		return false;
	r = reader_of(lines->line);
	return text_take(&r, "heap_v2/") &&
	       text_signed(text_run(&r, TEXT_DIGIT), 10, period) &&
	       !reader_left(&r);
}

/* What a line after the header is. */
enum line_kind { LINE_STACK, LINE_SUM, LINE_THREAD, LINE_OTHER };

static enum line_kind parse_line(struct span line, struct heap_counts *c,
				 struct span *addresses)
{
	struct reader r = reader_of(span_trim(line));
	enum line_kind kind = LINE_THREAD;

	if (text_take(&r, "@")) {
		*addresses = span_of(r.at, reader_left(&r));
		return LINE_STACK;
	}
	if (!text_take(&r, "t"))
		return LINE_OTHER;
	if (text_take(&r, "*"))
		kind = LINE_SUM;
	else if (!text_run(&r, TEXT_DIGIT).len)
		return LINE_OTHER;
	if (!text_take(&r, ":"))
		return LINE_OTHER;
	text_run(&r, TEXT_BLANK);
	return heap_take_counts(&r, false, c) ? kind : LINE_OTHER;
}

struct dump {
	struct heap_kind kind;
	bool has_totals; /* they come before the first stack */
	bool has_stack;	 /* a stack is waiting for its sum */
};

static int read_sum(struct legacy_build *b, struct dump *d,
		    const struct heap_counts *c, const struct lines *lines)
{
	if (!d->has_totals) {
		d->has_totals = true;
		d->kind.allocated = heap_tells_allocated(c);
		return 0;
	}
	if (!d->has_stack)
		return -EBADMSG;
	d->has_stack = false;
	return heap_add_sample(b, &d->kind, c, lines, NULL);
}

static int read_line(struct legacy_build *b, struct dump *d,
		     const struct lines *lines)
{
	struct heap_counts counts;
	struct span addresses;

	switch (parse_line(lines->line, &counts, &addresses)) {
	case LINE_STACK:
		legacy_drop_frames(b);
		d->has_stack = true;
		return legacy_add_frames(b, addresses, LEGACY_ADJUST_ALL);
	case LINE_SUM:
		return read_sum(b, d, &counts, lines);
	case LINE_THREAD:
		return 0;
	default:
		return -EBADMSG;
	}
}

static bool jemalloc_detect(struct span data)
{
	struct lines lines = lines_of(data);
	int64_t period;

	return take_header(&lines, &period);
}

static int jemalloc_read(struct legacy_build *b, struct span data,
			 struct error *err)
{
	struct lines lines = lines_of(data);
	struct dump d = { .kind.sampled = true };
	int64_t period;

	if (!take_header(&lines, &period))
		return -ENOTSUP;
	legacy_set_period(b, "space", "bytes", period);
	while (lines_next(&lines)) {
		if (text_is_remark(lines.line))
			continue;
		if (legacy_is_map_header(lines.line))
			break;
		if (read_line(b, &d, &lines) < 0)
			return error_set(
				err, -EBADMSG,
				"line %u does not belong in a heap dump: '%.*s'",
				lines.number, text_shown(lines.line),
				lines.line.at);
	}
	/* A stack that the file ends with has no sum. */
	legacy_drop_frames(b);
	heap_add_types(b, &d.kind);
	return legacy_read_sections(b, &lines, err);
}

const struct legacy_parser legacy_jemalloc = {
	.detect = jemalloc_detect,
	.read = jemalloc_read,
};
