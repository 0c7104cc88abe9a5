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
#include "base/workers.h"
#include "profile/profile.h"
#include "report/context.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/reports.h"
#include "report/stackfeed.h"
#include "report/team.h"
#include "report/texts.h"

enum { NANOS_PER_SECOND = 1000000000 };

/* Part of a text that may still move. */
struct piece {
	size_t start;
	size_t len;
};

struct raw;

/* What a worker has for itself. */
struct scribe {
	const struct raw *raw;
	const struct profile *p;
	struct arena arena;	/* what follows */
	struct stack_feed feed; /* the stacks of its samples */
	struct sink text;	/* what is written later, or cut */
	VEC(struct piece) pieces;
	VEC(uint32_t) order;
	VEC(uint32_t) scratch;
	WORKERS_APART;
};

struct raw {
	const struct profile *p;
	struct sink *out;
	struct texts ids;    /* by location */
	struct texts labels; /* by set; the lines of one */
	struct scribe scribes[WORKERS_MAX];
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
	struct sink *whole = &r->scribes[0].text;
	struct span text;
	size_t len = 0;

	whole->used = 0;
	put_duration_text(whole, nanos);
	text = sink_bytes(whole);
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
	struct sink *types = &r->scribes[0].text;

	types->used = 0;
	for (uint32_t i = 0; i < p->types.count; i++) {
		put_string(types, p, p->types.at[i].type);
		sink_char(types, '/');
		put_string(types, p, p->types.at[i].unit);
		if (p->types.at[i].type == p->header.default_type)
			sink_text(types, "[dflt]");
		sink_char(types, ' ');
	}
	sink_text(r->out, "Samples:\n");
	sink_span(r->out, span_trim(sink_bytes(types)));
	sink_char(r->out, '\n');
}

/* One value of a label; all numbers of a key have a unit, or none has. */
static void put_value(struct scribe *w, const struct label *l, bool units)
{
	if (!l->numeric) {
		put_string(&w->text, w->p, l->text);
		return;
	}
	sink_number(&w->text, l->number, 0);
	if (!units)
		return;
	sink_char(&w->text, ' ');
	put_string(&w->text, w->p, l->unit);
}

/* key:[value value], for the count labels of one key */
static void put_key(struct scribe *w, const struct label *labels,
		    uint32_t count)
{
	bool units = false;

	for (uint32_t i = 0; i < count; i++)
		units |= labels[i].unit != 0;
	put_string(&w->text, w->p, labels[0].key);
	sink_text(&w->text, ":[");
	for (uint32_t i = 0; i < count; i++) {
		if (i)
			sink_char(&w->text, ' ');
		put_value(w, &labels[i], units);
	}
	sink_char(&w->text, ']');
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
	const struct scribe *w = context;
	const struct piece *x = &w->pieces.at[a];
	const struct piece *y = &w->pieces.at[b];
	int d = memcmp(w->text.buf + x->start, w->text.buf + y->start,
		       x->len < y->len ? x->len : y->len);

	return d ? d < 0 : x->len < y->len;
}

static bool sort_pieces(struct scribe *w)
{
	uint32_t count = w->pieces.count;

	if (!VEC_RESERVE(&w->order, &w->arena, count) ||
	    !VEC_RESERVE(&w->scratch, &w->arena, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		w->order.at[i] = i;
	sort_ids(w->order.at, w->scratch.at, count, piece_before, w);
	return true;
}

/*
 * A line for labels of one kind.  Keys are in order already, but the line is
 * sorted by its words: "a b:[1]" goes before "a:[1]".
 */
static void put_label_line(struct scribe *w, struct sink *out,
			   const struct label *labels, uint32_t count)
{
	w->text.used = 0;
	w->pieces.count = 0;
	for (uint32_t i = 0, n; i < count; i += n) {
		struct piece *piece = VEC_PUSH(&w->pieces, &w->arena);

		if (!piece)
			return;
		piece->start = w->text.used;
		n = same_key_count(labels + i, count - i);
		put_key(w, labels + i, n);
		piece->len = w->text.used - piece->start;
	}
	if (w->text.error || !sort_pieces(w))
		return;
	sink_repeat(out, ' ', 16);
	for (uint32_t i = 0; i < w->pieces.count; i++) {
		const struct piece *piece = &w->pieces.at[w->order.at[i]];

		if (i)
			sink_char(out, ' ');
		sink_write(out, w->text.buf + piece->start, piece->len);
	}
	sink_char(out, '\n');
}

static void put_labels(void *context, struct sink *out, labels_id set)
{
	struct scribe *w = context;
	uint32_t count;
	const struct label *labels = labels_get(&w->p->label_sets, set, &count);
	uint32_t strings = 0;

	while (strings < count && !labels[strings].numeric)
		strings++;
	if (strings)
		put_label_line(w, out, labels, strings);
	if (count > strings)
		put_label_line(w, out, labels + strings, count - strings);
}

static void put_id(void *context, struct sink *out, location_id l)
{
	const struct scribe *w = context;

	sink_unsigned(out, w->p->locations.at[l].id, 0);
	sink_char(out, ' ');
}

static void put_stack(struct scribe *w, struct sink *out)
{
	const struct text_source source = { put_id, w };
	struct text_run run = { w->feed.now.frames, w->feed.now.depth };
	struct text_run next = { w->feed.next.frames, w->feed.next.depth };

	texts_put_run(&w->raw->ids, run, next, out, &source);
}

static void put_sample(struct scribe *w, struct sink *out, uint32_t i)
{
	const struct text_source labels = { put_labels, w };
	const int64_t *value = profile_values(w->p, i);

	for (uint32_t j = 0; j < w->p->types.count; j++) {
		sink_char(out, ' ');
		sink_number(out, value[j], 10);
	}
	sink_write(out, ": ", 2);
	put_stack(w, out);
	sink_char(out, '\n');
	if (w->p->labels[i])
		texts_put(&w->raw->labels, w->p->labels[i], out, &labels);
}

static int put_samples(void *context, unsigned worker, uint32_t first,
		       uint32_t end, struct sink *out)
{
	struct raw *r = context;
	struct scribe *w = &r->scribes[worker];
	bool fed = stack_feed_start(&w->feed, r->p->stack + first, end - first);

	for (uint32_t i = first; i < end && fed && !out->error; i++) {
		put_sample(w, out, i);
		fed = stack_feed_go_on(&w->feed);
	}
	return w->arena.failed ? -ENOMEM : 0;
}

static void put_line(struct sink *out, const struct profile *p,
		     const struct line *line)
{
	const struct function *f = &p->functions.at[line->function];

	put_string(out, p, f->name);
	sink_char(out, ' ');
	put_string(out, p, f->file);
	sink_char(out, ':');
	sink_number(out, line->line, 0);
	sink_char(out, ':');
	sink_number(out, line->column, 0);
	sink_write(out, " s=", 3);
	sink_number(out, f->start_line, 0);
	if (f->name != f->system_name) {
		sink_char(out, '(');
		put_string(out, p, f->system_name);
		sink_char(out, ')');
	}
	sink_char(out, '\n');
}

static void put_location(struct sink *out, const struct profile *p,
			 const struct location *l)
{
	const struct line *lines = location_lines(p, l);

	sink_unsigned(out, l->id, 6);
	sink_format(out, ": 0x%llx ", (unsigned long long)l->address);
	if (l->mapping)
		sink_format(out, "M=%llu ",
			    (unsigned long long)p->mappings.at[l->mapping].id);
	if (l->folded)
		sink_text(out, "[F] ");
	if (!l->line_count)
		sink_char(out, '\n');
	for (uint32_t i = 0; i < l->line_count; i++) {
		if (i)
			sink_repeat(out, ' ', 13);
		put_line(out, p, &lines[i]);
	}
}

static int put_locations(void *context, unsigned worker, uint32_t first,
			 uint32_t end, struct sink *out)
{
	const struct raw *r = context;

	(void)worker;
	for (uint32_t i = first; i < end; i++)
		put_location(out, r->p, &r->p->locations.at[i]);
	return 0;
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

/* Rows from first up to end, by as many workers as they are worth. */
static int put_rows(struct raw *r, uint32_t first, uint32_t end, parts_put *put)
{
	const struct parts rows = {
		.first = first,
		.end = end,
		.workers = team_for(end - first),
		.put = put,
		.context = r,
	};

	return parts_write(&rows, r->out);
}

static int prepare(struct raw *r)
{
	const struct profile *p = r->p;
	const struct text_source ids = { put_id, &r->scribes[0] };
	const struct text_source labels = { put_labels, &r->scribes[0] };
	int ret = stack_prepare_reading(&p->stacks, p->stack, p->sample_count,
					team_for(p->sample_count));

	for (unsigned i = 0; i < WORKERS_MAX; i++) {
		struct scribe *w = &r->scribes[i];

		w->raw = r;
		w->p = p;
		w->text = sink_to_memory(&w->arena);
		w->feed.stacks = &p->stacks;
		w->feed.arena = &w->arena;
	}
	if (ret < 0)
		return ret;
	ret = texts_init(&r->ids, p->locations.count);
	for (location_id l = 1; l < p->locations.count && ret == 0; l++)
		texts_add(&r->ids, l, &ids);
	return ret < 0 ? ret : texts_add_labels(&r->labels, p, &labels);
}

static int put_all(struct raw *r)
{
	const struct profile *p = r->p;
	int ret;

	put_header(r);
	put_types(r);
	ret = put_rows(r, 0, p->sample_count, put_samples);
	if (ret < 0)
		return ret;
	sink_text(r->out, "Locations\n");
	ret = put_rows(r, 1, p->locations.count, put_locations);
	if (ret < 0)
		return ret;
	sink_text(r->out, "Mappings\n");
	for (uint32_t i = 1; i < p->mappings.count; i++)
		put_mapping(r, &p->mappings.at[i]);
	return r->scribes[0].arena.failed ? -ENOMEM : 0;
}

static void release(struct raw *r)
{
	texts_release(&r->ids);
	texts_release(&r->labels);
	for (unsigned i = 0; i < WORKERS_MAX; i++)
		arena_release(&r->scribes[i].arena);
}

int raw_write(const struct profile *p, struct sink *out)
{
	struct raw r = { .p = p, .out = out };
	int ret = prepare(&r);

	if (ret == 0)
		ret = put_all(&r);
	release(&r);
	return ret;
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
