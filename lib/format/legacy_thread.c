/* SPDX-License-Identifier: MIT */
/*
 * threadz: the stacks of all threads.
 *
 *	--- threadz N ---
 *	--- Thread HEX (name: NAME/ID) stack: ---
 *	  PC:    0xADDRESS ...
 *	         0xADDRESS ...
 *	--- Memory map: ---
 *
 * Whatever follows a thread's header, its addresses are its frames, up to the
 * next line of dashes, without which the file is none.
 */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/space.h"
#include "format/legacy_build.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_text.h"

/* Goes behind the next literal in r; false, and to the end, if none is left. */
static bool skip_past(struct reader *r, const char *literal)
{
	const uint8_t *at = NULL;

	if (reader_left(r))
		at = memmem(r->at, reader_left(r), literal, strlen(literal));
	r->at = at ? at + strlen(literal) : r->end;
	return at;
}

/* Whether "--- threadz N ---" is somewhere in line. */
static bool is_file_header(struct span line)
{
	struct reader r = reader_of(line);

	while (skip_past(&r, "--- threadz ")) {
		struct reader ahead = r;

		if (text_run(&ahead, TEXT_DIGIT).len &&
		    text_take(&ahead, " ---"))
			return true;
	}
	return false;
}

/* Whether "/ID) stack: ---" comes anywhere. */
static bool has_thread_id(struct reader r)
{
	while (skip_past(&r, "/")) {
		struct reader ahead = r;

		if (text_run(&ahead, TEXT_DIGIT).len &&
		    text_take(&ahead, ") stack: ---"))
			return true;
	}
	return false;
}

/* Whether a thread's header is somewhere in line. */
static bool is_thread_header(struct span line)
{
	struct reader r = reader_of(line);

	while (skip_past(&r, "--- Thread ")) {
		struct reader ahead = r;

		if (text_run(&ahead, TEXT_HEX).len &&
		    text_take(&ahead, " (name: "))
			return has_thread_id(ahead);
	}
	return false;
}

/*
 * Goes to the first thread's header, or to another line of dashes.  line is
 * what the loop over threads looks at first.
 */
static bool find_first_thread(struct lines *lines, struct span *line)
{
	lines_skip_remarks(lines);
	*line = lines->line;
	if (!is_file_header(*line))
		return is_thread_header(*line);
	while (lines_next(lines)) {
		*line = lines->line;
		if (legacy_is_map_header(*line) || span_starts(*line, "-"))
			break;
	}
	return true;
}

/*
 * Reads the frames of one thread and goes to the line of dashes behind them,
 * which is returned in line; if there is none, line is the last of the file.
 */
static int read_frames(struct legacy_build *b, struct lines *lines,
		       struct span *line, struct error *err)
{
	bool same_as_previous = false;

	*line = (struct span){ 0 };
	while (lines_next(lines)) {
		*line = span_trim(lines->line);
		if (span_starts(*line, "---"))
			break;
		if (text_contains(*line, "same as previous thread"))
			same_as_previous = true;
		else if (legacy_add_frames(b, *line, LEGACY_ADJUST_CALLERS) < 0)
			return error_set(
				err, -EBADMSG,
				"line %u: an address has more than 64 bits: '%.*s'",
				lines->number, text_shown(*line), line->at);
	}
	if (same_as_previous)
		legacy_drop_frames(b);
	return 0;
}

/* A thread without frames of its own has those of the thread before. */
static void add_thread(struct legacy_build *b)
{
	if (legacy_open_frames(b))
		legacy_add_sample(b, (struct legacy_sample){ .value = { 1 } });
	else if (b->samples.count)
		b->samples.at[b->samples.count - 1].value[0]++;
}

static int read_threads(struct legacy_build *b, struct lines *lines,
			struct span line, struct error *err)
{
	while (!legacy_is_map_header(line)) {
		int r;

		if (span_starts(line, "---- no stack trace for"))
			break;
		if (!is_thread_header(line))
			return -ENOTSUP;
		r = read_frames(b, lines, &line, err);
		if (r < 0)
			return r;
		add_thread(b);
	}
	return 0;
}

static bool thread_detect(struct span data)
{
	struct lines lines = lines_of(data);
	struct span line;

	return find_first_thread(&lines, &line);
}

static int thread_read(struct legacy_build *b, struct span data,
		       struct error *err)
{
	struct lines lines = lines_of(data);
	struct span line;
	int r;

	if (!find_first_thread(&lines, &line))
		return -ENOTSUP;
	legacy_add_type_text(b, "thread", "count");
	legacy_set_period(b, "thread", "count", 1);
	r = read_threads(b, &lines, line, err);
	if (r < 0)
		return r;
	r = legacy_read_sections(b, &lines, err);
	if (r < 0)
		return r;
	legacy_remove_doubled_leaves(b);
	return 0;
}

const struct legacy_parser legacy_thread = {
	.detect = thread_detect,
	.read = thread_read,
};
