/* SPDX-License-Identifier: MIT */
/*
 * Heap profiles as text, from gperftools, tcmalloc and Go:
 *
 *	heap profile: COUNT: BYTES [COUNT: BYTES] @ KIND/PERIOD
 *	COUNT: BYTES [COUNT: BYTES] @ 0xADDRESS 0xADDRESS ...
 *	MAPPED_LIBRARIES:
 *	...
 */
#include "format/legacy_heap.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "format/legacy_build.h"
#include "format/legacy_maps.h"
#include "format/legacy_parser.h"
#include "format/legacy_text.h"

struct heap_header {
	struct heap_counts totals;
	struct span kind;   /* "heap_v2", ... */
	struct span period; /* may be empty */
};

typedef bool take_rest(struct reader *r, struct heap_header *h);

/* " @ heap_v2/524288", blanks free. */
static bool take_heap(struct reader *r, struct heap_header *h)
{
	const uint8_t *start;

	text_run(r, TEXT_BLANK);
	if (!text_take(r, "@"))
		return false;
	text_run(r, TEXT_BLANK);
	start = r->at;
	if (!text_take(r, "heap"))
		return false;
	text_run(r, TEXT_KIND);
	h->kind = span_of(start, (size_t)(r->at - start));
	text_take(r, "/");
	h->period = text_run(r, TEXT_DIGIT);
	return true;
}

static bool take_growth(struct reader *r, struct heap_header *h)
{
	(void)h;
	return text_take(r, " @ growth") || text_take(r, " @ fragmentation");
}

/* Finds a header, whose last part rest takes, anywhere in line. */
static bool find_header(struct span line, take_rest *rest,
			struct heap_header *h)
{
	static const char name[] = "heap profile:";
	struct reader r = reader_of(line);
	const uint8_t *at;

	while (reader_left(&r) &&
	       (at = memmem(r.at, reader_left(&r), name, strlen(name)))) {
		r.at = at + strlen(name);
		text_run(&r, TEXT_BLANK);
		if (heap_take_counts(&r, false, &h->totals) && rest(&r, h))
			return true;
		r.at = at + strlen(name);
	}
	return false;
}

/* What the kinds mean.  Go gives twice its rate. */
static const struct {
	const char *name;
	bool sampled;
	unsigned divisor; /* of the period; 0: the period is 1 */
} kinds[] = {
	{ "heapz_v2", true, 1 },
	{ "heap_v2", true, 1 },
	{ "heapprofile", false, 0 },
	{ "heap", true, 2 },
};

/* Returns 0, or -ENOTSUP if the kind is unknown or the period too large. */
static int read_heap_kind(const struct heap_header *h, struct heap_kind *kind,
			  int64_t *period)
{
	*period = 0;
	if (h->period.len && !text_signed(h->period, 10, period))
		return -ENOTSUP;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!span_equal(h->kind, span_text(kinds[i].name)))
			continue;
		kind->sampled = kinds[i].sampled;
		kind->allocated = heap_tells_allocated(&h->totals);
		*period = kinds[i].divisor ? *period / kinds[i].divisor : 1;
		return 0;
	}
	return -ENOTSUP;
}

static int read_header(struct span line, struct heap_kind *kind,
		       int64_t *period)
{
	struct heap_header h;

	*kind = (struct heap_kind){ 0 };
	if (find_header(line, take_heap, &h))
		return read_heap_kind(&h, kind, period);
	*period = 1;
	return find_header(line, take_growth, &h) ? 0 : -ENOTSUP;
}

/* Finds counts and a list of addresses anywhere in line. */
static bool find_sample(struct span line, struct heap_counts *c,
			struct span *addresses)
{
	struct reader r = reader_of(line);

	for (;;) {
		struct reader ahead;

		text_run_not(&r, TEXT_DIGIT);
		if (!reader_left(&r))
			return false;
		ahead = r;
		if (r.at > line.at && r.at[-1] == '-')
			ahead.at--;
		if (heap_take_counts(&ahead, true, c) &&
		    text_take(&ahead, " @")) {
			*addresses = text_run(&ahead, TEXT_ADDRESS);
			return true;
		}
		text_run(&r, TEXT_DIGIT);
	}
}

static int read_sample(struct legacy_build *b, const struct heap_kind *kind,
		       const struct lines *lines, struct error *err)
{
	struct heap_counts counts;
	struct span addresses;

	if (!find_sample(lines->line, &counts, &addresses))
		return error_set(
			err, -EBADMSG, "line %u is no heap sample: '%.*s'",
			lines->number, text_shown(lines->line), lines->line.at);
	if (legacy_add_frames(b, addresses, LEGACY_ADJUST_ALL) < 0)
		return error_set(
			err, -EBADMSG,
			"line %u: an address has more than 64 bits: '%.*s'",
			lines->number, text_shown(lines->line), lines->line.at);
	return heap_add_sample(b, kind, &counts, lines, err);
}

static bool heap_detect(struct span data)
{
	struct lines lines = lines_of(data);
	struct heap_kind kind;
	int64_t period;

	return lines_next(&lines) &&
	       read_header(lines.line, &kind, &period) == 0;
}

static int heap_read(struct legacy_build *b, struct span data,
		     struct error *err)
{
	struct lines lines = lines_of(data);
	struct heap_kind kind;
	int64_t period;

	if (!lines_next(&lines) || read_header(lines.line, &kind, &period) < 0)
		return -ENOTSUP;
	legacy_set_period(b, "space", "bytes", period);
	heap_add_types(b, &kind);
	while (lines_next(&lines)) {
		int r;

		if (text_is_remark(lines.line))
			continue;
		if (legacy_is_map_header(lines.line))
			break;
		r = read_sample(b, &kind, &lines, err);
		if (r < 0)
			return r;
	}
	return legacy_read_sections(b, &lines, err);
}

const struct legacy_parser legacy_heap = {
	.detect = heap_detect,
	.read = heap_read,
};
