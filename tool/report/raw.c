/* SPDX-License-Identifier: MIT */
/*
 * The raw report: a profile's tables as text, row by row, for people who debug
 * profiles and for tests.  The text is that of "pprof -raw" to the byte, odd
 * places included, since scripts read it.  It aggregates and filters nothing.
 */
#include "report/raw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/check.h"
#include "base/error.h"
#include "base/idsort.h"
#include "base/sink.h"
#include "base/space.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "report/context.h"
#include "report/report.h"
#include "report/reports.h"

enum { NANOS_PER_SECOND = 1000000000 };

/* Part of a text that may still move. */
struct piece {
	size_t start;
	size_t len;
};

struct raw {
	const struct profile *p;
	struct sink *out;
	struct arena arena;   /* what follows */
	VEC(frame_id) frames; /* of the current sample */
	struct sink text;     /* what is written later, or cut */
	VEC(struct piece) pieces;
	VEC(uint32_t) order;
	VEC(uint32_t) scratch;
};

static void put_string(struct sink *out, const struct profile *p, str_id id)
{
	sink_span(out, str_span(p->strings, id));
}

/* Digits after the point without the zeros at their end; no point if none. */
static void put_fraction(struct sink *out, uint64_t fraction, int digits)
{
	if (!fraction)
		return;
	for (; fraction % 10 == 0; digits--)
		fraction /= 10;
	sink_format(out, ".%0*llu", digits, (unsigned long long)fraction);
}

/* 2006-01-02 15:04:05.123 +0100 CET */
static void put_time(struct sink *out, int64_t nanos)
{
	int64_t fraction = nanos % NANOS_PER_SECOND;
	time_t seconds = nanos / NANOS_PER_SECOND;
	struct tm tm;
	long minutes;

	if (fraction < 0) {
		fraction += NANOS_PER_SECOND;
		seconds--;
	}
	tzset();
	if (!localtime_r(&seconds, &tm))
		return;
	minutes = tm.tm_gmtoff / 60;
	sink_format(out, "Time: %04d-%02d-%02d %02d:%02d:%02d",
		    tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		    tm.tm_min, tm.tm_sec);
	put_fraction(out, (uint64_t)fraction, 9);
	sink_format(out, " %c%02ld%02ld %s\n", minutes < 0 ? '-' : '+',
		    labs(minutes) / 60, labs(minutes) % 60, tm.tm_zone);
}

/* Go's text of a duration: 1h2m3.5s, 2.5ms. */
static void put_duration_text(struct sink *out, int64_t nanos)
{
	static const struct {
		const char *unit;
		uint64_t nanos;
		int digits;
	} units[] = {
		{ "ns", 1, 0 },
		{ "µs", 1000, 3 },
		{ "ms", 1000000, 6 },
		{ "s", NANOS_PER_SECOND, 9 },
	};
	uint64_t left = nanos < 0 ? -(uint64_t)nanos : (uint64_t)nanos;
	uint64_t minutes = left / NANOS_PER_SECOND / 60;
	size_t u = 3;

	if (nanos < 0)
		sink_char(out, '-');
	while (u && left < units[u].nanos)
		u--;
	if (minutes >= 60)
		sink_format(out, "%lluh", (unsigned long long)minutes / 60);
	if (minutes)
		sink_format(out, "%llum", (unsigned long long)minutes % 60);
	left -= minutes * 60 * NANOS_PER_SECOND;
	sink_format(out, "%llu", (unsigned long long)(left / units[u].nanos));
	put_fraction(out, left % units[u].nanos, units[u].digits);
	sink_text(out, units[u].unit);
}

/* pprof asks for a precision, which cuts the text after four characters. */
static void put_duration(struct raw *r, int64_t nanos)
{
	struct span text;
	size_t len = 0;

	r->text.used = 0;
	put_duration_text(&r->text, nanos);
	text = sink_bytes(&r->text);
	for (unsigned chars = 0; len < text.len; len++) {
		bool starts_char = (text.at[len] & 0xc0) != 0x80;

		if (starts_char && ++chars > 4)
			break;
	}
	sink_text(r->out, "Duration: ");
	sink_write(r->out, text.at, len);
	sink_char(r->out, '\n');
}

static void put_header(struct raw *r)
{
	const struct profile *p = r->p;
	const struct profile_header *h = &p->header;

	for (uint32_t i = 0; i < p->comments.count; i++) {
		sink_text(r->out, "Comment: ");
		put_string(r->out, p, p->comments.at[i]);
		sink_char(r->out, '\n');
	}
	if (h->doc_url) {
		sink_text(r->out, "Doc: ");
		put_string(r->out, p, h->doc_url);
		sink_char(r->out, '\n');
	}
	sink_text(r->out, "PeriodType: ");
	put_string(r->out, p, h->period_type.type);
	sink_char(r->out, ' ');
	put_string(r->out, p, h->period_type.unit);
	sink_format(r->out, "\nPeriod: %lld\n", (long long)h->period);
	if (h->time_nanos)
		put_time(r->out, h->time_nanos);
	if (h->duration_nanos)
		put_duration(r, h->duration_nanos);
}

static void put_types(struct raw *r)
{
	const struct profile *p = r->p;

	r->text.used = 0;
	for (uint32_t i = 0; i < p->types.count; i++) {
		put_string(&r->text, p, p->types.at[i].type);
		sink_char(&r->text, '/');
		put_string(&r->text, p, p->types.at[i].unit);
		if (p->types.at[i].type == p->header.default_type)
			sink_text(&r->text, "[dflt]");
		sink_char(&r->text, ' ');
	}
	sink_text(r->out, "Samples:\n");
	sink_span(r->out, span_trim(sink_bytes(&r->text)));
	sink_char(r->out, '\n');
}

static void put_stack(struct raw *r, stack_id stack)
{
	uint32_t depth = stack_depth(&r->p->stacks, stack);

	if (!VEC_RESERVE(&r->frames, &r->arena, depth))
		return;
	stack_frames(&r->p->stacks, stack, r->frames.at, depth);
	for (uint32_t i = 0; i < depth; i++) {
		const struct location *l = &r->p->locations.at[r->frames.at[i]];

		sink_format(r->out, "%llu ", (unsigned long long)l->id);
	}
}

/* One value of a label; all numbers of a key have a unit, or none has. */
static void put_value(struct raw *r, const struct label *l, bool units)
{
	if (!l->numeric) {
		put_string(&r->text, r->p, l->text);
		return;
	}
	sink_format(&r->text, "%lld", (long long)l->number);
	if (!units)
		return;
	sink_char(&r->text, ' ');
	put_string(&r->text, r->p, l->unit);
}

/* key:[value value], for the count labels of one key */
static void put_key(struct raw *r, const struct label *labels, uint32_t count)
{
	bool units = false;

	for (uint32_t i = 0; i < count; i++)
		units |= labels[i].unit != 0;
	put_string(&r->text, r->p, labels[0].key);
	sink_text(&r->text, ":[");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			sink_char(&r->text, ' ');
		put_value(r, &labels[i], units);
	}
	sink_char(&r->text, ']');
}

static uint32_t same_key_count(const struct label *labels, uint32_t count)
{
	uint32_t n = 1;

	while (n < count && labels[n].key == labels[0].key)
		n++;
	return n;
}

static bool piece_before(const void *context, uint32_t a, uint32_t b)
{
	const struct raw *r = context;
	const struct piece *x = &r->pieces.at[a];
	const struct piece *y = &r->pieces.at[b];
	int d = memcmp(r->text.buf + x->start, r->text.buf + y->start,
		       x->len < y->len ? x->len : y->len);

	return d ? d < 0 : x->len < y->len;
}

static bool sort_pieces(struct raw *r)
{
	uint32_t count = r->pieces.count;

	if (!VEC_RESERVE(&r->order, &r->arena, count) ||
	    !VEC_RESERVE(&r->scratch, &r->arena, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		r->order.at[i] = i;
	sort_ids(r->order.at, r->scratch.at, count, piece_before, r);
	return true;
}

/*
 * A line for labels of one kind.  Keys are in order already, but the line is
 * sorted by its words: "a b:[1]" goes before "a:[1]".
 */
static void put_label_line(struct raw *r, const struct label *labels,
			   uint32_t count)
{
	r->text.used = 0;
	r->pieces.count = 0;
	for (uint32_t i = 0, n; i < count; i += n) {
		struct piece *piece = VEC_PUSH(&r->pieces, &r->arena);

		if (!piece)
			return;
		piece->start = r->text.used;
		n = same_key_count(labels + i, count - i);
		put_key(r, labels + i, n);
		piece->len = r->text.used - piece->start;
	}
	if (r->text.error || !sort_pieces(r))
		return;
	sink_repeat(r->out, ' ', 16);
	for (uint32_t i = 0; i < r->pieces.count; i++) {
		const struct piece *piece = &r->pieces.at[r->order.at[i]];

		if (i)
			sink_char(r->out, ' ');
		sink_write(r->out, r->text.buf + piece->start, piece->len);
	}
	sink_char(r->out, '\n');
}

static void put_labels(struct raw *r, labels_id set)
{
	uint32_t count;
	const struct label *labels = labels_get(&r->p->label_sets, set, &count);
	uint32_t strings = 0;

	while (strings < count && !labels[strings].numeric)
		strings++;
	if (strings)
		put_label_line(r, labels, strings);
	if (count > strings)
		put_label_line(r, labels + strings, count - strings);
}

static void put_sample(struct raw *r, uint32_t i)
{
	const int64_t *value = profile_values(r->p, i);

	for (uint32_t j = 0; j < r->p->types.count; j++)
		sink_format(r->out, " %10lld", (long long)value[j]);
	sink_text(r->out, ": ");
	put_stack(r, r->p->stack[i]);
	sink_char(r->out, '\n');
	put_labels(r, r->p->labels[i]);
}

static void put_line(struct raw *r, const struct line *line)
{
	const struct profile *p = r->p;
	const struct function *f = &p->functions.at[line->function];

	put_string(r->out, p, f->name);
	sink_char(r->out, ' ');
	put_string(r->out, p, f->file);
	sink_format(r->out, ":%lld:%lld s=%lld", (long long)line->line,
		    (long long)line->column, (long long)f->start_line);
	if (f->name != f->system_name) {
		sink_char(r->out, '(');
		put_string(r->out, p, f->system_name);
		sink_char(r->out, ')');
	}
	sink_char(r->out, '\n');
}

static void put_location(struct raw *r, const struct location *l)
{
	const struct line *lines = location_lines(r->p, l);

	sink_format(r->out, "%6llu: 0x%llx ", (unsigned long long)l->id,
		    (unsigned long long)l->address);
	if (l->mapping)
		sink_format(
			r->out, "M=%llu ",
			(unsigned long long)r->p->mappings.at[l->mapping].id);
	if (l->folded)
		sink_text(r->out, "[F] ");
	if (!l->line_count)
		sink_char(r->out, '\n');
	for (uint32_t i = 0; i < l->line_count; i++) {
		if (i)
			sink_repeat(r->out, ' ', 13);
		put_line(r, &lines[i]);
	}
}

static void put_mapping(struct raw *r, const struct mapping *m)
{
	static const struct {
		uint32_t flag;
		const char *text;
	} flags[] = {
		{ MAPPING_HAS_FUNCTIONS, "[FN]" },
		{ MAPPING_HAS_FILENAMES, "[FL]" },
		{ MAPPING_HAS_LINE_NUMBERS, "[LN]" },
		{ MAPPING_HAS_INLINE_FRAMES, "[IN]" },
	};

	sink_format(r->out, "%llu: 0x%llx/0x%llx/0x%llx ",
		    (unsigned long long)m->id, (unsigned long long)m->start,
		    (unsigned long long)m->limit,
		    (unsigned long long)m->offset);
	put_string(r->out, r->p, m->file);
	sink_char(r->out, ' ');
	put_string(r->out, r->p, m->build_id);
	sink_char(r->out, ' ');
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		if (m->flags & flags[i].flag)
			sink_text(r->out, flags[i].text);
	sink_char(r->out, '\n');
}

int raw_write(const struct profile *p, struct sink *out)
{
	struct raw r = { .p = p, .out = out };
	bool failed;

	r.text = sink_to_memory(&r.arena);
	put_header(&r);
	put_types(&r);
	for (uint32_t i = 0; i < p->sample_count; i++)
		put_sample(&r, i);
	sink_text(out, "Locations\n");
	for (uint32_t i = 1; i < p->locations.count; i++)
		put_location(&r, &p->locations.at[i]);
	sink_text(out, "Mappings\n");
	for (uint32_t i = 1; i < p->mappings.count; i++)
		put_mapping(&r, &p->mappings.at[i]);
	failed = r.arena.failed;
	arena_release(&r.arena);
	return failed ? -ENOMEM : 0;
}

static int write_report(struct report_context *c, struct sink *out,
			struct error *err)
{
	int r = raw_write(&c->profile, out);

	return r < 0 ? error_set_errno(err, r, "cannot write the raw report")
		     : 0;
}

const struct report report_raw = {
	.name = "raw",
	.summary = "everything that is in the profile, as text",
	.adjust = adjust_by_address,
	.write = write_report,
};
