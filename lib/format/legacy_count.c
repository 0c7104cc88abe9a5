/* SPDX-License-Identifier: MIT */
/*
 * Go's profiles that count stacks, such as "goroutine" and "threadcreate":
 *
 *	NAME profile: total N
 *	COUNT @ 0xADDRESS 0xADDRESS ...
 */
#include <errno.h>

#include "base/error.h"
#include "format/legacy_build.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_text.h"

/* Goes to the header and takes the name from it; false if it is another. */
static bool find_name(struct lines *lines, struct span *name)
{
	struct reader r;

	lines_skip_remarks(lines);
	r = reader_of(lines->line);
	*name = text_run_not(&r, TEXT_SPACE);
	return name->len && text_take(&r, " profile: total ") &&
	       text_run(&r, TEXT_DIGIT).len && !reader_left(&r);
}

/* " 0xADDRESS 0xADDRESS", at least one, and nothing else. */
static bool is_address_list(struct span text)
{
	struct reader r = reader_of(text);

	do {
		if (!text_take(&r, " ") || !text_take_address(&r).len)
			return false;
	} while (reader_left(&r));
	return true;
}

/* Returns 0 or -EBADMSG. */
static int read_sample(struct legacy_build *b, struct span line)
{
	struct reader r = reader_of(line);
	struct span number = text_run(&r, TEXT_DIGIT);
	struct legacy_sample s = { 0 };
	struct span addresses;

	if (!number.len || !text_take(&r, " @"))
		return -EBADMSG;
	addresses = span_of(r.at, reader_left(&r));
	if (!is_address_list(addresses) ||
	    !text_signed(number, 0, &s.value[0]) ||
	    legacy_add_frames(b, addresses, LEGACY_ADJUST_ALL) < 0)
		return -EBADMSG;
	legacy_add_sample(b, s);
	return 0;
}

static bool count_detect(struct span data)
{
	struct lines lines = lines_of(data);
	struct span name;

	return find_name(&lines, &name);
}

static int count_read(struct legacy_build *b, struct span data,
		      struct error *err)
{
	struct lines lines = lines_of(data);
	struct span name;

	if (!find_name(&lines, &name))
		return -ENOTSUP;
	legacy_add_type(b, name, span_text("count"));
	b->period_type = b->types[0];
	b->period = 1;
	while (lines_next(&lines) && !span_starts(lines.line, "---")) {
		if (text_is_remark(lines.line))
			continue;
		if (read_sample(b, lines.line) < 0)
			return error_set(
				err, -EBADMSG,
				"line %u is no count of a stack: '%.*s'",
				lines.number, text_shown(lines.line),
				lines.line.at);
	}
	return legacy_read_sections(b, &lines, err);
}

const struct legacy_parser legacy_count = {
	.detect = count_detect,
	.read = count_read,
};
