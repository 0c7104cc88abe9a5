/* SPDX-License-Identifier: MIT */
/*
 * Heap and contention profiles of the Java agent:
 *
 *	--- heapz 1 ---          (or "--- contentionz 1 ---")
 *	format = java
 *	resolution = UNIT
 *	VALUE COUNT @ 0xADDRESS 0xADDRESS ...
 *	0xADDRESS symbol
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_parser.h"
#include "format/legacy_scale.h"
#include "format/legacy_symbols.h"
#include "format/legacy_text.h"

enum { JAVA_SAMPLING_RATE = 512 * 1024 };

struct java {
	bool heap; /* else contention */
	struct span rest;
	struct span line;
};

/* Takes the next line that ends with a newline, and trims it. */
static bool next_line(struct java *j)
{
	const uint8_t *end = j->rest.len ? memchr(j->rest.at, '\n', j->rest.len)
					 : NULL;
	size_t len;

	if (!end)
		return false;
	len = (size_t)(end - j->rest.at);
	j->line = span_trim(span_of(j->rest.at, len));
	j->rest = span_of(end + 1, j->rest.len - len - 1);
	return true;
}

static bool take_header(struct java *j, struct span data)
{
	*j = (struct java){ .rest = data };
	if (!next_line(j))
		return false;
	j->heap = span_equal(j->line, span_text("--- heapz 1 ---"));
	return j->heap ||
	       span_equal(j->line, span_text("--- contentionz 1 ---"));
}

/* Finds "name=value", both of words and blanks, anywhere in line. */
static bool find_attribute(struct span line, struct span *name,
			   struct span *value)
{
	struct reader r = reader_of(line);

	while (reader_left(&r)) {
		struct reader ahead;

		*name = text_run(&r, TEXT_WORD | TEXT_BLANK);
		ahead = r;
		if (name->len && text_take(&ahead, "=")) {
			*value = text_run(&ahead, TEXT_WORD | TEXT_BLANK);
			if (value->len)
				return true;
		}
		text_run_not(&r, TEXT_WORD | TEXT_BLANK);
	}
	return false;
}

static int set_period(struct legacy_build *b, struct span value)
{
	int64_t period;

	if (!text_signed(value, 0, &period))
		return -EBADMSG;
	legacy_set_period(b, "contentions", "count", period);
	return 0;
}

static int set_duration(struct legacy_build *b, struct span value)
{
	int64_t milliseconds;

	if (!text_signed(value, 0, &milliseconds))
		return -EBADMSG;
	b->duration_nanos = wrapping_product(milliseconds, 1000000);
	return 0;
}

static void set_types(struct legacy_build *b, bool heap, struct span unit)
{
	b->type_count = 0;
	legacy_add_type_text(b, heap ? "inuse_objects" : "contentions",
			     "count");
	legacy_add_type(b, span_text(heap ? "inuse_space" : "delay"), unit);
}

/*
 * Returns 0, -ENOTSUP if the profile is not Java's or the attribute is not
 * known, or -EBADMSG if its number is none.
 */
static int read_attribute(struct legacy_build *b, bool heap, struct span name,
			  struct span value)
{
	if (span_equal(name, span_text("format")))
		return span_equal(value, span_text("java")) ? 0 : -ENOTSUP;
	if (span_equal(name, span_text("resolution"))) {
		set_types(b, heap, value);
		return 0;
	}
	if (!heap && span_equal(name, span_text("sampling period")))
		return set_period(b, value);
	if (!heap && span_equal(name, span_text("ms since reset")))
		return set_duration(b, value);
	return -ENOTSUP;
}

/* Reads up to the first line that is no attribute, and before it. */
static int read_attributes(struct legacy_build *b, struct java *j,
			   struct error *err)
{
	struct span before = j->rest;

	for (; next_line(j); before = j->rest) {
		struct span name, value;
		int r;

		if (!j->line.len)
			continue;
		if (!find_attribute(j->line, &name, &value))
			break;
		r = read_attribute(b, j->heap, span_trim(name),
				   span_trim(value));
		if (r == -EBADMSG)
			return error_set(err, r,
					 "the number of '%.*s' is wrong",
					 text_shown(j->line), j->line.at);
		if (r < 0)
			return r;
	}
	j->rest = before;
	return 0;
}

struct fields {
	struct span value;
	struct span count;
	struct span addresses;
};

/* Finds "VALUE COUNT @ addresses" anywhere in line. */
static bool find_fields(struct span line, struct fields *f)
{
	struct reader r = reader_of(line);

	for (;;) {
		struct reader ahead;

		text_run_not(&r, TEXT_DIGIT);
		if (!reader_left(&r))
			return false;
		f->value = text_run(&r, TEXT_DIGIT);
		ahead = r;
		text_run(&ahead, TEXT_BLANK);
		f->count = text_run(&ahead, TEXT_DIGIT);
		if (!f->count.len || !text_run(&ahead, TEXT_BLANK).len ||
		    !text_take(&ahead, "@") ||
		    !text_run(&ahead, TEXT_BLANK).len)
			continue;
		f->addresses = text_run(&ahead, TEXT_ADDRESS);
		return true;
	}
}

/* False for a heap sample of no objects. */
static bool unsample(const struct legacy_build *b, bool heap,
		     struct legacy_sample *s)
{
	struct allocations a = { s->value[0], s->value[1] };

	if (!heap) {
		int64_t period = b->period ? b->period : 1;

		s->value[0] = wrapping_product(a.count, period);
		s->value[1] = wrapping_product(a.bytes, period);
		return true;
	}
	if (!a.count)
		return false;
	s->has_block = true;
	s->block = a.bytes / a.count;
	a = scale_allocations(a, JAVA_SAMPLING_RATE);
	s->value[0] = a.count;
	s->value[1] = a.bytes;
	return true;
}

static int read_sample(struct legacy_build *b, bool heap,
		       const struct fields *f)
{
	struct legacy_sample s = { 0 };

	if (!text_signed(f->count, 0, &s.value[0]) ||
	    !text_signed(f->value, 0, &s.value[1]) || !unsample(b, heap, &s) ||
	    legacy_add_frames(b, f->addresses, LEGACY_ADJUST_NONE) < 0)
		return -EBADMSG;
	legacy_add_sample(b, s);
	return 0;
}

/* Reads up to the first line that is no sample, and before it. */
static int read_samples(struct legacy_build *b, struct java *j,
			struct error *err)
{
	struct span before = j->rest;

	for (; next_line(j); before = j->rest) {
		struct fields f;

		if (!j->line.len)
			continue;
		if (!find_fields(j->line, &f))
			break;
		if (read_sample(b, j->heap, &f) < 0)
			return error_set(
				err, -EBADMSG,
				"a number of the sample '%.*s' is wrong",
				text_shown(j->line), j->line.at);
	}
	j->rest = before;
	return 0;
}

static bool java_detect(struct span data)
{
	struct java j;

	return take_header(&j, data);
}

static int java_read(struct legacy_build *b, struct span data,
		     struct error *err)
{
	struct java j;
	int r;

	if (!take_header(&j, data))
		return -ENOTSUP;
	r = read_attributes(b, &j, err);
	if (r < 0)
		return r;
	r = read_samples(b, &j, err);
	if (r < 0)
		return r;
	return legacy_read_symbols(b, j.rest, err);
}

const struct legacy_parser legacy_java = {
	.detect = java_detect,
	.read = java_read,
};
