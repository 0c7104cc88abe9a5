/* SPDX-License-Identifier: MIT */
/*
 * Contention profiles of tcmalloc's mutexes and of Go's:
 *
 *	--- contentionz N ---      (Go: "--- mutex:" or "--- contention:")
 *	cycles/second = HZ
 *	sampling period = N
 *	ms since reset = MS
 *	CYCLES COUNT @ 0xADDRESS 0xADDRESS ...
 *	--- Memory map: ---
 *
 * The Java agent's begin in the same way: what does not fit here may fit
 * legacy_java.c.
 */
#include <errno.h>
#include <string.h>

#include "base/check.h"
#include "base/error.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_scale.h"
#include "format/legacy_text.h"

struct contention {
	int64_t hertz; /* 0: delays are not in cycles */
	int64_t milliseconds;
};

static bool take_header(struct lines *lines)
{
	return lines_next(lines) &&
	       (span_starts(lines->line, "--- contentionz ") ||
		span_starts(lines->line, "--- mutex:") ||
		span_starts(lines->line, "--- contention:"));
}

/* Returns 0, or -ENOTSUP if there is no such attribute or its value is bad. */
static int read_attribute(struct legacy_build *b, struct contention *c,
			  struct span key, struct span value)
{
	const struct {
		const char *key;
		int64_t *value;
	} attributes[] = {
		{ "cycles/second", &c->hertz },
		{ "sampling period", &b->period },
		{ "ms since reset", &c->milliseconds },
	};

	if (span_equal(key, span_text("discarded samples")))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++)
		if (span_equal(key, span_text(attributes[i].key)))
			return text_signed(value, 0, attributes[i].value)
				       ? 0
				       : -ENOTSUP;
	return -ENOTSUP;
}

/* Reads up to the first line that is no attribute, and stays there. */
static int read_attributes(struct legacy_build *b, struct contention *c,
			   struct lines *lines)
{
	while (lines_next(lines)) {
		struct span line = span_trim(lines->line);
		const uint8_t *equals;
		size_t n;
		int r;

		if (text_is_remark(line))
			continue;
		equals = memchr(line.at, '=', line.len);
		if (span_starts(line, "---") || !equals)
			break;
		n = (size_t)(equals - line.at);
		r = read_attribute(
			b, c, span_trim(span_of(line.at, n)),
			span_trim(span_of(equals + 1, line.len - n - 1)));
		if (r < 0)
			return r;
	}
	b->duration_nanos = wrapping_product(c->milliseconds, 1000000);
	return 0;
}

struct fields {
	struct span delay;
	struct span count;
	struct span addresses;
};

/* Takes " @" and the addresses. */
static bool take_addresses(struct reader *r, struct fields *f)
{
	if (!text_take(r, " @"))
		return false;
	f->addresses = text_run(r, TEXT_ADDRESS);
	return true;
}

/*
 * Finds "CYCLES COUNT @ addresses" anywhere in line.  pprof's pattern lets the
 * blanks between the two numbers be none, so of a single number the last digit
 * is the count.
 */
static bool find_fields(struct span line, struct fields *f)
{
	struct reader r = reader_of(line);

	for (;;) {
		struct reader ahead;

		text_run_not(&r, TEXT_DIGIT);
		if (!reader_left(&r))
			return false;
		f->delay = text_run(&r, TEXT_DIGIT);
		ahead = r;
		text_run(&ahead, TEXT_BLANK);
		f->count = text_run(&ahead, TEXT_DIGIT);
		if (f->count.len && take_addresses(&ahead, f))
			return true;
		ahead = r;
		if (f->delay.len > 1 && take_addresses(&ahead, f)) {
			f->delay.len--;
			f->count = span_of(f->delay.at + f->delay.len, 1);
			return true;
		}
	}
}

/*
 * Returns 0, -ENOTSUP if the line looks different, or -EBADMSG if a number does
 * not fit.
 */
static int read_sample(struct legacy_build *b, const struct contention *c,
		       struct span line)
{
	struct fields f;
	int64_t delay, count;

	if (!find_fields(line, &f))
		return -ENOTSUP;
	if (!text_signed(f.delay, 10, &delay) ||
	    !text_signed(f.count, 10, &count))
		return -EBADMSG;
	if (b->period > 0) {
		if (c->hertz > 0)
			delay = scale_cycles(delay, b->period, c->hertz);
		count = wrapping_product(count, b->period);
	}
	if (legacy_add_frames(b, f.addresses, LEGACY_ADJUST_ALL) < 0)
		return -EBADMSG;
	legacy_add_sample(b,
			  (struct legacy_sample){ .value = { count, delay } });
	return 0;
}

/* Reads from the current line up to one of dashes, and stays there. */
static int read_samples(struct legacy_build *b, const struct contention *c,
			struct lines *lines, struct error *err)
{
	do {
		struct span line = span_trim(lines->line);
		int r = 0;

		if (span_starts(line, "---"))
			break;
		if (!text_is_remark(line))
			r = read_sample(b, c, line);
		if (r == -EBADMSG)
			return error_set(
				err, r,
				"line %u: a number of a contention sample is too large: '%.*s'",
				lines->number, text_shown(line), line.at);
		if (r < 0)
			return r;
	} while (lines_next(lines));
	return 0;
}

static bool contention_detect(struct span data)
{
	struct lines lines = lines_of(data);

	return take_header(&lines);
}

static int contention_read(struct legacy_build *b, struct span data,
			   struct error *err)
{
	struct lines lines = lines_of(data);
	struct contention c = { 0 };
	int r;

	if (!take_header(&lines))
		return -ENOTSUP;
	legacy_set_period(b, "contentions", "count", 1);
	legacy_add_type_text(b, "contentions", "count");
	legacy_add_type_text(b, "delay", "nanoseconds");
	r = read_attributes(b, &c, &lines);
	if (r < 0)
		return r;
	r = read_samples(b, &c, &lines, err);
	if (r < 0)
		return r;
	return legacy_read_sections(b, &lines, err);
}

const struct legacy_parser legacy_contention = {
	.detect = contention_detect,
	.read = contention_read,
};
